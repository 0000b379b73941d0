"""Reading CDISC Dataset-JSON: version 1.1 as one document or line by line, and version 1.0.

The three forms are brought into one shape, columns and rows, and then checked and turned into text and numbers
in the same way. Messages of the json module quote what they stumble over, so only positions are passed on.
"""

from __future__ import annotations

import gc
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted
from study.formats.column_reading import MISSING_TOKENS, missing_notes
from study.formats.dataset_json_writing import WRITERS
from study.formats.encodings import read_text
from study.formats.messages import (
    empty_file_fault,
    leave_out_setting,
    no_record_fault,
    several_datasets_fault,
    shown_name,
)
from study.formats.registry import Format
from study.formats.tables import FileContents, FileOptions
from study.formats.values import (
    LARGEST_EXACT_INTEGER,
    NUMBER_PATTERN,
    clean_name,
    declared_missing,
    name_faults,
)

# The number of the record within the file: nothing about a person.
_RECORD_NUMBER = "ITEMGROUPDATASEQ"


@dataclass(frozen=True)
class _ColumnDefinition:
    name: str
    label: str
    data_type: str


@dataclass(frozen=True)
class _Dataset:
    """A dataset as in the file; ``n_announced`` is the file's own record count, if it has one."""

    columns: list[_ColumnDefinition]
    rows: list[list[Any]]
    n_announced: int | None
    label: str = ""


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep Python from looking through millions of new lists for circles that JSON cannot have: half the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_collector_paused()
def read_dataset_json(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a Dataset-JSON document, version 1.1 (columns, rows) or 1.0 (itemGroupData).

    Numbers become float64; text, dates and booleans become text. Raises FaultyInputError for a document that
    is broken, cut off, or whose values do not agree with the types it declares.
    """
    path = source.path
    text, notes = _text(source, options)
    document = _parsed(text, path)
    if isinstance(document, dict) and ("clinicalData" in document or "referenceData" in document):
        dataset = _version_1_0(document, path)
    else:
        dataset = _version_1_1(document, path)
    return _table(dataset, path, options, notes)


@_collector_paused()
def read_dataset_ndjson(source: SourceFile, options: FileOptions) -> FileContents:
    """Read Dataset-JSON 1.1 in lines: the first describes the dataset, each further one is a record."""
    path = source.path
    text, notes = _text(source, options)
    # Only these end a line: str.splitlines would also split at line separators inside text.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    document = _parsed(lines[0][1], path, line_number=lines[0][0])
    rows, broken = [], []
    for number, line in lines[1:]:
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            broken.append(number)
    if broken:
        raise FaultyInputError(
            f"{path.name}: {counted(len(broken), 'line')} not valid JSON; the first is line {broken[0]:,}. The "
            f"file may be cut off; export it again, or leave the domain out by {leave_out_setting(path)}."
        )
    if isinstance(document, dict):
        document["rows"] = rows
    return _table(_version_1_1(document, path), path, options, notes)


def _text(source: SourceFile, options: FileOptions) -> tuple[str, list[str]]:
    data, notes = read_text(source, options.encoding)
    text = str(data, encoding="utf-8")
    if not text.strip():
        raise FaultyInputError(empty_file_fault(source.path))
    return text, notes


def _parsed(text: str, path: Path, line_number: int | None = None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        ends_early = error.pos >= len(text.rstrip())
        where = f"line {line_number or error.lineno:,}" + (", where the file ends too early" if ends_early else "")
    except (ValueError, RecursionError):
        where = "numbers too large, or nesting too deep"
    raise FaultyInputError(
        f"{path.name}: not valid JSON ({where}). Export the file again, or leave the domain out by "
        f"{leave_out_setting(path)}."
    )


# The versions of the format


def _version_1_1(document: Any, path: Path) -> _Dataset:
    if not isinstance(document, dict) or not _is_filled_list(document.get("columns")):
        raise FaultyInputError(_not_a_dataset_fault(path, "it has no list of columns"))
    rows = document.get("rows", [])
    columns = [_column(description, "dataType", path) for description in document["columns"]]
    return _Dataset(columns, _checked_rows(rows, path), _announced(document), _label(document))


def _version_1_0(document: dict[str, Any], path: Path) -> _Dataset:
    groups = [
        group
        for part in ("clinicalData", "referenceData")
        for group in _values_of(_get(document.get(part), "itemGroupData"))
    ]
    if len(groups) > 1:
        raise FaultyInputError(several_datasets_fault(path, len(groups)))
    if not groups or not _is_filled_list(_get(groups[0], "items")):
        raise FaultyInputError(_not_a_dataset_fault(path, "it has no itemGroupData with a list of items"))
    columns = [_column(description, "type", path) for description in groups[0]["items"]]
    return _Dataset(
        columns, _checked_rows(groups[0].get("itemData", []), path), _announced(groups[0]), _label(groups[0])
    )


def _column(description: Any, type_key: str, path: Path) -> _ColumnDefinition:
    name, label, data_type = (_get(description, key) for key in ("name", "label", type_key))
    if not isinstance(name, str) or not isinstance(data_type, str):
        raise FaultyInputError(_not_a_dataset_fault(path, f"a column has no name or no {type_key}"))
    return _ColumnDefinition(clean_name(name), clean_name(label) if isinstance(label, str) else "", data_type)


def _checked_rows(rows: Any, path: Path) -> list[list[Any]]:
    if not isinstance(rows, list):
        raise FaultyInputError(_not_a_dataset_fault(path, "its rows are not a list"))
    return rows


def _label(description: dict[str, Any]) -> str:
    label = description.get("label")
    return clean_name(label) if isinstance(label, str) else ""


def _announced(description: dict[str, Any]) -> int | None:
    records = description.get("records")
    return records if isinstance(records, int) and not isinstance(records, bool) else None


def _is_filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _values_of(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


def _not_a_dataset_fault(path: Path, reason: str) -> str:
    return (
        f"{path.name}: this is JSON, but not CDISC Dataset-JSON: {reason}. Export it as Dataset-JSON 1.1, or leave "
        f"the domain out by {leave_out_setting(path)}."
    )


# From rows to a table


def _table(dataset: _Dataset, path: Path, options: FileOptions, notes: list[str]) -> FileContents:
    faults = name_faults([column.name for column in dataset.columns], path)
    faults += [
        f"{path.name}, column {shown_name(column.name)}: the dataType {column.data_type[:30]!r} is not one of "
        f"Dataset-JSON ({', '.join(_READERS_OF_TYPE)}). Correct it in the file's columns."
        for column in dataset.columns
        if column.data_type not in _READERS_OF_TYPE
    ]
    row_faults = _row_faults(dataset, path)
    if faults or row_faults:
        raise FaultyInputError(faults + row_faults)
    missing = MISSING_TOKENS if options.missing is None else declared_missing(options.missing)
    values: dict[str, _Cells] = {}
    n_tokens: dict[str, Counter[str]] = {}
    given: Sequence[Any]
    for column, given in zip(dataset.columns, zip(*dataset.rows, strict=True), strict=True):
        if column.name == _RECORD_NUMBER:
            continue
        if column.data_type in _NUMBER_TYPES:
            given, n_tokens[column.name] = _numbers_in_texts(given, missing)
        values[column.name], n_wrong = _READERS_OF_TYPE[column.data_type](given)
        faults += [_wrong_type_fault(path, column, n_wrong)] if n_wrong else []
    stop_at(faults)
    notes = notes + (missing_notes(n_tokens) if options.missing is None else [])
    labels = {column.name: column.label for column in dataset.columns if column.label and column.name in values}
    types = {column.name: column.data_type for column in dataset.columns if column.name in values}
    return FileContents(values, notes, labels, types=types, label=dataset.label)


def _row_faults(dataset: _Dataset, path: Path) -> list[str]:
    faults = []
    n_rows = len(dataset.rows)
    if dataset.n_announced is not None and dataset.n_announced != n_rows:
        faults.append(
            f"{path.name}: the file announces {counted(dataset.n_announced, 'record')} and contains {n_rows:,}; it may "
            "be cut off. Export it again, or correct its 'records'."
        )
    elif n_rows == 0:
        faults.append(no_record_fault(path))
    n_columns = len(dataset.columns)
    wrong = [
        number for number, row in enumerate(dataset.rows, start=1) if not isinstance(row, list) or len(row) != n_columns
    ]
    if wrong:
        faults.append(
            f"{path.name}: {counted(len(wrong), 'record')} with another number of values than the "
            f"{counted(n_columns, 'column')} described; the first is record {wrong[0]:,}. Export the file again."
        )
    return faults


def _wrong_type_fault(path: Path, column: _ColumnDefinition, n_wrong: int) -> str:
    return (
        f"{path.name}, column {shown_name(column.name)}: {counted(n_wrong, 'value')} not of the declared dataType "
        f"{column.data_type}. Correct the values or the dataType of the column."
    )


# The types of Dataset-JSON: each reader returns the column and the number of values that are not of the type

_Cells: TypeAlias = np.ndarray | pa.Array


def _numbers_in_texts(cells: Sequence[Any], missing: Collection[str]) -> tuple[Sequence[Any], Counter[str]]:
    """Return the cells of a column of numbers with texts as the numbers in them, and how often each token is missing.

    Decimals are text, so that no digit is lost on the way, and padded; R writes NA as text into any column.
    """
    n_tokens: Counter[str] = Counter()
    if str not in set(map(type, cells)):
        return cells, n_tokens
    n_tokens.update(text for cell in cells if isinstance(cell, str) and (text := clean_name(cell)) in missing)
    read = [_number_in(cell, missing) if isinstance(cell, str) else cell for cell in cells]
    return read, n_tokens


def _read_integers(cells: Sequence[Any]) -> tuple[_Cells, int]:
    values, n_wrong = _read_numbers(cells)
    if isinstance(values, np.ndarray):
        n_wrong += int(np.count_nonzero(values != np.trunc(values)) - np.count_nonzero(np.isnan(values)))
    return values, n_wrong


def _read_numbers(cells: Sequence[Any]) -> tuple[_Cells, int]:
    """Return numbers as float64, or as text where an integer is too large to stay exact: rather an identifier."""
    types = set(map(type, cells))
    if not types <= {int, float, type(None)}:
        n_wrong = sum(type(cell) not in (int, float, type(None)) for cell in cells)
        if n_wrong:
            return np.zeros(len(cells)), n_wrong
    if int in types and any(type(cell) is int and abs(cell) > LARGEST_EXACT_INTEGER for cell in cells):
        return pa.array([_number_as_text(cell) for cell in cells], type=pa.large_string()), 0
    values = np.array(cells, dtype=np.float64)
    return values, int(np.isinf(values).sum())


def _read_text(cells: Sequence[Any]) -> tuple[_Cells, int]:
    # A code may have been written as a number; it is a code nevertheless.
    if not {int, float}.isdisjoint(map(type, cells)):
        cells = [_number_as_text(cell) if type(cell) in (int, float) else cell for cell in cells]
    return _as_text(cells)


def _read_iso_text(cells: Sequence[Any]) -> tuple[_Cells, int]:
    return _as_text(cells)


def _read_booleans(cells: Sequence[Any]) -> tuple[_Cells, int]:
    return _as_text([str(cell) if isinstance(cell, bool) else cell for cell in cells])


def _as_text(cells: Sequence[Any]) -> tuple[_Cells, int]:
    if set(map(type, cells)) <= {str, type(None)}:
        try:
            return pa.array(cells, type=pa.large_string()), 0
        except UnicodeEncodeError:
            # Half of a surrogate pair, which JSON can write and no encoding can.
            pass
    n_wrong = sum(not (cell is None or _is_text(cell)) for cell in cells)
    return pa.nulls(len(cells), pa.large_string()), n_wrong


def _is_text(cell: Any) -> bool:
    try:
        return isinstance(cell, str) and cell.encode() is not None
    except UnicodeEncodeError:
        return False


def _number_in(text: str, missing: Collection[str]) -> int | float | str | None:
    """Return the number of padded text, None where it is missing, and the text itself where it is no number."""
    text = clean_name(text)
    if not text or text in missing:
        return None
    if not re.search(NUMBER_PATTERN, text, re.ASCII):
        return text
    return int(text) if text.lstrip("+-").isdigit() and len(text) < 100 else float(text)


def _number_as_text(number: float | None) -> str | None:
    if number is None or number != number:
        return None
    is_integral = isinstance(number, float) and number.is_integer() and abs(number) <= LARGEST_EXACT_INTEGER
    return str(int(number) if is_integral else number)


_READERS_OF_TYPE: dict[str, Callable[[Sequence[Any]], tuple[_Cells, int]]] = {
    "string": _read_text,
    "integer": _read_integers,
    "float": _read_numbers,
    "double": _read_numbers,
    "decimal": _read_numbers,
    "boolean": _read_booleans,
    "date": _read_iso_text,
    "datetime": _read_iso_text,
    "time": _read_iso_text,
    "URI": _read_text,
}
_NUMBER_TYPES = ("integer", "float", "double", "decimal")


FORMAT = Format(
    readers={".json": read_dataset_json, ".ndjson": read_dataset_ndjson},
    documentation="CDISC Dataset-JSON 1.1 and 1.0 (`.json`, `.ndjson`)",
    place=3,
    is_text=True,
    writers=WRITERS,
)
