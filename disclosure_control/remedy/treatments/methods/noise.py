"""Perturbation of numbers: added noise, plain or correlated, and swapping of neighbours in rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import (
    COLUMNS,
    FLAG,
    POSITIVE,
    Kind,
    is_number,
    one_of,
    whole_number,
)
from disclosure_control.basics.telling.small_counts import MASKED, NoteForReaders, count_text
from disclosure_control.remedy.treatments.registry import (
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)

MOST_DECIMALS = 15


@dataclass(frozen=True)
class NoiseSettings(SettingsGroup):
    """The amount and kind of noise, and its rounding."""

    columns: tuple[str, ...] = setting(COLUMNS, "columns of numbers")
    share: float = setting(POSITIVE, "the noise as a share of the standard deviation")
    kind: str = setting(one_of("plain", "correlated"), "the kind of noise", "plain")
    keep_variance: bool = setting(FLAG, "shrinks the result to its original variance", False)
    decimals: int | None = setting(whole_number(-10, 15), "digits after the point", None, "those of the column")


@dataclass(frozen=True)
class RankSwapSettings(SettingsGroup):
    """How far a value may move."""

    columns: tuple[str, ...] = setting(COLUMNS, "columns of numbers")
    percent: float = setting(
        Kind(lambda value: is_number(value) and 0 < value <= 100, "above 0, up to 100"),
        "the largest distance of a swap, as a share of the ranks",
    )


def add_noise(given: TreatmentInput, settings: NoiseSettings) -> Treated:
    """Add normal noise of ``share`` times the standard deviation to numbers; missing stays missing.

    "plain" draws each column separately, which weakens correlations; "correlated" draws noise with the covariance of
    the columns (over records that have them all), which preserves them. ``keep_variance`` shrinks the result to the
    original variance: mean + (x + noise - mean) / sqrt(1 + share^2). ``decimals`` rounds the result, by default to the
    decimals of each column: further digits would come from the noise alone and disclose it to anyone with the seed.
    Source: Brand 2002, doi:10.1007/3-540-47804-3_8; Kim 1986; sdcMicro ``addNoise`` (additive: share = noise / 100,
    correlated: share = sqrt(noise / 100)).
    """
    numbers = np.column_stack([numbers_of(given.frame[name]) for name in settings.columns])
    standard = given.generator.standard_normal(numbers.shape)
    noise = (
        settings.share
        * standard
        @ (_root_of_covariance(numbers) if settings.kind == "correlated" else np.diag(_deviations(numbers)))
    )
    noisy = numbers + noise
    if settings.keep_variance and len(numbers):
        n_present = np.maximum((~np.isnan(numbers)).sum(axis=0), 1)
        mean = np.nansum(numbers, axis=0) / n_present
        noisy = mean + (noisy - mean) / np.sqrt(1 + settings.share**2)
    treated = {}
    for name, before, after in zip(settings.columns, numbers.T, noisy.T, strict=True):
        rounded = _rounded(after, decimals_of(before) if settings.decimals is None else settings.decimals)
        treated[name] = pd.Series(rounded, given.frame.index, name=name)
    return with_columns(given, treated)


def decimals_of(numbers: np.ndarray) -> int:
    """How many decimals the numbers (n,) have, 0 to ``MOST_DECIMALS``; missing ones have none."""
    present = np.unique(numbers[~np.isnan(numbers)])
    few = (n for n in range(MOST_DECIMALS) if (_rounded(present, n) == present).all())
    return next(few, MOST_DECIMALS)


def _rounded(numbers: np.ndarray, decimals: int) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.round(numbers, decimals) + 0.0  # adding zero turns -0.0 into 0.0
    return np.where(np.isfinite(rounded), rounded, numbers)  # too large to have decimals


def _deviations(numbers: np.ndarray) -> np.ndarray:
    """Standard deviation of each column (n_columns,) over its values, 0 where there are fewer than two."""
    present = ~np.isnan(numbers)
    n_present = present.sum(axis=0)
    mean = np.where(present, numbers, 0.0).sum(axis=0) / np.maximum(n_present, 1)
    squares = (np.where(present, numbers - mean, 0.0) ** 2).sum(axis=0)
    return np.sqrt(squares / np.maximum(n_present - 1, 1))


def _root_of_covariance(numbers: np.ndarray) -> np.ndarray:
    """A symmetric matrix whose square is the covariance of the columns; it exists for singular ones as well."""
    complete = numbers[~np.isnan(numbers).any(axis=1)]
    if len(complete) < 2:
        return np.zeros((numbers.shape[1], numbers.shape[1]))
    values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(complete, rowvar=False)))
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def swap_ranks(given: TreatmentInput, settings: RankSwapSettings) -> Treated:
    """Each value changes places with one at most ``percent`` of the ranks away; the values of a column stay the same.

    Ranks are cut into blocks as long as the window, from a random start, and paired at random within each block, so
    no value moves farther than the window; at the ends of blocks one may stay. Equal values are ranked at random,
    missing ones stay where they are. Source: Moore 1996, Controlled data-swapping techniques; sdcMicro ``rankSwap``.
    """
    treated, notes = {}, []
    for name in settings.columns:
        numbers = numbers_of(given.frame[name])
        present = np.flatnonzero(~np.isnan(numbers))
        share = settings.percent / 100
        window = int(len(present) * share)
        if window < 1:
            n_told = count_text(MASKED.told(len(present), len(numbers)))
            notes.append(NoteForReaders.of(partial(_nothing_swapped, name, share), len(present), n_told))
        else:
            numbers[present] = _swapped(numbers[present], window, given.generator)
        treated[name] = pd.Series(numbers, given.frame.index, name=name)
    return with_columns(given, treated, notes)


def _nothing_swapped(name: str, share: float, n_ranks: str) -> str:
    return f"In {name}, nothing was swapped: {100 * share:.3g}% of {n_ranks} ranks is less than one rank."


def _swapped(numbers: np.ndarray, window: int, generator: np.random.Generator) -> np.ndarray:
    n = len(numbers)
    by_rank = np.lexsort((generator.random(n), numbers))
    block = (np.arange(n) + generator.integers(window + 1)) // (window + 1)
    shuffled = np.lexsort((generator.random(n), block))  # ranks, block by block in random order
    place = np.arange(n) - np.searchsorted(block, block)  # place within the block; blocks are contiguous in ranks
    partner = np.arange(n) + np.where(place % 2 == 0, 1, -1)
    alone = (partner >= n) | (block[np.minimum(partner, n - 1)] != block)
    partner[alone] = np.arange(n)[alone]
    swapped = np.empty(n)
    swapped[by_rank[shuffled]] = numbers[by_rank[shuffled[partner]]]
    return swapped


TREATMENTS = {
    "noise": Treatment(
        add_noise,
        NoiseSettings,
        70,
        (
            'adds normal noise of `share` standard deviations, `"plain"` or `"correlated"`, with the decimals of the '
            "column"
        ),
    ),
    "rank_swap": Treatment(swap_ranks, RankSwapSettings, 70, "swaps values within `percent` of the ranks"),
}
