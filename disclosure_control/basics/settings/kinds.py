"""Kinds of settings: the allowed values, in a check and in words, and the type that they become."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from disclosure_control.basics.encoding.columns import LARGEST_NUMBER
from disclosure_control.basics.settings.unknown_keys import hint_of_name, hint_of_value, unknown_key
from disclosure_control.basics.telling.faults import nearest_name


@dataclass(frozen=True)
class Place:
    """A place in a config: its ``name`` in faults, and what a rule may have to know besides.

    ``pilot`` is the config of k, l and t; ``columns`` are those of the ``dataset``, None where nobody knows them yet.
    """

    name: str = ""
    pilot: Any = None
    columns: Sequence[str] | None = None
    dataset: str = "the combined dataset"

    def __getitem__(self, key: object) -> Place:
        """The place of an entry of the dictionary or list at this place."""
        return self.called(f"{self.name}[{key!r}]" if self.name else str(key))

    def __str__(self) -> str:
        return self.name

    def called(self, name: str) -> Place:
        """The same surroundings under another name."""
        return dataclasses.replace(self, name=name)

    def faults_of_columns(self, names: Iterable[object]) -> list[str]:
        """A fault for each of the names that is no column of the dataset; none where its columns are not known."""
        if self.columns is None:
            return []
        return [
            f"{self}: column {name!r} is not in {self.dataset}{nearest_name(name, self.columns)}"
            for name in dict.fromkeys(names)
            if name not in self.columns
        ]


def in_tuples(value: Any) -> Any:
    """The value with every list in it as a tuple, so that typed settings cannot be changed."""
    if isinstance(value, list | tuple):
        return tuple(map(in_tuples, value))
    return {key: in_tuples(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def _no_columns(value: object) -> tuple[()]:
    return ()


def _no_faults(value: object, place: Place) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Kind:
    """What a setting may hold: ``is_valid``, and in words ``allowed``.

    ``read`` turns a valid value into its type. ``columns`` are the columns of the dataset that it names. ``within``
    gives the faults of its parts, each at its own place.
    """

    is_valid: Callable[[Any], bool]
    allowed: str
    read: Callable[[Any], Any] = in_tuples
    columns: Callable[[Any], Iterable[str]] = _no_columns
    within: Callable[[Any, Place], Iterable[str]] = _no_faults

    def faults(self, value: object, place: Place) -> list[str]:
        """The faults of a value at this place: what was found and what is allowed, or faults of its parts."""
        if not self.is_valid(value):
            return [f"{place}: found {value!r}{hint_of_value(place, value)}; allowed: {self.allowed}"]
        return list(self.within(value, place))

    def but(self, allowed: str) -> Kind:
        """The same kind in other words."""
        return dataclasses.replace(self, allowed=allowed)

    def read_as(self, read: Callable[[Any], Any]) -> Kind:
        """The same kind as another type."""
        return dataclasses.replace(self, read=read)


# ---------------------------------------------------------------- what values may be


def is_name(value: object) -> TypeGuard[str]:
    """A text that is not empty."""
    return isinstance(value, str) and value != ""


def are_names(value: object) -> TypeGuard[Sequence[str]]:
    """A list of distinct names, at least one."""
    if not isinstance(value, list | tuple) or not value:
        return False
    return all(map(is_name, value)) and len(set(value)) == len(value)


def is_number(value: object) -> TypeGuard[float]:
    """A finite number that can be calculated with; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(-LARGEST_NUMBER <= value <= LARGEST_NUMBER)


def is_count(value: object) -> TypeGuard[int]:
    """A whole number from 1, exact as a float; True is none."""
    return type(value) is int and 1 <= value <= 2**53


def is_share(value: object) -> bool:
    """A number from 0 to 1."""
    return is_number(value) and bool(0 <= value <= 1)


def is_value(value: object) -> bool:
    """A text that is not blank and can be written, or a number; True and False are none."""
    if isinstance(value, str):
        return value.strip() != "" and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_date(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def as_tuple(value: str | Iterable[str]) -> tuple[str, ...]:
    """One name, or several, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


# ---------------------------------------------------------------- kinds


TEXT = Kind(is_name, "a text")
TEXTS = Kind(lambda value: isinstance(value, list | tuple) and all(map(is_name, value)), "a list of texts")
SENTENCE = Kind(lambda value: isinstance(value, str) and is_value(value), "a text that is not blank")
DATE = Kind(_is_date, "a date such as 2026-06-30")
NUMBER = Kind(is_number, "a number")
POSITIVE = Kind(lambda value: is_number(value) and value > 0, "a number above 0")
COUNT = Kind(is_count, "a whole number from 1")
SHARE = Kind(is_share, "a number from 0 to 1")
SHARE_ABOVE_ZERO = Kind(lambda value: is_share(value) and value > 0, "a number above 0 and up to 1")
FLAG = Kind(lambda value: isinstance(value, bool), "True or False")
VALUE = Kind(is_value, "a value of the column, as it is written in the dataset")
COLUMN = Kind(is_name, "the name of a column", columns=as_tuple)
COLUMNS = Kind(are_names, "a list of distinct column names", columns=as_tuple)
DICTIONARY = Kind(lambda value: isinstance(value, dict), "a dictionary")


def one_of(*names: str) -> Kind:
    """One of these words."""
    return Kind(lambda value: isinstance(value, str) and value in names, " or ".join(f'"{name}"' for name in names))


def some_of(*names: str) -> Kind:
    """A list of some of these words."""
    return Kind(lambda value: are_names(value) and set(value) <= set(names), f"a list of {', '.join(names)}")


def one_or_some_of(*names: str) -> Kind:
    """One of these words, or a list of some."""
    some = some_of(*names)
    return Kind(
        lambda value: value in names if isinstance(value, str) else some.is_valid(value),
        f"one of {', '.join(names)}, or a list of them",
        as_tuple,
    )


def all_or_some_of(*names: str) -> Kind:
    """Either "all", or a list of some of these words; a name that is not known is a fault of its own."""

    def unknown(value: Any, place: Place) -> list[str]:
        return [
            f"{place}: {name!r} is not known{hint_of_name(place, name, names)}; known: {', '.join(names)}"
            for name in (() if value == "all" else value)
            if name not in names
        ]

    return Kind(
        lambda value: (
            value == "all" or (isinstance(value, list | tuple) and len(value) > 0 and all(map(is_name, value)))
        ),
        f'"all" or a list of {", ".join(names)}',
        lambda value: names if value == "all" else tuple(value),
        within=unknown,
    )


def whole_number(low: int, high: int) -> Kind:
    """A whole number within these bounds, both allowed."""
    return Kind(lambda value: type(value) is int and low <= value <= high, f"a whole number from {low} to {high}")


def list_of(kind: Kind, allowed: str, least: int = 0) -> Kind:
    """A list of ``least`` entries or more, each of this kind."""
    return Kind(
        lambda value: isinstance(value, list | tuple) and len(value) >= least and all(map(kind.is_valid, value)),
        allowed,
        lambda value: tuple(map(kind.read, value)),
        lambda value: [column for entry in value for column in kind.columns(entry)],
        lambda value, place: [fault for i, entry in enumerate(value) for fault in kind.within(entry, place[i])],
    )


def dictionary_of(
    kind: Kind, allowed: str = "", names: str = "column", are_columns: bool = False, known: Sequence[str] = ()
) -> Kind:
    """A dictionary from a name to this kind; a fault of an entry names the entry.

    ``names``: what the keys are called. ``are_columns``: they are columns of the dataset. ``known``: what they may be.
    """

    def within(value: Mapping[object, object], place: Place) -> list[str]:
        faults = []
        for name, entry in value.items():
            if not is_name(name):
                faults.append(f"{place[name]}: found a key that is not a text; allowed: {words}")
            elif known and name not in known:
                faults.append(unknown_key(place, name, known))
            else:
                faults += kind.faults(entry, place[name])
        return faults

    words = allowed or f"{{{names}: {kind.allowed}}}"
    return Kind(
        lambda value: isinstance(value, dict),
        words,
        lambda value: {name: kind.read(entry) for name, entry in value.items()},
        (lambda value: [name for name in value if is_name(name)]) if are_columns else _no_columns,
        within,
    )


def one_or_by_name(kind: Kind, names: str = "column") -> Kind:
    """Of this kind, or a dictionary from a name to it."""
    by_name = dictionary_of(kind, names=names)
    return Kind(
        lambda value: isinstance(value, dict) or kind.is_valid(value),
        f"{kind.allowed}, or {{{names}: one of these}}",
        lambda value: (by_name if isinstance(value, dict) else kind).read(value),
        within=lambda value, place: (by_name if isinstance(value, dict) else kind).within(value, place),
    )
