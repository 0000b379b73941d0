"""The last known length of a privacy ledger: kept beside it, and outside of the pilot's folder.

A ledger restored from an older copy is a whole chain; only a record kept elsewhere shows that it was longer. So the
number of entries, the hash of the last and the epsilon spent are also in a file of the state folder,
``<pilot>.mark``. It is no secret and names nobody; without it a ledger is believed.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from disclosure_control.analyses.private_release.entries import LedgerState, canonical, decimal_or_none
from disclosure_control.analyses.private_release.questions import decimal_text
from disclosure_control.run.beside import flush_folder

SETTING = "BIOSTREAMS_STATE_DIR"
NO_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT)


class UnreadableMarkError(Exception):
    """A mark exists and cannot be read."""


@dataclass(frozen=True)
class HighWater:
    """The number of entries, the hash of the last, and the epsilon spent by then; None where a head lacks it."""

    n_entries: int
    last_hash: str
    spent: Decimal | None = None


def mark_path(folder: Path, state_folder: Path | None) -> Path:
    """The mark of the pilot in ``folder``; without a state folder it is beside the folder of all pilots."""
    pilot = folder.resolve()
    return (state_folder or Path(f"{pilot.parent}.state")) / f"{pilot.name}.mark"


def has_a_place(path: Path) -> bool:
    """Whether a mark can be kept here, judged without writing."""
    nearest = next(parent for parent in path.parents if parent.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK)


def read_mark(path: Path) -> HighWater | None:
    """The mark; None where there is none. Raises ``UnreadableMarkError``."""
    try:
        mark = json.loads(path.read_bytes())
        n_entries, last_hash, spent = mark["entries"], mark["hash"], decimal_or_none(mark.get("spent"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnreadableMarkError from None
    if type(n_entries) is not int or n_entries < 0 or not isinstance(last_hash, str):
        raise UnreadableMarkError
    return HighWater(n_entries, last_hash, spent)


def write_mark(path: Path, state: LedgerState) -> None:
    """Replace the mark in one step, readable by its owner alone. Raises ``OSError``."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = {"entries": state.n_entries, "hash": state.last_hash, "spent": decimal_text(state.spent)}
    aside = path.with_name(f"{path.name}.new")
    write_new(aside, canonical(mark).encode("ascii"))
    aside.replace(path)
    flush_folder(path.parent)


def write_new(path: Path, content: bytes) -> None:
    """A file readable by its owner alone, on the disk before this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if os.write(descriptor, content) != len(content):  # a disk that fills up writes a part
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path.name)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
