"""Writes what is drafted and proposed beside the configs: whole or not at all, and a config never over another one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import write_whole
from disclosure_control.run.tables import harmless
from study.columns.profile import ColumnProfile
from study.columns.sheet import ColumnSheet, frame_of

DRAFTED, PROPOSED_CONFIG = "draft", "proposed"


def stop_if_closed(folder: Path, what: str) -> None:
    """Raise ``FaultyInputError`` if nothing can be written into the ``folder`` of configs, ``what`` included."""
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FaultyInputError(
            f"{what}: cannot be written, because the folder of configs is closed to this user or mounted read-only; "
            "run Create_Combined_Pilot_Dataset.py once where it can be written, and review what it drafts"
        )


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


def write_sheet(rows: Iterable[ColumnProfile], path: Path, earlier: ColumnSheet | None = None) -> None:
    """Write a sheet of columns for a spreadsheet, in mode 0600: UTF-8 with its mark, and nothing in it a formula.

    The cells are apart as those of an ``earlier`` sheet are. Raises ``FaultyInputError`` if somebody changed it since
    it was read.
    """
    if earlier is not None and earlier.file.path == path and path.read_bytes() != earlier.file.content:
        raise FaultyInputError(f"{path.name}: it was changed during the run, and not written; run again")
    delimiter = "," if earlier is None else earlier.delimiter
    text: str = harmless(frame_of(rows)).to_csv(index=False, sep=delimiter, lineterminator="\r\n")
    write_whole(path, [text.encode("utf-8-sig")])


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
