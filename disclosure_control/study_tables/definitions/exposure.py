"""How long people took the treatment and how much of it, by arm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows, Levels
from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import StudyTable


@defined(20, "days from the first dose to the last, and the mean dose, by arm")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Days from the first dose to the last, and the mean dose of a record, by the arm of the treatment."""
    for rows in side.events("EX", "EC"):
        yield side.as_treated.means("exposure", rows, f"Exposure ({rows.domain})", dict(_measured(side, rows)))


def _measured(side: StudySide, rows: DomainRows) -> Iterator[tuple[str, np.ndarray]]:
    begins, ends = _days(rows, "ST"), _days(rows, "EN")
    if begins is not None and ends is not None:
        yield "Days from first to last dose", -side.least(rows.people, -ends) - side.least(rows.people, begins) + 1
    if (dose := rows.called("DOSE")) is not None:
        doses, unit = rows.numbers(dose), rows.called("DOSU")
        units = Levels.of_flag("", ~np.isnan(doses)) if unit is None else rows.part(unit)
        has_several = side.as_before(("units", rows.domain), lambda: len(units.levels) > 1)
        for place, name in enumerate(units.levels):
            there = doses if not has_several else np.where(units.codes == place, doses, np.nan)
            yield f"Mean dose of a record{f' ({name})' if has_several else ''}", side.mean(rows.people, there)


def _days(rows: DomainRows, end: str) -> np.ndarray | None:
    if (date := rows.called(f"{end}DTC")) is not None:
        return np.floor(rows.moments(date))
    day = rows.called(f"{end}DY")
    return None if day is None else rows.numbers(day)
