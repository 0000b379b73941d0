"""How long visits and stays lasted: moved dates keep it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.release.facts.opened_rows import OpenedRows, fact_entries, spans_of
from study.formats.days import days_of
from study.models.roles import TableModel
from study.models.study_model import OF_VISITS

_STUDY_DAYS = ("STDY", "ENDY")


def stays_of(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many days each visit or stay lasted, by its dates, else by its study days."""
    found = []
    for name in known.visits:
        table, frame = known.table(name), known.frames[name]
        days = np.zeros(0) if table is None else _lasted(table, frame)
        if not np.isnan(days).all():
            length = np.full(len(days), None, dtype=object)
            length[days >= 0] = days[days >= 0].astype(np.int64)
            of_file = f"stay {known.model.domain(name)}"
            found.append(fact_entries(known.people(name), of_file, length, known.months(name)))
    return found or None


def columns_of_stays(table: TableModel, domain: str, columns: Sequence[str]) -> list[str]:
    """The columns that lengths of stays are read from."""
    may_have = table.has_visits or table.kind in OF_VISITS
    return [name for span in _span_of(table, columns) for name in span] if may_have else []


def _lasted(table: TableModel, frame: pd.DataFrame) -> np.ndarray:
    """The days (n_rows,) from the first to the last one, NaN where one of them is not known."""
    days = np.full(len(frame), np.nan)
    begins, ends = _span_of(table, list(map(str, frame)))
    if begins and ends:
        days = (_first_known(frame, ends) - _first_known(frame, begins)) / np.timedelta64(1, "D")
    began, ended = (table.read(short, frame) for short in _STUDY_DAYS)
    if began is not None and ended is not None:
        start, end = (pd.to_numeric(one, errors="coerce").to_numpy(dtype=float) for one in (began, ended))
        by_study_day = (end - (end > 0)) - (start - (start > 0))  # there is no day 0
        days = np.where(np.isnan(days), by_study_day, days)
    return days


def _span_of(table: TableModel, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns with the first and the last day of a row: by the names of the merge, else its first two dates."""
    named = [table.called(short) for short in ("STDTC", "ENDTC")]
    if all(name in columns for name in named):
        return [named[0]], [named[1]]
    spans = spans_of(table, columns)
    return (spans[0], spans[1]) if len(spans) > 1 else ([], [])


def _first_known(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """The day of each row (n_rows,), in the first of the columns that has it."""
    days = days_of(frame[columns[0]])
    for column in columns[1:]:
        days = np.where(np.isnat(days), days_of(frame[column]), days)
    return days
