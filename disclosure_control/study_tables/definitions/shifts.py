"""Laboratory results below, within and above the normal range: at baseline, and at each person's last visit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions.change_from_baseline import since_baseline
from disclosure_control.study_tables.definitions.visits import visits_of_rows
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import Levels
from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import StudyTable

NORMAL, MOST_MARKS = "NORMAL", 12  # other columns than marks of a range have more


@defined(70, "results below, within or above the normal range, at baseline and at the last visit, by arm")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings with a mark of the normal range; rows are a test with the first and the last mark."""
    for rows in side.findings():
        column, name, visits = rows.called("NRIND"), rows.test, visits_of_rows(side, rows)
        if column is None or name is None or len(visits.names) < 2:
            continue
        (mark, marks), (test, tests) = rows.codes(column), rows.codes(name)
        if not 1 < len(marks) <= MOST_MARKS:
            continue
        # Of several marks at once one outside the range counts: it comes after NORMAL here.
        in_order = np.lexsort((marks, marks != NORMAL))
        found = since_baseline(side, rows, test, len(tests), mark >= 0)
        rank, number = np.argsort(in_order)[mark[found.at]], visits.number[found.at]
        began, ended = np.full((2, side.n_people * len(tests)), -1)
        for last, is_so in ((began, found.is_baseline & ~np.isnan(number)), (ended, found.is_after)):
            order = np.flatnonzero(is_so)[np.lexsort((rank[is_so], number[is_so]))]
            last[found.pair[order]] = rank[order]  # of several ranks of a pair the last one stays
        people, of_test = np.divmod(pairs := np.flatnonzero((began >= 0) & (ended >= 0)), len(tests))
        shape = (len(tests), len(marks), len(marks))
        shift = np.ravel_multi_index((of_test, in_order[began[pairs]], in_order[ended[pairs]]), shape)
        shifts, codes = np.unique(shift, return_inverse=True)
        of_shift, first, last = np.unravel_index(shifts, shape)
        of = side.count(people, of_test, len(tests))[0][of_shift]
        named = zip(tests[of_shift], marks[first], marks[last], strict=True)
        part = Levels(tests[of_shift].tolist(), [f"{test}: {low} to {high}" for test, low, high in named], codes, of)
        yield side.shares("shifts", rows, f"Shifts from baseline to the last visit ({rows.domain})", [part], people)
