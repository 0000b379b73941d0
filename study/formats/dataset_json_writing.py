"""Writing CDISC Dataset-JSON 1.1: one document, line by line, and compressed (DSJC: a zlib stream of the lines).

Source: CDISC Dataset-JSON 1.1 (2025), and its JSON schemas. Nothing of the source file's own header is carried on: who
made it, with which system and when is no matter of the recipient.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from study.formats.outgoing import FileWriter, OutgoingTable

_ORIGINATOR = "released by BioStreams Privacy"


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
        "originator": _ORIGINATOR,
        **({"studyOID": table.study} if table.study else {}),
        "itemGroupOID": f"IG.{table.name}",
        "records": len(table.frame),
        "name": table.name,
        "label": table.label or table.name,
        "columns": [_column(table, str(name)) for name in table.frame],
    }


def _column(table: OutgoingTable, name: str) -> dict[str, Any]:
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


WRITERS = {
    "json": FileWriter(".json", write_dataset_json),
    "ndjson": FileWriter(".ndjson", write_dataset_ndjson),
    "dsjc": FileWriter(".dsjc", write_dataset_dsjc),
}
