"""Laboratory results below, within and above the normal range: at baseline, and at each person's last visit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions.change_from_baseline import TIME_TO_EVENT, visits_of_rows
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide
from disclosure_control.study_tables.table import StudyTable, share_table
from study.models.roles import TableKind

MOST_MARKS = 12  # other columns than marks of a range have more


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings with a mark of the normal range; rows are a test with the first and the last mark."""
    for rows in side.domains(TableKind.FINDINGS):
        if TIME_TO_EVENT not in rows and (mark := rows.called("NRIND")) is not None:
            yield from _shifts(side, rows, mark)


def _shifts(side: StudySide, rows: DomainRows, column: str) -> Iterator[StudyTable]:
    name = rows.called("TESTCD") or rows.called("TEST")
    (mark, marks), (visit, visits) = rows.codes(column), visits_of_rows(rows)
    if name is None or not 1 < len(marks) <= MOST_MARKS or len(visits) < 2:
        return
    test, tests = rows.codes(name)
    flag = rows.called("BLFL")
    is_baseline = visit == 0 if flag is None else rows.is_one_of(flag, "Y")
    kept = (rows.people >= 0) & (test >= 0) & (visit >= 0) & (mark >= 0)
    pair = np.where(kept, rows.people * len(tests) + test, 0)
    n_pairs = side.n_people * len(tests)
    began, until = np.full(n_pairs, -1), np.full(n_pairs, -1)
    at = np.flatnonzero(kept & is_baseline)
    until[pair[at]] = -1
    np.maximum.at(until, pair[at], visit[at])
    began[pair[at]] = mark[at]
    after = np.flatnonzero(kept & (until[pair] >= 0) & (visit > until[pair]))
    after = after[np.argsort(visit[after], kind="stable")]
    ended = np.full(n_pairs, -1)
    ended[pair[after]] = mark[after]
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


TABLE = TableDefinition(
    "shifts", "results below, within or above the normal range, at baseline and at the last visit, by arm", make, 70
)
