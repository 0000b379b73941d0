"""One release has one name and one calendar, wherever a config writes them: under ``treatment`` or ``release``."""

from __future__ import annotations

import dataclasses
import shutil

import pandas as pd
import pytest

from config.model_settings import config_of_valid_keys
from disclosure_control.remedy.treatments.one_release import days_of_release, in_one_calendar, name_of_release
from disclosure_control.run.clock import utc_now
from tests.config_keys import faults_of_key, settings_of_key
from tests.run.synthetic_pilot import DONE, rows_of

KEY, OTHER_KEY = "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718", "0cc175b9c0f1b6a831c399e269772661f5e4d3c2b1a09788"
KEY_FROM, OTHER_FROM = {"environment": "CLINIC_KEY"}, {"environment": "OTHER_KEY"}
SHIFT = {"method": "shift_dates", "key_from": KEY_FROM}
RECODE = {"method": "recode_ids", "key_from": KEY_FROM}


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("CLINIC_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", OTHER_KEY)


def config_with(**keys):
    typed = {name: settings_of_key(name, value, keys) for name, value in keys.items()}
    return dataclasses.replace(config_of_valid_keys(keys), settings=typed)


def release(**given) -> dict:
    return {"key_from": KEY_FROM, **given}


def test_the_name_is_the_one_that_either_key_writes():
    for keys in (
        {"treatment": {"release": "2026", "steps": []}},
        {"release": release(name="2026")},
        {"treatment": [SHIFT], "release": release(name="2026")},
        {"treatment": {"release": "2026", "steps": []}, "release": release()},
        {"treatment": {"release": "2026", "steps": []}, "release": release(name="2026")},
    ):
        assert name_of_release("0" * 64, config_with(**keys)) == "2026"
    unnamed = config_with(treatment=[SHIFT], release=release())
    assert name_of_release("0" * 64, unnamed) != name_of_release("1" * 64, unnamed)


def test_the_days_are_those_that_either_key_writes():
    for keys, days in (
        ({"release": release()}, 365),
        ({"treatment": [SHIFT], "release": release()}, 365),
        ({"treatment": [SHIFT | {"days": 100}], "release": release()}, 100),
        ({"treatment": [SHIFT], "release": release(days=100)}, 100),
        ({"treatment": [SHIFT | {"days": 100}], "release": release(days=100)}, 100),
        ({"treatment": [SHIFT | {"days": 100}, SHIFT]}, 100),
    ):
        config = config_with(**keys)
        assert days_of_release(config) == days
        if "treatment" in keys and "release" in keys:
            steps = in_one_calendar(config.settings["treatment"].steps, config)
            assert [step.settings.days for step in steps] == [days]
    alone = config_with(treatment=[SHIFT | {"days": 100}, SHIFT])
    assert [step.settings.days for step in in_one_calendar(alone.settings["treatment"].steps, alone)] == [100, 365]


CONTRADICTIONS = {
    "two names": (
        {"release": "2025", "steps": []},
        release(name="2026"),
        ["release['name']: found '2026', and treatment['release'] is '2025'"],
    ),
    "two numbers of days": (
        [RECODE, SHIFT | {"days": 100}],
        release(days=365),
        ["release['days'] is 365 and treatment[1] shift_dates['days'] is 100"],
    ),
    "two steps, two numbers of days": (
        {"steps": [SHIFT | {"days": 100}, SHIFT | {"days": 90}]},
        release(),
        ["treatment[0] shift_dates['days'] is 100 and treatment[1] shift_dates['days'] is 90"],
    ),
    "too few days for a release": (
        [SHIFT | {"days": 10}],
        release(),
        ["treatment[0] shift_dates['days']: found 10, which holds for the key release as well"],
    ),
    "one pseudonym, two keys of dates": (
        [RECODE, SHIFT | {"key_from": OTHER_FROM}],
        release(),
        ["treatment[1] shift_dates['key_from']: another key than release['key_from']"],
    ),
    "two of them": (
        {"release": "2025", "steps": [SHIFT | {"days": 100}]},
        release(name="2026", days=90),
        ["release['name']: found", "release['days'] is 90 and"],
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_contradiction_names_both_lines_and_the_fix(name):
    treatment, given, expected = CONTRADICTIONS[name]
    faults = faults_of_key("release", given, {"treatment": treatment})
    assert [fault.startswith(begins) for fault, begins in zip(faults, expected, strict=True)] == [True] * len(expected)
    assert all(";" in fault for fault in faults)
    assert KEY not in str(faults)


def test_what_does_not_contradict_itself_is_no_fault():
    for treatment in (
        [RECODE, SHIFT],
        [SHIFT | {"key_from": OTHER_FROM}],  # the dataset has no pseudonym in common with the release
        [RECODE | {"key_from": OTHER_FROM}, SHIFT | {"key_from": OTHER_FROM}],
        "no list",  # a fault of its own key
        {"steps": "no list"},
    ):
        assert faults_of_key("release", release(name="2026", days=90), {"treatment": treatment}) == []


# ---------------------------------------------------------------- through the doors


def dated(pilot, *more: dict) -> None:
    rows = [row | {"RFSTDTC": f"2012-04-{day:02}"} for day, row in enumerate([*rows_of("DM"), *more], 1)]
    pilot.write_rows("DM.csv", rows)


def calendar(pilot, file: str, column: str) -> dict[str, str]:
    frame = pd.read_csv(pilot.results / file, dtype="str")
    return dict(zip(frame["USUBJID"], frame[column], strict=True))


@pytest.mark.thorough("1.5 s each: both doors twice, with a release")
def test_a_person_has_one_calendar_in_all_that_leaves_and_keeps_the_pseudonym_when_a_row_is_added(
    pilot, doors, monkeypatch
):
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    shift = SHIFT | {"columns": ["DM__RFSTDTC"]}
    pilot.configure(treatment=[RECODE, shift], release=release(name="2026", days=100), K=2)
    seen = []
    for more in ((), ({"USUBJID": "ZZSUBJ-48199", "AGE": "33.5", "SEX": "FMARKER"},)):
        dated(pilot, *more)
        assert [run.status for run in doors.start_both()] == [DONE, DONE]
        seen.append(calendar(pilot, "anonymised_dataset.csv", "DM__RFSTDTC"))
        assert calendar(pilot, "released/DM.csv", "RFSTDTC") == seen[-1]
    assert len(seen[0]) == 12
    assert seen[0].items() <= seen[1].items()


@pytest.mark.thorough("2 s")
def test_an_earlier_release_under_a_treatment_is_found_by_the_name_that_release_gave(pilot, doors, monkeypatch):
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    pilot.configure(treatment=[RECODE], release=release(name="2025"), K=2)
    assert doors.start(2).status == DONE
    shutil.copytree(pilot.results / "released", pilot.root / "archive")
    earlier = {"folder": str(pilot.root / "archive"), "name": "2025"}
    pilot.configure(release=release(name="2026", earlier=earlier))
    run = doors.start(2)
    assert run.status == DONE, run.err
    assert pilot.summary()["release"]["earlier_release"] is not None
