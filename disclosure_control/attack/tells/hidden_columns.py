"""The columns that a step changed or dropped and outsiders may know: what was taken out, and what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import (
    CHANCE,
    LevelMembers,
    chance_within,
    told_by_membership,
    told_near_median,
)
from disclosure_control.attack.leaving import Leaving
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, parse_numbers
from disclosure_control.identifiers.dates import days_of
from disclosure_control.remedy.treatments.methods.shift_dates import ShiftDatesSettings
from study.columns.known_to_outsiders import known_to_outsiders
from study.formats.days import day_numbers
from study.formats.days import days_of as complete_days_of

TELLING = 0.95  # share of the people whose value was removed, or of those among them with a predicting value
MOST_PEOPLE = 10_000
LEAST_PEOPLE = 10  # changed values, and disclosed people, for a finding
LEAST_RELEASED = 20  # people with released values next to each other, where nearly everybody has an own one
MANY_VALUES = 10  # numbers with more values count as disclosed within a tolerance
MOST_LEVELS = 3  # of a quasi-identifier, by which the relation of two numbers with a third may differ
MEASURED = ("age", "date", "body measure")  # kinds of knowledge that are numbers


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
    readings: tuple[Callable[[pd.Series], np.ndarray], ...] = (
        lambda one: parse_numbers(one.str.replace(",", ".")),
        lambda one: days_of(one.tolist()),
        lambda one: day_numbers(complete_days_of(one)),  # databases are moved as a whole, MIMIC beyond 2100
    )
    for read in readings:
        values = np.append(read(texts), np.nan)[encoded.codes]
        if np.isfinite(values).sum() >= TELLING * (encoded.codes >= 0).sum() > 0:
            return pd.Series(values, index=column.index, name=column.name)
    return column


@dataclass(frozen=True)
class HiddenColumn:
    """The removed values: for people with a value, the original ``labels``, and the part of it that is ``released``.

    ``rows``: their positions among the people examined. ``changed``: whose value was changed; the values of all others
    are known to anyone with the file. ``assessed``: whose value a released quasi-identifier gives, with which it is
    assessed: a copy of it, under whatever name, gives these people's too. ``part``: of the values that is looked at, in
    words, "" of all.
    """

    name: str
    rows: np.ndarray
    labels: EncodedColumn
    released: np.ndarray
    changed: np.ndarray
    are_labels: bool = False
    part: str = ""
    assessed: np.ndarray | None = None

    @classmethod
    def beside(
        cls,
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
        return cls(name, rows, known, released[rows], changed[rows], are_labels)

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
        n_levels, everybody = len(column.labels) + 1, np.arange(len(released))
        of_levels = LevelMembers(column.codes.astype(np.int64) + 1, everybody, n_levels)
        who, most = everybody >= 0, float(np.log(CHANCE / n_levels))
        if self.is_numeric:
            number = self.numbers[self.changed]
            chance = chance_within(number, released, self.within_band)
            told = told_near_median(of_levels, number, self.within_band, chance, who, most)
        else:
            told, _ = told_by_membership(of_levels, self.labels.codes[self.changed], released, who, most)
        return np.isin(everybody, told.person)

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

    @property
    def full_name(self) -> str:
        """With the part of the values that is looked at."""
        return f"{self.name}{self.part}"

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


@dataclass(frozen=True)
class PeopleAsked:
    """The people (n_people,) who are looked at: the ``rows`` of their records, below 0 without one.

    ``hidden``: what was changed or dropped of them; of moved dates one, as all move alike. ``sensitive``: the sensitive
    features that are released, beside their equivalence classes. ``released`` (n_people, n_columns) is the merged
    table, as numbers where it can be; ``classes`` (n_people,) are the equivalence classes in it, ``levels`` the codes
    of each quasi-identifier of few levels. ``too_few``: columns with too few changed values to be asked of; ``moved``:
    the dates that were moved.
    """

    rows: np.ndarray
    hidden: Sequence[HiddenColumn]
    sensitive: Sequence[HiddenColumn]
    released: pd.DataFrame = field(repr=False)
    classes: np.ndarray = field(repr=False)
    levels: Sequence[np.ndarray] = field(repr=False)
    too_few: Sequence[str] = ()
    moved: Sequence[str] = ()

    @property
    def with_distances(self) -> pd.DataFrame:
        """The ``released`` columns, of moved dates the days since the first one of each person.

        Their distances came in; the days themselves are drawn, and an attack by them would differ from key to key.
        """
        dates = self.released[[name for name in self.moved if self.released[name].dtype.kind == "f"]]
        return self.released.assign(**dates.sub(dates.min(axis=1), axis=0))

    @classmethod
    def of(cls, leaving: Leaving) -> PeopleAsked:
        """Those whose rows are summarised, or else at most ``MOST_PEOPLE``, the same in any order of the records."""
        files = leaving.files
        rows = leaving.some_people(MOST_PEOPLE) if files is None else places_of(leaving, files.people)
        there, sensitive = rows >= 0, leaving.before.config.sensitive_features
        moved = {
            name for step in leaving.steps if isinstance(step.settings, ShiftDatesSettings) for name in step.changed
        }
        names = [name for name in hidden_columns(leaving) if name not in moved]
        dates = [name for name in leaving.n_changed if name in moved]
        names += sorted(dates, key=lambda name: -leaving.n_changed[name])[:1]
        original, values, changed = leaving.looked_at(np.maximum(rows, 0))
        there_now = {name: values[name] for name in leaving.released_names if name in values}
        released = pd.DataFrame(there_now, range(len(rows)))
        assessed = released.filter(leaving.quasi_identifiers)

        def hidden(name: str, original: pd.Series, left: pd.Series | None, changed: np.ndarray) -> HiddenColumn:
            return HiddenColumn.beside(name, original.where(there), left, changed & there, _are_labels(leaving, name))

        of_table = ((name, original[name], released.get(name), changed[name]) for name in names)
        dropped = {} if files is None else files.dropped
        of_source = ((name, one, None, there) for name, one in dropped.items() if name not in leaving.n_changed)
        found = [hidden(*one) for one in (*of_table, *of_source)]
        classes = classes_of(assessed)
        known = [(name, original[name]) for name in sensitive if name in released]
        of_class = pd.Series(classes, released.index)
        features = [hidden(name, original, of_class, original.notna().to_numpy()) for name, original in known]
        return cls(
            rows,
            # A sensitive feature counts as given away by whatever gives it.
            [
                one if one.name in sensitive else one.beside_quasi_identifiers(assessed)
                for one in found
                if one.changed.sum() >= LEAST_PEOPLE
            ],
            [one for one in features if one.changed.sum() >= LEAST_PEOPLE and len(one.labels.labels) > 1],
            pd.DataFrame({name: as_numbers(column) for name, column in released.items()}, released.index),
            classes,
            few_levels(assessed),
            [one.name for one in found if one.changed.sum() < LEAST_PEOPLE],
            [name for name in released if name in moved],
        )


def classes_of(quasi_identifiers: pd.DataFrame) -> np.ndarray:
    """The equivalence class of each person (n_people,) by what is released of the quasi-identifiers."""
    keys = [column.astype("str").fillna("") for _, column in quasi_identifiers.items()]
    if not keys:
        return np.zeros(len(quasi_identifiers), dtype=np.int64)
    return np.asarray(quasi_identifiers.groupby(keys).ngroup())


def few_levels(quasi_identifiers: pd.DataFrame) -> list[np.ndarray]:
    """Codes (n_people,) of each released quasi-identifier of few levels: a formula may differ by the sex."""
    codes = [encode_column(column).codes.astype(np.int64) + 1 for _, column in quasi_identifiers.items()]
    return [one for one in codes if 1 < len(np.unique(one)) <= MOST_LEVELS]


def alike(released: np.ndarray) -> np.ndarray:
    """Codes of what is left of the values (n,): where nearly everybody has an own one, of neighbours together."""
    codes, sizes = np.unique(released, return_counts=True)
    group = np.arange(len(codes))
    if len(codes) > len(released) / LEAST_RELEASED:
        group = (np.cumsum(sizes) - 1) // LEAST_RELEASED
    found: np.ndarray = group[np.searchsorted(codes, released)]
    return found


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
