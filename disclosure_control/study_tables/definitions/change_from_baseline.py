"""Laboratory values, vital signs and other results: the change from baseline by test, visit and arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.study_tables.definitions.visits import visits_of_rows
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import StudySide, mean_by_place
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable

# What makes a result the baseline, the gravest last: the merge chooses by the same ladder.
OTHER, LAST_BEFORE, FLAGGED, LAST_BEFORE_EXPOSURE = range(4)
_FLAGS = (("BLFL", FLAGGED), ("LOBXFL", LAST_BEFORE_EXPOSURE))


@dataclass(frozen=True)
class Results:
    """One entry per person, test and planned visit: the mean of the person's results there.

    ``person``, ``test``, ``visit`` and ``value`` (n,); ``tests`` and ``visits`` by their codes, visits in the order of
    the plan, with their ``numbers``. ``baseline`` (n_people * n_tests,), NaN without one, and the number of the visit
    ``until`` which it lasts.
    """

    person: np.ndarray = field(repr=False)
    test: np.ndarray = field(repr=False)
    visit: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)
    tests: np.ndarray = field(repr=False)
    visits: np.ndarray = field(repr=False)
    numbers: np.ndarray = field(repr=False)
    baseline: np.ndarray = field(repr=False)
    until: np.ndarray = field(repr=False)


@defined(
    "change_from_baseline",
    60,
    "laboratory values and the like: mean change from baseline by test, unit, visit and arm; mean results in a domain "
    "without visits",
)
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings with visits the changes; of one without visits the mean results."""
    for rows in side.findings():
        if (found := results_of(side, rows)) is not None:
            yield _changes(side, rows, found) if len(found.visits) > 1 else _means(side, rows, found)


def results_of(side: StudySide, rows: DomainRows) -> Results | None:
    """The numeric results of a domain, in each unit of a test apart; None where it has none."""
    number = rows.result
    (test, tests), visits = tests_of_rows(side, rows), visits_of_rows(side, rows)
    if number is None or not len(tests):
        return None
    value, n_visits = rows.numbers(number), max(len(visits.names), 1)
    at = np.flatnonzero(side.is_counted(rows.people, test) & ~np.isnan(value))
    person, test, value, number_of = rows.people[at], test[at], value[at], visits.number[at]
    pair, n_pairs = person * len(tests) + test, side.n_people * len(tests)
    is_baseline = baselines(side, rows, at, pair, n_pairs)
    baseline = mean_by_place(pair[is_baseline], value[is_baseline], n_pairs)
    until = np.full(n_pairs, -np.inf)
    np.fmax.at(until, pair[is_baseline], number_of[is_baseline])
    planned = np.flatnonzero(visits.place[at] >= 0)
    if not len(planned):
        return None
    person, test, value, visit = person[planned], test[planned], value[planned], visits.place[at][planned]
    group, size = number_groups(pair[planned] * n_visits + visit, n_pairs * n_visits)
    first = np.zeros(len(size), dtype=np.int64)
    first[group] = np.arange(len(group))
    mean = mean_by_place(group, value, len(size))
    names = np.array(visits.names, dtype=object)
    return Results(person[first], test[first], visit[first], mean, tests, names, visits.numbers, baseline, until)


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
    both = np.where((test >= 0) & ~np.isnan(rows.numbers(number)), test * (len(units) + 1) + of_unit + 1, -1)
    n = np.bincount(both + 1, minlength=len(tests) * (len(units) + 1) + 1)[1:]
    pairs, words = np.flatnonzero(n), ["no unit", *units.tolist()]
    of_test, of_pair = tests[pairs // len(words)].tolist(), [words[place] for place in (pairs % len(words)).tolist()]
    n_units = Counter(of_test)
    usual = side.as_before(
        ("units", rows.domain),
        lambda: {one: unit for one, unit in zip(of_test, of_pair, strict=True) if n_units[one] == 1},
    )
    names = [
        one if one in usual and unit in (usual[one], "no unit") else f"{one} ({unit})"
        for one, unit in zip(of_test, of_pair, strict=True)
    ]
    labels, place = np.unique(np.array(names, dtype=object), return_inverse=True)
    of_code = np.full(len(n) + 1, -1)
    of_code[pairs] = place
    return of_code[both], labels


def baselines(side: StudySide, rows: DomainRows, at: np.ndarray, pair: np.ndarray, n_pairs: int) -> np.ndarray:
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


def _changes(side: StudySide, rows: DomainRows, found: Results) -> StudyTable:
    pair, n_visits = found.person * len(found.tests) + found.test, len(found.visits)
    change = np.where(found.numbers[found.visit] > found.until[pair], found.value - found.baseline[pair], np.nan)
    places = [(test, f"{test}, {visit}") for test in found.tests for visit in found.visits]
    code = found.test * n_visits + found.visit
    return _table(side, rows, "change_from_baseline", "Change from baseline", found.person, code, change, places)


def _means(side: StudySide, rows: DomainRows, found: Results) -> StudyTable:
    places = [(test, test) for test in found.tests]
    return _table(side, rows, "results", "Mean results", found.person, found.test, found.value, places)


def _table(
    side: StudySide,
    rows: DomainRows,
    name: str,
    title: str,
    people: np.ndarray,
    codes: np.ndarray,
    values: np.ndarray,
    places: Sequence[tuple[str, str]],
) -> StudyTable:
    """The means of values (n,) of people by their codes, whose groups and labels are ``places``."""
    cells = side.mean_cells(people, codes, values, len(places))
    shown = np.flatnonzero(cells.n.sum(axis=1) > 0)
    groups, labels = ([places[one][at] for one in shown.tolist()] for at in (0, 1))
    cells = Cells(cells.n[shown], cells.value[shown], cells.error[shown])
    return side.table(CellKind.MEAN, name, rows, f"{title} ({rows.domain})", labels, cells, groups=groups)
