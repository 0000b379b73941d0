"""What a kind of attack is: its settings, what it finds, and its words. ``attacks`` lists those that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.settings.settings import COLUMNS, Check, are_names, whole_number
from disclosure_control.steps.linkage_attack.codebook import Codebook
from disclosure_control.steps.linkage_attack.releases import AttackedRelease

DEFAULT_ATTACKS = 500
COLUMN_LIST = COLUMNS[1]
N_ATTACKS: Check = (whole_number(1, 10_000_000)[0], "a whole number from 1")


@dataclass(frozen=True)
class AttackScene:
    """What is attacked: one release, and the pilot that it is of.

    ``subjects`` (n_pilot,) name the pilot's people, ``control`` are people outside of it, None without them; whatever
    is drawn hangs on the ``seed`` alone.
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


class AttackPart(Protocol):
    """The typed settings of one kind of attack."""

    @property
    def columns_used(self) -> tuple[str, ...]:
        """The columns that it needs, of the pilot and of the control group."""


@dataclass(frozen=True)
class AttackKind:
    """One kind of attack, asked for by a dictionary under its name in the config key ``linkage_attack``.

    ``question``: what it answers, as the documentation has it; ``title``: of its table in the report. ``allowed`` and
    ``keys``: what the dictionary may be and hold; of these ``required`` may not be missing, and ``columns`` name
    columns. ``faults`` are those that no setting has by itself: from the place, the dictionary and the config.
    ``read`` types the dictionary with its defaults; ``attack``, given that, finds figures by what was attacked, and
    notes.
    """

    question: str
    title: str
    allowed: str
    keys: Mapping[str, Check]
    columns: tuple[str, ...]
    read: Callable[[Mapping, PilotConfig], AttackPart]
    attack: Callable[[AttackScene, Any], tuple[dict[str, dict], list[str]]]
    required: tuple[str, ...] = ()
    faults: Callable[[str, Mapping, PilotConfig], list[str]] = lambda where, given, config: []


def is_some_of(names: Sequence[str]) -> Callable[[object], bool]:
    """A check whether a value is one of the names, or a list of distinct ones."""
    return lambda value: value in names if isinstance(value, str) else are_names(value) and set(value) <= set(names)


def as_tuple(value: str | Sequence[str]) -> tuple[str, ...]:
    """One name, or several, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)
