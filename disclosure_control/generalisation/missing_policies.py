"""Missing quasi-identifiers in a transformation: who is evaluated, and among how many people each one hides.

The policies are those of ``Anonymization_Models``, applied to what is recoded. A missing value stays missing on every
level but the one that drops the attribute. What the search concludes from a transformation N for a finer one F:

* "category": a missing value is one of its own. The classes of N are unions of those of F.
* "exclude": a class with a missing value is not evaluated, and stays. Who is evaluated in F is so in N, but not the
  other way round: a dropped attribute brings people in. So conclusions are drawn only for those F in which the same
  people are evaluated as in N, because they drop the same of the attributes with missing values: ``finer``. Among them
  all is as under "category", with the evaluated for everybody.
* "wildcard": people are alike where they agree wherever both have a value. Who is alike in F is alike in N: equal
  values stay equal, and a missing value stays missing or goes with the attribute. A class goes where too few of those
  who are left are alike, which may make others go; what is left at the end is the largest set of classes that pass l
  in which each is alike to k people of the set. What F ends with is such a set in N as well (distinct l is of classes
  that have only grown), so N ends with no less: who goes in N by k and distinct l goes in F. t makes more people go,
  never fewer. Where nobody goes in F, nobody goes in N by k. l and t are of the classes, a missing value being one of
  its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from disclosure_control.generalisation.nodes import Node


def _nobody(node: Node) -> None:
    return None


def _incomplete(node: Node) -> np.ndarray | None:
    return node.incomplete if node.incomplete.any() else None


def _every_finer_one(node: Node) -> tuple[slice, ...]:
    return tuple(slice(0, level + 1) for level in node.levels)


def _finer_ones_of_the_same_people(node: Node) -> tuple[slice, ...]:
    return tuple(
        slice(attribute.n_levels_with_missing if level >= attribute.n_levels_with_missing else 0, level + 1)
        for attribute, level in zip(node.lattice.attributes, node.levels, strict=True)
    )


def _sizes(node: Node) -> Callable[[np.ndarray | None], np.ndarray]:
    return lambda gone: node.size


def _compatible_people(node: Node) -> Callable[[np.ndarray | None], np.ndarray]:
    if not node.incomplete.any():
        return _sizes(node)
    classes = recoded_classes(node)
    return lambda gone: sum_over_compatible(classes, node.size if gone is None else np.where(gone, 0, node.size))


def recoded_classes(node: Node) -> EquivalenceClasses:
    """The classes of a transformation as an assessment of the recoded records forms them."""
    labels, codes = [], []
    for i, (attribute, level) in enumerate(zip(node.lattice.attributes, node.levels, strict=True)):
        first = int(attribute.levels[level].keeps_missing)
        codes.append(node.codes_of(i) - first)
        labels.append(attribute.levels[level].labels[first:])
    names = tuple(attribute.name for attribute in node.lattice.attributes)
    return EquivalenceClasses(names, tuple(labels), np.array(codes).reshape(len(names), node.n_classes), node.size)


@dataclass(frozen=True)
class MissingPolicy:
    """How a policy looks at the classes of a transformation.

    ``outside(node)``: the classes (n_classes,) of bool that it does not evaluate, None where it evaluates all.
    ``alike(node)``: a function of the classes ``gone`` (n_classes,) of bool, or None, that counts, for each class that
    is left, the people left who are alike to it; fewer are riskier. ``cascades``: whether that falls as others go.
    ``finer(node)``: the finer transformations, a slice of levels for each attribute, for which conclusions are drawn.
    """

    outside: Callable[[Node], np.ndarray | None] = _nobody
    alike: Callable[[Node], Callable[[np.ndarray | None], np.ndarray]] = _sizes
    cascades: bool = False
    finer: Callable[[Node], tuple[slice, ...]] = _every_finer_one


POLICIES: dict[str, MissingPolicy] = {
    "category": MissingPolicy(),
    "exclude": MissingPolicy(outside=_incomplete, finer=_finer_ones_of_the_same_people),
    "wildcard": MissingPolicy(alike=_compatible_people, cascades=True),
}
