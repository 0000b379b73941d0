"""A treated frame seen as its config sees it: the roles that its columns still have, and k, l and t of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pandas as pd

from Anonymization_Models import DISTANCES
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, assess
from disclosure_control.basics.encoding.columns import encode_column, numbers_of
from disclosure_control.basics.telling.faults import FaultyInputError


def evaluate_treated(frame: pd.DataFrame, config: PilotConfig, as_released: bool = False) -> Assessment:
    """k, l and t of a treated frame under the thresholds of ``config``, the roles of its columns adapted.

    A continuous column that became text is a category and not binned; a dropped one has no role. The
    config's bins of quasi-identifiers serve the assessment and are not released: ``as_released`` leaves
    them out, so that exact values count as such. Bins of a sensitive feature stay: they define l.
    """
    adapted = config_of(frame, config)
    if as_released:
        adapted = dataclasses.replace(adapted, binning_config={})
    return assess(frame, adapted)


def config_of(frame: pd.DataFrame | Mapping[str, pd.Series], config: PilotConfig) -> PilotConfig:
    """The config with the roles that its columns have in this frame, after whatever treatment.

    Distinct values of each column will do for the records.
    """
    numeric = {name for name in config.continuous_qis if name in frame and holds_numbers(frame[name])}
    text = {name for name in config.continuous_qis if name in frame} - numeric
    sensitive = tuple(name for name in config.sensitive_features if name in frame)
    distances = {name: config.t_distance.get(name) for name in sensitive}
    for name, distance in distances.items():
        if distance and not encode_column(frame[name]).is_numeric:
            distances[name] = distance_of_categories(distance)
    binned = {name: edges for name, edges in config.sensitive_binning.items() if name in sensitive}
    return dataclasses.replace(
        config,
        categorical_qis=tuple(n for n in config.categorical_qis if n in frame)
        + tuple(n for n in config.continuous_qis if n in text),
        continuous_qis=tuple(name for name in config.continuous_qis if name in numeric),
        binning_config={name: edges for name, edges in config.binning_config.items() if name in numeric},
        sensitive_features=sensitive,
        sensitive_binning={name: edges for name, edges in binned.items() if holds_numbers(frame[name])},
        L={name: config.L[name] for name in sensitive},
        T={name: config.T[name] for name in sensitive},
        t_distance=distances,
    )


def distance_of_categories(distance: str) -> str:
    """How t of a column is measured that a treatment made categories, where the config asks for ``distance``."""
    return "total_variation" if DISTANCES[distance].needs_numbers else distance


def holds_numbers(column: pd.Series) -> bool:
    """Whether a column can be read as numbers; categories never can, even where their names are digits."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return False
    try:
        numbers_of(column)
    except FaultyInputError:
        return False
    return True


def notes_on_roles(before: pd.DataFrame | Mapping[str, pd.Series], after: Assessment, config: PilotConfig) -> list[str]:
    """Sentences on what the treatment did to the roles of columns in ``config``; ``after`` is the evaluation of the
    result.
    """
    adapted = after.config
    notes = []
    gone = [name for name in config.quasi_identifiers if name not in adapted.quasi_identifiers]
    if gone:
        notes.append(f"No longer a quasi-identifier, because it is not released: {', '.join(gone)}.")
    notes += [
        f"The column {name} is not released: its l and t are no longer evaluated."
        for name in config.sensitive_features
        if name not in adapted.sensitive_features
    ]
    became_text = [name for name in config.continuous_qis if name in adapted.categorical_qis]
    if became_text:
        notes.append(f"Released as categories, and evaluated without bins: {', '.join(became_text)}.")
    for name in adapted.sensitive_features:
        if not after.counts[name].table.is_numeric and encode_column(before[name]).is_numeric:
            notes.append(
                f"The column {name} is released as categories. Its t is now total variation, a share from 0 to 1. It "
                f"cannot be compared with the t before, nor with T = {config.T[name]:g} in the unit of the value."
            )
    return notes
