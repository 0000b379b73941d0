"""Value hierarchies built from a rule: intervals of growing width, masked characters, dates to month, quarter, year."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of, number_text
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy, build_hierarchy
from disclosure_control.basics.settings.kinds import Kind, is_number
from disclosure_control.basics.telling.faults import FaultyInputError

TOP = "*"
# A time of day as SDTM writes it, to the hour, minute or second, and its zone; a part may be unknown (-).
_TIME = r"(?:[01]\d|2[0-4]|-)(?::(?:[0-5]\d|-)(?::(?:[0-5]\d(?:[.,]\d+)?|-))?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?"
# A date as SDTM writes it: year, then month and day where they are known, then a time; a part may be unknown (--).
DATE = re.compile(rf"(\d{{4}})(?:-(\d\d|-)(?:-(\d\d|-))?)?(?:T({_TIME}))?", re.ASCII)


def interval_hierarchy(values: np.ndarray, widths: Sequence[float], name: str) -> ValueHierarchy:
    """Numbers (n_values,) in intervals ``a--b`` of growing widths, each a multiple of the one before; then ``*``."""
    levels = [[number_text(value) for value in values]]
    for width in widths:
        band = band_of(np.asarray(values, dtype=float), width)
        levels.append([f"{number_text(i * width)}--{number_text((i + 1) * width)}" for i in band])
    return _hierarchy(levels, name)


def band_of(numbers: np.ndarray, width: float) -> np.ndarray:
    """Which band [i * width, (i + 1) * width) each number lies in; 0.3 is in the third of width 0.1, as on paper."""
    quotient = numbers / width
    nearest = np.round(quotient)
    at_edge = np.abs(quotient - nearest) <= 1e-12 * np.maximum(np.abs(quotient), 1.0)
    return np.where(at_edge, nearest, np.floor(quotient)) + 0.0


def mask_hierarchy(values: Sequence[str], name: str) -> ValueHierarchy:
    """Codes with more and more characters masked, from the right: 12345, 1234x, ... xxxxx.

    Shorter codes are padded with the mask, so that their length is not disclosed.
    """
    length = max((len(value) for value in values), default=0)
    levels = [list(values)]
    levels += [[mask(value, keep, length, "x") for value in values] for keep in reversed(range(length))]
    return _hierarchy(levels, name, top=False)


def mask(value: str, keep: int, length: int, character: str) -> str:
    """The first ``keep`` characters and then the mask, ``length`` in all: 12xxxxxx."""
    return value[:keep].ljust(length, character)


def date_hierarchy(values: Sequence[str], name: str) -> ValueHierarchy:
    """Dates (ISO 8601, partial ones too) to the day, the month, the quarter and the year; then ``*``.

    A partial date keeps its known parts: 2012 is 2012 on every level.
    """
    return _hierarchy([list(values), *([coarser(value, to) for value in values] for to in DATE_LEVELS)], name)


def parts_of_date(value: str) -> tuple[str, str | None, str | None]:
    """Year, month and day of a date; None from the first part that is not known. Raises ``ValueError``."""
    match = DATE.fullmatch(value)
    if not match:
        raise ValueError
    year, month, day, _ = match.groups()
    month = None if month in (None, "-") else month
    day = None if month is None or day in (None, "-") else day
    np.datetime64("-".join(part for part in (year, month, day) if part))  # the 31st of February is no date
    return year, month, day


def ends_of_interval(value: str) -> list[str]:
    """The two dates of an interval, from/to as ISO 8601 writes it; one date is itself. Raises ``ValueError``."""
    ends = value.split("/")
    if len(ends) > 2:
        raise ValueError
    return ends


def coarser(value: str, to: str) -> str:
    """A date to the "day", "month", "quarter" or "year", as far as it is known; of an interval both ends.

    An interval whose ends become equal is that one date. Raises ``ValueError``.
    """
    return "/".join(dict.fromkeys(_coarser(end, to) for end in ends_of_interval(value)))


def _coarser(value: str, to: str) -> str:
    year, month, day = parts_of_date(value)
    if to == "year" or month is None:
        return year
    if to == "quarter":
        return f"{year}-Q{(int(month) + 2) // 3}"
    return f"{year}-{month}" if to == "month" or day is None else f"{year}-{month}-{day}"


DATE_LEVELS = ("day", "month", "quarter", "year")


def read_dates(labels: Sequence[str], column: str, read: Callable[[str], str]) -> list[str]:
    """``read`` of each distinct date. Raises ``FaultyInputError`` with the count of texts that are no date."""
    found, n_unreadable = [], 0
    for label in labels:
        try:
            found.append(read(label))
        except ValueError:
            n_unreadable += 1
    if n_unreadable:
        raise FaultyInputError(
            f"column {column!r}: {n_unreadable} of {len(labels)} distinct values are not ISO 8601 dates; "
            "allowed: 2012, 2012-04, 2012-04-30, 2012-04-30T08:15, and two of these with / between; correct them in "
            "the source, or drop the column"
        )
    return found


def _hierarchy(levels: list[list[str]], name: str, top: bool = True) -> ValueHierarchy:
    if top:
        levels = [*levels, [TOP] * len(levels[0])]
    return build_hierarchy(list(zip(*levels, strict=True)), name)


# ---------------------------------------------------------------- by the rule that a config names


def built_hierarchy(series: pd.Series, rule: Mapping[str, Any] | str) -> ValueHierarchy | None:
    """A hierarchy over the values of a column by a rule; None for a column without a value."""
    encoded, name = encode_column(series), str(series.name)
    if not len(encoded.labels):
        return None
    if rule == "dates":
        texts = [str(label) for label in encoded.labels]
        read_dates(texts, name, lambda label: coarser(label, "year"))  # for its faults alone
        return date_hierarchy(texts, name)
    if rule == "mask":
        return mask_hierarchy(labels_of(encoded), name)
    if not encoded.is_numeric:
        raise FaultyInputError(
            f"column {name!r}: intervals need numbers, but found text; choose another rule or declare it continuous"
        )
    assert not isinstance(rule, str)
    return interval_hierarchy(encoded.labels, rule["intervals"], name)


def is_rule(value: object) -> bool:
    """Whether a value of a config is a rule for ``built_hierarchy``."""
    if value in ("mask", "dates"):
        return True
    if not isinstance(value, dict) or list(value) != ["intervals"] or not isinstance(value["intervals"], list | tuple):
        return False
    widths = value["intervals"]
    positive = bool(widths) and all(is_number(width) and width > 0 for width in widths)
    return positive and all(wide > narrow and _is_multiple(wide, narrow) for narrow, wide in pairwise(widths))


def _is_multiple(wide: float, narrow: float) -> bool:
    return abs(wide / narrow - round(wide / narrow)) < 1e-9


RULE = Kind(is_rule, '"mask", "dates", or {"intervals": [5, 10]}, each width a multiple of the one before')
