"""How far something is that takes long: a line on the terminal that is gone when it is done, or a line a minute."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

SECONDS_OF_SILENCE, SECONDS_BETWEEN = 1.0, 0.2  # on a terminal
SECONDS_BETWEEN_LINES = 60.0  # where there is none


@contextlib.contextmanager
def progress(
    words: str, n_total: int, unit: str = "", stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[int], None]]:
    """Within the block, ``advance(n)`` says that ``n`` more of ``n_total`` are done.

    After a second a line such as ``Reading combined_dataset.csv: 41%, 92 MB a second, 3 minutes left`` stands on
    standard error, and is wiped away at the end, also when an error or Ctrl-C ends the block. Where standard error is
    no terminal, such a line is written every minute. ``unit`` is what is counted; "bytes" are told in MB.
    ``words`` name the work alone, never a column's values or a person.
    """
    stream = sys.stderr if stream is None else stream
    if stream is None:  # a program without a console
        yield lambda n: None
        return
    is_terminal = stream.isatty()
    between = SECONDS_BETWEEN if is_terminal else SECONDS_BETWEEN_LINES
    start = clock()
    n_done, next_time, width = 0, start + (SECONDS_OF_SILENCE if is_terminal else between), 0

    def advance(n: int) -> None:
        nonlocal n_done, next_time, width
        n_done += n
        now = clock()
        if now < next_time:
            return
        line = f"{words}: {_how_far(n_done, n_total, now - start, unit)}"
        stream.write("\r" + line.ljust(width) if is_terminal else line + "\n")
        stream.flush()
        next_time, width = now + between, max(width, len(line))

    try:
        yield advance
    finally:
        if width and is_terminal:
            stream.write("\r" + " " * width + "\r")
            stream.flush()


def _how_far(n_done: int, n_total: int, seconds: float, unit: str) -> str:
    """The share that is done, how fast, and how long the rest takes if that goes on."""
    share = min(n_done / max(n_total, 1), 1.0)
    parts = [f"{share:.0%}"]
    per_second = n_done / seconds if seconds > 0 else 0.0
    if unit and per_second:
        rate = f"{per_second / 1e6:,.0f} MB" if unit == "bytes" else f"{per_second:,.0f} {unit}"
        parts.append(f"{rate} a second")
    if 0 < share < 1 and seconds > 0:
        parts.append(f"{_duration(seconds * (1 - share) / share)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 100 else f"{minutes / 60:.1f} hours"
