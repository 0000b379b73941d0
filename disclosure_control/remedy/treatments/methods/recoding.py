"""Recoding of numbers: into bins of given edges, into bands of one width, to round numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.binning import OUT_OF_RANGE_POLICIES, are_edges, bin_values
from disclosure_control.basics.encoding.columns import number_text, numbers_of
from disclosure_control.basics.encoding.interval_labels import BANDS_HOLD, BINS_HOLD
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, POSITIVE, Kind, one_of
from disclosure_control.basics.telling.small_counts import MASKED, NoteForReaders, count_text
from disclosure_control.remedy.treatments.algorithms.built_hierarchies import band_of
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)


@dataclass(frozen=True)
class BinsSettings(SettingsGroup):
    """The edges, and how values beyond them are treated."""

    column: str = setting(COLUMN, "a column of numbers")
    edges: tuple[float, ...] = setting(
        Kind(are_edges, "at least two numbers, each larger than the last"), "the edges of the bins"
    )
    out_of_range: str = setting(one_of(*OUT_OF_RANGE_POLICIES), "how values outside are treated", "tail")


@dataclass(frozen=True)
class BandSettings(SettingsGroup):
    """The width of a band, and how it is written."""

    column: str = setting(COLUMN, "a column of numbers")
    width: float = setting(POSITIVE, "the width of a band")
    label: str = setting(one_of("interval", "midpoint", "truncated_midpoint"), "the form of a band", "interval")


@dataclass(frozen=True)
class RoundSettings(SettingsGroup):
    """To what numbers are rounded."""

    column: str = setting(COLUMN, "a column of numbers")
    to: float = setting(POSITIVE, "rounds numbers to its multiples")


def put_into_bins(given: TreatmentInput, settings: BinsSettings) -> Treated:
    """A column of numbers as intervals ``a--b`` of given edges, as ``numpy.histogram`` draws them.

    A value outside the edges falls into a tail ``<a`` or ``>b``, or becomes missing; the notes count both.
    """
    column = settings.column
    binned, binning = bin_values(given.frame[column], settings.edges, settings.out_of_range, given.people)
    notes = []
    n_outside = binning.n_below + binning.n_above
    if n_outside:
        fate = "were put into a tail" if settings.out_of_range == "tail" else "were made missing"
        n_told = count_text(MASKED.told(n_outside, given.n_people))
        notes.append(
            NoteForReaders.of(lambda n: f"In {column}, values outside the edges that {fate}: {n}.", n_outside, n_told)
        )
    return with_columns(given, {column: binned}, notes)


def put_into_bands(given: TreatmentInput, settings: BandSettings) -> Treated:
    """A column of numbers in bands of one width, [i * width, (i + 1) * width).

    ``label``: "interval" gives ``a--b``, "midpoint" the middle, "truncated_midpoint" the middle without its decimals
    (37 for [35, 40)), so that whole numbers stay whole.
    """
    column, width = settings.column, settings.width
    numbers = numbers_of(given.frame[column], given.people)
    band = band_of(numbers, width)
    if settings.label == "interval":
        banded = _interval_labels(band, width, given.frame[column])
    else:
        middle = _clean((band + 0.5) * width)
        values = middle if settings.label == "midpoint" else np.trunc(middle) + 0.0
        banded = pd.Series(values, given.frame.index, name=column)
    return with_columns(given, {column: banded})


def _interval_labels(band: np.ndarray, width: float, column: pd.Series) -> pd.Series:
    codes, bands = pd.factorize(band, sort=True)
    low, high = _clean(bands * width), _clean((bands + 1) * width)
    labels = [f"{number_text(a)}--{number_text(b)}" for a, b in zip(low, high, strict=True)]
    if len(set(labels)) < len(labels):  # bands so narrow that 15 digits do not distinguish their edges
        codes, labels = pd.factorize(np.array(labels, dtype=object))[0][codes], list(dict.fromkeys(labels))
    values = pd.Categorical.from_codes(codes, categories=pd.Index(labels, dtype=object), ordered=True)
    return pd.Series(values, column.index, name=column.name)


def round_numbers(given: TreatmentInput, settings: RoundSettings) -> Treated:
    """Round a column of numbers to the nearest multiple of ``to``; halves to the even multiple, as in IEEE 754."""
    column = settings.column
    numbers = numbers_of(given.frame[column], given.people)
    rounded = pd.Series(_clean(np.round(numbers / settings.to) * settings.to), given.frame.index, name=column)
    return with_columns(given, {column: rounded})


def _clean(numbers: np.ndarray) -> np.ndarray:
    """Numbers to 15 significant digits: 3 * 0.1 is 0.3."""
    distinct, position = np.unique(numbers, return_inverse=True)
    return np.array([float(number_text(number)) for number in distinct], dtype=float)[position.reshape(-1)]


TREATMENTS = {
    "bins": Treatment(
        put_into_bins,
        BinsSettings,
        10,
        "intervals `a--b` between given edges, and tails for values outside",
        Reading.BY_VALUE,
        intervals=BINS_HOLD,
    ),
    "band": Treatment(
        put_into_bands,
        BandSettings,
        10,
        'intervals of one width: `"interval"` (default), `"midpoint"`, `"truncated_midpoint"`',
        Reading.BY_VALUE,
        intervals=BANDS_HOLD,
    ),
    "round": Treatment(round_numbers, RoundSettings, 10, "the nearest multiple of `to`", Reading.BY_VALUE),
}
