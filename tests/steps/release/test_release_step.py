"""The step ``release`` on SDTM_DEMO: every cell by the referee, every format, the proof, the verdict, the key."""

from __future__ import annotations

import json
from datetime import date

import pandas as pd
import pytest

from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.report.verdict import verdict_on, what_leaves
from disclosure_control.steps.release.step import run_step
from study.formats.tables import FileOptions
from study.merge.settings import MergeSettings
from study.models.sdtm_operations import operation_of, overriding_line
from study.operations import OperationKind
from tests.cases import quick
from tests.config_keys import faults_of_key
from tests.places import SHARED_DATA
from tests.release.release_referee import pseudonym, released_rows
from tests.release.small_studies import people, released, rows_of
from tests.steps.release.conftest import (
    FOLDER,
    KEY,
    STARTED,
    TREATMENT,
    codebook_of,
    demo_config,
    package,
    step_on,
)
from tests.steps.release.made_study import demographics, starts

NAMED = (KEY.encode(), "DEMO", "2026")


# ---------------------------------------------------------------- against the referee


@pytest.mark.thorough("3 s; the quick run asks the referee about small studies, in tests/release/")
def test_every_cell_of_the_demo_is_that_of_the_referee(demo):
    ages = demo.source["DM"].set_index("USUBJID")["AGE"]
    band = {one: f"{int(age // 20 * 20)}--{int(age // 20 * 20 + 20)}" for one, age in ages.items()}
    for name, frame in demo.source.items():
        domain = {"LBCH": "LB", "LBHE": "LB"}.get(name, name)
        expected = released_rows(domain, rows_of(frame), set(demo.kept), {"AGE": band} if name == "DM" else {}, *NAMED)
        found = rows_of(demo.opened[name]) if name in demo.opened else []
        assert without_numbers(found) == without_numbers(expected), name
        ids = [row["USUBJID"] for row in found if "USUBJID" in row]
        assert ids == sorted(ids), name
    assert set(demo.source) - set(demo.opened) == {"SUPPLBCH"}  # its only variable waits for the config


def without_numbers(rows: list[dict]) -> list[str]:
    """Rows in no order, without their numbers: both are made anew, as tests of their own say."""
    return sorted(
        repr(
            {
                name: value
                for name, value in row.items()
                if not name.endswith("SEQ") and not (name == "IDVARVAL" and row["IDVAR"].endswith("SEQ"))
            }
        )
        for row in rows
    )


def test_the_only_day_in_the_package_is_that_on_which_the_run_began(small):
    """So the same run, made again on another day, has the same bytes."""
    assert f"released {STARTED[:10]}" in small.files["README.txt"].decode()
    assert not any(str(date.today()).encode() in content for content in small.files.values())


def test_the_figures_are_those_that_the_treatment_promised(small):
    assert small.result.figures["as_a_recipient_finds_it"] == small.result.figures["as_promised"]
    assert small.result.figures["people"] + small.result.figures["people_left_out"] == 40


def test_nothing_of_the_originals_was_found_and_the_counts_are_printed(small):
    traces = small.result.figures["traces"]
    assert traces["searched"] > 1_000
    assert {traces[key] for key in traces if key not in ("searched", "where", "forms", "by_chance")} == {0}
    assert "original ids: 0; their digits: 0; dates that were not moved: 0" in small.result.report


def test_relations_and_supplements_still_join(small):
    dm = set(small.opened["DM"]["USUBJID"])
    assert set(small.opened["SUPPDM"]["USUBJID"]) <= dm
    for row in rows_of(small.opened["RELREC"]):
        parent = small.opened[row["RDOMAIN"]]
        own = parent[parent["USUBJID"] == row["USUBJID"]]
        assert row["IDVARVAL"] in set(own[row["IDVAR"]]), "a parent that stayed is found"
    n_source = sum(one in small.kept for one in small.source["RELREC"]["USUBJID"])
    assert len(small.opened["RELREC"]) == n_source


def test_labels_are_kept_and_the_codebook_names_every_variable(small):
    entries = codebook_of(small)
    named = {(entry["file"].partition(".")[0].upper(), entry["variable"]) for entry in entries}
    for name, frame in small.source.items():
        assert {(name, column) for column in frame} <= named
    age = next(entry for entry in entries if entry["variable"] == "AGE")
    assert age["done"] == "recoded by the treatment"
    assert age["intervals"].startswith("a--b contains a but not b")


def test_the_codebook_lists_no_level_of_few_people(small):
    frames = small.opened
    for entry in codebook_of(small):
        frame = frames.get(entry["file"].partition(".")[0].upper())
        for level in filter(None, entry["levels"].split("; ")):
            assert frame[frame[entry["variable"]] == level]["USUBJID"].nunique() >= 10


def test_the_package_is_read_by_a_recipient_without_the_descriptions(small):
    assert {"README.txt", "codebook.csv", "codebook.json"} <= set(small.files)
    assert "CODEBOOK" not in small.opened


# ---------------------------------------------------------------- formats


# ---------------------------------------------------------------- the key


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "release['key_from']: missing"),
        ({"key_from": {"environment": "NOT_SET_ANYWHERE"}}, "not set"),
        ({"operations": {"--TERM": "kept"}}, "did you mean 'keep'?"),
        ({"operations": {"--TERM": "review"}}, "unknown operation"),
        ({"formats": "csv"}, "did you mean 'format'?"),
        ({"days": 3}, "whole number from 30"),
        ([], "found list"),
    ],
)
def test_faults_of_the_key(value, words, release_key):
    given = {"key_from": {"environment": "RELEASE_TEST_KEY"}, **value} if value and "key_from" not in value else value
    faults = faults_of_key("release", given, {}, ["a"])
    assert any(words in fault for fault in faults), faults


@pytest.mark.parametrize("operation", ["keep", "remove", "no further", "recode id"])
@pytest.mark.parametrize(
    ("pattern", "column"), [("USUBJID", None), ("AE.USUBJID", None), ("ae.*", None), ("*ID", None), ("PATNO", "PATNO")]
)
def test_the_subject_id_is_always_a_pseudonym(pattern, column, operation, release_key):
    value = {"key_from": {"environment": "RELEASE_TEST_KEY"}, "operations": {pattern: operation, "--TERM": "keep"}}
    literal = {"subject_id": {"column": column}} if column else {}
    (fault,) = faults_of_key("release", value, literal, ["a"])
    assert fault.startswith(f"release['operations']['{pattern.upper()}']: {operation} is for other variables than")
    assert "always a pseudonym" in fault


@pytest.mark.parametrize(
    ("operations", "rule"),
    [
        ({"USUBJID": "recode subject"}, {}),
        ({"AE.USUBJID": "recode subject", "AE.*": "keep"}, {}),
        ({"USUBJID": "remove"}, {"column": "PATNO"}),
        ({"USUBJID": "remove"}, {"column": None}),
        ({1: "keep"}, {}),
    ],
)
def test_lines_about_other_variables_than_the_subject_id_are_none_of_its(operations, rule, release_key):
    value = {"key_from": {"environment": "RELEASE_TEST_KEY"}, "operations": operations}
    assert not any("pseudonym" in fault for fault in faults_of_key("release", value, {"subject_id": rule}, ["a"]))


def test_a_line_about_usubjid_is_not_about_an_id_of_another_name():
    """The pilot's ids stand in PATNO: they are pseudonyms, and USUBJID goes as the config says."""
    ids = [f"STUDY-{i:04}" for i in range(3)]
    rows = [{"DOMAIN": "DM", "PATNO": one, "USUBJID": one} for one in ids]
    made = released({"DM": rows}, people(ids, [0, 1, 2]), [overriding_line("USUBJID", OperationKind.REMOVE)], "PATNO")
    assert set(made.files["DM"].frame["PATNO"]) == set(people(ids, [0, 1, 2]).pseudonyms)
    assert "USUBJID" not in made.files["DM"].frame


def test_a_line_of_one_domain_is_asked_before_one_of_all(release_key):
    literal = demo_config({"operations": {"--TERM": "remove", "AE.AETERM": "keep"}})
    from tests.config_keys import settings_of_key

    lines = settings_of_key("release", literal["release"]).lines
    assert operation_of("AE", "AETERM", lines).operation == OperationKind.KEEP
    assert operation_of("MH", "MHTERM", lines).operation == OperationKind.REMOVE


# ---------------------------------------------------------------- the verdict


def test_what_nobody_understood_is_left_out_and_keeps_nothing_else_back(small):
    assert not [one for one in small.result.reasons_to_hold if one.gravity == Gravity.NOT_DECIDED]
    closed, *_ = what_leaves({"release": small.result}).not_looked_at
    assert (
        closed
        == "Not in it: 1 column that nobody understood, until you decide. Two values, such as yes and no: NICKNAME."
    )
    assert small.result.figures["undecided"].keys() == {"DM.NICKNAME"}


@pytest.mark.thorough("1.0 s")
def test_fewer_people_than_k_never_leave(tmp_path, release_key):
    given, _ = step_on(FOLDER, tmp_path, {**demo_config(), "K": 61, "L": 2}, None)
    result = run_step(given)
    assert result.files == {}
    assert result.figures["released"] is False
    verdict = verdict_on(what_leaves({"release": result}), {"release": result})
    assert verdict.text.startswith("VERDICT: Hold, nothing is released.")
    assert "fewer people than K" in as_text([verdict.at_length], Where.TEXT)


# ---------------------------------------------------------------- real studies


@pytest.mark.thorough("6 s: a whole study of 28 domains")
def test_a_whole_study_with_relations_of_data_sets(tmp_path, release_key):
    source = SHARED_DATA / "dataset_json" / "whole_study" / "json"
    if not source.is_dir():
        pytest.skip("the public data lie beside the clone")
    literal = {**demo_config(), "categorical_qis": ["DM__SEX"], "continuous_qis": [], "binning_config": {}}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}, "K": 2}
    given, kept = step_on(source, tmp_path, {k: v for k, v in literal.items() if k not in ("L", "T")}, None)
    made = package(source, given, kept, tmp_path)
    assert set(made.source) - set(made.opened) <= {"SUPPEC"}
    assert made.result.figures["traces"]["where"] == {}
    before, after = made.source, made.opened
    # RELREC joins whole data sets here: as many pairs of related records afterwards as before.
    for one, other, by, and_by in (("AE", "DS", "AELNKID", "DSLNKID"), ("AE", "FA", "AELNKID", "FALNKGRP")):
        n_before, n_after = (
            len(
                frames[one][["USUBJID", by]]
                .dropna()
                .merge(
                    frames[other][["USUBJID", and_by]].dropna(), left_on=["USUBJID", by], right_on=["USUBJID", and_by]
                )
            )
            for frames in (before, after)
        )
        assert n_before == n_after > 0
    # --DY, recomputed from the released dates, is the released one wherever it was so before.
    for name, frame in after.items():
        start = after["DM"].set_index("USUBJID")["RFSTDTC"]
        for column in [c for c in frame if c.endswith("STDY") and f"{c[:2]}STDTC" in frame]:
            assert (recomputed(frame, f"{column[:2]}STDTC", start) - frame[column]).dropna().eq(0).sum() == (
                (recomputed(before[name], f"{column[:2]}STDTC", before["DM"].set_index("USUBJID")["RFSTDTC"]))
                - before[name][column]
            ).dropna().eq(0).sum()


def recomputed(frame, date, start):
    days = (
        pd.to_datetime(frame[date].str[:10], format="%Y-%m-%d", errors="coerce")
        - pd.to_datetime(frame["USUBJID"].map(start).str[:10], format="%Y-%m-%d", errors="coerce")
    ).dt.days
    return days + (days >= 0)


def test_pseudonyms_are_those_of_the_release(small):
    release = Release("DEMO", "2026")
    expected = {pseudonym(KEY.encode(), release.pilot, release.name, one) for one in small.kept}
    assert set(small.opened["DM"]["USUBJID"]) == expected
    assert TREATMENT[0]["column"] == "DM__AGE"
    assert json.loads(small.files["codebook.json"])


@pytest.mark.thorough("0.8 s")
@pytest.mark.parametrize("other", quick(1, ["demographics.csv", "dm2.csv"], "1 s"))
def test_files_that_the_merge_combines_leave_as_one(other, tmp_path, release_key):
    rows = demographics(starts())
    source = tmp_path / "source"
    source.mkdir()
    pd.DataFrame(rows[:60]).to_csv(source / "dm.csv", index=False)
    pd.DataFrame(rows[60:]).to_csv(source / other, index=False)
    pooled = {"DM": {"file": ["dm.csv", other]}}
    literal = demo_config() | {"categorical_qis": ["DM__SEX"], "continuous_qis": ["DM__AGE"], "binning_config": {}}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}, "merge": {"files": pooled}}
    merge = MergeSettings(files={"DM": FileOptions(file=("dm.csv", other))})
    given, kept = step_on(source, tmp_path, literal, None, merge)
    made = package(source, given, kept, tmp_path)
    assert len(made.opened["DM"]) == 120
    assert set(made.opened) == {"DM"}
    assert set(made.result.inputs) == {"dm.csv", other}
    assert "dm.csv" not in made.result.figures["left_out"]
