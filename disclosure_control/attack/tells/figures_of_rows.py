"""The figures of groups of rows: by order and size, of each row by its number, and of the changes from row to row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

NEARLY_ALL = 0.95
ROWS = tuple(f"row {number} of" for number in range(2, 8))  # of a person; the first one is a figure
CHANGES = tuple(f"the change to {row}" for row in ROWS)
DIGITS = tuple(f"digits {place} and {place + 1} of" for place in range(1, 9))
WHOLE_CHANGE = "the change from the first to the last row of"
# One of a column is a fact before the next one is, where they are many.
FIGURES = (
    *("the first", "the mean of", "the largest", "the sum of", "the first day in", "the number of rows in"),
    *(WHOLE_CHANGE, *CHANGES, *(change.replace("row", "day") for change in (WHOLE_CHANGE, *CHANGES))),
    *("the last day in", "the last"),
    *("the smallest", "the middle", *DIGITS, *ROWS),
)


def _in_groups(group: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows with a value, group after group, and where each group starts."""
    there = np.flatnonzero(np.isfinite(values))
    there = there[np.argsort(group[there], kind="stable")]
    starts = np.flatnonzero(np.append(True, np.diff(group[there]) > 0)[: len(there)])
    return group[there], values[there], starts


def by_order_and_size(
    group: np.ndarray, values: np.ndarray, adds_up: bool = False
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The figures of groups of rows: the groups, rising, and the figure of each; the largest alone if all are equal.

    ``adds_up``: also the sum, where groups have several rows.
    """
    group, values, starts = _in_groups(group, values)
    if not len(group):
        return
    ends = np.append(starts[1:], len(group)) - 1
    least, largest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    figures = {"the largest": largest, "the smallest": least}
    if (least < largest).any():
        figures |= {"the first": values[starts], "the last": values[ends]}
        # The middle one is the commonest where more than half are one.
        figures["the middle"] = values[np.lexsort((values, group))][(starts + ends) // 2]
        figures["the mean of"] = np.add.reduceat(values, starts) / (ends - starts + 1)
    else:
        del figures["the smallest"]
    if adds_up and len(starts) < len(values):
        figures["the sum of"] = np.add.reduceat(values, starts)
    for how, found in figures.items():
        yield how, group[starts], found


def row_by_row(group: np.ndarray, values: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The number in the second row of each group and in those after it, and the change from the row before.

    Also the change from the first to the last row. As ``by_order_and_size`` yields them.
    """
    group, values, starts = _in_groups(group, values)
    n_rows = np.diff(np.append(starts, len(group)))
    for number, (row, change) in enumerate(zip(ROWS, CHANGES, strict=True), 1):
        with_row = starts[n_rows > number]
        if not len(with_row):
            return
        yield row, group[with_row], values[with_row + number]
        yield change, group[with_row], values[with_row + number] - values[with_row + number - 1]
        if number == 2:
            ends = (starts + n_rows - 1)[n_rows > number]
            yield WHOLE_CHANGE, group[with_row], values[ends] - values[with_row]


def digits_of_codes(
    group: np.ndarray, values: np.ndarray, n_people: int
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each two digits in a row of the first number of groups of rows, where nearly all of a term have as many digits.

    Such numbers are codes; two digits may be an age or a year of birth. A ``group`` is ``term * n_people + person``.
    """
    known = np.isfinite(values) & (values >= 100) & (values == np.floor(values)) & (values < 10 ** (len(DIGITS) + 1))
    there, first = np.unique(group[np.isfinite(values)], return_index=True)
    term, is_whole = there // n_people, known[np.isfinite(values)][first]
    numbers = np.where(is_whole, values[np.isfinite(values)][first], 100).astype(np.int64)
    length = np.char.str_len(numbers.astype(str)) * is_whole
    for size in np.unique(length[is_whole]).tolist():
        share = np.bincount(term, length == size) / np.maximum(np.bincount(term), 1)
        kept = (length == size) & (share >= NEARLY_ALL)[term]
        for place in range(size - 1 if kept.any() else 0):
            yield DIGITS[place], there[kept], (numbers[kept] // 10 ** (size - 2 - place) % 100).astype(float)


RETURNING = 0.05  # share of people whose value changes back: above it, it is a result, and no band of what rises
CHANGE, ROW_OF_CHANGE = "the change of", "the row of the change of"


@dataclass(frozen=True)
class Changes:
    """The changes of groups of rows (n_changes,): the ``group``, the codes ``before`` and ``after``, and the ``row``.

    The ``row`` is that of the new value among those of the group, from 1.
    """

    group: np.ndarray = field(repr=False)
    before: np.ndarray = field(repr=False)
    after: np.ndarray = field(repr=False)
    row: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, group: np.ndarray, code: np.ndarray, n_codes: int, n_people: int) -> Changes:
        """The changes of codes (n_rows,) in the order of the rows; a ``group`` is ``term * n_people + person``.

        Without terms in which the value of more than few people with a change comes back.
        """
        order = np.argsort(group, kind="stable")
        group, code = group[order].astype(np.int64), code[order].astype(np.int64)
        is_first = np.append(True, np.diff(group) > 0)[: len(group)]
        row = np.arange(len(group)) - np.maximum.accumulate(np.where(is_first, np.arange(len(group)), 0))
        at = np.flatnonzero(~is_first & np.append(False, np.diff(code) != 0)[: len(group)])
        changing, n_changes = np.unique(group[at], return_counts=True)
        values = np.unique(group[np.isin(group, changing)] * n_codes + code[np.isin(group, changing)]) // n_codes
        comes_back = np.unique(values, return_counts=True)[1] <= n_changes
        term = changing // n_people
        n_back, n_in_term = np.bincount(term, comes_back), np.bincount(term)
        at = at[(n_back <= RETURNING * n_in_term)[group[at] // n_people]]
        return cls(group[at], code[at - 1], code[at], row[at] + 1)
