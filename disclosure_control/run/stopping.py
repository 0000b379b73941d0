"""What ends a run from outside: SIGTERM and SIGHUP take the way of Ctrl-C, so that a run cleans up and says its status.

Without a handler the first process of a container ignores SIGTERM, and any other one dies where it is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

BY_SIGNAL = 128  # as shells report it: 130 after Ctrl-C, 143 after SIGTERM
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
_asked: list[int] = []  # a library may turn the exception of a signal into one of its own, or lose it


class Stopped(KeyboardInterrupt):
    """A signal ends this run; ``number`` is that of the signal."""

    def __init__(self, number: int = signal.SIGINT):
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status, as shells report it."""
        return BY_SIGNAL + self.number

    @property
    def by(self) -> str:
        """Who stopped the run, in words."""
        return "the user" if self.number == signal.SIGINT else signal.Signals(self.number).name


def stopped_of(error: KeyboardInterrupt) -> Stopped:
    """A Ctrl-C as what it is here."""
    return error if isinstance(error, Stopped) else Stopped()


def stop_if_asked() -> None:
    """Raise ``Stopped`` if a signal asked for it and its exception was lost on the way."""
    if _asked:
        raise Stopped(_asked[-1])


def end_at_once_by_signals() -> None:
    """Until a run begins, such as while modules are imported, a signal ends the process, with the status of it."""
    for number in _not_taken():
        signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(BY_SIGNAL + number)


def _not_taken() -> dict[int, Any]:
    """The signals that end a run and that nobody else handles or ignores, with their handlers."""
    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    default = (signal.SIG_DFL, signal.default_int_handler, _end)
    return {number: handler for number, handler in before.items() if handler in default}


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[None]:
    """A block that signals end by ``Stopped``. One that the process ignores, as under ``nohup``, stays ignored.

    While a run cleans up, the same signal again is ignored; Ctrl-C is not.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = _not_taken()
    for number in taken:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        _asked.clear()
        for number, handler in taken.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    _asked.append(number)
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)
    raise Stopped(number)
