"""The measures of the syntactic privacy models, each for all equivalence classes of one count table at once.

Every function is ``measure(table, reference, parameters) -> (n_classes,)``. ``p`` is the share of a value among the
people of a class who have a value, ``q`` its share in ``reference`` (n_values,), the people per value of the evaluated
table. Classes without any value get NaN. Each follows its entry in the registry: its range, its source, which direction
is riskier and how it is compared with a threshold; ``syntactic_models`` evaluates what is registered.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import DISTANCES, CountTable
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.encoding.keys import count_pairs
from disclosure_control.basics.telling.faults import FaultyInputError

# Two figures closer than this, relative to their size, are equal: what rounding makes of an exact tie is no difference.
TOLERANCE = 1e-12


# ---------------------------------------------------------------- the registry

MACHANAVAJJHALA = "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007, doi:10.1145/1217299.1217302"
LI = "Li, Li and Venkatasubramanian 2007, doi:10.1109/ICDE.2007.367856"
CAO = "Cao and Karras 2012, doi:10.48550/arXiv.1208.0220"

COMPARISONS: dict[str, tuple[Callable[[np.ndarray, float, float], np.ndarray], str]] = {
    "at_least": (lambda measure, threshold, slack: measure >= threshold - slack, "at least the threshold"),
    "at_most": (lambda measure, threshold, slack: measure <= threshold + slack, "at most the threshold"),
    "below": (lambda measure, threshold, slack: measure < threshold - slack, "below the threshold"),
}

Measure = Callable[[CountTable, np.ndarray, Mapping[str, Any]], np.ndarray]


@dataclass(frozen=True)
class SyntacticModel:
    """One model: its measure and how to read it.

    ``riskier`` is "smaller" or "larger"; ``value_range`` the range in words; ``comparison`` a name of ``COMPARISONS``:
    a class satisfies the model where its measure is so, ties within rounding being equal. ``defaults`` are all
    parameters that the measure knows. ``needs`` is "" (any values), "order", "numbers" or "hierarchy".
    ``needs_own_value``: whether a record without a sensitive value is left out, as t-closeness does, because the
    model compares people with a value; the l models judge every member by the class. ``in_units``: the measure is in
    the unit of the value.
    """

    name: str
    function: Measure
    value_range: str
    source: str
    riskier: str
    comparison: str
    needs: str = ""
    needs_own_value: bool = True
    in_units: bool = False
    defaults: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def satisfies(self, measure: np.ndarray, threshold: float, scale: float = 1.0) -> np.ndarray:
        """Whether measures meet a threshold, False where NaN; ``scale``: the size of figures that were summed."""
        with np.errstate(invalid="ignore"):
            return COMPARISONS[self.comparison][0](measure, threshold, TOLERANCE * max(scale, abs(threshold)))

    def scale(self, table: CountTable) -> float:
        """What rounding errors are relative to: the range of the values for a measure in their unit, else 1."""
        present = table.values[table.people_of_value > 0] if self.in_units else np.empty(0)
        return float(np.ptp(present) or 1.0) if len(present) else 1.0

    def worst_of(self, measure: np.ndarray) -> float | None:
        """The riskiest of some measures, None where there is none."""
        if not len(measure):
            return None
        return float(measure.min() if self.riskier == "smaller" else measure.max())


SYNTACTIC_MODELS: dict[str, SyntacticModel] = {}  # by name, in the order of this file


def syntactic_model(
    value_range: str, source: str, riskier: str = "larger", comparison: str = "at_most", **more: Any
) -> Callable[[Measure], Measure]:
    """Register the measure that follows as a model of its name; the arguments are those of ``SyntacticModel``."""

    def register(measure: Measure) -> Measure:
        defaults = {need: None for need in ("order", "hierarchy") if more.get("needs") == need}
        settings = {**more, "defaults": MappingProxyType({**defaults, **more.get("defaults", {})})}
        name = measure.__name__
        SYNTACTIC_MODELS[name] = SyntacticModel(name, measure, value_range, source, riskier, comparison, **settings)
        return measure

    return register


def _l_model(value_range: str, source: str, **defaults: object) -> Callable[[Measure], Measure]:
    return syntactic_model(value_range, source, "smaller", "at_least", needs_own_value=False, defaults=defaults)


_OF_CLASS = "1 to the number of distinct values of the class"
_GAIN = "from 0 up to 1 / the share of the rarest value - 1"


# ---------------------------------------------------------------- what the models share


@dataclass(frozen=True)
class SharedCells(CountTable):
    """A count table together with its reference, remembering what several models need: each is computed once."""

    reference: np.ndarray

    @classmethod
    def of(cls, table: CountTable, reference: np.ndarray) -> SharedCells:
        """The table with its reference; one that has it already is returned with its cached results."""
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
        """People with a value in each class that has a cell: (n_occupied,)."""
        return self.people_of_class[self.class_of_cell[self.first]]

    @cached_property
    def people_of_class_of_cell(self) -> np.ndarray:
        """People with a value in the class of each cell: (n_cells,)."""
        return np.repeat(self.people_of_occupied, self.n_cells_of_class)

    @cached_property
    def lift(self) -> np.ndarray:
        """p / q of each cell (n_cells,): exactly 1 where the shares are equal, infinite where q is 0."""
        with np.errstate(divide="ignore"):
            expected = self.people_of_class_of_cell * self.reference[self.value_of_cell]
            return self.people * float(self.reference.sum()) / expected

    @cached_property
    def largest_lift(self) -> np.ndarray:
        """Largest p / q of each class that has a cell: (n_occupied,)."""
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


@_l_model("a count from 1 to the number of values", MACHANAVAJJHALA)
def distinct_l(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """How many different sensitive values the class holds.

    A class has distinct l-diversity where the measure is at least l. Smaller is riskier: 1 gives the value away.
    """
    cells = SharedCells.of(table, reference)
    return cells.spread(cells.n_cells_of_class)


@_l_model(f"from {_OF_CLASS}", f"{MACHANAVAJJHALA}, entropy l-diversity")
def entropy_l(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
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


@_l_model(
    f"from {_OF_CLASS}",
    "Stammler, Katzenbeisser and Hamacher 2016, doi:10.1007/978-3-319-45381-1_11; "
    "Grassberger 2003, doi:10.48550/arXiv.physics/0307138",
)
def grassberger_l(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Entropy l with Grassberger's correction for small classes: exp(G(n) - sum n_v G(n_v) / n), n the class's people.

    It makes up for the values that a small class happens to miss, and is cut at the number of distinct values. G(n)
    where Grassberger has ln n, and the cut, are as in ARX: a class of one value keeps l = 1 however small it is.
    A class is l-diverse where the measure is at least l. Smaller is riskier. Depends on how large classes are.
    """
    cells = SharedCells.of(table, reference)
    weighted = cells.total(cells.people * _grassberger_numbers(cells.people))
    entropy = _grassberger_numbers(cells.people_of_occupied) - weighted / cells.people_of_occupied
    return cells.spread(np.clip(np.exp(entropy), 1.0, cells.n_cells_of_class))


@_l_model(f"a count from {_OF_CLASS}", f"{MACHANAVAJJHALA}, recursive (c, l)-diversity", c=2.0)
def recursive_l(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
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


# ---------------------------------------------------------------- the largest share


@syntactic_model(
    "a share from 1 / the number of values to 1, or from 0 where values are listed",
    "Wong, Li, Fu and Wang 2006, doi:10.1145/1150402.1150499",
    needs_own_value=False,
    defaults={"values": None},
)
def alpha_k(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
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


def _listed(values: np.ndarray, listed: Iterable[object]) -> np.ndarray:
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


# ---------------------------------------------------------------- t-closeness


def _distance(name: str, table: CountTable, reference: np.ndarray) -> np.ndarray:
    return DISTANCES[name].function(table, reference) if reference.any() else np.full(table.n_classes, np.nan)


@syntactic_model("a share from 0 to 1", f"{LI}, section 5.2")
def total_variation_t(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Half the sum of |p - q|: earth mover's distance of the class to all people, with equal distances between values.

    A class is t-close if the measure is at most t. Larger is riskier. Section 5.2 of the paper.
    """
    return _distance("total_variation", SharedCells.of(table, reference), reference)


@syntactic_model("from 0 to 1", f"{LI}, section 5.1", needs="order")
def ordered_t(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Earth mover's distance to all people, neighbouring values 1 / (m - 1) apart, m the values that occur.

    ``order``: the values from low to high, if they are text. A class is t-close if the measure is at most t. Larger is
    riskier. Section 5.1 of the paper.
    """
    rank = np.arange(len(table.values)) if table.is_numeric else _ranks(table.values, parameters["order"])
    taken = np.full(len(rank), -1)
    present = np.flatnonzero(reference > 0)
    by_rank = present[np.argsort(rank[present], kind="stable")]
    taken[by_rank] = np.arange(len(by_rank))
    if len(by_rank) == len(rank) and (taken == np.arange(len(rank))).all():
        return _distance("ordered", table, reference)
    return _distance("ordered", table.regrouped(taken, np.arange(len(by_rank), dtype=float)), reference[by_rank])


def _ranks(values: np.ndarray, order: Iterable[object]) -> np.ndarray:
    encoded = encode_column(pd.Series(list(order), dtype=object))
    rank_of = {encoded.labels[code]: rank for rank, code in enumerate(encoded.codes)}
    n_unknown = sum(value not in rank_of for value in values)
    if n_unknown or len(rank_of) < len(encoded.codes):
        raise FaultyInputError(
            f"ordered_t: order has {len(encoded.codes)} values, {len(encoded.codes) - len(rank_of)} of them repeated, "
            f"and lacks {n_unknown} of the data; allowed: each value of the sensitive feature once, from low to high"
        )
    return np.array([rank_of[value] for value in values], dtype=np.int64)


@syntactic_model(
    "from 0 to the range of the values, in their unit",
    f"{LI}; Rubner, Tomasi and Guibas 2000, doi:10.1023/A:1026543900054",
    needs="numbers",
    in_units=True,
)
def wasserstein_t(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Earth mover's distance of the class to all people, in the unit of the value.

    A class is t-close if the measure is at most t. Larger is riskier.
    """
    return _distance("wasserstein", table, reference)


@syntactic_model("from 0 to 1", f"{LI}, section 5.2", needs="hierarchy")
def hierarchical_t(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Earth mover's distance to all people; the distance of two values is the level of their first common node.

    ``hierarchy``: a ``ValueHierarchy`` with one root. A class is t-close if the measure is at most t. Larger is
    riskier. Section 5.2 of the paper: the sum over inner nodes of level / height times min(extra, lacking). A node
    balances the surplus of its children minus its own surplus, so the sum telescopes to the mean, over the levels below
    the root, of the total variation at that level. Raises ``FaultyInputError`` on values that are not leaves.
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
        cells = count_pairs(
            table.class_of_cell, node[table.value_of_cell], table.n_classes, n_nodes, people=table.people
        )
        coarse = CountTable(*cells, np.arange(n_nodes).astype(str), table.n_classes)
        distance += _distance("total_variation", coarse, np.bincount(node, reference, n_nodes))
    return distance / hierarchy.height


# ---------------------------------------------------------------- gains of belief


@syntactic_model(_GAIN, f"{CAO}, basic beta-likeness")
def basic_beta(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Largest relative gain of belief in a value: max (p - q) / q over values with p > q, 0 where there is none.

    A class has basic beta-likeness where the measure is at most beta. Larger is riskier.
    """
    cells = SharedCells.of(table, reference)
    return cells.spread(np.maximum(cells.largest_lift - 1.0, 0.0))


@syntactic_model(f"{_GAIN}; infinite where no beta will do", f"{CAO}, enhanced beta-likeness")
def enhanced_beta(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
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


@syntactic_model("from 0 up, in bits", "Brickell and Shmatikov 2008, doi:10.1145/1401890.1401904", comparison="below")
def delta_disclosure(table: CountTable, reference: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    """Largest |log2(p / q)| over the values present in the class: belief that rises and belief that falls.

    A class has delta-disclosure privacy where the measure is below delta. Larger is riskier. Values that are absent
    from a class would make it infinite; they are left out, as in ARX.
    """
    cells = SharedCells.of(table, reference)
    smallest_lift = -cells.largest(-cells.lift)
    return cells.spread(np.maximum(np.log2(cells.largest_lift), -np.log2(smallest_lift)))
