"""What a treatment is: a function from a frame to a frame and a record of what it changed, registered by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from Anonymization_Models import PilotConfig


@dataclass(frozen=True)
class TreatmentInput:
    """``frame`` (n_records, n_columns): every column of the pilot, the config's own typed, the others as text.

    ``config`` tells the roles of the columns and the thresholds. ``generator`` is seeded by the config and stands at
    the same state in every run; treatments without chance leave it alone.
    """

    frame: pd.DataFrame
    config: PilotConfig
    generator: np.random.Generator


@dataclass(frozen=True)
class Treated:
    """The treated ``frame``, and per column what was ``changed`` in counts; ``notes`` are sentences for the report.

    No value and no id stands in ``changed`` or ``notes``. Records keep their order; a treatment that drops records
    says how many in ``n_records_removed``.
    """

    frame: pd.DataFrame
    changed: Mapping[str, int]
    n_records_removed: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Treatment:
    """One registered method: ``apply(given, **settings)``, and its ``settings`` with their check and words.

    ``required`` names the settings without a default. ``promises`` are what holds on the output, for the properties
    that the tests run over the registry: of "k", "l", "t", "rows", "ids", "types", "columns" (nothing outside the
    named columns changes).
    """

    apply: Callable[..., Treated]
    settings: Mapping[str, tuple[Callable[[object], bool], str]]
    required: tuple[str, ...] = ()
    promises: tuple[str, ...] = field(default=("rows", "ids", "columns"))


# By the name under ``method`` in the config. Each module of this room adds its own; ``methods()`` imports them all.
_METHODS: dict[str, Treatment] = {}


def register(name: str, treatment: Treatment) -> None:
    if name in _METHODS:
        raise ValueError(f"treatment {name!r} is registered twice")
    _METHODS[name] = treatment


def methods() -> Mapping[str, Treatment]:
    """Every registered treatment by name."""
    from disclosure_control.treatments import MODULES

    for module in MODULES:
        __import__(f"disclosure_control.treatments.{module}")
    return _METHODS
