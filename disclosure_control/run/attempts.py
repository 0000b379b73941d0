"""The last attempt of a pilot: when, by which program, and what came of it. It lies beside the results.

The results are those of the last run that published. So a pilot whose runs fail looks well by its results alone.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from disclosure_control.basics.files import link_fault
from disclosure_control.run.beside import beside, put_beside

LAST_ATTEMPT = "last_attempt.json"


@dataclass(frozen=True)
class Attempt:
    """``door``: the program that ran; ``status`` is its exit status, None while it runs and after it was killed.

    ``words`` contain no value of a person: they are those of the screen, with the first fault. ``verdict`` is the
    last one that was given, by this attempt or one before it; "" if there is none.
    """

    when: str
    door: str
    status: int | None = None
    words: str = ""
    verdict: str = ""


def keep_attempt(results: Path, attempt: Attempt) -> None:
    """Write the attempt beside the results, in place of the one before; nothing where that cannot be written."""
    if results.parent.is_dir() and not link_fault(beside(results), results.parent):
        with contextlib.suppress(OSError):
            put_beside(results, LAST_ATTEMPT, json.dumps(asdict(attempt), ensure_ascii=False).encode())


def last_attempt(results: Path) -> Attempt | None:
    """The last attempt; None if there is none that can be read."""
    try:
        return Attempt(**json.loads((beside(results) / LAST_ATTEMPT).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
