"""Two groups and their rates of a favourable outcome: difference, ratio, intervals; in all and pooled over strata.

Everything here is a function of counts: (stratum, group, outcome) -> number of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from disclosure_control.basics.telling.confidence_intervals import wilson_interval

FOUR_FIFTHS = 0.8
Interval = tuple[float, float]


@dataclass(frozen=True)
class TwoGroups:
    """People of the reference group and of the sensitive one, and how many of each have the favourable outcome."""

    n_reference: int
    n_reference_favourable: int
    n_group: int
    n_group_favourable: int

    @property
    def reference_rate(self) -> float:
        """Share of the reference group with the favourable outcome, in [0, 1]."""
        return self.n_reference_favourable / self.n_reference

    @property
    def group_rate(self) -> float:
        """Share of the sensitive group with the favourable outcome, in [0, 1]."""
        return self.n_group_favourable / self.n_group

    @property
    def statistical_parity_difference(self) -> float:
        """Rate of the reference group minus that of the sensitive one, in [-1, 1]; above 0 the reference is favoured.

        Source: Calders and Verwer 2010, doi:10.1007/s10618-010-0190-x.
        """
        return self.reference_rate - self.group_rate

    @property
    def disparate_impact(self) -> float | None:
        """Rate of the reference group over that of the sensitive one; above 1 the reference is favoured.

        Above 1.25 it fails the four-fifths line (29 CFR 1607.4 D). None where nobody of the group is favoured.
        """
        return self.reference_rate / self.group_rate if self.n_group_favourable else None

    @property
    def disparate_impact_inverse(self) -> float | None:
        """Rate of the sensitive group over that of the reference; below 0.8 it fails the four-fifths line."""
        return self.group_rate / self.reference_rate if self.n_reference_favourable else None

    @property
    def meets_four_fifths(self) -> bool | None:
        """Whether the lower of the two rates is at least four fifths of the higher one; None where nobody is favoured.

        In whole numbers, so that a rate right on the line meets it.
        """
        low, high = sorted(
            (self.n_reference_favourable * self.n_group, self.n_group_favourable * self.n_reference)
        )  # the rates times the people of both groups
        return 5 * low >= 4 * high if high else None

    @property
    def massaging_label_changes(self) -> float:
        """M: labels to change in each group, so many up in one and down in the other, until the rates are equal.

        Below 0 where the sensitive group is the favoured one. Source: Kamiran and Calders 2012, section 4.1,
        doi:10.1007/s10115-011-0463-8.
        """
        n = self.n_reference + self.n_group
        return self.statistical_parity_difference * self.n_reference * self.n_group / n

    def difference_interval(self, confidence: float = 0.95) -> Interval:
        """Interval of the difference from those of the rates. Source: Newcombe 1998, method 10,
        doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I."""
        low_1, high_1 = wilson_interval(self.n_reference_favourable, self.n_reference, confidence)
        low_2, high_2 = wilson_interval(self.n_group_favourable, self.n_group, confidence)
        p_1, p_2 = self.reference_rate, self.group_rate
        below = sqrt((p_1 - low_1) ** 2 + (high_2 - p_2) ** 2)
        above = sqrt((high_1 - p_1) ** 2 + (p_2 - low_2) ** 2)
        return max(-1.0, p_1 - p_2 - below), min(1.0, p_1 - p_2 + above)

    def ratio_interval(self, confidence: float = 0.95) -> Interval | None:
        """Interval of ``disparate_impact`` on the log scale; None where a rate is 0.

        Source: Katz et al. 1978, doi:10.2307/2530610.
        """
        ratio = self.disparate_impact
        if ratio is None or not self.n_reference_favourable:
            return None
        spread = [
            (1 - self.reference_rate) / self.n_reference_favourable,
            (1 - self.group_rate) / self.n_group_favourable,
        ]
        half = _z(confidence) * sqrt(sum(spread))
        return ratio * exp(-half), ratio * exp(half)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


# ---------------------------------------------------------------- within strata


@dataclass(frozen=True)
class WithinStrata:
    """The two groups compared among people who are alike, and pooled over the strata.

    ``n_compared`` people are in strata that hold both groups; the other strata cannot tell. Intervals are None where
    the people compared show no chance at all, as where all are favoured. ``p_value`` is that of no difference in any
    stratum (Cochran-Mantel-Haenszel, with continuity correction); None where nothing varies.
    """

    n_strata: int
    n_strata_compared: int
    n_compared: int
    n_not_compared: int
    difference: float | None
    difference_interval: Interval | None
    ratio: float | None
    ratio_interval: Interval | None
    chi_squared: float | None
    p_value: float | None


def pool_strata(counts: np.ndarray, confidence: float = 0.95) -> WithinStrata:
    """Pooled figures of strata. ``counts`` (n_strata, 4): people and favoured of the reference, then of the group.

    Difference and ratio as ``TwoGroups``, weighted by stratum. Both intervals hold for a few large strata and for
    many small ones, pairs among them. Sources: Mantel and Haenszel 1959, doi:10.1093/jnci/22.4.719; Greenland and
    Robins 1985, doi:10.2307/2530643, for the ratio and its interval; Sato, Greenland and Robins 1989, Biometrics 45,
    1323-1324, for that of the difference (of a difference that is the same in every stratum).
    """
    both = counts[(counts[:, 0] > 0) & (counts[:, 2] > 0)].astype(float)
    n_people = int(counts[:, [0, 2]].sum())
    n_compared = int(both[:, [0, 2]].sum())
    known = (len(counts), len(both), n_compared, n_people - n_compared)
    if not len(both):
        return WithinStrata(*known, None, None, None, None, None, None)
    n_1, a, n_0, c = both.T
    n, favoured = n_1 + n_0, a + c
    weight = (n_1 * n_0 / n).sum()
    difference = float(((a * n_0 - c * n_1) / n).sum() / weight)
    ratio, ratio_interval = _pooled_ratio((a * n_0 / n).sum(), (c * n_1 / n).sum(), both, confidence)
    chi_squared, p_value = _cochran_mantel_haenszel(a - n_1 * favoured / n, n_1, n_0, favoured, n)
    interval = _interval_of_difference(difference, weight, both, confidence)
    return WithinStrata(*known, difference, interval, ratio, ratio_interval, chi_squared, p_value)


def _interval_of_difference(difference: float, weight: float, both: np.ndarray, confidence: float) -> Interval | None:
    n_1, a, n_0, c = both.T
    n = n_1 + n_0
    slope = ((n_1**2 * c - n_0**2 * a + n_1 * n_0 * (n_0 - n_1) / 2) / n**2).sum()
    level = ((a * (n_0 - c) + c * (n_1 - a)) / (2 * n)).sum()
    spread = difference * slope + level
    if spread < 1e-14 * weight:  # nothing but rounding is left where all of a group are favoured, or none
        return None
    half = _z(confidence) * sqrt(spread) / weight
    return max(-1.0, difference - half), min(1.0, difference + half)


def _pooled_ratio(
    above: float, below: float, both: np.ndarray, confidence: float
) -> tuple[float | None, Interval | None]:
    n_1, a, n_0, c = both.T
    n = n_1 + n_0
    if not below or not above:
        return (0.0 if below else None), None
    variance = (((a + c) * n_1 * n_0 - a * c * n) / n**2).sum() / (above * below)
    if variance < 1e-14:
        return above / below, None
    middle, half = log(above / below), _z(confidence) * sqrt(variance)
    return exp(middle), (exp(middle - half), exp(middle + half))


def _cochran_mantel_haenszel(
    surplus: np.ndarray, n_1: np.ndarray, n_0: np.ndarray, favoured: np.ndarray, n: np.ndarray
) -> tuple[float | None, float | None]:
    from scipy.stats import chi2

    several = n > 1
    variance = (n_1 * n_0 * favoured * (n - favoured))[several] / (n**2 * (n - 1))[several]
    if not variance.sum():
        return None, None
    distance = abs(surplus.sum())
    statistic = (distance - (0.5 if distance >= 0.5 else 0.0)) ** 2 / variance.sum()
    return float(statistic), float(chi2.sf(statistic, 1))
