"""The step ``context`` in words: how many points of the evidence are open."""

from __future__ import annotations

from collections.abc import Sequence

from disclosure_control.basics.telling.sections import Section, Sentence, Where
from disclosure_control.basics.telling.words import listed
from disclosure_control.steps.context.settings import QUESTIONS


def context_sections(still_open: Sequence[str]) -> tuple[Section, ...]:
    """What the controller has not answered yet, and where the answers belong."""
    text = f"Evidence: all {len(QUESTIONS)} points are answered, see evidence/anonymisation_report.html."
    if still_open:
        text = (
            f"Evidence: {len(still_open)} of {len(QUESTIONS)} points are open ({listed(still_open, 4)}). Answer them "
            'under the config key "context"; evidence/anonymisation_report.html lists them.'
        )
    return (Section("context", "", (Sentence(text, where=Where.TEXT),)),)
