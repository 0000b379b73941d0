"""Laboratory values, vital signs and other results: the change from baseline by test, visit and arm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, Means, StudySide
from disclosure_control.study_tables.table import CellKind, StudyTable
from study.models.roles import TableKind

TIME_TO_EVENT = "CNSR"  # such a data set has times, and no results


@dataclass(frozen=True)
class Results:
    """One entry per person, test and visit: the mean of the person's results there.

    ``person``, ``test``, ``visit`` and ``value`` (n,); ``tests`` and ``visits`` by their codes, visits in the order of
    the plan. ``baseline`` (n_people * n_tests,), NaN without one, and the visit ``until`` which it lasts.
    """

    person: np.ndarray = field(repr=False)
    test: np.ndarray = field(repr=False)
    visit: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)
    tests: np.ndarray = field(repr=False)
    visits: np.ndarray = field(repr=False)
    baseline: np.ndarray = field(repr=False)
    until: np.ndarray = field(repr=False)


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each domain of findings with visits the changes; of one without visits the mean results."""
    for rows in side.domains(TableKind.FINDINGS):
        if TIME_TO_EVENT not in rows and (found := results_of(side, rows)) is not None:
            yield _changes(side, rows, found) if len(found.visits) > 1 else _means(side, rows, found)


def results_of(side: StudySide, rows: DomainRows) -> Results | None:
    """The numeric results of a domain; None where it has none.

    The baseline of a person is the mean of the rows that are flagged so; in a domain without flags, of the first visit.
    """
    name, number = rows.called("TESTCD") or rows.called("TEST"), rows.called("STRESN")
    if name is None or number is None:
        return None
    (test, tests), value = rows.codes(name), rows.numbers(number)
    visit, visits = visits_of_rows(rows)
    kept = (rows.people >= 0) & (test >= 0) & (visit >= 0) & ~np.isnan(value)
    kept[kept] = side.arm[rows.people[kept]] >= 0
    person, test, visit, value = rows.people[kept], test[kept], visit[kept], value[kept]
    if not len(value):
        return None
    pair = person * len(tests) + test
    group, size = number_groups(pair * len(visits) + visit, side.n_people * len(tests) * len(visits))
    mean = np.bincount(group, value, len(size)) / size
    first = np.zeros(len(size), dtype=np.int64)
    first[group] = np.arange(len(group))
    flag = rows.called("BLFL")
    is_baseline = visit == 0 if flag is None else rows.is_one_of(flag, "Y")[kept]
    n_pairs = side.n_people * len(tests)
    n = np.bincount(pair[is_baseline], minlength=n_pairs)
    with np.errstate(invalid="ignore", divide="ignore"):
        baseline = np.bincount(pair[is_baseline], value[is_baseline], n_pairs) / n
    until = np.full(n_pairs, -1)
    np.maximum.at(until, pair[is_baseline], visit[is_baseline])
    return Results(person[first], test[first], visit[first], mean, tests, visits, baseline, until)


def visits_of_rows(rows: DomainRows) -> tuple[np.ndarray, np.ndarray]:
    """The code of each row's visit in the order of the plan, -1 of unscheduled ones, and the names."""
    number, name = rows.called("VISITNUM") or _own(rows, "VISITNUM"), rows.called("VISIT") or _own(rows, "VISIT")
    name = name or _own(rows, "AVISIT")
    if number is None and name is None:
        return np.zeros(len(rows.people), dtype=np.int64), np.array([""], dtype=object)
    if number is None:
        assert name is not None
        return rows.codes(name)
    codes, labels = rows.codes(number)
    numbers = np.array([float(one) if one.replace(".", "", 1).isdigit() else np.nan for one in labels.tolist()])
    planned = np.flatnonzero(~np.isnan(numbers) & (numbers % 1 == 0))
    order = planned[np.argsort(numbers[planned], kind="stable")]
    rank = np.full(len(labels) + 1, -1)
    rank[order] = np.arange(len(order))
    place = rank[codes]
    names = np.array([f"visit {one}" for one in labels[order]], dtype=object)
    if name is not None:
        of_name, words = rows.codes(name)
        both = (place >= 0) & (of_name >= 0)
        names[place[both]] = words[of_name[both]]
    return place, names


def _own(rows: DomainRows, column: str) -> str | None:
    """A column that no domain has as its own: visits are called alike everywhere."""
    return column if column in rows and (rows.codes(column)[0] >= 0).any() else None


def _changes(side: StudySide, rows: DomainRows, found: Results) -> StudyTable:
    pair = found.person * len(found.tests) + found.test
    change = np.where(found.visit > found.until[pair], found.value - found.baseline[pair], np.nan)
    n_visits = len(found.visits)
    code = found.test * n_visits + found.visit
    means = side.means(found.person, code, change, len(found.tests) * n_visits)
    shown = np.flatnonzero(means.n.sum(axis=1) > 0)
    shown = shown[np.lexsort([shown % n_visits, _rank(found.tests)[shown // n_visits]])]
    tests = found.tests[shown // n_visits].tolist()
    labels = [f"{test}, {visit}" for test, visit in zip(tests, found.visits[shown % n_visits], strict=True)]
    return _table(side, rows, "change_from_baseline", "Change from baseline", labels, tests, shown, means)


def _means(side: StudySide, rows: DomainRows, found: Results) -> StudyTable:
    means = side.means(found.person, found.test, found.value, len(found.tests))
    shown = np.argsort(found.tests, kind="stable")
    shown = shown[means.n[shown].sum(axis=1) > 0]
    tests = found.tests[shown].tolist()
    return _table(side, rows, "results", "Mean results", tests, tests, shown, means)


def _rank(names: np.ndarray) -> np.ndarray:
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.argsort(names, kind="stable")] = np.arange(len(names))
    return rank


def _table(
    side: StudySide,
    rows: DomainRows,
    name: str,
    title: str,
    labels: list[str],
    groups: list[str],
    shown: np.ndarray,
    means: Means,
) -> StudyTable:
    n = means.n[shown]
    return StudyTable(
        name,
        rows.domain,
        f"{title} ({rows.domain})",
        CellKind.MEAN,
        side.arms,
        tuple(labels),
        tuple(groups),
        n,
        np.broadcast_to(side.people_in_arms, n.shape),
        means.mean[shown],
        means.error[shown],
    )


TABLE = TableDefinition(
    "change_from_baseline",
    "results of laboratory, vital signs and others: people, mean change from baseline and its spread, by test, visit "
    "and arm; mean results where there are no visits",
    make,
    place=60,
)
