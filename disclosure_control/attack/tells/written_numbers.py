"""How numbers are written in a column, and the one number in each of its texts: both may say what was taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.words import counted

NEARLY_ALL = 0.95
MOST_DECIMALS = 9
_ONE_NUMBER = r"^([^\d+-]*?)([+-]?\d+(?:[.,]\d+)?)(\D*)$"
# A duration of ISO 8601, by its years, months, weeks and days, and how many days each of these has.
_DURATION = (
    r"^[+-]?P(?=\d)(?:(\d+(?:[.,]\d+)?)Y)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?$"
)
_DAYS = (365.25, 365.25 / 12, 7.0, 1.0)
# What a number in a text can have beside its decimals: by whom or with what it was measured shows in these.
_SIGNS = {
    "a plus": r"^\+",
    "a zero in front": r"^[+-]?0\d",
    "a zero at the end": r"0$",
    "a comma": ",",
    "an exponent": "[eE]",
}


def forms_of_numbers(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The form of each label of numbers (n_labels,) as a code, and the forms in words: decimals, signs, zeros.

    Labels that are numbers, not texts, have their shortest form: its decimals, and a zero at the end.
    """
    if labels.dtype.kind == "f":
        decimals, signs, names = _decimals(labels), (labels % 10 == 0)[None], ["a zero at the end"]
    else:
        texts = pd.Series(labels, dtype="str")
        part = texts.str.extract(r"[.,](\d+)", expand=False).str.len().fillna(0)
        decimals = np.minimum(part.to_numpy(dtype=np.int64), MOST_DECIMALS)
        signs = np.array([texts.str.contains(sign).to_numpy(dtype=bool) for sign in _SIGNS.values()])
        names = list(_SIGNS)
    key = decimals.copy()
    for has in signs:
        key = 2 * key + has
    _, first, codes = np.unique(key, return_index=True, return_inverse=True)
    forms = [
        _in_words(int(decimals[one]), [name for name, has in zip(names, signs[:, one], strict=True) if has])
        for one in first
    ]
    return codes, np.array(forms, dtype=object)


def _decimals(numbers: np.ndarray) -> np.ndarray:
    """How many decimals numbers (n,) have when written shortest, at most ``MOST_DECIMALS``."""
    found = np.full(len(numbers), MOST_DECIMALS)
    for n in reversed(range(MOST_DECIMALS)):
        scaled = numbers * 10.0**n
        found[np.abs(scaled - np.round(scaled)) <= 1e-6] = n
    return found


def _in_words(n_decimals: int, signs: Sequence[str]) -> str:
    return ", ".join([counted(n_decimals, "decimal"), *signs])


def numbers_within(labels: np.ndarray, some: Sequence[str]) -> np.ndarray | None:
    """The number in each text (n_labels,) where nearly all are one number in the same words: P45Y, 45 years.

    Durations of several units are numbers of days: P5Y, P60M, P5Y3M. NaN where a text has other words; None of other
    columns. ``some`` of the labels tell quickly.
    """
    if sum(re.match(_DURATION, text) is not None for text in some) >= NEARLY_ALL * len(some) > 0:
        return _durations(labels)
    if sum(re.fullmatch(_ONE_NUMBER, text) is not None for text in some) < NEARLY_ALL * len(some):
        return None
    parts = pd.Series(labels, dtype="str").str.extract(_ONE_NUMBER)
    words = parts[0].str.cat(parts[2], sep="#")
    same = words.eq(words.mode().iloc[0]).to_numpy(dtype=bool) if words.notna().any() else np.zeros(len(labels), bool)
    if same.sum() < NEARLY_ALL * len(labels):
        return None
    numbers = pd.to_numeric(parts[1].str.replace(",", "."), errors="coerce").to_numpy(dtype=float)
    return np.where(same, numbers, np.nan)


def _durations(labels: np.ndarray) -> np.ndarray | None:
    """The durations (n_labels,) in their one unit, or in days; NaN of another text, None where nearly all are none."""
    parts = pd.Series(labels, dtype="str").str.extract(_DURATION)
    is_read = parts.notna().any(axis=1).to_numpy(dtype=bool)
    if is_read.sum() < NEARLY_ALL * len(labels):
        return None
    numbers = parts.apply(lambda part: pd.to_numeric(part.str.replace(",", "."))).fillna(0.0).to_numpy(dtype=float)
    used = parts.notna().any(axis=0).to_numpy(dtype=bool)
    found: np.ndarray = np.where(is_read, numbers @ np.where(used.sum() > 1, _DAYS, used), np.nan)
    return found
