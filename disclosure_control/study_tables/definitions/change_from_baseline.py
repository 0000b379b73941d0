"""Laboratory values, vital signs and other results: the change from baseline by test, visit and arm."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from disclosure_control.study_tables.definitions.demographics import columns_of, numbers_of_people
from disclosure_control.study_tables.definitions.visits import visits_of_rows
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import StudySide, mean_by_place
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable
from study.models.roles import TableKind

# What makes a result the baseline, the gravest last: the merge chooses by the same ladder.
OTHER, LAST_BEFORE, FLAGGED, LAST_BEFORE_EXPOSURE = range(4)
_OF_A_VISIT = re.compile(
    r"(?i)(.*[^\W\d_])[\W_]*(?:baseline|base|bl|pre|[\W_](visit|week|month|day|v|w|m|d|t)[\W_]*(\d+))"
)
_FLAGS = (("BLFL", FLAGGED), ("LOBXFL", LAST_BEFORE_EXPOSURE))


@defined(
    60,
    "laboratory values and the like: mean change from baseline by test, unit, visit and arm; mean results of other "
    "tests",
)
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings the changes by test and visit, and the mean results of tests that have none; of each
    table of people the changes between its columns of one scale.
    """
    for rows in side.domains(TableKind.PEOPLE, TableKind.ROWS):
        values = numbers_of_people(side, rows, columns_of(side, rows)[1])
        pairs = side.as_before(("scales", rows.domain), partial(columns_of_scales, list(values)))
        known = [(first, later) for first, later in pairs if first in values and later in values]
        changes = {f"{later} less {first}": values[later] - values[first] for first, later in known}
        yield side.means("change_from_baseline", rows, f"Change from baseline ({rows.domain})", changes)
    for rows in side.findings():
        test, tests = tests_of_rows(side, rows)
        if rows.result is not None and len(tests):
            yield from _of_results(side, rows, test, tests, rows.numbers(rows.result))


def columns_of_scales(names: Sequence[str]) -> list[tuple[str, str]]:
    """Columns of one scale at the baseline and later, by their headings: ``sbp_baseline`` and ``sbp_week8``, ``cd40``
    and ``cd420``. The baseline is a word for it or the time 0; without one there is no scale.
    """
    scales: dict[str, dict[tuple[str, int], str]] = {}
    for name in names:
        if found := _OF_A_VISIT.fullmatch(name):
            at = (found[2] or "").casefold(), int(found[3] or 0)
            scales.setdefault(found[1].casefold(), {})[at] = name
        elif name.endswith("0"):
            ends = {one.removeprefix(name[:-1]): one for one in names if one.startswith(name[:-1])}
            # "il10" and "il12", or a 1 as in a list of items, are numbers of things.
            if not ends.keys() & set("123456789" if name[-2:-1].isdigit() else "1"):
                scales[name] = {("", int(end)): one for end, one in ends.items() if re.fullmatch(r"0|[1-9]\d*", end)}
    in_order = [sorted((at[1] > 0, at, name) for at, name in times.items()) for times in scales.values()]
    return [(scale[0][2], one) for scale in in_order if not scale[0][0] for is_later, _, one in scale if is_later]


def _of_results(
    side: StudySide, rows: DomainRows, test: np.ndarray, tests: np.ndarray, value: np.ndarray
) -> Iterator[StudyTable]:
    visits, found = visits_of_rows(side, rows), since_baseline(side, rows, test, len(tests), ~np.isnan(value))
    start, later = found.pair[found.is_baseline], found.at[found.is_after]
    baseline = mean_by_place(start, value[found.at[found.is_baseline]], side.n_people * len(tests))
    changed = side.as_before(("changes", rows.domain), lambda: tests[np.unique(test[later])].tolist())
    has_changes = np.isin(tests, changed)[test]
    change = np.where(has_changes[later], value[later] - baseline[found.pair[found.is_after]], np.nan)
    once, place = np.flatnonzero(~has_changes & (visits.place >= 0)), test * len(visits.names) + visits.place
    for name, title, at, code, values, ends in (
        ("change_from_baseline", "Change from baseline", later, place, change, [f", {one}" for one in visits.names]),
        ("results", "Mean results", once, test, value[once], [""]),
    ):
        cells = side.mean_cells(rows.people[at], code[at], values, len(tests) * len(ends))
        shown = np.flatnonzero(cells.n.sum(axis=1) > 0)
        groups = tests[shown // len(ends)].tolist()
        named = [f"{group}{ends[end]}" for group, end in zip(groups, shown % len(ends), strict=True)]
        about = name, rows.domain, f"{title} ({rows.domain})", side.arms
        cells = Cells(cells.n[shown], cells.value[shown], cells.error[shown])
        yield StudyTable.of_cells(CellKind.MEAN, about, named, cells, side.people_in_arms, groups=groups)


@dataclass(frozen=True)
class SinceBaseline:
    """Rows ``at`` some places (n,), their ``pair`` of person and test, and which are the baseline, or at a planned
    visit after it.
    """

    at: np.ndarray = field(repr=False)
    pair: np.ndarray = field(repr=False)
    is_baseline: np.ndarray = field(repr=False)
    is_after: np.ndarray = field(repr=False)


def since_baseline(
    side: StudySide, rows: DomainRows, test: np.ndarray, n_tests: int, is_known: np.ndarray
) -> SinceBaseline:
    """The rows of people with an arm that have a test (n_rows,) and ``is_known`` (n_rows,): its result, or a mark."""
    visits, at = visits_of_rows(side, rows), np.flatnonzero(side.is_counted(rows.people, test) & is_known)
    pair, number = rows.people[at] * n_tests + test[at], visits.number[at]
    is_baseline = _are_baselines(side, rows, at, pair, side.n_people * n_tests)
    until = np.full(side.n_people * n_tests, np.nan)
    until[pair[is_baseline]] = -np.inf
    np.fmax.at(until, pair[is_baseline], number[is_baseline])
    return SinceBaseline(at, pair, is_baseline, (number > until[pair]) & (visits.place[at] >= 0))


def _are_baselines(side: StudySide, rows: DomainRows, at: np.ndarray, pair: np.ndarray, n_pairs: int) -> np.ndarray:
    """Which of the rows ``at`` some places are the baseline of their ``pair`` of person and test, (n_at,) of bool.

    Those that are flagged so; else the last ones before the treatment, by date and time; in a domain without either
    those of the first visit.
    """
    rank = np.zeros(len(at), dtype=np.int8)
    for short, of_flag in _FLAGS:
        if (flag := rows.called(short)) is not None:
            rank[rows.is_one_of(flag, "Y")[at]] = of_flag
    best = np.zeros(n_pairs, dtype=np.int8)
    np.maximum.at(best, pair[rank > OTHER], rank[rank > OTHER])
    if len(open_rows := np.flatnonzero(best[pair] == OTHER)):
        since, is_before = side.since_start(rows, at[open_rows])
        before, since = open_rows[is_before], since[is_before]
        last = np.full(n_pairs, -np.inf)
        np.maximum.at(last, pair[before], since)
        rank[before[since == last[pair[before]]]] = LAST_BEFORE
        best[pair[before]] = LAST_BEFORE
    if not best.any():
        return visits_of_rows(side, rows).place[at] == 0
    found: np.ndarray = (rank > OTHER) & (rank == best[pair])
    return found


def tests_of_rows(side: StudySide, rows: DomainRows) -> tuple[np.ndarray, np.ndarray]:
    """The code of each row's test (n_rows,), -1 without one, and the names: in another unit it is another test."""
    name, number = rows.test, rows.result
    unit = side.as_before(("unit", rows.domain), lambda: rows.called("STRESU", "ORRESU"))
    if name is None:
        return np.full(len(rows.people), -1), np.array([], dtype=object)
    test, tests = rows.codes(name)
    if unit is None or number is None or not rows.has(unit):
        return test, tests
    of_unit, units = rows.codes(unit)
    words = ["no unit", *units.tolist()]
    both = np.where((test >= 0) & ~np.isnan(rows.numbers(number)), test * len(words) + of_unit + 1, -1)
    pairs = np.flatnonzero(np.bincount(both + 1)[1:])
    named = [(tests[pair // len(words)], words[pair % len(words)]) for pair in pairs.tolist()]
    n_units = Counter(one for one, _ in named)
    usual = side.as_before(("units", rows.domain), lambda: {one: unit for one, unit in named if n_units[one] == 1})
    names = [one if one in usual and unit in (usual[one], "no unit") else f"{one} ({unit})" for one, unit in named]
    labels, place = np.unique(np.array(names, dtype=object), return_inverse=True)
    of_code = np.full(len(tests) * len(words) + 1, -1)
    of_code[pairs] = place
    return of_code[both], labels
