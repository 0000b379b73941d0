"""Ranges of a text that were read one by one, each into a folder of its own, and their contents together.

All of it is in files: the records of a range here are names of files and counts, and never a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.counted_texts import CountedTexts, texts_in
from disclosure_control.records.spill import arrays_in, records_in, rows_in
from disclosure_control.records.subjects import SCHEMA

SUBJECTS, ENDS = "subjects", "ends"  # files of a range beside those of its columns


@dataclass(frozen=True)
class ReadRange:
    """A range that was read: ``lengths`` of its blocks, and ``n_texts`` (n_columns,) of its lists of texts.

    ``n_empty_end`` records at its end are empty and not among the others.
    """

    folder: Path
    lengths: tuple[int, ...]
    n_blank: int
    is_rising: bool
    n_empty_end: int
    n_fields_of_ragged: Mapping[int, int]
    n_texts: tuple[int, ...]

    @property
    def n_records(self) -> int:
        """Number of records, without empty ones at the end."""
        return sum(self.lengths)

    def codes(self, column: int) -> Path:
        return self.folder / f"column_{column}"

    def texts(self, column: int) -> Path:
        return self.folder / f"texts_{column}"


@dataclass(frozen=True)
class RangeOfColumn:
    """A column of a range: its codes in ``n_blocks`` arrays of a file, and their numbers among all ranges.

    These are in the file ``joined``, from ``start`` to ``stop``.
    """

    codes: Path
    n_blocks: int
    joined: Path
    start: int
    stop: int

    def blocks(self) -> Iterator[np.ndarray]:
        """Block by block the code of each record among those of all ranges."""
        joined = np.load(self.joined, mmap_mode="r")[self.start : self.stop]
        code = joined.astype(np.min_scalar_type(int(joined.max(initial=0))))
        return (code[own] for own in arrays_in(self.codes, self.n_blocks))


@dataclass(frozen=True)
class ColumnInRanges:
    """A column of all ranges: iterate, as often as needed, for the codes of each record block by block."""

    ranges: tuple[RangeOfColumn, ...]

    def __iter__(self) -> Iterator[np.ndarray]:
        return chain.from_iterable(one.blocks() for one in self.ranges)


@dataclass(frozen=True)
class ArraysInRanges:
    """Arrays that were put aside for the blocks of all ranges: files, and how many arrays each has."""

    files: tuple[tuple[Path, int], ...]

    def __iter__(self) -> Iterator[np.ndarray]:
        return chain.from_iterable(arrays_in(path, n_arrays) for path, n_arrays in self.files)


@dataclass(frozen=True)
class OtherColumnInRanges:
    """A column that the config does not name: see ``other_columns.OtherColumn``. ``texts``: the file of them."""

    texts: Path
    share_at_hand: float
    n_different: int  # or at least so many
    n_levels_at_least: int  # 0 where the column was not given up
    column: ColumnInRanges

    def counted(self) -> CountedTexts:
        """The distinct texts, or a sample of them, with their people."""
        return texts_in(self.texts, 0, self.share_at_hand).present()

    def n_levels(self) -> int:
        """Number of levels, missing being one; a lower bound where the column was given up."""
        return self.n_different

    def labels(self) -> np.ndarray:
        """The text of each level but the missing one, which is level 0; raises where only a sample is at hand."""
        if self.share_at_hand < 1:
            raise FaultyInputError("a column has more distinct values than a cluster tells apart; use --engine disk")
        return texts_in(self.texts).encoded().labels

    def levels(self) -> Iterator[np.ndarray]:
        """The level of each record, block by block."""
        return iter(self.column)


class SubjectsInRanges:
    """The ids of all ranges, in the order of the file."""

    has_ids = True

    def __init__(self, ranges: Sequence[ReadRange]):
        self._ranges = ranges
        self.lengths = [length for one in ranges for length in one.lengths]

    @property
    def ids(self) -> Iterator[pa.RecordBatch]:
        return chain.from_iterable(records_in(one.folder / SUBJECTS) for one in self._ranges)

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,), from 0 on in the order of the file."""
        order = np.argsort(records, kind="stable")
        ends = np.cumsum([one.n_records for one in self._ranges])
        wanted = np.split(records[order], np.searchsorted(records[order], ends[:-1]))
        found = [
            rows_in(one.folder / SUBJECTS, SCHEMA, one.lengths, rows - (end - one.n_records)).column(0)
            for one, end, rows in zip(self._ranges, ends, wanted, strict=True)
            if len(rows)
        ]
        ids = pa.chunked_array([chunk for column in found for chunk in column.chunks], SCHEMA.field(0).type)
        return ids.take(pa.array(np.argsort(order, kind="stable"))).combine_chunks()

    def are_rising(self) -> bool:
        """Whether every id of the file is greater than the one before, so that no two are the same."""
        if not all(one.is_rising for one in self._ranges):
            return False
        ends = [records for one in self._ranges if one.n_records for records in records_in(one.folder / ENDS)]
        together = pa.Table.from_batches(ends, SCHEMA).column(0).combine_chunks()
        n = len(together)  # twice the ranges: the first and the last id of each
        first, last = (together.take(pa.array(np.arange(start, stop, 2))) for start, stop in ((2, n), (1, n - 1)))
        return pc.all(pc.greater(first, last)).as_py() is not False
