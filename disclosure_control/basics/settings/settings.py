"""What settings may hold: each check with the words that a fault says, and the faults of a dictionary of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from disclosure_control.basics.encoding.columns import LARGEST_NUMBER
from disclosure_control.basics.telling.faults import nearest_name

Check = tuple[Callable[[Any], bool], str]


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
    return isinstance(value, int | float | np.integer | np.floating) and is_number(value) and bool(0 <= value <= 1)


COLUMN: Check = (is_name, "the name of a column")
COLUMNS: Check = (are_names, "a list of distinct column names")
NUMBER: Check = (is_number, "a number")
POSITIVE: Check = (lambda value: is_number(value) and value > 0, "a number above 0")
COUNT: Check = (is_count, "a whole number from 1")
SHARE: Check = (is_share, "a number from 0 to 1")
FLAG: Check = (lambda value: isinstance(value, bool), "True or False")
TEXT: Check = (is_name, "a text")


def is_value(value: object) -> bool:
    """A text that is not blank and can be written, or a number; True and False are none."""
    if isinstance(value, str):
        return value.strip() != "" and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


IS_VALUE: Check = (is_value, "a value of the column, as it is written in the dataset")


def one_of(*names: str) -> Check:
    """The check that a setting is one of these words."""
    return (lambda value: isinstance(value, str) and value in names), " or ".join(f'"{name}"' for name in names)


def whole_number(low: int, high: int) -> Check:
    """The check that a setting is a whole number within these bounds, both allowed."""
    return (lambda value: type(value) is int and low <= value <= high), f"a whole number from {low} to {high}"


def faults_of_settings(name: str, value: object, keys: Mapping[str, tuple[Callable[[object], bool], str]]) -> list[str]:
    """Faults of a step's config key ``name`` that holds a dictionary: ``keys`` are its settings, check and words."""
    if not isinstance(value, dict):
        return [f"{name}: found {type(value).__name__}; allowed: a dictionary of {', '.join(keys)}"]
    faults = [
        f"{name}: unknown key {key!r}{nearest_name(key, keys)}; known: {', '.join(keys)}"
        for key in value
        if key not in keys
    ]
    return faults + [
        f"{name}[{key!r}]: found {value[key]!r}; allowed: {allowed}"
        for key, (is_valid, allowed) in keys.items()
        if key in value and not is_valid(value[key])
    ]
