"""How far something is that takes long: a line on the terminal that is gone when it is done, or a line a minute.

One thread looks at what is being worked on, so that a line also comes, and goes on, while one call takes long.
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
    """A stream on which is told how far the innermost of the works is, after some silence.

    Where nothing ``looks``, it is told when ``look`` is called, and then alone.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic, looks: bool = True):
        self.stream, self.clock, self.looks = stream, clock, looks
        self.is_terminal = stream.isatty()
        self.seconds_of_silence = SECONDS_OF_SILENCE if self.is_terminal else SECONDS_BETWEEN_LINES
        self._works: list[Work] = []
        self._told, self._width = clock(), 0  # when something was said last, and how much of it is still there
        self._lock, self._done = threading.RLock(), threading.Event()

    def look(self) -> None:
        """Tell how far the innermost work is, where nothing was told for long enough."""
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
            with contextlib.suppress(OSError, ValueError):  # a screen that is gone stops no run
                self.look()

    def _wipe(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # as when looking
            if self._width:
                self.stream.write("\r" + " " * self._width + "\r")
                self.stream.flush()
        self._width = 0

    @contextlib.contextmanager
    def saying(self) -> Iterator[None]:
        """Within the block something else is said, on an empty line."""
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

    Once nothing was said for a second a line such as ``Reading combined_dataset.csv: 41%, 92 MB a second, 3 minutes
    left`` stands on standard error; where nobody knows how much there is to do it tells for how long it is being done.
    It is wiped away at the end, also when an error or Ctrl-C ends the block. Where standard error is no terminal, it
    is a line every minute. ``unit`` is what is counted; "bytes" are told in MB. ``words`` name the work alone, never a
    column's values or a person. Of blocks within each other the innermost is told.
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
    """Within the block something is said to people: the line that tells how far something is makes room for it."""
    screen = _screen()
    return contextlib.nullcontext() if screen is None else screen.saying()


def _how_far(n_done: int, n_total: int, seconds: float, unit: str) -> str:
    """The share that is done, how fast, and how long the rest takes if that goes on; or how long it is being done."""
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
