"""Which classes of a transformation are suppressed, and who is surely suppressed in every finer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.remedy.recodings.criteria import (
    NORMS,
    STAYS_MET_BY_ANY_UNION,
    STAYS_MET_BY_UNION_OF_MET,
    Criterion,
)
from disclosure_control.remedy.recodings.nodes import Node, RollUp
from disclosure_control.remedy.recodings.requirements import Requirements

Enough = Callable[[np.ndarray], bool]


@dataclass(frozen=True)
class Judgement:
    """Which classes (n_classes,) of a transformation are suppressed, and ``at_least`` (n_classes,): besides these
    classes, how many people of each class are surely suppressed in every allowed transformation of ``policy.finer``.
    """

    suppressed: np.ndarray
    at_least: np.ndarray


def judge(
    requirements: Requirements, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Enough = lambda _: False
) -> Judgement:
    """Who is suppressed, given the classes that surely are: ``surely`` (n_classes,), see ``surely_suppressed``.

    ``enough`` is called with the classes found so far; if it returns True, the search for others ends.
    """
    judging = _ByKept if requirements.reference == "kept" else _ByEverybody
    found = judging(requirements, node, roll_up, surely, enough).judgement()
    if not requirements.of_release or enough(found.suppressed):
        return found
    kept = np.flatnonzero(~found.suppressed)
    kept = kept[np.argsort(node.size[kept], kind="stable")]
    suppressed = found.suppressed.copy()
    suppressed[kept[: max(one.n_to_go(node.size[kept]) for one in requirements.of_release)]] = True
    return Judgement(suppressed, found.at_least)


@dataclass(frozen=True)
class _Judging:
    requirements: Requirements
    node: Node
    roll_up: RollUp
    surely: np.ndarray
    enough: Enough

    def table_of_kept(self, criterion: Criterion, suppressed: np.ndarray) -> CountTable:
        """The counts of a criterion without the cells of suppressed classes."""
        return _without(self.roll_up.cells(self.node, criterion.table), suppressed)

    def fails(self, criterion: Criterion, suppressed: np.ndarray) -> tuple[np.ndarray, np.ndarray, CountTable]:
        """Which kept classes fail, how many people of each are surely suppressed, and the counts; against everyone."""
        table = self.table_of_kept(criterion, suppressed)
        measure = criterion.measure(table, criterion.table.people_of_value)
        fails = criterion.fails(measure)
        return fails, _to_go(criterion, measure, fails, table.people_of_class), table


@dataclass(frozen=True)
class _ByEverybody(_Judging):
    """t compares a class with everyone, suppressed or not, so one look at each criterion is enough."""

    def judgement(self) -> Judgement:
        suppressed, at_least = self.surely, np.zeros(self.node.n_classes)
        for criterion in self.requirements.others:
            if suppressed.all() or self.enough(suppressed):
                break
            if criterion.coarse_measure is not None:
                measure, people = criterion.coarse_measure.of_classes(self.node)
                fails = criterion.surely_fails(measure) & ~self.surely
                if self.enough(suppressed | fails):
                    at_least = np.maximum(at_least, _to_go(criterion, measure, fails, people))
                    suppressed = suppressed | fails
                    break
            fails, n_to_go, table = self.fails(criterion, self.surely)
            at_least = np.maximum.reduce([at_least, n_to_go, criterion.to_go(table, 0.0)])
            suppressed = suppressed | fails
        return Judgement(suppressed, np.where(self.surely, 0.0, at_least))


@dataclass(frozen=True)
class _ByKept(_Judging):
    """t compares a class with those who are kept, as the treatment ``suppress_records`` does.

    Classes that fail l are suppressed first, then repeatedly those that fail k or t among the rest, because the
    reference changes with each suppressed class. Classes that are not evaluated are left out from the start.
    """

    @cached_property
    def outside(self) -> np.ndarray | None:
        """The classes that the policy for missing values does not evaluate; None if it evaluates all."""
        return self.requirements.policy.outside(self.node)

    @cached_property
    def alike(self) -> Callable[[np.ndarray | None], np.ndarray]:
        """How many of the people left are alike to each class, given the classes that are gone."""
        return self.requirements.policy.alike(self.node)

    @cached_property
    def comparing(self) -> list[Criterion]:
        """The criteria that compare a class with the reference."""
        return [one for one in self.requirements.criteria if one.definition.needs_own_value]

    def judgement(self) -> Judgement:
        gone, at_least = self._failing_by_own_values()
        if not self.comparing:  # then the order in which classes go does not matter
            gone = gone | self.surely
            if self.requirements.policy.cascades:
                gone = self.requirements.until_nobody_has_too_few(self.alike, gone)
            return self._judgement(gone, at_least)
        found = self._surely_failing(gone, self._with_too_few(gone))
        if self.outside is None and not self._are_enough(found):
            at_least = np.maximum.reduce([at_least, *map(self._surely_to_go, self.comparing)])
        return self._judgement(self.surely | self._until_no_more_fail(gone, found), at_least)

    def _judgement(self, gone: np.ndarray, at_least: np.ndarray) -> Judgement:
        return Judgement(self._evaluated(gone), np.where(self.surely, 0.0, at_least))

    def _evaluated(self, classes: np.ndarray) -> np.ndarray:
        return classes if self.outside is None else classes & ~self.outside

    def _with_too_few(self, gone: np.ndarray) -> np.ndarray:
        return gone | (self.alike(gone) < self.requirements.k)

    def _are_enough(self, found: np.ndarray) -> bool:
        suppressed = self.surely | found
        return bool(suppressed.all()) or self.enough(self._evaluated(suppressed))

    def _failing_by_own_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Classes that are not evaluated or fail l, and how many people of each class are surely suppressed for l."""
        n_classes = self.node.n_classes
        gone = np.zeros(n_classes, dtype=bool) if self.outside is None else self.outside
        at_least = np.zeros(n_classes)
        for criterion in self.requirements.criteria:
            if criterion.definition.needs_own_value:
                continue
            if criterion.model in STAYS_MET_BY_ANY_UNION:
                gone = gone | criterion.fails_by_any_union(self.node, self.roll_up, ~gone)
            else:
                fails, n_to_go, _ = self.fails(criterion, gone)
                at_least = np.maximum(at_least, n_to_go)
                gone = gone | fails
        return gone, at_least

    def _surely_failing(self, gone: np.ndarray, found: np.ndarray) -> np.ndarray:
        """``found``, and the classes that the first round would find anyway, by a cheap bound of the measure."""
        for criterion in self.comparing:
            if criterion.coarse_measure is not None and not self._are_enough(found):
                found = found | criterion.surely_fails(criterion.coarse_measure.of_classes(self.node, gone)[0])
        return found

    def _until_no_more_fail(self, gone: np.ndarray, found: np.ndarray) -> np.ndarray:
        """The classes suppressed once no class left fails k or t, or once they are enough."""
        against_kept = [AgainstKept(one, self.roll_up.cells(self.node, one.table)) for one in self.comparing]
        while not self._are_enough(found):
            for one in against_kept:
                found = found | one.fails(gone, found)
            if (found == gone).all():
                break
            gone, found = found, self._with_too_few(found)
        return found

    def _surely_to_go(self, criterion: Criterion) -> np.ndarray:
        """As ``share_to_go``, in people, for any reference of people kept."""
        of_value = criterion.table.people_of_value
        rate = min(1.0, max(self.requirements.most_suppressed(self.node), 0) / max(of_value.sum(), 1))
        if rate and (criterion.model not in NORMS or rate == 1):
            return np.zeros(self.node.n_classes)
        if criterion.coarse_measure is not None:
            measure, people = criterion.coarse_measure.of_classes(self.node)
            return criterion.share_to_go(measure, rate) * people
        table = self.table_of_kept(criterion, self.surely)
        share = criterion.share_to_go(criterion.measure(table, of_value), rate)
        return np.maximum(share * table.people_of_class, criterion.to_go(table, rate))


class AgainstKept:
    """Which classes of a ``table`` fail a criterion that compares them with those who are kept, round after round.

    A distance that is a norm changes by at most as far as the reference moved: d(p, r) - d(r, s) <= d(p, s) <= d(p, r)
    + d(r, s). So after the first round only classes near the threshold are measured again.
    """

    def __init__(self, criterion: Criterion, table: CountTable):
        self.criterion, self.table = criterion, table
        self.first: tuple[np.ndarray, np.ndarray] | None = None  # the measure, and its reference

    def fails(self, gone: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Which classes (n_classes,) fail, where those ``gone`` are not kept; those ``found`` need no answer."""
        of_kept = self.table.people_of_value
        if gone.any():
            cells = gone[self.table.class_of_cell]
            of_gone = np.bincount(self.table.value_of_cell[cells], self.table.people[cells], len(of_kept))
            of_kept = of_kept - of_gone
        asked = ~found if self.first is None else self._near_the_threshold(of_kept) & ~found
        measure = self.criterion.measure(_without(self.table, ~asked), of_kept)
        if self.first is None:
            if self.criterion.model in NORMS:
                self.first = measure, of_kept
            return self.criterion.fails(measure)
        return self.criterion.fails(np.where(asked, measure, self.first[0]))

    def _near_the_threshold(self, of_kept: np.ndarray) -> np.ndarray:
        """The classes (n_classes,) whose first measure does not show whether they fail against other people."""
        assert self.first is not None
        measure, of_first = self.first
        criterion, occur = self.criterion, np.flatnonzero(of_kept)
        everybody = CountTable(np.zeros_like(occur), occur, of_kept[occur], self.table.values, 1)
        (moved,) = criterion.measure(everybody, of_first)
        if np.isnan(moved):  # nobody is left to compare with
            return np.ones(len(measure), dtype=bool)
        rounding = 1e-6 * max(criterion.scale, abs(criterion.threshold))
        with np.errstate(invalid="ignore"):
            near: np.ndarray = np.abs(measure - criterion.threshold) <= moved + rounding
        return near


def _to_go(criterion: Criterion, measure: np.ndarray, fails: np.ndarray, people: np.ndarray) -> np.ndarray:
    """The least number of people of each class (n_classes,) suppressed in every finer transformation; fixed reference.

    ``people`` (n_classes,) have a value.
    """
    people = criterion.share_to_go(measure, 0.0) * people
    if criterion.model in STAYS_MET_BY_UNION_OF_MET:  # if all finer classes passed, this one would as well
        people = np.maximum(people, fails & ~np.isnan(measure))
    return people


def _without(table: CountTable, suppressed: np.ndarray) -> CountTable:
    kept = ~suppressed[table.class_of_cell]
    if kept.all():
        return table
    cells = (table.class_of_cell[kept], table.value_of_cell[kept], table.people[kept])
    return CountTable(*cells, table.values, table.n_classes)
