"""One model of one sensitive feature: which classes fail it, and how many people must at least be suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable, mean_difference
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS, SyntacticModel
from disclosure_control.remedy.recodings.coarse_measures import CoarseMeasure
from disclosure_control.remedy.recodings.most_kept import most_kept
from disclosure_control.remedy.recodings.nodes import Node, RollUp, cells_of_some

# The config's t accepts one distance more than the registry of models.
_MEAN_DIFFERENCE = SyntacticModel(
    "mean_difference_t",
    lambda table, reference, parameters: mean_difference(table, reference),
    "from 0 to the range of the values, in their unit",
    "older reports of this service",
    "larger",
    "at_most",
    needs="numbers",
    in_units=True,
)
MODELS: dict[str, SyntacticModel] = {**SYNTACTIC_MODELS, _MEAN_DIFFERENCE.name: _MEAN_DIFFERENCE}

# A class that contains a passing class passes, so coarser transformations never suppress more.
STAYS_MET_BY_ANY_UNION = ("distinct_l",)
# Passing classes still pass when they are joined: the measures are concave or convex in the shares of the values.
STAYS_MET_BY_UNION_OF_MET = (
    "distinct_l",
    "entropy_l",
    "recursive_l",
    "alpha_k",
    "total_variation_t",
    "ordered_t",
    "wasserstein_t",
    "mean_difference_t",
    "hierarchical_t",
    "basic_beta",
    "enhanced_beta",
)
# Distances that are a norm of the difference of two distributions change by at most as much as the reference moves.
NORMS = ("total_variation_t", "wasserstein_t", "mean_difference_t", "hierarchical_t")
# Measures that are convex in the shares of the values, and the entropy, which is concave.
CONVEX = (*NORMS, "ordered_t", "alpha_k", "basic_beta")


@dataclass(frozen=True)
class Criterion:
    """One model of one sensitive feature: ``model`` is a name of ``MODELS``, ``table`` counts the people of
    each combination of the lattice by sensitive value.

    A class in which nobody has a value fails the l models, as in ``run_l_diversity``; the other models skip it.
    """

    model: str
    sensitive: str
    threshold: float
    table: CountTable
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def definition(self) -> SyntacticModel:
        return MODELS[self.model]

    @cached_property
    def settings(self) -> dict[str, object]:
        """All parameters of the measure, with defaults for those that were not given."""
        return {**self.definition.defaults, **self.parameters}

    @cached_property
    def scale(self) -> float:
        """The scale of rounding errors: the range of the values for a measure in their unit, else 1."""
        values = self.table.values[self.table.people_of_value > 0] if self.definition.in_units else np.empty(0)
        return float(np.ptp(values) or 1.0) if len(values) else 1.0

    def measure(self, table: CountTable, reference: np.ndarray) -> np.ndarray:
        """The model's measure of the classes of a table: (n_classes,), NaN where nobody has a value."""
        if not len(table.people) or not reference.any():
            return np.full(table.n_classes, np.nan)
        return self.definition.function(table, reference, self.settings)

    def fails(self, measure: np.ndarray) -> np.ndarray:
        """Which classes fail: (n_classes,) of bool. A class in which nobody has a value fails the l models only."""
        fails = np.full(len(measure), not self.definition.needs_own_value)
        judged = ~np.isnan(measure)
        fails[judged] = ~self.definition.satisfies(measure[judged], self.threshold, self.scale)
        return fails

    @cached_property
    def passes_alone(self) -> np.ndarray:
        """Which combinations (n_combinations,) pass alone, so that every class that contains them passes."""
        return ~self.fails(self.measure(self.table, self.table.people_of_value))

    def fails_by_any_union(self, node: Node, roll_up: RollUp, asked: np.ndarray) -> np.ndarray:
        """Which of the classes ``asked`` (n_classes,) fail, where a class passes if one of its combinations does."""
        open_yet = asked.copy()
        open_yet[node.class_of_combination[self.passes_alone]] = False
        if not open_yet.any():
            return open_yet
        if node.size[open_yet].sum() > node.lattice.n_people / 4:
            table = roll_up.cells(node, self.table)
        else:
            table = cells_of_some(node, self.table, open_yet)
        return self.fails(self.measure(table, self.table.people_of_value)) & open_yet

    @cached_property
    def coarse_measure(self) -> CoarseMeasure | None:
        """A cheap lower bound of the measure; None where the model has none."""
        return CoarseMeasure.of(self.model, self.table)

    def surely_fails(self, least_measure: np.ndarray) -> np.ndarray:
        """Which classes surely fail, given a lower bound of their measure (n_classes,), up to rounding."""
        with np.errstate(invalid="ignore"):
            return least_measure > self.threshold + 1e-9 * max(self.scale, self.threshold)

    @cached_property
    def largest_measure(self) -> float:
        """The measure of the worst possible class, in which everyone has the same value."""
        of_value = self.table.people_of_value
        n_values = len(of_value)
        each = np.arange(n_values)
        alone = CountTable(each, each, np.ones(n_values, dtype=np.int64), self.table.values, n_values)
        return float(self.measure(alone, of_value)[of_value > 0].max(initial=0.0))

    def share_to_go(self, measure: np.ndarray, suppressed_rate: float) -> np.ndarray:
        """The least share of a class that must be suppressed until the rest passes, in one part or in several.

        (n_classes,), 0 where no bound is known. ``suppressed_rate``: at most this share of all people with a value has
        left the reference; 0 where the reference is fixed.

        In a class C the parts R pass and the others S are suppressed: |C| m(C) <= |R| m(R) + |S| m(S) for a convex
        measure m, so the share of S is at least (m(C) - threshold) / (largest m - threshold).
        """
        name = self.model
        if name == "entropy_l" and self.threshold > 1 + 1e-6:
            share = 1.0 - np.log(measure) / np.log(self.threshold * (1 - 1e-9))
        elif name in CONVEX and (suppressed_rate == 0 or name in NORMS) and suppressed_rate < 1:
            worst = self.largest_measure
            within = self.threshold + self._moved(suppressed_rate) + 1e-9 * max(self.scale, self.threshold)
            share = (measure - within) / (worst - within) if within < worst else np.zeros(len(measure))
        else:
            share = np.zeros(len(measure))
        return np.clip(np.nan_to_num(share) * (1 - 1e-9), 0.0, 1.0)

    def to_go(self, table: CountTable, suppressed_rate: float) -> np.ndarray:
        """As ``share_to_go``, in people (n_classes,), from the cells of a table: a much closer bound."""
        within = self.threshold + self._moved(suppressed_rate) + 1e-9 * max(self.scale, self.threshold)
        most = most_kept(self.model, self.settings, table, self.table.people_of_value, within)
        return np.zeros(table.n_classes) if most is None else table.people_of_class - most

    def _moved(self, suppressed_rate: float) -> float:
        """How far the reference can move: (everybody - kept) = share gone x (gone - kept)."""
        return suppressed_rate / (1.0 - suppressed_rate) * self.largest_measure if suppressed_rate else 0.0
