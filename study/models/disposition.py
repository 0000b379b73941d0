"""How people left a study: the terms of a disposition, and the one term that all ways to discontinue share.

Source: CDISC Controlled Terminology, code list NCOMPLT (Completion/Reason for Non-Completion, C66727).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from study.models.standard_words import standard_lists

DISCONTINUED = "DISCONTINUED"
_IN_PLAN = ("DISPOSITION EVENT", "")  # categories of DS whose terms say how somebody left; "" is none


def _terms(*kinds: str) -> list[str]:
    """Terms of the code list: of who ``completed`` the study, who ``never began`` it, and ``reasons`` to leave it."""
    return [term for kind in kinds for term in standard_lists()["dispositions"][kind]]


def _said(term: object) -> str:
    return " ".join(str(term).upper().replace("-", " ").replace("/", " ").split())


def is_reason(term: object) -> bool:
    """Whether a term is a reason to leave a study, of the code list."""
    return _said(term) in _terms("reasons")


def are_dispositions(terms: Sequence[object]) -> bool:
    """Whether some of the distinct ``terms`` are reasons to leave a study, and at least half are of the code list."""
    said = {_said(term) for term in terms}
    known = said & {*_terms("completed", "never began", "reasons")}
    return bool(said & {*_terms("reasons")}) and 2 * len(known) >= len(said)


def disposition_level(terms: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """The term above each one (n_rows,): all reasons to discontinue are one; the others are above themselves.

    ``categories`` (n_rows,), None where there is none: a milestone of the protocol or another event is no disposition.
    A person who was never in the study did not discontinue it.
    """
    codes, distinct = pd.factorize(terms)
    stays = _terms("completed", "never began")
    above = [one if _said(one) in stays else DISCONTINUED for one in distinct]
    groups = pd.Series(categories).fillna("").astype(str).str.upper().str.strip()
    is_disposition = groups.isin(_IN_PLAN).to_numpy()
    raised = np.array([*above, None], dtype=object)[codes]
    return np.where(is_disposition, raised, terms)
