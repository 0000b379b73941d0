"""The maths: equivalence classes, k-anonymity, l-diversity, t-closeness, binning, distances, text report.

Everything here is a function of one sparse count table, (equivalence class, sensitive value) -> number of
people:

    records -> codes per quasi-identifier -> class of each record -> count table -> measures -> flags on records

Each column is encoded once and the records are counted once; after that no step looks at records again until
the flags are handed back to them. Nothing depends on the order of the records or on the frame's index.

Usable from a notebook on any ``pandas.DataFrame`` with one row per person::

    binned, binnings = apply_feature_binning(df, {"AGE": [0, 18, 65, 120]})
    result = run_k_anonymity(binned, ["SEX", "AGE"], 5)
    result.n_risky, result.worst, df[result.risky]
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import itertools
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

MISSING_POLICIES = ("category", "exclude", "wildcard")
OUT_OF_RANGE_POLICIES = ("tail", "missing")
LARGEST_NUMBER = 1e300  # differences and sums of larger ones are infinite
EMPTY_RECORDS = ("match", "sdcmicro")
DENSE_CELLS = 1 << 18  # a table of all possible keys may always have this many cells: 2 MB
LOOKUPS_AT_ONCE = 1 << 20
KEY_LIMIT = 2**62
CLASSES_PER_PATTERN = 4  # with fewer of them, comparing all pairs of classes is quicker than going by patterns


class FaultyInputError(ValueError):
    """Something in the data, the files or the settings is at fault; ``faults`` names all of it at once.

    Messages name files, columns, kinds and counts, never a subject or a value of a person.
    """

    def __init__(self, faults: str | Iterable[str]):
        self.faults = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))


# ---------------------------------------------------------------- from records to codes


@dataclass(frozen=True)
class EncodedColumn:
    """One column as whole numbers: ``codes`` (n_records,), -1 where missing, and ``labels`` (n_values,).

    The labels are distinct and in a stable order (numbers by size, bins by their edges, text by letters),
    so that equal data give equal codes in whatever order the records come.
    """

    codes: np.ndarray
    labels: np.ndarray

    @property
    def is_numeric(self) -> bool:
        return self.labels.dtype.kind == "f"


def number_text(number: float) -> str:
    """A number as people write it: ``1.0`` is ``1``, at most 15 significant digits."""
    return f"{number + 0.0:.15g}"


def encode_column(values: pd.Series) -> EncodedColumn:
    """Codes and labels of one column; what counts as the same value is decided here and nowhere else.

    Text is compared after Unicode NFC and trimming; an empty text is missing; the codes ``1`` and ``1.0`` are
    the same value, ``01`` is another one. Cost: one pass over the records, the rest on distinct values.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        labels = np.array([_label(category) for category in values.cat.categories], dtype=object)
        return _merge_equal_labels(values.cat.codes.to_numpy(), labels, sort=not values.cat.ordered)
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        if pd.api.types.is_integer_dtype(values.dtype) and (np.abs(numbers) >= 2**53).any():
            return encode_column(values.astype("str"))  # as floats, whole numbers of that size would fall together
        codes, distinct = pd.factorize(numbers + 0.0)  # adding zero turns -0.0 into 0.0
        order = np.argsort(distinct, kind="stable")
        return EncodedColumn(_renumber(codes, order), distinct[order])
    if values.dtype == object:  # to Python, True, 1 and 1.0 are one value
        values = values.map(_label, na_action="ignore")
    codes, distinct = pd.factorize(values)
    return _merge_equal_labels(codes, np.array([_label(value) for value in distinct], dtype=object))


def _label(value: object) -> str:
    if isinstance(value, float | np.floating):
        return repr(float(value) + 0.0).removesuffix(".0")
    text = unicodedata.normalize("NFC", str(value)).strip()
    whole, point, zeros = text.partition(".")
    return whole if point and zeros and not zeros.strip("0") and whole.lstrip("+-").isdigit() else text


def _merge_equal_labels(codes: np.ndarray, labels: np.ndarray, sort: bool = True) -> EncodedColumn:
    """Labels that became equal are one value, and an empty one is missing; the rest keep their order unless sorted."""
    merged, distinct = pd.factorize(labels, sort=sort)
    distinct = np.asarray(distinct, dtype=object)
    kept = distinct != ""
    if not kept.all():
        merged = np.where(kept, np.cumsum(kept) - 1, -1)[merged]
    return EncodedColumn(_take(merged, codes), distinct[kept])


def _renumber(codes: np.ndarray, order: np.ndarray) -> np.ndarray:
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return _take(rank, codes)


def _take(table: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """``table[codes]`` with -1 where the code is -1."""
    return np.append(table, -1)[codes]


def parse_numbers(values: pd.Series) -> np.ndarray:
    """A column as floats of its own (n_records,), NaN where there is no number: missing, or other text."""
    if values.dtype == object or values.dtype.kind in "mM":
        values = values.astype("str")  # dates and the like are no numbers
    if values.dtype == "str":
        import pyarrow as pa

        with contextlib.suppress(pa.ArrowInvalid):  # many times faster, where every text is a number
            return pa.array(values).cast(pa.float64()).to_numpy(zero_copy_only=False).copy()
    return np.array(pd.to_numeric(values, errors="coerce"), dtype=float)


def numbers_of(values: pd.Series) -> np.ndarray:
    """A column as floats (n_records,), NaN where missing.

    Raises ``FaultyInputError`` with counts if a value is not a number, is infinite or too large to calculate with.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(str).where(values.notna())
    numbers = parse_numbers(values)
    unread = values[np.isnan(numbers) & values.notna().to_numpy()].astype(str)
    n_text, n_infinite = int((unread.str.strip() != "").sum()), int(np.isinf(numbers).sum())
    n_too_large = int((np.abs(numbers) > LARGEST_NUMBER).sum()) - n_infinite
    too_large = f"beyond {LARGEST_NUMBER:g}"
    faults = [
        f"column {values.name!r}: {count} of {len(values)} values are {kind}; allowed: finite numbers or "
        "missing; correct them in the source, or declare the column categorical"
        for count, kind in ((n_text, "text that is not a number"), (n_infinite, "infinite"), (n_too_large, too_large))
        if count
    ]
    if faults:
        raise FaultyInputError(faults)
    return numbers


# ---------------------------------------------------------------- binning


@dataclass(frozen=True)
class Binning:
    """How a column was binned, and how many people lie below the edges, above them, or have no value at all.

    ``policy`` says what became of those outside: kept in a tail, or made missing.
    """

    edges: tuple[float, ...]
    n_below: int
    n_above: int
    n_missing: int
    policy: str


def _bin_numbers(numbers: np.ndarray, edges: Sequence[float]) -> np.ndarray:
    """Bin of each number: 0..n_bins-1, -1 below the first edge, n_bins above the last; missing is n_bins + 1."""
    if len(edges) <= 64:  # then comparing with each edge is five times faster than a binary search
        bins = np.full(len(numbers), -1, dtype=np.int32)
        for edge in edges[:-1]:
            bins += numbers >= edge
    else:
        bins = np.searchsorted(edges[:-1], numbers, side="right").astype(np.int32) - 1
    bins += numbers > edges[-1]
    bins[np.isnan(numbers)] = len(edges)
    return bins


def _bin_labels(edges: Sequence[float]) -> list[str]:
    return [f"{number_text(low)}--{number_text(high)}" for low, high in itertools.pairwise(edges)]


def _bin(
    values: pd.Series, edges: Sequence[float], out_of_range: str, people: np.ndarray | None = None
) -> tuple[pd.Series, Binning]:
    """``people`` (n_values,) counts how many people each value stands for; by default each is one person's."""
    if out_of_range not in OUT_OF_RANGE_POLICIES:
        raise FaultyInputError(f"out_of_range is {out_of_range!r}; allowed: {', '.join(OUT_OF_RANGE_POLICIES)}")
    if not _are_edges(list(edges)):
        raise FaultyInputError(f"bin edges of {values.name!r}: at least two finite, rising numbers are needed")
    bins, n_bins = _bin_numbers(numbers_of(values), edges), len(edges) - 1
    outside = [bins == -1, bins == n_bins, bins == n_bins + 1]
    counts = [int(where.sum() if people is None else people[where].sum()) for where in outside]
    labels = _bin_labels(edges)
    if out_of_range == "missing":
        bins[bins >= n_bins] = -1
    else:
        # The tails stand in the order of the values, so that sorting by code sorts by size.
        labels = [f"<{number_text(edges[0])}", *labels, f">{number_text(edges[-1])}"]
        bins += 1
        bins[bins == n_bins + 2] = -1
    binned = pd.Categorical.from_codes(bins, categories=labels, ordered=True)
    return pd.Series(binned, index=values.index, name=values.name), Binning(tuple(edges), *counts, out_of_range)


def bin_feature_column(df: pd.DataFrame, feature: str, edges: Sequence[float], out_of_range: str = "tail") -> pd.Series:
    """One numeric column as intervals: an ordered categorical (n_records,) with labels ``a--b``.

    Intervals follow ``numpy.histogram``: ``[a, b)``, the last one closed. A value outside the edges falls into
    a tail ``<a`` or ``>b`` (``out_of_range="tail"``) or becomes missing (``"missing"``); missing stays missing.
    Raises ``FaultyInputError`` on values that are not numbers and on edges that do not rise.
    """
    return _bin(df[feature], edges, out_of_range)[0]


def apply_feature_binning(
    df: pd.DataFrame, binning_config: Mapping[str, Sequence[float]], out_of_range: str = "tail"
) -> tuple[pd.DataFrame, dict[str, Binning]]:
    """``df`` with each column of ``binning_config`` (column -> edges) binned, and per column who fell outside.

    ``df`` itself is left as it was; columns that are not named are shared, not copied.
    """
    binned, binnings, faults = {}, {}, []
    for feature, edges in binning_config.items():
        try:
            binned[feature], binnings[feature] = _bin(df[feature], edges, out_of_range)
        except FaultyInputError as error:
            faults.extend(error.faults)
    if faults:
        raise FaultyInputError(faults)
    return df.assign(**binned), binnings


# ---------------------------------------------------------------- equivalence classes


@dataclass(frozen=True)
class EquivalenceClasses:
    """The partition of people by their quasi-identifiers, a missing value being a value of its own.

    ``class_of_record`` (n_records,) numbers the class of each record; ``size`` (n_classes,) counts people;
    ``columns`` are the encoded quasi-identifiers. Classes are numbered by the labels of their
    quasi-identifiers, so the numbering does not depend on the order of the records.
    """

    quasi_identifiers: tuple[str, ...]
    columns: tuple[EncodedColumn, ...]
    class_of_record: np.ndarray
    size: np.ndarray

    @property
    def n_records(self) -> int:
        return len(self.class_of_record)

    @property
    def n_classes(self) -> int:
        return len(self.size)

    @cached_property
    def class_codes(self) -> np.ndarray:
        """Code of every quasi-identifier in every class: (n_quasi_identifiers, n_classes), -1 is missing."""
        member = np.empty(self.n_classes, dtype=np.int64)
        member[self.class_of_record] = np.arange(self.n_records)
        codes = [column.codes[member] for column in self.columns]
        return np.array(codes, dtype=np.int64).reshape(len(codes), self.n_classes)

    @cached_property
    def complete(self) -> np.ndarray:
        """Classes without a missing quasi-identifier: (n_classes,) of bool."""
        if all(column.codes.min(initial=0) >= 0 for column in self.columns):
            return np.ones(self.n_classes, dtype=bool)
        return (self.class_codes >= 0).all(axis=0)

    def evaluated(self, missing_qis: str = "category") -> np.ndarray:
        """Classes that a missing-value policy evaluates: (n_classes,) of bool."""
        return self.complete if missing_qis == "exclude" else np.ones(self.n_classes, dtype=bool)

    def frequency(self, missing_qis: str = "category") -> np.ndarray:
        """k of each class (n_classes,): how many people a person of this class cannot be told apart from."""
        return self._wildcard_frequency if missing_qis == "wildcard" else self.size

    @cached_property
    def _wildcard_frequency(self) -> np.ndarray:
        return wildcard_frequency(self)  # asked for by k, by the policies side by side, and by every intruder


def form_equivalence_classes(df: pd.DataFrame, quasi_identifiers: Sequence[str]) -> EquivalenceClasses:
    """Encode the quasi-identifiers once and number the class of each record; O(records x quasi-identifiers)."""
    with ThreadPoolExecutor() as pool:  # encoding works outside Python's lock: columns side by side
        columns = tuple(pool.map(encode_column, [df[name] for name in quasi_identifiers]))
    class_of_record, size = _number_groups(columns, len(df))
    return EquivalenceClasses(tuple(quasi_identifiers), columns, class_of_record, size)


def _number_groups(columns: Sequence[EncodedColumn], n_records: int) -> tuple[np.ndarray, np.ndarray]:
    key, n_keys = np.zeros(n_records, dtype=np.int64), 1
    for column in columns:
        n_codes = len(column.labels) + 1  # one for missing
        if n_keys * n_codes >= KEY_LIMIT:
            key, size = number_groups(key, n_keys)
            n_keys = len(size)
        key = key * n_codes + (column.codes + 1)
        n_keys *= n_codes
    return number_groups(key, n_keys)


def number_groups(key: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """Group of each key (n,) and size of each group: equal keys are a group, numbered in the order of the keys.

    Keys are whole numbers from 0 to ``n_keys`` - 1.
    """
    if n_keys <= max(4 * len(key), 65_536):  # few enough to count each possible key in an array
        count = np.bincount(key, minlength=n_keys)
        occupied = count > 0
        return (np.cumsum(occupied) - 1)[key], count[occupied]
    codes, distinct = pd.factorize(key)
    group = _renumber(codes, np.argsort(distinct))
    return group, np.bincount(group, minlength=len(distinct))


# ---------------------------------------------------------------- missing values as wildcards


def wildcard_frequency(classes: EquivalenceClasses, alpha: float = 1.0) -> np.ndarray:
    """k of each class (n_classes,) when a missing value may stand for any value: see ``sum_over_compatible``."""
    return sum_over_compatible(classes, classes.size, alpha)


def sum_over_compatible(
    classes: EquivalenceClasses, amount: np.ndarray, alpha: float = 1.0, empty_records: str = "match"
) -> np.ndarray:
    """What all people hold whom a person of each class might be, when a missing value may stand for any value.

    ``amount`` is one number per class (n_classes,), or several rows of them (n_amounts, n_classes): people, weights.
    The result has the same shape: the class's own amount plus, over every other class that agrees wherever both
    have a value, its amount, times ``alpha`` in [0, 1] if that other class has a missing value. With
    ``classes.size`` this is k of each class, and smaller is riskier.

    ``empty_records`` are those without a single quasi-identifier. "match": they follow the same rule. "sdcmicro":
    what sdcMicro does with them where there are two or more columns, namely that they can be anybody whatever alpha
    is, and do not count for complete records, though they do for partial ones.

    Works on a table of all keys where that is small, by patterns of missing values, or by pairs of classes where there
    are nearly as many patterns; never by pairs of records. Raises ``FaultyInputError`` on an ``alpha``
    outside [0, 1]. Source: sdcMicro ``freqCalc``; Templ, Kowarik and Meindl 2015, doi:10.18637/jss.v067.i04.
    """
    if not 0 <= alpha <= 1:
        raise FaultyInputError(f"alpha is {alpha!r}; allowed: a number from 0 to 1")
    if empty_records not in EMPTY_RECORDS:
        raise FaultyInputError(f"empty_records is {empty_records!r}; allowed: {', '.join(EMPTY_RECORDS)}")
    own = np.asarray(amount, dtype=float)
    rows = np.atleast_2d(own)
    if classes.complete.all():
        return own.copy()
    discount = np.where(classes.complete, 1.0, alpha)
    total = _way_to_sum(classes)(classes, rows * discount) + rows * (1.0 - discount)
    empty = np.flatnonzero((classes.class_codes < 0).all(axis=0))  # at most one class
    if empty_records == "sdcmicro" and len(empty) and len(classes.columns) > 1:
        total[:, classes.complete] -= alpha * rows[:, empty]
        total[:, empty[0]] = rows.sum(axis=1)
    return total.reshape(own.shape)


def _way_to_sum(classes: EquivalenceClasses) -> Callable[[EquivalenceClasses, np.ndarray], np.ndarray]:
    if math.prod(_radices(classes)) <= DENSE_CELLS + 4 * classes.n_classes and len(classes.columns) <= 32:
        return _sums_in_a_full_table
    n_patterns = _patterns(classes.class_codes >= 0)[1].shape[0]
    return _sums_by_pairs if classes.n_classes <= CLASSES_PER_PATTERN * n_patterns else _sums_by_pattern


def _radices(classes: EquivalenceClasses) -> list[int]:
    return [len(column.labels) + 1 for column in classes.columns]  # one for missing


def _sums_in_a_full_table(classes: EquivalenceClasses, rows: np.ndarray) -> np.ndarray:
    """Sums over all compatible classes where a table with a cell for every possible key is small.

    Agreement is column by column, so the sum is done one axis of the table at a time: a value gathers its own cells
    and the missing ones, missing gathers all.
    """
    cell = tuple(classes.class_codes + 1)
    result = np.empty_like(rows)
    for i, row in enumerate(rows):
        table = np.zeros(_radices(classes))
        table[cell] = row
        for axis in range(table.ndim):
            along = np.moveaxis(table, axis, 0)
            missing = along[0].copy()
            along[0] = along.sum(axis=0)
            along[1:] += missing
        result[i] = table[cell]
    return result


def _sums_by_pattern(classes: EquivalenceClasses, rows: np.ndarray) -> np.ndarray:
    """The same sums for any number of keys, by patterns of missing values.

    A class that has values in the columns P only is compatible with those that equal it on P after some of P are
    blanked out on both sides. So all others are looked at on P alone, with missing as one more value, and each
    class of P asks for its own key and for its key with each set of columns blanked that is missing somewhere.
    Complete classes against incomplete ones need one join per pattern, which serves both directions.
    """
    codes = classes.class_codes + 1
    complete, partial = np.flatnonzero(classes.complete), np.flatnonzero(~classes.complete)
    pattern_of_partial, patterns = _patterns(codes[:, partial] > 0)
    partial = partial[np.argsort(pattern_of_partial, kind="stable")]  # classes of one pattern stand together
    of_complete, of_partial = codes[:, complete], codes[:, partial]
    from_complete, from_partial = rows[:, complete], rows[:, partial]
    # Complete classes agree with no complete one but themselves; all that partial ones get is summed below.
    to_complete, to_partial = from_complete.copy(), np.zeros_like(from_partial)
    ends = np.cumsum(np.bincount(pattern_of_partial))
    for pattern, start, end in zip(patterns, np.append(0, ends[:-1]), ends, strict=True):
        columns = np.flatnonzero(pattern)
        radices = [_radices(classes)[i] for i in columns]
        mine = [of_partial[i, start:end] for i in columns]
        pair, n_keys = joint_keys([[of_complete[i] for i in columns], mine], radices, [len(complete), end - start])
        held, given = (from_complete, from_partial[:, start:end]), (to_complete, to_partial[:, start:end])
        _exchange(pair, n_keys, held, given)
        kept = _patterns((patterns & pattern).T)[1][:, columns]
        for some in np.array_split(kept, 1 + (end - start) * len(kept) // LOOKUPS_AT_ONCE):
            wanted = [np.multiply.outer(some[:, i], mine[i]).ravel() for i in range(len(columns))]
            n_wanted = len(some) * (end - start)
            pair, n_keys = joint_keys([[of_partial[i] for i in columns], wanted], radices, [len(partial), n_wanted])
            found = _sums_looked_up(pair, from_partial, n_keys)
            to_partial[:, start:end] += found.reshape(len(rows), len(some), end - start).sum(axis=1)
    result = np.empty_like(rows)
    result[:, complete], result[:, partial] = to_complete, to_partial
    return result


def _sums_by_pairs(classes: EquivalenceClasses, rows: np.ndarray) -> np.ndarray:
    """The same by comparing every class with every other, a block of classes at a time."""
    result = np.empty_like(rows)
    n_at_once = max(1, 1_000_000 // classes.n_classes)
    for start in range(0, classes.n_classes, n_at_once):
        block = slice(start, start + n_at_once)
        agrees = np.ones((result[0, block].size, classes.n_classes), dtype=bool)
        for codes in classes.class_codes:
            mine = codes[block, np.newaxis]
            agrees &= (mine == codes) | (mine < 0) | (codes < 0)
        result[:, block] = rows @ agrees.T
    return result


def _patterns(present: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the distinct columns each column of flags is, and these: (n_patterns, n_flags) of bool."""
    keys, n_keys = joint_keys([list(present)], [2] * len(present), [present.shape[1]])
    pattern, size = number_groups(keys[0], n_keys)
    example = np.empty(len(size), dtype=np.int64)
    example[pattern] = np.arange(len(pattern))
    return pattern, present[:, example].T


def joint_keys(parts: list[list[np.ndarray]], radices: list[int], lengths: list[int]) -> tuple[list[np.ndarray], int]:
    """One whole number per entry of each part's columns, equal where all codes are equal, and how many there may be."""
    keys, n_keys = [np.zeros(length, dtype=np.int64) for length in lengths], 1
    for i, radix in enumerate(radices):
        if n_keys * radix >= KEY_LIMIT:
            joint, size = number_groups(np.concatenate(keys), n_keys)
            keys, n_keys = np.split(joint, np.cumsum(lengths)[:-1]), len(size)
        for key, columns in zip(keys, parts, strict=True):
            key *= radix
            key += columns[i]
        n_keys *= radix
    return keys, n_keys


def _exchange(keys: list[np.ndarray], n_keys: int, held: Sequence[np.ndarray], given: Sequence[np.ndarray]) -> None:
    """Add to what each entry of one side is given what the entries of the other side with its key hold, both ways."""
    (our_key, their_key), (ours, theirs), (to_ours, to_theirs), met = keys, held, given, slice(None)
    if n_keys > DENSE_CELLS:
        their_key, distinct = pd.factorize(their_key)
        at = pd.Index(distinct).get_indexer(our_key)
        met, n_keys = np.flatnonzero(at >= 0), len(distinct)
        our_key = at[met]
    for i in range(len(ours)):
        to_ours[i, met] += np.bincount(their_key, theirs[i], n_keys)[our_key]
        to_theirs[i] += np.bincount(our_key, ours[i, met], n_keys)[their_key]


def _sums_looked_up(keys: list[np.ndarray], rows: np.ndarray, n_keys: int) -> np.ndarray:
    """For each of the second keys the sum of the rows that belong to the first: (n_rows, n_wanted)."""
    held, wanted = keys
    if n_keys > DENSE_CELLS:
        held, distinct = pd.factorize(held)
        # Keys that nobody holds are -1, which is the last cell, and nobody is in that.
        wanted, n_keys = pd.Index(distinct).get_indexer(wanted), len(distinct) + 1
    return np.array([np.bincount(held, row, n_keys)[wanted] for row in rows])


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
    values: np.ndarray
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
        value = self.value_of_cell[kept]
        occurs = np.bincount(value, minlength=len(self.values)) > 0
        new_value = (np.cumsum(occurs) - 1)[value]
        return CountTable(self.class_of_cell[kept], new_value, self.people[kept], self.values[occurs], self.n_classes)

    def regrouped(self, group_of_value: np.ndarray, values: np.ndarray) -> CountTable:
        """The table after sensitive values are grouped: ``group_of_value`` (n_values,), -1 makes one missing."""
        group = group_of_value[self.value_of_cell]
        kept = group >= 0
        return _tabulate(self.class_of_cell[kept], group[kept], values, self.n_classes, self.people[kept])


@dataclass(frozen=True)
class SensitiveCounts:
    """One sensitive column after the count: its table, which may be binned, and the code of each record's value.

    ``codes`` (n_records,) are of the values as they are in the data, -1 for a record without one.
    """

    table: CountTable
    codes: np.ndarray

    @cached_property
    def has_value(self) -> np.ndarray:
        return self.codes >= 0


def count_sensitive_values(classes: EquivalenceClasses, sensitive: pd.Series) -> SensitiveCounts:
    """The one count: people per (class, sensitive value)."""
    column = encode_column(sensitive)
    has_value = column.codes >= 0
    group, value = classes.class_of_record, column.codes
    if not has_value.all():
        group, value = group[has_value], value[has_value]
    return SensitiveCounts(_tabulate(group, value, column.labels, classes.n_classes), column.codes)


def _tabulate(
    group: np.ndarray, value: np.ndarray, values: np.ndarray, n_classes: int, people: np.ndarray | None = None
) -> CountTable:
    n_values = max(len(values), 1)
    key = group * np.int64(n_values) + value
    if people is None:
        cell, count = np.unique(key, return_counts=True)
    else:
        cell, cell_of_key = np.unique(key, return_inverse=True)
        count = np.bincount(cell_of_key, people, len(cell)).astype(np.int64)
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
    # Means of the classes and of everybody are summed in the same order, so that equal shares give equal means.
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


def _two_samples(class_values: Iterable, all_values: Iterable, numeric: bool) -> tuple[CountTable, np.ndarray]:
    parts = [pd.Series(list(values), dtype=object, name="values") for values in (class_values, all_values)]
    if numeric:
        parts = [pd.Series(numbers_of(part)) for part in parts]
    both = encode_column(pd.concat(parts, ignore_index=True))
    mine, theirs = both.codes[: len(parts[0])], both.codes[len(parts[0]) :]
    if not (mine >= 0).any() or not (theirs >= 0).any():
        raise FaultyInputError("a distance needs at least one value that is not missing on either side")
    mine = mine[mine >= 0]
    table = _tabulate(np.zeros(len(mine), dtype=np.int64), mine, both.labels, 1)
    return table, np.bincount(theirs[theirs >= 0], minlength=len(both.labels))


def numerical_distance(class_values: Iterable[float], all_values: Iterable[float]) -> float:
    """Wasserstein-1 distance between two samples of numbers, in their unit, missing values left out.

    0 for equal distributions, at most the common range; larger is riskier. Raises ``FaultyInputError`` if a
    side has no value. Equals ``scipy.stats.wasserstein_distance``.
    """
    return float(wasserstein_distance(*_two_samples(class_values, all_values, numeric=True))[0])


def categorical_distance(class_values: Iterable, all_values: Iterable) -> float:
    """Total variation between two samples of categories, missing values left out: a share in [0, 1].

    0 for equal shares, 1 where no category is common; larger is riskier. Raises ``FaultyInputError`` if a side
    has no value.
    """
    return float(total_variation_distance(*_two_samples(class_values, all_values, numeric=False))[0])


# ---------------------------------------------------------------- the three models


@dataclass(frozen=True)
class ModelResult:
    """What one model says of each record and of the whole.

    ``measure`` (n_records,): k, distinct l or t of the record's class, NaN where the record is not evaluated.
    ``evaluated`` and ``risky`` (n_records,) of bool; a risky record is an evaluated one. ``worst`` is the
    smallest k or l, the largest t; None where nothing was evaluated.
    """

    model: str
    measure_name: str
    sensitive: str | None
    threshold: float
    measure: np.ndarray
    evaluated: np.ndarray
    risky: np.ndarray
    distance: str | None = None
    value_range: float | None = None

    @property
    def n_total(self) -> int:
        return len(self.measure)

    @cached_property
    def n_evaluated(self) -> int:
        return int(self.evaluated.sum())

    @cached_property
    def n_risky(self) -> int:
        return int(self.risky.sum())

    @cached_property
    def worst(self) -> float | None:
        if not self.n_evaluated:
            return None
        seen = self.measure[self.evaluated]
        return float(seen.max()) if self.model == "t_closeness" else int(seen.min())

    @property
    def risky_rate(self) -> float | None:
        """Risky records among the evaluated ones, in [0, 1]; None where nothing was evaluated."""
        return self.n_risky / self.n_evaluated if self.n_evaluated else None

    def share_of_range(self, distance: float | None) -> float | None:
        """A distance in the unit of the value as a share of the range of the values; None where that means nothing."""
        known = distance is not None and self.distance is not None and self.value_range
        return distance / self.value_range if known and DISTANCES[self.distance].in_units else None


def run_k_anonymity(
    df: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    k: int,
    missing_qis: str = "category",
    classes: EquivalenceClasses | None = None,
) -> ModelResult:
    """How many people share a person's quasi-identifiers; risky: fewer than ``k``.

    The measure is a count from 1 to n_records, smaller is riskier. ``missing_qis``: a missing quasi-identifier
    is a value of its own ("category"), leaves the record unevaluated ("exclude"), or matches anything
    ("wildcard"). ``classes`` may be handed in to save forming them again. Raises ``FaultyInputError`` on an
    unknown policy. Source: Sweeney 2002, doi:10.1142/S0218488502001648.
    """
    classes = _classes_of(df, quasi_identifiers, missing_qis, classes)
    frequency = classes.frequency(missing_qis)
    evaluated = classes.evaluated(missing_qis)[classes.class_of_record]
    measure, risky = _on_records(classes, evaluated, frequency, frequency < k)
    return ModelResult("k_anonymity", "k_count", None, k, measure, evaluated, risky)


def run_l_diversity(
    df: pd.DataFrame,
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
    table = (counts or count_sensitive_values(classes, df[sensitive])).table
    if bins is not None:
        table, _ = bin_count_table(table, sensitive, bins, out_of_range)
    distinct = np.bincount(table.class_of_cell, minlength=classes.n_classes)
    evaluated = classes.evaluated(missing_qis)[classes.class_of_record]
    measure, risky = _on_records(classes, evaluated, distinct, distinct < l)
    return ModelResult("l_diversity", "l_count", sensitive, l, measure, evaluated, risky)


def run_t_closeness(
    df: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    t: float,
    distance: str | None = None,
    missing_qis: str = "category",
    classes: EquivalenceClasses | None = None,
    counts: SensitiveCounts | None = None,
) -> ModelResult:
    """How far a class's sensitive values lie from everybody's; risky: farther than ``t``.

    Everybody are the evaluated records that have a sensitive value; those without one are not assessable and
    so not evaluated. ``distance`` is a name of ``DISTANCES``; by default "wasserstein" for numbers (in their
    unit, as ``t`` is) and "total_variation" for categories (a share). Larger is riskier. A distance that equals
    ``t`` up to rounding is not flagged. Raises ``FaultyInputError`` where a distance needs numbers and the
    column has none. Source: Li et al. 2007, doi:10.1109/ICDE.2007.367856.
    """
    classes = _classes_of(df, quasi_identifiers, missing_qis, classes)
    counts = counts or count_sensitive_values(classes, df[sensitive])
    evaluated_classes = classes.evaluated(missing_qis)
    table = counts.table.within(evaluated_classes)
    name = distance or default_distance(table)
    distances, value_range = np.full(classes.n_classes, np.nan), None
    reference = table.people_of_value
    if reference.any():
        _check_distance(name, sensitive, table)
        distances = DISTANCES[name].function(table, reference)
        value_range = float(np.ptp(table.values[reference > 0])) if table.is_numeric else None
    unit = value_range if DISTANCES[name].in_units and value_range else 1.0
    too_far = distances > t + 1e-12 * max(unit, t)
    evaluated = evaluated_classes[classes.class_of_record] & counts.has_value
    measure, risky = _on_records(classes, evaluated, distances, too_far)
    return ModelResult("t_closeness", "t_distance", sensitive, t, measure, evaluated, risky, name, value_range)


def _check_distance(name: str, sensitive: str, table: CountTable) -> None:
    if name not in DISTANCES:
        raise FaultyInputError(f"t_distance: found {name!r}; allowed: {', '.join(DISTANCES)}")
    if DISTANCES[name].needs_numbers and not table.is_numeric:
        raise FaultyInputError(
            f"t_distance {name!r} needs numbers, and {sensitive!r} holds text; "
            'set t_distance to "total_variation", or correct the source'
        )
    if table.is_numeric and (beyond := np.abs(table.values) > LARGEST_NUMBER).any():
        kind = "infinite" if np.isinf(table.values[beyond]).all() else f"beyond {LARGEST_NUMBER:g}"
        n_people = int(table.people_of_value[beyond].sum())
        raise FaultyInputError(f"column {sensitive!r}: {n_people} values are {kind}; correct them in the source")


def default_distance(table: CountTable) -> str:
    return "wasserstein" if table.is_numeric else "total_variation"


def bin_count_table(
    table: CountTable, sensitive: str, edges: Sequence[float], out_of_range: str = "tail"
) -> tuple[CountTable, Binning]:
    """The table with numeric sensitive values in bins, and who fell outside; values are binned, not records."""
    binned, binning = _bin(pd.Series(table.values, name=sensitive), edges, out_of_range, table.people_of_value)
    return table.regrouped(binned.cat.codes.to_numpy(), binned.cat.categories.to_numpy(dtype=object)), binning


def _classes_of(
    df: pd.DataFrame, quasi_identifiers: Sequence[str], missing_qis: str, classes: EquivalenceClasses | None
) -> EquivalenceClasses:
    if missing_qis not in MISSING_POLICIES:
        raise FaultyInputError(f"missing_qis is {missing_qis!r}; allowed: {', '.join(MISSING_POLICIES)}")
    return form_equivalence_classes(df, quasi_identifiers) if classes is None else classes


def _on_records(
    classes: EquivalenceClasses, evaluated: np.ndarray, of_class: np.ndarray, risky: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A measure and its flags, given per class, handed back to the records."""
    measure = of_class.astype(float)[classes.class_of_record]
    flags = risky[classes.class_of_record]
    if evaluated.all():
        return measure, flags
    return np.where(evaluated, measure, np.nan), flags & evaluated


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


# ---------------------------------------------------------------- the config


@dataclass(frozen=True)
class PilotConfig:
    """A pilot's config after ``validate_config``: thresholds and distances per sensitive feature, defaults set.

    ``steps`` holds the keys that other steps understand, as they were written; ``literal`` is the whole config.
    """

    categorical_qis: tuple[str, ...]
    continuous_qis: tuple[str, ...]
    binning_config: dict[str, list[float]]
    sensitive_features: tuple[str, ...]
    sensitive_binning: dict[str, list[float]]
    K: int
    L: dict[str, int]
    T: dict[str, float]
    missing_qis: str
    out_of_range: str
    t_distance: dict[str, str | None]
    steps: dict[str, object]
    literal: dict[str, object]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.categorical_qis + self.continuous_qis


def _is_number(value: object) -> bool:
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return number and -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 2**53


def _is_threshold(value: object) -> bool:
    return _is_number(value) and value >= 0


def _are_names(value: object) -> bool:
    names = isinstance(value, list | tuple) and all(isinstance(name, str) and name for name in value)
    return names and len(set(value)) == len(value)


def _are_names_or_one(value: object) -> bool:
    return value is None or (isinstance(value, str) and value != "") or _are_names(value)


def _are_edges(value: object) -> bool:
    numbers = isinstance(value, list | tuple) and len(value) >= 2 and all(_is_number(edge) for edge in value)
    return numbers and all(low < high for low, high in itertools.pairwise(value)) and _labels_differ(value)


def _labels_differ(edges: Sequence[float]) -> bool:
    return len(set(_bin_labels(edges))) == len(edges) - 1


@dataclass(frozen=True)
class _Key:
    is_valid: Callable[[object], bool]
    allowed: str
    required: bool = False
    by_column: str = "never"  # "may" or "must" hold a dictionary, column -> value


def _one_of(names: Iterable[str]) -> _Key:
    names = tuple(names)
    return _Key(names.__contains__, " or ".join(f'"{name}"' for name in names))


def _model_keys() -> dict[str, _Key]:
    names, edges = "a list of distinct column names, [] for none", "at least two numbers, each larger than the last"
    count, distance = (
        "a whole number from 1 up to 2**53",
        "a number from 0 up to 1e300: in the unit of the value for numbers, a share for categories",
    )
    return {
        "categorical_qis": _Key(_are_names, names, required=True),
        "continuous_qis": _Key(_are_names, names, required=True),
        "binning_config": _Key(_are_edges, edges, by_column="must"),
        "sensitive_feature": _Key(_are_names_or_one, f"a column name, or {names}", required=True),
        "sensitive_binning_config_for_L": _Key(_are_edges, edges, by_column="must"),
        "K": _Key(_is_count, count, required=True),
        "L": _Key(_is_count, count, required=True, by_column="may"),
        "T": _Key(_is_threshold, distance, required=True, by_column="may"),
        "missing_qis": _one_of(MISSING_POLICIES),
        "out_of_range": _one_of(OUT_OF_RANGE_POLICIES),
        "t_distance": dataclasses.replace(_one_of(DISTANCES), by_column="may"),
    }


def validate_config(
    config: object,
    columns: Iterable[str] | None = None,
    step_checks: Mapping[str, Callable[[object], list[str]]] | None = None,
) -> PilotConfig:
    """Check a pilot's config and return it with its defaults; every fault of it is named in one error.

    ``columns``: those of the combined dataset, to find names that do not exist. ``step_checks``: further keys,
    each with a function from the key's value to a list of faults. Raises ``FaultyInputError``.
    """
    if not isinstance(config, dict):
        raise FaultyInputError(f"config: a dictionary is needed, found {type(config).__name__}")
    model_keys, step_checks = _model_keys(), step_checks or {}
    faults, valid = unknown_config_keys(config, step_checks), {}
    for name, key in model_keys.items():
        if name in config:
            faults_of_key = _faults_of_value(name, config[name], key)
        elif key.required and (config.get("sensitive_feature", True) or name not in ("L", "T")):
            faults_of_key = [f"{name}: missing; allowed: {key.allowed}"]
        else:
            continue
        faults += faults_of_key
        if not faults_of_key:
            valid[name] = config[name]
    faults += [fault for name, check in step_checks.items() if name in config for fault in check(config[name])]
    checked = _with_defaults(config, valid, step_checks)
    faults += _faults_between_keys(checked, valid)
    if columns is not None:
        faults += _missing_columns(checked, list(columns))
    if faults:
        raise FaultyInputError(faults)
    return checked


def unknown_config_keys(config: Mapping, step_keys: Iterable[str]) -> list[str]:
    """A fault for each key of a config that is neither the models' nor a step's, with the nearest known one."""
    known = [*_model_keys(), *step_keys]
    strangers = [key for key in config if key not in known]
    return [f"{key}: unknown key{nearest_name(key, known) or '; known: ' + ', '.join(known)}" for key in strangers]


def faults_of_settings(name: str, value: object, keys: Mapping[str, tuple[Callable[[object], bool], str]]) -> list[str]:
    """Faults of a step's config key ``name`` that holds a dictionary: ``keys`` are its settings, check and words."""
    if not isinstance(value, dict):
        return [f"{name}: found {type(value).__name__}; allowed: a dictionary of {', '.join(keys)}"]
    faults = [
        f"{name}: unknown key {key!r}{nearest_name(key, keys)}; known: {', '.join(keys)}"
        for key in value
        if key not in keys
    ]
    return faults + [
        f"{name}[{key!r}]: found {value[key]!r}; allowed: {allowed}"
        for key, (is_valid, allowed) in keys.items()
        if key in value and not is_valid(value[key])
    ]


def _faults_of_value(name: str, value: object, key: _Key) -> list[str]:
    by_column = isinstance(value, dict) and key.by_column != "never"
    if key.by_column == "must" and not by_column:
        return [f"{name}: found {_shown(value)}; allowed: {{column: {key.allowed}}}"]
    entries = {f"{name}[{column!r}]": entry for column, entry in value.items()} if by_column else {name: value}
    return [
        f"{where}: found {_shown(entry)}; allowed: {key.allowed}"
        for where, entry in entries.items()
        if not key.is_valid(entry)
    ]


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float | list | tuple | None) else type(value).__name__


def nearest_name(name: object, known: Iterable[str]) -> str:
    """``; did you mean 'K'?`` with the nearest of the known names, or an empty text where none is near."""
    by_folded = {str(candidate).casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(str(name).casefold(), list(by_folded), n=1, cutoff=0.5)
    return f"; did you mean {by_folded[close[0]]!r}?" if close else ""


def _with_defaults(config: dict, valid: dict, steps: Iterable[str]) -> PilotConfig:
    """The config from those of its keys that are ``valid``; the others count as not given."""
    sensitive = valid.get("sensitive_feature") or ()
    sensitive = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)

    def per_feature(key: str) -> dict:
        value = valid.get(key)
        return dict(value) if isinstance(value, dict) else dict.fromkeys(sensitive, value)

    return PilotConfig(
        categorical_qis=tuple(valid.get("categorical_qis", ())),
        continuous_qis=tuple(valid.get("continuous_qis", ())),
        binning_config=valid.get("binning_config", {}),
        sensitive_features=sensitive,
        sensitive_binning=valid.get("sensitive_binning_config_for_L", {}),
        K=valid.get("K", 1),
        L=per_feature("L"),
        T=per_feature("T"),
        missing_qis=valid.get("missing_qis", "category"),
        out_of_range=valid.get("out_of_range", "tail"),
        t_distance=per_feature("t_distance"),
        steps={key: config[key] for key in steps if key in config},
        literal=config,
    )


def _faults_between_keys(checked: PilotConfig, valid: dict) -> list[str]:
    roles = {
        "categorical_qis": checked.categorical_qis,
        "continuous_qis": checked.continuous_qis,
        "sensitive_feature": checked.sensitive_features,
    }
    faults = [
        f"{name!r} stands in both {first} and {second}; allowed: one of them"
        for first, second in itertools.combinations(roles, 2)
        for name in roles[first]
        if name in roles[second]
    ]
    if {"categorical_qis", "continuous_qis"} <= set(valid) and not checked.quasi_identifiers:
        faults.append("categorical_qis, continuous_qis: both are empty; name at least one quasi-identifier")
    if checked.continuous_qis and "binning_config" not in checked.literal:
        faults.append("binning_config: missing; give edges for continuous_qis, or {} to take values as they are")
    per_column = {
        "binning_config": (checked.binning_config, "continuous_qis"),
        "sensitive_binning_config_for_L": (checked.sensitive_binning, "sensitive_feature"),
        "L": (checked.L, "sensitive_feature"),
        "T": (checked.T, "sensitive_feature"),
        "t_distance": (checked.t_distance, "sensitive_feature"),
    }
    for key, (entries, role) in per_column.items():
        strangers = [name for name in entries if role in valid and name not in roles[role]]
        faults += [f"{key}[{name!r}]: not among {role}{nearest_name(name, roles[role])}" for name in strangers]
    for key, given in (("L", checked.L), ("T", checked.T)):
        absent = [name for name in checked.sensitive_features if name not in given]
        faults += [f"{key}[{name!r}]: missing; give a number for each sensitive feature" for name in absent]
    return faults


def _missing_columns(checked: PilotConfig, columns: list[str]) -> list[str]:
    return [
        f"column {name!r} of the config is not in the combined dataset{nearest_name(name, columns)}"
        for name in checked.quasi_identifiers + checked.sensitive_features
        if name not in columns
    ]


# ---------------------------------------------------------------- the text report


def generate_full_privacy_report(pilot: str, assessment) -> str:
    """The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out.

    ``assessment`` is what ``disclosure_control.assessment.assess`` returns. No record and no subject is in it.
    """
    config, binnings, missing = assessment.config, assessment.binnings, {}
    lines = [f"Privacy report of pilot {pilot}", "", "Quasi-identifiers"]
    for name, column in zip(config.quasi_identifiers, assessment.classes.columns, strict=True):
        kind = "categorical" if name in config.categorical_qis else "continuous"
        missing[name] = binnings[name].n_missing if name in binnings else int((column.codes < 0).sum())
        lines.append(f"  {name} ({kind}), missing in {missing[name]} of {assessment.classes.n_records}")
    missing |= {name: int((~counted.has_value).sum()) for name, counted in assessment.counts.items()}
    qi_binnings = {name: (binnings.get(name), missing[name]) for name in config.continuous_qis}
    sensitive_binnings = {name: (binnings.get(name), missing[name]) for name in config.sensitive_features}
    lines += _binning_section("Binning of quasi-identifiers", qi_binnings)
    lines += _binning_section("Binning of sensitive features, for l-diversity", sensitive_binnings)
    for result in assessment.results:
        figures = [pilot, result.n_total, result.n_evaluated, result.n_risky, _percent(result.n_risky, result.n_total)]
        lines += ["", _title(result), text_table(["Pilot", "Total", "Evaluated", "Risky", "% Risky"], [figures])]
        lines += [f"  {remark}" for remark in _remarks(result, assessment)]
    rows = [
        [policy, n["evaluated"], n["not_evaluated"], n["risky"], _percent(n["risky"], n["evaluated"])]
        for policy, n in assessment.missing_policies.items()
    ]
    lines += ["", f"k < {config.K} by the policy for missing quasi-identifiers (in use: {config.missing_qis})"]
    lines += [text_table(["Policy", "Evaluated", "Not evaluated", "Risky", "% of evaluated"], rows)]
    if assessment.notices:
        lines += ["", "Thresholds that cannot be met", *(f"  {notice}" for notice in assessment.notices)]
    return "\n".join(lines) + "\n"


def text_table(headers: list[str], rows: list[list]) -> str:
    """A table in lines, as every report of this project has it; cells are printed as they are."""
    from tabulate import tabulate

    return tabulate(rows, headers, tablefmt="simple_outline", disable_numparse=True)


def _binning_section(title: str, binnings: Mapping[str, tuple[Binning | None, int]]) -> list[str]:
    fates = {"tail": "kept in a tail", "missing": "made missing"}
    rows = []
    for name, (binning, n_missing) in binnings.items():
        if binning is None:
            rows.append([name, "not binned, values as they are", "-", "-", n_missing])
        else:
            outside = [f"{n} ({fates[binning.policy]})" if n else 0 for n in (binning.n_below, binning.n_above)]
            rows.append([name, ", ".join(_bin_labels(binning.edges)), *outside, n_missing])
    return ["", title, text_table(["Column", "Bins", "Below", "Above", "Missing"], rows)] if rows else []


def _title(result: ModelResult) -> str:
    sign, letter = (">", "t") if result.model == "t_closeness" else ("<", result.model[0])
    feature = f" of {result.sensitive}" if result.sensitive else ""
    return f"{result.model.replace('_', '-')}{feature}: risky where {letter} {sign} {number_text(result.threshold)}"


def share_text(rate: float | None) -> str:
    """A share in [0, 1] as reports print it: ``9.6%``, and ``-`` where there is none."""
    return "-" if rate is None else f"{rate:.1%}"


def _percent(part: int, whole: int) -> str:
    return share_text(part / whole if whole else None)


def _remarks(result: ModelResult, assessment) -> list[str]:
    remarks = []
    if result.worst is not None:
        worst = "Largest t" if result.model == "t_closeness" else f"Smallest {result.model[0]}"
        remarks.append(f"{worst} of an evaluated record: {result.worst:.6g}.")
    if result.distance:
        remarks.append(f"t is the {DISTANCES[result.distance].words}.")
        share = result.share_of_range(result.threshold)
        if share is not None:
            remarks.append(f"{result.threshold:g} is {share:.1%} of the range of the values, {result.value_range:g}.")
    n_excluded = result.n_total - assessment.k_anonymity.n_evaluated
    n_without_value = assessment.k_anonymity.n_evaluated - result.n_evaluated
    if n_excluded:
        share = _percent(n_excluded, result.n_total)
        remarks.append(f"Not evaluated: {n_excluded} of {result.n_total} ({share}), for lack of a quasi-identifier.")
    if n_without_value:
        share = _percent(n_without_value, result.n_total)
        remarks.append(f"Not assessable: {n_without_value} of {result.n_total} ({share}), without {result.sensitive}.")
    if n_excluded or n_without_value:
        remarks.append(f"Of the evaluated, {_percent(result.n_risky, result.n_evaluated)} are risky.")
    return remarks
