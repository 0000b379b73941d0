"""Versions of what computed the results: Python, and every package that the requirements ask for, and these in turn."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib import metadata

# The names of the requirements files; what they need in turn is asked of the packages themselves.
REQUIRED = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "pyreadstat",
    "jinja2",
    "python-dotenv",
    "tabulate",
    "filelock",
    "psutil",
    "python-stdnum",
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
