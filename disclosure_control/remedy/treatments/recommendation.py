"""What the step ``recommend`` hands to the steps that treat."""

from __future__ import annotations

from dataclasses import dataclass

from disclosure_control.remedy.treatments.registry import TreatmentStep


@dataclass(frozen=True)
class Recommendation:
    """The steps of the best answer; None where nothing meets the thresholds, or nothing was found in time."""

    treatment: tuple[TreatmentStep, ...] | None
