"""Laboratory results below, within and above the normal range: at baseline, and at each person's last visit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions.change_from_baseline import TIME_TO_EVENT, baselines
from disclosure_control.study_tables.definitions.visits import visits_of_rows
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide
from disclosure_control.study_tables.table import StudyTable, share_table
from study.models.roles import TableKind

NORMAL, MOST_MARKS = "NORMAL", 12  # other columns than marks of a range have more


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings with a mark of the normal range; rows are a test with the first and the last mark."""
    for rows in side.domains(TableKind.FINDINGS):
        if TIME_TO_EVENT not in rows and (mark := rows.called("NRIND")) is not None:
            yield from _shifts(side, rows, mark)


def _shifts(side: StudySide, rows: DomainRows, column: str) -> Iterator[StudyTable]:
    name = rows.called("TESTCD") or rows.called("TEST")
    (mark, marks), visits = rows.codes(column), visits_of_rows(side, rows)
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
    marks = marks[np.argsort(rank)]
    found = np.flatnonzero((began >= 0) & (ended >= 0))
    code = (found % len(tests) * len(marks) + began[found]) * len(marks) + ended[found]
    n = side.count_people(found // len(tests), code, len(tests) * len(marks) ** 2)
    of = n.reshape(len(tests), -1, len(side.arms)).sum(axis=1).repeat(len(marks) ** 2, axis=0)
    shown = np.flatnonzero(n.sum(axis=1) > 0)
    of_test, first, last = (
        tests[shown // len(marks) ** 2],
        marks[shown // len(marks) % len(marks)],
        marks[shown % len(marks)],
    )
    labels = [f"{one}: {low} to {high}" for one, low, high in zip(of_test, first, last, strict=True)]
    order = np.argsort(labels, kind="stable")
    title = f"Shifts from baseline to the last visit ({rows.domain})"
    rows_of = [labels[place] for place in order]
    groups = of_test[order].tolist()
    yield share_table("shifts", rows.domain, title, side.arms, rows_of, groups, n[shown][order], of[shown][order])


def _last(pair: np.ndarray, number: np.ndarray, rank: np.ndarray, n_pairs: int) -> np.ndarray:
    """The highest rank of a mark at the last visit of each pair (n_pairs,), by the visits of rows; -1 of none."""
    last, found = np.full(n_pairs, np.nan), np.full(n_pairs, -1)
    np.fmax.at(last, pair, number)
    is_last = number == last[pair]
    np.maximum.at(found, pair[is_last], rank[is_last])
    return found


TABLE = TableDefinition(
    "shifts", "results below, within or above the normal range, at baseline and at the last visit, by arm", make, 70
)
