"""What a release writes and finds by every engine: the same package, figures and reasons, byte by byte."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import RESULTS_FOLDER
from disclosure_control.assess.assessment import evaluate
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.records import domain_files
from disclosure_control.records.limits import Limits
from disclosure_control.report.verdict import verdict_on, what_leaves
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps.running import StepResult, run_steps
from study.formats.values import frame_of
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.examples import examples
from tests.records.written_pilots import opened_with, refused

KEY = {"key_from": {"environment": "PILOT_KEY"}}
NOTES = ["Übel, seit gestern", 'sagte "schlecht"', "zwei\r\nZeilen", "=1+1", "東京から", "-5", None]
LARGEST_RECORD = 400  # bytes; a block holds at least one


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setenv("PILOT_KEY", "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718")


def study(seed: int, n_people: int) -> dict[str, pd.DataFrame]:
    """Domain files: people with visits, measurements, events with texts of all kinds, supplements and relations."""
    random = np.random.default_rng(seed)
    ids = [f"ΣΤ-{random.integers(3)}-{1001 + i}" for i in range(n_people)]
    began = pd.Timestamp("2012-01-31") + pd.to_timedelta(random.integers(0, 2000, n_people), unit="D")
    dm = {"STUDYID": "ST", "DOMAIN": "DM", "USUBJID": ids, "SUBJID": [one[-4:] for one in ids]}
    dm |= {"RFSTDTC": began.strftime("%Y-%m-%d"), "AGE": random.integers(18, 96, n_people)}
    dm |= {
        "AGEU": "YEARS",
        "SEX": random.choice(["F", "M"], n_people),
        "COUNTRY": random.choice(["GRC", "DEU"], n_people),
    }
    dm |= {"DTHFL": random.choice(["Y", ""], n_people), "ARM": random.choice(["A", "B"], n_people)}
    vs, lb, ae, supp, relrec = [], [], [], [], []
    for who, start in zip(ids, began, strict=True):
        same = {"STUDYID": "ST", "USUBJID": who}
        for visit in range(1, 1 + int(random.integers(0, 4))):
            day = (start + pd.Timedelta(days=30 * visit)).strftime("%Y-%m-%dT08:15")
            at = {"VISITNUM": visit, "VISIT": f"VISIT {visit}"}
            for code, test, value in [
                ("BMI", "Body Mass Index", random.integers(18, 40)),
                ("WEIGHT", "Weight", random.integers(50, 120)),
                ("PULSE", "Pulse Rate", random.integers(50, 120)),
            ]:
                row = {"VSSEQ": len(vs) + 1, "VSTESTCD": code, "VSTEST": test, "VSORRES": value, "VSSTRESN": value}
                vs.append({**same, "DOMAIN": "VS", **row, **at, "VSDTC": day, "VSPOS": random.choice(["SITTING", ""])})
            row = {"LBSEQ": len(lb) + 1, "LBTESTCD": "CHOL", "LBTEST": "Cholesterol", "LBORRES": random.integers(2, 9)}
            lb.append({**same, "DOMAIN": "LB", **row, **at, "LBDTC": day, "LBREFID": f"{who}/{visit}"})
        for number in range(1, 1 + int(random.integers(0, 3))):
            term = str(random.choice(["Headache", "Nausea", "Rash"]))
            spid, day = f"E{number}", (start + pd.Timedelta(days=number)).strftime("%Y-%m-%d")
            ae.append(
                {
                    **same,
                    "DOMAIN": "AE",
                    "AESEQ": number,
                    "AESPID": spid,
                    "AETERM": random.choice(np.array(NOTES, object)),
                }
                | {
                    "AEDECOD": term,
                    "AESTDTC": random.choice([day, day[:7], ""]),
                    "AEODD": who[-4:] if number > 1 else "x",
                }
            )
            at = {**same, "RDOMAIN": "AE", "IDVAR": "AESEQ", "IDVARVAL": number}
            supp.append({**at, "QNAM": "AETRTEM", "QLABEL": "Emergent", "QVAL": "Y", "QORIG": "CRF"})
            relrec.append({**at, "IDVAR": "AESPID", "IDVARVAL": spid, "RELID": f"R{number}"})
    files = {"DM": pd.DataFrame(dm)}
    for name, rows in {"VS": vs, "LB": lb, "AE": ae, "SUPPAE": supp, "RELREC": relrec}.items():
        if rows:
            files[name] = pd.DataFrame(rows).iloc[random.permutation(len(rows))]
    return files


def written(files: dict[str, pd.DataFrame], folder: Path) -> Path:
    """The files in a pilot's folder, merged by door 1; where its combined dataset is."""
    (folder / RESULTS_FOLDER).mkdir()
    for name, frame in files.items():
        frame.to_csv(folder / f"{name.lower()}.csv", index=False, lineterminator="\n")
    path = folder / RESULTS_FOLDER / "combined_dataset.csv"
    path.write_bytes(csv_bytes(combine_domains(folder, SubjectIdRule(), MergeSettings()).frame))
    return path


CONFIG = {
    "categorical_qis": ["DM__SEX"],
    "continuous_qis": ["DM__AGE"],
    "binning_config": {},
    "sensitive_feature": ["DM__ARM"],
    "K": 2,
    "L": {"DM__ARM": 1},
    "T": {"DM__ARM": 1},
}
STEPS = [
    {"method": "band", "column": "DM__AGE", "width": 20},
    {"method": "top_code", "column": "DM__AGE", "limit": 60},
    {"method": "band", "column": "VS__Body Mass Index", "width": 10},
    {"method": "band", "column": "VS__Body Mass Index [SITTING]", "width": 5},
    {"method": "round", "column": "LB__Cholesterol", "to": 2},
    {"method": "drop_column", "columns": ["LB__Cholesterol"]},
    {"method": "suppress_records", "models": ["k"]},
    {"method": "group", "column": "DM__COUNTRY", "rarer_than": 9},
]
RELEASES = [
    {"outsiders_know": {"facts": 0}},
    {"operations": {"AE.AETERM": "keep", "AE.AEODD": "keep", "DM.SUBJID": "keep"}, "days": 40},
    {"operations": {"AE.AETERM": "keep", "--DTC": "keep"}, "format": "csv", "name": "2026"},
    {"leave_out": ["VS"], "operations": {"LB.LBREFID": "keep"}},
]


@st.composite
def configs(draw) -> dict:
    steps = draw(st.lists(st.sampled_from(STEPS), max_size=3, unique_by=lambda one: one.get("column", one["method"])))
    gone = {name for step in steps for name in step.get("columns", ())}
    steps = [step for step in steps if step.get("column") not in gone]
    treatment = {"treatment": {"seed": 1, "steps": steps}} if draw(st.booleans()) else {}
    return CONFIG | treatment | {"release": draw(st.sampled_from(RELEASES)) | KEY}


limits = st.builds(
    lambda block, large, rows, people: Limits(
        block_bytes=2000,
        cells_per_part=people,
        large_bytes=large,
        rows_per_part=rows,
        file_block_bytes=block,
    ),
    st.integers(LARGEST_RECORD, 3 * LARGEST_RECORD),
    st.sampled_from([0, 0, 2000]),
    st.integers(1, 40),
    st.integers(1, 8),
)
TINY = Limits(block_bytes=2000, cells_per_part=3, large_bytes=0, rows_per_part=12, file_block_bytes=LARGEST_RECORD)


@contextmanager
def released(engine: str, path: Path, config: dict, parts: Limits):
    """The result of the step, the package by the names of its files, and the verdict."""
    with opened_with(engine, path, config, parts) as opened:
        assert engine == "memory" or refused(opened.config) == []
        columns = set(opened.dataset.table.columns)
        assert set(config["categorical_qis"] + config["continuous_qis"]) <= columns
        assessment = evaluate(opened.people, opened.config)
        steps = run_steps(
            "P", path.parent.parent, opened.dataset, assessment, left_out=("risk",), started="2026-01-31T00:00:00Z"
        )
        found = steps["release"]
        yield found, contents(found), verdict_on(what_leaves(steps), steps).text


def contents(found: StepResult) -> dict[str, bytes]:
    return {
        name: content if isinstance(content, bytes) else content.read_bytes() for name, content in found.files.items()
    }


def compare(engine: str, path: Path, config: dict, parts: Limits) -> StepResult:
    with released("memory", path, config, parts) as one, released(engine, path, config, parts) as other:
        (expected, package, verdict), (found, files, said) = one, other
        assert list(files) == list(package)
        for name in package:
            assert files[name] == package[name], name
        assert json.dumps(found.figures, indent=1) == json.dumps(expected.figures, indent=1)
        assert (found.report, found.inputs) == (expected.report, expected.inputs)
        assert (found.reasons_to_hold, found.answers) == (expected.reasons_to_hold, expected.answers)
        assert said == verdict
    return found


@pytest.mark.thorough("a package is written twice per example; the cases below are a cheap sibling")
@examples(6)
@given(st.integers(0, 2**32), st.integers(3, 40), configs(), limits)
def test_the_same_bytes_as_in_memory(tmp_path_factory, seed, n_people, config, parts):
    path = written(study(seed, n_people), tmp_path_factory.mktemp("pilot"))
    header = path.read_text(encoding="utf-8").splitlines()[0]
    treatment = config.get("treatment", {"steps": []})
    treatment["steps"] = [
        step
        for step in treatment["steps"]
        if all(f'"{name}"' in header for name in [*step.get("columns", ()), *filter(None, [step.get("column")])])
    ]
    compare("disk", path, config, parts)


def pilot(tmp_path: Path, n_people: int = 14) -> Path:
    """Where the combined dataset of a small study is."""
    return written(study(5, n_people), tmp_path)


def config_with(release: dict | None = None, *steps: dict) -> dict:
    return CONFIG | {"treatment": {"seed": 1, "steps": list(steps)}, "release": KEY | (release or {})}


@pytest.mark.thorough("2 s")
def test_what_is_too_large_to_be_searched_is_said_in_the_verdict(tmp_path, monkeypatch):
    """Of the rows of a large file a part at a time is made a frame of, and it is described by the codebook."""
    path, seen = pilot(tmp_path), []
    (tmp_path / "define.xml").write_text("<ODM/>", encoding="utf-8")
    monkeypatch.setattr(domain_files, "frame_of", lambda columns: seen.append(frame_of(columns)) or seen[-1])
    parts = replace(TINY, rows_at_hand=5)
    with released("disk", path, config_with(), parts) as (found, files, _):
        assert found.figures["study_tables"]["not_compared"] == ["AE", "DM", "LB", "VS"]
        assert found.figures["study_tables"]["fit_for_use"] == "with limits"
        not_compared = "AE, DM, LB, VS were too large to be compared with what came in"
        assert not_compared in found.figures["study_tables"]["loses"]
        assert not_compared in files["released/README.txt"].decode()
        assert not_compared in files["released/codebook.json"].decode()
        assert found.figures["not_scanned"] == ["AE", "DM", "LB", "VS"]
        assert found.figures["longitudinal"] is None
        dates = found.figures["moved_dates"]["steps"][0]
        assert (dates["people_looked_at"], dates["people_undone"], dates["people_nearly_undone"]) == (0, None, None)
        assert "The calendar was not looked at: AE, DM, LB, VS have more rows than" in found.report
        first = found.answers["singling_out"]
        assert first.answer == "yes" or first.sentence.startswith("No by the quasi-identifiers: ")
        assert "columns of AE, DM, LB, VS that may name people" in found.report
        assert "Not looked at: what acquaintances know" in found.report
        said = found.outcome.not_looked_at(MASKED)
        n_rows = found.figures["files"]["vs.csv"]["records_of_source"]
        assert "was written part by part" in found.figures["no_define_xml"]
        assert "released/define.xml" not in files
        assert b"VSTESTCD" in files["released/vs.csv"]
    assert len([one for one in said if "from disk" in one]) == 2
    assert n_rows > 30
    assert not [one for one in seen if len(one) >= n_rows and one.shape[1] > 1]  # one column: distinct values


@pytest.mark.thorough("2 s; three releases")
def test_an_earlier_release_and_a_file_of_which_nobody_stays_are_seen_from_disk_as_in_memory(tmp_path):
    """The same pilot released before under another name, with wider bands: k by both together."""
    (tmp_path / "pilot").mkdir()
    files = study(5, 14)
    path, folder = written({name: files[name] for name in files if name != "LB"}, tmp_path / "pilot"), tmp_path / "2025"
    folder.mkdir()
    before = {"treatment": {"seed": 1, "steps": [STEPS[0]], "release": "2025"}}
    with released("memory", path, config_with() | before, TINY) as (_, earlier, _):
        for name, content in earlier.items():
            (folder / Path(name).name).write_bytes(content)
    files["LB"].assign(USUBJID="somebody else").to_csv(tmp_path / "pilot" / "lb.csv", index=False)
    config = config_with({"earlier": {"folder": str(folder), "name": "2025"}}, {**STEPS[0], "width": 15})
    found = compare("disk", path, config | {"merge": {"ignore": ["LB"]}}, TINY)
    assert found.figures["earlier_release"]["people_in_both"] == 14
    assert found.figures["left_out"]["lb.csv"] == "no record of it is left"
    assert "released/lb.csv" not in found.files
    assert "not_scanned" not in found.figures
    assert found.figures["study_tables"]["not_compared"] == []
    assert found.figures["longitudinal"]["people"] == found.figures["people"]


@pytest.mark.thorough("0.8 s")
def test_settings_that_need_records_are_refused_before_the_run(tmp_path):
    release = {"rare_terms": {"at_least": 3}, "format": "xpt5"}
    config = config_with(release) | {"subject_id": {"column": None}}
    with opened_with("disk", pilot(tmp_path, 4), config, TINY) as opened:
        terms, written_whole, without_ids = refused(opened.config)
    assert terms.startswith("release['rare_terms']")
    assert written_whole.startswith("release['format']: xpt5 is written whole")
    assert "numbers the rows of a file" in without_ids
    assert all("--engine memory" in fault for fault in (terms, written_whole, without_ids))
