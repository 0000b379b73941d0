"""Who came to which visit, and how often: the visits of the plan, and what else a table of visits or stays says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows, Levels
from disclosure_control.study_tables.side import MOST_LEVELS, StudySide
from disclosure_control.study_tables.table import ANY, StudyTable
from study.models.roles import Role, TableKind

_FIRST = re.compile(r"(?i)screen|baseline|\bday -")  # words of visits before the others
_UNPLANNED = re.compile(r"(?i)unsched|unplan|ungeplant")


@dataclass(frozen=True)
class Visits:
    """The ``number`` of each row's visit (n_rows,), NaN without one, and its ``place`` in the plan, -1 if unscheduled.

    ``names`` (n_visits,) are those of the planned visits, in their order.
    """

    number: np.ndarray = field(repr=False)
    place: np.ndarray = field(repr=False)
    names: tuple[str, ...]


def visits_of_rows(side: StudySide, rows: DomainRows) -> Visits:
    """The visits of a domain, found once."""
    if "visits" not in rows.found:
        rows.found["visits"] = _visits(side, rows)
    visits: Visits = rows.found["visits"]
    return visits


def _visits(side: StudySide, rows: DomainRows) -> Visits:
    """The visits of a domain. A visit is its number, whatever it is called; whole ones are planned, also those below 0.

    Where visits have names alone, their order is that of the numbers in them. A domain without visits has one.
    """
    named = next((own for own in ("AVISIT", "VISIT") if rows.has(own)), None) or rows.called("VISIT")
    counted = rows.called("VISITNUM") or ("VISITNUM" if rows.has("VISITNUM") else None)
    if counted is None and named is None:  # outside SDTM
        named = next((name for name in rows.table.of_role(Role.VISIT) if rows.has(name)), None)
        counted = named if named is not None and not np.isnan(rows.numbers_of_codes(named)).any() else None
    if counted is None and named is None:
        nothing = np.zeros(len(rows.people))
        return Visits(nothing, nothing.astype(np.int64), ("",))
    codes, labels = rows.codes(counted or str(named))
    called: dict[float, str] = {}
    if counted is None:
        order = side.as_before(("visits", rows.domain), lambda: sorted(labels.tolist(), key=_in_order))
        called = dict(enumerate([*order, *sorted({*labels.tolist()} - {*order})]))
        place_of = {name: place for place, name in called.items()}
        numbers = np.array(
            [np.nan if _UNPLANNED.search(one) else place_of[one] for one in labels.tolist()], dtype=float
        )
    else:
        numbers = rows.numbers_of_codes(counted)
    planned = np.unique(numbers[numbers % 1 == 0])
    place = np.append(np.where(numbers % 1 == 0, np.searchsorted(planned, np.nan_to_num(numbers)), -1), -1)[codes]
    if counted is not None and named not in (None, counted):
        called = side.as_before(("visits", rows.domain), lambda: _called(rows, named, place, planned))
    names = tuple(called.get(one, f"visit {one:g}") for one in planned.tolist())
    return Visits(np.append(numbers, np.nan)[codes], place, names)


def _in_order(name: str) -> tuple[object, ...]:
    """The key by which names of visits follow each other: by the numbers in them, screening and baseline first."""
    parts = re.split(r"(\d+)", name.casefold())
    return not _FIRST.search(name), *((part.zfill(9) if part.isdigit() else part) for part in parts), name


def _called(rows: DomainRows, column: str, place: np.ndarray, planned: np.ndarray) -> dict[float, str]:
    """The name of each planned visit: its commonest one, and its number where others have the same."""
    codes, names = rows.codes(column)
    both = (place >= 0) & (codes >= 0)
    shape = len(planned), max(len(names), 1)
    n = np.bincount(place[both] * shape[1] + codes[both], minlength=shape[0] * shape[1]).reshape(shape)
    chosen = {at: names[n[at].argmax()] for at in np.flatnonzero(n.any(axis=1)).tolist()}
    n_called = Counter(chosen.values())
    return {
        float(planned[at]): name if n_called[name] == 1 else f"{name} ({planned[at]:g})" for at, name in chosen.items()
    }


@defined(55, "people and records by visit, stay or element, by arm")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of visits, stays or elements: people and records by visit, or by each other category."""
    for rows in side.domains(TableKind.TIMING):
        visits, parts = visits_of_rows(side, rows), [Levels.of_flag(ANY, np.ones(len(rows.people), dtype=bool))]
        named = side.as_before(("columns", rows.domain), partial(_columns, rows, len(visits.names)))
        parts += [rows.part(name) for name in named or () if name in rows]
        parts += [] if named is not None else [Levels(["VISIT"] * len(visits.names), visits.names, visits.place)]
        yield side.shares("visits", rows, f"Visits ({rows.domain})", parts, with_records=True)


def _columns(rows: DomainRows, n_visits: int) -> list[str] | None:
    """The categories that divide a table without visits, None of one that has them."""
    named = [name for name in rows.table.of_role(Role.CATEGORY, Role.CODED_TERM) if rows.has(name)]
    return None if n_visits > 1 else [name for name in named if 1 < len(rows.codes(name)[1]) <= MOST_LEVELS]
