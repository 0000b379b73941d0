"""Several pilots in one run, the table at its end, and the exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import disclosure_control.run.doors as batch
from disclosure_control.report.verdict import Verdict
from disclosure_control.run.results import PilotIsLockedError
from tests.cases import quick
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


@pytest.mark.thorough("0.7 s")
def test_pilots_are_processed_in_the_order_in_which_they_are_named(wards, doors):
    run = doors.start(1, "ZOO", "CLINIC", "WARD", "ZOO")
    assert run.status == DONE
    assert list(run.outcomes) == ["ZOO", "CLINIC", "WARD"]
    assert [line for line in run.out.splitlines() if line.startswith("Pilot ")] == [
        "Pilot ZOO",
        "Pilot CLINIC",
        "Pilot WARD",
    ]


@pytest.mark.thorough("1 s: three pilots")
def test_all_are_those_with_a_config_in_alphabetical_order(wards, doors, pilot):
    for name in ("__init__.py", "not a pilot.py", "notes.txt", f"{'X' * 65}.py"):
        (pilot.config_folder / name).write_text("raise SystemExit")
    (pilot.data_folder / "WITHOUT_CONFIG").mkdir()
    assert doors.start(1, "--all").status == DONE
    run = doors.start(2, "--all")
    assert run.status == DONE
    assert list(run.outcomes) == ["CLINIC", "WARD", "ZOO"]
    for ward in wards.values():
        assert ward.summary()["pilot"] == ward.name


@pytest.mark.parametrize("door", [1, pytest.param(2, marks=pytest.mark.thorough("0.4 s"))])
def test_the_last_lines_are_the_table(door, wards, doors):
    run = [doors.start(one, "--all") for one in range(1, door + 1)][-1]
    lines = run.out.splitlines()[-7:]
    assert [line[0] for line in lines] == ["┌", "│", "├", "│", "│", "│", "└"]
    assert [line.split()[1] for line in lines if line[0] == "│"] == ["Pilot", "CLINIC", "WARD", "ZOO"]


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


def only_k(pilot, **changes):
    pilot.configure(sensitive_feature=None, sensitive_binning_config_for_L={}, **changes)
    pilot.unconfigure("L", "T")


@pytest.mark.thorough("0.5 s")
@pytest.mark.parametrize(
    ("k", "limit", "status"),
    quick(2, [(3, "49.9", RISK_TOO_HIGH), (3, "50", DONE), (3, "0", RISK_TOO_HIGH), (1, "0", DONE)], "0.2 s"),
)
def test_fail_on_risk_at_its_limits(k, limit, status, pilot, doors):
    only_k(pilot, K=k)
    run = doors.start(2, "--fail-on-risk", limit)
    assert run.status == status
    assert run.err == ""
    assert ("risky above" in run.outcomes["CLINIC"][1]) == (status == RISK_TOO_HIGH)
    assert pilot.summary()["k_anonymity"] | {"threshold": k, "evaluated": 12} == pilot.summary()["k_anonymity"]


@pytest.mark.thorough("0.5 s")
@pytest.mark.parametrize(
    ("changes", "worst"),
    [({"K": 6, "L": 1, "T": 2000}, "k"), ({"K": 1, "L": 3, "T": 2000}, "l"), ({"K": 1, "L": 1, "T": 30}, "t")],
    ids=["k", "l", "t"],
)
def test_fail_on_risk_looks_at_each_model(changes, worst, pilot, doors):
    pilot.configure(**changes)
    assert doors.start(2, "--fail-on-risk", "20").status == RISK_TOO_HIGH
    risky = {model[0]: figures for model, figures in pilot.summary().items() if model in MODELS}
    shares = {"k": risky["k"]["risky_rate"], **{name: risky[name]["LB__Cholesterol"]["risky_rate"] for name in "lt"}}
    assert [name for name, share in shares.items() if share > 0.2] == [worst]


MODELS = ("k_anonymity", "l_diversity", "t_closeness")


@pytest.mark.thorough("0.7 s")
def test_where_the_shares_are_well_and_a_column_names_people_the_outcome_says_the_column(pilot, doors):
    pilot.write_rows("DM.csv", [row | {"EMAIL": f"p{i}.doe@example.org"} for i, row in enumerate(rows_of("DM"))])
    assert doors.start(1).status == DONE
    only_k(pilot, K=1)
    run = doors.start(2, "--fail-on-risk", "0")
    assert run.status == RISK_TOO_HIGH
    words = run.outcomes["CLINIC"][1]
    assert "EMAIL" in words
    assert "k: 0.0%" in words
    assert "risky above" not in words


@pytest.mark.thorough("1.2 s")
def test_nothing_evaluated_is_not_shown_to_be_safe(pilot, doors):
    pilot.write_rows("DM.csv", [row | {"SEX": ""} for row in rows_of("DM")])
    assert doors.start(1).status == DONE
    only_k(pilot, missing_qis="exclude")
    assert doors.start(2).status == DONE
    assert doors.start(2, "--fail-on-risk", "100").status == RISK_TOO_HIGH
    assert pilot.summary()["k_anonymity"]["evaluated"] == 0


@pytest.mark.thorough("0.7 s")
def test_no_sensitive_value_at_all_is_not_shown_to_be_safe(pilot, doors):
    pilot.write_rows("LB.csv", [row | {"Cholesterol": "", "Glucose": "5"} for row in rows_of("LB")])
    pilot.configure(K=1, L=1)
    assert doors.start(1).status == DONE
    run = doors.start(2, "--fail-on-risk", "100")
    assert run.status == RISK_TOO_HIGH
    assert pilot.summary()["t_closeness"]["LB__Cholesterol"]["evaluated"] == 0


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
@pytest.mark.parametrize(("door", "unbuffered"), [(1, ""), (2, "1")])
def test_a_screen_that_takes_no_more_changes_no_result_and_no_status(door, unbuffered, pilot):
    """A log on a full disk: the run is as good as without it, or it says the truth about its results."""
    (pilot.results / "merge_report.json").unlink()
    (pilot.results / "CLINIC_privacy_summary.json").unlink()
    before = snapshot(pilot.results)
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, str(PROJECT / SCRIPTS[door])],
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


def test_a_share_of_exactly_the_limit_is_not_above_it():
    """7 of 100 are 7%, although 100 * 0.07 is a little more than 7 to a computer."""
    from types import SimpleNamespace

    from Main_Anonymization import _outcome

    result = SimpleNamespace(model="k_anonymity", sensitive=None, n_risky=7, n_evaluated=100, risky_rate=0.07)
    assert _outcome("released/", SimpleNamespace(results=[result]), Verdict("released/", ()), 7.0).status == 0
    assert _outcome("released/", SimpleNamespace(results=[result]), Verdict("released/", ()), 6.99).status == 1


def test_the_line_of_a_pilot_with_many_sensitive_features_can_be_read():
    """Each of a few is named; of a hundred the largest, and of how many nothing could be told."""
    from types import SimpleNamespace

    from disclosure_control.report.run_texts import risky_shares

    def results(n):
        rates = [None, *(i / 1000 for i in range(1, n))]
        k = SimpleNamespace(model="k_anonymity", sensitive=None, risky_rate=0.00001)
        of_l = [SimpleNamespace(model="l_diversity", sensitive=f"LB__{i}", risky_rate=r) for i, r in enumerate(rates)]
        return SimpleNamespace(results=[k, *of_l])

    assert risky_shares(results(2)) == "k: <0.1%; l of LB__0: -; l of LB__1: 0.1%"
    assert risky_shares(results(100)) == (
        "k: <0.1%; l, the largest of 100 sensitive features: 9.9% (1 of them could not be evaluated)"
    )
