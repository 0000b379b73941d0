"""What a transformation has to meet: k, models of sensitive values, and how many records may be suppressed for it.

A record is suppressed with its whole class, where the class fails any model. So a transformation meets every model as
soon as few enough records are in classes that fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.generalisation.criteria import (
    MODELS,
    NORMS,
    STAYS_MET_BY_ANY_UNION,
    STAYS_MET_BY_UNION_OF_MET,
    Criterion,
)
from disclosure_control.generalisation.missing_policies import POLICIES, MissingPolicy
from disclosure_control.generalisation.nodes import Node, RollUp

REFERENCES = ("everybody", "kept")

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
