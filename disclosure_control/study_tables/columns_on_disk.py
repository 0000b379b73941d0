"""Columns of rows that are on disk, for tables that are made of few of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import pandas as pd


class ColumnsOnDisk(ABC):
    """The columns of a file whose rows are on disk, each read when it is asked for.

    ``asked`` collects the names of those that were. Numbers are kept once they are read; texts are not, because those
    who ask keep their codes.
    """

    def __init__(self, names: Sequence[str], n_rows: int) -> None:
        self._names, self.index = names, pd.RangeIndex(n_rows)
        self.asked: list[str] = []
        self._read: dict[str, pd.Series] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> pd.Series:
        if name not in self.asked:
            self.asked.append(name)
        if name not in self._read:
            self._read |= self.read(name)
        found = self._read[name]
        if found.dtype.kind != "f":
            del self._read[name]
        return found

    @abstractmethod
    def read(self, name: str) -> dict[str, pd.Series]:
        """The column (n_rows,), and others that come at the same cost."""
