"""Reading SAS transport files (XPT, version 5 and 8), after making sure that they are whole.

pyreadstat reads the values. It takes a file that was cut off for a shorter one, so the layout is checked here
from the file's own headers (SAS technical note TS-140 and its version 8 sequel): all is in records of 80 bytes,
observations of a fixed length follow each other, and blanks fill the last record.
"""

from __future__ import annotations

import errno
import io
import re
import struct
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.encodings import chosen_encoding
from study.formats.messages import leave_out_setting, no_record_fault, several_datasets_fault, shown_name
from study.formats.outgoing import FileWriter, Moment, OutgoingTable, bytes_of_file
from study.formats.registry import Format
from study.formats.statistics_files import SAS_FORMATS
from study.formats.tables import FileContents, FileOptions
from study.formats.values import clean_name, name_faults

_RECORD = 80
_LIBRARY_HEADERS = (b"HEADER RECORD*******LIBRARY HEADER RECORD", b"HEADER RECORD*******LIBV8   HEADER RECORD")
_MEMBER_HEADERS = (b"HEADER RECORD*******MEMBER  HEADER RECORD", b"HEADER RECORD*******MEMBV8  HEADER RECORD")
_NAMES_HEADERS = (b"HEADER RECORD*******NAMESTR HEADER RECORD", b"HEADER RECORD*******NAMSTV8 HEADER RECORD")
_DATA_HEADERS = (b"HEADER RECORD*******OBS     HEADER RECORD", b"HEADER RECORD*******OBSV8   HEADER RECORD")
# The member header, two records of its description with one header, and then the header of the variables.
_MEMBER_AT = 3 * _RECORD
_NAMES_AT = 7 * _RECORD
_COUNT = slice(48, 63)  # of the observations, in the last header of version 8
_SMALLEST_POWER, _LARGEST_POWER = -260, 248  # of 2, that IBM's numbers have
# Every byte is one character of this encoding, so the bytes can be had back from what pyreadstat returns.
_BYTE_FOR_BYTE = "LATIN1"


@dataclass(frozen=True)
class _Layout:
    """The position of the observations in a transport file."""

    names: list[bytes] = field(repr=False)
    observation_length: int
    data_at: int
    n_declared: int | None


class _NotWholeError(Exception):
    """The bytes do not follow the layout; the text says in which way, without any of the content."""


def read_xport(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a SAS transport file with one dataset: numeric variables as float64, character variables as text.

    Numbers with a date or time format become ISO 8601. Special missing values (.A to .Z, ._) are
    missing. The encoding is the declared one, UTF-8, or guessed and noted. Raises FaultyInputError for a file that is
    cut off, contains several datasets, or is none at all.
    """
    path = source.path
    layout = _checked_layout(source)
    columns, labels, formats, label = _columns_and_labels(source)
    n_records = len(columns[0])
    texts = {
        position: pa.array(column, type=pa.large_string()).dictionary_encode()
        for position, column in enumerate(columns)
        if not isinstance(column, np.ndarray)
    }
    encoding, notes = _encoding(texts.values(), layout.names, labels, path, options.encoding)
    names = [clean_name(name.decode(encoding, errors="replace")) for name in layout.names]
    faults = name_faults(names, path)
    if n_records == 0:
        faults.append(no_record_fault(path))
    stop_at(faults)
    values = {
        name: _decoded(texts[position], encoding)
        if position in texts
        else SAS_FORMATS.iso(np.asarray(columns[position]), formats[position])
        for position, name in enumerate(names)
    }
    if layout.n_declared is None and n_records < _fewest_observations(len(source.content), layout):
        notes.append("blank records at the end, left out")
    # A label may be cut within a character at its 40 bytes.
    clean_labels = {
        name: clean_name(label.decode(encoding, errors="ignore"))
        for name, label in zip(names, labels, strict=True)
        if label
    }
    written_as = "xpt8" if source.content.startswith(_LIBRARY_HEADERS[1]) else "xpt5"
    data_set_label = clean_name(label.decode(encoding, errors="ignore"))
    return FileContents(values, notes, clean_labels, label=data_set_label, written_as=written_as)


def _columns_and_labels(source: SourceFile) -> tuple[list[np.ndarray | list[str]], list[bytes], list[str], bytes]:
    """Return the columns, numbers as arrays and text as lists of one character per byte, their labels and formats.

    The last is the label of the data set.
    """
    import pyreadstat

    try:
        with warnings.catch_warnings():
            # About duplicate names, which are a fault here.
            warnings.simplefilter("ignore")
            columns, metadata = pyreadstat.read_xport(
                io.BytesIO(source.content),
                encoding=_BYTE_FOR_BYTE,
                output_format="dict",
                disable_datetime_conversion=True,
            )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
        raise FaultyInputError(_damaged_fault(source.path, "its header or its values cannot be read")) from None
    kinds, formats = metadata.readstat_variable_types, metadata.original_variable_types
    values = [
        list(column) if kinds[name] == "string" else np.asarray(column, dtype=np.float64)
        for name, column in columns.items()
    ]
    labels = [(label or "").encode(_BYTE_FOR_BYTE) for label in metadata.column_labels]
    file_label = (metadata.file_label or "").encode(_BYTE_FOR_BYTE)
    return values, labels, [formats.get(name) or "" for name in columns], file_label


# Text


def _encoding(
    texts: Iterable[pa.DictionaryArray], names: list[bytes], labels: list[bytes], path: Path, declared: str | None
) -> tuple[str, list[str]]:
    """Return the encoding of the text and a note where it was guessed.

    Values decide, then names; labels count only where both are plain, for they may be cut within a
    character.
    """
    values = {
        value.encode(_BYTE_FOR_BYTE)
        for text in texts
        for value in text.dictionary.filter(pc.invert(pc.string_is_ascii(text.dictionary))).to_pylist()
    }
    pieces = values or [name for name in names if not name.isascii()] or labels
    return chosen_encoding(pieces, "distinct value", path, declared)


def _decoded(text: pa.DictionaryArray, encoding: str) -> pa.Array:
    """Return text of one character per byte in the encoding that the bytes were written in."""
    distinct = text.dictionary
    if not pc.all(pc.string_is_ascii(distinct)).as_py():
        values = [value.encode(_BYTE_FOR_BYTE).decode(encoding) for value in distinct.to_pylist()]
        distinct = pa.array(values, type=pa.large_string())
    return distinct.take(text.indices)


# Layout


def _checked_layout(source: SourceFile) -> _Layout:
    path, data = source.path, source.content
    if not data.startswith(_LIBRARY_HEADERS):
        cport = " (it looks like a CPORT file, which is another format)" if b"COMPRESSED" in data[:_RECORD] else ""
        raise FaultyInputError(
            f"{path.name}: this is not a SAS transport file{cport}. Export the dataset with the XPORT engine "
            f"of SAS, or leave the domain out by {leave_out_setting(path)}."
        )
    n_members = _n_members(data)
    if n_members > 1:
        raise FaultyInputError(several_datasets_fault(path, n_members))
    try:
        layout = _layout(data)
        _check_end(data, layout)
    except (_NotWholeError, struct.error, ValueError) as error:
        reason = str(error) if isinstance(error, _NotWholeError) else "its headers are not readable"
        raise FaultyInputError(_damaged_fault(path, reason)) from None
    return layout


def _layout(data: bytes) -> _Layout:
    """Read the headers of a transport file up to its first observation."""
    member = data[_MEMBER_AT : _MEMBER_AT + _RECORD]
    names = data[_NAMES_AT : _NAMES_AT + _RECORD]
    if not (member.startswith(_MEMBER_HEADERS) and names.startswith(_NAMES_HEADERS)):
        raise _NotWholeError("it ends within its headers, or they are damaged")
    description_length, n_variables = int(member[74:78]), int(names[53:58])
    first = _NAMES_AT + _RECORD
    # The length of a variable is the third of the two-byte numbers that begin its description.
    starts = [first + number * description_length for number in range(n_variables)]
    lengths = [struct.unpack_from(">h", data, start + 4)[0] for start in starts]
    # Version 8 has room for a long name behind the short one.
    name_at, name_length = (88, 32) if names.startswith(_NAMES_HEADERS[1]) else (8, 8)
    variables = [data[start + name_at : start + name_at + name_length].rstrip(b" \0") for start in starts]
    if n_variables == 0 or min(lengths) <= 0:
        raise _NotWholeError("it describes no variable")
    data_header_at = _aligned_find(data, _DATA_HEADERS, _rounded_up(first + n_variables * description_length))
    if data_header_at is None:
        raise _NotWholeError("it ends before the first record")
    header = data[data_header_at : data_header_at + _RECORD]
    # Version 8 counts the observations; writers that do not know the number leave zero or blanks.
    n_declared = int(header[_COUNT].strip() or 0) if header.startswith(_DATA_HEADERS[1]) else 0
    return _Layout(variables, sum(lengths), data_header_at + _RECORD, n_declared or None)


def _check_end(data: bytes, layout: _Layout) -> None:
    """Raise where the data do not end with a whole observation and less than a record of blanks.

    A version 5 file that was cut exactly between two observations cannot be told from a whole one.
    """
    if len(data) % _RECORD:
        raise _NotWholeError(f"it ends within a record of {_RECORD} bytes")
    n_bytes = len(data) - layout.data_at
    n_whole = n_bytes // layout.observation_length if layout.n_declared is None else layout.n_declared
    n_after = n_bytes - n_whole * layout.observation_length
    if n_after < 0:
        n_present = n_bytes // layout.observation_length
        raise _NotWholeError(f"it announces {counted(n_whole, 'record')} and contains {n_present:,}")
    after = data[len(data) - n_after :]
    if n_after >= _RECORD or after.strip(b" "):
        raise _NotWholeError("its last record is not whole")


def _fewest_observations(file_size: int, layout: _Layout) -> int:
    """Return how many observations there are at least, the blanks at the end taken for filling."""
    n_bytes = file_size - layout.data_at
    return max(0, -(-(n_bytes - _RECORD + 1) // layout.observation_length))


def _n_members(data: bytes) -> int:
    n_members, position = 0, _MEMBER_AT
    while (found := _aligned_find(data, _MEMBER_HEADERS, position)) is not None:
        n_members, position = n_members + 1, found + _RECORD
    return n_members


def _aligned_find(data: bytes, headers: tuple[bytes, ...], start: int) -> int | None:
    """Return where the next of these headers begins a record."""
    found = []
    for header in headers:
        position = data.find(header, start)
        while position >= 0 and position % _RECORD:
            position = data.find(header, position + 1)
        if position >= 0:
            found.append(position)
    return min(found, default=None)


def _rounded_up(position: int) -> int:
    return -(-position // _RECORD) * _RECORD


def _damaged_fault(path: Path, reason: str) -> str:
    return (
        f"{path.name}: the transport file is cut off or damaged: {reason}. Copy or export it again (binary mode "
        f"where a file transfer offers it), or leave the domain out by {leave_out_setting(path)}."
    )


# Writing


def write_xport_5(table: OutgoingTable) -> bytes:
    """A transport file of version 5: names of up to 8 letters, labels of up to 40, text of up to 200 bytes."""
    return _written(table, version=5, longest_name=8, longest_label=40, longest_text=200)


def write_xport_8(table: OutgoingTable) -> bytes:
    """A transport file of version 8: names of up to 32 letters, labels of up to 256, text of up to 32,767 bytes."""
    return _written(table, version=8, longest_name=32, longest_label=256, longest_text=32_767)


def _written(
    table: OutgoingTable, version: Literal[5, 8], longest_name: int, longest_label: int, longest_text: int
) -> bytes:
    stop_at(_faults_of_outgoing(table, version, longest_name, longest_text))
    labels: list[str | None] = [_cut(table.labels.get(str(name), ""), longest_label) for name in table.frame]
    columns = [_as_bytes(column) for _, column in table.frame.items()]
    # The library takes seconds for the observations of a study: it writes the headers, of one observation as wide.
    widths = {
        str(name): [0.0] if column.dtype.kind == "f" else ["x" * of_bytes.shape[1]]
        for (name, column), of_bytes in zip(table.frame.items(), columns, strict=True)
    }

    def write(path: Path) -> None:
        import pyreadstat

        pyreadstat.write_xport(
            pd.DataFrame(widths),
            path,
            file_label=_cut(table.label, 40),
            column_labels=labels,
            table_name=table.name[:longest_name],
            file_format_version=version,
        )

    headers = bytes_of_file(write)
    if not _is_whole(headers, 1):  # the library gives no reason if the disk is full
        raise OSError(errno.EIO, f"{table.name}.xpt could not be written whole, as on a full disk")
    headers = headers[: _layout(headers).data_at]
    if version == 8:
        at = len(headers) - _RECORD + _COUNT.start
        headers = headers[:at] + b"%15d" % len(table.frame) + headers[at + 15 :]
    observations = np.concatenate(columns, axis=1).tobytes()
    return _dated(headers, table.created) + observations.ljust(_rounded_up(len(observations)))


def _as_bytes(column: pd.Series) -> np.ndarray:
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


def _is_whole(content: bytes, n_records: int) -> bool:
    try:
        layout = _layout(content)
    except (_NotWholeError, struct.error, ValueError):
        return False
    return len(content) == _rounded_up(layout.data_at + n_records * layout.observation_length)


def _faults_of_outgoing(table: OutgoingTable, version: int, longest_name: int, longest_text: int) -> list[str]:
    names = [str(name) for name in table.frame]
    unfit = [name for name in names if not re.fullmatch(rf"[A-Za-z_][A-Za-z0-9_]{{0,{longest_name - 1}}}", name)]
    faults = []
    if unfit:
        faults.append(
            f"{table.name}: {counted(len(unfit), 'column')} with a name that XPT version {version} cannot hold "
            f"({listed(map(shown_name, unfit), at_most=5)}); allowed: up to {longest_name} letters, digits and _. "
            "Release in another format."
        )
    for name in names:
        if table.frame[name].dtype.kind == "f":
            continue
        distinct = table.frame[name].dropna().drop_duplicates()
        n_long = sum(len(text.encode()) > longest_text for text in distinct)
        if n_long:
            faults.append(
                f"{table.name}, column {shown_name(name)}: {counted(n_long, 'distinct value')} longer than the "
                f"{longest_text:,} bytes of XPT version {version}. Release in another format, or remove the column."
            )
    return faults


def _cut(text: str, n_bytes: int) -> str:
    return text.encode()[:n_bytes].decode(errors="ignore")


def _dated(content: bytes, moment: Moment) -> bytes:
    """The file with its four dates, of library and member, made and changed, set to the moment of the release."""
    month = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")[moment.month - 1]
    date = f"{moment.day:02d}{month}{moment.year % 100:02d}:{moment:%H:%M:%S}".encode()
    header = bytearray(content[:_NAMES_AT])
    for place in (_RECORD + 64, 2 * _RECORD, _MEMBER_AT + 2 * _RECORD + 64, _MEMBER_AT + 3 * _RECORD):
        header[place : place + len(date)] = date
    return bytes(header) + content[_NAMES_AT:]


FORMAT = Format(
    readers={".xpt": read_xport},
    documentation="SAS XPT v5 and v8",
    place=2,
    writers={"xpt5": FileWriter(".xpt", write_xport_5), "xpt8": FileWriter(".xpt", write_xport_8)},
)
