"""One column of a pilot, reduced to its distinct values and how many people have each; all figures come from these."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, parse_numbers
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.measures.determination import n_guessed_right

ROLES = ("quasi-identifier", "sensitive", "other")
FENCE = 1.5  # times the interquartile range
_DATE = r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?)?"
_N_FIRST = 1000


@dataclass(frozen=True)
class NumberStatistics:
    """Of the people who have a value: extremes, quartiles, mean and standard deviation (n - 1), all in its unit.

    Quartiles are interpolated as ``numpy.quantile`` does. ``low_fence`` and ``high_fence`` are 1.5 interquartile
    ranges beyond the quartiles; ``n_below`` and ``n_above`` people are outside of them. Source: Tukey 1977,
    Exploratory Data Analysis.
    """

    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    maximum: float
    mean: float
    standard_deviation: float
    low_fence: float
    high_fence: float
    n_below: int
    n_above: int


@dataclass(frozen=True, eq=False)
class ExploredColumn:
    """``kind`` is "number", "date", "text", "empty", "category" for two numbers that the config does not call
    continuous, or "identifier" for numbers that name people.

    ``encoded`` has its codes and labels; ``unit`` may be unknown.
    """

    name: str
    role: str
    kind: str
    unit: str | None
    encoded: EncodedColumn

    @property
    def n_records(self) -> int:
        """People, with a value or without one."""
        return len(self.encoded.codes)

    @cached_property
    def counts(self) -> np.ndarray:
        """People per code, those without a value first: (n_values + 1,)."""
        return np.bincount(self.encoded.codes + 1, minlength=len(self.encoded.labels) + 1)

    @property
    def people(self) -> np.ndarray:
        """People per distinct value (n_values,)."""
        return self.counts[1:]

    @property
    def n_missing(self) -> int:
        return int(self.counts[0])

    @property
    def n_with_value(self) -> int:
        return self.n_records - self.n_missing

    @cached_property
    def n_distinct(self) -> int:
        return int((self.people > 0).sum())

    @property
    def is_constant(self) -> bool:
        """Whether everyone has the same value: the column carries no information and can be left out."""
        return self.n_distinct == 1 and not self.n_missing

    @property
    def names_people(self) -> bool:
        """Whether it is text, dates or ids of which no two people share a value: as good as a name."""
        return self.kind in ("text", "date", "identifier") and self.n_distinct == self.n_with_value > 1

    @cached_property
    def statistics(self) -> NumberStatistics | None:
        """None where the column contains no numbers."""
        return number_statistics(self.encoded.labels, self.people) if self.kind == "number" else None

    @property
    def title(self) -> str:
        """The column's name with its unit, for a figure."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def explore_columns(
    table: pd.DataFrame,
    config: PilotConfig,
    names: Sequence[str],
    units: Mapping[str, str],
    naming: Collection[str] = (),
) -> list[ExploredColumn]:
    """The columns ``names`` of ``table`` (n_people, n_columns), quasi-identifiers first, then sensitive ones.

    Text of numbers alone is taken as numbers, unless the config calls the column a category or a
    number begins with a 0 as codes do. Numbers of the columns ``naming`` people, to which the config gives no role, are
    identifiers: they are counted and measure nothing.
    """
    roles = {
        name: "quasi-identifier"
        if name in config.quasi_identifiers
        else "sensitive"
        if name in config.sensitive_features
        else "other"
        for name in names
    }
    ordered = sorted(names, key=lambda name: (ROLES.index(roles[name]), list(table.columns).index(name)))

    measured = {*config.continuous_qis, *config.sensitive_binning}

    def explored(name: str) -> ExploredColumn:
        encoded = _encoded(table[name], name in config.categorical_qis)
        kind = _kind(encoded)
        if kind == "number" and name in naming and roles[name] == "other":
            kind = "identifier"
        elif kind == "number" and len(encoded.labels) == 2 and name not in measured:
            kind = "category"
        return ExploredColumn(name, roles[name], kind, units.get(name), encoded)

    return side_by_side(explored, ordered)  # encoding works outside Python's lock


def _encoded(values: pd.Series, is_category: bool) -> EncodedColumn:
    if is_category or isinstance(values.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(values.dtype):
        return encode_column(values)
    first = values.dropna().iloc[:_N_FIRST]
    if not len(first) or np.isnan(parse_numbers(first)).any():
        return encode_column(values)  # the first values show that it is text
    numbers = parse_numbers(values)
    all_finite = np.isfinite(numbers).sum() == values.notna().sum()
    return encode_column(values if not all_finite or _holds_codes(values) else pd.Series(numbers))


def _holds_codes(values: pd.Series) -> bool:
    """Whether a number begins with a zero as codes do: 01, not 0.1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(values.astype("str"))
    zeros = texts.filter(pc.fill_null(pc.starts_with(texts, "0"), False))
    return bool(len(zeros)) and bool(pc.any(pc.match_substring_regex(zeros, r"^0\d")).as_py())


def _kind(encoded: EncodedColumn) -> str:
    if not len(encoded.labels):
        return "empty"
    if encoded.is_numeric:
        return "number"
    labels = pd.Series(encoded.labels, dtype="str")
    few = labels.iloc[:_N_FIRST]
    return "date" if few.str.fullmatch(_DATE).all() and labels.str.fullmatch(_DATE).all() else "text"


# ---------------------------------------------------------------- statistics of counts


def number_statistics(values: np.ndarray, people: np.ndarray) -> NumberStatistics | None:
    """Statistics of rising ``values`` (n_values,) with the ``people`` who have each; None without anybody."""
    values, people = values[people > 0], people[people > 0]
    if not len(values):
        return None
    first, median, third = (weighted_quantile(values, people, share) for share in (0.25, 0.5, 0.75))
    scale = float(np.abs(values).max()) or 1.0  # squares of huge numbers stay finite
    small, n = values / scale, int(people.sum())
    mean = float(people @ small) / n
    variance = float(people @ (small - mean) ** 2) / (n - 1) if n > 1 else float("nan")
    low, high = first - FENCE * (third - first), third + FENCE * (third - first)
    return NumberStatistics(
        minimum=float(values[0]),
        first_quartile=first,
        median=median,
        third_quartile=third,
        maximum=float(values[-1]),
        mean=mean * scale,
        standard_deviation=float(np.sqrt(variance)) * scale,
        low_fence=low,
        high_fence=high,
        n_below=int(people[values < low].sum()),
        n_above=int(people[values > high].sum()),
    )


def weighted_quantile(values: np.ndarray, people: np.ndarray, share: float) -> float:
    """The quantile of rising values with their counts, interpolated linearly as by ``numpy.quantile``."""
    until = np.cumsum(people)
    place = share * (until[-1] - 1)
    below = values[np.searchsorted(until, np.floor(place), side="right")]
    above = values[np.searchsorted(until, np.ceil(place), side="right")]
    part = place - np.floor(place)
    return float(below * (1 - part) + above * part)


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho of two columns in [-1, 1], over ``n_people`` who have both; None where one does not vary."""

    one: str
    other: str
    rho: float | None
    n_people: int


@dataclass(frozen=True)
class CrossTable:
    """People per pair of values of two columns (n_values, n_other_values), and how closely they are associated.

    ``cramers_v`` is in [0, 1], 0 for independent columns, None where one does not vary; Cramér 1946. A column
    determines the other if people with the same value in it never differ in the other.
    """

    one: ExploredColumn
    other: ExploredColumn
    people: np.ndarray

    @property
    def n_people(self) -> int:
        return int(self.people.sum())

    @property
    def cramers_v(self) -> float | None:
        rows, columns = self.people.sum(axis=1), self.people.sum(axis=0)
        n, least = self.people.sum(), min((rows > 0).sum(), (columns > 0).sum()) - 1
        if n == 0 or least < 1:
            return None
        expected = np.outer(rows, columns)[np.ix_(rows > 0, columns > 0)] / n
        found = self.people[np.ix_(rows > 0, columns > 0)]
        chi_square = ((found - expected) ** 2 / expected).sum()
        return float(np.sqrt(min(1.0, chi_square / (n * least))))

    @property
    def one_determines_other(self) -> bool:
        return _determines(self.people)

    @property
    def other_determines_one(self) -> bool:
        return _determines(self.people.T)


def _determines(people: np.ndarray) -> bool:
    level, value = np.nonzero(people)
    n_levels, n_values = people.shape
    return bool(0 < people.sum() == n_guessed_right(level, value, n_levels, n_values, people[level, value]))


def cross_table(one: ExploredColumn, other: ExploredColumn) -> CrossTable:
    """People per pair of values, among those who have both."""
    shape = (len(one.encoded.labels) + 1, len(other.encoded.labels) + 1)
    key = (one.encoded.codes + 1).astype(np.int64) * shape[1] + (other.encoded.codes + 1)
    people = np.bincount(key, minlength=shape[0] * shape[1]).reshape(shape)
    return CrossTable(one, other, people[1:, 1:])


def spearman_correlations(columns: Sequence[ExploredColumn]) -> list[Correlation]:
    """Spearman's rho of every two numeric columns, over the people who have both (pairwise deletion).

    Ties get their mean rank. Equals ``pandas.DataFrame.corr("spearman")`` pair by pair. Source: Spearman 1904,
    doi:10.2307/1412159.
    """
    return side_by_side(lambda pair: _correlation(*pair), itertools.combinations(columns, 2))


def _correlation(one: ExploredColumn, other: ExploredColumn) -> Correlation:
    """Of whole numbers, twice the ranks less their mean, so that no sum depends on the order of the people."""
    both = (one.encoded.codes >= 0) & (other.encoded.codes >= 0)
    codes = [
        side.encoded.codes[both] if one.n_missing + other.n_missing else side.encoded.codes for side in (one, other)
    ]
    people = [np.bincount(of_side) for of_side in codes]
    ranks = [_centred_ranks(counts) for counts in people]
    squares = [float(counts @ rank**2) for counts, rank in zip(people, ranks, strict=True)]
    if not squares[0] or not squares[1]:
        return Correlation(one.name, other.name, None, len(codes[0]))
    mine, theirs = (rank[of_side] for rank, of_side in zip(ranks, codes, strict=True))
    rho = float(mine @ theirs) / np.sqrt(squares[0] * squares[1])
    return Correlation(one.name, other.name, float(np.clip(rho, -1, 1)), len(codes[0]))


def _centred_ranks(people: np.ndarray) -> np.ndarray:
    """Twice the mean rank of each value less n + 1: sums to zero over the people without any rounding."""
    until = np.cumsum(people)
    return (2 * until - people - people.sum()).astype(float)
