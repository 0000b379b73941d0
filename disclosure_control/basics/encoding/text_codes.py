"""The texts of a column as whole numbers, found once for whoever asks: types, classes, the scan, lists of people."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

PROBED, LEAST_PROBED = 1 << 12, 1 << 10  # records, and different texts among them, that make for very many


@dataclass(frozen=True, eq=False)
class TextCodes:
    """``codes`` (n_records,) of the distinct ``texts`` (n_texts,) by their first place, as they are; -1 is missing."""

    codes: np.ndarray
    texts: pa.Array = field(repr=False)

    def taken(self, of_text: np.ndarray, where_missing: float) -> np.ndarray:
        """What is known ``of_text`` (n_texts,) said of each record (n_records,)."""
        return np.append(of_text, where_missing).take(self.codes, mode="wrap")  # -1 is the last one


# By the identity of the column's memory, which never changes: a column that is changed has another.
_KNOWN: dict[int, TextCodes] = {}


def text_codes(values: pd.Series) -> TextCodes:
    """The codes of a column of text; those of few texts are kept as long as the column is there."""
    column = _chunks(values)
    known = _KNOWN.get(id(column))
    if known is not None:
        return known
    encoded = column.dictionary_encode().chunks  # with one dictionary for all of them, and none of no records
    codes = np.concatenate([np.empty(0, np.int32), *(np.asarray(one.indices.fill_null(-1)) for one in encoded)])
    texts = encoded[0].dictionary if encoded else pa.array([], pa.large_string())
    codes.flags.writeable = False  # others read them, too
    found = TextCodes(codes, texts)
    if 2 * len(texts) <= len(codes):
        _KNOWN[id(column)] = found
        weakref.finalize(column, _KNOWN.pop, id(column), None).atexit = False
    return found


def codes_of_few_texts(values: pd.Series) -> TextCodes | None:
    """The same where a column of text takes few texts; None of other columns, and of nearly as many texts as records.

    Whoever needs the texts alone, and not their codes, is quicker without them where they are many.
    """
    if values.dtype != "str":
        return None
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
