"""Re-identification risk of people drawn with sampling weights.

A record's weight is the number of people of the population that it represents. So a class of f people in the sample
represents F, the sum of their weights, in the population. An intruder's gain from a match is the expectation of 1/F
given f. If quasi-identifiers are missing and match any value, f and F are sums over all compatible classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.columns import encode_column, numbers_of
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from disclosure_control.basics.telling.faults import stop_at

SERIES_FROM = 20.0  # the power series needs at most 60 terms from this frequency on, whatever p is


# ---------------------------------------------------------------- frequencies in sample and population


def frequencies(
    classes: EquivalenceClasses,
    weight_of_class: np.ndarray | None = None,
    missing_qis: str = "category",
    alpha: float = 1.0,
    empty_records: str = "match",
) -> tuple[np.ndarray, np.ndarray]:
    """f and F of each class, (n_classes,) each: people in the sample, and people in the population by the weights.

    ``weight_of_class`` (n_classes,) sums the people that each record of a class represents; without weights the sample
    is the population. F is at least f. ``alpha`` and ``empty_records`` as in ``sum_over_compatible``, for
    ``missing_qis`` "wildcard". Smaller is riskier.
    """
    if weight_of_class is None and alpha == 1 and empty_records == "match":
        f = classes.frequency(missing_qis).astype(float)
        return f, f
    amounts = [classes.size] if weight_of_class is None else [classes.size, weight_of_class]
    sums = np.array(amounts, dtype=float)
    if missing_qis == "wildcard":
        sums = sum_over_compatible(classes, sums, alpha, empty_records)
    return sums[0], np.maximum(sums[0], sums[-1])


def checked_weights(weights: pd.Series, people: np.ndarray | None = None) -> np.ndarray:
    """Weights as numbers (n_records,). ``people`` (n_records,) count each entry, one if not given.

    Raises ``FaultyInputError`` with the counts of those that are missing, not numbers, or not above 0.
    """
    numbers = numbers_of(weights, people)
    people = np.ones(len(numbers), dtype=np.int64) if people is None else people
    faults = [
        f"weights in column {weights.name!r}: {int(people[which].sum())} of {int(people.sum())} are {kind}; allowed: "
        "numbers above 0, the people that a record stands for; correct them in the source, or leave the records out"
        for which, kind in ((np.isnan(numbers), "missing"), (numbers <= 0, "0 or below"))
        if people[which].any()
    ]
    stop_at(faults)
    return numbers


# ---------------------------------------------------------------- the risk of a class


def exact_risk(frequency: np.ndarray, population_frequency: np.ndarray) -> np.ndarray:
    """Expectation of 1/F given f, where F - f is negative binomial: (p/f) 2F1(1, 1; f+1; 1-p) with p = f/F.

    ``frequency`` f >= 1, whole or not, and ``population_frequency`` F >= f, arrays of one shape; so is the result,
    in (0, 1]; larger is riskier. To about 1e-14, from f = 1 to many millions and for any p. Source: Polettini 2003
    and Franconi and Polettini 2004, doi:10.1007/978-3-540-25955-8_20.

    The same number is the integral of u^(f-1) / (1 + x u) over u from 0 to 1, x = (1-p)/p, which gives the
    recurrence r(f+1) = (1/f - r(f)) / x. Going up it is stable from x = 1 on; otherwise, and where f is large, the
    power series in 1-p is short.
    """
    f, big = np.broadcast_arrays(np.asarray(frequency, dtype=float), np.asarray(population_frequency, dtype=float))
    beyond, risk = big - f, np.empty(f.shape)  # 1-p and x come from F - f, so no digit of p is lost
    short = (beyond <= f) | (f >= SERIES_FROM)
    risk[short] = _power_series(f[short], beyond[short] / big[short]) / big[short]
    risk[~short] = _recurrence(f[~short], beyond[~short] / f[~short])
    return risk


def _power_series(f: np.ndarray, q: np.ndarray) -> np.ndarray:
    """2F1(1, 1; f+1; q), a sum of positive terms."""
    total, term, k = np.ones(f.shape), np.ones(f.shape), 0
    while term.max(initial=0.0) > 1e-18:
        k += 1
        term = term * (k * q / (f + k))
        total += term
    return total


def _recurrence(f: np.ndarray, x: np.ndarray) -> np.ndarray:
    start = 1.0 + f % 1.0
    risk = np.log1p(x) / x
    between = start > 1.0
    risk[between] = _integral(start[between], x[between])
    n_steps = np.rint(f - start).astype(np.int64)
    for step in range(n_steps.max(initial=0)):
        risk = np.where(step < n_steps, (1.0 / (start + step) - risk) / x, risk)
    return risk


def _integral(f: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The integral itself for 1 < f < 2 and x >= 1, by Gauss's rule in t = -log u on panels no wider than 2 or so.

    The integrand exp(-f t) / (1 + x exp(-t)) has its poles at a distance of pi from the real line, and after
    t = log x + 40 nothing is left of it.
    """
    nodes, weights = np.polynomial.legendre.leggauss(20)
    f, x, total = f[:, None], x[:, None], np.zeros(len(f))
    width = (np.log(x) + 40.0) / 40
    for panel in range(40):
        t = width * (panel + 0.5 + 0.5 * nodes)
        total += (np.exp(-f * t) / (1.0 + x * np.exp(-t))) @ weights
    return total * 0.5 * width[:, 0]


def series_risk(frequency: np.ndarray, population_frequency: np.ndarray) -> np.ndarray:
    """The approximation that sdcMicro and mu-Argus use: exact up to f = 2, and p / (f - (1-p)) above.

    Arguments, range and direction as in ``exact_risk``, which it never falls below. sdcMicro reports 0 for f
    between 1 and 2 (missing values with an ``alpha`` below 1); a record that is nearly unique has not no risk, so
    here the exact form holds there. Source: Franconi and Polettini 2004; Templ et al. 2015, section 2.
    """
    f, big = np.broadcast_arrays(np.asarray(frequency, dtype=float), np.asarray(population_frequency, dtype=float))
    small = f <= 2.0 * (1.0 + 1e-12)  # a sum of shares alpha that ought to be 2 may be a rounding error above it
    risk = np.empty(f.shape)
    risk[small] = exact_risk(f[small], big[small])
    f, big = f[~small], big[~small]
    risk[~small] = (f / big) / (f - (big - f) / big)
    return risk


RISK_FORMULAS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "series": series_risk,
    "exact": exact_risk,
}


# ---------------------------------------------------------------- the risk of records and households


@dataclass(frozen=True)
class SampleRisk:
    """Risk ``of_each`` class or record (n,), NaN where it is not evaluated, and the ``people`` (n,) of each.

    Figures of classes and of their records are the same to the last digit.
    """

    of_each: np.ndarray
    people: np.ndarray

    @property
    def n_evaluated(self) -> int:
        return int(self.people[~np.isnan(self.of_each)].sum())

    @cached_property
    def expected_reidentifications(self) -> float:
        """Sum of the risks of all people, from 0 to their number; larger is riskier."""
        known = ~np.isnan(self.of_each)
        return _exact_sum_of_products(self.of_each[known], self.people[known].astype(float))

    @property
    def global_risk(self) -> float | None:
        """Mean risk of the evaluated people, in [0, 1]; None where there is none."""
        return self.expected_reidentifications / self.n_evaluated if self.n_evaluated else None

    @property
    def highest(self) -> float | None:
        """Largest risk of an evaluated person, in [0, 1]; None where there is none."""
        return float(np.nanmax(self.of_each)) if self.n_evaluated else None


def _exact_sum_of_products(one: np.ndarray, other: np.ndarray) -> float:
    """The sum of products, rounded once: as ``math.fsum`` of each number repeated.

    Each product is its rounded value and the rounding error. Source: Dekker 1971, doi:10.1007/BF01397083.
    """
    (high, low), (other_high, other_low) = _halves(one), _halves(other)
    product = one * other
    rest = low * other_low - (((product - high * other_high) - low * other_high) - high * other_low)
    return math.fsum(np.concatenate([product, rest]))


def _halves(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scaled = numbers * 134_217_729.0  # 2**27 + 1
    high = scaled - (scaled - numbers)
    return high, numbers - high


def risk_of_classes(
    classes: EquivalenceClasses,
    weight_of_class: np.ndarray | None = None,
    missing_qis: str = "category",
    alpha: float = 1.0,
    method: str = "series",
    empty_records: str = "match",
) -> SampleRisk:
    """How likely it is that an intruder who finds a record's class in the population picks the right person.

    ``method`` is a name of ``RISK_FORMULAS``; the other arguments are those of ``frequencies``. Without weights the
    risk is 1/f. Source: Franconi and Polettini 2004,
    doi:10.1007/978-3-540-25955-8_20.
    """
    f, population_f = frequencies(classes, weight_of_class, missing_qis, alpha, empty_records)
    evaluated = classes.evaluated(missing_qis)
    risk = np.full(classes.n_classes, np.nan)
    risk[evaluated] = RISK_FORMULAS[method](f[evaluated], population_f[evaluated])
    return SampleRisk(risk, classes.size)


def household_risk(risk: np.ndarray, household: pd.Series) -> SampleRisk:
    """How likely it is that at least one member of a record's household is re-identified: 1 - prod(1 - risk).

    ``risk`` (n_records,), NaN where a record is not evaluated; ``household`` (n_records,) names the household of each
    record. A record without one is on its own, and members that are not evaluated do not add to the risk. Never below a
    member's own risk; larger is riskier. Source: sdcMicro ``measure_risk``, hierarchical risk; Hundepool et al. 2012,
    section 3.3.
    """
    codes = encode_column(household).codes.astype(np.int64)
    alone = np.flatnonzero(codes < 0)
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(len(alone))
    order = np.lexsort((risk, codes))  # so that sums do not depend on the order of the records
    with np.errstate(divide="ignore"):  # a certain re-identification: log(0) is -inf, and the result 1
        escape = np.log1p(-np.nan_to_num(risk[order]))
    together = -np.expm1(np.bincount(codes[order], escape))
    return SampleRisk(np.where(np.isnan(risk), np.nan, together[codes]), np.ones(len(risk)))
