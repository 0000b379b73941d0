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

from Anonymization_Models import CountTable, mean_difference
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.generalisation.coarse_measures import CoarseMeasure
from disclosure_control.generalisation.missing_policies import POLICIES, MissingPolicy
from disclosure_control.generalisation.most_kept import most_kept
from disclosure_control.generalisation.nodes import Node, RollUp, cells_of_some
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS, SyntacticModel

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
# Distances that are a norm of the difference of two distributions: as far apart as the reference moves, they move.
NORMS = ("total_variation_t", "wasserstein_t", "mean_difference_t", "hierarchical_t")
# Measures that are convex in the shares of the values, and the entropy, which is concave.
CONVEX = (*NORMS, "ordered_t", "alpha_k", "basic_beta")
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
        """The model in the registry."""
        return MODELS[self.model]

    @cached_property
    def settings(self) -> dict[str, object]:
        """All parameters of the measure, those that were not given at their defaults."""
        return {**self.definition.defaults, **self.parameters}

    @cached_property
    def scale(self) -> float:
        """What rounding errors are relative to: the range of the values for a measure in their unit, else 1."""
        values = self.table.values[self.table.people_of_value > 0] if self.definition.in_units else np.empty(0)
        return float(np.ptp(values) or 1.0) if len(values) else 1.0

    def measure(self, table: CountTable, reference: np.ndarray) -> np.ndarray:
        """The model's measure of the classes of a table: (n_classes,), NaN where nobody has a value."""
        if not len(table.people) or not reference.any():
            return np.full(table.n_classes, np.nan)
        return self.definition.function(table, reference, self.settings)

    def fails(self, measure: np.ndarray) -> np.ndarray:
        """Which classes fail: (n_classes,) of bool; those in which nobody has a value do only under the l models."""
        fails = np.full(len(measure), not self.definition.needs_own_value)
        judged = ~np.isnan(measure)
        fails[judged] = ~self.definition.satisfies(measure[judged], self.threshold, self.scale)
        return fails

    @cached_property
    def passes_alone(self) -> np.ndarray:
        """Which combinations (n_combinations,) of the lattice pass by themselves, and so any class they are in does."""
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
        """Which classes fail whose measure is not below ``least_measure`` (n_classes,), but for rounding."""
        with np.errstate(invalid="ignore"):
            return least_measure > self.threshold + 1e-9 * max(self.scale, self.threshold)

    @cached_property
    def largest_measure(self) -> float:
        """The measure of the worst class that there can be: one whose people all have the same value."""
        of_value = self.table.people_of_value
        n_values = len(of_value)
        each = np.arange(n_values)
        alone = CountTable(each, each, np.ones(n_values, dtype=np.int64), self.table.values, n_values)
        return float(self.measure(alone, of_value)[of_value > 0].max(initial=0.0))

    def share_to_go(self, measure: np.ndarray, suppressed_rate: float) -> np.ndarray:
        """At least which share of a class must go until what is left of it, in one part or in many, passes.

        (n_classes,), 0 where nothing is known. ``suppressed_rate``: at most this share of all people with a value is
        no part of the reference any more; 0 where it stays as it is.

        Of a class C the parts R pass, the others S go: |C| m(C) <= |R| m(R) + |S| m(S) for a convex measure m, and so
        the share of S is at least (m(C) - threshold) / (largest m - threshold).
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
        """As ``share_to_go``, in people (n_classes,), from the cells of a table: much nearer to what really goes."""
        within = self.threshold + self._moved(suppressed_rate) + 1e-9 * max(self.scale, self.threshold)
        most = most_kept(self.model, self.settings, table, self.table.people_of_value, within)
        return np.zeros(table.n_classes) if most is None else table.people_of_class - most

    def _moved(self, suppressed_rate: float) -> float:
        """So far at most the reference moves: (everybody - kept) = share gone x (gone - kept)."""
        return suppressed_rate / (1.0 - suppressed_rate) * self.largest_measure if suppressed_rate else 0.0


# Of the sizes of the kept classes, smallest first, and what is left if the first 0, 1, 2, ... of them go.
RELEASE_MODELS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    # El Emam and Dankar 2008, doi:10.1197/jamia.M2716: classes per record, the average prosecutor risk.
    "average_risk": lambda sizes, n_left: (len(sizes) - np.arange(len(sizes) + 1)) / np.maximum(n_left, 1),
    # Records that are alone in their class, as a share of all.
    "sample_uniqueness": lambda sizes, n_left: (
        np.maximum((sizes == 1).sum() - np.arange(len(sizes) + 1), 0) / np.maximum(n_left, 1)
    ),
}


@dataclass(frozen=True)
class ReleaseModel:
    """A model of the whole release: ``name`` is one of ``RELEASE_MODELS``, a share that may be ``threshold`` at most.

    The smallest classes go until it is met, of equal ones those first whose values come first. Larger is riskier.
    """

    name: str
    threshold: float

    def n_to_go(self, sizes: np.ndarray) -> int:
        """How many of the classes go, given their sizes, smallest first."""
        n_left = sizes.sum() - np.concatenate([[0], np.cumsum(sizes)])
        return int(np.argmax(RELEASE_MODELS[self.name](sizes, n_left) <= self.threshold * (1 + 1e-12)))


@dataclass(frozen=True)
class Requirements:
    """``k``, further ``criteria``, and the largest share of records that may be suppressed (0 to 1).

    ``reference``: t compares a class with "everybody" who is evaluated, suppressed or not, as ARX does; or with those
    who are "kept", as an assessment of the released records will. ``missing_qis``: the policy for missing
    quasi-identifiers; shares are of those whom it evaluates once they are recoded. ``keeps_somebody``: to suppress all
    of these is not allowed, nor to evaluate nobody.
    """

    k: int
    criteria: tuple[Criterion, ...] = ()
    suppression_limit: float = 0.0
    reference: str = "everybody"
    of_release: tuple[ReleaseModel, ...] = ()
    missing_qis: str = "category"
    keeps_somebody: bool = False

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
        faults += [
            f"model {one.name!r} is unknown; allowed: {', '.join(RELEASE_MODELS)}"
            for one in self.of_release
            if one.name not in RELEASE_MODELS
        ]
        if self.of_release and self.reference == "kept":
            faults.append('of_release goes with reference "everybody" only; found "kept"')
        if self.missing_qis not in POLICIES:
            faults.append(f"missing_qis is {self.missing_qis!r}; allowed: {', '.join(POLICIES)}")
        elif self.missing_qis != "category" and self.reference != "kept":
            faults.append(f'missing_qis {self.missing_qis!r} goes with reference "kept" only; found {self.reference!r}')
        if faults:
            raise FaultyInputError(faults)

    @property
    def policy(self) -> MissingPolicy:
        return POLICIES[self.missing_qis]

    def n_evaluated(self, node: Node) -> int:
        outside = self.policy.outside(node)
        return node.lattice.n_people - (0 if outside is None else int(node.size[outside].sum()))

    def most_suppressed(self, node: Node) -> int:
        """How many people of a transformation may be suppressed; below 0 where none will do."""
        n_evaluated = self.n_evaluated(node)
        most = math.floor(self.suppression_limit * n_evaluated + 1e-9)
        return min(most, n_evaluated - 1) if self.keeps_somebody else most

    @cached_property
    def of_any_union(self) -> tuple[Criterion, ...]:
        """Criteria that fail fewer people the coarser the transformation is."""
        return tuple(one for one in self.criteria if one.model in STAYS_MET_BY_ANY_UNION)

    @cached_property
    def others(self) -> tuple[Criterion, ...]:
        """The criteria that a coarser transformation may fail more people of."""
        return tuple(one for one in self.criteria if one.model not in STAYS_MET_BY_ANY_UNION)

    @cached_property
    def is_monotone_without_suppression(self) -> bool:
        """Whether, where nothing needs suppression, nothing does in any coarser transformation either."""
        return all(criterion.model in STAYS_MET_BY_UNION_OF_MET for criterion in self.criteria)

    def surely_suppressed(self, node: Node, roll_up: RollUp) -> np.ndarray:
        """Classes (n_classes,) whose people are suppressed here and in every transformation of ``policy.finer``."""
        outside, alike = self.policy.outside(node), self.policy.alike(node)
        suppressed = alike(outside) < self.k
        if outside is not None:
            suppressed |= outside
        for criterion in self.of_any_union:
            if not suppressed.all():
                suppressed = suppressed | criterion.fails_by_any_union(node, roll_up, ~suppressed)
        if self.policy.cascades:
            suppressed = self._until_nobody_has_too_few(alike, suppressed)
        return suppressed if outside is None else suppressed & ~outside

    def _until_nobody_has_too_few(self, alike: Callable[[np.ndarray], np.ndarray], gone: np.ndarray) -> np.ndarray:
        """Classes gone, once those went who are alike to fewer than k of the rest, and again."""
        n_gone = -1
        while n_gone < gone.sum():
            n_gone = gone.sum()
            gone = gone | (alike(gone) < self.k)
        return gone

    def judged(
        self, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Callable[[np.ndarray], bool] = lambda _: False
    ) -> Judgement:
        """Who is suppressed, given the classes that surely are.

        ``enough``: told of the classes found so far, whether the others are of no interest any more.
        """
        way = self._judged_by_kept if self.reference == "kept" else self._judged_by_everybody
        found = way(node, roll_up, surely, enough)
        if not self.of_release or enough(found.suppressed):
            return found
        kept = np.flatnonzero(~found.suppressed)
        kept = kept[np.argsort(node.size[kept], kind="stable")]
        n_to_go = max(one.n_to_go(node.size[kept]) for one in self.of_release)
        if not n_to_go:
            return found
        suppressed = found.suppressed.copy()
        suppressed[kept[:n_to_go]] = True
        return Judgement(suppressed, found.at_least)

    def _judged_by_everybody(
        self, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Callable[[np.ndarray], bool]
    ) -> Judgement:
        suppressed, at_least = surely, np.zeros(node.n_classes)
        for criterion in self.others:
            if suppressed.all() or enough(suppressed):
                break
            coarse = criterion.coarse_measure
            if coarse is not None:
                measure, people = coarse.of_classes(node)
                fails = criterion.surely_fails(measure) & ~surely
                if enough(suppressed | fails):
                    at_least = np.maximum(at_least, _to_go(criterion, measure, fails, people))
                    suppressed = suppressed | fails
                    break
            table = _of_kept(roll_up.cells(node, criterion.table), surely)
            measure = criterion.measure(table, criterion.table.people_of_value)
            fails = criterion.fails(measure)
            at_least = np.maximum(at_least, _to_go(criterion, measure, fails, table.people_of_class))
            at_least = np.maximum(at_least, criterion.to_go(table, 0.0))
            suppressed = suppressed | fails
        return Judgement(suppressed, np.where(surely, 0.0, at_least))

    def _judged_by_kept(
        self, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Callable[[np.ndarray], bool]
    ) -> Judgement:
        """As the treatment ``suppress_records`` does it: first what fails l, then what fails k or t among those who are
        left, again and again, because everybody changes with each class that goes. Classes that are not evaluated are
        gone from the start.
        """
        outside, alike = self.policy.outside(node), self.policy.alike(node)
        gone, at_least = np.zeros(node.n_classes, dtype=bool) if outside is None else outside, np.zeros(node.n_classes)

        def evaluated(classes: np.ndarray) -> np.ndarray:
            return classes if outside is None else classes & ~outside

        comparing = [criterion for criterion in self.criteria if criterion.definition.needs_own_value]
        for criterion in self.criteria:
            if criterion.definition.needs_own_value:
                continue
            if criterion in self.of_any_union:
                gone = gone | criterion.fails_by_any_union(node, roll_up, ~gone)
                continue
            table = _of_kept(roll_up.cells(node, criterion.table), gone)
            measure = criterion.measure(table, criterion.table.people_of_value)
            fails = criterion.fails(measure)
            at_least = np.maximum(at_least, _to_go(criterion, measure, fails, table.people_of_class))
            gone = gone | fails
        if not comparing:  # then the order in which classes go does not matter
            gone = gone | surely
            gone = self._until_nobody_has_too_few(alike, gone) if self.policy.cascades else gone
            return Judgement(evaluated(gone), np.where(surely, 0.0, at_least))
        found = gone | (alike(gone) < self.k)

        def are_enough() -> bool:
            suppressed = surely | found
            return bool(suppressed.all()) or enough(evaluated(suppressed))

        for criterion in comparing:  # those who surely fail are found in the first round anyway
            if criterion.coarse_measure is not None and not are_enough():
                found = found | criterion.surely_fails(criterion.coarse_measure.of_classes(node, gone)[0])
        if outside is None and not are_enough():
            for criterion in comparing:
                at_least = np.maximum(at_least, self._to_go_by_kept(criterion, roll_up, node, surely))
        while not are_enough():
            for criterion in comparing:
                table = roll_up.cells(node, criterion.table)
                measure = criterion.measure(_of_kept(table, found), _without(criterion.table, table, gone))
                found = found | criterion.fails(measure)
            if (found == gone).all():
                break
            gone, found = found, found | (alike(found) < self.k)
        return Judgement(evaluated(surely | found), np.where(surely, 0.0, at_least))

    def _to_go_by_kept(self, criterion: Criterion, roll_up: RollUp, node: Node, surely: np.ndarray) -> np.ndarray:
        """As ``share_to_go``, in people, where the reference is those who are kept, whoever that will be."""
        of_value = criterion.table.people_of_value
        rate = min(1.0, max(self.most_suppressed(node), 0) / max(of_value.sum(), 1))
        if rate and (criterion.model not in NORMS or rate == 1):
            return np.zeros(node.n_classes)
        if criterion.coarse_measure is not None:
            measure, people = criterion.coarse_measure.of_classes(node)
        else:
            table = _of_kept(roll_up.cells(node, criterion.table), surely)
            measure, people = criterion.measure(table, of_value), table.people_of_class
            return np.maximum(criterion.share_to_go(measure, rate) * people, criterion.to_go(table, rate))
        return criterion.share_to_go(measure, rate) * people


@dataclass(frozen=True)
class Judgement:
    """Which classes (n_classes,) of a transformation are suppressed, and how many people of each class surely are in
    every one of ``policy.finer`` that is allowed: ``at_least`` (n_classes,), besides the classes that go as a whole.
    """

    suppressed: np.ndarray
    at_least: np.ndarray


def _to_go(criterion: Criterion, measure: np.ndarray, fails: np.ndarray, people: np.ndarray) -> np.ndarray:
    """At least how many people of each class (n_classes,) go in every finer transformation, the reference being fixed.

    ``people`` (n_classes,) have a value.
    """
    people = criterion.share_to_go(measure, 0.0) * people
    if criterion.model in STAYS_MET_BY_UNION_OF_MET:  # if finer classes all passed, this one would as well
        people = np.maximum(people, fails & ~np.isnan(measure))
    return people


def _of_kept(table: CountTable, suppressed: np.ndarray) -> CountTable:
    """The table without the cells of suppressed classes."""
    kept = ~suppressed[table.class_of_cell]
    if kept.all():
        return table
    cells = (table.class_of_cell[kept], table.value_of_cell[kept], table.people[kept])
    return CountTable(*cells, table.values, table.n_classes)


def _without(of_all: CountTable, table: CountTable, gone: np.ndarray) -> np.ndarray:
    """People per value (n_values,) of a table, the classes ``gone`` left out."""
    if not gone.any():
        return of_all.people_of_value
    counted = ~gone[table.class_of_cell]
    return np.bincount(table.value_of_cell[counted], table.people[counted], len(table.values))
