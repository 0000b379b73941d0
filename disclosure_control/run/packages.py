"""A package that is not installed, said in one line with the command; imports nothing that may be absent."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

PACKAGE_IS_MISSING = 2  # as a config or an input at fault: the status of what the user mends
REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"


def missing_package(error: BaseException) -> str | None:
    """What to say of an error that is an import of a package which is not there; None of any other."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    return (
        f"The package {error.name.partition('.')[0]} is not installed in {sys.prefix}. "
        f'Install what is needed with: "{sys.executable}" -m pip install -r "{REQUIREMENTS}"'
    )


def say_missing_packages() -> None:
    """From now on an import that fails at the start of a door ends in one line and status 2, not in a traceback."""

    def say(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if said := missing_package(error):
            print(said, file=sys.stderr, flush=True)
            os._exit(PACKAGE_IS_MISSING)
        sys.__excepthook__(kind, error, traceback)

    sys.excepthook = say
