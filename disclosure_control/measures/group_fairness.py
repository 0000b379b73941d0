"""Two groups and their rates of a favourable outcome: difference, ratio, intervals.

Everything here is a function of counts: (group, outcome) -> number of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt
from statistics import NormalDist

from disclosure_control.basics.telling.confidence_intervals import wilson_interval

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
