"""Dates of birth by their values: one per person, and its distance to the events of the person is an age."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from study.concepts import concept_of
from study.formats.days import day_numbers, days_of
from study.formats.tables import SourceTable

_YEAR = 365.25
_LOOKED_AT, _PROBED = 2_000, 50  # people; values of a column that may have dates
_MOST_PAIRS = 1_000_000
_FEWEST = 10  # people with both dates
_NEARLY_ALL = 0.9
_AROUND_AGE, _SAME_AGE = 3, 0.1  # years: ages are those of another day of the study, or rounded; of children, exact
_DECADES, _GENERATION = 20, 30  # years before all events, and between people, where there are none


def birth_by_values(name: str, table: SourceTable, person: str | None, others: Sequence[SourceTable]) -> str:
    """Why a column of dates has the dates of birth of a table's people; "" where it has other dates.

    Its distance to an event is the age that stands beside it; or it stands decades before all events; or no other dates
    are there, and the people's lie a generation apart.
    """
    if person is None or person not in table.frame or name == person:
        return ""
    if len(table.frame) != table.n_rows:
        return _by_all_days(name, table, others)
    rows = table.combinations([person, name], _MOST_PAIRS)
    born = None if rows is None else _one_each(rows, person, name)
    if born is None or len(born) < _FEWEST:
        return ""
    events = dict(_events(name, table, person, others, born.index))
    for age in (one for one in map(str, table.frame.columns) if (it := concept_of(one)) and it.name == "age"):
        ages = _of_people(table, person, age, born.index, parse_numbers)
        for event, days in events.items():
            distance = ((days - born) / _YEAR).dropna()
            around = _AROUND_AGE if distance.median() > 2 * _AROUND_AGE else _SAME_AGE
            is_near = (distance - ages).dropna().between(-around, 1 + around)
            if len(is_near) >= _FEWEST and is_near.mean() >= _NEARLY_ALL and _spread(distance) > 1:
                return f"its distance to {event} is the {age} beside it"
    if not events:
        is_wide = _spread(born) >= _GENERATION * _YEAR
        return "it stands once per person, and these days lie a generation apart" if is_wide else ""
    first = pd.concat(list(events.values()), axis="columns").min(axis="columns")
    apart = ((first - born) / _YEAR).dropna()
    is_long_before = len(apart) >= _FEWEST and (apart >= _DECADES * 0.75).mean() >= _NEARLY_ALL
    is_long_before = is_long_before and apart.median() >= _DECADES
    return "it stands once per person, decades before all other dates" if is_long_before else ""


def _by_all_days(name: str, table: SourceTable, others: Sequence[SourceTable]) -> str:
    """The same of a table that is not in memory, where nobody's dates are seen together: by all days of its columns."""
    of_others = [
        _tenths(one, column)
        for one in (table, *others)
        for column in map(str, one.frame.columns)
        if not (one is table and column == name) and has_dates(one, column)
    ]
    born = _tenths(table, name)
    if not of_others or born is None:
        return ""
    early = min(days[0] for days in of_others if days is not None)
    is_long_before = early - born[2] >= _DECADES / 2 * _YEAR and early - born[1] >= _DECADES * _YEAR
    return "its days lie decades before all other dates" if is_long_before else ""


def _tenths(table: SourceTable, column: str) -> np.ndarray | None:
    """The days of a column that a tenth, half and nine tenths of its records come before; None without any."""
    counts = table.counts_of(column)
    days = days_of(counts.index.to_series().astype("str")).astype("datetime64[D]")
    known = ~np.isnat(days)
    if not known.any():
        return None
    numbers, n_records = days[known].astype(np.int64), counts.to_numpy()[known]
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(n_records[order])
    return numbers[order][np.searchsorted(ends, ends[-1] * np.array([0.1, 0.5, 0.9]))]


def _spread(numbers: pd.Series) -> float:
    low, high = np.quantile(numbers, [0.05, 0.95])
    return float(high - low)


def _one_each(rows: pd.DataFrame, person: str, name: str) -> pd.Series | None:
    """The day of each of some people, since 1970; None if somebody has two."""
    pairs = rows.dropna().drop_duplicates()
    if pairs[person].duplicated().any():
        return None
    pairs = pairs.sort_values(person).head(_LOOKED_AT)
    return pd.Series(_days(pairs[name]), pairs[person].to_numpy()).dropna()


def _days(values: pd.Series) -> np.ndarray:
    """Dates (n,) as days since 1970; NaN where there is none."""
    days = days_of(values.astype("str")).astype("datetime64[D]")
    return day_numbers(days)


def _of_people(
    table: SourceTable, person: str, column: str, people: pd.Index, read: Callable[[pd.Series], np.ndarray]
) -> pd.Series:
    """The first number that each of some people has in a column as ``read``, by person; none where it has too many."""
    rows = table.combinations([person, column], _MOST_PAIRS)
    if rows is None:
        return pd.Series(dtype=float)
    known = rows[rows[person].isin(people)].dropna()
    return pd.Series(read(known[column]), known[person].to_numpy()).dropna().groupby(level=0).min()


def _events(
    name: str, table: SourceTable, person: str, others: Sequence[SourceTable], people: pd.Index
) -> Iterator[tuple[str, pd.Series]]:
    """The first day of some people in each other column of dates that a table with their ids has."""
    for one in (table, *others):
        if person not in one.frame:
            continue
        for column in map(str, one.frame.columns):
            if (one is table and column == name) or not has_dates(one, column):
                continue
            days = _of_people(one, person, column, people, _days)
            if len(days):
                yield column, days


def has_dates(table: SourceTable, column: str) -> bool:
    """Whether some of the first values of a column are days."""
    some = table.counted_column(column)[0].dropna().head(_PROBED)
    return len(some) > 0 and some.dtype.kind != "f" and not np.isnat(days_of(some.astype("str"))).all()
