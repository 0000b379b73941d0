"""Where the parts of a SAS transport file (XPT, version 5 and 8) are, from its own headers, and how its values are.

All is in records of 80 bytes, observations of a fixed length follow each other, and blanks fill the last record (SAS
technical note TS-140 and its version 8 sequel). Text has blanks behind it, and numbers are as IBM's machines had them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.telling.words import counted

RECORD = 80
LIBRARY_HEADERS = (b"HEADER RECORD*******LIBRARY HEADER RECORD", b"HEADER RECORD*******LIBV8   HEADER RECORD")
_MEMBER_HEADERS = (b"HEADER RECORD*******MEMBER  HEADER RECORD", b"HEADER RECORD*******MEMBV8  HEADER RECORD")
_NAMES_HEADERS = (b"HEADER RECORD*******NAMESTR HEADER RECORD", b"HEADER RECORD*******NAMSTV8 HEADER RECORD")
_DATA_HEADERS = (b"HEADER RECORD*******OBS     HEADER RECORD", b"HEADER RECORD*******OBSV8   HEADER RECORD")
# The member header, two records of its description with one header, and then the header of the variables.
MEMBER_AT = 3 * RECORD
NAMES_AT = 7 * RECORD
_NUMBER = 1  # the kind of a variable
COUNT = slice(48, 63)  # of the observations, in the last header of version 8
_SHORTEST_NUMBER, _LONGEST_NUMBER = 3, 8  # bytes
_SMALLEST_POWER, _LARGEST_POWER = -260, 248  # of 2, that IBM's numbers have
# Every byte is one character of this encoding, so the bytes can be had back from what pyreadstat returns.
BYTE_FOR_BYTE = "LATIN1"


@dataclass(frozen=True)
class XportLayout:
    """The position of the observations in a transport file."""

    names: list[bytes] = field(repr=False)
    lengths: list[int]
    are_numbers: list[bool]
    data_at: int
    n_declared: int | None

    @property
    def observation_length(self) -> int:
        return sum(self.lengths)


class NotWholeError(Exception):
    """The bytes do not follow the layout; the text says in which way, without any of the content."""


def layout_of(data: bytes) -> XportLayout:
    """Read the headers of a transport file up to its first observation."""
    member = data[MEMBER_AT : MEMBER_AT + RECORD]
    names = data[NAMES_AT : NAMES_AT + RECORD]
    if not (member.startswith(_MEMBER_HEADERS) and names.startswith(_NAMES_HEADERS)):
        raise NotWholeError("it ends within its headers, or they are damaged")
    description_length, n_variables = int(member[74:78]), int(names[53:58])
    first = NAMES_AT + RECORD
    # A description begins with two-byte numbers: the first is 1 of a number, the third the length of the variable.
    starts = [first + number * description_length for number in range(n_variables)]
    descriptions = [struct.unpack_from(">hhh", data, start) for start in starts]
    lengths = [length for _, _, length in descriptions]
    # Version 8 has room for a long name behind the short one.
    name_at, name_length = (88, 32) if names.startswith(_NAMES_HEADERS[1]) else (8, 8)
    variables = [data[start + name_at : start + name_at + name_length].rstrip(b" \0") for start in starts]
    if n_variables == 0 or min(lengths) <= 0:
        raise NotWholeError("it describes no variable")
    data_header_at = next(_places(data, _DATA_HEADERS, rounded_up(first + n_variables * description_length)), None)
    if data_header_at is None:
        raise NotWholeError("it ends before the first record")
    header = data[data_header_at : data_header_at + RECORD]
    # Version 8 counts the observations; writers that do not know the number leave zero or blanks.
    n_declared = int(header[COUNT].strip() or 0) if header.startswith(_DATA_HEADERS[1]) else 0
    are_numbers = [kind == _NUMBER for kind, _, _ in descriptions]
    return XportLayout(variables, lengths, are_numbers, data_header_at + RECORD, n_declared or None)


def check_end(data: bytes, layout: XportLayout) -> None:
    """Raise where the data do not end with a whole observation and less than a record of blanks.

    A version 5 file that was cut exactly between two observations cannot be told from a whole one.
    """
    if len(data) % RECORD:
        raise NotWholeError(f"it ends within a record of {RECORD} bytes")
    n_bytes = len(data) - layout.data_at
    n_whole = n_bytes // layout.observation_length if layout.n_declared is None else layout.n_declared
    n_after = n_bytes - n_whole * layout.observation_length
    if n_after < 0:
        n_present = n_bytes // layout.observation_length
        raise NotWholeError(f"it announces {counted(n_whole, 'record')} and contains {n_present:,}")
    after = data[len(data) - n_after :]
    if n_after >= RECORD or after.strip(b" "):
        raise NotWholeError("its last record is not whole")


def fewest_observations(file_size: int, layout: XportLayout) -> int:
    """Return how many observations there are at least, the blanks at the end taken for filling."""
    n_bytes = file_size - layout.data_at
    return max(0, -(-(n_bytes - RECORD + 1) // layout.observation_length))


def n_members_of(data: bytes) -> int:
    return len(list(_places(data, _MEMBER_HEADERS, MEMBER_AT)))


def _places(data: bytes, headers: tuple[bytes, ...], start: int) -> Iterator[int]:
    """Where records begin with one of these headers, from ``start`` on."""
    found = re.compile(b"|".join(map(re.escape, headers))).finditer(data, start)
    return (match.start() for match in found if match.start() % RECORD == 0)


def rounded_up(position: int) -> int:
    return -(-position // RECORD) * RECORD


def observations_of(data: bytes, layout: XportLayout) -> np.ndarray:
    """The bytes of each observation (n_records, observation_length); blank ones at the end are none, unless counted."""
    length = layout.observation_length
    n_there = (len(data) - layout.data_at) // length
    n = n_there if layout.n_declared is None else layout.n_declared
    found = np.frombuffer(data, dtype=np.uint8, count=n * length, offset=layout.data_at).reshape(n, length)
    while layout.n_declared is None and n and (found[n - 1] == ord(" ")).all():
        n -= 1
    return found[:n]


# ---------------------------------------------------------------- values


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
