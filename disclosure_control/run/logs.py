"""The messages of a run while it works: sentences and tables for people, or JSON line by line for programs."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Self, TextIO

from disclosure_control.basics.telling.progress import progress, saying
from disclosure_control.run import clock

FORMATS = ("text", "json")


class Log:
    """The log of one run, or of one pilot of it. In either form it contains names of files and columns, and counts.

    As text it prints the sentences for people, and no events; as JSON one object a line, its ``event`` first, and
    nothing else: reports stay in their files.
    """

    shows_progress = True

    def __init__(self, is_json: bool = False, pilot: str | None = None, clock: Callable[[], float] = time.perf_counter):
        self.is_json, self.pilot, self.clock = is_json, pilot, clock

    def of_pilot(self, pilot: str) -> Self:
        """The same log, whose events name this pilot."""
        return type(self)(self.is_json, pilot, self.clock)

    def say(self, text: str) -> None:
        """A sentence or a report, for people alone."""
        if not self.is_json:
            say(text)

    def notice(self, sentence: str) -> None:
        """A sentence, for people and programs."""
        self.say(sentence)
        self.event("notice", words=sentence)

    def fault(self, words: str) -> None:
        """Print a fault on standard error."""
        if self.is_json:
            self.event("fault", sys.stderr, words=words)
        else:
            say(f"{self.pilot}: {words}" if self.pilot else words, sys.stderr)

    def event(self, name: str, stream: TextIO | None = None, **fields: object) -> None:
        """One line of JSON; nothing where the log is for people."""
        if self.is_json:
            of_pilot = {} if self.pilot is None else {"pilot": self.pilot}
            say(json.dumps({"event": name, "when": clock.utc_now(), **of_pilot, **fields}), stream)

    @contextlib.contextmanager
    def step(self, name: str, is_said: bool = False) -> Iterator[dict[str, Any]]:
        """Time the block: an event with its seconds and the counts that the block puts in.

        ``is_said``: people also see its start; the progress of every step is shown. A failed step has no event; its
        fault has.
        """
        if is_said:
            self.say(f"Step {name}")
        counts: dict[str, Any] = {}
        start = self.clock()
        with progress(f"Step {name}") if self.shows_progress and not self.is_json else contextlib.nullcontext():
            yield counts
        self.event("step", step=name, seconds=round(self.clock() - start, 3), **counts)


class NightLog(Log):
    """The log of a night: as text, notices and faults in a line each with its time; reports stay in their files."""

    shows_progress = False

    def say(self, text: str) -> None:
        """Print nothing: it is in a file."""

    def notice(self, sentence: str) -> None:
        """A sentence, for people and programs."""
        self._line(sentence)
        self.event("notice", words=sentence)

    def fault(self, words: str) -> None:
        """Print a fault on standard error."""
        self._line(f"fault: {words}", sys.stderr)
        self.event("fault", sys.stderr, words=words)

    def outcome(self, status: int, words: str, seconds: float) -> None:
        """What came of a pilot, as soon as it is known."""
        self._line(f"status {status} after {seconds} s; {words}")
        self.event("outcome", status=status, words=words, seconds=seconds)

    def ending(self, text: str) -> None:
        """What a person reads first, without times."""
        super().say(text)

    def _line(self, words: str, stream: TextIO | None = None) -> None:
        if not self.is_json:
            of_pilot = "" if self.pilot is None else f"{self.pilot}: "
            say(f"{clock.utc_now()[:19]}Z {of_pilot}{words}", stream)


class SilentLog(Log):
    """A log that nobody reads."""

    shows_progress = False

    def say(self, text: str) -> None:
        """Print nothing."""

    def fault(self, words: str) -> None:
        """Print nothing."""


def say(text: str, stream: TextIO | None = None) -> None:
    """Print, without control characters that file names may smuggle in; a closed screen stops no run."""
    stream = stream or sys.stdout
    try:
        with saying():
            print("".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text), file=stream)
            stream.flush()
    except OSError:
        # Nobody can be reached; what is still buffered for this stream must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
