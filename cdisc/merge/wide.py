"""Domains that already have one row per subject: checked, and put in the order of the subjects."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import number_text


def reduce_wide(
    frame: pd.DataFrame, domain: str, subject: np.ndarray, n_subjects: int, several_rows: str | None, id_column: str
) -> tuple[dict[str, np.ndarray], int, list[str]]:
    """Columns ``<DOMAIN>__<name>`` (n_subjects,) as text, how many rows were collapsed, and faults.

    Two rows for one subject are a fault unless ``several_rows`` says which to take, "first" or "last" in the order
    of the domain's dates and then of its values, never of the file.
    """
    n_collapsed = len(subject) - int(np.count_nonzero(np.bincount(subject, minlength=n_subjects)))
    if n_collapsed and several_rows is not None:
        rows = row_of_each_subject(frame, domain, subject, several_rows)
        frame, subject = frame.iloc[rows], subject[rows]
    elif n_collapsed:
        n_several, n_present = int((np.bincount(subject) > 1).sum()), len(subject) - n_collapsed
        fault = (
            f"{domain}: {n_several} subjects have several rows ({len(subject)} rows for {n_present} subjects), by "
            f"{id_column}, and this is no long SDTM domain; allowed: one row per subject; correct the file, or choose "
            f'by merge: {{"several_rows": {{"{domain}": "last"}}}}'
        )
        return {}, 0, [fault]
    columns = {}
    for name, values in frame.items():
        column = np.full(n_subjects, None, dtype=object)
        column[subject] = text_of(values)
        columns[f"{domain}__{name}"] = column
    return columns, n_collapsed, []


def row_of_each_subject(frame: pd.DataFrame, domain: str, subject: np.ndarray, several_rows: str) -> np.ndarray:
    """Position of the "first" or "last" row of each subject by the domain's date, then by all its values.

    A row without a date is neither first nor last where another one has a date.
    """
    date = f"{domain[:2]}DTC"
    keys = []
    for name in sorted(frame, key=lambda name: (name != date, name)):
        codes, distinct = pd.factorize(frame[name], sort=True)
        keys.append(np.where(codes < 0, len(distinct), codes) if several_rows == "first" else codes)
    order = np.lexsort((*reversed(keys), subject))
    changes = np.diff(subject[order])
    at_end = (np.append(changes, 1) if several_rows == "last" else np.insert(changes, 0, 1)) != 0
    return np.asarray(order[at_end])


def says(frame: pd.DataFrame, name: str, word: str) -> np.ndarray:
    """Which rows hold a word in a variable, in whatever case: (n_rows,) of bool, all False where it is not there."""
    if name not in frame:
        return np.zeros(len(frame), dtype=bool)
    text = pd.Series(text_of(frame[name]), dtype="str")
    return (text.str.upper() == word).to_numpy(dtype=bool, na_value=False)


def text_of(values: pd.Series) -> np.ndarray:
    """A column as text (n_rows,), None where missing, whole numbers without a decimal point."""
    if values.dtype.kind != "f":
        return np.asarray(values.to_numpy(dtype=object, na_value=None))  # type: ignore[call-overload]
    codes, distinct = pd.factorize(values)
    return np.array([*map(number_text, distinct), None], dtype=object)[codes]
