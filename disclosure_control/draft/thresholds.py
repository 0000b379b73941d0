"""K, L and T of a drafted config: usual values that can be met, each with its reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import apply_feature_binning, run_l_diversity, run_t_closeness
from disclosure_control.basics.telling.words import people_text
from disclosure_control.draft.bins import quantile_bins, round_number
from disclosure_control.draft.columns import Column
from disclosure_control.draft.literal import DraftedValue

USUAL_K, K_OF_FEW, FEW_PEOPLE = 5, 3, 100
USUAL_L = 3
USUAL_T = 0.2
UNUSUAL = 0.05  # what happens by chance in one of twenty cases
N_DRAWS, PARTS = 500, 20  # draws of K people, and points between two of them at which they are compared
LARGE = 100  # people of a group, of whom a table tells without telling of one


@dataclass(frozen=True)
class SeenInLargeGroups:
    """The ``fewest`` distinct values of a group of ``LARGE`` people or more, and its ``largest`` distance to everyone.

    Without such a group nothing is less or more. Values are in bins for the first, in the unit of the value for the
    other.
    """

    fewest: float = math.inf
    largest: float = 0.0


NOTHING_SEEN = SeenInLargeGroups()


def draft_k(n_people: int) -> DraftedValue:
    """People that a class needs: 5, the usual choice for health data, and 3 in a small pilot."""
    if n_people < FEW_PEOPLE:
        why = f"for {people_text(n_people)}; {USUAL_K} is more usual, but often impossible for so few people"
        return DraftedValue(K_OF_FEW, why, True)
    why = f"usual for health data: the chance to find a person's record is at most {1 / USUAL_K:g}"
    return DraftedValue(USUAL_K, why, True)


def draft_l(column: Column, k: int, seen: SeenInLargeGroups = NOTHING_SEEN) -> DraftedValue:
    """Distinct sensitive values (bins of numbers) that a class needs: 3, and no more than K people have by chance.

    Nor more than large groups have, so that l does not decide where a class has a hundred people.
    """
    n_values = column.n_distinct if not column.is_measured else len(sensitive_bins(column, k).value) + 1
    by_chance = int(np.quantile(_distinct_of_some(column, k), UNUSUAL))
    usual = max(1, min(USUAL_L, k, n_values))
    least = int(max(1, min(usual, by_chance, seen.fewest)))
    what = "bins" if column.is_measured else "values"
    why = "a class with fewer reveals too much about its people"
    if least < usual:
        why = f"{usual} is more usual, but {k} people drawn at random, or {LARGE} of one group, often have fewer"
    return DraftedValue(least, f"of {n_values} {what}; {why}", True)


def draft_t(column: Column, k: int, seen: SeenInLargeGroups = NOTHING_SEEN) -> DraftedValue:
    """Largest distance of a class to everyone: half the middle half of the numbers, 0.2 for categories.

    No less than K people differ by chance, nor than groups of a hundred people or more differ.
    """
    by_chance = float(np.quantile(_distances_of_some(column, k), 1 - UNUSUAL))
    if column.is_measured and column.numbers is not None:
        quarter, three_quarters = np.quantile(column.numbers, [0.25, 0.75])
        usual = float(three_quarters - quarter) / 2 or float(column.numbers.std())
        why = "half the distance between the quartiles, in the unit of the value (Wasserstein distance)"
    else:
        usual = USUAL_T
        why = "from the experiments of Li, Li and Venkatasubramanian (2007); a share of people"
    drafted = max(usual, by_chance, seen.largest)
    if drafted > usual and drafted == by_chance:
        why = f"{k} people drawn at random are nearer to everyone in 19 of 20 cases"
    elif drafted > usual:
        why = f"groups of {LARGE} people or more, such as one age group, differ by up to so much"
    step = 10.0 ** np.floor(np.log10(drafted) - 1)
    rounded = round_number(drafted, step)
    return DraftedValue(rounded if rounded >= drafted else round_number(drafted + step, step), why, True)


def _drawn(column: Column, k: int) -> np.ndarray:
    """K people drawn at random, many times (n_draws, k): their numbers, or places of values."""
    values = column.numbers if column.is_measured else np.repeat(np.arange(len(column.people_of)), column.people_of)
    assert values is not None  # measured columns have numbers
    return np.sort(values[np.random.default_rng(0).integers(0, len(values), (N_DRAWS, k))], axis=1)


def _distinct_of_some(column: Column, k: int) -> np.ndarray:
    """How many distinct values (bins of numbers) K people drawn at random have (n_draws,)."""
    drawn = _drawn(column, k)
    if column.is_measured:
        drawn = np.searchsorted(sensitive_bins(column, k).value, drawn, side="right")
    return 1 + (np.diff(drawn, axis=1) > 0).sum(axis=1)


def _distances_of_some(column: Column, k: int) -> np.ndarray:
    """How far K people drawn at random are from everyone (n_draws,): in the unit of the value, or as a share."""
    drawn = _drawn(column, k)
    if column.is_measured and column.numbers is not None:
        middles = (np.arange(k * PARTS) + 0.5) / (k * PARTS)
        everyone = np.quantile(column.numbers, middles)
        return np.asarray(np.abs(np.repeat(drawn, PARTS, axis=1) - everyone).mean(axis=1))
    share = column.people_of / column.people_of.sum()
    counts = np.zeros((N_DRAWS, len(share)))
    np.add.at(counts, (np.arange(N_DRAWS)[:, None], drawn), 1 / k)
    return np.asarray(np.abs(counts - share).sum(axis=1) / 2)


def sensitive_bins(column: Column, k: int) -> DraftedValue:
    """Bins of a sensitive number, for l alone."""
    assert column.numbers is not None  # only measured columns have bins
    return quantile_bins(column.numbers, k)


# ---------------------------------------------------------------- differences that any table of a study shows


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
    fewest, largest = [np.array([math.inf])], [np.zeros(1)]
    for names in [*([name] for name in known), known]:
        diverse = run_l_diversity(data, names, sensitive, 1, sensitive_bins)
        close = run_t_closeness(data, names, sensitive, 1e300, distance)
        fewest.append(diverse.of_class[close.people >= LARGE])
        largest.append(close.of_class[close.people >= LARGE])
    return SeenInLargeGroups(float(np.concatenate(fewest).min()), float(np.concatenate(largest).max()))
