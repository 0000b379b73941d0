"""Writes a drafted config beside the existing configs, whole or not at all, and never over one of them."""

from __future__ import annotations

import contextlib
import os
from itertools import count
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError

DRAFTED, PROPOSED_CONFIG = "draft", "proposed"


def write_draft(text: str, folder: Path, pilot: str, beside: str = "") -> Path:
    """Write a drafted config into the ``folder`` of configs; returns its path.

    It is the pilot's config, or one ``beside`` it under a name that no run reads (``PILOT.draft.py``, then
    ``PILOT.draft2.py``, ...). Raises ``FaultyInputError`` if the pilot has a config by now.
    """
    if not beside:
        path = folder / f"{pilot}.py"
        if not _written_newly(text, path):
            raise FaultyInputError(f"{path}: another program wrote this file meanwhile; nothing was changed, run again")
        return path
    names = (f"{pilot}.{beside}{number if number > 1 else ''}.py" for number in count(1))
    return next(path for path in (folder / name for name in names) if _written_newly(text, path))


def _written_newly(text: str, path: Path) -> bool:
    """Whether the file was written: in one step, and only if there was none."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return _moved_to_nothing(aside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            aside.unlink()


def _moved_to_nothing(aside: Path, path: Path) -> bool:
    try:
        os.link(aside, path)  # fails if the file exists, in one step with the writing
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if path.exists() or path.is_symlink():
            return False
        aside.replace(path)
    return True
