"""Faults of SAS transport, Dataset-JSON and Parquet files; ``write_whole`` is what they look like without."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyreadstat

from tests.bad_inputs.faults_of_csv_files import LEAVE_OUT
from tests.bad_inputs.registry import case
from tests.run.synthetic_pilot import SyntheticPilot, rows_of

TYPES = {"USUBJID": "string", "BMI": "float"}


def vital_signs() -> pd.DataFrame:
    frame = pd.DataFrame(rows_of("VS"))
    return frame.assign(BMI=frame["BMI"].astype(float))


def write_xport(path: Path, version: int = 5) -> None:
    pyreadstat.write_xport(vital_signs(), path, table_name="VS", file_format_version=version)


def dataset_json(**changes: object) -> dict:
    """VS as a Dataset-JSON 1.1 document, with changes."""
    rows = [[row["USUBJID"], float(row["BMI"])] for row in rows_of("VS")]
    columns = [{"itemOID": name, "name": name, "label": name, "dataType": kind} for name, kind in TYPES.items()]
    document = {"datasetJSONVersion": "1.1.0", "name": "VS", "records": len(rows), "columns": columns, "rows": rows}
    return document | changes


def ndjson_lines() -> list[str]:
    document = dataset_json()
    return [json.dumps(part) for part in ({**document, "rows": []}, *document["rows"])]


def parquet_bytes(frame: pd.DataFrame | None = None) -> bytes:
    buffer = io.BytesIO()
    (vital_signs() if frame is None else frame).to_parquet(buffer, index=False)
    return buffer.getvalue()


def _write_json(path: Path) -> None:
    path.write_text(json.dumps(dataset_json()), encoding="utf-8")


def _write_ndjson(path: Path) -> None:
    document = dataset_json()
    del document["rows"]
    lines = [document, *dataset_json()["rows"]]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


WHOLE: dict[str, Callable[[Path], None]] = {
    "vs.xpt": write_xport,
    "VS.XPT": lambda path: write_xport(path, version=8),
    "vs.json": _write_json,
    "vs.ndjson": _write_ndjson,
    "vs.parquet": lambda path: path.write_bytes(parquet_bytes()),
}


def write_whole(pilot: SyntheticPilot, name: str) -> Path:
    """Replace VS.csv by a file of the same content in another format."""
    pilot.remove("VS.csv")
    WHOLE[name](pilot.folder / name)
    return pilot.folder / name


def cut(path: Path, n_bytes: int) -> None:
    path.write_bytes(path.read_bytes()[:n_bytes])


def write_json(pilot: SyntheticPilot, **changes: object) -> None:
    path = write_whole(pilot, "vs.json")
    path.write_text(json.dumps(dataset_json(**changes)), encoding="utf-8")


# ---------------------------------------------------------------- SAS transport


@case(says=["vs.xpt: the transport file is cut off or damaged", "ends within a record", LEAVE_OUT])
def xpt_cut_within_its_observations(pilot):
    path = write_whole(pilot, "vs.xpt")
    cut(path, path.stat().st_size - 90)


# ---------------------------------------------------------------- Dataset-JSON


@case(says=["vs.json: not valid JSON", "line 1, where the file ends too early", LEAVE_OUT])
def json_cut_off(pilot):
    path = write_whole(pilot, "vs.json")
    cut(path, path.stat().st_size - 60)


@case(says=["vs.json, column 'BMI': 2 values not of the declared dataType float", "Correct the values"])
def json_with_texts_in_a_column_of_numbers(pilot):
    rows = dataset_json()["rows"]
    rows[3][1] = rows[5][1] = "MARKER"
    write_json(pilot, rows=rows)


@case(says=["vs.ndjson: 1 line not valid JSON; the first is line 13", "cut off", LEAVE_OUT])
def ndjson_cut_within_its_last_line(pilot):
    path = write_whole(pilot, "vs.ndjson")
    cut(path, path.stat().st_size - 3)


# ---------------------------------------------------------------- Parquet


@case(says=["vs.parquet: the file is cut off or damaged", LEAVE_OUT])
def parquet_cut_off(pilot):
    path = write_whole(pilot, "vs.parquet")
    cut(path, path.stat().st_size // 2)


@case(says=["vs.parquet: 1 of 3 columns are neither text, numbers nor dates: 'PARTS' (nested)"])
def parquet_with_a_nested_column(pilot):
    frame = vital_signs().assign(PARTS=[[987.654]] * 12)
    write_whole(pilot, "vs.parquet").write_bytes(parquet_bytes(frame))
