"""How far apart a person's visits were, and how long visits, events and treatments lasted: moved dates keep both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.release.facts.opened_rows import OpenedRows, columns_of_time, fact_entries, months_of, spans_of
from study.formats.days import first_days_of
from study.models.roles import TableKind, TableModel
from study.models.study_model import OF_VISITS

_STUDY_DAYS = ("STDY", "ENDY")


def intervals_of(known: OpenedRows) -> list[pd.DataFrame] | None:
    """The days between two consecutive visits of a person: by the tables of visits, else by the days of all findings.

    The month of an interval is that of its first day.
    """
    findings = [name for name in known.frames if _is_of(known.table(name), (TableKind.FINDINGS,))]
    dated = _dated(known, known.visits) or _dated(known, findings)
    if not dated:
        return None
    days = pd.concat(dated).dropna()
    days = days[days["person"] >= 0].drop_duplicates().sort_values(["person", "day"])
    apart = days.groupby("person")["day"].diff().to_numpy()
    follows = ~np.isnan(apart)
    began = months_of(days["day"].to_numpy()[follows] - apart[follows])
    return [fact_entries(days["person"].to_numpy()[follows], "interval", apart[follows].astype(np.int64), began)]


def _dated(known: OpenedRows, names: Sequence[str]) -> list[pd.DataFrame]:
    """Of each file that has any, the persons and days of its rows."""
    days = {name: known.days_since_start(name) for name in names}
    return [
        pd.DataFrame({"person": known.people(name), "day": of_file})
        for name, of_file in days.items()
        if not np.isnan(of_file).all()
    ]


def columns_of_intervals(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns that the days of visits are read from."""
    return columns_of_time(table, columns) if _is_of(table, (*OF_VISITS, TableKind.FINDINGS)) else []


def stays_of(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many days each visit or stay lasted."""
    return _lengths(known, known.visits, "stay")


def durations_of(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many days each event or treatment lasted."""
    events = [name for name in known.frames if _is_of(known.table(name), (TableKind.EVENTS,))]
    return _lengths(known, [name for name in events if name not in known.visits], "duration")


def _lengths(known: OpenedRows, names: Sequence[str], kind: str) -> list[pd.DataFrame] | None:
    """How many days each row lasted, by its dates, else by its study days."""
    found = []
    for name in names:
        table, frame = known.table(name), known.frames[name]
        days = np.zeros(0) if table is None else _lasted(table, frame)
        if not np.isnan(days).all():
            length = np.full(len(days), None, dtype=object)
            length[days >= 0] = days[days >= 0].astype(np.int64)
            of_file = f"{kind} {known.model.domain(name)}"
            found.append(fact_entries(known.people(name), of_file, length, known.months(name)))
    return found or None


def columns_of_stays(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns that lengths of stays are read from."""
    return [name for span in _span_of(table, columns) for name in span] if _is_of(table, OF_VISITS) else []


def columns_of_durations(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns that lengths of events and treatments are read from."""
    if not _is_of(table, (TableKind.EVENTS,)):
        return []
    spans = [name for span in _span_of(table, columns) for name in span]
    return [*spans, *(table.called(short) for short in _STUDY_DAYS), *columns_of_time(table, columns)]


def _lasted(table: TableModel, frame: pd.DataFrame) -> np.ndarray:
    """The days (n_rows,) from the first to the last one, NaN where one of them is not known."""
    days = np.full(len(frame), np.nan)
    begins, ends = _span_of(table, list(map(str, frame)))
    if begins and ends:
        days = (first_days_of(frame, ends) - first_days_of(frame, begins)) / np.timedelta64(1, "D")
    began, ended = (table.read(short, frame) for short in _STUDY_DAYS)
    if began is not None and ended is not None:
        start, end = (pd.to_numeric(one, errors="coerce").to_numpy(dtype=float) for one in (began, ended))
        by_study_day = (end - (end > 0)) - (start - (start > 0))  # there is no day 0
        days = np.where(np.isnan(days), by_study_day, days)
    return days


def _is_of(table: TableModel | None, kinds: Sequence[TableKind]) -> bool:
    return table is not None and (table.kind in kinds or (table.has_visits and OF_VISITS[0] in kinds))


def _span_of(table: TableModel, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns with the first and the last day of a row: by the names of the merge, else its first two dates."""
    named = [table.called(short) for short in ("STDTC", "ENDTC")]
    if all(name in columns for name in named):
        return [named[0]], [named[1]]
    spans = spans_of(table, columns)
    return (spans[0], spans[1]) if len(spans) > 1 else ([], [])
