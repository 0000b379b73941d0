"""The maths: equivalence classes, k-anonymity, l-diversity, t-closeness, binning, counts, distances.

Everything here is a function of one sparse count table, (equivalence class, sensitive value) -> number of
people:

    records -> codes per quasi-identifier -> class of each record -> count table -> measures -> flags on records

Each column is encoded once and the records are counted once; after that no step looks at records again until
the flags are returned to them. Nothing depends on the order of the records or on the frame's index.

Usable from a notebook on any ``pandas.DataFrame`` with one row per person::

    binned, binnings = apply_feature_binning(df, {"AGE": [0, 18, 65, 120]})
    result = run_k_anonymity(binned, ["SEX", "AGE"], 5)
    result.n_risky, result.worst, df[result.risky]

``disclosure_control.basics`` defines how a value is read and spelt, and what a missing one may match. The check of
configs and the text report are in ``config`` and ``disclosure_control.report`` and can also be imported from here.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.again import Anew

# Binning is defined there; the names can also be imported from here.
from disclosure_control.basics.encoding.binning import Binning, bin_columns, bin_values
from disclosure_control.basics.encoding.columns import (
    LARGEST_EXACT,
    LARGEST_NUMBER,
    EncodedColumn,
    encode_column,
    one_column,
)
from disclosure_control.basics.encoding.distributions import weighted_values
from disclosure_control.basics.encoding.keys import count_keys, number_rows, sum_of_keys
from disclosure_control.basics.encoding.wildcards import wildcard_frequency
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError, at_hand, nearest_name
from disclosure_control.basics.telling.side_by_side import side_by_side

MISSING_POLICIES = ("category", "exclude", "wildcard")
MOST_CELLS_AT_ONCE = 1 << 24  # of a count table that was counted in parts: 400 MB
MANY_RECORDS = 10_000  # of fewer, columns are encoded faster than threads are started


# ---------------------------------------------------------------- binning


def bin_feature_column(df: pd.DataFrame, feature: str, edges: Sequence[float], out_of_range: str = "tail") -> pd.Series:
    """One numeric column as intervals: an ordered categorical (n_records,) with labels ``a--b``.

    Intervals follow ``numpy.histogram``: ``[a, b)``, the last one closed. A value outside the edges falls into
    a tail ``<a`` or ``>b`` (``out_of_range="tail"``) or becomes missing (``"missing"``); missing stays missing.
    Raises ``FaultyInputError`` on values that are not numbers and on edges that do not rise.
    """
    return bin_values(df[feature], edges, out_of_range)[0]


def apply_feature_binning(
    df: pd.DataFrame, binning_config: Mapping[str, Sequence[float]], out_of_range: str = "tail"
) -> tuple[pd.DataFrame, dict[str, Binning]]:
    """``df`` with each column of ``binning_config`` (column -> edges) binned, and per column who fell outside.

    ``df`` itself is left as it was; columns that are not named are shared, not copied.
    """
    binned, binnings = bin_columns(df, binning_config, out_of_range)
    return df.assign(**binned), binnings


# ---------------------------------------------------------------- equivalence classes


class ClassedRecords(NamedTuple):
    """Records at hand: their encoded quasi-identifiers, and the number of each one's class (n_records,)."""

    columns: tuple[EncodedColumn, ...]
    class_of_record: np.ndarray


@dataclass(frozen=True)
class EquivalenceClasses:
    """The partition of people by their quasi-identifiers, a missing value being a value of its own.

    ``class_codes`` (n_quasi_identifiers, n_classes) are the codes of every class among the ``labels``, -1 is missing;
    ``size`` (n_classes,) counts people; ``records`` are those that were put into classes, None where they are not at
    hand. Classes are numbered by the labels of their quasi-identifiers, so the numbering does not depend on the order
    of the records.
    """

    quasi_identifiers: tuple[str, ...]
    labels: tuple[np.ndarray, ...] = field(repr=False)
    class_codes: np.ndarray
    size: np.ndarray
    records: ClassedRecords | None = None

    @property
    def class_of_record(self) -> np.ndarray:
        """The number of each record's class (n_records,)."""
        return at_hand(self.records, "the class of each record").class_of_record

    @property
    def columns(self) -> tuple[EncodedColumn, ...]:
        """The quasi-identifiers of each record, encoded."""
        return at_hand(self.records, "the code of each record").columns

    @cached_property
    def n_records(self) -> int:
        return int(self.size.sum()) if self.records is None else len(self.records.class_of_record)

    @property
    def n_classes(self) -> int:
        return len(self.size)

    @cached_property
    def complete(self) -> np.ndarray:
        """Classes without a missing quasi-identifier: (n_classes,) of bool."""
        return np.logical_and.reduce(self.class_codes >= 0, axis=0)

    def within(self, kept: np.ndarray) -> EquivalenceClasses:
        """Some of the classes, by numbers or (n_classes,) of bool, without their records."""
        return EquivalenceClasses(self.quasi_identifiers, self.labels, self.class_codes[:, kept], self.size[kept])

    def evaluated(self, missing_qis: str = "category") -> np.ndarray:
        """Classes that a missing-value policy evaluates: (n_classes,) of bool."""
        return self.complete if missing_qis == "exclude" else np.ones(self.n_classes, dtype=bool)

    @cached_property
    def columns_of_classes(self) -> tuple[EncodedColumn, ...]:
        """The quasi-identifiers with one entry for each class; ``size`` counts the people of each."""
        return tuple(EncodedColumn(codes, labels) for codes, labels in zip(self.class_codes, self.labels, strict=True))

    def frequency(self, missing_qis: str = "category") -> np.ndarray:
        """k of each class (n_classes,): how many people a person of this class cannot be distinguished from."""
        return self._wildcard_frequency if missing_qis == "wildcard" else self.size

    @cached_property
    def _wildcard_frequency(self) -> np.ndarray:
        return wildcard_frequency(self)  # asked for by k, by the policies side by side, and by every intruder


def form_equivalence_classes(df: pd.DataFrame, quasi_identifiers: Sequence[str]) -> EquivalenceClasses:
    """Encode the quasi-identifiers once and number the class of each record; O(records x quasi-identifiers)."""
    return classes_of_columns(quasi_identifiers, encode_columns(_columns_of(df, quasi_identifiers)), len(df))


def _columns_of(df: pd.DataFrame, names: Sequence[str]) -> list[pd.Series]:
    """The columns of a table by their names. Raises ``FaultyInputError`` on no table, and on names that it lacks."""
    if not isinstance(df, pd.DataFrame):
        what = (
            "of apply_feature_binning, pass the first of the two results" if isinstance(df, tuple) else "pass a table"
        )
        raise FaultyInputError(f"found {type(df).__name__}; allowed: a pandas DataFrame; {what}")
    if isinstance(names, str):
        raise FaultyInputError(f"quasi_identifiers: found the text {names!r}; allowed: a list of column names")
    absent = [f"{name}: no such column{nearest_name(name, df.columns)}" for name in names if name not in df.columns]
    if absent:
        raise FaultyInputError(absent)
    return [one_column(df[name]) for name in names]


def encode_columns(columns: Sequence[pd.Series]) -> list[EncodedColumn]:
    """Each of the columns as whole numbers; those of many records side by side."""
    encode = side_by_side if columns and len(columns[0]) >= MANY_RECORDS else map
    return list(encode(encode_column, columns))


def classes_of_columns(
    quasi_identifiers: Sequence[str], columns: Sequence[EncodedColumn], n_records: int
) -> EquivalenceClasses:
    """The classes of records (n_records,) by their encoded quasi-identifiers."""
    codes, n_codes = [column.codes for column in columns], [len(column.labels) + 1 for column in columns]
    class_of_record, size = number_rows(codes, n_codes, n_records, least=-1)  # which is missing
    member = np.empty(len(size), dtype=np.int64)
    member[class_of_record] = np.arange(n_records, dtype=np.min_scalar_type(n_records))
    class_codes = np.array([one[member] for one in codes], dtype=np.int64).reshape(len(codes), len(size))
    labels, records = tuple(column.labels for column in columns), ClassedRecords(tuple(columns), class_of_record)
    return EquivalenceClasses(tuple(quasi_identifiers), labels, class_codes, size, records)


# ---------------------------------------------------------------- the count table


@dataclass(frozen=True)
class CountTable:
    """People per (equivalence class, sensitive value): three arrays (n_cells,), by class and then by value.

    ``values`` (n_values,) are the distinct sensitive values in order, floats where they are numbers. People
    without a sensitive value are in no cell.
    """

    class_of_cell: np.ndarray
    value_of_cell: np.ndarray
    people: np.ndarray
    values: np.ndarray = field(repr=False)
    n_classes: int

    @property
    def is_numeric(self) -> bool:
        return self.values.dtype.kind == "f"

    @cached_property
    def people_of_class(self) -> np.ndarray:
        return np.bincount(self.class_of_cell, self.people, self.n_classes)

    @cached_property
    def people_of_value(self) -> np.ndarray:
        return np.bincount(self.value_of_cell, self.people, len(self.values))

    def within(self, evaluated: np.ndarray) -> CountTable:
        """The table of some classes only, and of the values that occur there: ``evaluated`` (n_classes,) of bool."""
        if evaluated.all():
            return self
        kept = evaluated[self.class_of_cell]
        return self.restricted(evaluated, np.bincount(self.value_of_cell[kept], minlength=len(self.values)) > 0)

    def restricted(self, evaluated: np.ndarray, occurs: np.ndarray) -> CountTable:
        """The table of some classes, (n_classes,) of bool, and values, (n_values,) of bool; they have no others."""
        kept = evaluated[self.class_of_cell]
        new_value = (np.cumsum(occurs) - 1)[self.value_of_cell[kept]]
        return CountTable(self.class_of_cell[kept], new_value, self.people[kept], self.values[occurs], self.n_classes)

    def regrouped(self, group_of_value: np.ndarray, values: np.ndarray) -> CountTable:
        """The table after sensitive values are grouped: ``group_of_value`` (n_values,), -1 makes one missing."""
        group = group_of_value[self.value_of_cell]
        kept = group >= 0
        return _tabulate(self.class_of_cell[kept], group[kept], values, self.n_classes, self.people[kept])


@dataclass(frozen=True)
class SensitiveCounts:
    """One sensitive column after the count: its distinct ``values`` (n_values,), which may be bins, and its tables.

    ``tables`` are the count table in parts, produced again at each request: the classes of each, and their table, in
    which they are numbered from 0. Each class is whole in one part. ``n_without_value`` people have no value, evaluated
    or not. ``codes_of_records`` (n_records,) are of the original values, -1 without a value; None if records are not
    available.
    """

    values: np.ndarray = field(repr=False)
    tables: Iterable[tuple[slice, CountTable]]
    n_without_value: int
    codes_of_records: np.ndarray | None = None

    @classmethod
    def of(cls, table: CountTable, n_without_value: int, codes: np.ndarray | None = None) -> SensitiveCounts:
        """Those of one table, which is at hand."""
        return cls(table.values, ((slice(0, table.n_classes), table),), n_without_value, codes)

    @property
    def codes(self) -> np.ndarray:
        """The code of each record's value (n_records,)."""
        return at_hand(self.codes_of_records, "the sensitive value of each record")

    @cached_property
    def has_value(self) -> np.ndarray:
        return self.codes >= 0

    @property
    def is_numeric(self) -> bool:
        return self.values.dtype.kind == "f"

    @cached_property
    def table(self) -> CountTable:
        """The table in one. Raises ``RecordsNotAtHandError`` where it has too many cells for that."""
        parts: list[tuple[slice, CountTable]] = []
        n_cells = 0
        for part, table in self.tables:
            n_cells += len(table.people)
            if parts and n_cells > MOST_CELLS_AT_ONCE:
                raise RecordsNotAtHandError(f"a count table of more than {MOST_CELLS_AT_ONCE:,} cells")
            parts.append((part, table))
        if len(parts) == 1:
            return parts[0][1]
        return CountTable(
            np.concatenate([table.class_of_cell + part.start for part, table in parts]),
            np.concatenate([table.value_of_cell for _, table in parts]),
            np.concatenate([table.people for _, table in parts]),
            self.values,
            parts[-1][0].stop,
        )

    def people_of_value(self, evaluated: np.ndarray | None = None) -> np.ndarray:
        """How many people have each value, (n_values,): of all classes, or of those ``evaluated`` (n_classes,)."""
        if evaluated is None or evaluated.all():
            return self._people_of_value
        people = np.zeros(len(self.values))
        for part, table in self.tables:
            kept = evaluated[part][table.class_of_cell]
            people += np.bincount(table.value_of_cell[kept], table.people[kept], len(people))
        return people

    @cached_property
    def _people_of_value(self) -> np.ndarray:
        """The people of each value; computed once for all reports."""
        people = np.zeros(len(self.values))
        for _, table in self.tables:
            people += table.people_of_value
        return people

    def regrouped(self, group_of_value: np.ndarray, values: np.ndarray) -> SensitiveCounts:
        """The counts after values are grouped: ``group_of_value`` (n_values,), -1 makes one missing in the table."""
        tables = Anew(lambda: ((part, one.regrouped(group_of_value, values)) for part, one in self.tables))
        is_at_hand = isinstance(self.tables, tuple)
        return dataclasses.replace(self, values=values, tables=tuple(tables) if is_at_hand else tables)

    def binned(
        self, sensitive: str, edges: Sequence[float], out_of_range: str = "tail"
    ) -> tuple[SensitiveCounts, Binning]:
        """The counts with numbers in bins, and who falls outside the edges among all people, evaluated or not."""
        values = pd.Series(self.values, name=sensitive)
        labels, binning = bin_values(values, edges, out_of_range, self.people_of_value())
        counts = self.regrouped(labels.cat.codes.to_numpy(), labels.cat.categories.to_numpy(dtype=object))
        return counts, dataclasses.replace(binning, n_missing=self.n_without_value)


def count_sensitive_values(classes: EquivalenceClasses, sensitive: pd.Series) -> SensitiveCounts:
    """The one count: people per (class, sensitive value)."""
    return count_values(classes, encode_column(sensitive))


def count_values(classes: EquivalenceClasses, column: EncodedColumn) -> SensitiveCounts:
    """The same of a column that is encoded already."""
    has_value = column.codes >= 0
    group, value = classes.class_of_record, column.codes
    if not has_value.all():
        group, value = group[has_value], value[has_value]
    table = _tabulate(group, value, column.labels, classes.n_classes)
    return SensitiveCounts.of(table, len(has_value) - len(value), column.codes)


def _tabulate(
    group: np.ndarray, value: np.ndarray, values: np.ndarray, n_classes: int, people: np.ndarray | None = None
) -> CountTable:
    n_values = max(len(values), 1)
    # In place and narrow, as new arrays of a million numbers cost more than what is done with them.
    key: np.ndarray = group.astype(np.int32 if n_classes * n_values < 2**31 else np.int64)
    key *= n_values
    key += value.astype(key.dtype, copy=False)
    n_keys = n_classes * n_values
    cell, count = count_keys(key, n_keys) if people is None else sum_of_keys(key, people, n_keys)
    return CountTable(cell // n_values, cell % n_values, count, values, n_classes)


# ---------------------------------------------------------------- distances between distributions


def _wasserstein(table: CountTable, reference: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Area between the distribution function of each class and that of ``reference`` (n_values,) people.

    Within a class the distribution function is constant from one of its values to the next, and the
    reference's, which never falls, crosses that constant at most once there. So a prefix integral of the
    reference and one search for the crossing give every area: O(cells x log values).
    """
    below = np.cumsum(reference) / reference.sum()
    steps = np.append(np.diff(values), 0.0)
    integral = np.concatenate([[0.0], np.cumsum(below[:-1] * steps[:-1])])  # of the reference up to each value

    distance = np.full(table.n_classes, np.nan)
    for block in _blocks_of_classes(table.class_of_cell):
        class_of_cell, people, start = table.class_of_cell[block], table.people[block], table.value_of_cell[block]
        first = np.flatnonzero(np.diff(class_of_cell, prepend=-1))
        running = np.cumsum(people)
        before = np.repeat(running[first] - people[first], np.diff(first, append=len(running)))
        height = (running - before) / table.people_of_class[class_of_cell]
        end = np.append(start[1:], len(values) - 1)
        end[np.append(first[1:], len(start)) - 1] = len(values) - 1

        crossing = np.clip(np.searchsorted(below, height, side="left"), start, end)
        under = height * (values[crossing] - values[start]) - (integral[crossing] - integral[start])
        over = (integral[end] - integral[crossing]) - height * (values[end] - values[crossing])
        area = np.maximum(under, 0.0) + np.maximum(over, 0.0)
        # From one value to the very next there is no need of differences of integrals, nor of their rounding: a class
        # that is distributed as the reference comes out at exactly 0.
        area = np.where(end <= start + 1, np.abs(height - below[start]) * steps[start], area)
        distance[class_of_cell[first]] = np.add.reduceat(area, first) + integral[start[first]]
    return distance


def _blocks_of_classes(class_of_cell: np.ndarray, n_cells: int = 65_536) -> Iterable[slice]:
    """Slices of whole classes, about ``n_cells`` each: what is worked on stays in the processor's cache."""
    start = 0
    while start < len(class_of_cell):
        last_class = class_of_cell[min(start + n_cells, len(class_of_cell)) - 1]
        stop = int(np.searchsorted(class_of_cell, last_class, side="right"))
        yield slice(start, stop)
        start = stop


def wasserstein_distance(table: CountTable, reference: np.ndarray) -> np.ndarray:
    """Wasserstein-1 (earth mover's) distance of each class to the reference, in the unit of the value.

    (n_classes,), from 0 to the range of the values, NaN for a class without a value; larger is riskier.
    Equals ``scipy.stats.wasserstein_distance`` class by class. Source: Rubner et al. 2000,
    doi:10.1023/A:1026543900054.
    """
    origin = table.values - table.values[0]  # small numbers keep the integrals exact
    return _wasserstein(table, reference, origin)


def ordered_distance(table: CountTable, reference: np.ndarray) -> np.ndarray:
    """Earth mover's distance of each class with neighbouring values one step of 1/(m - 1) apart.

    (n_classes,), in [0, 1]; larger is riskier; m is the number of distinct values. Source: Li, Li and
    Venkatasubramanian 2007, section 5.1, doi:10.1109/ICDE.2007.367856.
    """
    steps = np.arange(len(table.values), dtype=float)
    return _wasserstein(table, reference, steps) / max(len(steps) - 1, 1)


def total_variation_distance(table: CountTable, reference: np.ndarray) -> np.ndarray:
    """Half the sum of absolute differences of shares; (n_classes,), in [0, 1]; larger is riskier.

    Earth mover's distance where all values are equally far apart. Source: Li et al. 2007, section 5.2.
    """
    q = reference / reference.sum()
    p = table.people / table.people_of_class[table.class_of_cell]
    q_of_cell = q[table.value_of_cell]
    surplus = np.bincount(table.class_of_cell, np.maximum(p - q_of_cell, 0.0), table.n_classes)
    surplus[surplus < 1e-15] = 0.0
    return np.where(table.people_of_class > 0, surplus, np.nan)


def mean_difference(table: CountTable, reference: np.ndarray) -> np.ndarray:
    """Absolute difference of the class's mean and the reference's, in the unit of the value; (n_classes,).

    From 0 to the range; larger is riskier; never above the Wasserstein distance, and blind to differences of
    spread. Kept because older reports of this service used it.
    """
    distance_from_first = table.values - table.values[0]  # small numbers keep the sums exact
    # Means of the classes and of all people are summed in the same order, so that equal shares give equal means.
    terms = table.people / table.people_of_class[table.class_of_cell] * distance_from_first[table.value_of_cell]
    means = np.bincount(table.class_of_cell, terms, table.n_classes)
    means[table.people_of_class == 0] = np.nan
    return np.abs(
        means - np.bincount(np.zeros_like(reference, dtype=int), reference / reference.sum() * distance_from_first)[0]
    )


@dataclass(frozen=True)
class Distance:
    """A way to measure t: a function of (table, reference), whether it needs numbers, and it in words."""

    function: Callable[[CountTable, np.ndarray], np.ndarray]
    needs_numbers: bool
    in_units: bool
    words: str


DISTANCES: dict[str, Distance] = {
    "wasserstein": Distance(wasserstein_distance, True, True, "Wasserstein distance, in the unit of the value"),
    "total_variation": Distance(total_variation_distance, False, False, "total variation, a share from 0 to 1"),
    "ordered": Distance(ordered_distance, True, False, "ordered earth mover's distance, from 0 to 1"),
    "mean_difference": Distance(mean_difference, True, True, "difference of means, in the unit of the value"),
}


def _two_sides(of_class: object, of_all: object, numeric: bool) -> tuple[CountTable, np.ndarray]:
    """One class as a count table, and the reference (n_values,), each a sample or a distribution."""
    (mine, my_weights), (theirs, their_weights) = (weighted_values(side, numeric) for side in (of_class, of_all))
    both = encode_column(pd.concat([mine, theirs], ignore_index=True))
    n_values = len(both.labels)
    people, reference = (
        np.bincount(codes[codes >= 0], weights[codes >= 0], n_values)
        for codes, weights in ((both.codes[: len(mine)], my_weights), (both.codes[len(mine) :], their_weights))
    )
    if not people.any() or not reference.any():
        raise FaultyInputError("A distance needs at least one value on each side that is not missing.")
    cells = np.flatnonzero(people)
    return CountTable(np.zeros_like(cells), cells, people[cells], both.labels, 1), reference


def numerical_distance(of_class: Iterable[float] | Mapping, of_all: Iterable[float] | Mapping) -> float:
    """Wasserstein-1 distance between two sides, in the unit of the value, missing values left out.

    A side is a sample (any iterable of numbers) or a distribution: a mapping number -> share or count, or a Series of
    shares that sum to 1 by number, as ``value_counts(normalize=True)`` gives. 0 for equal distributions, at most the
    common range; larger is riskier. Raises ``FaultyInputError`` if a side has no value. Equals
    ``scipy.stats.wasserstein_distance``.
    """
    return float(wasserstein_distance(*_two_sides(of_class, of_all, numeric=True))[0])


def categorical_distance(of_class: Iterable | Mapping, of_all: Iterable | Mapping) -> float:
    """Total variation between two sides, missing values left out: a share in [0, 1].

    A side is a sample (any iterable of categories) or a distribution: a mapping category -> share or count, or a Series
    of shares that sum to 1 by category. 0 for equal shares, 1 where no category is common; larger is riskier. Raises
    ``FaultyInputError`` if a side has no value.
    """
    return float(total_variation_distance(*_two_sides(of_class, of_all, numeric=False))[0])


# ---------------------------------------------------------------- the three models


@dataclass(frozen=True)
class ModelResult:
    """What one model finds for each class, for each record and in all.

    ``of_class`` (n_classes,): k, distinct l or t. ``evaluated_classes`` and ``risky_classes`` (n_classes,) of bool; a
    risky class is an evaluated one. ``people`` (n_classes,) are those whom the model can judge: all of a class; for t
    those who have a value, from ``counts``. ``worst`` is the smallest k or l, the largest t; None if nothing was
    evaluated. Figures per record are computed on demand.
    """

    model: str
    measure_name: str
    sensitive: str | None
    threshold: float
    classes: EquivalenceClasses
    of_class: np.ndarray
    evaluated_classes: np.ndarray
    risky_classes: np.ndarray
    people: np.ndarray
    counts: SensitiveCounts | None = None
    distance: str | None = None
    value_range: float | None = None

    @cached_property
    def evaluated(self) -> np.ndarray:
        """Records that the model judges: (n_records,) of bool."""
        evaluated = self._of_records(self.evaluated_classes)
        return evaluated if self.counts is None else evaluated & self.counts.has_value

    def _of_records(self, of_class: np.ndarray) -> np.ndarray:
        """What is said of each class (n_classes,) handed back to its records (n_records,)."""
        return of_class.take(self.classes.class_of_record, mode="clip")  # no number is outside, and nobody checks it

    @cached_property
    def measure(self) -> np.ndarray:
        """k, distinct l or t of the record's class, (n_records,), NaN where the record is not evaluated."""
        measure = self._of_records(self.of_class.astype(float))
        if not self.evaluated.all():
            measure[~self.evaluated] = np.nan
        return measure

    @cached_property
    def risky(self) -> np.ndarray:
        """Records that are flagged, (n_records,) of bool; each of them is an evaluated one."""
        return self._of_records(self.risky_classes) & self.evaluated

    @property
    def n_total(self) -> int:
        return self.classes.n_records

    @cached_property
    def n_evaluated(self) -> int:
        return int(self.people[self.evaluated_classes].sum())

    @cached_property
    def n_risky(self) -> int:
        return int(self.people[self.risky_classes].sum())

    @cached_property
    def worst(self) -> float | None:
        if not self.n_evaluated:
            return None
        seen = self.of_class[self.evaluated_classes & (self.people > 0)]
        return float(seen.max()) if self.model == "t_closeness" else int(seen.min())

    @property
    def risky_rate(self) -> float | None:
        """Risky records among the evaluated ones, in [0, 1]; None where nothing was evaluated."""
        return self.n_risky / self.n_evaluated if self.n_evaluated else None

    def share_of_range(self, distance: float | None) -> float | None:
        """A distance in the unit of the value as a share of the range of the values; None where that means nothing."""
        if distance is None or self.distance is None or not self.value_range:
            return None
        return distance / self.value_range if DISTANCES[self.distance].in_units else None


def run_k_anonymity(
    df: pd.DataFrame | None,
    quasi_identifiers: Sequence[str],
    k: int,
    missing_qis: str = "category",
    classes: EquivalenceClasses | None = None,
) -> ModelResult:
    """How many people share a person's quasi-identifiers; risky: fewer than ``k``.

    The measure is a count from 1 to n_records, smaller is riskier. ``missing_qis``: a missing quasi-identifier
    is a value of its own ("category"), leaves the record unevaluated ("exclude"), or matches anything
    ("wildcard"). ``classes`` may be handed in to save forming them again; ``df`` may then be None. Raises
    ``FaultyInputError`` on an unknown policy. Source: Sweeney 2002, doi:10.1142/S0218488502001648.
    """
    classes = _classes_of(df, quasi_identifiers, missing_qis, classes)
    frequency = classes.frequency(missing_qis)
    evaluated = classes.evaluated(missing_qis)
    risky = evaluated & (frequency < k)
    return ModelResult("k_anonymity", "k_count", None, k, classes, frequency, evaluated, risky, classes.size)


def run_l_diversity(
    df: pd.DataFrame | None,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    l: int,  # noqa: E741 - the field's name
    bins: Sequence[float] | None = None,
    out_of_range: str = "tail",
    missing_qis: str = "category",
    classes: EquivalenceClasses | None = None,
    counts: SensitiveCounts | None = None,
) -> ModelResult:
    """How many distinct sensitive values a person's class holds; risky: fewer than ``l``.

    The measure is a count from 0 to the number of values, smaller is riskier. Missing values do not count;
    a class without any has l = 0. Numbers may be grouped by ``bins`` first (see ``bin_feature_column``).
    Under "wildcard" a missing quasi-identifier is a value of its own here, as in sdcMicro's ``ldiversity``.
    Source: Machanavajjhala et al. 2007 (distinct l), doi:10.1145/1217299.1217302.
    """
    classes = _classes_of(df, quasi_identifiers, missing_qis, classes)
    counts = _counts_of(df, sensitive, classes, counts)
    if bins is not None:
        counts, _ = counts.binned(sensitive, bins, out_of_range)
    distinct = np.zeros(classes.n_classes, dtype=np.int64)
    for part, table in counts.tables:
        distinct[part] = np.bincount(table.class_of_cell, minlength=table.n_classes)
    evaluated = classes.evaluated(missing_qis)
    risky = evaluated & (distinct < l)
    return ModelResult("l_diversity", "l_count", sensitive, l, classes, distinct, evaluated, risky, classes.size)


def run_t_closeness(
    df: pd.DataFrame | None,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    t: float,
    distance: str | None = None,
    missing_qis: str = "category",
    classes: EquivalenceClasses | None = None,
    counts: SensitiveCounts | None = None,
) -> ModelResult:
    """How far a class's sensitive values are from the overall distribution; risky: farther than ``t``.

    The overall distribution is that of the evaluated records with a sensitive value; records without one cannot be
    assessed and are not evaluated. ``distance`` is a name of ``DISTANCES``; by default "wasserstein" for numbers (in
    their unit, as ``t`` is) and "total_variation" for categories (a share). Larger is riskier. A distance that equals
    ``t`` up to rounding is not flagged. Raises ``FaultyInputError`` if a distance needs numbers and the column has
    none. Source: Li et al. 2007, doi:10.1109/ICDE.2007.367856.
    """
    classes = _classes_of(df, quasi_identifiers, missing_qis, classes)
    if counts is None and distance is None and df is not None:
        _check_numbers_are_told_apart(*_columns_of(df, [sensitive]))
    counts = _counts_of(df, sensitive, classes, counts)
    evaluated = classes.evaluated(missing_qis)
    reference = counts.people_of_value(evaluated)
    # Where all are evaluated all values stay, those that nobody has as well: ordered categories may have such.
    occurs = np.ones(len(reference), dtype=bool) if evaluated.all() else reference > 0
    name, values = distance or default_distance(counts), counts.values[occurs]
    if reference.any():
        _check_distance(name, sensitive, values, reference[occurs])
    distances, people = _distances_by_part(DISTANCES[name], counts, evaluated, occurs, reference[occurs])
    has_range = counts.is_numeric and reference.any()
    value_range = float(np.ptp(counts.values[reference > 0])) if has_range else None
    unit = value_range if DISTANCES[name].in_units and value_range else 1.0
    risky = evaluated & (distances > t + 1e-12 * max(unit, t))
    of_classes = (classes, distances, evaluated, risky, people)
    return ModelResult("t_closeness", "t_distance", sensitive, t, *of_classes, counts, name, value_range)


def _distances_by_part(
    distance: Distance, counts: SensitiveCounts, evaluated: np.ndarray, occurs: np.ndarray, reference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """t of each class, NaN of one that is not evaluated or has no value; and its people who have one."""
    distances, people = np.full(len(evaluated), np.nan), np.zeros(len(evaluated), dtype=np.int64)
    for part, whole in counts.tables:
        table = whole if occurs.all() and evaluated[part].all() else whole.restricted(evaluated[part], occurs)
        people[part] = table.people_of_class
        if len(table.people):
            distances[part] = distance.function(table, reference)
    return distances, people


def _check_distance(name: str, sensitive: str, values: np.ndarray, people_of_value: np.ndarray) -> None:
    if name not in DISTANCES:
        raise FaultyInputError(f"t_distance: found {name!r}; allowed: {', '.join(DISTANCES)}")
    is_numeric = values.dtype.kind == "f"
    if DISTANCES[name].needs_numbers and not is_numeric:
        raise FaultyInputError(
            f"t_distance {name!r} needs numbers, but {sensitive!r} contains text; "
            'set t_distance to "total_variation", or correct the source'
        )
    if is_numeric and (beyond := np.abs(values) > LARGEST_NUMBER).any():
        kind = "infinite" if np.isinf(values[beyond]).all() else f"beyond {LARGEST_NUMBER:g}"
        n_people = int(people_of_value[beyond].sum())
        raise FaultyInputError(f"column {sensitive!r}: {n_people} values are {kind}; correct them in the source")


def default_distance(table: CountTable | SensitiveCounts) -> str:
    return "wasserstein" if table.is_numeric else "total_variation"


def bin_count_table(
    table: CountTable, sensitive: str, edges: Sequence[float], out_of_range: str = "tail"
) -> tuple[CountTable, Binning]:
    """The table with numeric sensitive values in bins, and who fell outside; values are binned, not records."""
    binned, binning = bin_values(pd.Series(table.values, name=sensitive), edges, out_of_range, table.people_of_value)
    return table.regrouped(binned.cat.codes.to_numpy(), binned.cat.categories.to_numpy(dtype=object)), binning


def _classes_of(
    df: pd.DataFrame | None, quasi_identifiers: Sequence[str], missing_qis: str, classes: EquivalenceClasses | None
) -> EquivalenceClasses:
    if missing_qis not in MISSING_POLICIES:
        raise FaultyInputError(f"missing_qis: found {missing_qis!r}; allowed: {', '.join(MISSING_POLICIES)}")
    if classes is not None:
        return classes
    assert df is not None  # only who hands in classes has none
    return form_equivalence_classes(df, quasi_identifiers)


def _counts_of(
    df: pd.DataFrame | None, sensitive: str, classes: EquivalenceClasses, counts: SensitiveCounts | None
) -> SensitiveCounts:
    if counts is not None:
        return counts
    assert df is not None  # only who hands in counts has none
    return count_sensitive_values(classes, *_columns_of(df, [sensitive]))


def _check_numbers_are_told_apart(sensitive: pd.Series) -> None:
    """Whole numbers that are equal as floats are counted as text, and no distance between texts is one of theirs."""
    if pd.api.types.is_integer_dtype(sensitive.dtype) and not encode_column(sensitive).is_numeric:
        n_large = int((sensitive.abs() >= LARGEST_EXACT).sum())
        raise FaultyInputError(
            f"column {sensitive.name!r}: {n_large} whole numbers of {len(sensitive)} are 2**53 or larger, and some "
            'are too close to tell apart; set t_distance to "total_variation", or correct the source'
        )


def count_by_missing_policy(classes: EquivalenceClasses, k: int) -> dict[str, dict[str, int]]:
    """k-risk under each policy for missing quasi-identifiers: people evaluated, not evaluated, below ``k``."""
    counts = {}
    for policy in MISSING_POLICIES:
        evaluated = classes.evaluated(policy)
        below = evaluated & (classes.frequency(policy) < k)
        n_evaluated = int(classes.size[evaluated].sum())
        counts[policy] = {
            "evaluated": n_evaluated,
            "not_evaluated": classes.n_records - n_evaluated,
            "risky": int(classes.size[below].sum()),
        }
    return counts


# ---------------------------------------------------------------- the report


def generate_full_privacy_report(*results: ModelResult | str) -> str:
    """The deliverable's short report: who was evaluated, and how many are at risk by each of the results.

    ``results`` are those of ``run_k_anonymity``, ``run_l_diversity`` and ``run_t_closeness``, as many as there are, in
    any order; a text among them is the pilot's name. Its figures are exact: for the data controller alone. The report
    of a pilot, ``disclosure_control.report.run_texts``, has one for other readers. Raises ``FaultyInputError`` on
    anything else than results.
    """
    names = [one for one in results if isinstance(one, str)]
    found = [one for one in results if isinstance(one, ModelResult)]
    if len(names) + len(found) < len(results) or not found:
        kinds = ", ".join(sorted({type(one).__name__ for one in results})) or "nothing"
        raise FaultyInputError(
            f"found {kinds}; allowed: the results of {', '.join(f'run_{model}' for model in _AT_RISK)}"
        )
    lines = [
        f"{' '.join(['Privacy report', *names])}, for the data controller alone",
        "Quasi-identifiers: " + ", ".join(found[0].classes.quasi_identifiers),
    ]
    for one in found:
        of = f" of {one.sensitive}" if one.sensitive else ""
        sign, extreme = _AT_RISK[one.model]
        share = "" if one.risky_rate is None else f" ({100 * one.risky_rate:.1f}%)"
        lines += [
            f"{one.model.replace('_', '-')}{of}: at risk where {one.model[0]} {sign} {one.threshold:g}",
            f"  records {one.n_total}, evaluated {one.n_evaluated}, at risk {one.n_risky}{share}",
            *([] if one.worst is None else [f"  {extreme} {one.worst:g}"]),
        ]
    return "\n".join([*lines, ""])


_AT_RISK = {
    "k_anonymity": ("<", "smallest class:"),
    "l_diversity": ("<", "fewest values in a class:"),
    "t_closeness": (">", "largest distance of a class:"),
}

# ---------------------------------------------------------------- names that answer from here

# Where the check of configs lives now. It is looked up when it is asked for: the maths itself imports nothing above it.
_ELSEWHERE = {
    "PilotConfig": "config.model_settings",
    "validate_config": "config.model_settings",
}


# What the deliverable D4.2 names: from Anonymization_Models import *
__all__ = [  # noqa: F822 - one of them is looked up below
    "apply_feature_binning",
    "bin_feature_column",
    "categorical_distance",
    "generate_full_privacy_report",
    "numerical_distance",
    "run_k_anonymity",
    "run_l_diversity",
    "run_t_closeness",
    "validate_config",
]


def __getattr__(name: str) -> object:
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
