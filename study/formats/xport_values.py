"""Values of SAS transport files: text with blanks behind it, and numbers as IBM's machines had them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

_SHORTEST_NUMBER, _LONGEST_NUMBER = 3, 8  # bytes
_SMALLEST_POWER, _LARGEST_POWER = -260, 248  # of 2, that IBM's numbers have
# Every byte is one character of this encoding, so the bytes can be had back from what pyreadstat returns.
BYTE_FOR_BYTE = "LATIN1"


def texts_of_cells(column: np.ndarray) -> pa.DictionaryArray:
    """Text (n_records, n_bytes) without the blanks behind it, each byte as one character."""
    width = column.shape[1]
    cells = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(column), [None, pa.py_buffer(np.ascontiguousarray(column))]
    )
    encoded = cells.dictionary_encode()
    distinct = [
        value.rstrip(b" \0").partition(b"\0")[0].decode(BYTE_FOR_BYTE) for value in encoded.dictionary.to_pylist()
    ]
    return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(distinct, type=pa.large_string()))


def numbers_of_cells(column: np.ndarray) -> np.ndarray:
    """IBM's numbers (n_records, n_bytes) as float64 (n_records,), NaN where missing: a letter or sign, and zeros.

    Of their 56 bits a float has 53: the last ones are cut off, as pyreadstat does.
    """
    width = column.shape[1]
    if not _SHORTEST_NUMBER <= width <= _LONGEST_NUMBER:
        return np.full(len(column), np.nan)
    cells = np.zeros((len(column), _LONGEST_NUMBER), dtype=np.uint8)
    cells[:, :width] = column
    bits = cells.view(">u8").ravel().astype(np.uint64)
    mantissa, first = bits & np.uint64((1 << 56) - 1), cells[:, 0]
    shift = (np.uint64(1) << np.arange(53, 56, dtype=np.uint64)[:, None] <= mantissa).sum(axis=0).astype(np.uint64)
    power = ((first & 0x7F).astype(np.int64) - 65) * 4 + shift.astype(np.int64) + 1023
    of_float = power.astype(np.uint64) << np.uint64(52) | mantissa >> shift & np.uint64((1 << 52) - 1)
    numbers = (bits & np.uint64(1 << 63) | of_float).view(np.float64)
    return np.where(mantissa > 0, numbers, np.where(first > 0, np.nan, 0.0))


def cells_of(column: pd.Series) -> np.ndarray:
    """The values (n_records, n_bytes) as they are in a transport file: text with blanks behind it, or IBM numbers."""
    if column.dtype.kind == "f":
        return _ibm_numbers(column.to_numpy())
    codes, distinct = pd.factorize(column)
    texts = [*(text.encode() for text in distinct), b""]
    width = max(1, *map(len, texts))
    padded = b"".join(text.partition(b"\0")[0].ljust(width) for text in texts)
    return np.frombuffer(padded, dtype=np.uint8).reshape(-1, width)[codes]


def _ibm_numbers(numbers: np.ndarray) -> np.ndarray:
    """Float64 (n,) as IBM's double precision (n, 8), exactly: a missing one is a point, what is too small is zero."""
    bits = numbers.astype(np.float64).view(np.uint64)
    power = ((bits >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64) - 1023
    mantissa = (bits & np.uint64((1 << 52) - 1)) | np.uint64(1 << 52)
    sign = bits & np.uint64(1 << 63)
    found = sign | ((power >> 2) + 65).astype(np.uint64) << np.uint64(56) | mantissa << (power & 3).astype(np.uint64)
    found = np.where(power > _LARGEST_POWER, sign | np.uint64((1 << 63) - 1), found)
    found = np.where(power < _SMALLEST_POWER, np.uint64(0), found)
    found = np.where(np.isnan(numbers), np.uint64(0x2E << 56), found)
    return found.astype(">u8").view(np.uint8).reshape(-1, 8)
