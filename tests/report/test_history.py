"""The memory of runs: who is newly alone, how groups drift, what is kept, and that nothing in it names people."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.assess.assessment import evaluate
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.records.people import People
from disclosure_control.records.records import EncodedRecords
from disclosure_control.report.history import Memory, drift, latest_memory, read_memory, remember
from disclosure_control.report.run_told import privacy_summary
from disclosure_control.run.doors import Pilot
from disclosure_control.run.logs import SilentLog
from disclosure_control.run.results import staged
from tests.examples import any_text, examples
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, files_below

# ---------------------------------------------------------------- who is alone, run by run

CONFIG_OF_ONE = {"categorical_qis": ["Q"], "continuous_qis": [], "sensitive_feature": [], "K": 2, "L": 1, "T": 1}
PEOPLE_ALONE = st.sets(st.integers(0, 39))


def run_of(memory: Memory, alone: set[int], when: str, folder) -> Memory:
    """The memory after a run in which these of forty people are alone, and all others alike."""
    frame = pd.DataFrame({"Q": [f"q{i}" if i in alone else "all" for i in range(40)] + ["all"] * 2})
    subjects = pd.Series([f"s{i:02}" for i in range(42)], name="USUBJID")
    config = validate_config(CONFIG_OF_ONE)
    assessment = evaluate(People(config, EncodedRecords.in_memory(frame, subjects)), config)
    file = SourceFile(folder / "P.py", b"")
    pilot = Pilot("P", folder, folder, CONFIG_OF_ONE, file, True, when, 9, SilentLog())
    summary = {"version": "", **privacy_summary(EXACT, "P", assessment, {}, [])}
    return remember(memory, pilot, summary, assessment)


@pytest.mark.thorough("1 s: a whole run with every step")
@examples(30)
@given(in_turn=st.lists(PEOPLE_ALONE, min_size=2, max_size=4))
def test_the_last_run_made_again_remembers_the_same(in_turn, tmp_path_factory):
    """Against sets: who is alone, since which run; and the line of a run does not change when it is made again."""
    folder = tmp_path_factory.mktemp("memory")
    memory = Memory.empty()
    for day, alone in enumerate(in_turn):
        memory = run_of(memory, alone, f"day {day}", folder)
    said = {row.USUBJID: row.alone_since for row in memory.still_alone.itertuples()}
    assert said == {f"s{i:02}": f"day {_day_it_began(i, in_turn)}" for i in in_turn[-1]}
    went = memory.alone[memory.alone["alone_until"] != ""]
    assert set(went["USUBJID"]) == {f"s{i:02}" for i in in_turn[-2] - in_turn[-1]}
    again = run_of(memory.before_the_last_run, in_turn[-1], f"day {len(in_turn) - 1}", folder)
    assert again.lines == memory.lines
    pd.testing.assert_frame_equal(again.alone, memory.alone)


def _day_it_began(person: int, in_turn: list[set[int]]) -> int:
    day = len(in_turn) - 1
    while day and person in in_turn[day - 1]:
        day -= 1
    return day


# ---------------------------------------------------------------- drift


def groups_of(**columns: tuple[list[int], list[int]]) -> pd.DataFrame:
    rows = [
        {"column": name, "group": str(i), "people_before": before, "people": now}
        for name, (befores, nows) in columns.items()
        for i, (before, now) in enumerate(zip(befores, nows, strict=True))
    ]
    return pd.DataFrame(rows)


def test_drift_by_hand():
    found = drift(
        groups_of(
            same=([60, 40], [60, 40]),
            grown=([60, 40], [120, 80]),  # the same shares
            moved=([60, 40], [40, 60]),  # 20 of 100 people moved
            other=([100, 0], [0, 100]),
            few=([60, 40], [55, 45]),  # five people: not masked, it is for the controller
            new=([0, 0], [50, 50]),  # no quasi-identifier before: nothing to compare
        )
    )
    assert found == {"same": 0.0, "grown": 0.0, "moved": 0.2, "other": 1.0, "few": 0.05}


# ---------------------------------------------------------------- through the door


@pytest.fixture
def clock(monkeypatch, doors):
    """Each run is a day after the one before."""
    days = iter(range(1, 29))
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", lambda: f"2026-02-{next(days):02}T00:00:00.000000Z")


def lines_of(pilot) -> list[dict]:
    return [json.loads(line) for line in (pilot.results / "history.jsonl").read_text().splitlines()]


@pytest.mark.thorough("0.5 s")
def test_a_pilot_in_which_too_many_are_alone_remembers_nobody(pilot, doors, clock, monkeypatch):
    doors.start(2)
    monkeypatch.setattr("disclosure_control.report.history.MOST_ALONE", 1)  # two are
    for _ in range(2):
        doors.start(2)
        assert "newly_alone" not in lines_of(pilot)[-1]
        assert pilot.result_rows("alone_since.csv") == []
    monkeypatch.undo()


IDS = any_text(min_size=1, max_size=6).filter(lambda text: "\x00" not in text)


@examples(30)
@given(ids=st.lists(IDS, unique=True, max_size=5))
def test_ids_and_groups_of_any_spelling_come_back(ids, tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    alone = pd.DataFrame({"USUBJID": ids, "alone_since": "x", "alone_until": ""}, dtype="str")
    groups = pd.DataFrame({"column": "q", "group": pd.Series(["", *ids], dtype="str"), "people_before": 1, "people": 2})
    line = {"when": "x", "config": "c", "evaluated": 1, "risky_rate": {}}
    with staged(folder, "s.json") as results:
        Memory((line,), alone, groups).write(results)
        results.publish({})
    found = read_memory(folder)
    assert found.alone["USUBJID"].tolist() == ids
    assert len(found.still_alone) == len(ids)
    assert found.groups["group"].tolist() == ["", *ids]


@pytest.mark.thorough("1 s: a whole run with every step")
def test_drift_is_not_told_across_a_change_of_the_config(pilot, doors, clock):
    pilot.configure(K=4)
    doors.start(2)
    assert "drift" not in lines_of(pilot)[-1]
    assert lines_of(pilot)[-1]["config"] != lines_of(pilot)[0]["config"]


def test_a_run_that_fails_leaves_no_line(pilot, doors, clock):
    pilot.configure(K=0)
    assert doors.start(2).status == INPUT_AT_FAULT
    assert len(lines_of(pilot)) == 1


@pytest.mark.thorough("1 s")
def test_as_many_runs_are_kept_as_is_said(pilot, doors, clock, monkeypatch):
    monkeypatch.setenv("BIOSTREAMS_KEEP_RUNS", "2")
    names = set(files_below(pilot.results))
    for _ in range(3):
        assert doors.start(2).status == DONE
    assert [line["when"][8:10] for line in lines_of(pilot)] == ["02", "03"]
    assert set(files_below(pilot.results)) == names
    monkeypatch.setenv("BIOSTREAMS_KEEP_RUNS", "none")
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "BIOSTREAMS_KEEP_RUNS: found 'none'; allowed: a whole number" in run.err


@pytest.mark.parametrize("text", ['{"when": 1}\n', "no json\n", "[]\n", '{"when": "x", "config"'])
def test_a_history_that_no_run_wrote_is_a_fault(pilot, text):
    path = pilot.results / "history.jsonl"
    path.write_text(path.read_text() + text)
    with pytest.raises(FaultyInputError, match=r"history\.jsonl: not as a run writes it"):
        read_memory(pilot.results)


@pytest.mark.thorough("0.5 s")
def test_a_history_that_no_run_wrote_stops_the_run_until_it_is_deleted(pilot, doors):
    path = pilot.results / "history.jsonl"
    path.write_text("no json\n")
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "history.jsonl: not as a run writes it" in run.err
    path.unlink()
    assert doors.start(2).status == DONE
    assert len(lines_of(pilot)) == 2  # it goes on from the one beside the results
    path.write_text("no json\n")
    for one in (path, pilot.beside / path.name):
        one.unlink()
    assert doors.start(2).status == DONE
    assert len(lines_of(pilot)) == 1


@pytest.mark.thorough("1 s: a whole run with every step")
def test_a_history_outlives_its_set(pilot, doors, clock):
    """The results are deleted; then an older copy of them is put back: no line is lost."""
    older = pilot.root / "older"
    shutil.copytree(pilot.results, older)
    assert doors.start(2).status == DONE
    before = lines_of(pilot)
    shutil.rmtree(pilot.results)
    assert [run.status for run in doors.start_both()] == [DONE, DONE]
    assert lines_of(pilot)[:-1] == before
    assert "newly_alone" in lines_of(pilot)[-1]
    shutil.rmtree(pilot.results)
    older.rename(pilot.results)
    assert doors.start(2).status == DONE
    assert lines_of(pilot)[:2] == before
    assert len(lines_of(pilot)) == 4


@pytest.mark.parametrize("name", ["history.jsonl", "alone_since.csv"])
def test_what_is_kept_beside_a_set_must_be_as_a_run_wrote_it_too(pilot, name):
    (pilot.beside / name).write_text("no such thing\n")
    with pytest.raises(FaultyInputError, match=rf"\.processed_for_anonym/{name}: not as a run writes it"):
        latest_memory(pilot.results)
    read_memory(pilot.results)


def test_tables_that_no_run_wrote_are_named_together(pilot):
    for name in ("alone_since.csv", "quasi_identifier_groups.csv"):
        (pilot.results / name).write_text("a,b\n1,2\n")
    with pytest.raises(FaultyInputError) as fault:
        read_memory(pilot.results)
    assert len(fault.value.faults) == 2
