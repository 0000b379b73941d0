"""The reported findings of the step ``fairness``: the part ``fairness`` of the JSON summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from disclosure_control.analyses.fairness.settings import FavourableRule
from disclosure_control.basics.telling.plain import INLINE
from disclosure_control.basics.telling.small_counts import GroupShare

Interval = Sequence[float]


@dataclass(frozen=True)
class RatesTold:
    """Two groups compared: see ``TwoGroups``. All is None under ``not_told``, sizes where these are masked."""

    n_reference: int | None = None
    n_group: int | None = None
    reference_rate: float | None = None
    group_rate: float | None = None
    statistical_parity_difference: float | None = None
    statistical_parity_difference_95: Interval | None = None
    disparate_impact: float | None = None
    disparate_impact_95: Interval | None = None
    disparate_impact_inverse: float | None = None
    disparate_impact_inverse_95: Interval | None = None
    meets_four_fifths: bool | None = None
    massaging_label_changes: float | None = None
    not_told: str | None = None


@dataclass(frozen=True)
class MeasureByGroup:
    """The people of each group affected by a ``measure``; ``counted`` is the word for them."""

    measure: str
    counted: str
    not_considered: int | None
    by_group: Sequence[GroupShare]


@dataclass(frozen=True)
class FairnessTold:
    """Rates of the two groups, of all groups, and the burden of the anonymisation."""

    favourable: FavourableRule
    favourable_values_of_nobody: int
    sensitive: str
    reference: str
    group: str
    people: Mapping[str, int | None]
    rates: RatesTold = field(metadata=INLINE)
    by_group: Sequence[GroupShare]
    anonymisation: Sequence[MeasureByGroup]
