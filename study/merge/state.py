"""What a merge has found so far: left out, counted, noted, and faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from disclosure_control.basics.telling.faults import FaultyInputError
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.study_model import NOTHING_KNOWN, StudyModel


@dataclass
class MergeState:
    """What a merge has found so far; faults are collected and raised together. ``model``: what its tables are.

    ``without_records``: files with headings alone, each with its fault, until the model says whether it has such.
    """

    rule: SubjectIdRule
    settings: MergeSettings
    faults: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unknown: dict[str, set[str]] = field(default_factory=dict)
    inputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    domains: dict[str, dict[str, Any]] = field(default_factory=dict)
    model: StudyModel = NOTHING_KNOWN
    without_records: dict[str, str] = field(default_factory=dict)

    def count(self, domain: str, **numbers: int) -> None:
        """Add to the counts of a domain."""
        counts = self.domains.setdefault(domain, {})
        counts |= {name: counts.get(name, 0) + number for name, number in numbers.items()}

    def stop_at_faults(self) -> None:
        """Raise ``FaultyInputError`` if there are faults so far."""
        if self.faults:
            raise FaultyInputError(self.faults)
