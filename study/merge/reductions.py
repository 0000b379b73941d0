"""The forms of a domain, by what its rows are; a domain of no other form is wide."""

from __future__ import annotations

from study.merge.events import EVENTS
from study.merge.findings import FINDINGS
from study.merge.parts import Domain, Reduction
from study.merge.rows import ROWS
from study.merge.wide import WIDE
from study.models.roles import TableKind

REDUCTIONS = {
    TableKind.FINDINGS: FINDINGS,
    TableKind.EVENTS: EVENTS,
    TableKind.TIMING: EVENTS,
    TableKind.ROWS: ROWS,
    TableKind.PEOPLE: WIDE,
}


def reduction_of(domain: Domain) -> Reduction:
    """The form of a domain; where a setting says which of several rows counts, rows in time are wide."""
    is_one_row = domain.model.kind is TableKind.ROWS and domain.name in domain.settings.several_rows
    return WIDE if is_one_row else REDUCTIONS[domain.model.kind]
