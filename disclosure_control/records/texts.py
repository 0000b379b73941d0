"""The columns of a file as text, read block by block: a code for each distinct text, and how many people have it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts, is_in_sample
from disclosure_control.basics.telling.faults import RecordsNotAtHandError, stop_at
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.records.columns import ColumnOfRecords
from disclosure_control.records.spill import Aside
from disclosure_control.records.sql import Database
from disclosure_control.records.subjects import Subjects
from study.formats.values import clean_values

MISSING = 0  # the code of a missing value
SAMPLED_PART = 8  # a sample has this fraction, one in eight, of the texts that may be kept


@dataclass(frozen=True)
class CountedTexts:
    """Distinct ``texts`` of a column: ``people`` (n,) have each, and ``first_record`` (n,) is the first one with it.

    ``share_at_hand``: about how many of all distinct texts these are: all, or after some halvings a sample of those
    with the smallest hashes. Which these are depends on all texts, and not on their order.
    """

    texts: pa.Array = field(repr=False)
    people: np.ndarray
    first_record: np.ndarray
    share_at_hand: float = 1.0

    def sampled(self, n_most: int) -> CountedTexts:
        """A sample of at most ``n_most`` of the texts; all if they are not more."""
        found = self
        while len(found.texts) > n_most:
            share = found.share_at_hand / 2
            rows = np.flatnonzero(_are_in_sample(found.texts, share))
            found = CountedTexts(found.texts.take(pa.array(rows)), found.people[rows], found.first_record[rows], share)
        return found


def _are_in_sample(texts: pa.Array, share: float) -> np.ndarray:
    """Which of the texts (n,) are in a sample of this ``share`` of all."""
    return is_in_sample(hashes_of_texts(texts), round(-np.log2(share)))


class TextsBeingRead:
    """Distinct texts of one column met so far, cleaned as every reader cleans them or unchanged; the missing one first.

    Codes are given in the order in which texts are met, so only results of sorted texts may be used. Of more than
    ``few_texts``, if they are nearly one for each person, a sample is all that is kept from then on: others count as
    missing, and the codes mean nothing. Those of a sample were counted from the first record on, because it only
    shrinks. Source: Gibbons, Distinct sampling, VLDB 2001.
    """

    def __init__(self, few_texts: int = sys.maxsize, is_cleaned: bool = True):
        self.few_texts, self._is_cleaned = few_texts, is_cleaned
        self._dictionary, self._n_read, self._share_at_hand, self.is_sample = Dictionary(), 0, 1.0, False
        self._people, self._first_record = np.zeros(1, dtype=np.int64), np.full(1, -1)

    def __len__(self) -> int:
        """How many distinct texts are kept, the missing one among them."""
        return 1 + len(self._dictionary)

    def encode(self, column: pa.LargeStringArray | pa.DictionaryArray) -> np.ndarray:
        """The code of each value (n,) of one more block, in as few bytes as the codes so far need; texts are added.

        A ``column`` may come with its distinct texts, each of which occurs.
        """
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        n_before, code = len(self), np.append(self._codes_of(encoded.dictionary), MISSING)
        n_new = len(self) - n_before
        if n_new:
            self._people = np.append(self._people, np.zeros(n_new, dtype=np.int64))
            self._first_record = np.append(self._first_record, np.full(n_new, -1))
        indices = encoded.indices.fill_null(len(code) - 1).to_numpy()
        np.add.at(self._people, code, np.bincount(indices, minlength=len(code)))
        codes: np.ndarray = code.astype(np.min_scalar_type(len(self) - 1))[indices]
        rows = np.flatnonzero(codes >= n_before)[::-1]  # of several records with a text the first is written last
        self._first_record[codes[rows]] = rows + self._n_read
        self._n_read += len(codes)
        if self.is_sample or len(self) > max(self.few_texts, self._n_read // 2):
            self.give_up()
        return codes

    def _codes_of(self, texts: pa.LargeStringArray) -> np.ndarray:
        """The code of each of some distinct texts (n,), new ones added; cleaned, they may be missing or repeat."""
        kept = clean_values(texts) if self._is_cleaned else texts
        if self._share_at_hand < 1:
            kept = pc.if_else(pa.array(_are_in_sample(kept, self._share_at_hand)), kept, None)
        if kept.equals(texts):
            return 1 + self._dictionary.encode(texts)
        encoded = kept.dictionary_encode()
        code = np.append(1 + self._dictionary.encode(encoded.dictionary), MISSING)
        return np.asarray(code[encoded.indices.fill_null(len(code) - 1).to_numpy()])

    def give_up(self) -> None:
        """Keep a sample from now on, and of that no more texts than it may have."""
        kept = self.counted().sampled(self.few_texts // SAMPLED_PART)
        if not self.is_sample or kept.share_at_hand < self._share_at_hand:
            self._dictionary, self._share_at_hand, self.is_sample = Dictionary(kept.texts), kept.share_at_hand, True
            self._people, self._first_record = np.append(0, kept.people), np.append(-1, kept.first_record)

    def counted(self) -> CountedTexts:
        """The texts except the missing one, with their people."""
        return CountedTexts(self._dictionary.texts, self._people[1:], self._first_record[1:], self._share_at_hand)

    def column(self, name: str, codes: Iterable[np.ndarray]) -> ColumnOfRecords | CountedTexts:
        """The column that is put aside as ``codes``, the missing text the first of its values; or a sample of it."""
        if self.is_sample:
            return self.counted()
        texts = pa.concat_arrays([pa.nulls(1, pa.large_string()), self._dictionary.texts])
        return ColumnOfRecords(codes, pd.Series(pd.array(texts, dtype="str"), name=name), self._people)


def put_aside(
    blocks: Iterable[pa.RecordBatch],
    read: dict[str, TextsBeingRead],
    database: Database,
    n_most: int,
    remedy: str,
    file: str = "",
) -> tuple[dict[str, ColumnOfRecords | CountedTexts], Aside]:
    """The columns that are ``read``, by name, of blocks, each as codes of its distinct texts; and where these are.

    Raises ``FaultyInputError``, which names the ``remedy``, where one that is read whole has more than ``n_most``.
    """
    codes, names = Aside(database.new_folder() / "columns", [pa.int32()] * len(read)), list(read)
    with contextlib.closing(codes):
        for block in blocks:  # Arrow and NumPy work outside Python's lock: columns side by side
            codes.append(side_by_side(TextsBeingRead.encode, read.values(), map(block.column, names)))
            stop_at(
                f"{file}column {name!r} has more than {n_most:,} distinct values, which is more than fit in memory; "
                f"{remedy}"
                for name, one in read.items()
                if one.few_texts == sys.maxsize and len(one) > n_most
            )
    # the hashes of one column are given up after those of the other
    return {name: read.pop(name).column(name, codes.column(i)) for i, name in enumerate(names)}, codes


class TextTable:
    """The whole file, column by column: ``column_of`` gives each of the ``columns``; ``subjects`` are the ids.

    Of columns with too many distinct texts there is only a sample, and of those with more than ``few_texts`` only a
    sample is counted.
    """

    def __init__(
        self,
        columns: Sequence[str],
        column_of: Callable[[str], ColumnOfRecords | CountedTexts],
        subjects: Subjects,
        few_texts: int,
    ):
        self.columns = list(columns)
        self.subjects, self._column_of, self._few_texts = subjects, column_of, few_texts

    def column(self, name: str) -> ColumnOfRecords | None:
        """A column, None where it has too many texts. Raises ``RecordsNotAtHandError`` for one that is not there."""
        found = self._found(name)
        return None if isinstance(found, CountedTexts) else found

    def _found(self, name: str) -> ColumnOfRecords | CountedTexts:
        try:
            return self._column_of(name)
        except KeyError:
            raise RecordsNotAtHandError(f"column {name!r}") from None

    def in_full(self, names: Iterable[str]) -> dict[str, ColumnOfRecords]:
        """Columns with what each record has. Raises ``FaultyInputError`` where some have too many texts."""
        found = {name: self.column(name) for name in names}
        stop_at(
            f"column {name!r}: more distinct values than can be counted from disk; leave it out of the combined "
            "dataset, or use --engine memory on a machine with enough memory"
            for name, column in found.items()
            if column is None
        )
        return {name: column for name, column in found.items() if column is not None}

    def counted(self, name: str) -> CountedTexts:
        """The distinct texts of a column, or a sample of very many, with their people."""
        found = self._found(name)
        if isinstance(found, ColumnOfRecords):
            has_text = np.flatnonzero(found.values.notna())
            texts = as_texts(found.values).take(pa.array(has_text))
            found = CountedTexts(texts, found.people[has_text], found.first_records()[has_text])
        return found if len(found.texts) <= self._few_texts else found.sampled(self._few_texts // SAMPLED_PART)
