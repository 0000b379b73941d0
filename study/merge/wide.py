"""Domains that already have one row per subject: checked, and put in the order of the subjects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts, texts_at
from study.merge.parts import Domain, DomainPart, Reduced, Reduction


def reduce_wide(part: DomainPart, domain: Domain, _: Any) -> Reduced:
    """Columns ``<DOMAIN>__<name>`` (n_subjects,) as text, and how many rows were collapsed.

    Two rows for one subject are a fault unless the settings say which to take, "first" or "last" in the order
    of the domain's dates and then of its values, never of the file.
    """
    n_subjects, subject, frame = part.n_subjects, part.subject, part.frame[list(domain.kept)]
    several_rows = domain.settings.several_rows.get(domain.name)
    rows_of_subject = np.bincount(subject, minlength=n_subjects)
    n_present = int(np.count_nonzero(rows_of_subject))
    counts = {"collapsed": len(subject) - n_present, "dropped_columns": list(domain.dropped)}
    faults = {}
    if several_rows is None:
        numbers = {"n": int((rows_of_subject > 1).sum()), "n_present": n_present}
        faults = {_words_of_several_rows(domain.name, domain.id_column or ""): numbers}
    elif counts["collapsed"]:
        rows = row_of_each_subject(frame, domain.model.order, subject, several_rows)
        frame, subject = frame.iloc[rows], subject[rows]
    row = np.full(n_subjects, -1)
    row[subject] = np.arange(len(subject))
    columns = {f"{domain.name}__{name}": texts_at(as_texts(values), row) for name, values in frame.items()}
    return Reduced(columns, counts=counts, faults=faults)


def _words_of_several_rows(domain: str, id_column: str) -> str:
    return (
        f"{domain}: %(n) of %(n_present) subjects have several rows, by {id_column}, and this is not a long SDTM "
        f'domain; allowed: one row per subject; correct the file, or choose by merge: {{"several_rows": {{"{domain}": '
        '"last"}}'
    )


def row_of_each_subject(
    frame: pd.DataFrame, dates: Sequence[str], subject: np.ndarray, several_rows: str
) -> np.ndarray:
    """Position of the "first" or "last" row of each subject by the ``dates``, then by all values.

    A row without a date is neither first nor last if another one has a date.
    """
    ranks = {name: rank for rank, name in enumerate(dates)}
    names = sorted(map(str, frame), key=lambda name: (ranks.get(name, len(ranks)), name))
    rank = rank_of_rows((frame[name] for name in names), len(frame), missing_last=several_rows == "first")
    order = np.lexsort((rank, subject))
    changes = np.diff(subject[order])
    at_end = (np.append(changes, 1) if several_rows == "last" else np.insert(changes, 0, 1)) != 0
    return np.asarray(order[at_end])


def rank_of_rows(columns: Iterable[pd.Series | np.ndarray], n_rows: int, missing_last: bool = False) -> np.ndarray:
    """Rank of each row (n_rows,) by several columns, the first the most important; a missing value is first or last."""
    rank = np.zeros(n_rows, dtype=np.int64)
    for values in columns:
        codes, distinct = pd.factorize(values, sort=True)
        n_codes = len(distinct) + 1
        codes = np.where(codes < 0, len(distinct), codes) if missing_last else codes + 1
        rank, _ = number_groups(rank * n_codes + codes, (rank.max(initial=0) + 1) * n_codes)
    return rank


def summary_of_groups(numbers: np.ndarray, group: np.ndarray, rule: str) -> pd.Series:
    """The mean, min or max of the numbers (n_rows,) of each group that has some, by group."""
    rows = np.flatnonzero(~np.isnan(numbers))
    rows = rows[np.lexsort((numbers[rows], group[rows]))]  # sums depend on the order of their terms
    found: pd.Series = getattr(pd.Series(numbers[rows]).groupby(group[rows]), rule)()
    return found


def says(frame: pd.DataFrame, name: str, word: str) -> np.ndarray:
    """Which rows have a word in a variable, in any case: (n_rows,) of bool, all False without the variable."""
    if name not in frame:
        return np.zeros(len(frame), dtype=bool)
    text = as_texts(frame[name])
    if (few := codes_of_few_texts(text)) is not None:
        is_said = pd.Series(few.texts, dtype="str").str.upper() == word
        return few.taken(is_said.to_numpy(dtype=bool), False)
    return (text.str.upper() == word).to_numpy(dtype=bool, na_value=False)


def as_texts(values: pd.Series) -> pd.Series:
    """The same as a column of text, itself where it is one."""
    return values if values.dtype == "str" else pd.Series(text_of(values), dtype="str")


def text_of(values: pd.Series) -> np.ndarray:
    """A column as text (n_rows,), None where missing, whole numbers without a decimal point."""
    if values.dtype.kind != "f":
        return np.asarray(values.to_numpy(dtype=object, na_value=None))  # type: ignore[call-overload]
    codes, distinct = pd.factorize(values)
    return np.array([*map(number_text, distinct), None], dtype=object)[codes]


WIDE = Reduction("wide", reduce_wide)
