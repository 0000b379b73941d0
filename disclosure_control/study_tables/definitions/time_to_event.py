"""Time from the start of the treatment to a first event or to death, by arm: Kaplan-Meier, and the log-rank test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from disclosure_control.study_tables.definitions import adverse_events
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import TIME_TO_EVENT, StudySide
from disclosure_control.study_tables.survival import kaplan_meier, log_rank
from disclosure_control.study_tables.table import CellKind, StudyTable
from study.models.roles import Role

# When curves are read, by the unit of the times; in days the early ones of short studies come first.
HORIZONS: dict[str, tuple[float, ...]] = {
    "hour": (1, 2, 4, 8, 12, 24, 48, 72),
    "day": (30, 60, 90, 180, 365, 730, 1095, 1825),
    "week": (4, 8, 13, 26, 52, 104, 156, 260),
    "month": (1, 2, 3, 6, 12, 24, 36, 60),
    "year": (1, 2, 3, 4, 5, 10, 15, 20),
}
_EARLY_DAYS = (1, 2, 3, 5, 7, 10, 14, 21)
ENDS = ("RFPENDTC", "RFENDTC", "RFXENDTC", "TRTEDT")


@defined(
    80, "time to the first adverse event, to death, or to ADaM's events: Kaplan-Meier by arm, and the log-rank test"
)
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of ADaM's times to an event each parameter; of SDTM the first adverse event since treatment began, and death."""
    for rows in side.findings(are_times=True):
        if (number := rows.called("STRESN")) is not None:
            yield from _parameters(side, rows, number)
    base = side.domain(side.model.base or "")
    if base is None:
        return
    start, end = np.floor(side.start), np.floor(side.first_known(ENDS))
    if np.isnan(end - start).all():
        return
    died = np.floor(side.first_known(tuple(base.table.of_role(Role.DEATH_DATE))))
    if not np.isnan(died).all():
        yield _table(side, base.domain, "Time to death, days", died - start + 1, end - start + 1)
    for rows in side.events(adverse_events.PREFIX):
        began_after = adverse_events.began_after(side, rows)
        if began_after is not None and (day := rows.called("STDY")) is not None:
            since = rows.numbers(day)
            first = side.least(rows.people, np.where(began_after & (since >= 1), since, np.nan))
            title = f"Time to the first adverse event, days ({rows.domain})"
            yield _table(side.as_treated, rows.domain, title, first, end - start + 1)


def _table(side: StudySide, source: str, title: str, event: np.ndarray, end: np.ndarray) -> StudyTable:
    """A table of the days to an event (n_people,), NaN of those without, who were seen until ``end``."""
    has_none = np.isnan(event)
    return survival_table(side, source, title, side.arms, np.where(has_none, end, event), ~has_none, side.arm)


def _parameters(side: StudySide, rows: DomainRows, number: str) -> Iterator[StudyTable]:
    if (name := rows.test) is None:
        return
    (codes, names), (of_value, values), known = rows.codes(name), rows.codes("AVALU"), rows.people >= 0
    # Times are days where no unit is said.
    words = [value.casefold().strip().removesuffix("s") for value in values.tolist()] + ["day"]
    units, of_word = np.unique(words, return_inverse=True)
    time, censored = rows.numbers(number), rows.numbers(TIME_TO_EVENT)
    arm = np.where(known, np.append(side.arm, -1)[rows.people], -1)
    both = np.where(known & (codes >= 0), codes * len(units) + of_word[of_value], -1)
    there = np.unique(both[both >= 0])
    for place, n_units in zip(there, np.bincount(there // len(units))[there // len(units)], strict=True):
        own, test, unit = both == place, names[place // len(units)], str(units[place % len(units)])
        source = f"{rows.domain}.{test}" + (f".{unit}" if n_units > 1 else "")
        title = f"Time to event {test}, {unit}s ({rows.domain})"
        yield survival_table(side, source, title, side.arms, time[own], censored[own] == 0, arm[own], unit=unit)


def survival_table(
    side: StudySide,
    source: str,
    title: str,
    groups: Sequence[str],
    time: np.ndarray,
    event: np.ndarray,
    group: np.ndarray,
    name: str = "time_to_event",
    unit: str = "day",
) -> StudyTable:
    """The share of each of the ``groups`` without the event at ``HORIZONS``, by time, event and group (n_people,)."""
    known = ~np.isnan(time) & (time >= 0) & (group >= 0)
    time, event, group = time[known], event[known], group[known]
    n_groups = len(groups)
    at = side.as_before(("horizons", name, source), lambda: _horizons(unit, float(time.max(initial=0))))
    found = kaplan_meier(time, event, group, n_groups, at)
    _, p_value = log_rank(time, event, group, n_groups)
    until = event[None, :, None] & (time[None, :, None] <= at[:, None, None])
    return StudyTable.of_cells(
        CellKind.SURVIVAL,
        (name, source, title, tuple(groups)),
        [f"{unit} {one:g}" for one in at],
        found,
        np.bincount(group, minlength=n_groups),
        events=(until & (group[None, :, None] == np.arange(n_groups))).sum(axis=1),
        is_main=True,
        p_value=None if np.isnan(p_value) else p_value,
    )


def _horizons(unit: str, longest: float) -> np.ndarray:
    """The times up to the longest one; of an unknown unit its quarters."""
    known = HORIZONS.get(unit, (longest / 4, longest / 2, longest * 3 / 4, longest))
    if unit == "day" and longest < known[0]:
        known = _EARLY_DAYS
    return np.array([one for one in known if one <= longest], dtype=float)
