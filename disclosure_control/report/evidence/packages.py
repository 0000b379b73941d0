"""Versions of what computed the results: Python, every package that the requirements ask for, and these in turn; and
the build of this program, because many states of it have one version.
"""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from importlib import metadata
from pathlib import Path

import disclosure_control

# The names of the requirements files; what they need in turn is asked of the packages themselves.
REQUIRED = (
    "numpy",
    "pandas",
    "pyarrow",
    "duckdb",
    "scipy",
    "pyreadstat",
    "jinja2",
    "python-dotenv",
    "tabulate",
    "filelock",
    "psutil",
    "python-stdnum",
    "chardet",
    "python-calamine",
    "matplotlib",
    "odmlib",
    "opendp",
    "fastapi",
    "uvicorn",
    "dask",
    "distributed",
    "cryptography",
    "phonenumbers",
    "statsmodels",
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


PROGRAM_FOLDER = Path(disclosure_control.__file__).resolve().parent.parent
PROGRAM = ("disclosure_control", "study", "config/__init__.py", "config/model_settings.py", "*.py")
NO_PROGRAM = ("__pycache__",)
DIGITS = 12


@cache
def build() -> str:
    """The first hexadecimal digits of a hash over the files of this program: their paths and contents."""
    folders = [path for name in PROGRAM for path in sorted(PROGRAM_FOLDER.glob(name))]
    files = [one for path in folders for one in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    content_hash = hashlib.sha256()
    for path in files:
        if path.is_file() and not set(path.parts) & set(NO_PROGRAM):
            content_hash.update(f"{path.relative_to(PROGRAM_FOLDER).as_posix()}\0".encode())
            content_hash.update(hashlib.sha256(path.read_bytes()).digest())
    return content_hash.hexdigest()[:DIGITS]


@cache
def versions() -> dict[str, str]:
    """Version by name, "python" first; packages that are not installed are not there. Nothing of the host is."""
    found: dict[str, str] = {}
    waiting = list(REQUIRED)
    while waiting:
        name = _normal(waiting.pop())
        if name in found:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        headers = _headers_of(package)
        found[name] = headers["Version"][0]
        needs = (need for need in headers.get("Requires-Dist", ()) if "extra ==" not in need)
        waiting += [match[0] for need in needs if (match := _NAME.match(need))]
    return {"python": platform.python_version(), **dict(sorted(found.items()))}


def _headers_of(package: metadata.Distribution) -> dict[str, list[str]]:
    """A package's own headers, by heading. The description below, often many pages, is not parsed."""
    text = (package.read_text("METADATA") or package.read_text("PKG-INFO") or "").replace("\r\n", "\n")
    found: dict[str, list[str]] = {}
    for line in text.partition("\n\n")[0].split("\n"):
        heading, _, value = line.partition(": ")
        found.setdefault(heading, []).append(value.strip())
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
