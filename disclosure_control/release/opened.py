"""A data set of a package as a recipient reads it: its rows at hand, or on disk and read a part at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pandas as pd

from disclosure_control.records.domain_files import LargeFile


class Opened(Protocol):
    """A data set that was opened again."""

    @property
    def columns(self) -> list[str]: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def is_at_hand(self) -> bool:
        """Whether its rows are in memory."""
        ...

    def distinct(self, column: str) -> tuple[pd.Series, np.ndarray]:
        """The values of a column (n,), each at least once, and how many cells hold each."""
        ...

    def column(self, name: str) -> pd.Series:
        """A column whole (n_rows,)."""
        ...

    def rows(self, lengths: Iterable[int], columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """All rows in their order, so many at a time; of some ``columns``, None for all."""
        ...

    def combinations(self, columns: Collection[str], most: int | None) -> pd.DataFrame | None:
        """Rows of some columns, each combination at least once; None if more than ``most`` that are not at hand."""
        ...


@dataclass(frozen=True)
class OpenedInMemory:
    """Rows at hand: ``frame`` (n_rows, n_columns). See ``Opened``."""

    frame: pd.DataFrame = field(repr=False)

    @property
    def columns(self) -> list[str]:
        return list(map(str, self.frame))

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    @property
    def is_at_hand(self) -> bool:
        return True

    def distinct(self, column: str) -> tuple[pd.Series, np.ndarray]:
        """See ``Opened``."""
        counted = self.frame[column].value_counts(sort=False)
        return counted.index.to_series(), counted.to_numpy()

    def column(self, name: str) -> pd.Series:
        """See ``Opened``."""
        return self.frame[name]

    def rows(self, lengths: Iterable[int], columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """See ``Opened``."""
        frame, start = self.frame if columns is None else self.frame[list(columns)], 0
        for length in lengths:
            yield frame.iloc[start : start + length].reset_index(drop=True)
            start += length

    def combinations(self, columns: Collection[str], most: int | None) -> pd.DataFrame | None:
        """All rows, which are at hand: see ``Opened``."""
        return self.frame[[name for name in self.frame if name in columns]]


@dataclass(frozen=True)
class OpenedOnDisk:
    """Rows put aside by a reader. See ``Opened``."""

    table: LargeFile

    @property
    def columns(self) -> list[str]:
        return list(map(str, self.table.frame))

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def is_at_hand(self) -> bool:
        return False

    def distinct(self, column: str) -> tuple[pd.Series, np.ndarray]:
        """See ``Opened``."""
        values, n_cells = self.table.counted_column(column)
        assert n_cells is not None
        occurs = (n_cells > 0) & values.notna().to_numpy()
        return values[occurs], n_cells[occurs]

    def column(self, name: str) -> pd.Series:
        """See ``Opened``."""
        return self.table.column(name)

    def rows(self, lengths: Iterable[int], columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """See ``Opened``."""
        return self.table.rows_in_order(lengths, columns)

    def combinations(self, columns: Collection[str], most: int | None) -> pd.DataFrame | None:
        """See ``Opened``."""
        return self.table.combinations([name for name in self.columns if name in columns], most)
