"""The study's own main tables as tables that are brought: people by category and arm, as the study came in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.files import SourceFile
from disclosure_control.release.before_and_after import CameIn
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps.tables.brought import TableRead, read_table
from disclosure_control.steps.tables.settings import BroughtTable
from disclosure_control.study_tables.table import StudyTable
from study.models.roles import TableKind

ANY = "adverse_events"  # all people of its other rows are in its first one
MAIN_TABLES = ("demographics", "disposition", ANY)
EVENT = "event"
ARM, PEOPLE, OF, SHARE = "arm", "people", "of", "share of people"
TOTAL, NO_VALUE = "All people", "(no value)"


def tables_of_study(came_in: CameIn) -> Iterator[TableRead]:
    """The main tables of shares, one for each group of rows; the people of an arm are the same in all of them."""
    for table in came_in.tables.values():
        if table.name in MAIN_TABLES:
            known = came_in.side.model.table(table.source)
            is_of_people = known is not None and known.kind is TableKind.PEOPLE
            groups = table.groups if table.name != ANY else (EVENT,) * len(table.rows)
            for group in dict.fromkeys(groups):
                rows = np.array(groups) == group
                yield _of_group(table, group, rows, came_in.side.people_in_arms, is_of_people)


def _of_group(table: StudyTable, group: str, rows: np.ndarray, in_arms: np.ndarray, is_of_people: bool) -> TableRead:
    """Some rows (n_rows,) as a table: a division of all people where it is one, else rows that people may share."""
    names, n = [name for name, row in zip(table.rows, rows, strict=True) if row], table.n[rows].astype(np.int64)
    without = in_arms - n.sum(axis=0)
    if not without.any():
        return _read(table, group, _long(group, table, names, n, in_arms))
    if is_of_people and (without >= 0).all():
        return _read(table, group, _long(group, table, [*names, NO_VALUE], np.vstack([n, without]), in_arms))
    cells = _cells(group, table, names, n)
    cells[OF] = np.tile(in_arms, len(names))
    cells[SHARE] = [f"{100 * one / of:.1f}%" if of else "" for one, of in zip(cells[PEOPLE], cells[OF], strict=True)]
    of_all = names[0] if table.name == ANY else TOTAL
    return _read(table, group, cells, of=OF, shares=(SHARE,), several=(group,), total=of_all)


def _cells(group: str, table: StudyTable, names: list[str], n: np.ndarray) -> pd.DataFrame:
    n_arms = len(table.columns)
    arms = np.tile(np.array(table.columns, dtype=object), len(names))
    cells = {group: np.repeat(np.array(names, dtype=object), n_arms), ARM: arms, PEOPLE: n.ravel()}
    return pd.DataFrame(cells)


def _long(group: str, table: StudyTable, names: list[str], n: np.ndarray, in_arms: np.ndarray) -> pd.DataFrame:
    return _cells(group, table, [*names, TOTAL], np.vstack([n, in_arms]))


def _read(
    table: StudyTable,
    group: str,
    cells: pd.DataFrame,
    of: str | None = None,
    shares: tuple[str, ...] = (),
    several: tuple[str, ...] = (),
    total: str = TOTAL,
) -> TableRead:
    name = f"study_{re.sub(r'[^A-Za-z0-9]+', '_', f'{table.key} {group}').strip('_').lower()}.csv"
    settings = BroughtTable(
        file=name, dimensions=(group, ARM), counts=PEOPLE, of=of, shares=shares, several=several, total=total
    )
    return read_table(SourceFile(Path(name), csv_bytes(cells)), settings)
