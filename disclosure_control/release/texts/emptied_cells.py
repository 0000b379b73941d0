"""The cells that are emptied for their texts, and those that are emptied beside them.

One empty cell among full ones says who had the rare text. So where fewer than K people have an empty cell, the
commonest text of some others is emptied with it, as a rare term is hidden together with the terms of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows
from disclosure_control.release.texts.text_rules import JudgedColumn
from study.models.roles import TableKind

QVAL = "QVAL"  # of a supplement, whose rows go where it is emptied: no cell is left


@dataclass(frozen=True, eq=False)
class JoinedCells:
    """The ``n_cells`` with a ``text`` of some ``people`` (n_people,), of rows whose column ``by`` has the value ``of``.

    Without ``by``, of all rows.
    """

    text: str = field(repr=False)
    people: np.ndarray = field(repr=False)
    n_cells: int
    by: str = ""
    of: str = ""

    def rows(self, part: ReleasedRows, values: pd.Series) -> np.ndarray:
        """Which rows (n_rows,) of a part are among them, by their ``values`` (n_rows,) in the column."""
        found = values.eq(self.text).fillna(False).to_numpy(dtype=bool) & np.isin(part.people, self.people)
        return found & part.frame[self.by].eq(self.of).fillna(False).to_numpy(dtype=bool) if self.by else found


@dataclass(frozen=True, eq=False)
class EmptiedCells:
    """The cells of a column that are emptied: all with one of the ``texts``, and ``joined`` ones of other people."""

    texts: frozenset[str] = field(repr=False)
    joined: tuple[JoinedCells, ...] = ()

    def rows(self, column: JudgedColumn, part: ReleasedRows) -> np.ndarray:
        """Which rows (n_rows,) of a part have such a cell."""
        values = part.frame[column.column]
        found = values.isin(self.texts).to_numpy(dtype=bool)
        for one in self.joined:
            found = found | one.rows(part, values)
        return np.asarray(found & column.rows(part.frame))


def with_joined_cells(
    file: ReleasedFile,
    emptied: Mapping[JudgedColumn, frozenset[str]],
    k: int,
    drawn: Callable[[str], np.ndarray] | None,
) -> dict[JudgedColumn, EmptiedCells]:
    """The cells of a file that are emptied for their ``texts``, with those of so many others that ``k`` have one.

    ``drawn``: for a purpose a number of each person (n_people,) that no recipient can know: the lowest are joined.
    Without it nobody is. All columns of a file have the same draw: a text that stands in two of them goes from both.
    """
    found = {column: EmptiedCells(texts) for column, texts in emptied.items()}
    if drawn is None or not file.has_people:
        return found
    order = drawn(f"texts of {file.source.table.file_name}")
    return {
        column: one if column.column == QVAL else replace(one, joined=tuple(_joined(file, column, one, k, order)))
        for column, one in found.items()
    }


def _joined(
    file: ReleasedFile, column: JudgedColumn, emptied: EmptiedCells, k: int, order: np.ndarray
) -> Iterator[JoinedCells]:
    """Of each test, where the rows are results of tests, who has its commonest text and is drawn first."""
    by = _column_of_tests(column, file)
    rows = pd.concat([_cells(column, emptied, part, by) for part in file.parts], ignore_index=True)
    asked = rows["test"].isin(pd.unique(rows["test"][rows["emptied"]]))
    for test, of_test in rows[asked].groupby("test"):
        empty = pd.unique(of_test["person"][of_test["text"].isna()])
        others = of_test[of_test["text"].notna() & ~of_test["person"].isin(empty)]
        if len(empty) < k and len(others):
            n_people = others.groupby("text")["person"].nunique()
            text = str(n_people.index[int(n_people.argmax())])
            of_text = others["person"][others["text"] == text]
            have_it = np.unique(of_text.to_numpy(dtype=np.int64))
            joined = have_it[np.argsort(order[have_it], kind="stable")][: k - len(empty)]
            yield JoinedCells(text, joined, int(of_text.isin(joined).sum()), by, str(test))


def _column_of_tests(column: JudgedColumn, file: ReleasedFile) -> str:
    table = column.table
    if table is None or table.kind is not TableKind.FINDINGS:
        return ""
    named = (table.called(short) for short in ("TESTCD", "TEST"))
    return next((name for name in named if name in file.columns and name != column.column), "")


def _cells(column: JudgedColumn, emptied: EmptiedCells, part: ReleasedRows, by: str) -> pd.DataFrame:
    """The cells of a column in rows of people: whose, of which test, and the text, missing where it is emptied."""
    at = np.flatnonzero(column.rows(part.frame) & (part.people >= 0))
    values = part.frame[column.column].iloc[at].astype("str")
    goes = values.isin(emptied.texts).to_numpy(dtype=bool)
    tests = part.frame[by].iloc[at].astype("str").fillna("").to_numpy() if by else ""
    cells = {"person": part.people[at], "test": tests, "text": values.mask(goes).to_numpy(), "emptied": goes}
    return pd.DataFrame(cells, index=range(len(at)))


@dataclass(frozen=True)
class PartsWithout:
    """The parts of a file without some cells; made when they are asked for, as they may be on disk."""

    parts: Iterable[ReleasedRows]
    emptied: Mapping[JudgedColumn, EmptiedCells]

    def __iter__(self) -> Iterator[ReleasedRows]:
        for part in self.parts:
            frame = part.frame.copy(deep=False)
            for column, cells in self.emptied.items():
                frame[column.column] = frame[column.column].mask(cells.rows(column, part))
            made = part._replace(frame=frame)
            has_rows_less = any(column.column == QVAL for column in self.emptied)
            yield made.where(frame[QVAL].notna().to_numpy()) if has_rows_less else made
