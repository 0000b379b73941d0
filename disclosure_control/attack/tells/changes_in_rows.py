"""In which of a person's rows a value changes: where an age band becomes the next one is a birthday, or near it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

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
