"""Special uniques (SUDA2): people whom few attributes single out, and which attributes those are.

A minimal sample unique of a person is a set of quasi-identifiers whose values nobody else has, while every smaller part
of them is shared with someone. The fewer attributes it has, and the more such sets a person has, the likelier the
person is unique in the population, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.measures.key_sets import checked_max_size


def elliot_weight(n_attributes: int, size: int) -> float:
    """(M - s)! for a minimal sample unique of s of M attributes; from 1 up, larger is riskier. Elliot et al. 2005."""
    return float(math.factorial(n_attributes - size))


def ihsn_weight(n_attributes: int, size: int) -> float:
    """(2^(M - s) - 1) / C(M, s), from 0 (s = M) up; larger is riskier. sdcMicro with ``original_scores=FALSE``."""
    return (2.0 ** (n_attributes - size) - 1) / math.comb(n_attributes, size)


# What a minimal sample unique counts, by the number of quasi-identifiers and its size.
WEIGHTINGS: dict[str, Callable[[int, int], float]] = {"elliot": elliot_weight, "ihsn": ihsn_weight}


@dataclass(frozen=True)
class SpecialUniques:
    """Minimal sample uniques (MSU), scores and DIS scores of each equivalence class.

    ``n_of_size`` (max_size, n_classes): MSUs by their size, 1 first. ``score_of_class`` (n_classes,): sum of the
    weights of the MSUs. ``dis_score_of_class`` (n_classes,), in [0, 1]: chance that a match with this person is right.
    ``attribute_score`` (n_attributes, n_classes): the part of the score from MSUs with the attribute.
    ``match_probability``: the same chance for a unique of the whole file, None if nobody is unique. Larger is riskier
    in all of them, and 0 means a class that is not sample unique.
    """

    quasi_identifiers: tuple[str, ...]
    match_probability: float | None
    n_of_size: np.ndarray = field(repr=False)
    score_of_class: np.ndarray = field(repr=False)
    dis_score_of_class: np.ndarray = field(repr=False)
    attribute_score: np.ndarray = field(repr=False)

    @property
    def n_of_class(self) -> np.ndarray:
        """Minimal sample uniques of each class (n_classes,); larger is riskier."""
        return self.n_of_size.sum(axis=0)

    @cached_property
    def smallest_size_of_class(self) -> np.ndarray:
        """Fewest attributes that single out each class (n_classes,); 0 where none do, else smaller is riskier."""
        has_any = (self.n_of_size > 0).any(axis=0)
        first = self.n_of_size.astype(bool).argmax(axis=0) + 1 if len(self.n_of_size) else 0
        return np.where(has_any, first, 0)

    @cached_property
    def contribution_of_class(self) -> np.ndarray:
        """Share of each class's score from MSUs that contain each attribute: (n_classes, n_attributes), in [0, 1].

        A row does not add up to 1, since an MSU has several attributes; it is 0 where the score is 0.
        """
        score = np.where(self.score_of_class > 0, self.score_of_class, 1.0)
        return (self.attribute_score / score).T

    @cached_property
    def contribution_rates(self) -> dict[str, float]:
        """Share of the score of all records from MSUs that contain each attribute, in [0, 1]; 0 where nobody scores."""
        total = self.total_score
        shares = np.sort(self.attribute_score, axis=1).sum(axis=1) / (total if total > 0 else 1.0)
        return dict(zip(self.quasi_identifiers, map(float, shares), strict=True))

    @property
    def n_special_uniques(self) -> int:
        """Records with a score above 0: each is alone in its class."""
        return int((self.score_of_class > 0).sum())

    @property
    def total_score(self) -> float:
        """Sum of the scores of all records; larger is riskier."""
        return float(np.sort(self.score_of_class).sum())


def special_uniques(
    classes: EquivalenceClasses,
    max_size: int | None = None,
    weighting: str = "elliot",
    dis_fraction: float = 0.01,
) -> SpecialUniques:
    """Who is singled out by few attributes, and by which: SUDA2 over subsets of up to ``max_size`` (None: any size).

    A missing value is part of no minimal sample unique and matches no value (sdcMicro). ``weighting`` is a name of
    ``WEIGHTINGS``; its weights do not depend on ``max_size``. ``dis_fraction``, in (0, 1], is the sampling fraction
    that the DIS scores assume. Raises ``FaultyInputError`` on too many subsets. Sources: Manning, Haglin
    and Keane 2008, doi:10.1007/s10618-007-0078-6; sdcMicro ``suda2``, to which figures agree from three attributes up
    (with fewer it adds columns that are constant). Memory: a bit for each class and each subset below ``max_size`` in
    which somebody is not yet singled out.
    """
    size, n_attributes = checked_max_size(classes, max_size), len(classes.quasi_identifiers)
    weights = np.array([WEIGHTINGS[weighting](n_attributes, s) for s in range(1, size + 1)])
    n_of_size = np.zeros((size, classes.n_classes), dtype=np.int32)
    attribute_score = np.zeros((n_attributes, classes.n_classes))
    for attributes, found in MinimalUniques(classes, size).search():
        n_of_size[len(attributes) - 1, found] += 1
        for i in attributes:
            attribute_score[i, found] += weights[len(attributes) - 1]
    score = sum((weight * n for weight, n in zip(weights, n_of_size, strict=True)), np.zeros(classes.n_classes))
    n_unique, n_in_pairs = int((classes.size == 1).sum()), 2 * int((classes.size == 2).sum())
    probability = match_probability(n_unique, n_in_pairs, dis_fraction)
    return SpecialUniques(
        quasi_identifiers=classes.quasi_identifiers,
        match_probability=probability,
        n_of_size=n_of_size,
        score_of_class=score,
        dis_score_of_class=dis_scores(score, n_unique, probability, dis_exponent(n_attributes)),
        attribute_score=attribute_score,
    )


# ---------------------------------------------------------------- DIS: data intrusion simulation


def match_probability(n_unique: int, n_in_pairs: int, fraction: float) -> float | None:
    """Chance that a unique match with the file is a right one, in (0, 1]; larger is riskier; None without uniques.

    ``n_unique`` people are alone in their class, ``n_in_pairs`` in a class of two; ``fraction`` of the population is
    in the file. Source: Skinner and Elliot 2002, doi:10.1111/1467-9868.00365, the estimator of theta.
    """
    return n_unique * fraction / (n_unique * fraction + n_in_pairs * (1 - fraction)) if n_unique else None


def dis_exponent(n_attributes: int) -> float:
    """The power of the score by which the DIS scores of people differ: 1 for eight attributes (Elliot et al.)."""
    return 1 + (8 - n_attributes) / 20


def dis_scores(scores: np.ndarray, n_unique: int, probability: float | None, exponent: float) -> np.ndarray:
    """The match probability of the file, shared out by scores: one chance in [0, 1] for each score, 0 for score 0.

    Multiplying all scores by a constant changes nothing. NaN where ``exponent`` is not above 0 (28 attributes or
    more), since a higher score would then get a lower chance. Source: Elliot et al. 2005; sdcMicro ``suda2``.
    """
    dis = np.zeros(len(scores))
    scored = scores > 0
    if probability is None or not scored.any():
        return dis
    # By distinct scores: sums in their order, and not in that of the classes, which hangs on the order of the columns.
    distinct, place, n_people = np.unique(scores[scored], return_inverse=True, return_counts=True)
    power = distinct**exponent
    odds_against = n_unique * (1 / probability - 1) / (power * (n_people / power).sum())
    dis[scored] = (1 / (1 + odds_against))[place] if exponent > 0 else np.nan
    return dis


# ---------------------------------------------------------------- the search for minimal sample uniques


class MinimalUniques:
    """A depth-first search of the subsets of attributes that are minimal sample uniques of some class.

    It examines in each subset only the classes that can still have one.
    In a subset a class is open if it has all values, shares them with another class, and someone in that group is
    sample unique. A class that is not open in a subset is not open in any larger one, can have no minimal unique there,
    and can share its values with no class that has: so a subset examines only classes open in all of its parts. A class
    that is alone there is then a minimal unique, if it is one person.

    Attributes are bits, that with the most values the highest. Subsets are visited as rising binary numbers, so all
    parts of a subset come before it, and half of all subsets contain the attribute that leaves the fewest classes open.
    Classes of one person are numbered first, and members always rise, so that a slice takes the persons.
    """

    def __init__(self, classes: EquivalenceClasses, max_size: int):
        n_values = [len(labels) for labels in classes.labels]
        self.order = sorted(range(len(n_values)), key=n_values.__getitem__)
        self.n_values = [n_values[i] for i in self.order]
        is_person = classes.size == 1
        self.class_of_number = np.concatenate([np.flatnonzero(is_person), np.flatnonzero(~is_person)])
        self.n_classes, self.n_persons, self.max_size = len(is_person), int(is_person.sum()), max_size
        self.codes = [classes.class_codes[i][self.class_of_number] for i in self.order]
        self.has_missing = [bool((codes < 0).any()) for codes in self.codes]
        # Packed bits (n_classes,) of the open classes; a subset that is not here has none.
        self.open_in = {0: np.packbits(np.ones(self.n_classes, dtype=bool))} if self.n_persons else {}

    def search(self) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        """Each subset that is a minimal unique of some class, as positions of attributes, and these classes."""
        everybody = np.arange(self.n_classes)
        for bits, found in self._extend((), everybody, np.zeros(self.n_classes, dtype=np.int64), 1):
            if len(found):
                yield tuple(self.order[bit] for bit in bits), self.class_of_number[found]

    def _extend(
        self, bits: tuple[int, ...], members: np.ndarray, group: np.ndarray, n_groups: int
    ) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        """Visit the subsets that add lower bits to ``bits``; ``members`` are open in it, each in its ``group``."""
        for bit in range(bits[-1] if bits else len(self.codes)):
            subset = (*bits, bit)
            kept = self._open_in_all_parts(subset, members)
            if len(kept):
                looked_at = members[kept]
                code = self.codes[bit][looked_at]
                key = group[kept] * self.n_values[bit] + code
                if self.has_missing[bit]:
                    present = np.flatnonzero(code >= 0)
                    looked_at, key = looked_at[present], key[present]
                yield from self._look(subset, looked_at, key, n_groups * self.n_values[bit])

    def _look(
        self, subset: tuple[int, ...], looked_at: np.ndarray, key: np.ndarray, n_keys: int
    ) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        """The minimal uniques of ``subset``, where equal keys are a group, and then of the subsets that extend it."""
        if n_keys > max(4 * len(key), 65_536):
            key, size = number_groups(key, n_keys)
            n_keys = len(size)
        persons = key[: np.searchsorted(looked_at, self.n_persons)]
        n_members = np.bincount(key, minlength=n_keys)
        yield subset, looked_at[np.flatnonzero((n_members == 1)[persons])]
        if len(subset) < self.max_size:
            is_open = (n_members > 1) & (np.bincount(persons, minlength=n_keys) > 0)
            still = np.flatnonzero(is_open[key])
            if len(still):
                members, number = looked_at[still], np.cumsum(is_open)
                self._keep(subset, members)
                yield from self._extend(subset, members, number[key[still]] - 1, int(number[-1]))

    def _open_in_all_parts(self, bits: tuple[int, ...], members: np.ndarray) -> np.ndarray:
        """Positions of the members that are open in each part of a subset that lacks one of its attributes."""
        subset = _as_number(bits)
        parts = [self.open_in[part] for bit in bits if (part := subset - (1 << bit)) in self.open_in]
        if len(parts) < len(bits):
            return np.empty(0, dtype=np.int64)
        is_open = np.unpackbits(np.bitwise_and.reduce(parts), count=self.n_classes).view(bool)
        return np.flatnonzero(is_open[members])

    def _keep(self, bits: tuple[int, ...], members: np.ndarray) -> None:
        is_open = np.zeros(self.n_classes, dtype=bool)
        is_open[members] = True
        self.open_in[_as_number(bits)] = np.packbits(is_open)


def _as_number(bits: tuple[int, ...]) -> int:
    return sum(1 << bit for bit in bits)
