"""Door 2 holds what is not what the merge saw: in eight ways, and each says what to run."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from disclosure_control.assess.staleness import staleness
from tests.run.synthetic_pilot import DONE, RISK_TOO_HIGH, rows_of

AGAIN = "run python Create_Combined_Pilot_Dataset.py CLINIC"


def stale_reasons(pilot, doors) -> list[str]:
    """What the verdict holds against the inputs; notes and screen say the same, and the status is 1."""
    run = doors.start(2, "--fail-on-risk", "100")
    reasons = pilot.summary()["verdict"]["reasons"]
    found = [one["sentence"] for one in reasons if one["gravity"] == "not_as_merged"]
    assert all(one["next"].startswith(AGAIN) for one in reasons if one["gravity"] == "not_as_merged")
    assert [one["sentence"] for one in reasons][: len(found)] == found  # the gravest kind
    assert run.status == (RISK_TOO_HIGH if found else DONE)
    said = " ".join(run.out.split())
    assert all(f"NOTE: {sentence[:-1]}; {AGAIN}" in said for sentence in found)
    return found


def found_stale(pilot) -> list[str]:
    """The same, asked of the function alone: no door runs."""
    digest = hashlib.sha256(pilot.combined.read_bytes()).hexdigest()
    found = staleness(pilot.folder, pilot.results, digest, pilot.config)
    return [one.sentence for one in found.reasons]


def edited_by_hand(pilot):
    """The combined dataset with another age in every row."""
    rows = pilot.combined_rows()
    pilot.write_combined([row | {"DM__AGE": "33"} for row in rows])


def other_typed_columns(pilot):
    path = pilot.results / "combined_dataset.typed.parquet"
    path.write_bytes(path.read_bytes() + b"\n")


WAYS = {
    "edited": (edited_by_hand, "combined_dataset.csv is not what the merge of this pilot wrote"),
    "typed": (other_typed_columns, "combined_dataset.typed.parquet is not what the merge"),
    "changed": (lambda pilot: pilot.write("DM.csv", (pilot.folder / "DM.csv").read_text() + "\n"), "DM.csv changed"),
    "came": (lambda pilot: pilot.write("QS.csv", "USUBJID,SCORE\n"), "QS.csv came after the merge"),
    "vanished": (lambda pilot: pilot.remove("SC.csv"), "SC.csv vanished after the merge"),
    "merge": (lambda pilot: pilot.configure(merge={"ignore": ["SC"]}), '"merge" of the config changed'),
    "subject_id": (lambda pilot: pilot.configure(subject_id={"column": "USUBJID"}), '"subject_id" of the config'),
    "no report": (lambda pilot: (pilot.results / "merge_report.json").unlink(), "merge_report.json is missing"),
    "broken report": (
        lambda pilot: (pilot.results / "merge_report.json").write_text(json.dumps({"files": {}})),
        "merge_report.json cannot be read",
    ),
}


@pytest.mark.thorough("1.5 s")
def test_nothing_is_said_after_a_merge_of_the_same_files(pilot, doors):
    assert doors.start(1).status == DONE
    assert stale_reasons(pilot, doors) == []
    pilot.configure(merge={}, subject_id={})  # the same rules, written out
    assert found_stale(pilot) == []


@pytest.mark.parametrize("way", WAYS)
def test_what_changed_since_the_merge_is_found(way, pilot):
    change, begins = WAYS[way]
    change(pilot)
    (found,) = found_stale(pilot)
    assert found.startswith(begins)


def test_what_is_not_as_merged_holds(pilot, doors):
    edited_by_hand(pilot)
    pilot.configure(merge={"ignore": ["SC"]})
    assert stale_reasons(pilot, doors) == found_stale(pilot)
    assert len(found_stale(pilot)) == 2


@pytest.mark.thorough("0.6 s")
def test_domain_files_may_all_be_elsewhere(pilot):
    pilot.remove("DM.csv", "LB.csv", "SC.csv", "VS.csv")
    assert found_stale(pilot) == []
    (pilot.results / "merge_report.json").unlink()
    assert found_stale(pilot) == []


@pytest.mark.thorough("1.2 s")
def test_an_edit_on_purpose_is_declared_for_that_very_dataset_and_the_verdict_says_so(pilot, doors):
    edited_by_hand(pilot)
    doors.start(2)
    page = (pilot.results / "CLINIC_privacy_report.html").read_text(encoding="utf-8")
    (name,) = set(re.findall(r"combined_dataset[.]csv [0-9a-f]{16}", page))
    decided = {"by": "data manager", "on": "2026-01-30", "says": "Ages as the site corrected them."}
    pilot.configure(context={"rules": {name: decided}})
    assert stale_reasons(pilot, doors) == []
    (said,) = [one for one in pilot.summary()["verdict"]["not_looked_at"] if "edited" in one]
    assert said.endswith("Ages as the site corrected them. (data manager, 2026-01-30).")
    pilot.write_combined([row | {"DM__AGE": "34"} for row in pilot.combined_rows()])
    assert len(stale_reasons(pilot, doors)) == 1


@pytest.mark.thorough("1.2 s")
def test_a_first_config_is_that_of_its_own_merge(fresh, doors):
    fresh.config_file.unlink()
    fresh.write_rows("DM.csv", [row | {"USUBJID": f"01-{row['USUBJID']}"} for row in rows_of("DM")])
    doors.start_both()
    assert not [one for one in fresh.summary()["verdict"]["reasons"] if one["gravity"] == "not_as_merged"]
