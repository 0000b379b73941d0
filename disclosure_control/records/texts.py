"""The columns of a file as text, read block by block: a code for each distinct text, and how many people have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts, is_in_sample
from disclosure_control.basics.telling.faults import RecordsNotAtHandError, stop_at
from disclosure_control.records.columns import ColumnOfRecords
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

    def some(self, kept: np.ndarray) -> CountedTexts:
        """Those of the texts that are ``kept`` (n,) of bool."""
        rows = np.flatnonzero(kept)
        return replace(
            self,
            texts=self.texts.take(pa.array(rows)),
            people=self.people[rows],
            first_record=self.first_record[rows],
        )

    def sampled(self, n_most: int) -> CountedTexts:
        """A sample of at most ``n_most`` of the texts without the missing one; all if they are not more."""
        found = self
        while len(found.texts) > n_most:
            found = found._in_sample(found.share_at_hand / 2)
        return found

    def _in_sample(self, share: float) -> CountedTexts:
        is_in = is_in_sample(hashes_of_texts(self.texts), round(-np.log2(share)))
        return replace(self.some(is_in), share_at_hand=share)

    def with_later(self, later: CountedTexts) -> CountedTexts:
        """This sample, updated by the texts of ``later`` records, all of which were counted.

        A text whose hash is small enough was counted from the first record on, because a sample only shrinks. Source:
        Gibbons, Distinct sampling, VLDB 2001.
        """
        of_both = (self, later._in_sample(self.share_at_hand))
        texts = pa.concat_arrays([one.texts for one in of_both]).dictionary_encode()
        code, first = texts.indices.to_numpy(), np.full(len(texts.dictionary), np.iinfo(np.int64).max)
        np.minimum.at(first, code, np.concatenate([one.first_record for one in of_both]))
        people = np.bincount(code, np.concatenate([one.people for one in of_both]), len(first)).astype(np.int64)
        return CountedTexts(texts.dictionary, people, first, self.share_at_hand)


class CountedDictionary:
    """Distinct texts of one column met so far, cleaned as every reader cleans them or unchanged; the missing one first.

    ``people`` (n_texts,) counts who has each, ``first_record`` (n_texts,) is the number of the first record with it, -1
    of the missing text. Codes are given in the order in which texts are met, so only results of sorted texts may be
    used.
    """

    def __init__(self, is_cleaned: bool = True) -> None:
        self._dictionary, self._is_cleaned, self._n_read = Dictionary(), is_cleaned, 0
        self._people, self._first_record = np.zeros(64, dtype=np.int64), np.full(64, -1)

    def __len__(self) -> int:
        return 1 + len(self._dictionary)

    @property
    def people(self) -> np.ndarray:
        """How many people have each text."""
        return self._people[: len(self)]

    def encode(self, column: pa.LargeStringArray | pa.DictionaryArray) -> np.ndarray:
        """The code of each value (n,), in as few bytes as the codes so far need; new texts are added.

        A ``column`` may come with its distinct texts, each of which occurs.
        """
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        texts, n_before = encoded.dictionary, len(self)
        cleaned = clean_values(texts) if self._is_cleaned else texts
        code = 1 + self._dictionary.encode(texts) if cleaned.equals(texts) else self._codes_of(cleaned)
        self._make_room()
        code = np.append(code, MISSING)
        indices = encoded.indices.fill_null(len(texts)).to_numpy()
        np.add.at(self._people, code, np.bincount(indices, minlength=len(code)))
        codes: np.ndarray = code.astype(np.min_scalar_type(len(self) - 1))[indices]
        rows = np.flatnonzero(codes >= n_before)[::-1]  # of several records with a text the first is written last
        self._first_record[codes[rows]] = rows + self._n_read
        self._n_read += len(codes)
        return codes

    def _codes_of(self, texts: pa.LargeStringArray) -> np.ndarray:
        """The code of each text (n,), new ones added, of texts that may be missing or repeat."""
        encoded = texts.dictionary_encode()
        code = np.append(1 + self._dictionary.encode(encoded.dictionary), MISSING)
        return np.asarray(code[encoded.indices.fill_null(len(code) - 1).to_numpy()])

    def _make_room(self) -> None:
        n_more = len(self) - len(self._people)
        if n_more > 0:
            n_more = max(n_more, len(self._people))
            self._people = np.append(self._people, np.zeros(n_more, dtype=np.int64))
            self._first_record = np.append(self._first_record, np.full(n_more, -1))

    def all_texts(self) -> CountedTexts:
        """The texts, the missing one first, with their people."""
        texts = pa.concat_arrays([pa.nulls(1, pa.large_string()), self._dictionary.texts])
        return CountedTexts(texts, self.people, self._first_record[: len(self)])

    def counted(self) -> CountedTexts:
        """The texts except the missing one, with their people."""
        return CountedTexts(self._dictionary.texts, self.people[1:], self._first_record[1 : len(self)])


class TextsBeingRead:
    """A column that is put aside as ``codes`` of its distinct texts, block by block as it is read.

    Of more than ``few_texts``, if they are nearly one for each person, a ``sample`` is all that is kept, and the codes
    mean nothing.
    """

    def __init__(self, codes: Iterable[np.ndarray], few_texts: int):
        self._codes, self._few_texts, self._n_read = codes, few_texts, 0
        self._dictionary = CountedDictionary()
        self.sample: CountedTexts | None = None

    def __len__(self) -> int:
        """How many distinct texts are kept, the missing one among them; of a sample none are."""
        return len(self._dictionary)

    def encode(self, values: pa.Array) -> np.ndarray:
        """The codes (n,) of the values of one more block."""
        n_before, self._n_read = self._n_read, self._n_read + len(values)
        if self.sample is None:
            codes = self._dictionary.encode(values)
            if len(self) > max(self._few_texts, self._n_read // 2):
                self.give_up()
            return codes
        block = CountedDictionary()
        block.encode(values)
        later = block.counted()
        later = replace(later, first_record=later.first_record + n_before)
        self.sample = self.sample.with_later(later).sampled(self._few_texts // SAMPLED_PART)
        return np.zeros(len(values), dtype=np.int8)

    def give_up(self) -> None:
        """Keep a sample from now on."""
        self.sample = self._dictionary.counted().sampled(self._few_texts // SAMPLED_PART)
        self._dictionary = CountedDictionary()

    def column(self, name: str) -> ColumnOfRecords | CountedTexts:
        """The column, the missing text the first of its values; or the sample of its texts."""
        if self.sample is not None:
            return self.sample
        known = self._dictionary.all_texts()
        return ColumnOfRecords(self._codes, pd.Series(pd.array(known.texts, dtype="str"), name=name), known.people)


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
