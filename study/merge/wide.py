"""Domains that already have one row per subject: checked, and put in the order of the subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts, texts_at
from study.merge.parts import CountedFault, Domain, DomainPart, Parts, Plan, Reduced, Reduction, literal


@dataclass(frozen=True)
class WidePlan:
    """Which columns of a domain say something about a person, which do not, and which of several rows is taken."""

    domain: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    several_rows: str | None
    id_column: str | None
    dates: tuple[str, ...]


def plan_wide(parts: Parts, domain: Domain) -> Plan[WidePlan]:
    """The columns of a domain that are joined: those that can say something about a person."""
    dropped = tuple(name for name in domain.columns if name in domain.model.not_merged)
    kept = tuple(name for name in domain.columns if name not in (*dropped, domain.id_column))
    several_rows = domain.settings.several_rows.get(domain.name)
    return Plan(WidePlan(domain.name, kept, dropped, several_rows, domain.id_column, domain.model.order))


def reduce_wide(part: DomainPart, plan: WidePlan) -> Reduced:
    """Columns ``<DOMAIN>__<name>`` (n_subjects,) as text, and how many rows were collapsed.

    Two rows for one subject are a fault unless the settings say which to take, "first" or "last" in the order
    of the domain's dates and then of its values, never of the file.
    """
    domain, n_subjects, subject, frame = plan.domain, part.n_subjects, part.subject, part.frame[list(plan.kept)]
    rows_of_subject = np.bincount(subject, minlength=n_subjects)
    n_present = int(np.count_nonzero(rows_of_subject))
    counts = {"collapsed": len(subject) - n_present, "dropped_columns": list(plan.dropped)}
    faults: tuple[CountedFault, ...] = ()
    if plan.several_rows is None:
        n_several = int((rows_of_subject > 1).sum())
        numbers = {"n_several": n_several, "n_rows": len(subject), "n_present": n_present}
        faults = (CountedFault(_words_of_several_rows(domain, plan.id_column or ""), numbers),)
    elif counts["collapsed"]:
        rows = row_of_each_subject(frame, plan.dates, subject, plan.several_rows)
        frame, subject = frame.iloc[rows], subject[rows]
    row = np.full(n_subjects, -1)
    row[subject] = np.arange(len(subject))
    columns = {f"{domain}__{name}": texts_at(as_texts(values), row) for name, values in frame.items()}
    return Reduced(columns, counts=counts, faults=faults)


def _words_of_several_rows(domain: str, id_column: str) -> str:
    return (
        f"{literal(domain)}: %(n_several)s of %(n_present)s subjects have several rows, by "
        f"{literal(id_column)}, and this is not a long SDTM domain; allowed: one row per subject; correct the file, or "
        f'choose by merge: {{"several_rows": {{"{literal(domain)}": "last"}}}}'
    )


def row_of_each_subject(
    frame: pd.DataFrame, dates: Sequence[str], subject: np.ndarray, several_rows: str
) -> np.ndarray:
    """Position of the "first" or "last" row of each subject by the ``dates``, then by all values.

    A row without a date is neither first nor last if another one has a date.
    """
    ranks = {name: rank for rank, name in enumerate(dates)}
    keys = []
    for name in sorted(map(str, frame), key=lambda name: (ranks.get(name, len(ranks)), name)):
        codes, distinct = pd.factorize(frame[name], sort=True)
        keys.append(np.where(codes < 0, len(distinct), codes) if several_rows == "first" else codes)
    order = np.lexsort((*reversed(keys), subject))
    changes = np.diff(subject[order])
    at_end = (np.append(changes, 1) if several_rows == "last" else np.insert(changes, 0, 1)) != 0
    return np.asarray(order[at_end])


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


WIDE = Reduction("wide", lambda domain: True, plan_wide, reduce_wide)
