"""Two releases of one pilot under one key: they join where the config says so, and then what both tell is measured."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.reasons import Gravity
from disclosure_control.findings.findings import reasons_to_hold
from disclosure_control.findings.joined_releases import read_earlier_release
from disclosure_control.steps.treatment.settings import Join
from disclosure_control.treatments.keys import Release
from tests.config_keys import settings_of_key
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, leaks
from tests.treatments.treatment_frames import KEY, KEY_NAME

RECODE = {"method": "recode_ids", "key_from": {"environment": KEY_NAME}}
DROP_SEX = {"method": "drop_column", "columns": ["DM__SEX", "VS__BMI", "SC__District of Permanent Address"]}
DROP_AGE = {"method": "drop_column", "columns": ["DM__AGE", "VS__BMI", "SC__District of Permanent Address"]}
TENS = {"method": "band", "column": "DM__AGE", "width": 10}


def released(pilot, doors, treatment) -> tuple[pd.DataFrame, dict, str]:
    pilot.configure(treatment=treatment)
    run = doors.start(2)
    assert run.status == DONE, run.err
    assert leaks(run.out, run.err) == []
    summary = json.loads((pilot.results / "CLINIC_treatment_summary.json").read_text(encoding="utf-8"))
    text = (pilot.results / "CLINIC_treatment_summary.txt").read_text(encoding="utf-8")
    return pd.read_csv(pilot.results / "anonymised_dataset.csv", dtype="str"), summary, text


def test_which_release_ids_are_of():
    """Named by the config, by what it is made of, or that of an earlier release, of another pilot as well."""
    join = {"release": "2026-03", "file": "a.csv"}
    for value, own, of_ids in (
        ([], ("CLINIC", "made of"), ("CLINIC", "made of")),
        ({"release": "2026-11", "steps": []}, ("CLINIC", "2026-11"), ("CLINIC", "2026-11")),
        ({"release": "2026-11", "join": join, "steps": []}, ("CLINIC", "2026-11"), ("CLINIC", "2026-03")),
        ({"join": {**join, "pilot": "WARD"}, "steps": []}, ("CLINIC", "made of"), ("WARD", "2026-03")),
    ):
        settings = settings_of_key("treatment", value)
        assert settings.own_release("CLINIC", "made of") == Release(*own)
        assert settings.release_of_ids("CLINIC", "made of") == Release(*of_ids)


@pytest.mark.thorough("2 s; who is alone by both releases in the quick run, by a referee")
def test_releases_join_only_where_the_config_says_so(pilot, doors, monkeypatch):
    monkeypatch.setenv(KEY_NAME, KEY)
    first, _, _ = released(pilot, doors, {"release": "2026-03", "steps": [RECODE, TENS, DROP_SEX]})
    other, summary, _ = released(pilot, doors, {"release": "2026-11", "steps": [RECODE, DROP_AGE]})
    unnamed, _, _ = released(pilot, doors, [RECODE, DROP_AGE])
    assert not set(first["USUBJID"]) & set(other["USUBJID"])
    assert not set(unnamed["USUBJID"]) & (set(first["USUBJID"]) | set(other["USUBJID"]))
    assert summary["joined"] == {}
    (pilot.folder / "releases").mkdir()
    first.to_csv(pilot.folder / "releases" / "2026-03.csv", index=False)
    join = {"release": "2026-03", "file": "releases/2026-03.csv"}
    joined, summary, text = released(pilot, doors, {"release": "2026-11", "join": join, "steps": [RECODE, DROP_AGE]})
    assert set(joined["USUBJID"]) == set(first["USUBJID"])
    both = joined.merge(first, on="USUBJID", suffixes=("", "_earlier"), validate="one_to_one")
    size = both.groupby(["DM__SEX", "DM__AGE"])["USUBJID"].transform("size")
    found = summary["joined"]
    assert ((size < 3).sum(), (size == 1).sum()) == (2, 2)
    assert (found["n_in_both"], found["n_below_k"], found["n_alone"]) == (12, None, None)  # few, and not nobody
    assert found["n_below_k_here"] == 0
    assert "Joined by pseudonym with the earlier release 2026-03: 12 of 12 people are in it." in text
    (reason,) = [one for one in reasons_to_hold(summary) if one.gravity == Gravity.THRESHOLD_NOT_MET]
    assert "Together with the release 2026-03" in reason.sentence
    assert "releases/2026-03.csv" in pilot.summary()["inputs"]
    other_pilot = {**join, "pilot": "WARD"}
    _, summary, _ = released(pilot, doors, {"join": other_pilot, "steps": [RECODE, DROP_AGE]})
    assert any(one.gravity == Gravity.NOT_DECIDED for one in reasons_to_hold(summary))


def test_faults_of_the_earlier_release(pilot, doors, monkeypatch, tmp_path):
    monkeypatch.setenv(KEY_NAME, KEY)
    pilot.configure(treatment={"join": {"release": "a", "file": "releases/a.csv"}, "steps": [RECODE]})
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "treatment['join']: there is no file 'releases/a.csv' in the pilot's folder" in run.err
    for content, words in (("A,B\n1,2\n", "has no column USUBJID"), ("USUBJID\nx\nx\n", "has 2 rows and 1 distinct")):
        (tmp_path / "a.csv").write_text(content, encoding="utf-8")
        with pytest.raises(FaultyInputError, match=words):
            read_earlier_release(Join("a", "a.csv"), tmp_path)
