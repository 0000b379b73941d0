"""The tools to compare with, each in a virtual environment of its own under ``environments/``, made at first use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "environments"
READY = ".ready"  # written last: an environment without it was interrupted, and is made anew


class NotInstalledError(Exception):
    """pip could not install a tool here."""


def python_with(name: str, requirement: str) -> Path:
    """The Python of the environment ``name``, in which ``requirement`` and nothing else was installed.

    Raises ``NotInstalledError`` with pip's last words.
    """
    folder = FOLDER / name
    python = folder / "bin" / "python"
    if (folder / READY).is_file() and (folder / READY).read_text() == requirement:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    print(f"Installing {requirement} in benchmarks/environments/{name} ...", flush=True)
    _run([sys.executable, "-m", "venv", folder])
    _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement])
    (folder / READY).write_text(requirement)
    return python


def version_of(python: Path, package: str) -> str:
    """The version of a package that an environment holds."""
    return _run([python, "-c", f"from importlib.metadata import version; print(version({package!r}))"]).strip()


def _run(command: list[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise NotInstalledError(words[-1] if words else f"status {done.returncode}")
    return done.stdout
