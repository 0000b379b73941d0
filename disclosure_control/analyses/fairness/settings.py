"""The config key ``fairness``: which outcome is favourable, and whose rates are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import COLUMN, VALUE, Kind, Place, as_tuple, is_name, is_number, list_of

KEY = "fairness"
_COLUMN = Kind(lambda value: is_name(value) and value != SUBJECT_COLUMN, COLUMN.allowed, columns=as_tuple)
_LIMIT = Kind(lambda value: value == "mean" or is_number(value), 'a number, or "mean"')


@dataclass(frozen=True)
class FavourableRule(SettingsGroup):
    """Which values of a column are favourable: ``at_least`` or ``at_most`` a limit, or those that it ``equals``."""

    column: str = setting(_COLUMN, "the column of the outcome")
    at_least: float | str | None = setting(_LIMIT, "values from this one on are favourable", None)
    at_most: float | str | None = setting(_LIMIT, "values up to this one are favourable", None)
    equals: tuple[object, ...] | None = setting(
        list_of(VALUE, "a list of values", least=1), "these values are favourable, as the dataset spells them", None
    )

    @property
    def relation(self) -> str:
        """The relation of a favourable value to ``value``: "at_least", "at_most" or "equals"."""
        return next(name for name in _RELATIONS if getattr(self, name) is not None)

    @property
    def value(self) -> Any:
        """The limit, or the favourable values."""
        return getattr(self, self.relation)

    def in_summary(self) -> dict[str, object]:
        """The rule as in the JSON summary and in the config."""
        return {"column": self.column, self.relation: list(self.value) if isinstance(self.value, tuple) else self.value}

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """No relation, or several."""
        if sum(name in given for name in _RELATIONS) != 1:
            yield f"{place}: allowed: exactly one of {', '.join(_RELATIONS)}"


_RELATIONS = ("at_least", "at_most", "equals")
_RULE = nested(FavourableRule).but('{"column": ..., "at_least": "mean"} or another rule')


@dataclass(frozen=True)
class FairnessSettings(SettingsGroup):
    """The config key ``fairness``. ``reference`` and ``group`` are values of the column ``sensitive``.

    ``group`` is None for everyone outside the reference group.
    """

    favourable: FavourableRule = setting(_RULE, "which outcome is favourable")
    sensitive: str = setting(_COLUMN, "the column of the groups that are compared")
    reference: object = setting(VALUE, "the group that the others are compared with")
    group: object = setting(VALUE, "the other group", None, "everybody else")


SETTINGS = FairnessSettings
