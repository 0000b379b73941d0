"""What the sections of the step ``risk`` look at, and what each gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses
from disclosure_control.assessment import Assessment
from disclosure_control.reidentification import INTRUDERS, ReidentificationRisk
from disclosure_control.risk.settings import RiskSettings


@dataclass(frozen=True)
class Scene:
    """What the sections look at. ``table`` (n_records, n_columns) is the whole combined dataset as text.

    ``population_size`` (n_classes,) are people of the population per class, and ``population_is_covered`` tells
    whether all of them are in a class of the pilot; None where no population is given.
    """

    assessment: Assessment
    settings: RiskSettings
    table: pd.DataFrame
    population_size: np.ndarray | None = None
    population_is_covered: bool | None = None

    @property
    def classes(self) -> EquivalenceClasses:
        return self.assessment.classes

    @property
    def policy(self) -> str:
        return self.assessment.config.missing_qis

    @cached_property
    def intruders(self) -> dict[str, ReidentificationRisk]:
        common = (self.classes, self.settings.threshold, self.policy, self.settings.alpha)
        population = {"population_size": self.population_size, "sampling_fraction": self.settings.sampling_fraction}
        return {
            name: risk(*common) if name == "prosecutor" else risk(*common, **population)
            for name, risk in INTRUDERS.items()
        }


@dataclass(frozen=True)
class Section:
    """``per_record`` is called only where ``record_risk.csv`` is wanted; its arrays are (n_records,)."""

    figures: Mapping[str, object]
    per_record: Callable[[], dict[str, np.ndarray]] = dict
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
