"""How far a long run is: from the first second on a terminal, a line a minute elsewhere, and nothing left behind."""

from __future__ import annotations

import io
import time

import pytest

from disclosure_control.basics.telling import progress as told
from disclosure_control.basics.telling.progress import Screen, going_through, progress, saying
from disclosure_control.run import logs


class Stream(io.StringIO):
    def __init__(self, is_terminal: bool):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def screen_of(is_terminal: bool) -> tuple[Screen, Stream, Clock]:
    stream, clock = Stream(is_terminal), Clock()
    return Screen(stream, clock, looks=False), stream, clock


def shown(is_terminal: bool, seconds: list[float], n_each: int, n_total: int, unit: str = "") -> str:
    """What stands on the stream after ``n_each`` more were done at each of these seconds from the start."""
    screen, stream, clock = screen_of(is_terminal)
    with progress("Counting", n_total, unit, screen) as advance:
        for clock.seconds in seconds:
            advance(n_each)
            screen.look()
    return stream.getvalue()


def test_without_a_terminal_a_line_is_written_every_minute_and_stays():
    said = shown(False, [30.0, 60.0, 61.0, 119.0, 121.0, 600.0], 10, 1_000, "people")
    assert said.splitlines() == [
        "Counting: 2%, 0 people a second, 49 minutes left",
        "Counting: 5%, 0 people a second, 38 minutes left",
        "Counting: 6%, 0 people a second, 2.6 hours left",
    ]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_is_soon_done_says_nothing(is_terminal):
    assert shown(is_terminal, [0.1, 0.5], 1, 2) == ""


def test_the_last_piece_and_more_than_was_expected_have_no_time_left():
    assert shown(False, [61.0], 7, 5).strip() == "Counting: 100%"


def test_a_terminal_is_wiped_after_an_error_too():
    screen, stream, clock = screen_of(True)

    def broken_off() -> None:
        with progress("Counting", 4, "", screen) as advance:
            advance(1)
            clock.seconds = 2.0
            screen.look()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert stream.getvalue().endswith("\r")
    assert stream.getvalue().split("\r")[-2].strip() == ""


def test_the_innermost_work_is_told_and_then_the_outer_one_again():
    screen, stream, clock = screen_of(True)
    with progress("Step risk", screen=screen):
        clock.seconds = 3.0
        screen.look()
        with progress("Counting", 4, "", screen) as advance:
            advance(1)
            clock.seconds = 6.0
            screen.look()
        clock.seconds = 8.0
        screen.look()
    said = [text.strip() for text in stream.getvalue().split("\r") if text.strip()]
    assert said == ["Step risk: 3 s", "Counting: 25%, 9 s left", "Step risk: 8 s"]


@pytest.mark.parametrize("is_json", [True, False])
def test_a_step_that_goes_on_is_told_to_people_alone(monkeypatch, is_json):
    screen, stream, clock = screen_of(True)
    monkeypatch.setattr(told, "_screen", lambda: screen)
    with logs.Log(is_json).step("release"):
        clock.seconds = 8.0
        screen.look()
    assert stream.getvalue().startswith("\rStep release: 8 s\r") != is_json


def test_work_that_an_error_left_in_the_middle_is_gone_with_the_work_around_it(monkeypatch):
    screen, stream, clock = screen_of(True)
    monkeypatch.setattr(told, "_screen", lambda: screen)
    left = going_through("Reading", ["one", "two"], len)
    with progress("Step read"):
        next(left)
    clock.seconds = 9.0
    screen.look()
    assert stream.getvalue() == ""
    left.close()


def test_what_is_said_stands_on_a_line_of_its_own_and_breaks_the_silence(monkeypatch):
    screen, stream, clock = screen_of(True)
    monkeypatch.setattr(told, "_screen", lambda: screen)
    with progress("Step risk"):
        clock.seconds = 3.0
        screen.look()
        logs.say("Step sweep", stream)
        clock.seconds = 3.9
        screen.look()
    shown_text = stream.getvalue()
    assert shown_text.startswith("\rStep risk: 3 s\r")
    assert shown_text.endswith("\rStep sweep\n")
    with saying():
        assert stream.getvalue() == shown_text


def test_a_call_that_takes_long_is_told_without_its_help(monkeypatch):
    """The one test that waits: nobody calls ``advance`` or ``look``."""
    monkeypatch.setattr(told, "SECONDS_BETWEEN", 0.005)
    monkeypatch.setattr(told, "SECONDS_OF_SILENCE", 0.0)
    stream = Stream(is_terminal=True)
    with progress("Sorting", screen=Screen(stream)):
        until = time.monotonic() + 20
        while "Sorting: 1 s" not in stream.getvalue() and time.monotonic() < until:
            time.sleep(0.005)
    assert "Sorting: 1 s" in stream.getvalue()
    assert stream.getvalue().endswith("\r")
