"""A column of records: which of its distinct values each record has, block by block, and what these values are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.again import Anew
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn, encode_column
from disclosure_control.basics.encoding.text_codes import TextCodes
from disclosure_control.records.spill import Aside
from disclosure_control.records.sql import Database


@dataclass(frozen=True)
class ColumnOfRecords:
    """A column: the place among its ``values`` (n_texts,) of what each record has, block by block; -1 is the last one.

    ``values`` are as they were read, or typed; ``people`` (n_texts,) have each. Of a column that was put aside, and of
    one of few texts, these are distinct; else each record has a value of its own.
    """

    texts: Iterable[np.ndarray]
    values: pd.Series = field(repr=False)
    people: np.ndarray

    @classmethod
    def each_own(cls, columns: Mapping[str, pd.Series], n_people: int) -> dict[str, ColumnOfRecords]:
        """Those in which each record has a value of its own, (n_people,), all in one block."""
        places, one = [np.arange(n_people)], np.ones(n_people, dtype=np.int64)
        return {name: cls(places, values, one) for name, values in columns.items()}

    @classmethod
    def of_texts(cls, known: TextCodes, name: str) -> ColumnOfRecords:
        """That of a column of text in memory, in one block; the last one of its values is missing."""
        texts = pa.concat_arrays([known.texts, pa.nulls(1, known.texts.type)])
        return cls([known.codes], pd.Series(pd.array(texts, dtype="str"), name=name), known.people)

    @property
    def occurs(self) -> np.ndarray:
        """Places (n,) of the values that somebody has."""
        return np.flatnonzero(self.people)

    def places(self) -> np.ndarray:
        """Which value each person has, (n_people,)."""
        return places_of_all(self.texts)

    def taken(self, places: np.ndarray) -> pd.api.extensions.ExtensionArray:
        """The values at these places (n,)."""
        return self.values.array.take(places)

    def n_missing(self, values: pd.Series | None = None) -> int:
        """How many people have no value, or have none among other ``values`` (n_texts,) in place of these."""
        return int(self.people[(self.values if values is None else values).isna().to_numpy()].sum())

    def first_records(self) -> np.ndarray:
        """The number of the first record with each value, (n_texts,), -1 where nobody has it."""
        first, n_before = np.full(len(self.people), -1), 0
        for text in self.texts:
            rows = np.flatnonzero(first[text] < 0)[::-1]  # of several records with a value the first is written last
            first[text[rows]] = rows + n_before
            n_before += len(text)
        return first

    @cached_property
    def _levels(self) -> EncodedColumn:
        return encode_column(self.values)

    def labels(self) -> np.ndarray:
        """The text of each level but the missing one, which is level 0."""
        return self._levels.labels

    def n_levels(self) -> int:
        """Number of levels, missing being one."""
        return len(self.labels()) + 1

    def levels(self) -> Iterable[np.ndarray]:
        """The level of each record, block by block, as often as asked."""
        level_of_text = self._levels.codes + 1
        return Anew(lambda: (level_of_text[text] for text in self.texts))


def kept_records(
    columns: Sequence[ColumnOfRecords], kept: Iterable[np.ndarray], database: Database
) -> tuple[list[ColumnOfRecords], Aside]:
    """The columns of the records that are ``kept``, bool block by block, put aside anew; and where they are."""
    aside = Aside(database.new_folder() / "columns", [pa.int32()] * len(columns))
    people = [np.zeros_like(one.people) for one in columns]
    with contextlib.closing(aside):
        for is_kept, *texts in zip(kept, *(one.texts for one in columns), strict=True):
            of_kept = [one[is_kept] for one in texts]
            aside.append(of_kept)
            for counted, one in zip(people, of_kept, strict=True):
                counted += np.bincount(one, minlength=len(counted))
    found = enumerate(zip(columns, people, strict=True))
    return [ColumnOfRecords(aside.column(i), one.values, counted) for i, (one, counted) in found], aside


def places_of_all(blocks: Iterable[np.ndarray]) -> np.ndarray:
    """Places that come block by block, in one array (n_people,)."""
    found = list(blocks)
    return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, dtype=np.int32), *found])


def places_at(blocks: Iterable[np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Of places that come block by block those of the records with these numbers (n,)."""
    found, n_before = np.zeros(len(rows), dtype=np.int64), 0
    for block in blocks:
        is_here = (rows >= n_before) & (rows < n_before + len(block))
        found[is_here] = block[rows[is_here] - n_before]
        n_before += len(block)
    return found


def ids_of_block(ids: pa.Array | pa.ChunkedArray) -> pd.Series:
    """The ids as a column of the dataset."""
    return pd.Series(pd.array(ids, dtype="str"), name=SUBJECT_COLUMN)


def occurring(values: pd.Series, people: np.ndarray) -> pd.Series:
    """The values (n_texts,), missing where nobody has them, and no category that nobody has."""
    found = values if (people > 0).all() else values.where(people > 0)
    return found.cat.remove_unused_categories() if isinstance(found.dtype, pd.CategoricalDtype) else found


def codes_of_texts(values: pd.Series, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The code of each value (n_texts,) among the labels that occur, -1 missing, and these."""
    encoded = encode_column(occurring(values, people))
    return encoded.codes, encoded.labels
