"""The visits that a package tells of each person: how many there were."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from disclosure_control.release.facts.opened_rows import OpenedRows, fact_entries, rows_as_facts
from disclosure_control.release.people import labels
from study.models.roles import Role, TableModel


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
