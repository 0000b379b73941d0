"""Events and interventions (AE, MH, CM, EX, DS, ...): per subject a count, and flags for the codes asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdisc.merge.wide import says

YES, NO = "Y", "N"


def reduce_events(
    frame: pd.DataFrame,
    prefix: str,
    domain: str,
    subject: np.ndarray,
    n_subjects: int,
    flags: dict[str, tuple[str, ...]],
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Columns ``AE__count`` and, for each variable and code asked for, ``AE__AEDECOD=HEADACHE`` (Y or N), and faults.

    A subject without a record has the count 0 and N. Records that say that something did not occur (--OCCUR N, --STAT
    NOT DONE) do not count.
    """
    happened = np.ones(len(frame), dtype=bool)
    for name, value in ((f"{prefix}OCCUR", "N"), (f"{prefix}STAT", "NOT DONE")):
        happened &= ~says(frame, name, value)
    count = np.bincount(subject[happened], minlength=n_subjects)
    columns = {f"{domain}__count": count.astype(str).astype(object)}
    faults = []
    for variable, codes in flags.items():
        if variable not in frame:
            faults.append(f"merge['events'][{domain!r}]: {domain} has no variable {variable!r}")
            continue
        for code in codes:
            ever = np.zeros(n_subjects, dtype=bool)
            ever[subject[happened & says(frame, variable, code.upper())]] = True
            columns[f"{domain}__{variable}={code}"] = np.where(ever, YES, NO).astype(object)
    return columns, faults
