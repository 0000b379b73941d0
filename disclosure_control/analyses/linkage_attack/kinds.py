"""What a kind of attack is: its settings, what it finds, and its words. ``attacks`` lists those that there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.analyses.linkage_attack.codebook import Codebook
from disclosure_control.analyses.linkage_attack.releases import AttackedRelease
from disclosure_control.analyses.linkage_attack.told import AttackTold
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.settings.fields import SettingsGroup
from disclosure_control.basics.settings.kinds import whole_number

Part = TypeVar("Part", bound="AttackPart")

DEFAULT_ATTACKS = 500
N_ATTACKS = whole_number(1, 10_000_000).but("a whole number from 1")


@dataclass(frozen=True)
class AttackScene:
    """What is attacked: one release, and its pilot.

    ``subjects`` (n_pilot,) name the pilot's people, ``control`` are people outside of it, None without them; random
    choices depend on the ``seed`` alone.
    """

    release: AttackedRelease
    pilot: pd.DataFrame = field(repr=False)
    subjects: pd.Series = field(repr=False)
    control: pd.DataFrame | None = field(repr=False)
    seed: int

    @cached_property
    def codebook(self) -> Codebook | None:
        """How the released records became what they are; None where they were not treated."""
        return self.release.codebook(self.pilot)

    def released(self, names: Sequence[str], attack: str) -> tuple[list[str], list[str]]:
        """Those of the columns that are in the release, and a note on the others, for the ``attack``."""
        left = [name for name in names if name in self.release.frame]
        gone = [name for name in names if name not in left]
        return left, [f"{attack}: {', '.join(gone)} not in the {self.release.name} release any more."] if gone else []

    def people(self, n: int) -> pd.DataFrame:
        """Up to ``n`` people of the pilot at random, whatever the order of rows."""
        order = np.argsort(encode_column(self.subjects).codes, kind="stable")
        if n < len(order):
            order = order[np.sort(np.random.default_rng(self.seed).choice(len(order), n, replace=False))]
        return self.pilot.iloc[order]


@dataclass(frozen=True)
class AttackPart(SettingsGroup):
    """The settings of one kind of attack."""

    @property
    def columns_used(self) -> tuple[str, ...]:
        """The columns that it needs, of the pilot and of the control group."""
        return ()

    def on(self: Part, config: PilotConfig) -> Part:
        """The same settings with the columns of this pilot where the config names none."""
        return self


@dataclass(frozen=True)
class AttackKind:
    """One kind of attack, requested by a dictionary under its name in the config key ``linkage_attack``.

    ``title``: of its table in the report. ``attack`` gets its settings and returns figures by target, and notes.
    """

    title: str
    attack: Callable[[AttackScene, Any], tuple[dict[str, AttackTold], list[str]]]
