"""What the settings of treatments may hold: each check with the words that a fault says."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

Check = tuple[Callable[[object], bool], str]


def is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def are_names(value: object) -> bool:
    names = isinstance(value, list | tuple) and bool(value) and all(map(is_name, value))
    return names and len(set(value)) == len(value)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and abs(value) <= 1e300


def is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= 2**53


def is_share(value: object) -> bool:
    return is_number(value) and 0 <= value <= 1


COLUMN: Check = (is_name, "the name of a column")
COLUMNS: Check = (are_names, "a list of distinct column names")
NUMBER: Check = (is_number, "a number")
POSITIVE: Check = (lambda value: is_number(value) and value > 0, "a number above 0")
COUNT: Check = (is_count, "a whole number from 1")
SHARE: Check = (is_share, "a number from 0 to 1")
FLAG: Check = (lambda value: isinstance(value, bool), "True or False")
TEXT: Check = (is_name, "a text")


def one_of(*names: str) -> Check:
    return (lambda value: isinstance(value, str) and value in names), " or ".join(f'"{name}"' for name in names)


def whole_number(low: int, high: int) -> Check:
    return (lambda value: type(value) is int and low <= value <= high), f"a whole number from {low} to {high}"
