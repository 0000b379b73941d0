"""Settings as fields of frozen dataclasses: each carries its kind, its default and its line of documentation.

A class of settings is all there is to say of a config key::

    @dataclass(frozen=True)
    class SmallLevels(SettingsGroup):
        at_most: int = setting(COUNT, "how few people make a level small", 5)

``read`` turns what a config says into an instance, or raises every fault of it at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

from disclosure_control.basics.settings.kinds import Kind, Place
from disclosure_control.basics.telling.faults import nearest_name, stop_at


class SettingsGroup:
    """What a class of settings may define beside its fields.

    ``INSTEAD``: in words, what a config may contain instead of a dictionary of them; ``unfold`` turns it into one.
    ``GONE``: settings that earlier versions had, each with what to do instead.
    """

    INSTEAD: ClassVar[str] = ""
    GONE: ClassVar[Mapping[str, str]] = {}

    @staticmethod
    def unfold(given: Any) -> Any:
        """The dictionary that ``given`` represents; anything else is returned unchanged."""
        return given

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterable[str]:
        """Faults of several settings together, once each is what it may be; ``given`` are those that the config has."""
        return ()


S = TypeVar("S", bound=SettingsGroup)


class SettingField(NamedTuple):
    """The declaration of a setting: its ``kind``, and its row of the documentation.

    ``attribute``: its field in the class.
    """

    kind: Kind
    says: str
    default_words: str
    is_required: bool
    attribute: str = ""


def setting(
    kind: Kind, says: str = "", default: Any = dataclasses.MISSING, default_words: str = "", named: str = ""
) -> Any:
    """A field that is a setting; one without a default has to be given.

    ``says`` is its row of the documentation, where ``default_words`` replace a default that is not a value. ``named``:
    its name in a config, if not the name of the field.
    """
    declared = SettingField(kind, says, default_words, default is dataclasses.MISSING)
    metadata = {"setting": declared, "named": named}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def settings_in(kind: type[SettingsGroup]) -> dict[str, SettingField]:
    """The settings of a class, by name, in its order."""
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]  # every class of settings is a dataclass
    return {
        field.metadata["named"] or field.name: field.metadata["setting"]._replace(attribute=field.name)
        for field in fields
        if "setting" in field.metadata
    }


def read(kind: type[S], given: Any, place: Place) -> S:
    """The settings that a config gives at this place. Raises ``FaultyInputError`` with every fault of them."""
    stop_at(faults_of(kind, given, place))
    return typed(kind, given)


def faults_of(kind: type[SettingsGroup], given: Any, place: Place) -> list[str]:
    """Every fault of what a config gives for a class of settings."""
    known, given = settings_in(kind), kind.unfold(given)
    if not isinstance(given, dict):
        return [f"{place}: found {type(given).__name__}; allowed: {in_words(kind)}"]
    faults = [
        f"{place[key]}: this setting is gone; {kind.GONE[key]}"
        if key in kind.GONE
        else f"{place}: unknown key {key!r}{nearest_name(key, known)}; known: {', '.join(known)}"
        for key in given
        if key not in known
    ]
    by_setting = faults_by_setting(kind, given, place)
    faults += [fault for found in by_setting.values() for fault in found]
    between = [] if faults else list(typed(kind, given).check(place, given))
    valid = [name for name in known if name in given and name not in by_setting]
    absent = [fault for name in valid for fault in place[name].faults_of_columns(known[name].kind.columns(given[name]))]
    return [*faults, *absent, *between]


def faults_by_setting(kind: type[SettingsGroup], given: Mapping[Any, Any], place: Place) -> dict[str, list[str]]:
    """By setting its faults: of its value, or that it is missing; settings without a fault are left out."""
    faults = {
        name: one.kind.faults(given[name], place[name])
        if name in given
        else [f"{place[name]}: missing; allowed: {one.kind.allowed}"] * one.is_required
        for name, one in settings_in(kind).items()
    }
    return {name: found for name, found in faults.items() if found}


def typed(kind: type[S], given: Any) -> S:
    """The class from given values without a fault, with defaults for all others."""
    known = settings_in(kind)
    return kind(**{known[name].attribute: known[name].kind.read(value) for name, value in kind.unfold(given).items()})


def in_words(kind: type[SettingsGroup]) -> str:
    """What a config may contain for these settings."""
    dictionary = f"a dictionary of {', '.join(settings_in(kind))}"
    return f"{kind.INSTEAD}, or {dictionary}" if kind.INSTEAD else dictionary


def nested(kind: type[SettingsGroup]) -> Kind:
    """The kind of a setting that is itself a dictionary of settings."""
    return Kind(
        lambda value: isinstance(value, dict),
        in_words(kind),
        lambda value: typed(kind, value),
        within=lambda value, place: faults_of(kind, value, place),
    )


def columns_named(settings: SettingsGroup) -> dict[str, list[str]]:
    """By setting the columns of the dataset that it names; settings that name none are left out."""
    named = {
        name: list(one.kind.columns(value))
        for name, one in settings_in(type(settings)).items()
        if (value := getattr(settings, one.attribute)) is not None
    }
    return {name: columns for name, columns in named.items() if columns}
