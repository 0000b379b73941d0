"""The config key ``sweep``: a grid of treatments."""

from __future__ import annotations

from dataclasses import dataclass

from disclosure_control.analyses.sweep.grid import GRID, SweepPoint
from disclosure_control.basics.drawings.figures import DEFAULT_FORMATS, FIGURES
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import Kind, are_names, as_tuple
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED, SEED

_NUMERIC = Kind(
    lambda value: are_names(value) and len(value) > 1, "a list of two or more numeric columns", as_tuple, as_tuple
)


@dataclass(frozen=True)
class SweepSettings(SettingsGroup):
    """The config key ``sweep``: the ``points`` of its grid, and how they are tried and measured."""

    points: tuple[SweepPoint, ...] = setting(GRID, "the treatments to try", named="grid")
    seed: int = setting(
        SEED, "where chance starts; nothing is released here, so take another one than for `treatment`", DEFAULT_SEED
    )
    eigenvalue_columns: tuple[str, ...] | None = setting(
        _NUMERIC,
        "numeric columns whose correlations are to survive",
        None,
        "continuous quasi-identifiers and numeric sensitive features",
    )
    figures: tuple[str, ...] = setting(FIGURES, "forms of the figures", DEFAULT_FORMATS)


SETTINGS = SweepSettings
