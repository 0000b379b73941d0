"""Which classes of a transformation are suppressed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.remedy.recodings.criteria import (
    STAYS_MET_BY_ANY_UNION,
    Criterion,
)
from disclosure_control.remedy.recodings.nodes import Node, RollUp
from disclosure_control.remedy.recodings.requirements import Requirements

Enough = Callable[[np.ndarray], bool]


def judge(
    requirements: Requirements, node: Node, roll_up: RollUp, surely: np.ndarray, enough: Enough = lambda _: False
) -> np.ndarray:
    """Which classes (n_classes,) are suppressed, given those that surely are: see ``surely_suppressed``.

    ``enough`` is called with the classes found so far; if it returns True, the search for others ends.
    """
    judging = _ByKept if requirements.reference == "kept" else _ByEverybody
    return judging(requirements, node, roll_up, surely, enough).suppressed()


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

    def fails(self, criterion: Criterion, suppressed: np.ndarray) -> np.ndarray:
        """Which kept classes fail, against everyone."""
        return criterion.fails(
            criterion.measure(self.table_of_kept(criterion, suppressed), criterion.table.people_of_value)
        )


@dataclass(frozen=True)
class _ByEverybody(_Judging):
    """t compares a class with everyone, suppressed or not, so one look at each criterion is enough."""

    def suppressed(self) -> np.ndarray:
        suppressed = self.surely
        for criterion in self.requirements.others:
            if suppressed.all() or self.enough(suppressed):
                break
            suppressed = suppressed | self.fails(criterion, self.surely)
        return suppressed


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

    def suppressed(self) -> np.ndarray:
        gone = self._failing_by_own_values()
        if not self.comparing:  # then the order in which classes go does not matter
            gone = gone | self.surely
            if self.requirements.policy.cascades:
                gone = self.requirements.until_nobody_has_too_few(self.alike, gone)
            return self._evaluated(gone)
        return self._evaluated(self.surely | self._until_no_more_fail(gone, self._with_too_few(gone)))

    def _evaluated(self, classes: np.ndarray) -> np.ndarray:
        return classes if self.outside is None else classes & ~self.outside

    def _with_too_few(self, gone: np.ndarray) -> np.ndarray:
        return gone | (self.alike(gone) < self.requirements.k)

    def _are_enough(self, found: np.ndarray) -> bool:
        suppressed = self.surely | found
        return bool(suppressed.all()) or self.enough(self._evaluated(suppressed))

    def _failing_by_own_values(self) -> np.ndarray:
        """Classes that are not evaluated or fail l."""
        gone = np.zeros(self.node.n_classes, dtype=bool) if self.outside is None else self.outside
        for criterion in self.requirements.criteria:
            if criterion.definition.needs_own_value:
                continue
            if criterion.model in STAYS_MET_BY_ANY_UNION:
                gone = gone | criterion.fails_by_any_union(self.node, self.roll_up, ~gone)
            else:
                gone = gone | self.fails(criterion, gone)
        return gone

    def _until_no_more_fail(self, gone: np.ndarray, found: np.ndarray) -> np.ndarray:
        """The classes suppressed once no class left fails k or t, or once they are enough."""
        while not self._are_enough(found):
            for one in self.comparing:
                table = self.table_of_kept(one, gone)
                found = found | one.fails(one.measure(table, table.people_of_value))
            if (found == gone).all():
                break
            gone, found = found, self._with_too_few(found)
        return found


def _without(table: CountTable, suppressed: np.ndarray) -> CountTable:
    kept = ~suppressed[table.class_of_cell]
    if kept.all():
        return table
    cells = (table.class_of_cell[kept], table.value_of_cell[kept], table.people[kept])
    return CountTable(*cells, table.values, table.n_classes)
