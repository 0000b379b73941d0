"""A nightly script: both doors over a pilot that grows, with ``--fail-on-risk``, judged by what leaves."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.run.doors import DONE, RISK_TOO_HIGH, run_door
from Main_Anonymization import add_options, assess_pilot

KEY = "a key of these tests alone, 0123456789 abcdefghij"
N_PEOPLE = 60
CONFIG = {
    "categorical_qis": ["DM__SEX"],
    "continuous_qis": ["DM__AGE"],
    "binning_config": {},
    "sensitive_feature": [],
    "sensitive_binning_config_for_L": {},
    "K": 5,
    "L": 1,
    "T": 1,
}
RECODE = {"method": "recode_ids", "key_from": {"environment": "NIGHTLY_KEY"}}
BANDS = {"method": "band", "column": "DM__AGE", "width": 20}
SUPPRESS = {"method": "suppress_records", "models": ["k"]}
RELEASE = {"key_from": {"environment": "NIGHTLY_KEY"}}


@pytest.fixture
def night(tmp_path, monkeypatch):
    """Both doors over the pilot, with further ages of people who came; the status and the JSON summary."""
    folder, configs = tmp_path / "pilots" / "NEW", tmp_path / "configs"
    folder.mkdir(parents=True)
    configs.mkdir()
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(folder.parent))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))
    monkeypatch.setenv("NIGHTLY_KEY", KEY)

    def run(keys, came=()):
        ages = [*(40 + np.arange(N_PEOPLE) % 20), *came]
        frame = pd.DataFrame({"USUBJID": [f"P-{i:06d}" for i in range(len(ages))], "AGE": ages})
        frame["SEX"] = np.where(np.arange(len(ages)) % 2, "F", "M")
        frame.to_csv(folder / "DM.csv", index=False)
        (configs / "NEW.py").write_text(f"config = {CONFIG | keys!r}\n", encoding="utf-8")
        assert run_door("", combine_pilot, ["NEW"], add_merge_options) == DONE
        status = run_door("", assess_pilot, ["NEW", "--fail-on-risk", "0"], add_options)
        results = folder / "processed_for_anonym"
        return status, json.loads((results / "NEW_privacy_summary.json").read_text(encoding="utf-8"))

    return run


@pytest.mark.thorough("1 s: both doors several times")
@pytest.mark.parametrize(
    ("keys", "about"),
    [
        pytest.param({"treatment": [RECODE, BANDS]}, "anonymised_dataset.csv", marks=pytest.mark.thorough("0.3 s")),
        ({"treatment": [BANDS], "release": RELEASE}, "released/"),
    ],
    ids=["table", "study"],
)
def test_it_passes_while_the_treatment_holds_and_fails_on_the_first_person_at_risk(keys, about, night):
    """The pilot itself has classes of three people: what leaves is judged. Then one aged 93 comes, alone in a band."""
    status, summary = night(keys)
    assert summary["k_anonymity"]["risky"] == N_PEOPLE
    assert (status, summary["verdict"]["about"], summary["verdict"]["verdict"]) == (DONE, about, "May leave")
    status, summary = night(keys, came=[93])
    assert (status, summary["verdict"]["about"], summary["verdict"]["verdict"]) == (RISK_TOO_HIGH, about, "Hold")


@pytest.mark.thorough("1 s; it fails on the first person at risk above")
def test_it_passes_again_where_the_treatment_suppresses_who_is_at_risk(night):
    status, summary = night({"treatment": [BANDS, SUPPRESS], "release": RELEASE}, came=[93])
    assert (status, summary["verdict"]["verdict"]) == (DONE, "May leave")
    assert summary["release"]["people_left_out"] == 1


@pytest.mark.thorough("0.4 s: both doors")
def test_original_ids_in_the_table_that_leaves_fail_it(night):
    status, summary = night({"treatment": [BANDS]})
    assert status == RISK_TOO_HIGH
    first = summary["verdict"]["reasons"][0]
    assert first["gravity"] == "names_a_person"
    assert "original ids" in first["sentence"]
    assert "recode_ids" in first["next"]


@pytest.mark.thorough("1.1 s")
@pytest.mark.parametrize("keys", [{}, {"release": RELEASE}], ids=["table", "study"])
def test_chance_from_the_published_seed_holds_what_leaves(keys, night):
    swap = {"method": "flip", "column": "DM__SEX", "share": 0.5}
    _, summary = night({"treatment": [RECODE, BANDS, swap], **keys})
    sentences = [one["sentence"] for one in summary["verdict"]["reasons"]]
    assert any("published default seed" in sentence for sentence in sentences)
    assert summary["verdict"]["verdict"] == "Hold"
