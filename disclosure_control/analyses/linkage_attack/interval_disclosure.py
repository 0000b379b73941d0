"""Interval disclosure: are the released numbers of a person so near to the true ones that they disclose them?

Around each released number is an interval of a share of the column's standard deviation. A person is disclosed if the
true numbers are in those of the person's own record, in all columns. The baseline takes another person's record at
random. Source: Mateo-Sanz, Sebe and Domingo-Ferrer 2004, doi:10.1007/978-3-540-25955-8_16 (interval disclosure by
standard deviations, SDID); sdcMicro ``dRisk``, the risk of numeric keys.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.analyses.linkage_attack.codebook import AttackedRelease
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.analyses.linkage_attack.told import AttackTold
from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, POSITIVE

SHARE = 0.05


def disclose_intervals(
    released: np.ndarray, original: np.ndarray, share: float, generator: np.random.Generator, n_removed: int = 0
) -> AttackRates:
    """The share of people whose true numbers are within the intervals around those of their own record.

    ``released`` and ``original`` (n_released, n_columns): numbers before and after, NaN where missing. A suppressed
    number is not disclosed, one unknown for the person does not count, and people without any are not attacked;
    the attack fails on ``n_removed`` people without a record. ``share`` of the released standard deviation is half of
    an interval. The rate is in [0, 1], larger is riskier.
    """
    has_some = ~np.isnan(original).all(axis=1)
    half = share * np.nan_to_num(pd.DataFrame(released).std(ddof=1).to_numpy())

    def disclosed(records: np.ndarray) -> int:
        inside = (np.abs(records - original) <= half) | np.isnan(original)
        return int((inside.all(axis=1) & has_some).sum())

    n_attacks = int(has_some.sum()) + n_removed
    in_order = np.lexsort((*released.T[::-1], *original.T[::-1]))  # of their values, whatever the order of rows
    shuffled = in_order[generator.permutation(len(released))]
    others = np.empty_like(released)
    others[shuffled] = released[np.roll(shuffled, 1)]
    return AttackRates(Rate(disclosed(released), n_attacks), Rate(disclosed(others), n_attacks))


# ---------------------------------------------------------------- on a release


@dataclass(frozen=True)
class IntervalSettings(SettingsGroup):
    """The ``columns`` of numbers, and half of an interval as a ``share`` of the released standard deviation."""

    columns: tuple[str, ...] = setting(
        COLUMNS, "columns of numbers, all together", (), "continuous quasi-identifiers and sensitive features"
    )
    share: float = setting(POSITIVE, "half of an interval, as a share of the released standard deviation", SHARE)

    def on(self, config: PilotConfig) -> IntervalSettings:
        """All numbers with a role where the config names none."""
        return dataclasses.replace(self, columns=self.columns or config.continuous_qis + config.sensitive_features)


def attack_intervals(
    release: AttackedRelease, pilot: pd.DataFrame, settings: IntervalSettings, seed: int
) -> tuple[Mapping[str, AttackTold], list[str]]:
    """What the intervals of one release disclose of its ``pilot``, by the columns together; and notes."""
    left = [name for name in settings.columns if name in release.frame]
    gone = [name for name in settings.columns if name not in left]
    columns = [name for name in left if all(encode_column(frame[name]).is_numeric for frame in (release.frame, pilot))]
    text = [name for name in left if name not in columns]
    notes = [f"Interval disclosure: {', '.join(gone)} not in the {release.name} release any more."] if gone else []
    if text:
        notes.append(f"Interval disclosure: {', '.join(text)} holds no numbers in the {release.name} release.")
    if not columns:
        return {}, notes
    released, original = (
        np.column_stack([parse_numbers(frame[name]) for name in columns])
        for frame in (release.frame, pilot.iloc[release.kept])
    )
    n_removed = len(pilot) - len(release.frame)
    rates = disclose_intervals(released, original, settings.share, np.random.default_rng(seed), n_removed)
    return {", ".join(columns): AttackTold(rates, {"share": settings.share})}, notes
