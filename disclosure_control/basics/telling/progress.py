"""The progress of a long step: a line on the terminal that is removed at the end, or a line a minute.

One thread watches the work, so that a line also appears and is updated during one long call.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeVar

SECONDS_OF_SILENCE, SECONDS_BETWEEN = 1.0, 0.25  # on a terminal
SECONDS_BETWEEN_LINES = 60.0  # where there is none

Thing = TypeVar("Thing")


@dataclass
class Work:
    """Some work: how much of it there is, 0 where nobody knows, and how much is done."""

    words: str
    n_total: int
    unit: str
    start: float
    n_done: int = 0

    def advance(self, n: int) -> None:
        """So much more is done."""
        self.n_done += n


class Screen:
    """A stream that shows the progress of the innermost step, after some silence.

    Without the watching thread, it is shown only when ``look`` is called.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic, looks: bool = True):
        self.stream, self.clock, self.looks = stream, clock, looks
        self.is_terminal = stream.isatty()
        self.seconds_of_silence = SECONDS_OF_SILENCE if self.is_terminal else SECONDS_BETWEEN_LINES
        self._works: list[Work] = []
        self._told, self._width = clock(), 0  # when the last message was printed, and how much of it is still visible
        self._lock, self._done = threading.RLock(), threading.Event()

    def look(self) -> None:
        """Show the progress of the innermost step, if nothing was shown for long enough."""
        with self._lock:
            now = self.clock()
            between = SECONDS_BETWEEN if self._width else self.seconds_of_silence
            if not self._works or now - self._told < between:
                return
            work = self._works[-1]
            line = f"{work.words}: {_how_far(work.n_done, work.n_total, now - work.start, work.unit)}"
            self.stream.write("\r" + line.ljust(self._width) if self.is_terminal else line + "\n")
            self.stream.flush()
            self._told, self._width = now, max(self._width, len(line)) if self.is_terminal else 0

    @contextlib.contextmanager
    def working(self, words: str, n_total: int, unit: str) -> Iterator[Work]:
        """Within the block this is the innermost work."""
        work = Work(words, n_total, unit, self.clock())
        with self._lock:
            self._works.append(work)
            if len(self._works) == 1 and self.looks:
                self._done = threading.Event()
                threading.Thread(target=self._look_again, args=(self._done,), daemon=True).start()
        try:
            yield work
        finally:
            with self._lock:
                if work in self._works:  # with those within it that an error left in the middle
                    del self._works[self._works.index(work) :]
                if not self._works:
                    self._done.set()
                    self._wipe()

    def _look_again(self, done: threading.Event) -> None:
        while not done.wait(SECONDS_BETWEEN):
            with contextlib.suppress(OSError, ValueError):  # a closed screen stops no run
                self.look()

    def _wipe(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # as when looking
            if self._width:
                self.stream.write("\r" + " " * self._width + "\r")
                self.stream.flush()
        self._width = 0

    @contextlib.contextmanager
    def saying(self) -> Iterator[None]:
        """Within the block other output is printed, on an empty line."""
        with self._lock:
            self._wipe()
            yield
            self._told = self.clock()


_screens: dict[str, Screen] = {}


def _screen() -> Screen | None:
    """That of standard error, None for a program without a console."""
    if sys.stderr is None:
        return None
    if "stderr" not in _screens or _screens["stderr"].stream is not sys.stderr:
        _screens["stderr"] = Screen(sys.stderr)
    return _screens["stderr"]


@contextlib.contextmanager
def progress(
    words: str, n_total: int = 0, unit: str = "", screen: Screen | None = None
) -> Iterator[Callable[[int], None]]:
    """Within the block, ``advance(n)`` says that ``n`` more of ``n_total`` are done.

    After a second without output, standard error shows a line such as ``Reading combined_dataset.csv: 41%, 92 MB a
    second, 3 minutes left``; if the total is unknown, how long the step has been running. The line is removed at the
    end, also after an error or Ctrl-C. If standard error is no terminal, there is a line every minute. ``unit`` is what
    is counted; "bytes" are shown in MB. ``words`` name the work only, never a column's values or a person. Of nested
    blocks the innermost is shown.
    """
    screen = _screen() if screen is None else screen
    if screen is None:
        yield lambda n: None
        return
    with screen.working(words, n_total, unit) as work:
        yield work.advance


def going_through(
    words: str, things: Sequence[Thing], size_of: Callable[[Thing], int], unit: str = ""
) -> Iterator[Thing]:
    """The things one after the other; each is done, as much as its size, when the next one is asked for."""
    sizes = [size_of(thing) for thing in things]
    with progress(words, sum(sizes), unit) as advance:
        for thing, size in zip(things, sizes, strict=True):
            yield thing
            advance(size)


def saying() -> contextlib.AbstractContextManager[None]:
    """Within the block, a message is printed: the progress line is removed for it."""
    screen = _screen()
    return contextlib.nullcontext() if screen is None else screen.saying()


def _how_far(n_done: int, n_total: int, seconds: float, unit: str) -> str:
    """The share that is done, how fast, and the estimated rest; or how long the step has been running."""
    share = min(n_done / n_total, 1.0) if n_total else 0.0
    parts = [f"{share:.0%}" if share else _duration(seconds)]
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
