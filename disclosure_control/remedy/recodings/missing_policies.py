"""Missing quasi-identifiers in a transformation: who is evaluated, and how many people each one hides among.

The policies are those of ``Anonymization_Models``, applied to recoded values. A missing value stays missing on every
level except the one that drops the attribute. What the search concludes from a transformation N for a finer one F:

* "category": a missing value is one of its own. The classes of N are unions of those of F.
* "exclude": a class with a missing value is not evaluated, and stays. Everyone evaluated in F is evaluated in N, but
  not the reverse: dropping an attribute brings people in. So conclusions hold only for those F that evaluate the same
  people as N, because both drop the same of the attributes with missing values: ``finer``. Among them the conclusions
  of "category" hold, with the evaluated people in place of everyone.
* "wildcard": people are alike if they agree wherever both have a value. People alike in F are alike in N: equal
  values stay equal, and a missing value stays missing or is dropped with the attribute. A class is suppressed if too
  few of those left are alike, which may cause others to fail; what is left is the largest set of classes that pass l
  in which each is alike to k people of the set. The final set of F is such a set in N as well (distinct l only grows
  with a class), so N keeps at least as many: anyone suppressed in N by k and distinct l is suppressed in F. t
  suppresses more people, never fewer. If F suppresses nobody, N suppresses nobody by k. l and t are measured on the
  classes, with a missing value as one of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from disclosure_control.remedy.recodings.nodes import Node


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
    """How a policy evaluates the classes of a transformation.

    ``outside(node)``: the classes (n_classes,) of bool that it does not evaluate; None if it evaluates all.
    ``alike(node)``: a function of the classes ``gone`` (n_classes,) of bool, or None, that counts, for each remaining
    class, the remaining people who are alike to it; fewer are riskier. ``cascades``: whether that count falls as
    others are suppressed. ``finer(node)``: the finer ones for which conclusions hold, a slice of levels per attribute.
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
