"""What a treatment does by every engine: the same dataset, figures and reasons, byte by byte."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.assess.assessment import evaluate
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.records.limits import Limits
from disclosure_control.remedy.treatments.methods import recode_ids
from disclosure_control.remedy.treatments.registry import methods
from disclosure_control.report.verdict import verdict_on, what_leaves
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps.running import StepResult, run_steps
from tests.examples import examples
from tests.places import PROJECT
from tests.records.written_pilots import configs, limits, opened_with, refused, rows, text_of

KEY = "a1 Long $ key 73 of no, use"
RECODE = {"method": "recode_ids", "key_from": {"environment": "PILOT_KEY"}}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setenv("PILOT_KEY", KEY)


STEPS = [
    {"method": "bins", "column": "AGE", "edges": [0, 2, 30]},
    {"method": "band", "column": "V", "width": 10},
    {"method": "top_code", "column": "V", "limit": 30},
    {"method": "bottom_code", "column": "AGE", "limit": 2, "replacement": 0},
    {"method": "round", "column": "AGE", "to": 5},
    {"method": "group", "column": "SITE", "rarer_than": 3},
    {"method": "group", "column": "SEX", "groups": {"one": ["a", "é"], "1": ["1"]}},
    {"method": "suppress_records"},
    {"method": "suppress_records", "models": ["k", "l", "t"]},
    {"method": "drop_column", "columns": ["SITE", "W"]},
    {"method": "drop_column", "columns": ["USUBJID"]},
    {"method": "drop_column", "columns": ["AGE", "V"]},
    RECODE,
    {**RECODE, "columns": ["SITE"], "length": 8},
    {**RECODE, "columns": ["USUBJID", "SEX"], "length": 64},
    {"method": "drop_identifiers", "keep": ["SITE"]},
    {"method": "recommended"},
]


@st.composite
def treatments(draw) -> list[dict]:
    """A few steps in any order, none of them on a column that is gone."""
    gone: set[str] = set()
    steps: list[dict] = []
    for step in draw(st.lists(st.sampled_from(STEPS), max_size=4)):
        needed = {step.get("column"), *step.get("columns", ["USUBJID"] if step["method"] == "recode_ids" else [])}
        if not needed & gone:
            steps.append(step)
            gone |= set(step["columns"]) if step["method"] == "drop_column" else set()
    return steps


def treated(opened, folder) -> tuple[StepResult, bytes, str]:
    assessment = evaluate(opened.people, opened.config)
    steps = run_steps("P", folder, opened.dataset, assessment, left_out=("risk",))
    found = steps["treatment"]
    released = b"".join(written(one) for one in found.datasets.values())
    verdict = verdict_on(what_leaves(steps), steps)
    return found, released, as_text([verdict.section, verdict.at_length], Where.FIRST | Where.TEXT)


def written(dataset: pd.DataFrame | Iterator[pd.DataFrame]) -> bytes:
    pieces = [dataset] if isinstance(dataset, pd.DataFrame) else dataset
    return b"".join(csv_bytes(piece, has_header=i == 0) for i, piece in enumerate(pieces))


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
@examples(30)
@given(rows(), configs, limits, treatments(), st.booleans())
def test_the_same_bytes_as_in_memory(tmp_path_factory, people, config, parts, steps, is_declared):
    folder = tmp_path_factory.mktemp("pilot")
    path = folder / "combined_dataset.csv"
    path.write_bytes(text_of(people))
    config = config | {"recommend": {"suppression_limit": 0.5}, "treatment": {"seed": 1, "steps": steps}}
    config |= {"identifiers": {"harmless": {"SITE": "a site"}} if is_declared else {}}
    faults = []
    with opened_with("memory", path, config, parts) as opened:
        try:
            expected, dataset, verdict = treated(opened, folder)
        except FaultyInputError as error:
            faults = error.faults
    with opened_with("disk", path, config, parts) as opened:
        assert refused(opened.config) == []
        if faults:
            with pytest.raises(FaultyInputError) as raised:
                treated(opened, folder)
            assert raised.value.faults == faults
            return
        found, released, said = treated(opened, folder)
        assert json.dumps(found.figures) == json.dumps(expected.figures)
        assert released == dataset
    assert (found.report, found.short, found.first_lines) == (expected.report, expected.short, expected.first_lines)
    assert (found.files, found.inputs, found.reasons_to_hold) == (
        expected.files,
        expected.inputs,
        expected.reasons_to_hold,
    )
    assert said == verdict


PEOPLE = [
    [f"{i:03}", "ab"[i % 2], str(i % 5 + 1), str(i % 7), "xyz"[i % 3], "" if i % 4 else f"town {i % 6}"]
    for i in range(40)
]
CONFIG = {
    "categorical_qis": ["SEX"],
    "continuous_qis": ["AGE"],
    "binning_config": {},
    "sensitive_feature": ["V"],
    "K": 3,
    "L": {"V": 2},
    "T": {"V": 3},
}


def opened_pilot(tmp_path, engine: str, steps: object, people: list[list[str]] = PEOPLE, **parts: int):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(people))
    return opened_with(engine, path, CONFIG | {"treatment": steps}, Limits(block_bytes=200, **parts))


@pytest.mark.thorough("1.2 s")
def test_without_a_quasi_identifier_all_people_are_one_class(tmp_path):
    """The recoding that meets L and T may have to drop all of them; there is nothing left to count by."""
    steps = [{"method": "drop_column", "columns": ["USUBJID", "SEX", "AGE"]}]
    found = {}
    for engine in ("memory", "disk"):
        with opened_pilot(tmp_path, engine, steps) as opened:
            step, released, verdict = treated(opened, tmp_path)
            found[engine] = step.figures, step.report, released, verdict
    assert found["disk"] == found["memory"]


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize(
    ("steps", "places"),
    [
        ([{"method": "mondrian"}, {"method": "suppress_records"}, {"method": "suppress_cells"}], [0, 2]),
        ([{"method": "group", "column": "USUBJID", "rarer_than": 2}], [0]),
        ([{"method": "shift_dates", "key_from": {"environment": "PILOT_KEY"}}], [0]),
    ],
)
def test_steps_that_need_records_are_named_with_those_that_do_not(tmp_path, steps, places):
    with opened_pilot(tmp_path, "disk", steps) as opened:
        faults = refused(opened.config)
        assert [fault.split("]")[0] for fault in faults] == [f"treatment[{place}" for place in places]
        assert all("suppress_records" in fault and "bins" in fault for fault in faults)
        with pytest.raises(RecordsNotAtHandError):
            treated(opened, tmp_path)


def test_every_treatment_runs_from_disk_or_is_named_in_the_page():
    page = (PROJECT / "docs" / "scale.md").read_text(encoding="utf-8")
    runs = page.split("The step `treatment` runs as well")[1].split("It writes")[0]
    assert {name for name in methods() if f"`{name}`" in runs} == {
        name for name, one in methods().items() if not one.needs_everybody
    }


@pytest.mark.thorough("0.4 s")
def test_pseudonyms_that_two_would_share_are_a_fault_over_all_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(recode_ids, "pseudonyms_of", lambda key, release, ids, length: [one[-1] for one in ids])
    people = [row for row in PEOPLE if row[0] in ("001", "012", "021")]
    for engine in ("memory", "disk"):
        with opened_pilot(tmp_path, engine, [RECODE], people) as opened, pytest.raises(FaultyInputError) as raised:
            treated(opened, tmp_path)
        assert "fewer than 10 of 3 ids of 'USUBJID' would get the pseudonym of another id" in raised.value.faults[0]


@pytest.mark.thorough("0.3 s")
def test_a_column_of_too_many_values_is_a_fault_that_names_it(tmp_path):
    people = [[*row[:5], f"site {row[0]}"] for row in PEOPLE]
    with opened_pilot(tmp_path, "disk", [], people, few_texts=5) as opened, pytest.raises(FaultyInputError) as raised:
        treated(opened, tmp_path)
    assert "column 'SITE'" in raised.value.faults[0]
