"""One person, one reason, one log line: the answer is the custodian's alone, and nothing of it is shown."""

from __future__ import annotations

import csv
import datetime
import io
import json
import stat

import pytest

from config import read_settings
from disclosure_control import reidentify
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.report.pilots.rows import pilot_rows
from disclosure_control.run.beside import beside
from disclosure_control.run.custody import CUSTODY, MOST_UNNAMED, KeptRelease, keep_release, kept_releases
from disclosure_control.run.reidentifications import LOGGED, read_reidentifications
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, NOW, leaks

KEY = "a key of this test alone, 0123456789 abcdefghij"
CUSTODIAN = {"custodian": "the trustee of the hospital, by vote of the ethics committee"}
TREATMENT = [{"method": "recode_ids", "key_from": {"environment": "KEY_OF_THIS_TEST"}}]
WHO = ("--by", "A. Berger", "--role", "custodian", "--reason", "a finding for the patient")


@pytest.fixture
def asked(pilot, doors, monkeypatch, capsys):
    monkeypatch.setenv("KEY_OF_THIS_TEST", KEY)

    def ask(pseudonym: str) -> tuple[int, str]:
        capsys.readouterr()
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{pseudonym}\n"))
        status = reidentify.main([pilot.name, *WHO])
        captured = capsys.readouterr()
        said = captured.out + captured.err
        assert leaks(said) == []
        assert not pseudonym or pseudonym not in said
        return status, said

    return ask


def rows(path) -> list[dict]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_each_person_is_found_by_the_pseudonym_and_no_other(pilot, doors, asked):
    pilot.configure(context=CUSTODIAN, treatment=TREATMENT)
    assert doors.start(2).status == DONE
    # Rows of the treated table are in an order of their own; each person has a body mass index that nobody else has.
    of_person = {row["VS__BMI"]: row["USUBJID"] for row in rows(pilot.combined)}
    treated = rows(pilot.results / "anonymised_dataset.csv")
    released = [row["USUBJID"] for row in treated]
    ids = [of_person[row["VS__BMI"]] for row in treated]
    assert len(of_person) == len(ids) == 12
    for pseudonym in released[:3]:
        assert asked(pseudonym)[0] == DONE
    answers = beside(pilot.results) / reidentify.ANSWERS
    assert [(row["pseudonym"], row["USUBJID"]) for row in rows(answers)] == list(zip(released, ids, strict=True))[:3]
    assert stat.S_IMODE(answers.stat().st_mode) == 0o600
    assert asked("0123456789abcdef")[0] == reidentify.NOBODY
    log = [json.loads(line) for line in (beside(pilot.results) / LOGGED).read_text().splitlines()]
    assert [line["found"] for line in log] == [True, True, True, False]
    assert {line["by"] for line in log} == {"A. Berger"}
    assert not any(pseudonym in json.dumps(log) for pseudonym in released)
    assert leaks(json.dumps(log)) == []
    (row,) = pilot_rows(read_settings(), datetime.datetime.fromisoformat(NOW), 31)
    assert [remark for remark in row.remarks if "looked up" in remark] == [
        f"4 pseudonyms looked up, 3 found; last by A. Berger (custodian) on {NOW[:10]}."
    ]


def test_a_log_that_was_changed_by_hand_is_a_fault(pilot):
    (beside(pilot.results) / LOGGED).write_text("{\n", encoding="utf-8")
    with pytest.raises(FaultyInputError, match="restore it from a backup"):
        read_reidentifications(pilot.results)


def test_without_a_custodian_or_a_pseudonym_nobody_is_looked_up(pilot, doors, asked):
    status, said = asked("0123456789abcdef")
    assert status == INPUT_AT_FAULT
    assert "nobody may re-identify" in said
    assert "the config makes no pseudonyms" in said
    pilot.configure(treatment=TREATMENT)
    assert doors.start(2).status == DONE
    assert "nobody may re-identify" in asked("0123456789abcdef")[1]
    pilot.configure(context=CUSTODIAN)
    assert asked("")[0] == INPUT_AT_FAULT
    for several in ("0123456789abcdef 123456789abcdef0", "0123456789abcdef\n123456789abcdef0"):
        status, said = asked(several)
        assert status == INPUT_AT_FAULT
        assert "2 pseudonyms were given; allowed: one in each call" in said
    assert not (beside(pilot.results) / LOGGED).exists()


@pytest.mark.parametrize("others", [["--all"], ["OTHER"]])
def test_a_pseudonym_is_looked_up_in_one_pilot(pilot, doors, monkeypatch, capsys, others):
    monkeypatch.setenv("KEY_OF_THIS_TEST", KEY)
    pilot.configure(context=CUSTODIAN, treatment=TREATMENT)
    named = others if "--all" in others else [pilot.name, *others]
    assert reidentify.main([*named, *WHO]) == INPUT_AT_FAULT
    assert "allowed: one pilot in each call" in capsys.readouterr().err
    assert not (beside(pilot.results) / LOGGED).exists()


@pytest.mark.thorough("1.2 s")
def test_who_left_the_pilot_is_found_and_a_pseudonym_from_a_csv_file_loses_its_quotes(pilot, doors, asked):
    pilot.configure(context=CUSTODIAN, treatment={"release": "Q1", "steps": TREATMENT})
    assert doors.start(2).status == DONE
    of_person = {row["VS__BMI"]: row["USUBJID"] for row in rows(pilot.combined)}
    leaver = of_person["33.5949"]
    (pseudonym,) = [
        row["USUBJID"] for row in rows(pilot.results / "anonymised_dataset.csv") if row["VS__BMI"] == "33.5949"
    ]
    pilot.write_rows("DM.csv", [row for row in rows(pilot.folder / "DM.csv") if row["USUBJID"] != leaver])
    pilot.configure(merge={"unknown_subjects": ["VS", "LB", "SC"]})
    for door in (1, 2):
        assert doors.start(door).status == DONE
    status, said = asked(f'"{pseudonym}"')
    assert status == DONE
    assert "the person has left the pilot" in said
    answers = rows(beside(pilot.results) / reidentify.ANSWERS)
    assert [(one["pseudonym"], one["USUBJID"]) for one in answers] == [(pseudonym, leaver)]
    assert stat.S_IMODE((beside(pilot.results) / CUSTODY).stat().st_mode) == 0o600


@pytest.mark.thorough("1.0 s")
def test_a_new_key_under_a_named_release_is_asked_about(pilot, doors, asked, monkeypatch):
    pilot.configure(context=CUSTODIAN, treatment={"release": "Q1", "steps": TREATMENT})
    assert "had another key" not in doors.start(2).out
    first = rows(pilot.results / "anonymised_dataset.csv")[0]["USUBJID"]
    monkeypatch.setenv("KEY_OF_THIS_TEST", KEY[::-1])
    assert "The release 'Q1' of 2026-01-31 had another key" in doors.start(2).out
    status, said = asked(first)
    assert (status, "releases of 2026-01-31 had another key" in said) == (reidentify.NOBODY, True)


def test_a_key_with_white_space_at_its_end_is_refused(pilot, doors, asked, monkeypatch):
    pilot.configure(treatment=TREATMENT)
    monkeypatch.setenv("KEY_OF_THIS_TEST", f"{KEY}\n")
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "white space" in run.err


@pytest.mark.thorough("0.5 s")
def test_a_key_file_that_others_may_read_is_refused(pilot, doors, tmp_path):
    key = tmp_path / "key"
    key.write_text(KEY)
    pilot.configure(treatment=[{"method": "recode_ids", "key_from": {"file": str(key)}}])
    for mode, status in ((0o644, INPUT_AT_FAULT), (0o640, DONE)):
        key.chmod(mode)
        assert doors.start(2).status == status


def test_unnamed_releases_do_not_grow_without_end(pilot):
    def made(i, ids):
        return KeptRelease(f"{i}", NOW, "key", 16, False, ids)

    for i in range(MOST_UNNAMED + 3):
        keep_release(pilot.results, made(i, ("a",)))
    keep_release(pilot.results, made(MOST_UNNAMED, ("b",)))
    kept = kept_releases(pilot.results)
    assert [one.name for one in kept] == [
        *map(str, (3, *range(4, MOST_UNNAMED), MOST_UNNAMED + 1, MOST_UNNAMED + 2)),
        "12",
    ]
    assert kept[-1].ids == ("a", "b")
