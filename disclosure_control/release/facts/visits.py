"""The visits and stays that a package tells of each person: how many there were, and how long each lasted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from disclosure_control.release.facts.opened_rows import OpenedRows, fact_entries, rows_as_facts, spans_of
from disclosure_control.release.people import labels
from study.formats.days import days_of
from study.models.roles import Role, TableModel
from study.models.study_model import OF_VISITS


def visits_of(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many visits each person had: by the tables of visits, else by the visits that any file names."""
    named = [name for name in known.visits or known.frames if _names_of_visits(known.table(name), known.frames[name])]
    if not named:
        return [rows_as_facts(known, name, f"visits {known.model.domain(name)}") for name in known.visits] or None
    rows = [
        _named_visits(known.people(name), known.frames[name], _names_of_visits(known.table(name), known.frames[name]))
        for name in named
    ]
    visits = _visits_as_one(pd.concat([_NO_VISITS, *rows])).groupby("person")["visit"].size()
    return [fact_entries(visits.index.to_numpy(), "visits", visits.to_numpy())]


def _names_of_visits(table: TableModel | None, frame: pd.DataFrame) -> dict[str, str]:
    """The columns with the ``number`` and the ``name`` of a visit, those that there are."""
    there = [] if table is None else [column for column in table.of_role(Role.VISIT) if column in frame]
    numbers = [column for column in there if table and table.short.get(column, column).upper() == "VISITNUM"]
    names = [column for column in there if column not in numbers]
    return {what: found[0] for what, found in (("number", numbers), ("name", names)) if found}


_NO_VISITS = pd.DataFrame({"person": np.zeros(0, dtype=np.int64), "number": [], "name": []}).astype(
    {"number": "str", "name": "str"}
)


def _named_visits(person: np.ndarray, frame: pd.DataFrame, named: Mapping[str, str]) -> pd.DataFrame:
    """The distinct visits of each person with number and name, each missing if the row or the file has none."""
    nothing = pd.Series(np.nan, frame.index)
    columns = {what: frame[named[what]] if what in named else nothing for what in ("number", "name")}
    seen = pd.DataFrame({"person": person} | {name: labels(column) for name, column in columns.items()})
    return seen[seen["person"] >= 0].drop_duplicates().astype({"number": "str", "name": "str"})


def _visits_as_one(seen: pd.DataFrame) -> pd.DataFrame:
    """Each visit of each person once, as ``person`` and ``visit``: by its number, which a file may lack.

    A name is replaced by a number that occurs with it in any row: by one that the person has, else by the first. A name
    that occurs with no number may be any of the visits and is not counted. If no file has numbers, names identify
    visits.
    """
    if seen["number"].isna().all():
        return seen[["person", "name"]].dropna().drop_duplicates().rename(columns={"name": "visit"})
    numbered = seen[["person", "number"]].dropna().drop_duplicates()
    pairs = seen[["name", "number"]].dropna().drop_duplicates().sort_values(["name", "number"])
    by_name = seen.loc[seen["number"].isna(), ["person", "name"]].dropna().drop_duplicates().merge(pairs, on="name")
    has_it = by_name.merge(numbered, on=["person", "number"])[["person", "name"]].drop_duplicates()
    is_new = by_name.merge(has_it, on=["person", "name"], how="left", indicator=True)["_merge"].eq("left_only")
    first = by_name[is_new.to_numpy()].drop_duplicates(["person", "name"])[["person", "number"]]
    return pd.concat([numbered, first]).drop_duplicates().rename(columns={"number": "visit"})


def stays_of(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many days each visit or stay lasted, from its first to its last date."""
    found = []
    for name in known.visits:
        frame, table = known.frames[name], known.table(name)
        begins, ends = ([], []) if table is None else span_of(table, list(map(str, frame)))
        if begins and ends:
            began, ended = first_known(frame, begins), first_known(frame, ends)
            days = (ended - began) / np.timedelta64(1, "D")
            length = np.full(len(days), None, dtype=object)
            length[days >= 0] = days[days >= 0].astype(np.int64)
            kind = f"stay {known.model.domain(name)}"
            found.append(fact_entries(known.people(name), kind, length, known.months_of_days(name, began)))
    return found or None


def span_of(table: TableModel, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns with the first and the last day of a row: by the names of the merge, else its first two dates."""
    named = [table.called(short) for short in ("STDTC", "ENDTC")]
    if all(name in columns for name in named):
        return [named[0]], [named[1]]
    spans = spans_of(table, columns)
    return (spans[0], spans[1]) if len(spans) > 1 else ([], [])


def first_known(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """The day of each row (n_rows,), in the first of the columns that has it."""
    days = days_of(frame[columns[0]])
    for column in columns[1:]:
        days = np.where(np.isnat(days), days_of(frame[column]), days)
    return days


def columns_of_stays(table: TableModel, domain: str, columns: Sequence[str]) -> list[str]:
    """The columns that lengths of stays are read from."""
    may_have = table.has_visits or table.kind in OF_VISITS
    return [name for span in span_of(table, columns) for name in span] if may_have else []
