"""A hit speaks first: through both doors, in the first question, the release, the exit status, and what is declared."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from config.model_settings import config_of_valid_keys
from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.identifiers.column_findings import Scan
from disclosure_control.identifiers.outcome import IdentifierOutcome, in_words, reasons_of
from disclosure_control.identifiers.scan import scan_combined
from disclosure_control.records.choice import fits_from_disk
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.limits import Limits
from disclosure_control.records.merging import read_by_size
from disclosure_control.records.sql import database_in
from disclosure_control.run.doors import run_door
from disclosure_control.steps.identifiers.report import identifier_sections, told_identifiers
from disclosure_control.steps.identifiers.step import scan_beside
from Main_Anonymization import add_options, assess_pilot
from tests.cases import each
from tests.config_keys import faults_of_key
from tests.corpus.check_numbers import amka
from tests.identifiers.scanned import scan_tables

N = 60
DROP = {"method": "drop_identifiers"}


def exports():
    rng = np.random.default_rng(3)
    born = np.datetime64("1950-01-01") + rng.integers(0, 9_000, N).astype("timedelta64[D]")
    ids = [f"H-{number:04d}" for number in rng.permutation(9_000)[:N]]
    people = {"USUBJID": ids, "Φύλο": list("ΑΓ") * (N // 2), "Πόλη": ["Αθήνα", "Πάτρα"] * (N // 2)}
    people |= {"ΑΜΚΑ": [amka(rng, day) for day in born], "Χοληστερόλη": [str(180 + i % 5) for i in range(N)]}
    contacts = {"USUBJID": ids, "TERM": "visit", "XXTERM": "visit", "q": [f"a{i}@post.example" for i in range(N)]}
    return {"DM": people, "XX": contacts}


CONFIG = {
    "categorical_qis": ["DM__Φύλο"],
    "continuous_qis": [],
    "binning_config": {},
    "sensitive_feature": [],
    "K": 5,
}


@pytest.fixture(scope="module")
def merged(tmp_path_factory):
    """The export after door 1."""
    root = tmp_path_factory.mktemp("merged")
    folder, configs = root / "pilots" / "NEW", root / "configs"
    folder.mkdir(parents=True)
    configs.mkdir()
    for domain, columns in exports().items():
        pd.DataFrame(columns).to_csv(folder / f"{domain}.csv", index=False)
    (configs / "NEW.py").write_text(f"config = {CONFIG!r}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIOSTREAMS_DATA_DIR", str(folder.parent))
        patch.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))
        assert run_door("", combine_pilot, ["NEW"], add_merge_options) == 0
    return root


@pytest.fixture
def run(merged, tmp_path, monkeypatch):
    """Door 2 over the export; what is left in the results folder, by name, and its exit status."""
    shutil.copytree(merged, tmp_path, dirs_exist_ok=True)
    folder, configs = tmp_path / "pilots" / "NEW", tmp_path / "configs"
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(folder.parent))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))

    def door_2(limit=None, **keys):
        (configs / "NEW.py").write_text(f"config = {CONFIG | keys!r}\n", encoding="utf-8")
        options = [] if limit is None else ["--fail-on-risk", str(limit)]
        status = run_door("", assess_pilot, ["NEW", *options], add_options)
        results = folder / "processed_for_anonym"
        return status, {path.name: path.read_text("utf-8", "replace") for path in results.iterdir() if path.is_file()}

    return door_2


def figures(results):
    return json.loads(results["NEW_privacy_summary.json"])


def first_question(results):
    """The first answer about the pilot as it came in."""
    text = results["NEW_privacy_details.txt"]
    asked = text[text.index("(WP216), of the pilot as it came in\n") :]
    return next(line for line in asked.splitlines() if "singled out?" in line)


def first_question_after(results):
    """The first answer about what leaves."""
    return figures(results)["verdict"]["three_questions"]["singling_out"]["sentence"]


@pytest.mark.thorough("0.4 s")
def test_a_column_that_names_people_is_answered_before_the_classes_and_fails_a_limit(run, capsys):
    status, results = run(limit=100.0)
    assert (
        "Yes: DM__ΑΜΚΑ contains national or patient ids of 60 of 60 people; by the classes, nobody"
        in first_question(results)
    )
    assert status == 1
    assert {answer["answer"] for answer in figures(results)["risk"]["three_questions"].values()} <= {"yes"}
    entry = next(one for one in figures(results)["identifiers"]["findings"] if one["column"] == "DM__ΑΜΚΑ")
    assert (entry["kind"], entry["state"], entry["people"]) == ("national_id", "open", N)
    secrets = [*exports()["DM"]["ΑΜΚΑ"], *exports()["XX"]["q"], *exports()["DM"]["USUBJID"]]
    written = results["NEW_privacy_summary.txt"] + results["NEW_privacy_summary.json"] + "".join(capsys.readouterr())
    assert not [secret for secret in secrets if secret in written]


@pytest.mark.thorough("0.3 s")
def test_a_domain_that_is_not_joined_is_looked_at_and_does_not_speak_for_the_dataset(run):
    _, results = run()
    entry = next(one for one in figures(results)["identifiers"]["findings"] if one["column"] == "XX__q")
    assert (entry["kind"], entry["in_dataset"], entry["state"]) == ("email", False, "in a file beside the dataset")
    assert "XX__q" not in first_question(results)


@pytest.mark.thorough("0.3 s")
def test_what_is_declared_harmless_is_printed_with_its_reason_and_speaks_no_more(run):
    status, results = run(limit=100.0, identifiers={"harmless": {"DM__ΑΜΚΑ": "numbers of batches", "DM__X": "?"}})
    assert "No: nobody is alone" in first_question(results)
    assert status == 0
    assert "harmless: numbers of batches" in results["NEW_privacy_details.txt"]
    assert "Declared harmless, and nothing was found there: DM__X." in results["NEW_privacy_details.txt"]


@pytest.mark.thorough("0.4 s")
def test_the_treated_dataset_is_not_written_while_such_a_column_is_in_it(run):
    status, results = run(limit=100.0, treatment=[])
    assert status == 1
    assert "treated_with_original_ids.csv" not in results
    assert "treated_with_original_ids.csv is not written" in results["NEW_treatment_summary.txt"]
    assert figures(results)["treatment"]["released"] is False


@pytest.mark.parametrize(("n_with", "told"), [(3, None), (30, 30), (55, None), (60, 60)])
def test_people_of_a_kind_are_counted_by_the_policy(n_with, told):
    """Numbers of so many of sixty: few, and all but few, are masked in the sentence and in the figures."""
    column = exports()["DM"]["ΑΜΚΑ"][:n_with] + [None] * (N - n_with)
    frame = pd.DataFrame({"USUBJID": exports()["DM"]["USUBJID"], "Z": pd.Series(column, dtype="str")})
    scan = scan_tables({"DM": frame})
    (finding,) = [one for one in scan.findings if one.kind == "national_id"]
    assert (finding.n_people, finding.n_hits, finding.n_values) == (n_with, n_with, n_with)
    outcome = IdentifierOutcome((finding,))
    of_step = told_identifiers(MASKED, outcome, scan, Scan(), ())
    (entry,) = of_step.findings
    assert [entry.people, entry.hits, entry.values] == [told] * 3
    number = "an undisclosed number" if told is None else told
    assert in_words(MASKED, finding) == f"DM__Z contains {finding.words} of {number} of 60 people"
    report = as_text(identifier_sections(of_step), Where.FILE)
    row = next(line for line in report.splitlines() if "DM__Z" in line)
    assert f"{'masked' if told is None else told} of 60 people" in row


@pytest.mark.thorough("0.5 s")
@pytest.mark.parametrize("steps", [[DROP], [{"method": "drop_column", "columns": ["DM__ΑΜΚΑ"]}]])
def test_what_the_treatment_drops_speaks_no_more_and_what_leaves_is_written(run, steps, monkeypatch):
    monkeypatch.setenv("BIOSTREAMS_TEST_KEY", "a key of more than thirty-two letters for tests")
    pseudonyms = {"method": "recode_ids", "key_from": {"environment": "BIOSTREAMS_TEST_KEY"}}
    status, results = run(limit=100.0, treatment=[*steps, pseudonyms])
    assert status == 0
    assert "ΑΜΚΑ" not in results["anonymised_dataset.csv"].splitlines()[0]
    assert "No: nobody is alone" in first_question(results)
    assert "The treatment drops DM__ΑΜΚΑ first" in first_question(results)
    assert "ΑΜΚΑ" not in first_question_after(results)


@pytest.mark.thorough("0.4 s")
def test_pseudonyms_in_place_of_the_ids_count_as_treated(run, monkeypatch):
    monkeypatch.setenv("BIOSTREAMS_TEST_KEY", "a key of more than thirty-two letters for tests")
    key = {"environment": "BIOSTREAMS_TEST_KEY"}
    _, results = run(treatment=[{"method": "recode_ids", "key_from": key, "columns": ["DM__ΑΜΚΑ"]}])
    assert "treated_with_original_ids.csv" in results


def left_in_columns_of(outcome, released, treated_by):
    """What of the findings is left in a frame that leaves."""
    return outcome.left_in_columns(
        list(released), treated_by, lambda some: scan_combined(released[["USUBJID", *some]]).findings
    )


@pytest.mark.parametrize(("n_hidden", "n_left_in"), [(0, 1), (10, 1), (N, 0)])
def test_a_column_that_was_changed_is_looked_at_again(n_hidden, n_left_in):
    """Cells that are emptied take the ids of their people away, and leave those of the others."""
    before = pd.DataFrame(exports()["DM"], dtype="str").rename(columns={"ΑΜΚΑ": "DM__ΑΜΚΑ"})
    outcome = IdentifierOutcome(scan_combined(before).findings)
    after = before.assign(**{"DM__ΑΜΚΑ": before["DM__ΑΜΚΑ"].where(np.arange(N) >= n_hidden)})
    left_in = left_in_columns_of(outcome, after, {"DM__ΑΜΚΑ": ["local_suppression"]})
    assert len(left_in) == n_left_in
    assert left_in_columns_of(outcome, after.drop(columns="DM__ΑΜΚΑ"), {}) == ()
    (kept,) = left_in_columns_of(outcome, before[:20], {})
    assert (kept.n_hits, kept.n_people, kept.n_all_people) == (20, 20, 20)
    assert len(left_in_columns_of(outcome, before[:2], {})) == 1


def test_a_quasi_identifier_answers_for_what_outsiders_know_and_not_for_an_id():
    people = pd.DataFrame(exports()["DM"], dtype="str")
    people["DM__PLZ"] = [f"{10_000 + 1_017 * (i % 30)}" for i in range(N)]
    findings = scan_combined(people.rename(columns={"ΑΜΚΑ": "DM__ΑΜΚΑ"})).findings
    assert {finding.name for finding in IdentifierOutcome(findings).open} == {"DM__ΑΜΚΑ", "DM__PLZ"}
    assessed = IdentifierOutcome(findings, assessed=("DM__ΑΜΚΑ", "DM__PLZ"))
    assert {finding.name for finding in assessed.open} == {"DM__ΑΜΚΑ"}


def test_there_is_one_reason_to_hold_for_each_grade_and_the_remedy_names_every_column():
    columns = {"DM__q": [f"a{i}@b.example" for i in range(N)]}
    columns["DM__PLZ"] = [f"{10 + i % 30}-{100 + i % 30}" for i in range(N)]
    people = pd.DataFrame({"USUBJID": exports()["DM"]["USUBJID"], **columns}, dtype="str")
    reasons = reasons_of(MASKED, IdentifierOutcome(scan_combined(people).findings).open, "the treated dataset")
    assert [reason.gravity for reason in reasons] == [Gravity.NAMES_A_PERSON, Gravity.OUTSIDERS_CAN_SINGLE_OUT]
    assert reasons[0].sentence == "In the treated dataset, DM__q contains e-mail addresses of 60 of 60 people."
    assert "DM__PLZ" in reasons[1].remedy


@pytest.mark.thorough("0.3 s")
def test_a_file_that_cannot_be_read_is_named_as_not_looked_at(run, tmp_path):
    run()
    (tmp_path / "pilots" / "NEW" / "YY.csv").write_bytes(b"\x00\x01\x02")
    _, unread = scan_beside(tmp_path / "pilots" / "NEW", config_of_valid_keys(CONFIG), [])
    assert unread == ["YY.csv: it cannot be read"]


@each(
    ("value", "words"),
    [
        ("all", "a dictionary of harmless"),
        ({"harmles": {}}, "did you mean 'harmless'?"),
        ({"harmless": ["DM__OBS"]}, "each with the reason"),
        ({"harmless": {"DM__OBS": " "}}, "the reason, in words"),
        ({"release_anyway": "agreed"}, "declare each column under harmless"),
    ],
)
def test_faults_of_the_key_say_what_is_allowed(value, words):
    assert words in " ".join(faults_of_key("identifiers", value))


@pytest.fixture
def beside(tmp_path):
    """Files that are not joined: in parts, as large ones are read, and what is found in them by another reading."""
    folder = tmp_path / "NEW"
    folder.mkdir()
    contacts = pd.DataFrame(exports()["XX"]).rename(columns={"USUBJID": "UsubjId"})
    twice = pd.concat([contacts, contacts.assign(q="see " + contacts["q"])])
    twice.assign(XXSEQ=range(2 * N)).to_csv(folder / "XX.csv", index=False)
    pd.DataFrame(exports()["DM"]).to_csv(folder / "DM.csv", index=False)
    limits = Limits(large_bytes=1, file_block_bytes=400)

    def found(most_rows, fits=lambda path: True):
        def read(path, options):
            return read_by_size(path, options, database, limits)

        in_parts = DomainReader(read, fits, most_rows)
        return scan_beside(folder, config_of_valid_keys(CONFIG), ["DM__Φύλο", "DM__Πόλη"], in_parts)

    in_memory = scan_beside(folder, config_of_valid_keys(CONFIG), ["DM__Φύλο", "DM__Πόλη"])
    with database_in(tmp_path) as database:
        yield in_memory, found


@pytest.mark.thorough("0.4 s")
def test_files_in_parts_hold_what_they_hold_in_memory(beside):
    in_memory, found = beside
    assert {finding.column for finding in in_memory[0].findings} >= {"q", "ΑΜΚΑ"}
    assert found(most_rows=2 * N) == in_memory


@pytest.mark.thorough("0.4 s")
def test_what_is_more_than_a_run_from_disk_takes_is_named_as_not_looked_at(beside):
    _, found = beside
    scan, unread = found(most_rows=2 * N - 1)
    assert unread == [f"XX.csv: it has more than {2 * N - 1} records, of which columns are looked at in memory alone"]
    assert set(scan.columns) == {"DM"}
    scan, unread = found(most_rows=2 * N, fits=lambda path: path.name != "DM.csv")
    assert unread == ["DM.csv: it is read whole, which needs more memory than this run may take"]
    assert set(scan.columns) == {"XX"}


def test_a_file_that_is_read_whole_beside_a_run_from_disk_takes_a_gigabyte_at_most(tmp_path):
    for name, n_bytes, fits in (("XX.csv", 10**9 // 6, True), ("YY.csv", 10**9 // 6 + 1, False)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(n_bytes)
        assert fits_from_disk(tmp_path / name) == fits
