"""The log: text for people as before, or JSON line by line, of counts and names alone."""

from __future__ import annotations

import json

import pytest

from disclosure_control.run.logs import Log
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, NOW, leaks


def events_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_step_is_one_line_with_its_seconds_and_counts(capsys):
    ticks = iter([10.0, 12.3456])
    with Log(is_json=True, pilot="P", clock=lambda: next(ticks)).step("merge", is_said=True) as counts:
        counts["subjects"] = 12
    (event,) = events_of(capsys.readouterr().out)
    assert event.pop("when").endswith("Z")
    assert event == {"event": "step", "pilot": "P", "step": "merge", "seconds": 2.346, "subjects": 12}


def test_what_fails_has_no_event_of_its_own(capsys):
    with pytest.raises(ZeroDivisionError), Log(is_json=True).step("merge"):
        raise ZeroDivisionError
    assert capsys.readouterr().out == ""


@pytest.mark.thorough("0.7 s")
def test_the_doors_in_json(pilot, doors):
    steps = []
    for door in (1, 2):
        run = doors.start(door, "--log-format", "json")
        assert run.status == DONE
        events = events_of(run.out)
        assert {event["pilot"] for event in events} == {"CLINIC"}
        assert {event["when"] for event in events} == {NOW}  # no digits of chance among those that leaks() looks for
        assert events[-1]["event"] == "outcome"
        assert events[-1]["status"] == DONE
        steps.append([event["step"] for event in events if event["event"] == "step"])
        assert all(event["seconds"] >= 0 for event in events if event["event"] == "step")
        assert leaks(run.out, run.err) == []
    assert steps == [["merge", "write"], ["read", "assess", "identifiers", "risk", "context", "write"]]


def test_faults_in_json(pilot, doors):
    pilot.configure(K=0, L=0)
    run = doors.start(2, "--log-format", "json")
    assert run.status == INPUT_AT_FAULT
    faults = events_of(run.err)
    assert [fault["event"] for fault in faults] == ["fault"] * 2
    assert faults[0]["words"].startswith("K: found 0")
    (outcome,) = events_of(run.out)
    assert outcome["status"] == INPUT_AT_FAULT
