"""The ids of people, in memory or written to disk and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.again import Anew
from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.encoding.text_codes import are_rising
from disclosure_control.records.spill import Aside
from disclosure_control.records.sql import Database


@dataclass(frozen=True)
class SubjectsInMemory:
    """The ids (n_people,) of records that are in memory, None where they have none."""

    texts: pd.Series | None = field(repr=False)
    n_people: int

    @property
    def has_ids(self) -> bool:
        return self.texts is not None

    @property
    def lengths(self) -> Sequence[int]:
        return [self.n_people]

    @cached_property
    def ids(self) -> Sequence[pa.Array]:
        """All in one block; nulls where they have none."""
        return [
            pa.nulls(self.n_people, pa.large_string()) if self.texts is None else as_texts(self.texts.astype("str"))
        ]

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,)."""
        return self.ids[0].take(pa.array(records))

    @property
    def at_once(self) -> pd.Series:
        """All of them as they came."""
        assert self.texts is not None
        return self.texts

    @property
    def n_blank(self) -> int:
        """How many ids are empty."""
        return int(self.ids[0].null_count)

    def count_distinct(self) -> int:
        """The number of different ids, without empty ones; of those in ascending order, neighbours are compared."""
        return self.n_people if are_rising(self.ids[0]) else int(self.at_once.nunique())

    def at(self, places: np.ndarray) -> SubjectsInMemory:
        """Those at these places (n,)."""
        return SubjectsInMemory(None if self.texts is None else self.texts.iloc[places], len(places))


class SubjectsOnDisk:
    """Ids in the order of the file: put all, then ask. ``lengths`` are those of the blocks in which they came."""

    has_ids = True

    def __init__(self, database: Database):
        self._database = database
        self._aside = Aside(database.new_folder() / "subjects", [pa.large_string()])
        self.n_blank = 0
        self.is_rising = True
        self._last: list[str] = []  # the one before the next block

    @property
    def lengths(self) -> Sequence[int]:
        return self._aside.lengths

    @property
    def ids(self) -> Iterable[pa.Array]:
        return Anew(lambda: (table.column(0).combine_chunks() for table in self._aside.tables()))

    def append(self, ids: pa.LargeStringArray) -> None:
        """Put the ids of one more block."""
        self._aside.append([ids])
        self.n_blank += ids.null_count
        if self.is_rising and len(ids):
            together = pa.concat_arrays([pa.array(self._last, pa.large_string()), ids])
            self.is_rising = are_rising(together)
            self._last = [ids[-1].as_py()]

    def close(self) -> None:
        """Finish putting, so that the file is not open until somebody asks."""
        self._aside.close()

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,), from 0 on in the order of the file."""
        return self._aside.take(records).column(0).combine_chunks()

    def count_distinct(self) -> int:
        """See ``SubjectsInMemory``: files of this tool have them in ascending order."""
        self.close()
        return sum(self.lengths) if self.is_rising else self._database.count_distinct(self._aside.path)


Subjects = SubjectsInMemory | SubjectsOnDisk
