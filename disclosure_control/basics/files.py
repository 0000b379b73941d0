"""Files read once, so that what is hashed is what is parsed; and where those may lie that a config names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError


@dataclass(frozen=True)
class SourceFile:
    """A file as it was read: ``content`` is for the parser, and ``sha256`` is of these very bytes.

    The path only names the file and must not be opened again: it may have changed. ``repr`` does not show the content.
    """

    path: Path
    content: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """The file's name without its folder, as messages give it."""
        return self.path.name

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the content, in hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()


def read_file(path: Path) -> SourceFile:
    """Read a file, whole and once. Raises ``OSError`` as the system does."""
    return SourceFile(path, path.read_bytes())


def sha256_of_file(path: Path) -> str:
    """The SHA-256 of a file that is not parsed, block by block. Raises ``OSError`` as the system does."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def leads_out_of(path: Path, folder: Path) -> bool:
    """Whether a path, or a symbolic link at this path, ends outside the ``folder``."""
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link that leads to itself
        return True


def link_fault(path: Path, folder: Path) -> str | None:
    """The fault of a link that leads out of a pilot's ``folder``; None where the path ends within it.

    Through such a link a run would read what is no part of the pilot, or change what belongs to somebody else.
    """
    if not leads_out_of(path, folder):
        return None
    return (
        f"{path.name}: a link that leads out of the pilot's folder; allowed: files and folders of the "
        "pilot itself; put there what it leads to"
    )


def file_of_pilot(folder: Path, name: str, key: str) -> tuple[SourceFile, dict[str, str]]:
    """The file that a config names under ``key``, as it was read, and its SHA-256 for the summary's inputs.

    Raises ``FaultyInputError`` unless it is a file in the pilot's ``folder`` or below.
    """
    path = folder / name
    if leads_out_of(path, folder):
        raise FaultyInputError(f"{key}: {name!r} lies outside the pilot's folder; put it there")
    if not path.is_file():
        raise FaultyInputError(f"{key}: there is no file {name!r} in the pilot's folder; put it there")
    file = read_file(path)
    return file, {"sha256": file.sha256}
