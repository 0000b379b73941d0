"""Files beside the data that a config names: where they may lie, and what they were when they were read."""

from __future__ import annotations

import hashlib
from pathlib import Path

from disclosure_control.basics.faults import FaultyInputError


def file_of_pilot(folder: Path, name: str, key: str) -> tuple[Path, dict]:
    """The path of a file that a config names under ``key``, and its SHA-256 for the summary's inputs.

    Raises ``FaultyInputError`` unless it is a file in the pilot's ``folder`` or below.
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise FaultyInputError(f"{key}: {name!r} lies outside the pilot's folder; put it there")
    if not path.is_file():
        raise FaultyInputError(f"{key}: there is no file {name!r} in the pilot's folder; put it there")
    with path.open("rb") as file:
        return path, {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}
