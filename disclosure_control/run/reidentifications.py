"""Who asked who is behind a pseudonym: a line per call, found or not, kept beside the results of the pilot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted
from disclosure_control.run.beside import beside, put_beside

LOGGED = "reidentifications.jsonl"


@dataclass(frozen=True)
class PseudonymLookup:
    """One call, as it is logged: ``of`` is the keyed fingerprint of the pseudonym, not the pseudonym."""

    when: str
    by: str
    role: str
    reason: str
    of: str
    found: bool


def read_reidentifications(results: Path) -> list[PseudonymLookup]:
    """Every call of a pilot, oldest first. Raises ``FaultyInputError`` where the file is not as it was written."""
    path = beside(results) / LOGGED
    if not path.is_file():
        return []
    try:
        return [PseudonymLookup(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (ValueError, TypeError):
        raise FaultyInputError(f"{LOGGED}: not as a call writes it; restore it from a backup") from None


def log_reidentification(results: Path, call: PseudonymLookup) -> None:
    """Keep a call, after the earlier ones, as they were written."""
    logged = beside(results) / LOGGED
    earlier = logged.read_bytes() if logged.is_file() else b""
    put_beside(results, LOGGED, earlier + json.dumps(asdict(call), ensure_ascii=False).encode() + b"\n")


def reidentifications_in_words(calls: Sequence[PseudonymLookup]) -> Iterator[str]:
    """How many pseudonyms were looked up, how many were found, and who asked last; nothing without a call."""
    if calls:
        last, n_found = calls[-1], sum(call.found for call in calls)
        yield (
            f"{counted(len(calls), 'pseudonym')} looked up, {n_found} found; last by {last.by} ({last.role}) on "
            f"{last.when[:10]}."
        )
