"""A line on the terminal that counts up while something takes long, and is gone when it is done."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

SECONDS_OF_SILENCE = 2.0
SECONDS_BETWEEN = 0.2


@contextlib.contextmanager
def progress(
    words: str, n_total: int, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[int], None]]:
    """Within the block, ``advance(n)`` says that ``n`` more of ``n_total`` are done.

    After two seconds a line such as ``Grouping records: 41%`` stands on standard error, and is wiped away at the end,
    also when an error or Ctrl-C ends the block. Silent where standard error is no terminal. ``words`` name the work
    alone, never a column's values or a person.
    """
    stream = sys.stderr if stream is None else stream
    is_terminal = stream is not None and stream.isatty()
    if not is_terminal:
        yield lambda n: None
        return
    n_done, next_time, width = 0, clock() + SECONDS_OF_SILENCE, 0

    def advance(n: int) -> None:
        nonlocal n_done, next_time, width
        n_done += n
        now = clock()
        if now >= next_time:
            line = f"{words}: {min(n_done / max(n_total, 1), 1.0):.0%}"
            stream.write("\r" + line.ljust(width))
            stream.flush()
            next_time, width = now + SECONDS_BETWEEN, max(width, len(line))

    try:
        yield advance
    finally:
        if width:
            stream.write("\r" + " " * width + "\r")
            stream.flush()
