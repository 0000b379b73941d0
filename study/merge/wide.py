"""How rows that are no findings become one row per person: wide domains, rows in time, events and interventions.

Of a wide domain each person has one row, which is checked. Of rows in time (visits of an electronic record, events of a
REDCap project) each column gives the first value that it has in the order of the rows' time, or what ``merge.record``
says. Events (AE, MH, CM, EX, DS) are counted, with flags for the codes asked for. The order of the file never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts, texts_at
from study.merge.parts import Domain, DomainPart, Parts, Plan, Reduced, Reduction
from study.merge.settings import rule_for
from study.models.coded_terms import DENIES
from study.models.roles import Role, TableKind, TableModel


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
        words = (
            f"{domain.name}: %(n) of %(n_present) subjects have several rows, by {domain.id_column or ''}, and this is "
            "not a long SDTM domain; allowed: one row per subject; correct the file, or choose by merge: "
            f'{{"several_rows": {{"{domain.name}": "last"}}}}'
        )
        faults = {words: numbers}
    elif counts["collapsed"]:
        rows = row_of_each_subject(frame, domain.model.order, subject, several_rows)
        frame, subject = frame.iloc[rows], subject[rows]
    row = np.full(n_subjects, -1)
    row[subject] = np.arange(len(subject))
    columns = {f"{domain.name}__{name}": texts_at(as_texts(values), row) for name, values in frame.items()}
    return Reduced(columns, counts=counts, faults=faults)


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

# ---------------------------------------------------------------- rows in time

SUMMARIES = ("mean", "min", "max")


def reduce_rows(part: DomainPart, domain: Domain, _: Any) -> Reduced:
    """Columns ``<TABLE>__<name>`` (n_subjects,) as text, and ``<TABLE>__count``, the rows of each person.

    ``undecided_ties`` counts the values that were chosen by themselves among others of the same time.
    """
    count = np.bincount(part.subject, minlength=part.n_subjects)
    columns, n_undecided = _one_of_each(part, domain, domain.kept)
    n_present = int(np.count_nonzero(count))
    counts = {
        "collapsed": len(part.subject) - n_present,
        "dropped_columns": list(domain.dropped),
        "undecided_ties": n_undecided,
    }
    return Reduced({f"{domain.name}__count": count.astype(str).astype(object), **columns}, counts=counts)


def columns_of_person(part: DomainPart, domain: Domain) -> dict[str, np.ndarray]:
    """What a table of findings or events says of the person in its rows: a sex, a year of birth; as rows in time."""
    if domain.model.kind not in (TableKind.FINDINGS, TableKind.EVENTS):
        return {}
    return _one_of_each(part, domain, domain.model.of_person)[0]


def _one_of_each(part: DomainPart, domain: Domain, names: Sequence[str]) -> tuple[dict[str, np.ndarray], int]:
    """One value of each column for each person, and how many of these values had rivals of the same time."""
    frame, subject, n_subjects = part.frame, part.subject, part.n_subjects
    columns: dict[str, np.ndarray] = {}
    moment = moments(frame, domain.model) if names else np.zeros(0, dtype=np.int64)
    n_undecided = 0
    for name in names:
        column = f"{domain.name}__{name}"
        rule = rule_for(domain.settings.record, "baseline", domain.name, column)
        if rule in SUMMARIES:
            of_person = summary_of_groups(parse_numbers(frame[name]), subject, rule)
            columns[column] = np.full(n_subjects, None, dtype=object)
            columns[column][of_person.index] = list(map(number_text, of_person))
            continue
        columns[column], n = _of_a_moment(frame[name], subject, n_subjects, -moment if rule == "last" else moment)
        n_undecided += n
    return columns, n_undecided


def moments(frame: pd.DataFrame, model: TableModel) -> np.ndarray:
    """The place of each row (n_rows,) in time, by the columns of the model's order; 0 where none of them has a value.

    Places are from 1 on, and rows without a time have the same place in both directions: behind all others.
    """
    order: list[pd.Series] = []
    is_known = np.zeros(len(frame), dtype=bool)
    for name in model.order:
        if name in frame:
            column = model.columns.get(name)
            is_text = column is not None and column.role in (Role.DATE, Role.BIRTH, Role.DEATH_DATE)
            order.append(frame[name].astype("str") if is_text else pd.Series(parse_numbers(frame[name]), frame.index))
            is_known |= order[-1].notna().to_numpy()
    return np.where(is_known, rank_of_rows(order, len(frame)) + 1, 0)


def _of_a_moment(values: pd.Series, subject: np.ndarray, n_subjects: int, moment: np.ndarray) -> tuple[np.ndarray, int]:
    """The value of the first moment at which each person has one (n_subjects,), and how many of them had rivals there.

    Among different values of that moment the first in the order of values is taken. Moment 0 comes last.
    """
    text = text_of(values)
    codes, distinct = pd.factorize(pd.Series(text, dtype="object"), sort=True)
    rows = np.flatnonzero(codes >= 0)
    time = np.where(moment[rows] == 0, np.iinfo(np.int64).max, moment[rows])
    order = rows[np.lexsort((codes[rows], time, subject[rows]))]
    chosen = np.full(n_subjects, None, dtype=object)
    if not len(order):
        return chosen, 0
    starts = np.flatnonzero(np.diff(subject[order], prepend=-1))
    chosen[subject[order[starts]]] = np.asarray(distinct, dtype=object)[codes[order[starts]]]
    own = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
    has_rival = (moment[order] == moment[own]) & (codes[order] != codes[own])
    return chosen, len(np.unique(subject[order[has_rival]]))


ROWS = Reduction("rows in time", reduce_rows)

# ---------------------------------------------------------------- events

YES, NO = "Y", "N"


def reduce_events(part: DomainPart, domain: Domain, _: Any) -> Reduced:
    """Columns ``AE__count`` and, for each variable and code requested, ``AE__AEDECOD=HEADACHE`` (Y or N).

    A subject without a record has the count 0 and N. Records of something that did not occur (--OCCUR N, --STAT
    NOT DONE) do not count.
    """
    asked = domain.settings.events.get(domain.name)
    if asked is None:
        return Reduced({}, counts={"form": "events, not joined"})
    frame, subject, n_subjects, own = part.frame, part.subject, part.n_subjects, domain.name
    happened = np.ones(len(frame), dtype=bool)
    for name, value in DENIES:
        happened &= ~says(frame, domain.model.called(name), value)
    count = np.bincount(subject[happened], minlength=n_subjects)
    columns = {f"{own}__count": count.astype(str).astype(object)}
    for variable, codes in asked.items():
        for code in codes:
            ever = np.zeros(n_subjects, dtype=bool)
            ever[subject[happened & says(frame, variable, code.upper())]] = True
            columns[f"{own}__{variable}={code}"] = np.where(ever, YES, NO).astype(object)
    return Reduced(columns)


def plan_events(parts: Parts, domain: Domain) -> Plan:
    """Nothing has to be known of all people; a variable that the domain does not have is a fault."""
    place = f"merge['events'][{domain.name!r}]: {domain.name}"
    absent = [name for name in domain.settings.events.get(domain.name, ()) if name not in domain.columns]
    return Plan(faults=tuple(f"{place} has no variable {name!r}" for name in absent))


EVENTS = Reduction("events", reduce_events, plan_events)
