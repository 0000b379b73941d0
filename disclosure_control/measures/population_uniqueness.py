"""How many people of the population are alone with their quasi-identifiers, estimated from a sample.

The estimators use only the number of classes of each size in the sample (the histogram of class sizes) and the fraction
of the population that it is. They assume a simple random sample and differ in what they assume of the
population; none is the best everywhere, so Dankar's rule picks one by the sampling fraction.

Notation of the papers: N and n people in the population and in the sample, pi = n/N; u classes in the sample, s_i of
them with i people; K classes in the population, F people in one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from Anonymization_Models import EquivalenceClasses

PITMAN_UP_TO = 0.1  # the sampling fraction up to which Dankar's rule takes Pitman's estimator


@dataclass(frozen=True)
class SizeHistogram:
    """Classes by size: ``sizes`` (n_sizes,), rising, people per class, and how many classes ``n_classes`` have it."""

    sizes: np.ndarray
    n_classes: np.ndarray

    @property
    def n_people(self) -> int:
        return int(self.sizes @ self.n_classes)

    @property
    def n_all_classes(self) -> int:
        """Classes of any size."""
        return int(self.n_classes.sum())

    @property
    def n_uniques(self) -> int:
        """People who are alone in their class; more are riskier."""
        return int(self.n_classes[self.sizes == 1].sum())


def size_histogram(classes: EquivalenceClasses, missing_qis: str = "category") -> SizeHistogram:
    """The histogram of the sizes of the evaluated classes.

    The estimators need a partition of people. So under "wildcard" too a missing value is a value of its own here.
    """
    sizes, n_classes = np.unique(classes.size[classes.evaluated(missing_qis)], return_counts=True)
    return SizeHistogram(sizes.astype(np.int64), n_classes.astype(np.int64))


@dataclass(frozen=True)
class UniquesEstimate:
    """Population uniques: ``n_uniques`` people, from 0 to N, and their share ``rate`` of N; larger is riskier.

    Both are None where the estimator does not apply or has no solution, and ``reason`` says why, in a sentence.
    ``parameters`` are those of the fitted population. ``estimator`` names the one that gave the figures.
    """

    estimator: str
    n_uniques: float | None
    rate: float | None
    reason: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)


def population_uniques(histogram: SizeHistogram, sampling_fraction: float) -> dict[str, UniquesEstimate]:
    """Every estimate by name: "zayatz", "pitman", "snb", and "dankar", which is one of them.

    ``sampling_fraction`` is the sample's share of the population, in (0, 1]; at 1 the sample's own uniques are
    counted.
    """
    n = histogram.n_people
    population = round(n / sampling_fraction)
    estimates = {}
    for name, estimate in ESTIMATORS.items():
        if n == 0:
            found = UniquesEstimate(name, None, None, "No record is evaluated.")
        elif population == n:
            found = _estimate(name, histogram.n_uniques, population)
        else:
            found = estimate(histogram, population)
        estimates[name] = found
    return {**estimates, "dankar": choose_by_dankar(estimates, sampling_fraction)}


def choose_by_dankar(estimates: Mapping[str, UniquesEstimate], sampling_fraction: float) -> UniquesEstimate:
    """Dankar's decision rule: Pitman for a fraction up to 0.1, above it the smaller one of SNB and Zayatz.

    An estimator without a figure gives way to the next one: Pitman to Zayatz, SNB and Zayatz to each other and
    then to Pitman. Source: Dankar, El Emam, Neisa and Roffey 2012, doi:10.1186/1472-6947-12-66.
    """
    if sampling_fraction <= PITMAN_UP_TO * (1 + 1e-9):
        candidates = [estimates["pitman"], estimates["zayatz"]]
    else:
        both = [estimates[name] for name in ("zayatz", "snb")]
        candidates = [*sorted(both, key=lambda e: math.inf if e.rate is None else e.rate), estimates["pitman"]]
    return next((estimate for estimate in candidates if estimate.rate is not None), candidates[0])


def _estimate(
    name: str, n_uniques: float, population: int, parameters: Mapping[str, float] | None = None
) -> UniquesEstimate:
    n_uniques = min(max(float(n_uniques), 0.0), float(population))
    return UniquesEstimate(name, n_uniques, n_uniques / population, None, parameters or {})


# ---------------------------------------------------------------- Zayatz


def zayatz(histogram: SizeHistogram, population: int) -> UniquesEstimate:
    """Bayes' rule on a class that is unique in the sample: N/n s_1 P(F=1 | f=1).

    The prior share of population classes of each size is taken from the sample, and a sample of n people draws one
    of F with the hypergeometric probability. No uniques in the sample gives none in the population. Source: Zayatz
    1991, US Bureau of the Census, CENSUS/SRD/RR-91/08, in the notation of Dankar et al. 2012, appendix A.
    """
    n, sizes = histogram.n_people, histogram.sizes
    # P(f=1 | F=i) / (n/N) = i (N-n)(N-n-1)... / ((N-1)(N-2)...), i - 1 factors each.
    drawn = np.arange(sizes.max() - 1)
    none_else = np.append(1.0, np.cumprod(np.maximum(population - n - drawn, 0) / (population - 1.0 - drawn)))
    all_sizes = histogram.n_classes @ (sizes * none_else[sizes - 1])
    s1 = histogram.n_uniques
    return _estimate("zayatz", population / n * s1 * s1 / all_sizes if s1 else 0.0, population)


# ---------------------------------------------------------------- Pitman


def pitman(histogram: SizeHistogram, population: int) -> UniquesEstimate:
    """Pitman's sampling formula, fitted by maximum likelihood: Gamma(theta+1) / Gamma(theta+alpha) N^alpha.

    The two equations of the maximum are solved one inside the other, each by bracketing, so no starting value
    matters. Class sizes that differ little have no maximum with 0 < alpha < 1, and then no estimate. Source: Hoshino
    2001, Journal of Official Statistics 17(4), 499-520; Dankar et al. 2012, appendix A.
    """
    n, u = histogram.n_people, histogram.n_all_classes
    if u == n:
        return UniquesEstimate("pitman", None, None, "Every record is unique, so the likelihood has no maximum.")
    if u == 1:
        return UniquesEstimate("pitman", None, None, "All records are in one class, so there is nothing to fit.")

    def slope(alpha: float) -> float:  # of the likelihood along alpha, at the best theta for that alpha
        gap = _best_gap(alpha, n, u)
        classes_part = (u - 1 - (gap - alpha) * _class_sum(gap, alpha, u)) / alpha
        return classes_part - histogram.n_classes @ (digamma(histogram.sizes - alpha) - digamma(1.0 - alpha))

    low, high = 1e-6, 1.0 - 1e-9
    if not slope(low) > 0 > slope(high):
        reason = (
            "The likelihood has no maximum with alpha between 0 and 1: the class sizes do not follow Pitman's formula."
        )
        return UniquesEstimate("pitman", None, None, reason)
    alpha = brentq(slope, low, high, xtol=1e-15, rtol=1e-14)
    theta = _best_gap(alpha, n, u) - alpha
    log_uniques = gammaln(theta + 1.0) - gammaln(theta + alpha) + alpha * math.log(population)
    return _estimate("pitman", math.exp(log_uniques), population, {"theta": theta, "alpha": alpha})


def _best_gap(alpha: float, n: int, u: int) -> float:
    """theta + alpha, a number above 0, where the likelihood is highest for a given alpha.

    The slope along theta falls from infinity at theta = -alpha and is below zero far out, as there are fewer
    classes than people.
    """

    def slope(log_gap: float) -> float:
        gap = math.exp(log_gap)
        return _class_sum(gap, alpha, u) - _reciprocals(gap + 1.0 - alpha, n - 1)

    return math.exp(brentq(slope, -80.0, 2.0 * math.log(n) + 10.0, xtol=1e-15, rtol=1e-14))


def _class_sum(gap: float, alpha: float, u: int) -> float:
    """1/(theta+alpha) + 1/(theta+2 alpha) + ... , u - 1 terms."""
    return _reciprocals(gap / alpha, u - 1) / alpha


def _reciprocals(start: float, n_terms: int) -> float:
    """1/start + 1/(start+1) + ..., to full precision: a difference of digammas, which for large starts cancels."""
    end = start + n_terms
    if start < 200.0:
        return float(digamma(end) - digamma(start))
    powers = sum(c * (start**-i - end**-i) for i, c in ((1, 1 / 2), (2, 1 / 12), (4, -1 / 120)))
    return math.log1p(n_terms / start) + powers


# ---------------------------------------------------------------- slide negative binomial


def slide_negative_binomial(histogram: SizeHistogram, population: int) -> UniquesEstimate:
    """Class sizes of the population are one plus a negative binomial number: uniques are K p^alpha of K classes.

    Every class has somebody, hence the slide by one. A class of F people leaves a binomial number of them in the
    sample. The three parameters are those that give what is known: N people in all, u classes that the sample
    meets, s_1 of them with one person. With w = 1 - (1-pi)(1-p) and r = p/w:

        N = K (1 + alpha (1-p)/p),   u = K (1 - (1-pi) r^alpha),   s_1 = K pi r^alpha (1 + alpha (1-p)(1-pi)/w).

    Source of the model: Chen and Keller-McNulty 1998, Journal of Official Statistics 14(1), 79-95. Codes that draw K
    from another estimator and fit s_1 and s_2 do not give the known N back, often by a factor of two.
    """
    n, u, s1 = histogram.n_people, histogram.n_all_classes, histogram.n_uniques
    pi = n / population
    # For a given K the other two follow; the first equation is then left, between the bounds that K has.
    low, high = float(u), min(u / pi, float(population))
    grid = low + (high - low) * (1.0 - np.cos(np.linspace(0.0, np.pi, 4001)[1:-1])) / 2.0
    left_over, _, _ = _fit_given_classes(grid, population, pi, u, s1)
    crossing = np.flatnonzero(np.sign(left_over[:-1]) * np.sign(left_over[1:]) < 0)
    if not len(crossing):
        reason = "No slide negative binomial population gives this many classes and uniques in such a sample."
        return UniquesEstimate("snb", None, None, reason)

    def equation(n_classes: float) -> float:
        return float(_fit_given_classes(np.array([n_classes]), population, pi, u, s1)[0][0])

    n_classes = brentq(equation, grid[crossing[0]], grid[crossing[0] + 1], xtol=1e-12 * high, rtol=1e-14)
    _, alpha, p = (float(x[0]) for x in _fit_given_classes(np.array([n_classes]), population, pi, u, s1))
    parameters = {"n_classes": n_classes, "alpha": alpha, "p": p}
    return _estimate("snb", n_classes * p**alpha, population, parameters)


def _fit_given_classes(
    n_classes: np.ndarray, population: int, pi: float, u: int, s1: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the first equation is off by, alpha and p for each K (n,), NaN where no alpha > 0, 0 < p < 1 fits."""
    extra = population / n_classes - 1.0  # alpha (1-p)/p
    with np.errstate(all="ignore"):
        unmet = (1.0 - u / n_classes) / (1.0 - pi)  # r^alpha
        r = (s1 / (n_classes * pi * unmet) - 1.0) / (extra * (1.0 - pi))
        r[~((r > 0) & (r < 1) & (unmet > 0) & (unmet < 1))] = np.nan
        alpha, p = np.log(unmet) / np.log(r), r * pi / (1.0 - r * (1.0 - pi))
        return alpha * (1.0 - p) / p - extra, alpha, p


ESTIMATORS: dict[str, Callable[[SizeHistogram, int], UniquesEstimate]] = {
    "zayatz": zayatz,
    "pitman": pitman,
    "snb": slide_negative_binomial,
}
