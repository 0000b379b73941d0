"""What is released of one pilot: the combined dataset as it is, the treated one, or both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.treatments.treated_pilot import TreatedPilot


@dataclass(frozen=True)
class Release:
    """What an attacker sees: ``frame`` (n_released, n_columns); ``kept`` are its records' positions in the pilot."""

    name: str
    frame: pd.DataFrame
    kept: np.ndarray

    def before(self, pilot: pd.DataFrame) -> pd.DataFrame | None:
        """The released records before the treatment, in their order; None where there was none."""
        return None if self.name == "combined" else pilot.iloc[self.kept].reset_index(drop=True)


def releases_of(pilot: pd.DataFrame, treated: TreatedPilot | None, which: str) -> list[Release]:
    """The combined dataset as it is, the treated one, or both; ``treated`` is the treatment's outcome, or None."""
    found = []
    if which != "treated":
        found.append(Release("combined", pilot, np.arange(len(pilot))))
    if which != "combined" and treated is not None:
        found.append(Release("treated", treated.frame.reset_index(drop=True), np.asarray(treated.kept)))
    if not found:
        raise FaultyInputError(
            'linkage_attack["released"]: no treatment ran before; add the key treatment to the config'
        )
    return found
