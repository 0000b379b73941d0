"""The forms of a domain, in the order in which they are tried; a domain that fits no other is wide."""

from __future__ import annotations

from study.merge.events import EVENTS
from study.merge.findings import FINDINGS
from study.merge.parts import Domain, Reduction
from study.merge.rows import ROWS
from study.merge.wide import WIDE

REDUCTIONS = (FINDINGS, EVENTS, ROWS, WIDE)


def reduction_of(domain: Domain) -> Reduction:
    return next(reduction for reduction in REDUCTIONS if reduction.fits(domain))
