"""Two releases of one pilot, as the step compares them: by hand on eight people, and the demo with other bins."""

from __future__ import annotations

import hashlib

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.attack import earlier as earlier_release
from disclosure_control.attack.earlier import EarlierReleases
from disclosure_control.attack.tells.merged import MergedPackage
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.measures.two_releases import TwoReleases
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.package import opened_again
from disclosure_control.release.people import people_of
from disclosure_control.release.settings import EarlierReleaseSettings
from disclosure_control.remedy.treatments.keys import Release, pseudonyms_of
from disclosure_control.steps.release.earlier import (
    BesideEarlier,
    beside_earlier,
    reasons_of_earlier,
    told_beside_earlier,
)
from study.formats.files import read_domain_file
from tests.config_keys import faults_of_key
from tests.found import InSummary
from tests.steps.release.conftest import FOLDER, KEY, TREATMENT, demo_config, package, step_on

SECRET = bytes.fromhex("8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718")
NOW, EARLIER = Release("PILOT", "2026"), Release("PILOT", "2025")
IDS = [f"S-{number}" for number in range(8)]


def merged(release: Release, columns: dict[str, list], ids: list[str] = IDS) -> MergedPackage:
    frame = pd.DataFrame({"USUBJID": pseudonyms_of(SECRET, release, ids), **columns})
    literal = {"categorical_qis": ["DM__AGE"], "sensitive_feature": "LB__X", "K": 2, "L": 1, "T": 100.0}
    config = validate_config({**literal, "continuous_qis": [], "binning_config": {}}, list(frame.columns), {})
    records = EncodedRecords.in_memory(frame)
    return MergedPackage(records, {}, assess(frame, config))


def whose() -> object:
    frame = pd.DataFrame({"USUBJID": IDS})
    return people_of(frame["USUBJID"], [], SECRET, NOW, 365)


def compare(now: MergedPackage, earlier: MergedPackage, name: Release = EARLIER) -> BesideEarlier:
    return beside_earlier(now, EarlierReleases.of([(earlier, name)], IDS, len(IDS), SECRET), whose())


def test_by_other_bins_people_are_alone_who_are_alone_in_neither():
    values = list("abababab")
    now = merged(NOW, {"DM__AGE": ["20--40"] * 4 + ["40--60"] * 4, "LB__X": values})
    cut = ["20--25", "25--30", "30--35", "35--60", "20--25", "25--30", "30--35", "35--60"]
    earlier = merged(EARLIER, {"DM__AGE": cut, "LB__X": values})
    found = compare(now, earlier)
    assert (found.found.in_both, found.found.alone) == (8, 8)
    order = [3, 1, 7, 0, 2, 6, 5, 4]  # rows stand by pseudonym: in another order in each release
    shuffled = merged(
        EARLIER, {"DM__AGE": [cut[i] for i in order], "LB__X": [values[i] for i in order]}, [IDS[i] for i in order]
    )
    assert compare(now, shuffled).found == found.found


def test_a_value_that_was_taken_out_and_stands_in_the_earlier_release_is_counted():
    now = merged(NOW, {"DM__AGE": ["x"] * 8, "LB__X": [None, *"bababab"]})
    earlier = merged(EARLIER, {"DM__AGE": ["x"] * 8, "LB__X": list("abababab")})
    found = compare(now, earlier)
    assert found.stands_there == {"LB__X": 1}
    (reason,) = reasons_of_earlier(MASKED, found)
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert reason.sentence == (
        "Anyone who also has the earlier release learns from both together: values removed here are in the "
        "earlier release (LB__X)."
    )


def test_the_same_release_again_is_no_reason():
    columns = {"DM__AGE": ["x"] * 8, "LB__X": list("abababab")}
    found = compare(merged(NOW, columns), merged(EARLIER, columns))
    assert reasons_of_earlier(MASKED, found) == []
    assert found.found == TwoReleases(8, 0, 0, 0, 0, {"LB__X": 0})


def test_under_another_name_nobody_is_found_and_that_is_a_fault():
    columns = {"DM__AGE": ["x"] * 8, "LB__X": list("abababab")}
    with pytest.raises(FaultyInputError, match="none of the 8 people of the earlier release"):
        compare(merged(NOW, columns), merged(EARLIER, columns), Release("PILOT", "2024"))


def test_few_people_are_masked_and_do_not_follow_from_the_others():
    found = TwoReleases(45, 5, 12, 3, 20, {"LB__X": 4})
    figures = InSummary(told_beside_earlier(MASKED, BesideEarlier(found, {"DM__AGE": 2}, 5, {})))
    assert [figures[f"people_{part}"] for part in ("in_both", "only_now", "only_earlier")] == [None] * 3
    assert figures["alone_by_both_together"] is None
    assert figures["fewer_than_k_by_both_together"] == 20
    assert figures["values_follow"] == {"LB__X": None}
    text = "\n".join(part.text for part in figures.found.parts())
    assert "Alone by both together, but not by the person's latest release: masked" in text
    assert "LB__X masked" in text


def test_the_sentence_tells_what_the_figures_tell():
    """Alone 30 and below K 33: the difference is of few people."""
    beside = BesideEarlier(TwoReleases(80, 20, 20, 30, 33, {"LB__X": 4}), {}, 5, {})
    figures = InSummary(told_beside_earlier(MASKED, beside))
    assert (figures["alone_by_both_together"], figures["fewer_than_k_by_both_together"]) == (None, 33)
    (reason,) = reasons_of_earlier(MASKED, beside)
    assert "an undisclosed number of people are alone; 33 people are in a class of fewer than 5" in reason.sentence
    assert "the LB__X of an undisclosed number of people" in reason.sentence


@pytest.mark.parametrize(
    ("value", "words"),
    [({}, "release['earlier']['folder']: missing"), ({"folder": 1}, "a text"), ({"path": "x"}, "unknown key 'path'")],
)
def test_faults_of_the_setting(value, words, release_key):
    faults = faults_of_key("release", {"key_from": {"environment": "RELEASE_TEST_KEY"}, "earlier": value}, {}, ["a"])
    assert any(words in fault for fault in faults), faults


@pytest.mark.thorough("4 s: the demo is released twice")
def test_the_demo_beside_its_release_with_other_bins(demo, tmp_path, release_key):
    """Whoever would stand out between the two is held back of the later one: there are no others."""
    literal = demo_config({"earlier": {"folder": str(demo.folder), "name": "2026"}})
    other = [{**TREATMENT[0], "width": 15}, TREATMENT[1]]
    given, kept = step_on(FOLDER, tmp_path, literal, other)
    made = package(FOLDER, given, kept, tmp_path)
    beside, own = made.result.outcome.earlier, pseudonyms_of(KEY.encode(), Release("DEMO", "2026"), kept)
    leaving = {one for one, pseudonym in zip(kept, own, strict=True) if pseudonym in set(made.opened["DM"]["USUBJID"])}
    assert 0 < beside.n_held_back == len(kept) - len(leaving)
    found = beside.found
    assert found.in_both == len(leaving & set(demo.kept)) > 0
    assert found.only_now == len(leaving - set(demo.kept))
    assert found.only_earlier == len(set(demo.kept) - leaving)
    assert (found.alone, found.fewer_than_k) == (0, 0)
    assert made.result.figures["earlier_release"] is not None
    assert any(name.startswith("earlier release 2026: ") for name in made.result.inputs)


def test_the_hash_is_of_the_bytes_that_were_read(tmp_path, monkeypatch):
    """The file changes while the release is evaluated: the run's inputs name what was evaluated."""
    file = tmp_path / "dm.csv"
    pd.DataFrame({"USUBJID": IDS, "DOMAIN": "DM", "AGE": range(8)}).to_csv(file, index=False)
    read = hashlib.sha256(file.read_bytes()).hexdigest()

    def opened_and_changed(folder, read):
        tables = opened_again(folder, read)
        file.write_text("USUBJID\nX\n", encoding="utf-8")
        return tables

    monkeypatch.setattr(earlier_release, "opened_again", opened_and_changed)
    _, inputs = earlier_release.read_earlier(EarlierReleaseSettings(str(tmp_path)), tmp_path, read_domain_file)
    assert inputs == {"earlier release: dm.csv": {"sha256": read}}


def test_a_folder_without_a_release_is_a_fault(tmp_path, release_key):
    with pytest.raises(FaultyInputError, match="found no domain file there"):
        earlier_release.read_earlier(EarlierReleaseSettings("nowhere"), tmp_path, read_domain_file)
