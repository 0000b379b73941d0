"""Rows in time (visits of an electronic record, events of a REDCap project) to one row per person.

Each column gives the first value that it has in the order of the rows' time, or what ``merge.record`` says; a number of
rows says how many there are. The order of the file never counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from study.merge.parts import Domain, DomainPart, Reduced, Reduction
from study.merge.settings import rule_for
from study.merge.wide import rank_of_rows, summary_of_groups, text_of
from study.models.roles import Role, TableKind, TableModel

LATEST = ("last",)
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
        columns[column], n = _of_a_moment(frame[name], subject, n_subjects, -moment if rule in LATEST else moment)
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
