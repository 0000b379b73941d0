"""What a transformation has to meet: k, models of sensitive values, and a limit of suppressed records.

A record is suppressed with its whole class if the class fails any model. So a transformation is allowed if few enough
records are in classes that fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.remedy.recodings.criteria import (
    MODELS,
    STAYS_MET_BY_ANY_UNION,
    STAYS_MET_BY_UNION_OF_MET,
    Criterion,
)
from disclosure_control.remedy.recodings.missing_policies import POLICIES, MissingPolicy
from disclosure_control.remedy.recodings.nodes import Node, RollUp

REFERENCES = ("everybody", "kept")


@dataclass(frozen=True)
class Requirements:
    """``k``, further ``criteria``, and the largest share of records that may be suppressed (0 to 1).

    ``reference``: t compares a class with "everybody" who is evaluated, suppressed or not, as ARX does; or with those
    who are "kept", as an assessment of the released records will. ``missing_qis``: the policy for missing
    quasi-identifiers; shares are of those whom it evaluates after recoding. ``keeps_somebody``: it is not allowed to
    suppress everyone evaluated, nor to evaluate nobody.
    """

    k: int
    criteria: tuple[Criterion, ...] = ()
    suppression_limit: float = 0.0
    reference: str = "everybody"
    missing_qis: str = "category"
    keeps_somebody: bool = False

    def __post_init__(self) -> None:
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
        if self.missing_qis not in POLICIES:
            faults.append(f"missing_qis: found {self.missing_qis!r}; allowed: {', '.join(POLICIES)}")
        elif self.missing_qis != "category" and self.reference != "kept":
            faults.append(f'missing_qis {self.missing_qis!r} goes with reference "kept" only; found {self.reference!r}')
        stop_at(faults)

    @property
    def policy(self) -> MissingPolicy:
        return POLICIES[self.missing_qis]

    def n_evaluated(self, node: Node) -> int:
        outside = self.policy.outside(node)
        return node.lattice.n_people - (0 if outside is None else int(node.size[outside].sum()))

    def most_suppressed(self, node: Node) -> int:
        """The largest number of people that a transformation may suppress; below 0 where not even 0 is allowed."""
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
        """Whether a transformation that needs no suppression implies that no coarser one does."""
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
            suppressed = self.until_nobody_has_too_few(alike, suppressed)
        return suppressed if outside is None else suppressed & ~outside

    def until_nobody_has_too_few(self, alike: Callable[[np.ndarray], np.ndarray], gone: np.ndarray) -> np.ndarray:
        """The classes suppressed until each class left is alike to at least k of the people left."""
        n_gone = -1
        while n_gone < gone.sum():
            n_gone = gone.sum()
            gone = gone | (alike(gone) < self.k)
        return gone
