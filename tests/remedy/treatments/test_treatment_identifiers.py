"""Pseudonyms, shifted dates, dropped identifiers, and custody of the keys behind them."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.identifiers.named_columns import identifier_columns
from disclosure_control.remedy.treatments.keys import (
    LEAST_BITS,
    UNNAMED,
    Release,
    command_to_set,
    estimated_bits,
    pseudonyms_of,
    read_key,
)
from disclosure_control.remedy.treatments.methods import recode_ids
from disclosure_control.remedy.treatments.methods.shift_dates import offsets_of_subjects
from disclosure_control.remedy.treatments.steps import checked_steps, dropped_columns
from disclosure_control.remedy.treatments.treat import treat
from tests.config_keys import faults_of_key
from tests.examples import tried_of
from tests.remedy.treatments.treatment_frames import KEY, KEY_NAME, config_for, shared

KEY_FROM = {"environment": KEY_NAME}


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_NAME, KEY)


def treated(frame, *steps, release=UNNAMED):
    return treat(frame.astype("str"), config_for(["SEX"]), steps, release=release)


def people(n=20, **columns):
    ids = [f"S-{i}" for i in range(n)]
    return pd.DataFrame({"USUBJID": ids, "SEX": ["F"] * n, **{name: [value] * n for name, value in columns.items()}})


# ---------------------------------------------------------------- pseudonyms


def test_pseudonyms_are_hmacs_of_the_id():
    release = Release("CLINIC", "2026-03")
    out = treated(people(), {"method": "recode_ids", "key_from": KEY_FROM}, release=release).frame
    digest = hmac.new(KEY.encode(), b"id\0CLINIC\x002026-03\0" + b"S-7", hashlib.sha256)
    assert out["USUBJID"][7] == digest.hexdigest()[:16]
    assert out["USUBJID"].nunique() == 20
    (number,) = pseudonyms_of(KEY.encode(), release, ["S-7"], as_numbers=True)
    assert int(number) == int(digest.hexdigest()[:16], 16) >> 11  # 53 of 64 bits


def test_pseudonyms_are_the_same_in_every_file_and_column():
    one = people(5).assign(OTHER=lambda frame: frame["USUBJID"] + " ")
    other = people(9).iloc[::-1]
    step = {"method": "recode_ids", "key_from": KEY_FROM, "length": 12}
    first = treated(one, {**step, "columns": ["USUBJID", "OTHER"]}).frame
    second = treated(other, step).frame
    assert first["USUBJID"].tolist() == first["OTHER"].tolist()
    assert set(first["USUBJID"]) < set(second["USUBJID"])
    assert {len(pseudonym) for pseudonym in second["USUBJID"]} == {12}


def test_two_ids_with_one_pseudonym_are_a_fault(monkeypatch):
    monkeypatch.setattr(recode_ids, "pseudonyms_of", lambda key, release, ids, length: ["0" * length for _ in ids])
    with pytest.raises(FaultyInputError, match="19 of 20 ids of 'USUBJID' would get the pseudonym"):
        treated(people(), {"method": "recode_ids", "key_from": KEY_FROM})


OTHER_RELEASES = [Release("CLINIC", "2026-11"), Release("WARD", "2026-03"), Release("CLINIC2026-03", ""), UNNAMED]


@pytest.mark.thorough("0.6 s")
def test_another_pilot_or_release_has_other_pseudonyms_and_offsets():
    """As an attacker would join them: by equal pseudonyms, or by equal moves of the dates of equal ids."""
    frame = people(400, DM__RFSTDTC="2012-05-05")
    steps = [{"method": method, "key_from": KEY_FROM} for method in ("shift_dates", "recode_ids")]
    one = Release("CLINIC", "2026-03")
    first, again, *others = (treated(frame, *steps, release=each).frame for each in (one, one, *OTHER_RELEASES))
    pd.testing.assert_frame_equal(first, again)
    for other in others:
        assert not set(first["USUBJID"]) & set(other["USUBJID"])
        n_equal = int((first["DM__RFSTDTC"] == other["DM__RFSTDTC"]).sum())
        assert n_equal < 10  # of 400 at 730 offsets, 0.5 by chance


# ---------------------------------------------------------------- keys


def test_a_key_file_without_an_end_is_refused(tmp_path):
    path = tmp_path / "key.txt"
    path.write_bytes(b"k" * 5000)
    path.chmod(0o600)
    with pytest.raises(FaultyInputError, match="has more than 4096 bytes"):
        read_key({"file": str(path)})
    if Path("/dev/zero").exists():
        with pytest.raises(FaultyInputError, match="not a regular file"):
            read_key({"file": "/dev/zero"})


@pytest.mark.parametrize(
    "key_from",
    [{}, {"environment": "A", "file": "/b"}, {"environment": ""}, {"file": 5}, {5: "A"}, ["file"], "x", b"x", 5, None],
    ids=repr,
)
def test_where_a_key_is_has_one_form(key_from):
    with pytest.raises(FaultyInputError, match="never write the key itself into a config"):
        read_key(key_from)


@pytest.mark.parametrize(
    ("n_bytes", "words"), [(15, "has 15 bytes"), (16, ""), (4096, ""), (4097, "more than 4096 bytes")]
)
def test_the_shortest_and_the_longest_key(tmp_path, n_bytes, words):
    key = np.random.default_rng(7).bytes(n_bytes).replace(b"\n", b"x").replace(b"\r", b"x")
    path = tmp_path / "key"
    path.write_bytes(key)
    path.chmod(0o600)
    if words:
        with pytest.raises(FaultyInputError, match=words):
            read_key({"file": str(path)})
    else:
        assert read_key({"file": str(path)}) == key


@pytest.mark.parametrize("method", ["recode_ids", "shift_dates"])
@pytest.mark.parametrize(
    ("key_from", "words"),
    [
        ("SECRETMARKER-0123456789", "never write the key itself into a config"),
        ({"key": "SECRETMARKER-0123456789"}, "never write the key itself into a config"),
        ({"environment": "SECRET7f3Qz91Lk0Vw8Rt2"}, "is not set"),  # perhaps the key, in the wrong place
        ({"environment": "SHORT"}, "the key has 11 bytes; allowed: 16 or more"),
        ({"file": "SECRETMARKER.txt"}, "not absolute"),
        ({"file": "/nowhere/SECRETMARKER.txt"}, "cannot be read"),
    ],
)
def test_faults_of_keys_come_before_the_run_and_show_nothing(monkeypatch, method, key_from, words):
    monkeypatch.setenv("SHORT", "SECRETSHORT")
    (fault,) = faults_of_key("treatment", [{"method": method, "key_from": key_from}], {}, None)
    assert words in fault
    assert fault.startswith(f"treatment[0] {method}")
    assert "SECRET" not in fault


def test_a_key_that_is_not_set_is_named_with_the_command_that_makes_one(monkeypatch):
    monkeypatch.delenv("PILOT_KEY", raising=False)
    step = {"method": "recode_ids", "key_from": {"environment": "PILOT_KEY"}}
    (fault,) = faults_of_key("treatment", [step], {}, None)
    assert "PILOT_KEY, the named environment variable, is not set" in fault
    assert command_to_set("PILOT_KEY") in fault


@pytest.mark.parametrize(
    "key",
    [
        "1" * 16,
        "1" * 64,
        "12345678" * 8,
        "abcabcabcabcabcabc",
        "0123456789abcdef",
        "passwordpassword",
        "Αθήνα" * 8,
        "correct horse battery staple",
        "Summer2024Athens!",
        "penteli-penteli-2024",
        "aaaaaaaabbbbbbbbcccccccc",
    ],
)
def test_a_key_of_words_or_repeats_is_a_fault(monkeypatch, key):
    monkeypatch.setenv("GUESSED", key)
    with pytest.raises(FaultyInputError, match="the key has too little variety") as fault:
        read_key({"environment": "GUESSED"})
    assert key not in str(fault.value)


def test_keys_that_chance_made_pass():
    generator = np.random.default_rng(1)
    keys = [generator.bytes(32) for _ in range(tried_of(300))]
    spellings = [*keys, *(key.hex().encode() for key in keys), *(key[:16].hex().encode() for key in keys)]
    spellings += [base64.urlsafe_b64encode(key) for key in keys]
    assert min(map(estimated_bits, spellings)) > LEAST_BITS
    assert estimated_bits(b"ab" * 10**5) < LEAST_BITS  # a file may hold anything


# ---------------------------------------------------------------- dates


def test_dates_move_together_and_partial_ones_stay_partial():
    values = ["2012-02-29", "2012-03-01T08:15", "2012-03", "2012", "2012---15", None]
    frame = people(50, **{f"DM__D{i}DTC": value for i, value in enumerate(values)})
    shift = {"method": "shift_dates", "key_from": KEY_FROM, "days": 30}
    out = treated(frame, shift | {"times": "keep"}).frame
    assert treated(frame, shift).frame["DM__D1DTC"].tolist() == out["DM__D1DTC"].str.slice(0, 10).tolist()
    offsets = offsets_of_subjects(frame["USUBJID"], KEY.encode(), UNNAMED, 30)
    for row, offset in enumerate(offsets.tolist()):
        move = timedelta(days=offset)
        expected = [
            (date(2012, 2, 29) + move).isoformat(),
            (date(2012, 3, 1) + move).isoformat() + "T08:15",
            (date(2012, 3, 15) + move).isoformat()[:7],
            (date(2012, 7, 1) + move).isoformat()[:4],
            (date(2012, 7, 1) + move).isoformat()[:4],
        ]
        assert out.iloc[row, 2:7].tolist() == expected
    assert out["DM__D5DTC"].isna().all()


@pytest.mark.thorough("0.3 s")
def test_offsets_are_of_the_key_and_the_subject():
    ids = pd.Series([f"S-{i}" for i in range(20_000)])
    offsets = offsets_of_subjects(ids, KEY.encode(), UNNAMED, 10)
    assert set(offsets) == set(range(-10, 11)) - {0}
    counts = np.bincount(offsets + 10, minlength=21)
    assert abs(counts[counts > 0] - 1000).max() < 5 * np.sqrt(1000)  # each of twenty offsets alike
    assert (offsets_of_subjects(ids[::-1], KEY.encode(), UNNAMED, 10)[::-1] == offsets).all()
    assert (offsets_of_subjects(ids, KEY.encode() + b"2", UNNAMED, 10) != offsets).any()


@pytest.mark.thorough("0.3 s")
def test_the_offset_is_that_of_the_original_id_whatever_comes_first():
    frame = people(30, DM__RFSTDTC="2012-05-05")
    shift = {"method": "shift_dates", "key_from": KEY_FROM}
    recode = {"method": "recode_ids", "key_from": KEY_FROM}
    remove = {"method": "drop_column", "columns": ["USUBJID"]}
    for order in ([shift, recode], [recode, shift], [remove, shift]):
        assert (
            treated(frame, *order).frame["DM__RFSTDTC"].tolist() == treated(frame, shift).frame["DM__RFSTDTC"].tolist()
        )


def test_texts_that_are_no_dates():
    frame = people(4, LB__LBDTC="DATEMARKER")
    step = {"method": "shift_dates", "key_from": KEY_FROM}
    with pytest.raises(FaultyInputError, match="fewer than 10 of 4 values are not ISO 8601 dates") as error:
        treated(frame, step)
    assert "MARKER" not in str(error.value)
    out = treated(frame, {**step, "unreadable": "missing"})
    assert out.frame["LB__LBDTC"].isna().all()
    assert out.steps[0].notes == ("In LB__LBDTC, records that have no readable date and became missing: masked.",)


def test_real_sdtm_dates_keep_their_intervals():
    """Every subject of cdiscpilot01: days from RFSTDTC to RFENDTC as before, and the dates themselves not."""
    pyreadstat = pytest.importorskip("pyreadstat")
    frame, _ = pyreadstat.read_xport(str(shared("data", "cdiscpilot01", "dm.xpt")))
    frame = frame.replace("", None)[["USUBJID", "SEX", "RFSTDTC", "RFENDTC", "DMDTC", "DTHDTC"]]
    out = treated(frame, {"method": "shift_dates", "key_from": KEY_FROM}).frame
    names = ["RFSTDTC", "RFENDTC", "DMDTC", "DTHDTC"]
    before, after = (part[names].apply(pd.to_datetime, format="ISO8601") for part in (frame, out))
    assert before.notna().sum().sum() > 800
    moved = after.sub(before)
    assert (moved.max(axis=1) == moved.min(axis=1)).all()
    assert (moved["DMDTC"].dt.days.abs().between(1, 365)).all()


# ---------------------------------------------------------------- identifiers by name


def test_every_kind_of_heading_that_names_a_person_goes():
    names = "init INIT DMINIT initial patient_initial fullname family.name givenname subject_name mother's_name"
    ways = "father_s_name work.fax.no telefax photo fingerprint_left iris iris_scan national.id national_identifier"
    numbers = "hospital_no hospital_number hospital_id HospitalID chart_number chart_id patient_number patient_id PatNr"
    sdtm = "account_id BRTHDAT DM__BRTHDAT birth.date COEVAL RANDNO LBXFN SPDEVID LBSPID CMINDC ACTARMUD"
    variables = "DM__SUBJID DM__SITEID DM__INVNAM AE__AETERM CM__CMTRT LB__LBCOM CO__COVAL1 LB__LBREFID VS__VSREASND"
    plain = (
        "P__PatientName dateOfBirth P__last_name P__E-mail P__MRN P__AMKA P__Comment LB__LBCOM2 MH__MHTERM1 P__phone1"
    )
    headings = [*" ".join((names, ways, numbers, sdtm, variables, plain)).split(), "P__Phone number", "P__Comment 3"]
    assert list(identifier_columns(headings)) == headings
    others = ["photophobia", "init_dose", "hospital", "dob bolesnika (god.)", "donor", "USUBJID", "DM__AGE"]
    others += ["AE__AEDECOD", "EX__EXTRT", "DM__RFSTDTC", "SC__District of Permanent Address", "LB__Test 2"]
    assert not identifier_columns(others)


def test_which_columns_steps_will_drop_is_known_before_they_do():
    columns, config = ["SEX", "AGE", "DM__SUBJID", "SITE"], config_for(["SEX"])
    drop, shuffled = {"method": "drop_column", "columns": ["SITE"]}, {"method": "pram", "column": "SEX"}
    steps = checked_steps([drop, shuffled, {"method": "drop_identifiers"}], config, columns)
    assert dropped_columns(steps, columns, config, lambda names: []) == ("SITE", "DM__SUBJID")
    assert dropped_columns(steps[:2], columns, config, lambda names: []) == ("SITE",)
