"""Tasks that die or fail where they are done; in a module of their own, which a worker imports."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path


def dying_once(mark: Path, task: Callable, arguments: tuple) -> object:
    """A task at which the first worker that takes it dies, with its work done and nobody told."""
    found = task(*arguments)
    if not mark.exists():
        mark.touch()
        os._exit(9)
    return found


def dying(*arguments: object) -> None:
    os._exit(9)


def broken(*arguments: object) -> float:
    return 1 / 0


def full(*arguments: object) -> None:
    raise OSError(errno.ENOSPC, "ZZSUBJ")
