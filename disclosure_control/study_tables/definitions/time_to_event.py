"""Time from the start of the treatment to a first event or to death, by arm: Kaplan-Meier, and the log-rank test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from disclosure_control.study_tables.definitions import adverse_events
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide
from disclosure_control.study_tables.survival import kaplan_meier, log_rank
from disclosure_control.study_tables.table import CellKind, StudyTable
from study.models.roles import Role, TableKind

TIMES = np.array([30, 60, 90, 180, 365, 730, 1095, 1825], dtype=float)  # days
CENSORED = "CNSR"
STARTS, ENDS = ("RFXSTDTC", "RFSTDTC"), ("RFPENDTC", "RFENDTC", "RFXENDTC")


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of ADaM's times to an event each parameter; of SDTM the first adverse event since treatment began, and death."""
    for rows in side.domains(TableKind.FINDINGS):
        if CENSORED in rows and (number := rows.called("STRESN")) is not None:
            yield from _parameters(side, rows, number)
    base = side.domain(side.model.base or "")
    if base is None:
        return
    start, end = _first_known(side, base, STARTS), _first_known(side, base, ENDS)
    if np.isnan(end - start).all():
        return
    died = _died(side, base)
    if not np.isnan(died).all():
        yield _table(side, base.domain, "Time to death, days", died - start + 1, end - start + 1)
    for rows in side.domains(TableKind.EVENTS):
        if rows.table.prefix == adverse_events.PREFIX and (day := rows.called("STDY")) is not None:
            first, since = np.full(side.n_people, np.nan), rows.numbers(day)
            counts = (rows.people >= 0) & (since >= 1)
            np.fmin.at(first, rows.people[counts], since[counts])
            title = f"Time to the first adverse event, days ({rows.domain})"
            yield _table(side, rows.domain, title, first, end - start + 1)


def _first_known(side: StudySide, rows: DomainRows, columns: tuple[str, ...]) -> np.ndarray:
    found = np.full(side.n_people, np.nan)
    known = rows.people >= 0
    for column in columns:
        if column in rows:
            days = np.full(side.n_people, np.nan)
            days[rows.people[known]] = rows.days(column)[known]
            found = np.where(np.isnan(found), days, found)
    return found


def _died(side: StudySide, base: DomainRows) -> np.ndarray:
    return _first_known(side, base, tuple(base.table.of_role(Role.DEATH_DATE)))


def _table(side: StudySide, source: str, title: str, event: np.ndarray, end: np.ndarray) -> StudyTable:
    """A table of the days to an event (n_people,), NaN of those without, who were seen until ``end``."""
    happened = ~np.isnan(event)
    return survival_table(source, title, side.arms, np.where(happened, event, end), happened, side.arm)


def _parameters(side: StudySide, rows: DomainRows, number: str) -> Iterator[StudyTable]:
    name = rows.called("TESTCD") or rows.called("TEST")
    if name is None:
        return
    codes, names = rows.codes(name)
    time, censored, known = rows.numbers(number), rows.numbers(CENSORED), rows.people >= 0
    arm = np.where(known, side.arm[np.maximum(rows.people, 0)], -1)
    for place in np.argsort(names, kind="stable").tolist():
        own = known & (codes == place)
        title = f"Time to event {names[place]}, days ({rows.domain})"
        source = f"{rows.domain}.{names[place]}"
        yield survival_table(source, title, side.arms, time[own], censored[own] == 0, arm[own])


def survival_table(
    source: str,
    title: str,
    groups: Sequence[str],
    time: np.ndarray,
    event: np.ndarray,
    group: np.ndarray,
    name: str = "time_to_event",
) -> StudyTable:
    """The share of each of the ``groups`` without the event at ``TIMES``, by time, event and group (n_people,)."""
    known = ~np.isnan(time) & (time >= 0) & (group >= 0)
    time, event, group = time[known], event[known], group[known]
    n_groups = len(groups)
    at = TIMES[: np.searchsorted(TIMES, time.max(initial=0), side="right")]
    found = kaplan_meier(time, event, group, n_groups, at)
    _, p_value = log_rank(time, event, group, n_groups)
    labels = tuple(f"day {day:g}" for day in at)
    of = np.broadcast_to(np.bincount(group, minlength=n_groups), found.at_risk.shape)
    until = event[None, :, None] & (time[None, :, None] <= at[:, None, None])
    return StudyTable(
        name,
        source,
        title,
        CellKind.SURVIVAL,
        tuple(groups),
        labels,
        labels,
        found.at_risk,
        of,
        found.share,
        found.error,
        (until & (group[None, :, None] == np.arange(n_groups))).sum(axis=1),
        is_main=True,
        p_value=None if np.isnan(p_value) else p_value,
    )


TABLE = TableDefinition(
    "time_to_event",
    "time to the first adverse event, to death, or to the events of ADaM's data sets of times: Kaplan-Meier by arm, "
    "and the log-rank test",
    make,
    place=80,
)
