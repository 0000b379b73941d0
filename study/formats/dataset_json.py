"""CDISC Dataset-JSON: version 1.1 as one document, line by line or compressed (DSJC), and version 1.0, which is read.

The three forms are brought into one shape, columns and rows, and then checked and turned into text and numbers
in the same way. Messages of the json module quote what they stumble over, so only positions are passed on. Nothing of a
source file's own header is carried on: who made it, with which system and when is no matter of the recipient.

Sources: CDISC Dataset-JSON 1.1 (2025) and its JSON schemas; Compressed Dataset-JSON 1.1.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted
from study.formats.column_reading import MISSING_TOKENS, missing_notes
from study.formats.encodings import read_text
from study.formats.json_values import NUMBER_TYPES, READERS_OF_TYPE, JsonCells, collector_paused, numbers_in_texts
from study.formats.messages import (
    empty_file_fault,
    leave_out_setting,
    no_record_fault,
    several_datasets_fault,
    shown_name,
)
from study.formats.outgoing import FileWriter, OutgoingTable
from study.formats.packed import inflated
from study.formats.registry import Format
from study.formats.tables import FileContents, FileOptions
from study.formats.values import clean_name, declared_missing, name_faults

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


@collector_paused()
def read_dataset_json(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a Dataset-JSON document, version 1.1 (columns, rows) or 1.0 (itemGroupData).

    Numbers become float64; text, dates and booleans become text. Raises FaultyInputError for a document that
    is broken, cut off, or whose values do not agree with the types it declares.
    """
    path = source.path
    text, notes = _text(source, options)
    return _table(_dataset(_parsed(text, path), path), path, options, notes)


@collector_paused()
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
    return _table(_dataset(document, path), path, options, notes)


def read_dataset_json_compressed(source: SourceFile, options: FileOptions) -> FileContents:
    """Read compressed Dataset-JSON: the form in lines, packed as a zlib stream or, as some do, by gzip.

    Raises FaultyInputError where it is damaged or too large.
    """
    return read_dataset_ndjson(SourceFile(source.path, inflated(source.path, source.content)), options)


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


# What each version calls the columns, their types, and the rows.
_KEYS_1_1, _KEYS_1_0 = ("columns", "dataType", "rows"), ("items", "type", "itemData")


def _dataset(document: Any, path: Path) -> _Dataset:
    """The one dataset of a document, whichever its version. Raises FaultyInputError where it has none, or several."""
    is_1_0 = isinstance(document, dict) and not document.keys().isdisjoint(("clinicalData", "referenceData"))
    described = _item_group(document, path) if is_1_0 else document
    of_columns, of_types, of_rows = _KEYS_1_0 if is_1_0 else _KEYS_1_1
    columns = _get(described, of_columns)
    if not isinstance(columns, list) or not columns:
        what = "itemGroupData with a list of items" if is_1_0 else "list of columns"
        raise FaultyInputError(_not_a_dataset_fault(path, f"it has no {what}"))
    if not all(isinstance(_get(one, key), str) for one in columns for key in ("name", of_types)):
        raise FaultyInputError(_not_a_dataset_fault(path, f"a column has no name or no {of_types}"))
    rows, announced = described.get(of_rows, []), described.get("records")
    if not isinstance(rows, list):
        raise FaultyInputError(_not_a_dataset_fault(path, "its rows are not a list"))
    definitions = [_ColumnDefinition(clean_name(one["name"]), _label(one), one[of_types]) for one in columns]
    return _Dataset(definitions, rows, announced if type(announced) is int else None, _label(described))


def _item_group(document: dict[str, Any], path: Path) -> Any:
    parts = (_get(document.get(part), "itemGroupData") for part in ("clinicalData", "referenceData"))
    groups = [group for part in parts if isinstance(part, dict) for group in part.values()]
    if len(groups) > 1:
        raise FaultyInputError(several_datasets_fault(path, len(groups)))
    return groups[0] if groups else None


def _label(description: dict[str, Any]) -> str:
    label = description.get("label")
    return clean_name(label) if isinstance(label, str) else ""


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


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
        f"Dataset-JSON ({', '.join(READERS_OF_TYPE)}). Correct it in the file's columns."
        for column in dataset.columns
        if column.data_type not in READERS_OF_TYPE
    ]
    stop_at([*faults, *_row_faults(dataset, path)])
    missing = MISSING_TOKENS if options.missing is None else declared_missing(options.missing)
    values: dict[str, JsonCells] = {}
    n_tokens: dict[str, Counter[str]] = {}
    given: Sequence[Any]
    for column, given in zip(dataset.columns, zip(*dataset.rows, strict=True), strict=True):
        if column.name == _RECORD_NUMBER:
            continue
        if column.data_type in NUMBER_TYPES:
            given, n_tokens[column.name] = numbers_in_texts(given, missing)
        values[column.name], n_wrong = READERS_OF_TYPE[column.data_type](given)
        if n_wrong:
            faults.append(
                f"{path.name}, column {shown_name(column.name)}: {counted(n_wrong, 'value')} not of the declared "
                f"dataType {column.data_type}. Correct the values or the dataType of the column."
            )
    stop_at(faults)
    notes += missing_notes(n_tokens) if options.missing is None else []
    labels = {column.name: column.label for column in dataset.columns if column.label and column.name in values}
    types = {column.name: column.data_type for column in dataset.columns if column.name in values}
    return FileContents(values, notes, labels, types=types, label=dataset.label)


def _row_faults(dataset: _Dataset, path: Path) -> Iterator[str]:
    n_rows = len(dataset.rows)
    if dataset.n_announced is not None and dataset.n_announced != n_rows:
        yield (
            f"{path.name}: the file announces {counted(dataset.n_announced, 'record')} and contains {n_rows:,}; it may "
            "be cut off. Export it again, or correct its 'records'."
        )
    elif n_rows == 0:
        yield no_record_fault(path)
    n_columns = len(dataset.columns)
    wrong = [
        number for number, row in enumerate(dataset.rows, start=1) if not isinstance(row, list) or len(row) != n_columns
    ]
    if wrong:
        yield (
            f"{path.name}: {counted(len(wrong), 'record')} with another number of values than the "
            f"{counted(n_columns, 'column')} described; the first is record {wrong[0]:,}. Export the file again."
        )


# Writing


def write_dataset_json(table: OutgoingTable) -> bytes:
    """One document: the description of the data set, and its rows."""
    head = json.dumps(_head(table), ensure_ascii=False)
    rows = ",\n".join(_lines(table))
    return f'{head[:-1]}, "rows": [{rows}]}}\n'.encode()


def write_dataset_ndjson(table: OutgoingTable) -> bytes:
    """The description of the data set in the first line, and a record in each further one."""
    return "\n".join([json.dumps(_head(table), ensure_ascii=False), *_lines(table), ""]).encode()


def write_dataset_dsjc(table: OutgoingTable) -> bytes:
    """The lines of ``write_dataset_ndjson`` as a zlib stream."""
    return zlib.compress(write_dataset_ndjson(table))


def _head(table: OutgoingTable) -> dict[str, Any]:
    return {
        "datasetJSONCreationDateTime": table.created.strftime("%Y-%m-%dT%H:%M:%S"),
        "datasetJSONVersion": "1.1.0",
        "originator": "released by BioStreams Privacy",
        **({"studyOID": table.study} if table.study else {}),
        "itemGroupOID": f"IG.{table.name}",
        "records": len(table.frame),
        "name": table.name,
        "label": table.label or table.name,
        "columns": [_described(table, str(name)) for name in table.frame],
    }


def _described(table: OutgoingTable, name: str) -> dict[str, Any]:
    data_type = table.data_type(name)
    described: dict[str, Any] = {
        "itemOID": f"IT.{table.name}.{name}",
        "name": name,
        "label": table.labels.get(name) or name,
        "dataType": data_type,
    }
    if data_type == "string":
        described["length"] = table.length(name)
    return described


def _lines(table: OutgoingTable) -> list[str]:
    """Each record as a JSON list: a missing text is "", a missing number null, as CDISC's own examples have it."""
    columns = [_cells(table, str(name)) for name in table.frame]
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    return [write(row) for row in zip(*columns, strict=True)]


def _cells(table: OutgoingTable, name: str) -> list[Any]:
    values, data_type = table.frame[name], table.data_type(name)
    if values.dtype.kind != "f":
        filled = values.fillna("") if data_type == "string" else values.astype(object).where(values.notna(), None)
        return list(filled)
    numbers = values.to_numpy()
    cells = numbers.astype(object)
    if data_type == "integer":
        whole = np.isfinite(numbers)
        cells[whole] = numbers[whole].astype(np.int64)
    cells[np.isnan(numbers)] = None
    return cells.tolist()


FORMAT = Format(
    readers={".json": read_dataset_json, ".ndjson": read_dataset_ndjson, ".dsjc": read_dataset_json_compressed},
    documentation="CDISC Dataset-JSON 1.1 and 1.0 (`.json`, `.ndjson`, compressed `.dsjc`)",
    place=3,
    is_text=True,
    writers={
        "json": FileWriter(".json", write_dataset_json),
        "ndjson": FileWriter(".ndjson", write_dataset_ndjson),
        "dsjc": FileWriter(".dsjc", write_dataset_dsjc),
    },
)
