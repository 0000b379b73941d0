"""Reading SAS transport files (XPT, version 5 and 8), after making sure that they are whole.

pyreadstat reads and writes the descriptions of the variables. It takes a file that was cut off for a shorter one, so
the layout is checked here; and it takes ten times as long for the values as numpy does.
"""

from __future__ import annotations

import errno
import io
import re
import struct
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import TextCodes
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.encodings import chosen_encoding
from study.formats.messages import in_our_words, leave_out_setting, no_record_fault, several_datasets_fault, shown_name
from study.formats.outgoing import FileWriter, Moment, OutgoingTable, bytes_of_file
from study.formats.registry import Format
from study.formats.statistics_files import SAS_FORMATS, iso_by_format
from study.formats.tables import FileContents, FileOptions
from study.formats.values import clean_name, name_faults
from study.formats.xport_layout import (
    BYTE_FOR_BYTE,
    COUNT,
    LIBRARY_HEADERS,
    MEMBER_AT,
    NAMES_AT,
    RECORD,
    NotWholeError,
    XportLayout,
    cells_of,
    check_end,
    fewest_observations,
    layout_of,
    n_members_of,
    numbers_of_cells,
    observations_of,
    rounded_up,
    texts_of_cells,
)


def read_xport(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a SAS transport file with one dataset: numeric variables as float64, character variables as text.

    Numbers with a date or time format become ISO 8601. Special missing values (.A to .Z, ._) are
    missing. The encoding is the declared one, UTF-8, or guessed and noted. Raises FaultyInputError for a file that is
    cut off, contains several datasets, or is none at all.
    """
    path = source.path
    layout = _checked_layout(source)
    labels, formats, label = _labels_and_formats(source)
    observations = observations_of(source.content, layout)
    n_records = len(observations)
    ends = np.cumsum(layout.lengths)
    columns = [observations[:, end - length : end] for end, length in zip(ends, layout.lengths, strict=True)]
    texts = {
        position: texts_of_cells(column) for position, column in enumerate(columns) if not layout.are_numbers[position]
    }
    encoding, notes = _encoding(texts.values(), layout.names, labels, path, options.encoding)
    names = [clean_name(name.decode(encoding, errors="replace")) for name in layout.names]
    stop_at([*name_faults(names, path), *([] if n_records else [no_record_fault(path)])])
    values = {
        name: _decoded(texts[position], encoding)
        if position in texts
        else iso_by_format(numbers_of_cells(columns[position]), SAS_FORMATS, formats[position])
        for position, name in enumerate(names)
    }
    if layout.n_declared is None and n_records < fewest_observations(len(source.content), layout):
        notes.append("blank records at the end, left out")
    # A label may be cut within a character at its 40 bytes.
    clean_labels = {
        name: clean_name(label.decode(encoding, errors="ignore"))
        for name, label in zip(names, labels, strict=True)
        if label
    }
    written_as = "xpt8" if source.content.startswith(LIBRARY_HEADERS[1]) else "xpt5"
    data_set_label = clean_name(label.decode(encoding, errors="ignore"))
    return FileContents(values, notes, clean_labels, label=data_set_label, written_as=written_as)


def _labels_and_formats(source: SourceFile) -> tuple[list[bytes], list[str], bytes]:
    """Return the labels and formats of the variables, and the label of the data set."""
    import pyreadstat

    stumbles = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError)
    damaged = _damaged(source.path, "its header or its values cannot be read")
    # It warns of duplicate names, which are a fault here.
    with in_our_words(damaged, *stumbles), warnings.catch_warnings(action="ignore"):
        _, metadata = pyreadstat.read_xport(io.BytesIO(source.content), encoding=BYTE_FOR_BYTE, metadataonly=True)
    formats = metadata.original_variable_types
    labels = [(label or "").encode(BYTE_FOR_BYTE) for label in metadata.column_labels]
    file_label = (metadata.file_label or "").encode(BYTE_FOR_BYTE)
    return labels, [formats.get(name) or "" for name in metadata.column_names], file_label


# Text


def _encoding(
    texts: Iterable[pa.DictionaryArray], names: list[bytes], labels: list[bytes], path: Path, declared: str | None
) -> tuple[str, list[str]]:
    """Return the encoding of the text and a note where it was guessed.

    Values decide, then names; labels count only where both are plain, for they may be cut within a
    character.
    """
    values = {
        value.encode(BYTE_FOR_BYTE)
        for text in texts
        for value in text.dictionary.filter(pc.invert(pc.string_is_ascii(text.dictionary))).to_pylist()
    }
    pieces = values or [name for name in names if not name.isascii()] or labels
    return chosen_encoding(pieces, "distinct value", path, declared)


def _decoded(text: pa.DictionaryArray, encoding: str) -> TextCodes | pa.Array:
    """Return text of one character per byte in the encoding that it was written in; encoded where the texts are few."""
    distinct = text.dictionary
    if not pc.all(pc.string_is_ascii(distinct)).as_py():
        values = [value.encode(BYTE_FOR_BYTE).decode(encoding) for value in distinct.to_pylist()]
        distinct = pa.array(values, type=pa.large_string())
    are_few = 2 * len(distinct) <= len(text) and pc.count_distinct(distinct).as_py() == len(distinct)
    return TextCodes(np.asarray(text.indices), distinct) if are_few else distinct.take(text.indices)


# Layout


def _checked_layout(source: SourceFile) -> XportLayout:
    path, data = source.path, source.content
    if not data.startswith(LIBRARY_HEADERS):
        cport = " (it looks like a CPORT file, which is another format)" if b"COMPRESSED" in data[:RECORD] else ""
        raise FaultyInputError(
            f"{path.name}: this is not a SAS transport file{cport}. Export the dataset with the XPORT engine "
            f"of SAS, or leave the domain out by {leave_out_setting(path)}."
        )
    n_members = n_members_of(data)
    if n_members > 1:
        raise FaultyInputError(several_datasets_fault(path, n_members))
    try:
        layout = layout_of(data)
        check_end(data, layout)
    except (NotWholeError, struct.error, ValueError) as error:
        reason = str(error) if isinstance(error, NotWholeError) else "its headers are not readable"
        raise FaultyInputError(_damaged(path, reason)) from None
    return layout


def _damaged(path: Path, reason: str) -> str:
    return (
        f"{path.name}: the transport file is cut off or damaged: {reason}. Copy or export it again (binary mode "
        f"where a file transfer offers it), or leave the domain out by {leave_out_setting(path)}."
    )


# Writing


# By version, the most letters of a name and of a label, and the most bytes of a text.
_LONGEST = {5: (8, 40, 200), 8: (32, 256, 32_767)}


def write_xport(table: OutgoingTable, version: Literal[5, 8]) -> bytes:
    """A transport file of version 5 or 8."""
    longest_name, longest_label, longest_text = _LONGEST[version]
    stop_at(_faults_of_outgoing(table, version, longest_name, longest_text))
    labels: list[str | None] = [_cut(table.labels.get(str(name), ""), longest_label) for name in table.frame]
    columns = [cells_of(column) for _, column in table.frame.items()]
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
    headers = headers[: layout_of(headers).data_at]
    if version == 8:
        at = len(headers) - RECORD + COUNT.start
        headers = headers[:at] + b"%15d" % len(table.frame) + headers[at + 15 :]
    observations = np.concatenate(columns, axis=1).tobytes()
    return _dated(headers, table.created) + observations.ljust(rounded_up(len(observations)))


def _is_whole(content: bytes, n_records: int) -> bool:
    try:
        layout = layout_of(content)
    except (NotWholeError, struct.error, ValueError):
        return False
    return len(content) == rounded_up(layout.data_at + n_records * layout.observation_length)


def _faults_of_outgoing(table: OutgoingTable, version: int, longest_name: int, longest_text: int) -> Iterator[str]:
    names = [str(name) for name in table.frame]
    unfit = [name for name in names if not re.fullmatch(rf"[A-Za-z_][A-Za-z0-9_]{{0,{longest_name - 1}}}", name)]
    if unfit:
        yield (
            f"{table.name}: {counted(len(unfit), 'column')} with a name that XPT version {version} cannot hold "
            f"({listed(map(shown_name, unfit), at_most=5)}); allowed: up to {longest_name} letters, digits and _. "
            "Release in another format."
        )
    for name in (name for name in names if table.frame[name].dtype.kind != "f"):
        distinct = table.frame[name].dropna().drop_duplicates()
        n_long = sum(len(text.encode()) > longest_text for text in distinct)
        if n_long:
            yield (
                f"{table.name}, column {shown_name(name)}: {counted(n_long, 'distinct value')} longer than the "
                f"{longest_text:,} bytes of XPT version {version}. Release in another format, or remove the column."
            )


def _cut(text: str, n_bytes: int) -> str:
    return text.encode()[:n_bytes].decode(errors="ignore")


def _dated(content: bytes, moment: Moment) -> bytes:
    """The file with its four dates, of library and member, made and changed, set to the moment of the release."""
    month = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")[moment.month - 1]
    date = f"{moment.day:02d}{month}{moment.year % 100:02d}:{moment:%H:%M:%S}".encode()
    header = bytearray(content[:NAMES_AT])
    for place in (RECORD + 64, 2 * RECORD, MEMBER_AT + 2 * RECORD + 64, MEMBER_AT + 3 * RECORD):
        header[place : place + len(date)] = date
    return bytes(header) + content[NAMES_AT:]


FORMAT = Format(
    readers={".xpt": read_xport},
    documentation="SAS XPT v5 and v8",
    place=2,
    writers={
        "xpt5": FileWriter(".xpt", partial(write_xport, version=5)),
        "xpt8": FileWriter(".xpt", partial(write_xport, version=8)),
    },
)
