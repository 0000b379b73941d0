"""The overview of all pilots as one page of HTML that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from disclosure_control.report.pilots.rows import PilotRow

TEMPLATES = Path(__file__).parent / "templates"


def overview_page(rows: Sequence[PilotRow], when: str) -> str:
    """The page, a row for each pilot; ``when`` it was made, UTC. It loads nothing and runs no script."""
    return _environment().get_template("overview.html").render(rows=rows, when=when)


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
