"""How long people took the treatment and how much of it, by arm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide, mean_by_place
from disclosure_control.study_tables.table import CellKind, StudyTable
from study.models.roles import TableKind

PREFIXES = ("EX", "EC")


def make(side: StudySide) -> Iterator[StudyTable]:
    """Days from the first dose to the last, and the mean dose of a record."""
    for rows in side.domains(TableKind.EVENTS):
        if rows.table.prefix in PREFIXES:
            yield _exposure(side.as_treated, rows)


def _exposure(side: StudySide, rows: DomainRows) -> StudyTable:
    known = rows.people >= 0
    people, n = rows.people[known], side.n_people
    measured: dict[str, np.ndarray] = {}
    begins, ends = _days(rows, "ST"), _days(rows, "EN")
    if begins is not None and ends is not None:
        first, last = np.full(n, np.nan), np.full(n, np.nan)
        np.fmin.at(first, people, begins[known])
        np.fmax.at(last, people, ends[known])
        measured["Days from first to last dose"] = last - first + 1
    if (dose := rows.called("DOSE")) is not None:
        doses, unit = rows.numbers(dose)[known], rows.called("DOSU")
        codes, units = (np.zeros(len(people), dtype=np.int64), [""]) if unit is None else rows.codes(unit)
        codes = codes if unit is None else codes[known]
        has_several = side.as_before(("units", rows.domain), lambda: len(units) > 1)
        for place, name in sorted(enumerate(units), key=lambda one: str(one[1])):
            there = ~np.isnan(doses) & ((codes == place) | (not has_several))
            row = f"Mean dose of a record ({name})" if has_several else "Mean dose of a record"
            measured[row] = mean_by_place(people[there], doses[there], n)
    shape = (len(measured), len(side.arms))
    codes = np.repeat(np.arange(len(measured)), n)
    everybody = np.tile(np.arange(n), len(measured))
    values = np.concatenate([np.zeros(0), *measured.values()])
    found = side.means(everybody, codes, values, len(measured))
    return StudyTable(
        "exposure",
        rows.domain,
        f"Exposure ({rows.domain})",
        CellKind.MEAN,
        side.arms,
        tuple(measured),
        tuple(measured),
        found.n,
        np.broadcast_to(side.people_in_arms, shape),
        found.mean,
        found.error,
    )


def _days(rows: DomainRows, end: str) -> np.ndarray | None:
    if (date := rows.called(f"{end}DTC")) is not None:
        return rows.days(date)
    day = rows.called(f"{end}DY")
    return None if day is None else rows.numbers(day)


TABLE = TableDefinition("exposure", "days from the first dose to the last, and the mean dose, by arm", make, place=20)
