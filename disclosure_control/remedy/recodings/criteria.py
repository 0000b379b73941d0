"""One model of one sensitive feature: which classes fail it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable, mean_difference
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS, SyntacticModel
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
        """The scale of rounding errors of the measure."""
        return self.definition.scale(self.table)

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
