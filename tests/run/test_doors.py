"""Several pilots in one run, the table at its end, and the exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import disclosure_control.run.doors as batch
from disclosure_control.report.run_texts import risky_shares
from disclosure_control.report.verdict import Verdict
from disclosure_control.run.results import PilotIsLockedError
from Main_Anonymization import _outcome
from tests.cases import each
from tests.run.processes import environment
from tests.run.synthetic_pilot import (
    DONE,
    INPUT_AT_FAULT,
    LOCKED,
    OUR_FAULT,
    PROJECT,
    RISK_TOO_HIGH,
    SCRIPTS,
    leaks,
    rows_of,
    snapshot,
)

BOTH_DOORS = pytest.mark.parametrize("door", [1, 2])
STOPPED = 130


@pytest.fixture
def wards(pilot):
    """Three pilots beside each other; the first alone has results."""
    return {name: pilot if name == pilot.name else pilot.sibling(name) for name in ("CLINIC", "WARD", "ZOO")}


@pytest.mark.thorough("2 s: three pilots through both doors")
def test_pilots_come_as_they_are_named_or_all_that_have_a_config_by_the_alphabet(wards, doors, pilot):
    for name in ("__init__.py", "not a pilot.py", "notes.txt", f"{'X' * 65}.py"):
        (pilot.config_folder / name).write_text("raise SystemExit")
    (pilot.data_folder / "WITHOUT_CONFIG").mkdir()
    runs = doors.start(1, "ZOO", "CLINIC", "WARD", "ZOO"), doors.start(2, "--all")
    for run, names in zip(runs, (["ZOO", "CLINIC", "WARD"], ["CLINIC", "WARD", "ZOO"]), strict=True):
        assert run.status == DONE
        assert list(run.outcomes) == names
        lines = run.out.splitlines()
        assert [line for line in lines if line.startswith("Pilot ")] == [f"Pilot {name}" for name in names]
        assert [line[0] for line in lines[-7:]] == ["┌", "│", "├", "│", "│", "│", "└"]
        assert [line.split()[1] for line in lines[-7:] if line[0] == "│"] == ["Pilot", *names]
    for ward in wards.values():
        assert ward.summary()["pilot"] == ward.name


@pytest.mark.thorough("1.3 s")
@BOTH_DOORS
def test_a_faulty_pilot_does_not_stop_the_others(door, wards, doors, pilot):
    doors.start(1, "--all")
    pilot.write_config("config = {")
    before = snapshot(pilot.folder)
    run = doors.start(door, "--all", *(["--fail-on-risk", "0"] if door == 2 else []))
    assert run.status == INPUT_AT_FAULT
    assert {name: status for name, (status, _) in run.outcomes.items()} == {
        "CLINIC": INPUT_AT_FAULT,
        "WARD": DONE if door == 1 else RISK_TOO_HIGH,
        "ZOO": DONE if door == 1 else RISK_TOO_HIGH,
    }
    assert [line.partition(":")[0] for line in run.fault_lines] == ["CLINIC"]
    assert snapshot(pilot.folder) == before
    assert all((ward.results / "merge_report.json").exists() for ward in wards.values())


@pytest.mark.thorough("0.3 s")
def test_pilots_with_faults_of_every_kind_and_an_unknown_one(wards, doors, pilot):
    wards["WARD"].write("VS.csv", "")
    run = doors.start(1, "NOBODY", "WARD", "../ZOO", "ZOO")
    assert run.status == INPUT_AT_FAULT
    assert [status for status, _ in run.outcomes.values()] == [INPUT_AT_FAULT] * 3 + [DONE]
    assert len(run.fault_lines) == 3


# ---------------------------------------------------------------- the exit status

GRAVEST_FIRST = (OUR_FAULT, INPUT_AT_FAULT, LOCKED, RISK_TOO_HIGH, DONE)


@pytest.mark.parametrize("statuses", [*((status,) for status in GRAVEST_FIRST), GRAVEST_FIRST[::-1]], ids=str)
def test_the_gravest_outcome_decides_the_status(statuses, pilot, doors, monkeypatch):
    names = [f"P{position}" for position in range(len(statuses))]
    status_of = dict(zip(names, statuses, strict=True))
    for name in names:
        pilot.sibling(name)

    def process(one, options):
        status = status_of[one.name]
        if status == OUR_FAULT:
            raise ZeroDivisionError
        if status == INPUT_AT_FAULT:
            raise batch.FaultyInputError("a fault")
        if status == LOCKED:
            raise PilotIsLockedError
        return batch.Outcome(status, "words")

    status = batch.run_door("a door", process, names)
    assert status == next(grave for grave in GRAVEST_FIRST if grave in statuses)


# ---------------------------------------------------------------- a risk that is not to be passed


def outcome_of(limit, *figures):
    """The outcome of door 2 where models have such shares: their letter, who is risky, and who was evaluated."""
    models = {"k": "k_anonymity", "l": "l_diversity", "t": "t_closeness"}
    results = [
        SimpleNamespace(
            model=models[model],
            sensitive=None if model == "k" else "LB__Cholesterol",
            n_risky=n_risky,
            n_evaluated=n,
            risky_rate=n_risky / n if n else None,
        )
        for model, n_risky, n in figures
    ]
    return _outcome("released/", SimpleNamespace(results=results), Verdict("released/", ()), limit)


@each(
    "limit, figures, status",
    [
        (49.9, [("k", 6, 12)], RISK_TOO_HIGH),
        (50.0, [("k", 6, 12)], DONE),
        (0.0, [("k", 1, 12)], RISK_TOO_HIGH),
        (0.0, [("k", 0, 12)], DONE),
        (None, [("k", 12, 12)], DONE),
        (7.0, [("k", 7, 100)], DONE),  # to a computer 100 * 0.07 is a little more than 7
        (6.99, [("k", 7, 100)], RISK_TOO_HIGH),
        (20.0, [("k", 0, 12), ("l", 3, 12), ("t", 0, 12)], RISK_TOO_HIGH),
        (20.0, [("k", 0, 12), ("l", 0, 12), ("t", 3, 12)], RISK_TOO_HIGH),
        (20.0, [("k", 2, 12), ("l", 2, 12), ("t", 2, 12)], DONE),
        (100.0, [("k", 0, 0)], RISK_TOO_HIGH),  # nothing evaluated is not shown to be safe
        (100.0, [("k", 0, 12), ("t", 0, 0)], RISK_TOO_HIGH),
    ],
)
def test_fail_on_risk_looks_at_each_model_and_at_nothing_evaluated(limit, figures, status):
    outcome = outcome_of(limit, *figures)
    assert outcome.status == status
    assert ("risky above" in outcome.words) == (status == RISK_TOO_HIGH)


@pytest.mark.thorough("0.7 s")
def test_where_the_shares_are_well_and_a_column_names_people_the_outcome_says_the_column(pilot, doors):
    pilot.write_rows("DM.csv", [row | {"EMAIL": f"p{i}.doe@example.org"} for i, row in enumerate(rows_of("DM"))])
    assert doors.start(1).status == DONE
    pilot.configure(sensitive_feature=None, sensitive_binning_config_for_L={}, K=1)
    pilot.unconfigure("L", "T")
    run = doors.start(2, "--fail-on-risk", "0")
    assert run.status == RISK_TOO_HIGH
    words = run.outcomes["CLINIC"][1]
    assert "EMAIL" in words
    assert "k: 0.0%" in words
    assert "risky above" not in words


# ---------------------------------------------------------------- faults of ours, and the user's own stop

SECRET = "ZZSUBJ-48151 lives in MARKERDISTRICT, 987.654"


@pytest.mark.parametrize(("door", "kind"), [(1, ValueError), (2, KeyError), (1, RecursionError), (2, AssertionError)])
def test_an_unexpected_exception_is_told_without_its_message(door, kind, pilot, doors, monkeypatch):
    where = {1: "study.merge.combine.combine_domains", 2: "disclosure_control.assess.assessment.evaluate"}[door]

    def fails(*arguments, **options):
        raise kind(SECRET)

    monkeypatch.setattr(where, fails)
    before = snapshot(pilot.root)
    run = doors.start(door)
    assert run.status == OUR_FAULT
    assert len(run.fault_lines) == 1
    assert f"CLINIC: An error in this program, not in your data: {kind.__name__} at " in run.err
    assert "report it" in run.err
    assert leaks(run.out, run.err) == []
    assert snapshot(pilot.root) == before


def test_an_unexpected_system_error_is_told_without_its_message(capsys):
    """pyarrow's own input errors are of the system's kind, and their message quotes what they read."""

    def fails():
        raise OSError(SECRET)

    outcome = batch.guarded(fails, batch.Log())
    told = capsys.readouterr()
    assert outcome.status == INPUT_AT_FAULT
    assert outcome.faults == ["OSError: the results were not changed"]
    assert SECRET not in told.out + told.err + repr(outcome)


FAILING_DOOR = """
import runpy, sys
sys.path.insert(0, {folder!r})
import study.merge.combine
def fails(*arguments): raise ValueError({secret!r})
study.merge.combine.combine_domains = fails
sys.argv = ["door"]
runpy.run_path({folder!r} + "/Create_Combined_Pilot_Dataset.py", run_name="__main__")
"""


@pytest.mark.thorough("0.8 s in a process")
def test_an_unexpected_exception_where_the_program_is_reached_through_a_link(pilot, tmp_path):
    link = tmp_path / "opt"
    link.symlink_to(PROJECT, target_is_directory=True)
    done = subprocess.run(
        [sys.executable, "-c", FAILING_DOOR.format(folder=str(link), secret=SECRET)],
        cwd=pilot.desk,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert leaks(done.stdout, done.stderr) == []
    assert "Traceback" not in done.stderr
    assert done.returncode == OUR_FAULT


@BOTH_DOORS
def test_stopped_by_the_user(door, wards, doors, pilot, monkeypatch):
    where = {1: "study.merge.combine.combine_domains", 2: "disclosure_control.assess.assessment.evaluate"}[door]

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    before = snapshot(pilot.root)
    run = doors.start(door, "CLINIC", "WARD")
    assert run.status == STOPPED
    assert "Stopped by the user" in run.err
    assert "Traceback" not in run.err
    assert snapshot(pilot.root) == before


@pytest.mark.thorough("1 to 2 s in a process")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_screen_that_takes_no_more_changes_no_result_and_no_status(unbuffered, pilot):
    """A log on a full disk: the run is as good as without it, or it says the truth about its results."""
    (pilot.results / "merge_report.json").unlink()
    (pilot.results / "CLINIC_privacy_summary.json").unlink()
    before = snapshot(pilot.results)
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, str(PROJECT / SCRIPTS[2])],
            cwd=pilot.desk,
            env=environment(PYTHONUNBUFFERED=unbuffered),
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
    assert "Traceback" not in done.stderr
    assert done.returncode in range(5)
    changed = snapshot(pilot.results) != before
    assert changed == (done.returncode in (DONE, RISK_TOO_HIGH))
    assert ("the results were not changed" in done.stderr) <= (not changed)


def test_help_names_the_ways_to_start(doors):
    for door in (1, 2):
        run = doors.start(door, "--help")
        assert run.status == DONE
        assert "--all" in run.out
        assert "BIOSTREAMS_PILOT" in run.out


def test_the_line_of_a_pilot_with_many_sensitive_features_can_be_read():
    """Each of a few is named; of a hundred the largest, and of how many nothing could be told."""

    def results(n):
        rates = [None, *(i / 1000 for i in range(1, n))]
        k = SimpleNamespace(model="k_anonymity", sensitive=None, risky_rate=0.00001)
        of_l = [SimpleNamespace(model="l_diversity", sensitive=f"LB__{i}", risky_rate=r) for i, r in enumerate(rates)]
        return SimpleNamespace(results=[k, *of_l])

    assert risky_shares(results(2)) == "k: <0.1%; l of LB__0: -; l of LB__1: 0.1%"
    assert risky_shares(results(100)) == (
        "k: <0.1%; l, the largest of 100 sensitive features: 9.9% (1 of them could not be evaluated)"
    )
