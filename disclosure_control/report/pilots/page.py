"""The overview of all pilots as one page of HTML that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disclosure_control.report.compiled import templates_of
from disclosure_control.report.pilots.rows import PilotRow

TEMPLATES = Path(__file__).parent / "templates"


def overview_page(rows: Sequence[PilotRow], when: str) -> str:
    """The page, a row for each pilot; ``when`` it was made, UTC. It loads nothing and runs no script."""
    return templates_of(TEMPLATES).get_template("overview.html").render(rows=rows, when=when)
