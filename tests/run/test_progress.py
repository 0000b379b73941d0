"""How far a long run is: from the first second on a terminal, a line a minute elsewhere, and nothing left behind."""

from __future__ import annotations

import io

import pytest

from disclosure_control.run.progress import progress


class Screen(io.StringIO):
    def __init__(self, is_terminal: bool):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def shown(is_terminal: bool, seconds: list[float], n_each: int, n_total: int, unit: str = "") -> str:
    """What stands on the stream after ``n_each`` more were done at each of these seconds from the start."""
    stream, times = Screen(is_terminal), iter([0.0, *seconds])
    with progress("Counting", n_total, unit, stream, lambda: next(times)) as advance:
        for _ in seconds:
            advance(n_each)
    return stream.getvalue()


def test_a_terminal_is_told_from_the_first_second_how_fast_and_how_long_and_is_wiped():
    lines = shown(True, [0.5, 1.0, 10.0], 10_000_000, 100_000_000, "bytes").split("\r")
    assert lines[1] == "Counting: 20%, 20 MB a second, 4 s left"
    assert lines[2].rstrip() == "Counting: 30%, 3 MB a second, 23 s left"
    assert lines[3].strip() == ""
    assert lines[4] == ""


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
    stream, times = Screen(True), iter([0.0, 2.0])

    def broken_off() -> None:
        with progress("Counting", 4, "", stream, lambda: next(times)) as advance:
            advance(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert stream.getvalue().endswith("\r")
    assert stream.getvalue().split("\r")[-2].strip() == ""
