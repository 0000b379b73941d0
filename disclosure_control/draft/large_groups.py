"""What large groups of people show of a sensitive column: the differences that any table of a study shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import apply_feature_binning, run_l_diversity, run_t_closeness

LARGE = 100  # people of a group, of whom a table tells without telling of one


@dataclass(frozen=True)
class SeenInLargeGroups:
    """The ``fewest`` distinct values of a group of ``LARGE`` people or more, and its ``largest`` distance to everyone.

    None where there is no such group. Values are in bins for the first, in the unit of the value for the other.
    """

    fewest: int | None = None
    largest: float | None = None


def seen_in_large_groups(
    frame: pd.DataFrame,
    categories: Sequence[str],
    bins: Mapping[str, Sequence[float]],
    sensitive: str,
    sensitive_bins: Sequence[float] | None,
) -> SeenInLargeGroups:
    """What groups by one quasi-identifier, and by all of them, show of a sensitive column of the combined dataset.

    ``categories`` and ``bins`` are the drafted quasi-identifiers; ``sensitive_bins`` the edges for l, None for codes.
    """
    known = [*categories, *bins]
    if not known:
        return SeenInLargeGroups()
    data = frame[known + [sensitive] * (sensitive not in known)].copy()
    for name in bins:
        data[name] = pd.to_numeric(data[name])
    data, _ = apply_feature_binning(data, bins)
    distance = "total_variation" if sensitive_bins is None else None
    if sensitive_bins is not None:
        data[sensitive] = pd.to_numeric(data[sensitive])
    fewest, largest = [], []
    for names in [*([name] for name in known), known]:
        diverse = run_l_diversity(data, names, sensitive, 1, sensitive_bins)
        close = run_t_closeness(data, names, sensitive, 1e300, distance)
        fewest.append(diverse.of_class[close.people >= LARGE])
        largest.append(close.of_class[close.people >= LARGE])
    n_values, distances = np.concatenate(fewest), np.concatenate(largest)
    if not len(n_values):
        return SeenInLargeGroups()
    return SeenInLargeGroups(int(n_values.min()), float(distances.max()))
