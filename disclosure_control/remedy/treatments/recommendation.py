"""What the step ``recommend`` hands to the steps that treat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from disclosure_control.remedy.treatments.registry import TreatmentStep


@dataclass(frozen=True)
class Recommendation:
    """The steps of the best answer; None where nothing meets the thresholds, or nothing was found in time.

    ``by_level``: of each column the steps by which it is recoded to each of its levels, the finest first.
    """

    treatment: tuple[TreatmentStep, ...] | None
    by_level: Mapping[str, Sequence[Sequence[TreatmentStep]]] = field(default_factory=dict, repr=False, compare=False)
