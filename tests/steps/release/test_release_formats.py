"""Real studies released whole in every format, and read again by other programs than ours."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pandas as pd
import pytest

from tests.places import ORACLES, SHARED_DATA
from tests.release.small_studies import rows_of
from tests.steps.release.conftest import TREATMENT, Package, demo_config, make_demo, package, step_on

STUDY = SHARED_DATA / "cdiscpilot01"
NO_SENSITIVE = {"sensitive_feature": [], "sensitive_binning_config_for_L": {}, "L": 1, "T": 1}
NEITHER = ("codebook", "README", "define")


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
    "xpt5": (".xpt", read_by_pyreadstat),
    "xpt8": (".xpt", read_by_pyreadstat),
    "json": (".json", read_document),
    "dsjc": (".dsjc", read_lines),
}


@pytest.mark.thorough("10 s each: a release of the demo")
@pytest.mark.parametrize("name", ["xpt8", "json", "dsjc"])
def test_the_demo_says_the_same_in_every_format_and_to_other_programs(name, demo, tmp_path, release_key):
    made = make_demo(tmp_path, {"format": name})
    assert_read_alike(made, name)
    for domain, frame in demo.opened.items():
        again = made.opened[domain]
        for column in frame:
            expected, found = frame[column], again[column]
            if expected.dtype.kind == "f":
                np.testing.assert_allclose(pd.to_numeric(found), expected, rtol=1e-12)
            else:
                assert found.fillna("").str.lstrip("'").tolist() == expected.fillna("").tolist(), (domain, column)


@pytest.mark.thorough("40 s for a whole study that is released, verified and read again")
@pytest.mark.skipif(not STUDY.is_dir(), reason="the public data lie beside the clone")
def test_a_real_study_is_read_alike_by_other_programs(tmp_path, release_key):
    name = "xpt5"
    literal = demo_config({"format": name}) | NO_SENSITIVE | {"K": 3}
    literal |= {"categorical_qis": ["DM__SEX"], "continuous_qis": ["DM__AGE"], "binning_config": {}}
    given, kept = step_on(STUDY, tmp_path, literal, TREATMENT)
    made = package(STUDY, given, kept, tmp_path)
    assert_read_alike(made, name)
    assert {row["USUBJID"] for row in rows_of(made.opened["DM"])} == set(made.opened["DM"]["USUBJID"])
    assert len(made.opened["DM"]) == len(kept)


def assert_read_alike(made: Package, name: str) -> None:
    suffix, read = READERS[name]
    files = {path.stem.upper(): path for path in made.folder.iterdir() if path.stem not in NEITHER}
    assert {path.suffix for path in files.values()} == {suffix}
    assert set(files) == set(made.opened)
    for domain, path in files.items():
        theirs, ours = read(path), made.opened[domain]
        assert list(theirs.columns) == list(ours.columns)
        for column in ours:
            expected, found = ours[column], theirs[column]
            if expected.dtype.kind == "f":
                np.testing.assert_allclose(found.astype(float), expected, rtol=1e-12, err_msg=f"{domain} {column}")
            else:
                assert texts(found) == texts(expected), (domain, column)
    figures = made.result.figures
    assert figures["as_a_recipient_finds_it"] == figures["as_promised"]
    assert figures["traces"]["where"] == {}


def texts(column: pd.Series) -> list[str]:
    return column.fillna("").astype("str").tolist()
