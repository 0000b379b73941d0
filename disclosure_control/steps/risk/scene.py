"""What the sections of the step ``risk`` look at, and what each gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.measures.key_sets import KeySet, key_sets
from disclosure_control.measures.reidentification import INTRUDERS, ReidentificationRisk, RiskProfile, risk_profile
from disclosure_control.steps.risk.population import Population
from disclosure_control.steps.risk.settings import RiskSettings


@dataclass(frozen=True)
class Scene:
    """What the sections look at. ``table`` (n_records, n_columns) is the whole combined dataset as text.

    ``population`` is None where none is given; ``inputs`` are the files that were read beside the dataset.
    """

    assessment: Assessment
    settings: RiskSettings
    table: pd.DataFrame
    population: Population | None = None
    inputs: Mapping[str, dict] = field(default_factory=dict)

    @property
    def classes(self) -> EquivalenceClasses:
        return self.assessment.classes

    @property
    def policy(self) -> str:
        return self.assessment.config.missing_qis

    @cached_property
    def profile(self) -> RiskProfile:
        return risk_profile(self.classes, self.settings.k_at_most, self.policy, self.settings.alpha)

    @cached_property
    def key_sets(self) -> list[KeySet]:
        settings = self.settings
        try:
            return key_sets(self.classes, settings.max_key_set, settings.k_at_most, self.policy)
        except FaultyInputError as error:
            named = [fault.replace("max_size", "risk['max_key_set']") for fault in error.faults]
            raise FaultyInputError(named) from None

    @cached_property
    def intruders(self) -> dict[str, ReidentificationRisk]:
        size = None if self.population is None else self.population.size
        common = (self.classes, self.settings.threshold, self.policy, self.settings.alpha)
        population = {"population_size": size, "sampling_fraction": self.settings.sampling_fraction}
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
