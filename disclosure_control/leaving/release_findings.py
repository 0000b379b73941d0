"""What is found out about what leaves, each in a file of its own: figures, sentences, reasons to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.leaving import joined_releases, moved_dates, singling_out, telling
from disclosure_control.leaving.leaving import Leaving


@dataclass(frozen=True)
class ReleaseFinding:
    """``figures`` are plain numbers and names; ``words``, ``reasons`` and ``not_looked_at`` are made of them alone."""

    figures: Callable[[Leaving], dict[str, Any]]
    words: Callable[[Mapping[str, Any]], Iterable[str]]
    reasons: Callable[[Mapping[str, Any]], Iterable[Reason]]
    not_looked_at: Callable[[Mapping[str, Any]], Iterable[str]] = lambda found: ()


# By their key in the JSON summary, in the order in which the text says them.
FINDINGS: dict[str, ReleaseFinding] = {
    "singled_out": ReleaseFinding(
        singling_out.figures, singling_out.words, singling_out.reasons, singling_out.not_looked_at
    ),
    "telling": ReleaseFinding(telling.figures, telling.words, telling.reasons),
    "moved_dates": ReleaseFinding(moved_dates.figures, moved_dates.words, moved_dates.reasons),
    "joined": ReleaseFinding(joined_releases.figures, joined_releases.words, joined_releases.reasons),
}


def reasons_to_hold(figures: Mapping[str, Any]) -> tuple[Reason, ...]:
    """Why what leaves has to wait, by the figures of all findings, gravest first."""
    return tuple(sorted(reason for name, one in FINDINGS.items() for reason in one.reasons(figures.get(name, {}))))


def not_looked_at(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on what no finding looked at, of what leaves."""
    return tuple(sentence for name, one in FINDINGS.items() for sentence in one.not_looked_at(figures.get(name, {})))
