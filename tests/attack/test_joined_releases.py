"""Two releases of one pilot under one key: they join where the config says so, and then what both tell is measured."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from disclosure_control.assess.assessment import assess
from disclosure_control.attack import joined_releases
from disclosure_control.attack.joined_releases import read_earlier_release
from disclosure_control.attack.leaving import EarlierRelease, Leaving
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.treatment.settings import Join
from tests.config_keys import settings_of_key
from tests.found import InSummary
from tests.remedy.treatments.treatment_frames import KEY, KEY_NAME, config_for
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, leaks

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
        assert settings.release == (None if own[1] == "made of" else own[1])
        assert settings.release_of_ids(Release(*own)) == Release(*of_ids)


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
    assert found["people_in_both"] == 12
    assert (found["fewer_than_k_by_both_together"], found["alone_by_both_together"]) == (2, 2)  # for the controller
    assert "Disclosed to anyone who also has the earlier release 2026-03, which this one joins by pseudonym:" in text
    assert "People in both: 12; only in this one: 0; only in the earlier one: 0." in text
    reasons = pilot.summary()["verdict"]["reasons"]
    (reason,) = [one for one in reasons if one["sentence"].startswith("Together with the release 2026-03")]
    assert reason["gravity"] == "threshold_not_met"
    assert "releases/2026-03.csv" in pilot.summary()["inputs"]
    other_pilot = {**join, "pilot": "WARD"}
    released(pilot, doors, {"join": other_pilot, "steps": [RECODE, DROP_AGE]})
    reasons = pilot.summary()["verdict"]["reasons"]
    assert any(one["sentence"].startswith("This release should join 2026-03") for one in reasons)


def figures_of_join(here: list[str], before: list[str], earlier_ids: list[str] | None = None, k: int = 2) -> dict:
    """Two releases of S-0, S-1, ... by one quasi-identifier, under one pseudonym each, so far as they go."""
    frame = pd.DataFrame({"USUBJID": [f"S-{i}" for i in range(len(here))], "AGE": here})
    config = config_for(["AGE"], K=k)
    ids = earlier_ids or [f"S-{i}" for i in range(len(before))]
    table = pd.DataFrame({"USUBJID": ids, "AGE": before}, dtype="str")
    treated = treat(frame, config, [])
    leaving = Leaving.of(assess(frame, config), treated, earlier=EarlierRelease(Join("2026-03", "a.csv"), table))
    return InSummary(joined_releases.joined_releases(leaving)(MASKED))


def test_who_has_left_since_is_found_by_the_difference():
    """Forty alike in the earlier release, eleven others gone, one of the forty too: that one is alone by both."""
    found = figures_of_join(["x"] * 40, ["x"] * 41)
    assert (found["people_in_both"], found["people_only_earlier"]) == (None, None)  # 40 and 1
    assert found["alone_by_both_together"] is None
    (reason,) = found.found.reasons()
    assert reason.gravity == Gravity.THRESHOLD_NOT_MET
    assert "an undisclosed number of people are alone" in reason.sentence
    found = figures_of_join(["x"] * 40, ["x"] * 40)
    assert list(found.found.reasons()) == []
    assert (found["alone_by_both_together"], found["fewer_than_k_by_both_together"]) == (0, 0)


def test_other_bins_in_both_are_told_in_numbers():
    """Two by two in each, in other pairs: forty people are alone by both."""
    found = figures_of_join([str(i // 2) for i in range(40)], [str((i + 1) // 2 % 20) for i in range(40)])
    assert (found["people_in_both"], found["alone_by_both_together"]) == (40, 40)
    said = " ".join(found.found.words()).lower()
    assert "alone by both together, but not by the person's latest release: 40" in said


@pytest.mark.parametrize("n_earlier", [5, 40])
def test_where_nobody_joins_that_is_a_reason(n_earlier):
    found = figures_of_join(["x"] * 40, ["x"] * n_earlier, [f"T-{i}" for i in range(n_earlier)])
    (reason,) = found.found.reasons()
    assert reason.gravity == Gravity.NOT_DECIDED
    assert found["people_in_both"] == 0


@pytest.mark.thorough("0.3 s")
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
