"""The runner of the night: both doors over several pilots in one process, and which of them need a look."""

from __future__ import annotations

import json

import pytest

from disclosure_control import night
from disclosure_control.run.attempts import Attempt, keep_attempt, last_attempt
from disclosure_control.run.doors import Outcome
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, LOCKED, OUR_FAULT, RISK_TOO_HIGH, leaks

STOPPED_BY_SIGTERM = 143


@pytest.fixture
def wards(pilot, doors):
    """Three pilots: the first is well, the second has no DM, the config of the third is no literal."""
    pilots = {name: pilot if name == pilot.name else pilot.sibling(name) for name in ("CLINIC", "WARD", "ZOO")}
    pilots["WARD"].remove("DM.csv")
    pilots["ZOO"].write_config("config = {")
    (pilot.config_folder / "CLINIC.proposed.py").write_text("config = {}")
    return pilots


@pytest.mark.thorough("0.8 s")
def test_a_broken_pilot_costs_nobody_else_anything(wards, capsys):
    status = night.main(["--all"])
    out, err = capsys.readouterr()
    line = out.splitlines()[-1]
    assert status == INPUT_AT_FAULT
    assert line == "2 of 3 pilots need a look: a fault in the config or the input (WARD, ZOO). 1 as expected."
    rows = [row.split()[1:4:2] for row in out.splitlines() if row.startswith("│")][1:]
    assert rows == [["WARD", "2"], ["ZOO", "2"], ["CLINIC", "0"]]  # gravest first
    assert out.index("CLINIC: status 0") < out.index("WARD: status 2") < out.index("┌")  # as soon as it is known
    assert all(part[:2] == "20" for part in err.splitlines())  # a time before each fault
    assert wards["CLINIC"].summary()["pilot"] == "CLINIC"
    assert leaks(out, err) == []


@pytest.mark.thorough("1.8 s")
def test_the_log_for_programs_ends_with_the_night(wards, capsys):
    assert night.main(["--all", "--log-format", "json", "--fail-on-risk", "5", "--engine", "disk"]) == INPUT_AT_FAULT
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["status"] for one in events if one["event"] == "outcome"] == [RISK_TOO_HIGH, 2, 2]
    assert events[-1]["event"] == "night"
    assert "; newly above the risk that is enforced (CLINIC). 0 as expected." in events[-1]["words"]
    night.main(["CLINIC", "--fail-on-risk", "5"])  # a risk that was there before is no news
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "0 of 1 pilot need a look. 1 as expected, 1 of them above the risk that is enforced."


def test_door_2_runs_only_where_door_1_succeeded(wards, capsys):
    night.main(["WARD"])
    assert last_attempt(wards["WARD"].results).door == "Create_Combined_Pilot_Dataset.py"
    assert not (wards["WARD"].results / "WARD_privacy_summary.json").exists()


@pytest.mark.parametrize(
    ("before", "status", "verdict", "why"),
    [
        (Attempt("", "", DONE, "", "May leave"), DONE, "May leave", ""),
        (Attempt("", "", DONE, "", "May leave"), DONE, "Hold", night.MAY_NO_LONGER),
        (Attempt("", "", RISK_TOO_HIGH, "", "May leave"), RISK_TOO_HIGH, "Hold", night.MAY_NO_LONGER),
        (Attempt("", "", DONE, "", "Hold"), RISK_TOO_HIGH, "Hold", night.NEWLY_ABOVE),
        (Attempt("", "", RISK_TOO_HIGH, "", "Hold"), RISK_TOO_HIGH, "Hold", ""),
        (Attempt("", "", INPUT_AT_FAULT), RISK_TOO_HIGH, "Hold", night.NEWLY_ABOVE),
        (Attempt("", "", INPUT_AT_FAULT, "", "May leave"), DONE, "Hold", night.MAY_NO_LONGER),
        (None, DONE, "Hold", ""),
        (None, RISK_TOO_HIGH, "Hold", night.NEWLY_ABOVE),
        (None, OUR_FAULT, "", "an error in this program"),
        (None, LOCKED, "", "held by another run"),
        (None, STOPPED_BY_SIGTERM, "", "not finished"),
    ],
)
def test_a_pilot_needs_a_look_if_it_failed_or_was_better(before, status, verdict, why):
    assert night.PilotsNight(Outcome(status, "", verdict=verdict), before).needs_a_look == why


@pytest.mark.thorough("0.5 s")
def test_the_last_attempt_lies_beside_the_results(pilot, doors):
    doors.start(2)
    found = last_attempt(pilot.results)
    assert (found.door, found.status, found.verdict) == ("Main_Anonymization.py", DONE, "Hold")
    pilot.remove("DM.csv")
    doors.start(1)
    found = last_attempt(pilot.results)
    assert (found.status, found.verdict) == (INPUT_AT_FAULT, "Hold")  # the last one that was given
    assert "No DM file" in found.words
    assert leaks(found.words) == []


def test_an_attempt_is_never_written_outside_of_the_pilot(pilot, tmp_path):
    place = tmp_path / "elsewhere"
    place.mkdir()
    target = pilot.data_folder / "LINKED"
    target.mkdir()
    (target / ".processed_for_anonym").symlink_to(place, target_is_directory=True)
    keep_attempt(target / "processed_for_anonym", Attempt("", "door"))
    keep_attempt(pilot.data_folder / "NOBODY" / "processed_for_anonym", Attempt("", "door"))
    assert list(place.iterdir()) == []
    assert not (pilot.data_folder / "NOBODY").exists()
