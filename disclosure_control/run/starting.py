"""What a program does first when it is started, before it imports what takes seconds."""

from __future__ import annotations

import gc
from typing import Literal

from disclosure_control.run.memory import keep_freed_memory
from disclosure_control.run.packages import say_missing_packages
from disclosure_control.run.stopping import end_at_once_by_signals

NEW_OBJECTS = 1_000_000  # Python's default is 700


def begin(arrow_from: Literal["system", "jemalloc"]) -> None:
    """Until the run begins a signal ends the process, a package that is not there is said, and memory is kept.

    Python looks for reference cycles only after very many new objects: the large objects of a door are arrays, which
    are freed at once, and a twentieth of a short run was spent on imported objects, which are never freed.
    """
    end_at_once_by_signals()
    say_missing_packages()
    gc.set_threshold(NEW_OBJECTS)
    keep_freed_memory(arrow_from)
