"""Writing small pilots for tests of the merge, and looking at what came of them."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.tables import SourceTable, domain_of
from study.merge.combine import Combined, combine_domains, combine_tables
from tests.config_keys import settings_of_key
from tests.places import SHARED_DATA
from tests.study.merge.merge_referee import FindingsReferee

needs_shared_data = pytest.mark.skipif(
    not SHARED_DATA.is_dir(), reason=f"the public data of this project are not beside the clone ({SHARED_DATA})"
)

# Two subjects who start on the same day; enough for most tests.
DM = ({"USUBJID": "S1", "RFSTDTC": "2014-01-10"}, {"USUBJID": "S2", "RFSTDTC": "2014-01-10"})


def combine(tmp_path: Path, files: dict, subject_id: dict | None = None, merge: dict | None = None) -> Combined:
    """Merge ``files``, name -> rows.

    They are written into a folder of their own, unless all are CSV files of rows of which nothing is declared: reading
    these is tested with the formats, and takes as long as the merge.
    """
    rules = settings_of_key("subject_id", subject_id or {}), settings_of_key("merge", merge or {})
    if not {"files", "missing", "columns"} & {*(merge or {})} and all(map(_is_plain, files, files.values())):
        return combine_tables([_as_read(name, rows) for name, rows in sorted(files.items())], *rules)
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    for name, rows in files.items():
        write(folder / name, rows)
    return combine_domains(folder, *rules)


def _is_plain(name: str, rows: object) -> bool:
    return name.endswith(".csv") and isinstance(rows, list | tuple | pd.DataFrame) and len(rows) > 0


def _as_read(name: str, rows: list[dict] | pd.DataFrame) -> SourceTable:
    """The table of a CSV file with these rows: all text, missing where a cell is empty."""
    frame = (rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))).reset_index(drop=True).astype(object)
    texts = frame.map(lambda cell: None if pd.isna(cell) or not str(cell).strip() else str(cell).strip())
    return SourceTable(domain_of(Path(name)), name, "0" * 64, texts.astype("str"), {}, ())


def faults_of(tmp_path: Path, files: dict, subject_id: dict | None = None, merge: dict | None = None) -> list[str]:
    with pytest.raises(FaultyInputError) as raised:
        combine(tmp_path, files, subject_id, merge)
    return list(raised.value.faults)


def values(combined: Combined, column: str) -> dict[str, str]:
    """Subject -> value, of the subjects that have one."""
    subjects = combined.frame.set_index("USUBJID")[column].dropna()
    return subjects.to_dict()


def columns_of(combined: Combined, domain: str) -> list[str]:
    return [name for name in combined.frame if name.startswith(f"{domain}__")]


def finding(prefix: str, **variables: object) -> dict:
    """A record of a findings domain of subject S1; ``STRESN`` becomes ``LBSTRESN``, ``VISITNUM`` stays."""
    common = ("USUBJID", "DOMAIN", "VISITNUM", "VISIT", "EPOCH")
    record = {"USUBJID": "S1"}
    return record | {name if name in common else prefix + name: value for name, value in variables.items()}


def write(path: Path, rows: list[dict] | tuple[dict, ...] | pd.DataFrame | str | bytes) -> None:
    if isinstance(rows, str | bytes):
        path.write_bytes(rows.encode() if isinstance(rows, str) else rows)
        return
    _WRITERS[path.suffix](path, rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows)))


def _write_csv(path: Path, frame: pd.DataFrame) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(frame.columns)
        for row in frame.astype(object).itertuples(index=False, name=None):
            writer.writerow(["" if pd.isna(cell) else cell for cell in row])


def _write_xport(path: Path, frame: pd.DataFrame) -> None:
    """Text stays text and numbers become floats, the only two kinds that the format knows."""
    kinds = {name: float if pd.api.types.is_numeric_dtype(frame[name]) else "str" for name in frame}
    frame = frame.astype(kinds)
    text = [name for name, kind in kinds.items() if kind == "str"]
    pyreadstat.write_xport(frame.fillna(dict.fromkeys(text, "")), path, table_name=path.stem.upper()[:8])


def _write_parquet(path: Path, frame: pd.DataFrame) -> None:
    frame.to_parquet(path, index=False)


def _write_dataset_json(path: Path, frame: pd.DataFrame) -> None:
    numeric = {name: pd.api.types.is_numeric_dtype(frame[name]) for name in frame}
    columns = [
        {"itemOID": f"IT.{name}", "name": name, "label": name, "dataType": "double" if numeric[name] else "string"}
        for name in frame
    ]
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    head = {"datasetJSONVersion": "1.1.0", "records": len(rows), "name": path.stem.upper(), "columns": columns}
    if path.suffix == ".ndjson":
        path.write_text("".join(json.dumps(part) + "\n" for part in [head, *rows]), encoding="utf-8")
    else:
        path.write_text(json.dumps(head | {"rows": rows}), encoding="utf-8")


_WRITERS = {
    ".csv": _write_csv,
    ".xpt": _write_xport,
    ".parquet": _write_parquet,
    ".json": _write_dataset_json,
    ".ndjson": _write_dataset_json,
}


def shuffled(rows: list[dict], seed: int = 5) -> list[dict]:
    return [rows[position] for position in np.random.default_rng(seed).permutation(len(rows))]


def transport_records(*paths: Path) -> list[dict[str, str]]:
    """The records of transport files as dictionaries of text, without what is missing; read by pyreadstat alone."""
    records = []
    for path in paths:
        frame = pyreadstat.read_xport(path)[0]
        for row in frame.astype(object).to_dict("records"):
            shown = {name: f"{cell:.15g}" if isinstance(cell, float) else cell for name, cell in row.items()}
            records.append({name: cell for name, cell in shown.items() if cell not in ("", "nan")})
    return records


def assert_agrees_with_the_referee(frame: pd.DataFrame, counts: dict, domain: str, records: list, subjects: list):
    """``frame``: the combined dataset; ``counts``: the domain's part of the merge report; ``subjects``: those of DM."""
    starts = {row["USUBJID"]: row.get("RFSTDTC") or row.get("RFXSTDTC") for row in subjects}
    expected = FindingsReferee(domain, records, starts, {}).judge()
    found = frame.set_index("USUBJID")
    assert sorted(name for name in found if name.startswith(f"{domain}__")) == sorted(expected.cells)
    for column, cells in expected.cells.items():
        present = found[column].dropna().to_dict()
        assert sorted(present) == sorted(cells), column
        assert [subject for subject, value in present.items() if (value,) not in cells[subject]] == [], column
    assert {name: counts[name] for name in expected.counts} == expected.counts
