"""Laboratory results below, within and above the normal range: at baseline, and at each person's last visit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions.change_from_baseline import baselines
from disclosure_control.study_tables.definitions.visits import visits_of_rows
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows, Levels
from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import StudyTable

NORMAL, MOST_MARKS = "NORMAL", 12  # other columns than marks of a range have more


@defined("shifts", 70, "results below, within or above the normal range, at baseline and at the last visit, by arm")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings with a mark of the normal range; rows are a test with the first and the last mark."""
    for rows in side.findings():
        if (mark := rows.called("NRIND")) is not None:
            yield from _shifts(side, rows, mark)


def _shifts(side: StudySide, rows: DomainRows, column: str) -> Iterator[StudyTable]:
    name, (mark, marks), visits = rows.test, rows.codes(column), visits_of_rows(side, rows)
    if name is None or not 1 < len(marks) <= MOST_MARKS or len(visits.names) < 2:
        return
    test, tests = rows.codes(name)
    # Of several marks at once one outside the range counts: it comes after NORMAL here.
    rank = np.argsort(np.lexsort((marks, marks != NORMAL)))
    at = np.flatnonzero((rows.people >= 0) & (test >= 0) & (mark >= 0))
    pair, n_pairs, mark = rows.people[at] * len(tests) + test[at], side.n_people * len(tests), mark[at]
    is_baseline, number = baselines(side, rows, at, pair, n_pairs), visits.number[at]
    until = np.full(n_pairs, np.nan)
    np.fmax.at(until, pair[is_baseline], number[is_baseline])
    after = (number > until[pair]) & (visits.place[at] >= 0)
    began, ended = (_last(pair, np.where(is_so, number, np.nan), rank[mark], n_pairs) for is_so in (is_baseline, after))
    people, of_test = np.divmod(np.flatnonzero((began >= 0) & (ended >= 0)), len(tests))
    kept = side.is_counted(people, of_test)
    people, of_test = people[kept], of_test[kept]
    first, last = (marks[np.argsort(rank)][of_pair[people * len(tests) + of_test]] for of_pair in (began, ended))
    shift = [f"{test}: {low} to {high}" for test, low, high in zip(tests[of_test], first, last, strict=True)]
    labels, place, codes = np.unique(np.array(shift, dtype=object), return_index=True, return_inverse=True)
    of = side.count(people, of_test, len(tests))[0][of_test[place]]
    part = Levels(tests[of_test[place]].tolist(), labels.tolist(), codes, of)
    yield side.shares("shifts", rows, f"Shifts from baseline to the last visit ({rows.domain})", [part], people)


def _last(pair: np.ndarray, number: np.ndarray, rank: np.ndarray, n_pairs: int) -> np.ndarray:
    """The highest rank of a mark at the last visit of each pair (n_pairs,), by the visits of rows; -1 of none."""
    last, found = np.full(n_pairs, np.nan), np.full(n_pairs, -1)
    np.fmax.at(last, pair, number)
    is_last = number == last[pair]
    np.maximum.at(found, pair[is_last], rank[is_last])
    return found
