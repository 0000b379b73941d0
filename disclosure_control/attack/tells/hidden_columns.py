"""The columns that a step changed or dropped and outsiders may know: what was taken out, and what is left of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import LevelMembers, chance_within, told_near_median
from disclosure_control.attack.answerers.one_column import CHANCE, sure_levels, told_labels, told_numbers
from disclosure_control.attack.leaving import Leaving, LookedAt
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, parse_numbers
from disclosure_control.remedy.treatments.methods.shift_dates import ShiftDatesSettings
from study.columns.known_to_outsiders import known_to_outsiders

TELLING = 0.95  # share of the people whose value was removed, or of those among them with a predicting value
LEAST_PEOPLE = 10  # changed values, and disclosed people, for a finding
MANY_VALUES = 10  # numbers with more values count as disclosed within a tolerance
MOST_LEVELS = 3  # of a quasi-identifier, by which the relation of two numbers with a third may differ
MEASURED = ("age", "date", "body measure")  # kinds of knowledge that are numbers
DATE_FORMATS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d-%b-%Y", "%d%b%Y", "%d %b %Y"),
    *("%d %B %Y", "%B %d, %Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
)


def hidden_columns(leaving: Leaving) -> list[str]:
    """Quasi-identifiers, sensitive features, and what outsiders may know, that a step changed or dropped."""
    config = leaving.before.config
    known = {*config.quasi_identifiers, *config.sensitive_features, *leaving.outsiders_know(leaving.n_changed)}
    return [name for name, n in leaving.n_changed.items() if name in known and n]


def as_numbers(column: pd.Series) -> pd.Series:
    """The column as numbers, or as days, if almost all of its values can be read so; otherwise unchanged."""
    encoded = encode_column(column)
    if encoded.is_numeric or not len(encoded.labels):
        return column
    texts = pd.Series(encoded.labels.astype(str), dtype="str")
    if texts.str.contains(r"\d").mean() < TELLING:
        return column
    for numbers in _readings(texts):
        values = np.append(numbers, np.nan)[encoded.codes]
        if np.isfinite(values).sum() >= TELLING * (encoded.codes >= 0).sum() > 0:
            return pd.Series(values, index=column.index, name=column.name)
    return column


def _readings(texts: pd.Series) -> Iterator[np.ndarray]:
    """The texts as plain numbers, then as days in each way to write them; NaN what cannot be read so."""
    yield parse_numbers(texts.str.replace(",", "."))
    dates = texts.str.partition("T")[0]
    for form in DATE_FORMATS:
        read = pd.to_datetime(dates, format=form, errors="coerce").to_numpy("datetime64[D]")
        yield np.where(np.isnat(read), np.nan, read.astype(float))


@dataclass(frozen=True)
class HiddenColumn:
    """The removed values: for people with a value, the original ``labels``, and the part of it that is ``released``.

    ``rows``: their positions among the people examined. ``changed``: whose value was changed; the values of all others
    are known to anyone with the file. ``assessed``: whose value a released quasi-identifier gives, with which it is
    assessed: a copy of it, under whatever name, gives these people's too. ``part``: of the values that is looked at, in
    words, "" of all.
    """

    leaving: Leaving
    name: str
    rows: np.ndarray
    labels: EncodedColumn
    released: np.ndarray
    changed: np.ndarray
    are_labels: bool = False
    part: str = ""
    assessed: np.ndarray | None = None

    @classmethod
    def of(cls, leaving: Leaving, name: str, people: LookedAt) -> HiddenColumn:
        return cls.beside(leaving, name, people.original[name], people.released.get(name), people.changed[name])

    @classmethod
    def beside(
        cls,
        leaving: Leaving,
        name: str,
        original: pd.Series,
        left: pd.Series | None,
        changed: np.ndarray,
        are_labels: bool = False,
    ) -> HiddenColumn:
        """A column of the people examined (n_people,), beside what is ``left`` of it; None if it was dropped.

        ``are_labels``: its numbers only name something, as those of sites do.
        """
        labels = encode_column(original if are_labels else as_numbers(original))
        rows = np.flatnonzero(labels.codes >= 0)
        released = np.zeros(len(original), dtype=np.int64)
        if left is not None:
            released = encode_column(left).codes.astype(np.int64) + 1
        known = EncodedColumn(labels.codes[rows], labels.labels)
        return cls(leaving, name, rows, known, released[rows], changed[rows], are_labels)

    @property
    def asked(self) -> np.ndarray:
        """Whose value is searched (n,): it was changed, and no released quasi-identifier alone gives it."""
        return self.changed if self.assessed is None else self.changed & ~self.assessed

    def beside_quasi_identifiers(self, released: pd.DataFrame) -> HiddenColumn:
        """The same with who is ``assessed`` by one of the ``released`` columns of all people (n_people, n_columns)."""
        assessed = np.zeros(len(self.rows), dtype=bool)
        for _, column in released.items():
            assessed[self.changed] |= self._given_by(encode_column(column.iloc[self.rows[self.changed]]))
        return replace(self, assessed=assessed)

    def _given_by(self, column: EncodedColumn) -> np.ndarray:
        """Who of the changed ones (n_changed,) is in a level where nearly all have one value, beyond chance."""
        released = np.unique(self.released[self.changed], return_inverse=True)[1]
        if not self.is_numeric:
            return sure_levels(column, self.labels.codes[self.changed], released)
        number, n_levels, everybody = self.numbers[self.changed], len(column.labels) + 1, np.arange(len(released))
        of_levels = LevelMembers(column.codes.astype(np.int64) + 1, everybody, n_levels)
        chance = chance_within(number, released, self.within_band)
        who, most = everybody >= 0, float(np.log(CHANCE / n_levels))
        return np.isin(everybody, told_near_median(of_levels, number, self.within_band, chance, who, most).person)

    @cached_property
    def in_the_year(self) -> HiddenColumn:
        """Of days, the day of the year of each: calendar weeks and seasons disclose it, but not the year."""
        days = np.floor(self.numbers).astype(np.int64).astype("datetime64[D]")
        in_year = pd.Series((days - days.astype("datetime64[Y]").astype("datetime64[D]")).astype(float))
        return replace(self, labels=encode_column(in_year), part=" (its day of the year)")

    @cached_property
    def is_numeric(self) -> bool:
        return self.labels.is_numeric and len(self.labels.labels) > MANY_VALUES and not self.are_labels

    @cached_property
    def is_date(self) -> bool:
        """Whether it is a date that outsiders may know, in numbers of days."""
        return self.is_numeric and known_to_outsiders([self.name]).get(self.name) == "date"

    @cached_property
    def numbers(self) -> np.ndarray:
        numbers: np.ndarray = self.labels.labels[self.labels.codes]
        return numbers

    @cached_property
    def tolerance(self) -> float:
        """A quarter of what a released value leaves open, at most a twentieth of the range of nine in ten people."""
        return min(self._left_open / 4, self._middle / 20)

    @cached_property
    def within_band(self) -> float:
        """At most an eighth of that range: values so close to one are in a band half as wide as a released one.

        A date is released in no band: a season says little of it.
        """
        return self.tolerance if self.is_date else min(self._left_open / 4, self._middle / 8)

    @cached_property
    def _left_open(self) -> float:
        """The range of the values with one released value, of half of the people at least so much.

        A released value that one person alone has, such as a moved date, is taken with those next to it.
        """
        _, group, n = np.unique(self.released, return_inverse=True, return_counts=True)
        low, high = np.full(len(n), np.inf), np.full(len(n), -np.inf)
        np.minimum.at(low, group, self.numbers)
        np.maximum.at(high, group, self.numbers)
        lowest, highest = np.pad(low, 1, constant_values=np.inf), np.pad(high, 1, constant_values=-np.inf)
        lowest = np.minimum(np.minimum(lowest[:-2], low), lowest[2:])
        highest = np.maximum(np.maximum(highest[:-2], high), highest[2:])
        left_open = np.where(n > 1, high - low, highest - lowest)
        return float(np.median(left_open[group][self.changed]))

    @cached_property
    def _middle(self) -> float:
        return float(np.subtract(*np.quantile(self.numbers, [0.95, 0.05])))

    def away(self, teller: EncodedColumn) -> np.ndarray:
        """The distance of each value from the predicted one; of labels 0 if the prediction is right, else infinite."""
        if self.is_numeric:
            return told_numbers(teller, self.numbers)
        return np.where(told_labels(teller, self.labels.codes), 0.0, np.inf)

    def is_told(self, away: np.ndarray) -> np.ndarray:
        told: np.ndarray = away <= (self.tolerance if self.is_numeric else 0.0)
        return told

    @cached_property
    def told_by_itself(self) -> np.ndarray:
        """The people whose value the released form of the column already discloses."""
        return self.is_told(self.away(EncodedColumn(self.released - 1, np.arange(self.released.max(initial=0)))))


def hidden_in(leaving: Leaving, rows: np.ndarray, dropped: Mapping[str, pd.Series]) -> list[HiddenColumn]:
    """What was changed or dropped of people (n,), by the rows of their records; of moved dates one, as all move alike.

    ``rows`` are below 0 without a record. ``dropped``: columns of the source that were in no table that was merged.
    """
    there = rows >= 0
    moved = {name for step in leaving.steps if isinstance(step.settings, ShiftDatesSettings) for name in step.changed}
    names = [name for name in hidden_columns(leaving) if name not in moved]
    dates = [name for name in leaving.n_changed if name in moved]
    names += sorted(dates, key=lambda name: -leaving.n_changed[name])[:1]
    known = [name for name in leaving.quasi_identifiers if name in leaving.values]
    looked_at = leaving.looked_at_people(np.maximum(rows, 0), [*names, *(one for one in known if one not in names)])
    found = []
    for name in names:
        original = looked_at.original[name].where(there)
        left, changed = looked_at.released.get(name, None), looked_at.changed[name] & there
        found.append(HiddenColumn.beside(leaving, name, original, left, changed, _are_labels(leaving, name)))
    for name, values in dropped.items():
        if name not in leaving.n_changed:
            found.append(
                HiddenColumn.beside(leaving, name, values.where(there), None, there, _are_labels(leaving, name))
            )
    found = [column for column in found if column.changed.sum() >= LEAST_PEOPLE]
    # A sensitive feature counts as given away by whatever gives it.
    sensitive, assessed = leaving.before.config.sensitive_features, looked_at.released.filter(known)
    return [one if one.name in sensitive else one.beside_quasi_identifiers(assessed) for one in found]


def few_levels(leaving: Leaving, rows: np.ndarray) -> list[np.ndarray]:
    """Codes (n_people,) of each released quasi-identifier of few levels: a formula may differ by the sex."""
    names = [name for name in leaving.quasi_identifiers if name in leaving.released_names]
    left = leaving.looked_at_people(np.maximum(rows, 0), names).released
    codes = [encode_column(left[name]).codes.astype(np.int64) + 1 for name in names]
    return [one for one in codes if 1 < len(np.unique(one)) <= MOST_LEVELS]


def _are_labels(leaving: Leaving, name: str) -> bool:
    """Whether numbers of a column are names, such as those of sites: the next one is no nearer."""
    if name in leaving.before.config.sensitive_features:
        return False
    return known_to_outsiders([name]).get(name, MEASURED[0]) not in MEASURED


def places_of(leaving: Leaving, people: np.ndarray) -> np.ndarray:
    """The records that leave of people at positions in the pilot (n,), below 0 without one."""
    position = np.arange(leaving.n_people) if leaving.made_of is None else leaving.made_of.position
    place = np.full(max(int(people.max(initial=-1)), int(position.max(initial=-1))) + 1, -1)
    place[position] = np.arange(len(position))
    found: np.ndarray = place[people]
    return found
