"""What lies beside a set of results and outlives it: the lock, the key of the hashes, the memory of earlier runs.

The folder is hidden and has the name of the set, ``.processed_for_anonym`` in the folder of the pilot. The next set
replaces this one as a whole, so what has to stay is no part of it. A run works in that folder, too: nothing unfinished
ever lies among the results, and the new set is on the file system of the old one.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from disclosure_control.basics.telling.faults import FaultyInputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LOCK = ".lock"
NEW = "new"  # a set while it is written; after the exchange the earlier one, until it is removed
EARLIER = "earlier"  # the earlier set for a moment, where a system cannot exchange two folders
ASIDE = "aside"  # files that a step opens from disk before they are published
VERIFIED = "verify"  # where a run is made again, to be compared
SPILL = "spill"  # what an engine that works from disk puts aside
UNFINISHED = ".new"  # ends the name of a file there until it is whole
MOVED_OUT = "moved_out"  # files that lay among the results and that no run wrote
CANNOT_FLUSH = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
WORK_FOLDERS = (NEW, EARLIER, ASIDE, VERIFIED, SPILL)

Line = TypeVar("Line", bound="DataclassInstance")


def beside(results: Path) -> Path:
    """The folder beside the results of a pilot; it need not be there yet."""
    return results.with_name(f".{results.name}")


def made_beside(results: Path) -> Path:
    """The same; made where it is missing, and closed to others."""
    folder = beside(results)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(folder.stat().st_mode & 0o700)
    return folder


def work_folder(results: Path, name: str) -> Path:
    """A new folder in it, one of ``WORK_FOLDERS``; what a killed run leaves in it is removed by the next start."""
    folder = made_beside(results) / name
    folder.mkdir(mode=0o700)
    return folder


def put_beside(results: Path, name: str, content: bytes) -> None:
    """Write a file there: whole or not at all, flushed, in mode 0600."""
    write_whole(made_beside(results) / name, [content])


def read_lines(results: Path, name: str, kind: type[Line], gone: Collection[str] = ()) -> list[Line]:
    """What is kept there line by line, oldest first; fields that are ``gone`` since are passed over.

    Raises ``FaultyInputError`` where the file is not as it was written.
    """
    path = beside(results) / name
    if not path.is_file():
        return []
    try:
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return [kind(**{key: value for key, value in line.items() if key not in gone}) for line in lines]
    except (ValueError, TypeError, AttributeError):
        raise FaultyInputError(f"{name}: not as this program writes it; restore it from a backup") from None


def add_line(results: Path, name: str, line: DataclassInstance) -> None:
    """Keep one more line, after the earlier ones as they were written."""
    path = beside(results) / name
    earlier = path.read_bytes() if path.is_file() else b""
    earlier += b"\n" if earlier and not earlier.endswith(b"\n") else b""
    put_beside(results, name, earlier + json.dumps(asdict(line), ensure_ascii=False).encode() + b"\n")


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, whole or not at all: beside its place, flushed, then renamed."""
    unfinished = path.with_name(f"{path.name}{UNFINISHED}")
    unfinished.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    flush_folder(path.parent)


def carry(source: Path, target: Path) -> None:
    """The same file in another folder: a second name for it, or a copy where the file system has no second names.

    Folders that are missing are made, closed to others.
    """
    for folder in reversed([folder for folder in target.parents if not folder.exists()]):
        folder.mkdir(mode=0o700)
    try:
        os.link(source.resolve(), target)
    except (OSError, NotImplementedError):
        with contextlib.suppress(FileNotFoundError):
            target.unlink()
        shutil.copy2(source, target)
        with target.open("rb+") as file:
            os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Make the renames within a folder survive a loss of power, where the system lets a folder be flushed.

    Folders of other machines (CIFS, SSHFS and others) often do not let: whatever was written there is whole anyway.
    """
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in CANNOT_FLUSH:
                raise
        finally:
            os.close(descriptor)
