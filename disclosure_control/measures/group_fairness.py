"""Two groups and their rates of a favourable outcome: difference, ratio, intervals; in all and pooled over strata.

Everything here is a function of counts: (stratum, group, outcome) -> number of people.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from disclosure_control.basics.telling.confidence_intervals import wilson_interval

FOUR_FIFTHS = 0.8
ConfidenceInterval = tuple[float, float]


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

    def difference_interval(self, confidence: float = 0.95) -> ConfidenceInterval:
        """Interval of the difference from those of the rates. Source: Newcombe 1998, method 10,
        doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I."""
        low_1, high_1 = wilson_interval(self.n_reference_favourable, self.n_reference, confidence)
        low_2, high_2 = wilson_interval(self.n_group_favourable, self.n_group, confidence)
        p_1, p_2 = self.reference_rate, self.group_rate
        below = sqrt((p_1 - low_1) ** 2 + (high_2 - p_2) ** 2)
        above = sqrt((high_1 - p_1) ** 2 + (p_2 - low_2) ** 2)
        return max(-1.0, p_1 - p_2 - below), min(1.0, p_1 - p_2 + above)

    def ratio_interval(self, confidence: float = 0.95) -> ConfidenceInterval | None:
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
    """The two groups compared within strata of similar people, and pooled over the strata.

    ``n_compared`` people are in strata with both groups; the other strata cannot be compared. Both numbers of people
    are None if they may not be published. Figures are None without such strata, intervals also if the outcome of the
    people compared does not vary. ``p_value`` is that of no difference in any stratum (Cochran-Mantel-Haenszel, with
    continuity correction).
    """

    n_strata: int
    n_strata_compared: int
    n_compared: int | None
    n_not_compared: int | None
    difference: float | None = None
    difference_interval: ConfidenceInterval | None = None
    ratio: float | None = None
    ratio_interval: ConfidenceInterval | None = None
    chi_squared: float | None = None
    p_value: float | None = None


def pool_strata(counts: np.ndarray, confidence: float = 0.95) -> WithinStrata:
    """Pooled figures of strata. ``counts`` (n_strata, 4): people and favoured of the reference, then of the group.

    Difference and ratio are those of ``TwoGroups``, weighted by stratum. Both intervals hold for a few large strata
    and for many small ones, pairs among them.
    """
    strata = _Strata(*counts[(counts[:, 0] > 0) & (counts[:, 2] > 0)].astype(float).T)
    n_compared = int(strata.n_people.sum())
    n_people = int(counts[:, [0, 2]].sum())
    within = WithinStrata(len(counts), len(strata.n_people), n_compared, n_people - n_compared)
    if not n_compared:
        return within
    ratio, ratio_interval = strata.ratio(confidence)
    chi_squared, p_value = strata.cochran_mantel_haenszel()
    return dataclasses.replace(
        within,
        difference=strata.difference,
        difference_interval=strata.difference_interval(confidence),
        ratio=ratio,
        ratio_interval=ratio_interval,
        chi_squared=chi_squared,
        p_value=p_value,
    )


@dataclass(frozen=True)
class _Strata:
    """The strata that contain both groups, as (n_strata,) counts: people, and those with the favourable outcome."""

    n_reference: np.ndarray
    reference_favourable: np.ndarray
    n_group: np.ndarray
    group_favourable: np.ndarray

    @property
    def n_people(self) -> np.ndarray:
        return self.n_reference + self.n_group

    @property
    def n_favourable(self) -> np.ndarray:
        return self.reference_favourable + self.group_favourable

    @property
    def weight(self) -> float:
        """The sum of the Mantel-Haenszel weights of the strata."""
        return (self.n_reference * self.n_group / self.n_people).sum()

    @property
    def difference(self) -> float:
        """Source: Greenland and Robins 1985, doi:10.2307/2530643."""
        crossed = self.reference_favourable * self.n_group - self.group_favourable * self.n_reference
        return float((crossed / self.n_people).sum() / self.weight)

    def difference_interval(self, confidence: float) -> ConfidenceInterval | None:
        """For a difference that is the same in every stratum.

        Source: Sato, Greenland and Robins 1989, Biometrics 45, 1323-1324.
        """
        n_1, a, n_0, c, n = (
            self.n_reference,
            self.reference_favourable,
            self.n_group,
            self.group_favourable,
            self.n_people,
        )
        slope = ((n_1**2 * c - n_0**2 * a + n_1 * n_0 * (n_0 - n_1) / 2) / n**2).sum()
        level = ((a * (n_0 - c) + c * (n_1 - a)) / (2 * n)).sum()
        spread = self.difference * slope + level
        if spread < 1e-14 * self.weight:  # only rounding is left where all of a group are favoured, or none
            return None
        half = _z(confidence) * sqrt(spread) / self.weight
        return max(-1.0, self.difference - half), min(1.0, self.difference + half)

    def ratio(self, confidence: float) -> tuple[float | None, ConfidenceInterval | None]:
        """The ratio and its interval; None where no one of the group is favoured in a stratum that counts.

        Sources: Mantel and Haenszel 1959, doi:10.1093/jnci/22.4.719; Greenland and Robins 1985, doi:10.2307/2530643.
        """
        n = self.n_people
        above = (self.reference_favourable * self.n_group / n).sum()
        below = (self.group_favourable * self.n_reference / n).sum()
        if not below or not above:
            return (0.0 if below else None), None
        expected = self.n_favourable * self.n_reference * self.n_group
        observed = self.reference_favourable * self.group_favourable * n
        variance = ((expected - observed) / n**2).sum() / (above * below)
        if variance < 1e-14:
            return above / below, None
        middle, half = log(above / below), _z(confidence) * sqrt(variance)
        return exp(middle), (exp(middle - half), exp(middle + half))

    def cochran_mantel_haenszel(self) -> tuple[float | None, float | None]:
        """Chi-squared with one degree of freedom, and its p-value; None where nothing varies."""
        from scipy.stats import chi2

        n, favoured = self.n_people, self.n_favourable
        several = n > 1
        products = self.n_reference * self.n_group * favoured * (n - favoured)
        variance = products[several] / (n**2 * (n - 1))[several]
        if not variance.sum():
            return None, None
        distance = abs((self.reference_favourable - self.n_reference * favoured / n).sum())
        statistic = (distance - (0.5 if distance >= 0.5 else 0.0)) ** 2 / variance.sum()
        return float(statistic), float(chi2.sf(statistic, 1))
