"""The releases of one pilot to attack: the untreated combined dataset, the treated one, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.codebook import Codebook
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.registry import Reading
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot


@dataclass(frozen=True)
class AttackedRelease:
    """What an attacker sees: ``frame`` (n_released, n_columns); ``kept`` are its records' positions in the pilot.

    ``readings``: how someone with the codebook reads the columns that the treatment changed.
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    kept: np.ndarray
    readings: Mapping[str, Reading] = field(default_factory=dict)

    def codebook(self, pilot: pd.DataFrame) -> Codebook | None:
        """How the released records became what they are; None where they were not treated."""
        if self.name == "combined":
            return None
        return Codebook(pilot.iloc[self.kept].reset_index(drop=True), self.readings)


def releases_of(pilot: pd.DataFrame, treated: TreatedPilot | None, which: str) -> list[AttackedRelease]:
    """The untreated combined dataset, the treated one, or both; ``treated`` is the treatment's outcome, or None."""
    found = []
    if which != "treated":
        found.append(AttackedRelease("combined", pilot, np.arange(len(pilot))))
    if which != "combined" and treated is not None:
        frame = treated.frame.reset_index(drop=True)
        found.append(AttackedRelease("treated", frame, np.asarray(treated.kept), treated.readings))
    if not found:
        raise FaultyInputError(
            'linkage_attack["released"]: no treatment ran before; add the key treatment to the config'
        )
    return found
