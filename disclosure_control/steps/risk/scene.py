"""The data for the sections of the step ``risk``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from Anonymization_Models import EquivalenceClasses
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.key_sets import KeySet, key_sets
from disclosure_control.measures.reidentification import ReidentificationRisk, RiskProfile, intruders, risk_profile
from disclosure_control.steps.risk.common_settings import RiskSettings
from disclosure_control.steps.risk.population import Population


@dataclass(frozen=True)
class Scene:
    """The data for the sections. ``dataset`` is the whole combined dataset.

    ``population`` is None where none is given; ``inputs`` are the files that were read beside the dataset.
    """

    assessment: Assessment
    settings: RiskSettings
    dataset: CombinedDataset = field(repr=False)
    population: Population | None = None
    inputs: Mapping[str, dict] = field(default_factory=dict)

    @property
    def classes(self) -> EquivalenceClasses:
        return self.assessment.classes

    @property
    def policy(self) -> str:
        """What a missing quasi-identifier is taken for: ``missing_qis`` of the config."""
        return self.assessment.config.missing_qis

    @cached_property
    def profile(self) -> RiskProfile:
        """How many people are exposed, whatever the intruder."""
        return risk_profile(self.classes, self.settings.k_at_most, self.policy, self.settings.alpha)

    @cached_property
    def key_sets(self) -> list[KeySet]:
        """Every combination of up to ``max_key_set`` quasi-identifiers. Raises ``FaultyInputError`` on too many."""
        settings = self.settings
        try:
            return key_sets(self.classes, settings.max_key_set, settings.k_at_most, self.policy)
        except FaultyInputError as error:
            named = [fault.replace("max_size", "risk['max_key_set']") for fault in error.faults]
            raise FaultyInputError(named) from None

    @cached_property
    def intruders(self) -> dict[str, ReidentificationRisk]:
        """What each intruder of ``INTRUDERS`` achieves, by name."""
        settings, size = self.settings, None if self.population is None else self.population.size
        return intruders(
            self.classes, settings.threshold, self.policy, settings.alpha, size, settings.sampling_fraction
        )
