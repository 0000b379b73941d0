"""The step ``linkage_attack`` through the real doors on the shipped demonstration, and the faults of its key."""

import csv
import json
import re
import shutil
import stat

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.analyses.linkage_attack.people import IdentifiedTable, read_identified
from disclosure_control.analyses.linkage_attack.step import AttackedRelease, attack_release, run_step
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.remedy.treatments.registry import Reading
from disclosure_control.run.doors import run_door
from disclosure_control.steps.running import StepInput
from Main_Anonymization import add_options, assess_pilot
from study import KEY_READERS
from study.merge.subject_ids import SubjectIdRule
from tests.cases import each
from tests.config_keys import faults_of_key, settings_of_key
from tests.kept import changed_since_kept
from tests.ninety_people import ninety_people, outcome_of
from tests.places import PROJECT

DEMO = PROJECT / "pilot_report" / "LINKAGE_DEMO"
RESULTS = "processed_for_anonym"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The first two hundred people of the demonstration pilot after both doors, with what they printed."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(DEMO, folder / "LINKAGE_DEMO", ignore=shutil.ignore_patterns(RESULTS))
    for name in ("DM.csv", "LB.csv"):
        rows = pd.read_csv(folder / "LINKAGE_DEMO" / name, dtype=str).query("USUBJID <= 'LINK-0200'")
        rows.to_csv(folder / "LINKAGE_DEMO" / name, index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIOSTREAMS_DATA_DIR", str(folder))
        patch.setenv("BIOSTREAMS_CONFIG_DIR", str(PROJECT / "config"))
        said = []
        patch.setattr("builtins.print", lambda *words, **options: said.append(" ".join(map(str, words))))
        assert run_door("", combine_pilot, ["LINKAGE_DEMO"], add_merge_options) == 0
        assert run_door("", assess_pilot, ["LINKAGE_DEMO", "--verbose"], add_options) == 0
    return folder / "LINKAGE_DEMO" / RESULTS, "\n".join(said)


def summary_of(folder):
    return json.loads((folder / "LINKAGE_DEMO_privacy_summary.json").read_text(encoding="utf-8"))["linkage_attack"]


@pytest.mark.thorough("1.6 s")
def test_who_was_matched_stands_in_the_restricted_file_alone(demo):
    folder, said = demo
    with (folder / "linkage_matches.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 200
    assert {row["claim"] for row in rows} == {"right"}
    assert stat.S_IMODE((folder / "linkage_matches.csv").stat().st_mode) == 0o600
    open_texts = [said, (folder / "LINKAGE_DEMO_privacy_summary.txt").read_text(encoding="utf-8")]
    open_texts.append(json.dumps(summary_of(folder)))
    for text in open_texts:
        words = set(re.findall(r"[\w-]+", text))
        assert not words & {row["named_USUBJID"] for row in rows}
        assert not words & {row["person"].split()[1] for row in rows}
        assert not re.search(r"\b1[01]\d{3}\b", text)  # a postal code
    assert "linkage_matches.csv" in said


# ---------------------------------------------------------------- the key and the identified table

COLUMNS = ["USUBJID", "DM__SEX", "DM__AGE", "LB__X"]
CONFIG = {"sensitive_feature": "LB__X"}
GOOD = {"identified": "r.csv", "id": "name", "known": ["DM__SEX"]}


@each(
    ("value", "words"),
    [
        ([], "found list"),
        ({}, "linkage_attack['identified']: missing"),
        (GOOD | {"inference": {}}, "linkage_attack['inference']: gone since version 4.0.0; the key release asks"),
        (GOOD | {"n_attacks": 9}, "linkage_attack['n_attacks']: gone since version 4.0.0; everybody"),
        (GOOD | {"interval_disclosure": {}}, "linkage_attack['interval_disclosure']: gone since version 4.0.0"),
        (GOOD | {"method": "exactly"}, "found 'exactly'; allowed: one of exact"),
        (GOOD | {"method": ["exact", "probabilistic"]}, 'gone since version 4.0.0; "generalised" finds'),
        (GOOD | {"known": {"DM__SEXX": "sex"}}, "did you mean 'DM__SEX'"),
        *((GOOD | {"known": known}, "allowed: up to 10 columns") for known in ({}, {"DM__SEX": 3}, ["DM__SEX"] * 11)),
        (GOOD | {"released": "both"}, "gone since version 4.0.0; the combined dataset and"),
        (GOOD | {"within": {"DM__AGE": 2}}, "is not among known"),
        (GOOD | {"within": {"DM__SEX": 2}, "method": "exact"}, 'no use for the method "exact"'),
    ],
)
def test_faults_of_the_key_name_what_is_wrong(value, words):
    faults = faults_of_key("linkage_attack", value, CONFIG, COLUMNS)
    assert words in "\n".join(faults)


def identified(tmp_path, rows, settings=None, rule=None):
    pd.DataFrame(rows, columns=["name", "sex", "subject"]).to_csv(tmp_path / "r.csv", index=False)
    given = {"identified": "r.csv", "id": "name", "known": {"DM__SEX": "sex"}} | (settings or {})
    return read_identified(
        settings_of_key("linkage_attack", given), tmp_path, pd.Series(["S1", "S2", "S3"]), rule or SubjectIdRule()
    )


@pytest.mark.parametrize(
    ("rows", "settings", "words"),
    [
        ([("Zzanna", "F", "S1"), ("Zzanna", "M", "S2")], {}, "fewer than 10 values of name stand in several rows"),
        ([("Zzanna", "F", "S1"), (None, "M", "S2")], {}, "name is empty in fewer than 10 of 2 rows"),
        (
            [("Zzanna", "F", "S1"), ("Zzbert", "M", "S1")],
            {"truth": "subject"},
            "fewer than 10 subjects of the pilot stand in several",
        ),
        ([("Zzanna", "F", "S1")], {"truth": "subjekt"}, "did you mean 'subject'"),
        ([("Zzanna", "F", "S9")], {"truth": "subject"}, "none of them is one of the 3 subjects of the pilot"),
        ([("Zzanna", "F", "S1")], {"identified": "../r.csv"}, "lies outside the pilot's folder"),
        ([("Zzanna", "F", "S1")], {"folder": "sub", "identified": "../r.csv"}, "lies outside the folder 'sub'"),
        ([("Zzanna", "F", "S1")], {"folder": "nowhere"}, "there is no file 'r.csv' in the folder 'nowhere'"),
    ],
)
def test_faults_of_the_identified_table_tell_counts_and_nobody(tmp_path, rows, settings, words):
    with pytest.raises(FaultyInputError) as error:
        identified(tmp_path, rows, settings)
    assert words in str(error.value)
    assert "Zz" not in str(error.value)
    assert "S1" not in str(error.value)


def test_the_rule_for_subject_ids_holds_for_the_truth_as_well(tmp_path):
    rows = [("Zzanna", "F", "s_2"), ("Zzbert", "M", "S3"), ("Zzcarl", "M", "s_9"), ("Zzdora", "F", None)]
    rule = SubjectIdRule(case="upper", pattern="_")
    found = identified(tmp_path, rows, {"truth": "subject"}, rule)
    assert found.subject.tolist() == [1, 2, -1, -1]
    assert "fewer than 10 of 3 ids in subject are no subjects of the pilot" in found.notes[0]
    # Spelled in two ways, it is the same subject.
    with pytest.raises(FaultyInputError, match="fewer than 10 subjects of the pilot stand in several"):
        identified(tmp_path, [*rows, ("Zzemil", "M", "S2")], {"truth": "subject"}, rule)


@pytest.mark.parametrize(
    "content", [b"", b"name,sex,subject\n", b"name,sex\nZz\x00anna,F\n\xff\xfe\xfa,F\n", b"Zz<html>"]
)
def test_a_damaged_register_gets_no_advice_for_domain_files(tmp_path, content):
    (tmp_path / "r.csv").write_bytes(content)
    given = {"identified": "r.csv", "id": "name", "known": {"DM__SEX": "sex"}}
    with pytest.raises(FaultyInputError) as error:
        read_identified(settings_of_key("linkage_attack", given), tmp_path, pd.Series(["S1"]))
    assert "r.csv" in str(error.value)
    assert "merge" not in str(error.value)
    assert "domain" not in str(error.value)
    assert "Zz" not in str(error.value)


# ---------------------------------------------------------------- the step alone, on a small pilot


def attacked(tmp_path, settings, subject_id=None, n=60):
    """The step on a pilot of ``n`` people whose register is beside it."""
    generator = np.random.default_rng(4)
    sex, age = generator.choice(["F", "M"], n), generator.integers(20, 60, n)
    subjects = pd.Series([f"LINK-{i:03d}" for i in range(n)])
    table = pd.DataFrame({"SEX": sex, "AGE": age.astype(float), "CODE": [f"1{i // 2}-3{i % 7}" for i in range(n)]})
    register = table.assign(name=[f"Zz{i}" for i in range(n)], ids=subjects)
    register.to_csv(tmp_path / "r.csv", index=False)
    roles = {
        "categorical_qis": ["SEX", "CODE"],
        "continuous_qis": ["AGE"],
        "sensitive_feature": [],
        "binning_config": {},
    }
    literal = roles | {"K": 2, "L": 2, "T": 1, "subject_id": subject_id or {}}
    config = validate_config(literal, table.columns, KEY_READERS)
    dataset = CombinedDataset.of(table, subjects, table.assign(USUBJID=subjects))
    known = {"identified": "r.csv", "id": "name", "truth": "ids", "known": ["SEX", "CODE", "AGE"]}
    typed = settings_of_key("linkage_attack", known | settings, literal)
    return run_step(StepInput("P", tmp_path, typed, dataset, assess(table, config), {}))


def test_few_who_are_found_are_counted_for_the_controller_alone(tmp_path):
    """Of 20 people 14 are alone: all but few are as few. The p-value would give the number, too."""
    result = attacked(tmp_path, {"method": "exact", "known": ["SEX", "AGE"]}, n=20)
    inside, outside = (
        one.figures["releases"]["combined"]["methods"]["exact"]["pairs"] for one in (result.for_reader(EXACT), result)
    )
    n_alone = inside["attack"]["hits"]
    assert 10 < n_alone < 20
    assert [outside["attack"][name] for name in ("hits", "rate", "low", "high")] == [None] * 4
    assert (outside["p_value"], outside["beats_baseline"]) == (None, inside["beats_baseline"])
    assert f"{n_alone} of 20" in result.for_reader(EXACT).report
    assert "masked of 20" in result.on_screen
    assert f"{n_alone} of 20" not in result.report


def test_a_width_of_a_column_of_text_is_a_fault(tmp_path):
    with pytest.raises(FaultyInputError, match="'CODE' holds text"):
        attacked(tmp_path, {"within": {"CODE": 2}})
    assert attacked(tmp_path, {"within": {"AGE": 2}}).figures["releases"]["combined"]["methods"]


def test_a_perturbed_column_is_used_only_within_what_the_config_says(tmp_path):
    frame = pd.DataFrame({"AGE": [30.5, 40.5, 50.5]})
    release = AttackedRelease("treated", frame, np.arange(3), {"AGE": Reading.PERTURBED})
    register = IdentifiedTable(pd.Series(list("abc")), frame.round(), np.arange(3), {})
    literal = {"identified": "r.csv", "id": "name", "known": ["AGE"]}
    found = attack_release(release, register, settings_of_key("linkage_attack", literal), frame.round())
    assert found.attacks == []
    assert "perturbed and not used" in found.notes[0]
    within = settings_of_key("linkage_attack", literal | {"within": {"AGE": 1}})
    (attack,) = attack_release(release, register, within, frame.round()).attacks
    assert attack.pairs.attack.n_hits == 3


OF_NINETY = {
    "exact": {"known": ["DM__SEX", "DM__ZIP", "DM__AGE"]},
    "near": {"known": ["DM__SEX", "DM__AGE"], "within": {"DM__AGE": 5}},
}


@pytest.mark.parametrize("way", OF_NINETY)
def test_an_attack_on_ninety_people(way, tmp_path):
    """By all that outsiders know, and by an age that they know nearly."""
    ninety_people().iloc[:60].to_csv(tmp_path / "known.csv", index=False)
    OF_NINETY[way].update(identified="known.csv", id="USUBJID")
    assert (
        changed_since_kept(f"linkage_attack_{way}", outcome_of("linkage_attack", OF_NINETY[way], folder=tmp_path)) == {}
    )
