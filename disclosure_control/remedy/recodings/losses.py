"""What a transformation costs, by ARX's definitions: one class per kind of loss, ``METRICS`` by name.

Losses of values (``is_of_values``) are counted from level 0 of each attribute: the values as the assessment evaluates
them, which may be bins already; ``volumes`` defines one more kind of loss. Each kind gives the loss of a
transformation, and bounds that spare the search most of the lattice. A larger loss is less useful. Records of
suppressed classes lose everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from disclosure_control.measures.class_sizes import average_class_size, discernibility
from disclosure_control.remedy.recodings.generalisations import Generalisation
from disclosure_control.remedy.recodings.nodes import Lattice, Node
from disclosure_control.remedy.recodings.volumes import Ambiguity, Divergence, DivergenceByRecord, LossOfClasses


@dataclass(frozen=True)
class SeparableMetric:
    """A loss that is a sum over attributes of a sum over records.

    ``amounts(attribute, level, people)`` gives what each value (n_values + 1,) of an attribute loses at a level, where
    ``people`` (n_values + 1,) have it. ``of_total(total, attribute, n)`` turns an attribute's sum into its term;
    ``of_terms`` turns the weighted mean of the terms, times ``n_attributes`` where ``is_sum``, into the loss.
    ``suppressed``: a suppressed record loses "all" (an amount of 1), "nothing more", or what its value reveals among
    the suppressed ones ("entropy"). ``own_weight(attribute)`` is an attribute's default weight. ``of_most``: terms are
    shares of what would be lost if all records had one value.
    """

    name: str
    words: str
    amounts: Callable[[Generalisation, int, np.ndarray], np.ndarray]
    of_total: Callable[[np.ndarray, Generalisation, int], np.ndarray]
    of_terms: Callable[[np.ndarray], np.ndarray] = lambda terms: terms
    is_sum: bool = False
    suppressed: str = "all"
    own_weight: Callable[[Generalisation], float] = lambda attribute: 1.0
    of_most: bool = False
    is_separable = True
    is_of_values = True

    def on(self, lattice: Lattice, weights: Sequence[float]) -> SeparableLoss:
        """The metric on one lattice; ``weights`` (n_attributes,) from 0."""
        return SeparableLoss(self, lattice, tuple(weights))


@dataclass(frozen=True)
class SeparableLoss:
    """A separable metric on one lattice. ``weights`` (n_attributes,), at least one above 0."""

    metric: SeparableMetric
    lattice: Lattice
    weights: tuple[float, ...]
    grows_with_suppression = True

    @property
    def floor_is_loss(self) -> bool:
        """Whether the lower bound of a transformation equals its loss once all its suppressed people are known."""
        return self.metric.suppressed != "entropy"

    @cached_property
    def amounts(self) -> list[np.ndarray]:
        """By attribute: what each value loses at each level, (n_levels, n_values + 1)."""
        found = []
        for attribute, codes in zip(self.lattice.attributes, self.lattice.combination_codes, strict=True):
            people = np.bincount(codes, self.lattice.people, len(attribute.levels[0].codes))
            found.append(
                np.array([self.metric.amounts(attribute, level, people) for level in range(attribute.n_levels)])
            )
        return found

    @cached_property
    def totals(self) -> list[np.ndarray]:
        """By attribute: the sum over all records at each level, nothing suppressed."""
        return self._totals_of(np.arange(self.lattice.n_combinations), self.lattice.people)

    def _totals_of(self, combinations: np.ndarray, people: np.ndarray) -> list[np.ndarray]:
        """By attribute: the sum at each level over ``people``, counted by combination."""
        found = []
        for amounts, codes in zip(self.amounts, self.lattice.combination_codes, strict=True):
            found.append(amounts @ np.bincount(codes[combinations], people, amounts.shape[1]))
        return found

    @cached_property
    def shares(self) -> list[float]:
        """How much each attribute's term counts in the loss."""
        weighted = [
            weight * self.metric.own_weight(attribute)
            for weight, attribute in zip(self.weights, self.lattice.attributes, strict=True)
        ]
        times = len(weighted) if self.metric.is_sum else 1
        return [times * one / (sum(weighted) or 1.0) for one in weighted]

    @cached_property
    def most(self) -> list[float]:
        """By attribute: bits of all records if all had one value."""
        found = []
        for attribute, codes in zip(self.lattice.attributes, self.lattice.combination_codes, strict=True):
            count = np.bincount(attribute.finest.codes[codes], self.lattice.people)
            count = count[count > 0]
            found.append(float(-count @ np.log2(count / max(self.lattice.n_people, 1))))
        return found

    def _term(self, i: int, total: np.ndarray) -> np.ndarray:
        if self.metric.of_most:
            total = total / (self.most[i] or 1.0)
        return self.shares[i] * self.metric.of_total(total, self.lattice.attributes[i], self.lattice.n_people)

    def _box(self, totals: Sequence[np.ndarray]) -> np.ndarray:
        """The loss for every choice of one total per attribute, with an axis for each attribute that has a choice."""
        terms, free = np.zeros(()), set(self.lattice.free)
        for i, of_levels in enumerate(totals):
            own = self._term(i, of_levels)
            terms = np.add.outer(terms, own) if i in free else terms + own[0]
        return self.metric.of_terms(terms)

    def floors(self, bottom: Node) -> np.ndarray:
        """A lower bound for every transformation, of ``free_shape``: its loss if nothing were suppressed."""
        return self._box(self.totals)

    def floor_of_coarser(self, node: Node) -> None:
        """The classes of a transformation add nothing to ``floors``."""
        return None

    def floors_of_finer(self, node: Node, suppressed: np.ndarray) -> np.ndarray | None:
        """A lower bound for every transformation up to ``node``'s that suppresses the classes ``suppressed``.

        Of shape (level + 1 of each attribute with a choice); None where it adds nothing.
        """
        if self.metric.suppressed != "all":
            return None
        combinations = np.flatnonzero(suppressed[node.class_of_combination])
        people = self.lattice.people[combinations]
        lost, n_lost = self._totals_of(combinations, people), people.sum()
        return self._box(
            [
                (total - of_suppressed)[: level + 1] + n_lost
                for total, of_suppressed, level in zip(self.totals, lost, node.levels, strict=True)
            ]
        )

    def loss(self, node: Node, suppressed: np.ndarray) -> float:
        """The loss of a transformation, given its ``suppressed`` classes (n_classes,) of bool."""
        people = node.size[suppressed]
        n_suppressed = int(people.sum())
        terms: np.ndarray = np.zeros(())
        # People of a class differ below its level, not on it: any member represents them.
        lost = self._totals_of(node.member[suppressed], people) if self.metric.suppressed == "all" else None
        for i, level in enumerate(node.levels):
            total = self.totals[i][level]
            if n_suppressed and lost is not None:
                total = total - lost[i][level] + n_suppressed
            elif n_suppressed and self.metric.suppressed == "entropy":
                count = np.bincount(node.codes_of(i)[suppressed], people)
                count = count[count > 0]
                total = total - count @ np.log2(count / n_suppressed)
            terms = terms + self._term(i, total)
        return float(self.metric.of_terms(terms))


@dataclass(frozen=True)
class ClassMetric:
    """A loss of whole classes, in which attributes have no weight. ``loss``: the class of its figures on a lattice."""

    name: str
    words: str
    loss: Callable[[Lattice], LossOfClasses]
    is_of_values: bool = True
    is_separable = False

    def on(self, lattice: Lattice, weights: Sequence[float]) -> LossOfClasses:
        """The metric on one lattice; attributes have no weight in it."""
        return self.loss(lattice)


@dataclass(frozen=True)
class ClassSizeLoss(LossOfClasses):
    """A figure ``of_sizes(kept sizes, n_suppressed)`` on one lattice. Of all classes, nothing suppressed, it must not
    exceed the loss, and not fall as classes are joined.
    """

    of_sizes: Callable[[np.ndarray, int], float]

    def floors_of_finer(self, node: Node, suppressed: np.ndarray) -> np.ndarray:
        """A lower bound for all that are finer: these people stay suppressed, the others are at best each alone."""
        kept = self.lattice.people[~suppressed[node.class_of_combination]]
        return np.asarray(self.of_sizes(kept, int(node.size[suppressed].sum())))

    def loss(self, node: Node, suppressed: np.ndarray) -> float:
        """The loss of a transformation, given its ``suppressed`` classes (n_classes,) of bool."""
        return self.of_sizes(node.size[~suppressed], int(node.size[suppressed].sum()))


# ---------------------------------------------------------------- the definitions


def _share_of_leaves(attribute: Generalisation, level: int, people: np.ndarray) -> np.ndarray:
    return attribute.levels[level].shares


def _between_all_and_none(total: np.ndarray, attribute: Generalisation, n: int) -> np.ndarray:
    """(sum of shares - n / D) / (n - n / D): 0 where each record keeps its leaf, 1 where nothing is left."""
    if n == 0 or attribute.n_leaves < 2:  # nothing can be lost
        return np.zeros_like(total, dtype=float)
    lowest = n / attribute.n_leaves
    return np.clip((total - lowest) / (n - lowest), 0.0, None)


def _height_share(attribute: Generalisation, level: int, people: np.ndarray) -> np.ndarray:
    return np.full(len(people), attribute.number_of(level) / max(attribute.full_height, 1))


def _height(attribute: Generalisation, level: int, people: np.ndarray) -> np.ndarray:
    return np.full(len(people), float(attribute.number_of(level)))


def _surprise(attribute: Generalisation, level: int, people: np.ndarray) -> np.ndarray:
    """-log2 of the chance to guess each value at level 0 from its value at the level."""
    finest, coarse = attribute.finest.codes, attribute.levels[level].codes
    of_finest = np.bincount(finest, people)[finest]
    of_coarse = np.bincount(coarse, people)[coarse]
    return np.log2(of_coarse / np.where(of_finest > 0, of_finest, 1), where=of_finest > 0, out=np.zeros(len(people)))


def _share_of_bits(attribute: Generalisation, level: int, people: np.ndarray) -> np.ndarray:
    """Bits to name one of the leaves under each value, as a share of the bits to name one of all leaves."""
    leaves = np.maximum(attribute.levels[level].shares * attribute.n_leaves, 1.0)
    return np.log2(leaves) / (np.log2(max(attribute.n_leaves, 1)) or 1.0)


def _as_it_is(total: np.ndarray, attribute: Generalisation, n: int) -> np.ndarray:
    return np.asarray(total)


def _per_record(total: np.ndarray, attribute: Generalisation, n: int) -> np.ndarray:
    return np.asarray(total) / max(n, 1)


LatticeLoss = SeparableLoss | LossOfClasses

METRICS: dict[str, SeparableMetric | ClassMetric] = {
    metric.name: metric
    for metric in (
        # Iyengar 2002, doi:10.1145/775047.775089, as ARX normalises it: geometric mean over the attributes.
        SeparableMetric(
            "loss",
            "mean share of the values' domain that is given up",
            _share_of_leaves,
            lambda total, attribute, n: np.log1p(_between_all_and_none(total, attribute, n)),
            np.expm1,
        ),
        # Bayardo and Agrawal 2005, doi:10.1109/ICDE.2005.42.
        ClassMetric(
            "discernibility",
            "pairs of records that cannot be distinguished",
            partial(ClassSizeLoss, of_sizes=discernibility),
            is_of_values=False,
        ),
        # LeFevre, DeWitt and Ramakrishnan 2006, doi:10.1109/ICDE.2006.101; the suppressed are one more class.
        ClassMetric(
            "average_class_size",
            "records per equivalence class",
            partial(ClassSizeLoss, of_sizes=average_class_size),
            is_of_values=False,
        ),
        # De Waal and Willenborg 1999; Gionis and Tassa 2009, doi:10.1109/TKDE.2008.129.
        SeparableMetric(
            "non_uniform_entropy",
            "bits needed to guess the values that were recoded or suppressed",
            _surprise,
            _as_it_is,
            is_sum=True,
            suppressed="entropy",
        ),
        # The same without suppressed records, so that it never falls as recoding becomes coarser.
        SeparableMetric(
            "non_uniform_entropy_monotone",
            "bits needed to guess the values that were recoded",
            _surprise,
            _as_it_is,
            is_sum=True,
            suppressed="nothing more",
        ),
        # Each attribute's bits as a share of the most that could be lost of it.
        SeparableMetric(
            "non_uniform_entropy_normalised",
            "shares of the bits of the values that were given up, all attributes together",
            _surprise,
            _as_it_is,
            is_sum=True,
            suppressed="entropy",
            of_most=True,
        ),
        # Iyengar's again, with other means.
        SeparableMetric(
            "loss_mean",
            "mean share of the values' domain that is given up (arithmetic)",
            _share_of_leaves,
            _between_all_and_none,
        ),
        SeparableMetric(
            "loss_sum",
            "shares of the values' domains that are given up, all attributes together",
            _share_of_leaves,
            _between_all_and_none,
            is_sum=True,
        ),
        # Wan et al. 2015, doi:10.1371/journal.pone.0120592: all records together, 1 for each that is lost.
        SeparableMetric(
            "entropy_based_loss",
            "records' worth of information that is given up, by the leaves under what is released",
            _share_of_bits,
            _as_it_is,
            own_weight=lambda attribute: float(np.log2(max(attribute.n_leaves, 1))),
        ),
        # Sweeney 2002, doi:10.1142/S021848850200165X.
        SeparableMetric(
            "precision",
            "mean share of the levels that were climbed",
            _height_share,
            _per_record,
        ),
        # Samarati 2001, doi:10.1109/69.971193: the levels climbed; suppression does not count.
        SeparableMetric(
            "height",
            "levels climbed, all attributes together",
            _height,
            _per_record,
            is_sum=True,
            suppressed="nothing more",
        ),
        # Nergiz and Clifton 2007, doi:10.1016/j.datak.2007.03.009; as in ARX, a suppressed record may be anybody.
        ClassMetric(
            "ambiguity",
            "combinations of values that the records may have had",
            Ambiguity,
        ),
        # Kifer and Gehrke 2006, doi:10.1145/1142473.1142499.
        ClassMetric(
            "kl_divergence",
            "bits by which the distribution of the records is further away",
            Divergence,
        ),
        ClassMetric(
            "kl_divergence_by_record",
            "ARX's KL divergence, which counts each combination of values once for each of its records",
            DivergenceByRecord,
        ),
    )
}
