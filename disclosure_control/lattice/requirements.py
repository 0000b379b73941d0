"""What a transformation has to meet: k, models of sensitive values, and how many records may be suppressed for it.

A record is suppressed with its whole class, where the class fails any model. So a transformation meets every model as
soon as few enough records are in classes that fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable, FaultyInputError, mean_difference
from disclosure_control.lattice.nodes import Node, RollUp
from disclosure_control.syntactic_models import SYNTACTIC_MODELS, SyntacticModel

# The config's t knows one distance more than the registry of models.
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

# A class that takes in one which passes, passes: then coarser transformations never suppress more.
STAYS_MET_BY_ANY_UNION = ("distinct_l",)
# Classes that all pass stay so when they are joined: the measures are concave or convex in the shares of the values.
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
REFERENCES = ("everybody", "kept")


@dataclass(frozen=True)
class Criterion:
    """One model of one sensitive feature: ``model`` is a name of ``MODELS``, ``table`` counts the people of
    each combination of the lattice by sensitive value.

    A class in which nobody has a value fails the l models, as in ``run_l_diversity``, and is not judged by the others.
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
        return {**self.definition.defaults, **self.parameters}

    @cached_property
    def scale(self) -> float:
        """What rounding errors are relative to: the range of the values for a measure in their unit, else 1."""
        values = self.table.values[self.table.people_of_value > 0] if self.definition.in_units else np.empty(0)
        return float(np.ptp(values) or 1.0) if len(values) else 1.0

    def fails(self, table: CountTable, reference: np.ndarray) -> np.ndarray:
        """Which classes of a table fail: (n_classes,) of bool; those without a cell do only under the l models."""
        fails = np.full(table.n_classes, not self.definition.needs_own_value)
        if not len(table.people) or not reference.any():
            return fails
        measure = self.definition.function(table, reference, self.settings)
        judged = ~np.isnan(measure)
        fails[judged] = ~self.definition.satisfies(measure[judged], self.threshold, self.scale)
        return fails


@dataclass(frozen=True)
class Requirements:
    """``k``, further ``criteria``, and the largest share of records that may be suppressed (0 to 1).

    ``reference``: t compares a class with "everybody" who is evaluated, suppressed or not, as ARX does; or with those
    who are "kept", as an assessment of the released records will.
    """

    k: int
    criteria: tuple[Criterion, ...] = ()
    suppression_limit: float = 0.0
    reference: str = "everybody"

    def __post_init__(self):
        faults = []
        if not 0 <= self.suppression_limit <= 1:
            faults.append(f"suppression_limit is {self.suppression_limit!r}; allowed: a share from 0 to 1")
        if self.reference not in REFERENCES:
            faults.append(f"reference is {self.reference!r}; allowed: {', '.join(REFERENCES)}")
        faults += [
            f"model {criterion.model!r} is unknown; allowed: {', '.join(MODELS)}"
            for criterion in self.criteria
            if criterion.model not in MODELS
        ]
        if faults:
            raise FaultyInputError(faults)

    def most_suppressed(self, n_people: int) -> int:
        return math.floor(self.suppression_limit * n_people + 1e-9)

    @cached_property
    def of_any_union(self) -> tuple[Criterion, ...]:
        """Criteria that fail fewer people the coarser the transformation is."""
        return tuple(one for one in self.criteria if one.model in STAYS_MET_BY_ANY_UNION)

    @cached_property
    def others(self) -> tuple[Criterion, ...]:
        return tuple(one for one in self.criteria if one.model not in STAYS_MET_BY_ANY_UNION)

    @cached_property
    def is_monotone_without_suppression(self) -> bool:
        """Whether, where nothing needs suppression, nothing does in any coarser transformation either."""
        return all(criterion.model in STAYS_MET_BY_UNION_OF_MET for criterion in self.criteria)

    def surely_suppressed(self, node: Node, roll_up: RollUp) -> np.ndarray:
        """Classes (n_classes,) whose people are suppressed here and in every finer transformation."""
        suppressed = node.size < self.k
        for criterion in self.of_any_union:
            if not suppressed.all():
                suppressed = suppressed | self._fails(criterion, roll_up.cells(node, criterion.table), suppressed)
        return suppressed

    def suppressed(
        self, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Callable[[np.ndarray], bool] = lambda _: False
    ) -> np.ndarray:
        """All classes that are suppressed, given those that surely are: (n_classes,) of bool.

        ``enough``: told of those found so far, whether the others are of no interest any more.
        """
        if self.reference == "kept":
            return self._suppressed_of_kept(node, roll_up, surely, enough)
        suppressed = surely
        for criterion in self.others:
            if suppressed.all() or enough(suppressed):
                return suppressed
            suppressed = suppressed | self._fails(criterion, roll_up.cells(node, criterion.table), suppressed)
        return suppressed

    def _suppressed_of_kept(
        self, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Callable[[np.ndarray], bool]
    ) -> np.ndarray:
        """As the treatment ``suppress_records`` does it: first what fails l, then what fails k or t among those who are
        left, again and again, because everybody changes with each class that goes.
        """
        by_l = np.zeros(node.n_classes, dtype=bool)
        for criterion in self.criteria:
            if not criterion.definition.needs_own_value:
                by_l |= self._fails(criterion, roll_up.cells(node, criterion.table), by_l)
        comparing = [criterion for criterion in self.criteria if criterion.definition.needs_own_value]
        gone, suppressed = by_l, surely | by_l
        while comparing and not suppressed.all() and not enough(suppressed):
            found = suppressed
            for criterion in comparing:
                table = roll_up.cells(node, criterion.table)
                found = found | self._fails(criterion, table, suppressed, gone)
            if (found == gone).all():
                break
            gone = suppressed = found
        return suppressed

    @staticmethod
    def _fails(
        criterion: Criterion, table: CountTable, suppressed: np.ndarray, gone: np.ndarray | None = None
    ) -> np.ndarray:
        """Which classes fail of those not yet ``suppressed``; people of the classes ``gone`` are no reference."""
        reference = criterion.table.people_of_value
        if gone is not None and gone.any():
            counted = ~gone[table.class_of_cell]
            reference = np.bincount(table.value_of_cell[counted], table.people[counted], len(table.values))
        kept = ~suppressed[table.class_of_cell]
        if not kept.all():
            cells = (table.class_of_cell[kept], table.value_of_cell[kept], table.people[kept])
            table = CountTable(*cells, table.values, table.n_classes)
        return criterion.fails(table, reference) & ~suppressed
