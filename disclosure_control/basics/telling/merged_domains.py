"""What became of each domain in a merge, as a screen and a page may show it: the merge report itself is restricted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.telling.small_counts import Policy

NOTES_SHOWN = "notes_shown"  # in the merge report: the notes that a screen words otherwise, as it words them


@dataclass(frozen=True)
class ToldDomain:
    """Rows and people of a domain, None where masked: small counts, and those that would disclose one."""

    rows: int | None
    subjects: int | None
    without_record: int | None
    collapsed: int | None
    not_done: int | None

    @classmethod
    def of(cls, policy: Policy, counts: Mapping[str, Any], n_subjects: int) -> ToldDomain:
        """The ``counts`` of a domain in the merge report, in a pilot of ``n_subjects``."""
        n_rows = counts["rows"]
        n_without = policy.told(counts["subjects_without_record"], n_subjects)
        return cls(
            rows=policy.told(n_rows, n_subjects),
            subjects=None if n_without is None else counts["subjects"],
            without_record=n_without,
            # Where rows that were collapsed are taken from all of them, subjects are left.
            collapsed=policy.told(counts.get("collapsed", 0), n_rows, n_rows - n_subjects),
            not_done=policy.told(counts.get("not_done", 0), n_rows),
        )


def shown(note: str) -> str:
    """A note on a pilot's files as screens have it, without small counts."""
    return getattr(note, "on_screen", note)


def notes_shown(notes: Iterable[str]) -> dict[str, str]:
    """The notes of a merge that are shown in other words, by the words of the merge report."""
    return {str(note): shown(note) for note in notes if shown(note) != note}
