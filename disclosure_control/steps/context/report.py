"""The step ``context`` in words: how many points of the evidence are open."""

from __future__ import annotations

from collections.abc import Sequence

from disclosure_control.basics.telling.words import listed
from disclosure_control.steps.context.settings import QUESTIONS


def context_report(still_open: Sequence[str]) -> str:
    """One line: what the controller has not said, and where it belongs."""
    if not still_open:
        return f"Evidence: all {len(QUESTIONS)} points are answered, see evidence/anonymisation_report.html.\n"
    return (
        f"Evidence: {len(still_open)} of {len(QUESTIONS)} points are open ({listed(still_open, 4)}); say them under "
        'the config key "context", and see evidence/anonymisation_report.html.\n'
    )
