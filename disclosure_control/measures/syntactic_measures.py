"""The measures of the syntactic privacy models, each for all equivalence classes of one count table at once.

Every function is ``measure(table, reference, parameters) -> (n_classes,)``. ``p`` is the share of a value among the
people of a class who have a value, ``q`` its share in ``reference`` (n_values,), the people per value of the
evaluated table. Classes in which nobody has a value get NaN. Range, sources and thresholds stand in the registry,
``disclosure_control.measures.syntactic_models``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from Anonymization_Models import DISTANCES, CountTable
from disclosure_control.basics.columns import encode_column
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.hierarchies import ValueHierarchy
from disclosure_control.basics.keys import number_groups

# Two figures closer than this, relative to their size, are equal: what rounding makes of an exact tie is no difference.
TOLERANCE = 1e-12


# ---------------------------------------------------------------- what the models share


@dataclass(frozen=True)
class SharedCells(CountTable):
    """A count table together with its reference, remembering what several models need: each is computed once."""

    reference: np.ndarray

    @classmethod
    def of(cls, table: CountTable, reference: np.ndarray) -> SharedCells:
        if isinstance(table, cls) and table.reference is reference:
            return table
        parts = {part.name: getattr(table, part.name) for part in dataclasses.fields(CountTable)}
        return cls(**parts, reference=reference)

    @cached_property
    def first(self) -> np.ndarray:
        """First cell of each class that has one: (n_occupied,)."""
        return np.flatnonzero(np.diff(self.class_of_cell, prepend=-1))

    @cached_property
    def n_cells_of_class(self) -> np.ndarray:
        """Distinct values of each class that has one: (n_occupied,)."""
        return np.diff(self.first, append=len(self.people))

    @cached_property
    def people_of_occupied(self) -> np.ndarray:
        return self.people_of_class[self.class_of_cell[self.first]]

    @cached_property
    def people_of_class_of_cell(self) -> np.ndarray:
        return np.repeat(self.people_of_occupied, self.n_cells_of_class)

    @cached_property
    def lift(self) -> np.ndarray:
        """p / q of each cell (n_cells,): exactly 1 where the shares are equal, infinite where q is 0."""
        with np.errstate(divide="ignore"):
            expected = self.people_of_class_of_cell * self.reference[self.value_of_cell]
            return self.people * float(self.reference.sum()) / expected

    @cached_property
    def largest_lift(self) -> np.ndarray:
        return self.largest(self.lift)

    @cached_property
    def descending(self) -> np.ndarray:
        """The people of the cells, class by class, largest first: (n_cells,)."""
        top = int(self.people.max(initial=0))
        # One number per cell that sorts by class and then by falling people; the values are not needed any more.
        key = np.sort(self.class_of_cell * (top + 1) + (top - self.people))
        return top - key % (top + 1)

    def largest(self, of_cell: np.ndarray) -> np.ndarray:
        """Largest entry of each class that has a cell: (n_occupied,)."""
        return np.maximum.reduceat(of_cell, self.first) if len(self.first) else np.empty(0)

    def total(self, of_cell: np.ndarray) -> np.ndarray:
        """Sum of the entries of each class that has a cell: (n_occupied,)."""
        return np.add.reduceat(of_cell, self.first) if len(self.first) else np.empty(0)

    def spread(self, of_occupied: np.ndarray) -> np.ndarray:
        """Figures of the classes that have a cell as figures of all classes: (n_classes,), NaN for the others."""
        of_class = np.full(self.n_classes, np.nan)
        of_class[self.class_of_cell[self.first]] = of_occupied
        return of_class


# ---------------------------------------------------------------- l-diversity


def distinct_l(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """How many different sensitive values the class holds.

    A class has distinct l-diversity where the measure is at least l. Smaller is riskier: 1 gives the value away.
    """
    cells = SharedCells.of(table, reference)
    return cells.spread(cells.n_cells_of_class)


def entropy_l(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """How many equally frequent values would be as uncertain as the values of the class: exp(-sum p ln p).

    A class has entropy l-diversity where its entropy is at least ln l, that is, where the measure is at least l.
    Smaller is riskier.
    """
    cells = SharedCells.of(table, reference)
    p = cells.people / cells.people_of_class_of_cell
    measure = np.exp(-cells.total(p * np.log(p)))
    return cells.spread(np.clip(measure, 1.0, cells.n_cells_of_class))


def _grassberger_numbers(counts: np.ndarray) -> np.ndarray:
    """Grassberger's G of whole numbers from 1 up: G(2k) = G(2k + 1) = digamma(k + 1/2) + ln 2."""
    from scipy.special import digamma  # SciPy takes longer to import than most pilots to evaluate

    counts = counts.astype(np.int64)
    asked = np.flatnonzero(np.bincount(counts))  # people repeat: each count is worked out once
    numbers = np.zeros(counts.max(initial=0) + 1)
    numbers[asked] = digamma(asked // 2 + 0.5) + math.log(2.0)
    return numbers[counts]


def grassberger_l(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Entropy l with Grassberger's correction for small classes: exp(G(n) - sum n_v G(n_v) / n), n the class's people.

    It makes up for the values that a small class happens to miss, and is cut at the number of distinct values. G(n)
    where Grassberger has ln n, and the cut, are as in ARX: a class of one value keeps l = 1 however small it is.
    A class is l-diverse where the measure is at least l. Smaller is riskier. Depends on how large classes are.
    """
    cells = SharedCells.of(table, reference)
    weighted = cells.total(cells.people * _grassberger_numbers(cells.people))
    entropy = _grassberger_numbers(cells.people_of_occupied) - weighted / cells.people_of_occupied
    return cells.spread(np.clip(np.exp(entropy), 1.0, cells.n_cells_of_class))


def recursive_l(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Largest l for which the most frequent value is not too frequent: r_1 < c (r_l + ... + r_m), r falling.

    ``c``: a number above 0. A class is recursively (c, l)-diverse where the measure is at least l; every class is
    (c, 1)-diverse by definition. Smaller is riskier.
    """
    cells = SharedCells.of(table, reference)
    falling = cells.descending
    before = np.cumsum(falling) - falling  # people of all earlier cells
    before_class = np.repeat(before[cells.first], cells.n_cells_of_class)
    tail = cells.people_of_class_of_cell - (before - before_class)
    most = np.repeat(falling[cells.first], cells.n_cells_of_class)
    # The tail falls along a class, so the places that pass are its first ones, and their number is the largest l.
    passes = most < parameters["c"] * tail * (1 - TOLERANCE)
    return cells.spread(np.maximum(cells.total(passes.astype(np.int64)), 1))


# ---------------------------------------------------------------- shares and gains


def alpha_k(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Largest share of one sensitive value in the class: how sure one may be of a member's value.

    ``values``: look at these values only (by default at all). A class is (alpha, k)-anonymous where the measure is at
    most alpha and the class has at least k people; k is reported on its own. Larger is riskier. Raises
    ``FaultyInputError`` on listed values that nobody has, so that no misspelt one passes for safe.
    """
    cells = SharedCells.of(table, reference)
    people = cells.people
    if parameters["values"] is not None:
        people = np.where(_listed(table.values, parameters["values"])[cells.value_of_cell], people, 0)
    return cells.spread(cells.largest(people) / cells.people_of_occupied)


def _listed(values: np.ndarray, listed: Iterable) -> np.ndarray:
    """Which of the values are among those listed: (n_values,) of bool."""
    listed = list(listed)
    wanted = encode_column(pd.Series(listed, dtype=float if values.dtype.kind == "f" else object)).labels
    found = np.isin(values, wanted)
    if found.sum() < len(wanted):
        raise FaultyInputError(
            f"alpha_k: {len(wanted) - int(found.sum())} of {len(listed)} listed values are nobody's; allowed: values "
            "of the sensitive feature; correct or remove them"
        )
    return found


def basic_beta(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Largest relative gain of belief in a value: max (p - q) / q over values with p > q, 0 where there is none.

    A class has basic beta-likeness where the measure is at most beta. Larger is riskier.
    """
    cells = SharedCells.of(table, reference)
    return cells.spread(np.maximum(cells.largest_lift - 1.0, 0.0))


def enhanced_beta(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """As ``basic_beta``, with frequent values bounded more tightly: the gain of a value may not exceed -ln q either.

    The paper asks (p - q) / q <= min(beta, -ln q) of every value with p > q. No beta satisfies a class in which a
    value gains more than -ln q: its measure is infinite; else it is the largest gain. So a class has enhanced
    beta-likeness where the measure is at most beta. Larger is riskier.
    """
    cells = SharedCells.of(table, reference)
    with np.errstate(divide="ignore"):
        bound = -np.log(cells.reference / cells.reference.sum())[cells.value_of_cell] if len(cells.people) else 0.0
    beyond = cells.lift - 1.0 > bound * (1 + TOLERANCE)
    return cells.spread(np.maximum(cells.largest(np.where(beyond, np.inf, cells.lift)) - 1.0, 0.0))


def delta_disclosure(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Largest |log2(p / q)| over the values present in the class: belief that rises and belief that falls.

    A class has delta-disclosure privacy where the measure is below delta. Larger is riskier. Values that are absent
    from a class would make it infinite; they are left out, as in ARX.
    """
    cells = SharedCells.of(table, reference)
    smallest_lift = -cells.largest(-cells.lift)
    return cells.spread(np.maximum(np.log2(cells.largest_lift), -np.log2(smallest_lift)))


# ---------------------------------------------------------------- t-closeness


def _distance(name: str, table: CountTable, reference: np.ndarray) -> np.ndarray:
    return DISTANCES[name].function(table, reference) if reference.any() else np.full(table.n_classes, np.nan)


def total_variation_t(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Half the sum of |p - q|: earth mover's distance of the class to everybody, all values equally far apart.

    A class is t-close where the measure is at most t. Larger is riskier. Section 5.2 of the paper.
    """
    return _distance("total_variation", SharedCells.of(table, reference), reference)


def ordered_t(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Earth mover's distance to everybody, neighbouring values 1 / (m - 1) apart, m the values that somebody has.

    ``order``: the values from low to high, where they are text. A class is t-close where the measure is at most t.
    Larger is riskier. Section 5.1 of the paper.
    """
    rank = np.arange(len(table.values)) if table.is_numeric else _ranks(table.values, parameters["order"])
    taken = np.full(len(rank), -1)
    present = np.flatnonzero(reference > 0)
    by_rank = present[np.argsort(rank[present], kind="stable")]
    taken[by_rank] = np.arange(len(by_rank))
    if len(by_rank) == len(rank) and (taken == np.arange(len(rank))).all():
        return _distance("ordered", table, reference)
    return _distance("ordered", table.regrouped(taken, np.arange(len(by_rank), dtype=float)), reference[by_rank])


def _ranks(values: np.ndarray, order: Iterable) -> np.ndarray:
    encoded = encode_column(pd.Series(list(order), dtype=object))
    rank_of = {encoded.labels[code]: rank for rank, code in enumerate(encoded.codes)}
    n_unknown = sum(value not in rank_of for value in values)
    if n_unknown or len(rank_of) < len(encoded.codes):
        raise FaultyInputError(
            f"ordered_t: order has {len(encoded.codes)} values, {len(encoded.codes) - len(rank_of)} of them repeated, "
            f"and lacks {n_unknown} of the data; allowed: each value of the sensitive feature once, from low to high"
        )
    return np.array([rank_of[value] for value in values], dtype=np.int64)


def wasserstein_t(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Earth mover's distance of the class to everybody, in the unit of the value.

    A class is t-close where the measure is at most t. Larger is riskier.
    """
    return _distance("wasserstein", table, reference)


def hierarchical_t(table: CountTable, reference: np.ndarray, parameters: Mapping) -> np.ndarray:
    """Earth mover's distance to everybody, two values being as far apart as the level of their first common node.

    ``hierarchy``: a ``ValueHierarchy`` with one root. A class is t-close where the measure is at most t. Larger is
    riskier. Section 5.2 of the paper: the sum over inner nodes of level / height times min(extra, lacking). What a
    node evens out is what its children have too much less what it has itself too much, so the sum telescopes to the
    mean, over the levels below the root, of the total variation at that level. Raises ``FaultyInputError`` on values
    that are no leaf.
    """
    hierarchy: ValueHierarchy = parameters["hierarchy"]
    if not hierarchy.has_one_root:
        raise FaultyInputError(
            f"hierarchical_t: hierarchy {hierarchy.name!r} has several values on its last level; allowed: one that "
            "stands for all; add a last column of '*'"
        )
    distance = np.zeros(table.n_classes)
    for level in range(hierarchy.height):
        node = hierarchy.nodes_of(table.values, level)
        n_nodes = int(node.max(initial=0)) + 1
        key = table.class_of_cell * n_nodes + node[table.value_of_cell]
        group, _ = number_groups(key, table.n_classes * n_nodes)
        cell_of_group = np.zeros(group.max(initial=-1) + 1, dtype=np.int64)
        cell_of_group[group] = np.arange(len(group))
        people = np.bincount(group, table.people, len(cell_of_group))
        class_of_group, node_of_group = np.divmod(key[cell_of_group], n_nodes)
        coarse = CountTable(class_of_group, node_of_group, people, np.arange(n_nodes).astype(str), table.n_classes)
        distance += _distance("total_variation", coarse, np.bincount(node, reference, n_nodes))
    return distance / hierarchy.height


# ---------------------------------------------------------------- from the sizes of the classes alone


def delta_presence(size: np.ndarray, population_size: np.ndarray) -> np.ndarray:
    """How sure one may be that a person of the population is in the data at all: share of each class that is.

    ``size`` and ``population_size`` (n_classes,) count the people of each class of the population, in the data and in
    all; a class that is in the population only has size 0. Measure (n_classes,) in [0, 1]; larger is riskier, and so
    is a share below delta_min, which tells that someone is not in the data: (delta_min, delta_max)-presence holds
    where delta_min <= measure <= delta_max in every class (``has_delta_presence``). Raises ``FaultyInputError`` on
    classes with more people in the data than in the population. Source: Nergiz, Atzori and Clifton 2007,
    doi:10.1145/1247480.1247554.
    """
    size, population_size = np.asarray(size), np.asarray(population_size)
    n_too_large = int(((size > population_size) | (population_size <= 0)).sum())
    if n_too_large:
        raise FaultyInputError(
            f"delta_presence: {n_too_large} of {len(size)} classes have more people in the data than the population, "
            "or none in that; allowed: a population that contains the data; check that both are coded alike"
        )
    return size / population_size


def has_delta_presence(presence: np.ndarray, delta_min: float, delta_max: float) -> np.ndarray:
    """Which classes have (delta_min, delta_max)-presence: (n_classes,) of bool; both bounds are allowed values.

    Raises ``FaultyInputError`` unless 0 <= delta_min <= delta_max <= 1.
    """
    if not 0 <= delta_min <= delta_max <= 1:
        raise FaultyInputError("delta_presence: allowed: 0 <= delta_min <= delta_max <= 1; correct the bounds")
    return (presence >= delta_min * (1 - TOLERANCE)) & (presence <= delta_max * (1 + TOLERANCE))


def average_class_size(size: np.ndarray) -> float:
    """People per equivalence class: n / number of classes; from 1 to n, smaller is riskier, NaN without classes.

    ``size`` (n_classes,) counts the people of each class. Source: LeFevre, DeWitt and Ramakrishnan 2006 (C_AVG before
    it is divided by k), doi:10.1109/ICDE.2006.101.
    """
    return float(np.mean(size)) if len(size) else float("nan")


def discernibility(size: np.ndarray, n_suppressed: int = 0) -> int:
    """Pairs of records that cannot be told apart: sum of squared sizes, and n for each suppressed record.

    From n to n squared, n counting the suppressed; smaller is riskier (and more useful). ``size`` (n_classes,) are
    the classes that are kept. Source: Bayardo and Agrawal 2005, doi:10.1109/ICDE.2005.42.
    """
    sizes = [int(n) for n in size]  # Python's integers do not overflow
    return sum(n * n for n in sizes) + (sum(sizes) + n_suppressed) * n_suppressed
