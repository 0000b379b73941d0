"""Settings as fields of frozen dataclasses: each carries its default, its check and its line of documentation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from disclosure_control.basics.settings.settings import Check, faults_of_settings, is_count, is_name, is_share
from disclosure_control.basics.telling.faults import faults_of_columns, nearest_name

Settings = TypeVar("Settings")


def _is_share_above_zero(value: Any) -> bool:
    return is_share(value) and value > 0


COLUMN: Check = (is_name, "a column of the combined dataset")
SHARE_ABOVE_ZERO: Check = (_is_share_above_zero, "a number above 0 and up to 1")
COUNTS: Check = (
    lambda value: isinstance(value, list | tuple) and all(map(is_count, value)),
    "a list of whole numbers from 1",
)


class Need(NamedTuple):
    """A setting that something cannot do without, and in words what it is."""

    setting: str
    words: str


class OwnSettings(Protocol):
    """A dataclass for a setting that is a dictionary of settings: it also judges what does not go together in it."""

    @staticmethod
    def faults_between(where: str, given: Mapping) -> list[str]: ...


@dataclass(frozen=True)
class Setting:
    """What a setting may be, and what it says: ``says`` and ``default_words`` are its row in the documentation.

    ``choices``: it is "all", or a list of these. ``within``: it is a dictionary of settings, held by this dataclass.
    ``names_columns``: it is a column of the combined dataset, or several. ``needs``: a setting it is nothing without.
    """

    check: Check
    says: str = ""
    default_words: str = ""
    choices: tuple[str, ...] = ()
    within: type[OwnSettings] | None = None
    names_columns: bool = False
    needs: Need | None = None


def setting(check: Check, says: str = "", **more: Any) -> dict[str, Setting]:
    """The metadata of a field that is a setting; ``more`` as in ``Setting``."""
    return {"setting": Setting(check, says, **more)}


def choice_of(choices: Sequence[str], says: str, default_words: str) -> dict[str, Setting]:
    """The metadata of a field that holds some of ``choices``."""
    return setting(some_of(choices), says, default_words=default_words, choices=tuple(choices))


def some_of(choices: Sequence[str]) -> Check:
    """Either "all" or some of these names; whether each of them is known is for ``faults_of_values`` to say."""

    def are_names_or_all(value: object) -> bool:
        return value == "all" or (isinstance(value, list | tuple) and len(value) > 0 and all(map(is_name, value)))

    return are_names_or_all, f'"all" or a list of {", ".join(choices)}'


def settings_in(kind: Any) -> dict[str, Setting]:
    """The settings that a dataclass holds, by name, in its order; of None none."""
    fields = () if kind is None else dataclasses.fields(kind)
    return {field.name: field.metadata["setting"] for field in fields if "setting" in field.metadata}


# ---------------------------------------------------------------- faults of what was given


def faults_of_values(key: str, given: Mapping, known: Mapping[str, Setting]) -> list[str]:
    """Unknown settings, values that are none of theirs, and names that are not among their choices."""
    faults = faults_of_settings(key, given, {name: one.check for name, one in known.items()})
    for name, one in known.items():
        value = given.get(name)
        if one.choices and isinstance(value, list | tuple):
            faults += [
                f"{key}[{name!r}]: {choice!r} is not known{nearest_name(choice, one.choices)}; "
                f"known: {', '.join(one.choices)}"
                for choice in value
                if choice not in one.choices
            ]
    return faults


def faults_within(key: str, given: Mapping, known: Mapping[str, Setting]) -> list[str]:
    """Faults of those settings that are dictionaries of settings."""
    faults = []
    for name, one in known.items():
        if one.within is not None and name in given:
            where = f"{key}[{name!r}]"
            faults += faults_of_values(where, given[name], settings_in(one.within))
            faults += one.within.faults_between(where, given[name])
    return faults


def faults_of_needs(key: str, given: Mapping, known: Mapping[str, Setting]) -> list[str]:
    """Settings that are nothing without another one, which is not given."""
    return [
        f"{key}[{name!r}]: needs {one.needs.setting} too; name {one.needs.words}"
        for name, one in known.items()
        if one.needs is not None and name in given and one.needs.setting not in given
    ]


def faults_of_named_columns(
    key: str, given: Mapping, known: Mapping[str, Setting], columns: Sequence[str] | None
) -> list[str]:
    """Names of columns that there are not; none where ``columns`` are not known."""
    faults = []
    for name, one in known.items():
        if name in given and one.names_columns:
            names = [given[name]] if isinstance(given[name], str) else given[name]
            faults += faults_of_columns(f"{key}[{name!r}]", names, columns)
        elif name in given and one.within is not None:
            faults += faults_of_named_columns(f"{key}[{name!r}]", given[name], settings_in(one.within), columns)
    return faults


# ---------------------------------------------------------------- from what was given to types


def typed_settings(kind: type[Settings], given: Mapping) -> Settings:
    """The dataclass ``kind`` of what was given and has no fault; what was not given has its default."""
    known = settings_in(kind)
    return kind(**{name: _typed(one, given[name]) for name, one in known.items() if name in given})


def _typed(one: Setting, value: Any) -> Any:
    if one.within is not None:
        return typed_settings(one.within, value)
    if one.choices and value == "all":
        return one.choices
    return tuple(value) if isinstance(value, list) else value
