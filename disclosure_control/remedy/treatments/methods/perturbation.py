"""Perturbation of categories: invariant PRAM, and plain flipping of a binary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, COLUMNS, SHARE
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.registry import (
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)


def invariant_transition(people: np.ndarray, keep: float = 0.8, strength: float = 0.5) -> np.ndarray:
    """The chance of each value to become each other one: (..., n_values, n_values), rows add up to 1.

    ``people`` (..., n_values) are the frequencies, which are expected to stay: frequencies @ matrix = frequencies.
    First a value stays with chance ``keep`` or moves to any other; a second draw leads back in the shares in which
    the values came, which restores the frequencies. ``strength`` weighs the outcome against changing nothing (0).
    Source: Kooiman, Willenborg and Gouweleeuw 1997, PRAM; sdcMicro ``pram`` (pd, alpha; there with random matrices).
    """
    n_values = people.shape[-1]
    if n_values < 2:
        return np.ones((*people.shape, n_values))
    there = np.full((n_values, n_values), (1 - keep) / (n_values - 1))
    np.fill_diagonal(there, keep)
    joint = people[..., :, np.newaxis] * there  # value before, value after the first draw
    arrived = joint.sum(axis=-2)[..., np.newaxis]
    back = np.divide(joint.swapaxes(-1, -2), arrived, out=np.zeros_like(joint), where=arrived > 0)
    return strength * (there @ back) + (1 - strength) * np.eye(n_values)


@dataclass(frozen=True)
class PramSettings(SettingsGroup):
    """How often a value changes, and within what its frequency is to stay."""

    column: str = setting(COLUMN, "the column of categories")
    keep: float = setting(SHARE, "the least chance that a value is kept", 0.8)
    strength: float = setting(SHARE, "the strength of the change", 0.5)
    strata: tuple[str, ...] = setting(COLUMNS, "columns within which frequencies are preserved", ())


@dataclass(frozen=True)
class FlipSettings(SettingsGroup):
    """The chance that a value is exchanged."""

    column: str = setting(COLUMN, "a column of two values")
    share: float = setting(SHARE, "the chance that a value is exchanged")


def randomise(given: TreatmentInput, settings: PramSettings) -> Treated:
    """PRAM: values of a category change at random so that their frequencies are expected to stay, in all or by strata.

    A value may turn into any other that occurs in its stratum. Missing stays missing.
    """
    column = settings.column
    series = given.frame[column]
    encoded = encode_column(series)
    n_values = len(encoded.labels)
    uniform = given.generator.random(len(series))
    present = encoded.codes >= 0
    if n_values < 2:
        return with_columns(given, {column: series}, (f"No value of {column} can change, as it has fewer than two.",))
    stratum = (
        form_equivalence_classes(given.frame, settings.strata).class_of_record
        if settings.strata
        else np.zeros(len(series), int)
    )
    row = stratum * n_values + encoded.codes
    n_strata = int(stratum.max(initial=0)) + 1
    people = np.bincount(row[present], minlength=n_strata * n_values).reshape(n_strata, n_values)
    matrix = invariant_transition(people.astype(float), settings.keep, settings.strength).reshape(-1, n_values)
    new = np.full(len(series), -1)
    new[present] = draw(matrix, row[present], uniform[present])
    return with_columns(given, {column: _recoded(series, encoded.labels, new)})


def draw(matrix: np.ndarray, row: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """For each record (n_records,) the value that its row of the matrix gives to its uniform number in [0, 1)."""
    below = np.cumsum(matrix, axis=1)
    last = np.where(matrix > 0, np.arange(matrix.shape[1]), 0).max(axis=1)  # sums of shares may miss 1 by rounding
    edges = (below + np.arange(len(matrix))[:, np.newaxis]).ravel()
    value = np.searchsorted(edges, row + uniform, side="right") - row * matrix.shape[1]
    return np.clip(value, 0, last[row])


def flip(given: TreatmentInput, settings: FlipSettings) -> Treated:
    """A binary column: each record takes the other of the two values with chance ``share``; missing stays missing.

    One uniform number per record, missing or not, is drawn in the order of the records.
    """
    column = settings.column
    series = given.frame[column]
    encoded = encode_column(series)
    flipped = given.generator.random(len(series)) < settings.share
    n_values = len(encoded.labels)
    if n_values > 2:
        raise FaultyInputError(
            f"column {column!r}: found {n_values} distinct values; allowed for flip: two; "
            'use the method "pram", or group the values first'
        )
    if n_values < 2:
        return with_columns(given, {column: series}, (f"No value of {column} can flip, as it has fewer than two.",))
    new = np.where(flipped & (encoded.codes >= 0), 1 - encoded.codes, encoded.codes)
    return with_columns(given, {column: _recoded(series, encoded.labels, new)})


def _recoded(series: pd.Series, labels: np.ndarray, codes: np.ndarray) -> pd.Series:
    """The column with other of its own values, numbers as numbers."""
    if labels.dtype.kind == "f":
        return pd.Series(np.append(labels, np.nan)[codes], series.index, name=series.name)
    values = pd.Categorical.from_codes(codes, categories=pd.Index(labels, dtype=object))
    return pd.Series(values, series.index, name=series.name)


TREATMENTS = {
    "pram": Treatment(randomise, PramSettings, 60, "changes categories at random and keeps their expected frequencies"),
    "flip": Treatment(flip, FlipSettings, 60, "exchanges each value of a column of two values with this chance"),
}
