"""Versions of what computed the results: Python, every package that the requirements ask for, and these in turn; and
the build of this program, because many states of it have one version.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from functools import cache
from importlib import metadata
from pathlib import Path

import disclosure_control

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FIELD = re.compile(r"^(Version|Requires-Dist): *(.*)$", re.MULTILINE)


PROGRAM_FOLDER = Path(disclosure_control.__file__).resolve().parent.parent
FOR_TESTS = "test.txt"
PROGRAM = ("disclosure_control", "study", "config/__init__.py", "config/model_settings.py", "*.py")
NO_PROGRAM = ("__pycache__",)
DIGITS = 12


@cache
def build() -> str:
    """The first hexadecimal digits of a hash over the files of this program: their paths and contents."""
    content_hash = hashlib.sha256()
    for path in sorted(one for name in PROGRAM for found in PROGRAM_FOLDER.glob(name) for one in _files_of(found)):
        content_hash.update(f"{path[len(str(PROGRAM_FOLDER)) + 1 :].replace(os.sep, '/')}\0".encode())
        content_hash.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return content_hash.hexdigest()[:DIGITS]


def _files_of(path: Path) -> list[str]:
    """A file itself, or those of a folder of the program; what Python compiled from them is not looked at."""
    if path.is_file():
        return [str(path)]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name not in NO_PROGRAM]
        found += [f"{folder}{os.sep}{name}" for name in names]
    return found


@cache
def versions() -> dict[str, str]:
    """Version by name, "python" first; packages that are not installed are not there. Nothing of the host is."""
    found: dict[str, str] = {}
    lists = [*PROGRAM_FOLDER.glob("requirements.txt"), *PROGRAM_FOLDER.glob("requirements/*.txt")]
    lines = [line for one in lists if one.name != FOR_TESTS for line in one.read_text(encoding="utf-8").splitlines()]
    waiting = [match[0] for line in lines if (match := _NAME.match(line))]
    while waiting:
        name = _normal(waiting.pop())
        if name in found:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        # Its long description, below a blank line, takes ten times as long to read as all the rest.
        fields, *_ = (package.read_text("METADATA") or package.read_text("PKG-INFO") or "").partition("\n\n")
        told = _FIELD.findall(fields)
        found[name] = next((value for field, value in told if field == "Version"), "")
        needs = (value for field, value in told if field == "Requires-Dist" and "extra ==" not in value)
        waiting += [match[0] for need in needs if (match := _NAME.match(need))]
    return {"python": platform.python_version(), **dict(sorted(found.items()))}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
