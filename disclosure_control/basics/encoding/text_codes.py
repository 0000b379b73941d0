"""The texts of a column as whole numbers, computed once for all users: types, classes, the scan, lists of people."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

PROBED, LEAST_PROBED = 1 << 12, 1 << 10  # records, and different texts among them, that make for very many


@dataclass(frozen=True, eq=False)
class TextCodes:
    """``codes`` (n_records,) of the distinct ``texts`` (n_texts,) in the order of their first position; -1 is
    missing.
    """

    codes: np.ndarray
    texts: pa.Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.codes)

    @staticmethod
    def of(column: pa.ChunkedArray) -> TextCodes:
        """The codes of a column of ``large_string``, or of one that comes encoded, chunk by chunk."""
        is_encoded = pa.types.is_dictionary(column.type)
        if not is_encoded and are_rising(column[:PROBED]) and are_rising(column):  # as ids mostly are
            return TextCodes(np.arange(len(column), dtype=np.int32), column.combine_chunks())
        encoded = (column.unify_dictionaries() if is_encoded else column.dictionary_encode()).chunks
        codes = [np.empty(0, np.int32), *(np.asarray(one.indices.fill_null(-1)) for one in encoded)]
        return TextCodes(np.concatenate(codes), encoded[0].dictionary if encoded else pa.array([], pa.large_string()))

    @cached_property
    def people(self) -> np.ndarray:
        """How many records have each text, and in the end how many have none: (n_texts + 1,)."""
        return np.roll(np.bincount(self.codes + 1, minlength=len(self.texts) + 1), -1)

    @cached_property
    def column(self) -> pa.ChunkedArray:
        """The text of each record."""
        return pa.chunked_array([self.texts_of(self.codes)])

    def texts_of(self, codes: np.ndarray) -> pa.Array:
        """The texts of some codes (n,)."""
        is_missing = codes < 0
        return self.texts.take(pa.array(codes, mask=is_missing if is_missing.any() else None))

    def at(self, rows: np.ndarray) -> TextCodes:
        """The codes of the records at these places (n,), -1 of none: their texts, in the order of their first one."""
        codes = np.append(self.codes, np.int32(-1)).take(rows, mode="wrap")
        again = pa.array(codes, mask=codes < 0).dictionary_encode()
        return TextCodes(np.asarray(again.indices.fill_null(-1)), self.texts.take(again.dictionary))

    def taken(self, of_text: np.ndarray, where_missing: float) -> np.ndarray:
        """The values ``of_text`` (n_texts,) for each record (n_records,)."""
        return np.append(of_text, where_missing).take(self.codes, mode="wrap")  # -1 is the last one


def are_rising(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Whether each text is larger than the one before it, none missing: then all differ, as comparing neighbours
    shows.
    """
    return not texts.null_count and pc.all(pc.greater(texts[1:], texts[:-1]), min_count=0).as_py()


# By the identity of the column's memory, which never changes: a column that is changed has another.
_KNOWN: dict[int, TextCodes] = {}


def text_codes(values: pd.Series) -> TextCodes:
    """The codes of a column of text; those of few texts are kept as long as the column is there."""
    if (known := known_codes(values)) is not None:
        return known
    column = _chunks(values)
    found = TextCodes.of(column)
    found.codes.flags.writeable = False  # others read them, too
    if 2 * len(found.texts) <= len(found):
        _KNOWN[id(column)] = found
        weakref.finalize(column, _KNOWN.pop, id(column), None).atexit = False
    return found


def known_codes(values: pd.Series) -> TextCodes | None:
    """The codes of a column of text if they are known already."""
    if isinstance(values.array, EncodedTexts) and values.array.known is not None:
        return values.array.known
    return _KNOWN.get(id(_chunks(values)))


def column_of_codes(texts: pa.Array, encoded: TextCodes) -> pd.Series:
    """A column of text whose texts are replaced by ``texts`` (n_texts,), which may be missing or repeat."""
    if not texts.equals(encoded.texts):
        again = texts.dictionary_encode()
        of_text = np.append(np.asarray(again.indices.fill_null(-1)), np.int32(-1))
        encoded = TextCodes(of_text.take(encoded.codes, mode="wrap"), again.dictionary)
    column = EncodedTexts.of(encoded)
    are_few = 2 * len(encoded.texts) <= len(encoded)
    return pd.Series(column if are_few else pd.array(encoded.column, dtype="str"), copy=False)


def texts_at(values: pd.Series, rows: np.ndarray) -> pd.Series:
    """A column of text at the places ``rows`` (n,) of records, missing at -1; encoded if it has few texts."""
    if len(rows) == len(values) and (rows == np.arange(len(rows))).all():
        return values.reset_index(drop=True)
    if (few := codes_of_few_texts(values)) is None:
        return pd.Series(values.array.take(rows, allow_fill=True), copy=False)
    found = few.at(rows)
    return column_of_codes(found.texts, found)


class EncodedTexts(pd.arrays.ArrowStringArray):
    """A pandas text column that came encoded: the texts of its records are made on demand.

    Most columns of a study have few texts, and counting needs only the codes. Other operations than those here give
    plain text.
    """

    known: TextCodes | None  # of a column that is not changed
    _changed: pa.ChunkedArray | None

    @classmethod
    def of(cls, known: TextCodes) -> EncodedTexts:
        """The column of the codes."""
        known.codes.flags.writeable = False  # others read them, too
        column = cls.__new__(cls)
        column.__dict__.update(vars(pd.array([], dtype="str")), _changed=None, known=known)
        return column

    @property
    def _pa_array(self) -> pa.ChunkedArray:
        return self._changed if self.known is None else self.known.column

    @_pa_array.setter
    def _pa_array(self, texts: pa.ChunkedArray) -> None:
        self._changed, self.known = texts, None

    def _from_pyarrow_array(self, texts: pa.Array | pa.ChunkedArray) -> Any:
        return pd.array(pa.chunked_array([texts]) if isinstance(texts, pa.Array) else texts, dtype="str")

    def __reduce__(self) -> tuple[Any, ...]:
        return pd.array, (self._pa_array, "str")

    def __len__(self) -> int:
        return len(self._pa_array) if self.known is None else len(self.known)

    def isna(self) -> np.ndarray:
        """Which records have no text, (n_records,) of bool."""
        return super().isna() if self.known is None else self.known.codes < 0

    def view(self, dtype: Any = None) -> Any:
        """The same column, which may be changed independently."""
        if dtype is not None:
            return super().view(dtype)
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__, _cache={})
        return other

    def copy(self) -> EncodedTexts:
        """The same column, which may be changed independently."""
        return self.view()

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Any:
        """The texts of some records as plain text; see pandas."""
        rows = np.asarray(indices)
        is_plain = rows.dtype.kind == "i" and (fill_value is None or pd.isna(fill_value))
        if self.known is None or not is_plain or not len(rows) or not len(self) or (allow_fill and rows.min() < -1):
            return super().take(indices, allow_fill=allow_fill, fill_value=fill_value)
        codes = self.known.codes.take(rows)
        return self._from_pyarrow_array(self.known.texts_of(np.where(rows < 0, -1, codes) if allow_fill else codes))

    def __getitem__(self, item: Any) -> Any:
        """The text of a record, or those of some as plain text; see pandas."""
        is_mask = isinstance(item, np.ndarray) and item.dtype == bool and len(item) == len(self)
        if self.known is None or not (is_mask or isinstance(item, slice | int)):
            return super().__getitem__(item)
        if isinstance(item, int):
            code = self.known.codes[item]
            return self.known.texts[int(code)].as_py() if code >= 0 else self.dtype.na_value
        return self._from_pyarrow_array(self.known.texts_of(self.known.codes[item]))


def codes_of_few_texts(values: pd.Series) -> TextCodes | None:
    """The codes if a column of text has few texts; None for other columns, and for almost as many texts as records.

    With many texts, code that needs the texts only is faster without codes.
    """
    if values.dtype != "str":
        return None
    if (known := known_codes(values)) is not None:
        return known
    if len(values) >= LEAST_PROBED and pc.count_distinct(_probed(_chunks(values))).as_py() >= LEAST_PROBED:
        return None
    return text_codes(values)


def _probed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Some thousand texts at equal distances, chunk by chunk: taken from all at once, Arrow would join these before."""
    step, before, probed = max(len(column) // PROBED, 1), 0, []
    for chunk in column.chunks:
        probed.append(chunk.take(pa.array(np.arange(-before % step, len(chunk), step))))
        before += len(chunk)
    return pa.chunked_array(probed)


def _chunks(values: pd.Series) -> pa.ChunkedArray:
    """The memory of a column of text, itself where pandas keeps it by Arrow."""
    column = getattr(values.array, "_pa_array", None)
    if isinstance(column, pa.ChunkedArray) and column.type == pa.large_string() and column.num_chunks:
        return column
    texts = pa.array(values, from_pandas=True)
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts  # Arrow encodes no chunks at all
    return pa.chunked_array([whole.cast(pa.large_string())])
