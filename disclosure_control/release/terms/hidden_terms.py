"""Coded terms that the config hides, however many people have them, because they tell what was taken out: a site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from disclosure_control.release.people import labels
from study.models.coded_terms import TermLadder
from study.operations import names_variable

# The terms that are hidden, by the pattern of a variable.
HiddenTerms = Mapping[str, Sequence[str]]


def are_to_hide(frame: pd.DataFrame, ladder: TermLadder, domain: str, hidden: HiddenTerms) -> np.ndarray:
    """Which rows (n_rows,) have, at any level of a coded term, one of the ``hidden`` terms of that column."""
    found = np.zeros(len(frame), dtype=bool)
    for column in frame.columns.intersection(list(ladder.columns)):
        texts = {text for pattern, of in hidden.items() if names_variable(pattern, domain, str(column)) for text in of}
        if texts:
            found |= pd.Series(labels(frame[column])).isin(texts).to_numpy()
    return found
