"""A study as it leaves in every format, read again by other programs than ours."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disclosure_control.release.package import data_files, file_names, opened_again, write_small_files
from tests.places import ORACLES


def read_by_pyreadstat(path):
    pyreadstat = pytest.importorskip("pyreadstat")
    return pyreadstat.read_xport(path, disable_datetime_conversion=True)[0].replace("", np.nan)


def read_document(path):
    return frame_of(json.loads(path.read_text(encoding="utf-8")))


def read_lines(path):
    head, *rows = [json.loads(line) for line in zlib.decompress(path.read_bytes()).decode().splitlines()]
    return frame_of({**head, "rows": rows})


def frame_of(document):
    """By hand, after CDISC's schema said that it is Dataset-JSON."""
    validator = pytest.importorskip("jsonschema_rs")
    schema = json.loads((ORACLES / "dataset_json_schema" / "dataset.schema.json").read_text(encoding="utf-8"))
    few = {**document, "rows": document["rows"][:200]}
    assert [error.message for error in validator.validator_for(schema).iter_errors(few)] == []
    assert document["records"] == len(document["rows"])
    names = [column["name"] for column in document["columns"]]
    return pd.DataFrame(document["rows"], columns=names).replace("", np.nan)


READERS = {
    "xpt5": read_by_pyreadstat,
    "xpt8": read_by_pyreadstat,
    "json": read_document,
    "dsjc": read_lines,
}


@pytest.mark.thorough("11 s: a release of the demo, written in each format")
@pytest.mark.parametrize("name", READERS)
def test_the_demo_says_the_same_in_every_format_and_to_other_programs(name, demo, tmp_path):
    released = demo.result.outcome.made.released
    write_small_files(data_files(released, name, datetime(2026, 1, 31), tmp_path), tmp_path)
    names, opened = file_names(released, name), opened_again(tmp_path)
    assert set(opened) == set(demo.opened)
    for domain, frame in demo.opened.items():
        again = opened[domain].frame
        assert_read_alike(again, tmp_path / names[domain], READERS[name])
        for column in frame:
            expected, found = frame[column], again[column]
            if expected.dtype.kind == "f":
                np.testing.assert_allclose(pd.to_numeric(found), expected, rtol=1e-12)
            else:
                assert found.fillna("").str.lstrip("'").tolist() == expected.fillna("").tolist(), (domain, column)


def assert_read_alike(ours: pd.DataFrame, path: Path, read: Callable[[Path], pd.DataFrame]) -> None:
    """A file has the same cells for another program as for ours."""
    theirs = read(path)
    assert list(theirs.columns) == list(ours.columns)
    for column in ours:
        expected, found = ours[column], theirs[column]
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(found.astype(float), expected, rtol=1e-12, err_msg=f"{path.name} {column}")
        else:
            assert texts(found) == texts(expected), (path.name, column)


def texts(column: pd.Series) -> list[str]:
    return column.fillna("").astype("str").tolist()
