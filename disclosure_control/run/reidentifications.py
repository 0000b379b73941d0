"""Who asked who is behind a pseudonym: a line per call, found or not, kept beside the results of the pilot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from disclosure_control.basics.telling.words import counted
from disclosure_control.run.beside import add_line, read_lines

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
    return read_lines(results, LOGGED, PseudonymLookup)


def log_reidentification(results: Path, call: PseudonymLookup) -> None:
    """Keep a call, after the earlier ones, as they were written."""
    add_line(results, LOGGED, call)


def reidentifications_in_words(calls: Sequence[PseudonymLookup]) -> Iterator[str]:
    """How many pseudonyms were looked up, how many were found, and who asked last; nothing without a call."""
    if calls:
        last, n_found = calls[-1], sum(call.found for call in calls)
        yield (
            f"{counted(len(calls), 'pseudonym')} looked up, {n_found} found; last by {last.by} ({last.role}) on "
            f"{last.when[:10]}."
        )
