"""A slow referee for the syntactic models: plain loops over lists of values, exact fractions wherever there is no log.

Every function answers for one class: ``model(sample, everybody)``, the values of the class and of all evaluated people,
those without a value left out. Nothing is shared with the code under test; the papers are written down once more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from Anonymization_Models import EquivalenceClasses

EULER_GAMMA = 0.57721566490153286061


def risky_records(result) -> np.ndarray:
    """Which records are evaluated and in a class that does not meet the threshold: (n_records,) of bool."""
    return ~np.isnan(result.per_record()) & ~result.satisfied[result.classes.class_of_record]


def by_class(classes: EquivalenceClasses, measure: np.ndarray) -> dict:
    """A measure (n_classes,) by the label of the only quasi-identifier, None for a missing one."""
    labels = [None if code < 0 else classes.columns[0].labels[code] for code in classes.class_codes[0]]
    return dict(zip(labels, measure.tolist(), strict=True))


# ---------------------------------------------------------------- shares


def share(sample: list, value) -> Fraction:
    return Fraction(sample.count(value), len(sample))


def frequencies(sample: list) -> list[int]:
    """People per value, the most frequent first."""
    return sorted((sample.count(value) for value in set(sample)), reverse=True)


# ---------------------------------------------------------------- l


def distinct_l(sample: list, everybody: list) -> int:
    return len(set(sample))


def entropy_l(sample: list, everybody: list) -> float:
    return math.exp(-math.fsum(share(sample, v) * math.log(share(sample, v)) for v in set(sample)))


def grassberger_number(n: int) -> float:
    """By the recursion of the paper: G(1), G(2), G(2k + 1) = G(2k), G(2k + 2) = G(2k) + 2 / (2k + 1)."""
    if n == 1:
        return -EULER_GAMMA - math.log(2)
    return 2 - EULER_GAMMA - math.log(2) + math.fsum(2 / (2 * k + 1) for k in range(1, n // 2))


def grassberger_l(sample: list, everybody: list) -> float:
    n = len(sample)
    entropy = grassberger_number(n) - math.fsum(f * grassberger_number(f) for f in frequencies(sample)) / n
    return min(math.exp(entropy), len(set(sample)))


def recursive_l(sample: list, everybody: list, c: float = 2.0) -> int:
    r = frequencies(sample)
    largest = 1  # "we say that 1-diversity is always satisfied"
    for wanted in range(1, len(r) + 1):
        if r[0] < Fraction(str(c)) * sum(r[wanted - 1 :]):
            largest = wanted
    return largest


# ---------------------------------------------------------------- shares and gains


def alpha_k(sample: list, everybody: list, values: list | None = None) -> Fraction:
    return max(share(sample, value) for value in (set(sample) if values is None else values))


def gains(sample: list, everybody: list) -> dict:
    """Value -> (p - q) / q, of the values with p > q."""
    return {
        value: share(sample, value) / share(everybody, value) - 1
        for value in set(sample)
        if share(sample, value) > share(everybody, value)
    }


def basic_beta(sample: list, everybody: list) -> Fraction:
    return max(gains(sample, everybody).values(), default=Fraction(0))


def has_enhanced_beta(sample: list, everybody: list, beta: float) -> bool:
    """The definition itself, for one beta."""
    return all(
        gain <= min(beta, -math.log(share(everybody, value))) for value, gain in gains(sample, everybody).items()
    )


def enhanced_beta(sample: list, everybody: list) -> float:
    """The smallest beta that will do, tried out: one of the gains, or none at all."""
    candidates = [0.0, *sorted(float(gain) for gain in gains(sample, everybody).values())]
    return next((beta for beta in candidates if has_enhanced_beta(sample, everybody, beta * (1 + 1e-13))), math.inf)


def delta_disclosure(sample: list, everybody: list) -> float:
    return max(abs(math.log2(share(sample, value) / share(everybody, value))) for value in set(sample))


# ---------------------------------------------------------------- t


def total_variation_t(sample: list, everybody: list) -> Fraction:
    return sum((abs(share(sample, v) - share(everybody, v)) for v in set(everybody)), Fraction(0)) / 2


def cumulated(sample: list, everybody: list) -> list[Fraction]:
    """Sum over j <= i of p_j - q_j, for each value i in order."""
    return list(itertools.accumulate(share(sample, v) - share(everybody, v) for v in sorted(set(everybody))))


def ordered_t(sample: list, everybody: list) -> Fraction:
    steps = max(len(set(everybody)) - 1, 1)
    return sum((abs(difference) for difference in cumulated(sample, everybody)), Fraction(0)) / steps


def wasserstein_t(sample: list, everybody: list) -> Fraction:
    values = [Fraction(value) for value in sorted(set(everybody))]
    differences = cumulated(sample, everybody)[:-1]
    widths = [there - here for here, there in itertools.pairwise(values)]
    return sum((abs(d) * width for d, width in zip(differences, widths, strict=True)), Fraction(0))


def hierarchical_t(sample: list, everybody: list, paths: dict) -> Fraction:
    """The paper's recursion: the cost of a node is level / height * min(extra, lacking) of its children.

    ``paths``: value -> its labels from the leaf to the root.
    """
    height = len(next(iter(paths.values()))) - 1
    extra_below: dict = {path[:1]: share(sample, value) - share(everybody, value) for value, path in paths.items()}
    extra_below = {(0, *label): extra for label, extra in extra_below.items()}
    cost = Fraction(0)
    for level in range(1, height + 1):
        children_of: dict = {}
        for path in paths.values():
            children_of.setdefault((level, path[level]), set()).add((level - 1, path[level - 1]))
        for node, children in children_of.items():
            extra = sum((max(extra_below[child], Fraction(0)) for child in children), Fraction(0))
            lacking = sum((max(-extra_below[child], Fraction(0)) for child in children), Fraction(0))
            cost += Fraction(level, height) * min(extra, lacking)
            extra_below[node] = extra - lacking
    return cost


REFEREE: dict[str, Callable] = {
    function.__name__: function
    for function in (
        distinct_l,
        entropy_l,
        grassberger_l,
        recursive_l,
        alpha_k,
        total_variation_t,
        ordered_t,
        wasserstein_t,
        hierarchical_t,
        basic_beta,
        enhanced_beta,
        delta_disclosure,
    )
}


# ---------------------------------------------------------------- by hand

# Of ten people with value 0, where thirty others have 1 or 5, fifteen each.
RISKIEST = {
    "distinct_l": 1,
    "entropy_l": 1,
    "grassberger_l": 1,
    "recursive_l": 1,
    "alpha_k": 1,
    "total_variation_t": 0.75,
    "ordered_t": 0.375 * 1 + 0.375 * 0.5,
    "wasserstein_t": 0.375 * 5 + 0.375 * 1,
    "hierarchical_t": (0.375 * 1 + 0.375 * 3) / 3,
    "basic_beta": 3,
    "enhanced_beta": math.inf,  # 3 is above -ln(1/4) = 1.39
    "delta_disclosure": 2,
}
