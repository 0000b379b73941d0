"""Reading SAS (.sas7bdat), SPSS (.sav, .zsav) and Stata (.dta) data sets: dates by their formats, value labels."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import listed
from study.formats.dates import time_of_seconds
from study.formats.epochs import EPOCHS
from study.formats.messages import damaged_fault, in_our_words, no_record_fault, setting_of, shown_name
from study.formats.packed import check_unfolded_size
from study.formats.registry import Format
from study.formats.tables import FileContents, FileOptions
from study.formats.values import clean_name, name_faults

_BYTES_OF_VALUE = 8
_TIMES = {"time": 1, "time in ms": 1000}


# A program's date formats: their pattern, and the epoch, or one of the ``_TIMES``; the first one that fits is meant.
DateFormats: TypeAlias = Sequence[tuple[str, str]]
SAS_FORMATS: DateFormats = (
    (r"(E8601|IS8601|B8601)(DT|DN|LX|DZ)|DATETIME|DATEAMPM|DT|MDYAMPM|NLDATM", "SAS-seconds"),
    (r"(E8601|IS8601|B8601)(TM|TZ)|TIME|HHMM|TOD", "time"),
    (
        r"(E8601|IS8601|B8601)DA|DATE|DDMMYY|MMDDYY|YYMM|MMYY|MONYY|JULIAN|WEEKDAT|WORDDAT|EURDF|NLDATE|YYQ|WEEK|JULDAY|PDJUL",
        "SAS",
    ),
)
SPSS_FORMATS: DateFormats = (
    (r"DATETIME|YMDHMS", "SPSS"),
    (r"TIME|MTIME", "time"),
    (r"[AESJ]?DATE|QYR|MOYR|WKYR", "SPSS"),
)
STATA_FORMATS: DateFormats = (
    (r"%-?tc[HhMmSs:. ]+$", "time in ms"),
    (r"%-?t[cC]", "Stata-milliseconds"),
    (r"%-?t?d", "SAS"),
    (r"%-?tw", "Stata-weeks"),
    (r"%-?tm", "Stata-months"),
    (r"%-?tq", "Stata-quarters"),
    (r"%-?th", "Stata-halfyears"),
    (r"%-?ty", "Stata-years"),
)


def iso_by_format(numbers: np.ndarray, formats: DateFormats, format_name: str | None) -> np.ndarray | pa.Array:
    """Numbers (n_records,) as ISO 8601 where the format means dates or times."""
    counts = next((one for pattern, one in formats if re.match(pattern, format_name or "", re.IGNORECASE)), None)
    if counts is None:
        return numbers
    return time_of_seconds(numbers / _TIMES[counts]) if counts in _TIMES else EPOCHS[counts].iso(numbers)


# By suffix, how pyreadstat calls the reader, and the program's formats.
_PROGRAMS = {
    ".sas7bdat": ("sas7bdat", SAS_FORMATS),
    ".sav": ("sav", SPSS_FORMATS),
    ".zsav": ("sav", SPSS_FORMATS),
    ".dta": ("dta", STATA_FORMATS),
}
_STATA_BEGINNING, _STATA_END = b"<stata_dta>", b"</stata_dta>"  # since version 13


def read_statistics_file(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a data set of SAS, SPSS or Stata: numbers as float64, dates and text as text.

    Values that the file itself declares missing are missing. Value labels take the place of codes where the config says
    ``"value_labels": "labels"``; those of SAS lie in another file, its catalogue. Raises FaultyInputError for a file
    that is cut off, damaged, or none at all.
    """
    program, formats = _PROGRAMS[source.path.suffix.lower()]
    if source.content.startswith(_STATA_BEGINNING) and not source.content.rstrip(b"\0\r\n").endswith(_STATA_END):
        raise FaultyInputError(_damaged(source))
    path = source.path
    columns, metadata = _opened(source, options, program)
    names = [clean_name(name) for name in columns]
    has_records = any(map(len, columns.values()))
    stop_at([*name_faults(names, path), *([] if has_records else [no_record_fault(path)])])
    labelled: Mapping[str, Mapping[Any, str]] = metadata.variable_value_labels
    values: dict[str, np.ndarray | pa.Array] = {}
    for name, (given_name, column) in zip(names, columns.items(), strict=True):
        if metadata.readstat_variable_types[given_name] == "string":
            values[name] = pa.array(list(column), type=pa.large_string())
        else:
            numbers = np.asarray(column, dtype=np.float64)
            values[name] = iso_by_format(numbers, formats, metadata.original_variable_types.get(given_name))
        if options.value_labels == "labels" and given_name in labelled:
            values[name] = _with_labels(values[name], labelled[given_name])
    coded = [shown_name(name) for name, given in zip(names, columns, strict=True) if given in labelled]
    words = {
        "codes": "codes kept where the file has value labels: {}; for labels: "
        + setting_of(path, "value_labels", "labels"),
        "labels": "value labels read instead of codes: {}",
    }[options.value_labels]
    notes = [words.replace("{}", listed(coded, at_most=8))] if coded else []
    labels = zip(names, metadata.column_labels, strict=True)
    of_columns = {name: clean_name(label) for name, label in labels if label}
    return FileContents(values, notes, of_columns, is_typed_by_hand=True)


def _opened(source: SourceFile, options: FileOptions, program: str) -> tuple[Mapping[str, Sequence[Any]], Any]:
    import pyreadstat

    read = getattr(pyreadstat, f"read_{program}")
    arguments: dict[str, Any] = {"output_format": "dict", "disable_datetime_conversion": True}
    arguments |= {"encoding": options.encoding} if options.encoding else {}
    stumbles = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, KeyError, MemoryError)
    with in_our_words(_damaged(source), *stumbles), warnings.catch_warnings(action="ignore"):
        _, announced = read(io.BytesIO(source.content), metadataonly=True, **arguments)
        n_values = max(announced.number_rows or 0, 0) * announced.number_columns
        check_unfolded_size(source.path, len(source.content), _BYTES_OF_VALUE * n_values)
        columns, metadata = read(io.BytesIO(source.content), **arguments)
    return columns, metadata


def _damaged(source: SourceFile) -> str:
    what = f"the file is cut off, damaged, or not a {source.path.suffix.lower()} file"
    return damaged_fault(source.path, what)


def _with_labels(column: np.ndarray | pa.Array, labels: Mapping[Any, str]) -> pa.Array:
    """The labels of codes; a code without one is unchanged, and a missing value is missing."""
    import pandas as pd

    codes, distinct = pd.factorize(column if isinstance(column, np.ndarray) else column.to_pandas())
    texts = [labels.get(code, number_text(code) if isinstance(code, float) else code) for code in distinct]
    return pa.array(np.array([*texts, None], dtype=object)[codes], type=pa.large_string())


FORMAT = Format(
    readers=dict.fromkeys(_PROGRAMS, read_statistics_file),
    documentation="SAS data sets (`.sas7bdat`), SPSS (`.sav`, `.zsav`), Stata (`.dta`)",
    place=5,
)
