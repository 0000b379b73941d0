"""The config key ``explore``: which columns, groups and pairs are explored, and what is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.drawings.figures import DEFAULT_FORMATS, FIGURES
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.settings.fields import SettingsGroup, columns_named, setting
from disclosure_control.basics.settings.kinds import COLUMN, Kind, Place, are_names, as_tuple, whole_number


def _columns(least: int, most: int, allowed: str) -> Kind:
    return Kind(lambda value: are_names(value) and least <= len(value) <= most, allowed, as_tuple, as_tuple)


_UP_TO_1000 = whole_number(1, 1000)


@dataclass(frozen=True)
class ExploreSettings(SettingsGroup):
    """The config key ``explore``. None means a choice by the roles of the columns; ``figures`` are forms."""

    INSTEAD = '"all"'

    columns: tuple[str, ...] | None = setting(
        _columns(1, 10_000, "a list of distinct column names"), "only these columns", None, "all columns"
    )
    group: str | None = setting(COLUMN.but("a column with few values"), "box plots by its values", None)
    mosaic: tuple[str, str] | None = setting(_columns(2, 2, "two columns"), "the two columns of the mosaic", None)
    pairs: tuple[str, ...] | None = setting(
        _columns(2, 6, "two to six columns of numbers"), "the columns of the pair plot", None
    )
    max_levels: int = setting(_UP_TO_1000, "columns with more values are not tabulated", 20)
    small_level: int = setting(_UP_TO_1000, "fewer people than this count as few", 5)
    max_drawn: int = setting(
        _UP_TO_1000, "columns in each kind of figure; the report counts those that are not drawn", 12
    )
    figures: tuple[str, ...] = setting(FIGURES, "the image files to write; `False`: only tables", DEFAULT_FORMATS)

    @staticmethod
    def unfold(given: Any) -> Any:
        """Everything by default."""
        return {} if given == "all" else given

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """The column of the subjects among the others."""
        for name, columns in columns_named(self).items():
            if SUBJECT_COLUMN in columns:
                yield (
                    f"{place[name]}: {SUBJECT_COLUMN!r} names the subject, and there is nothing to explore in it; take "
                    "it out"
                )


SETTINGS = ExploreSettings
