"""Missing values that match any value: sums over all classes that a person may belong to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.keys import joint_keys, number_groups
from disclosure_control.basics.telling.faults import FaultyInputError

EMPTY_RECORDS = ("match", "sdcmicro")
DENSE_CELLS = 1 << 18  # a table of all possible keys may always have this many cells: 2 MB
LOOKUPS_AT_ONCE = 1 << 20
CLASSES_PER_PATTERN = 4  # with fewer of them, comparing all pairs of classes is quicker than going by patterns


class CodedClasses(Protocol):
    """The input of the sums: the codes of every class, as in ``Anonymization_Models.EquivalenceClasses``."""

    @property
    def labels(self) -> Sequence[np.ndarray]: ...
    @property
    def size(self) -> np.ndarray: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def class_codes(self) -> np.ndarray: ...
    @property
    def complete(self) -> np.ndarray: ...


def wildcard_frequency(classes: CodedClasses, alpha: float = 1.0) -> np.ndarray:
    """k of each class (n_classes,) if a missing value matches any value: see ``sum_over_compatible``."""
    return sum_over_compatible(classes, classes.size, alpha)


def compatible(mine: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which records agree wherever both have a value: (n_mine, n_others) of bool.

    ``mine`` (n_columns, n_mine) and ``others`` (n_columns, n_others) are codes of the same columns, -1 where missing.
    """
    agrees = np.ones((mine.shape[1], others.shape[1]), dtype=bool)
    for codes, other_codes in zip(mine, others, strict=True):
        one = codes[:, np.newaxis]
        agrees &= (one == other_codes) | (one < 0) | (other_codes < 0)
    return agrees


def sum_over_compatible(
    classes: CodedClasses, amount: np.ndarray, alpha: float = 1.0, empty_records: str = "match"
) -> np.ndarray:
    """The sum over all people that a person of each class might be, if a missing value matches any value.

    ``amount`` is one number per class (n_classes,), or several rows of them (n_amounts, n_classes): people, weights.
    The result has the same shape: the class's own amount plus, over every other class that agrees wherever both have a
    value, its amount, times ``alpha`` in [0, 1] if that other class has a missing value. With ``classes.size`` this is
    k of each class, and smaller is riskier.

    ``empty_records`` are those without a single quasi-identifier. "match": they follow the same rule. "sdcmicro": as
    sdcMicro treats them with two or more columns: they match everyone whatever alpha is, and do not count for complete
    records, though they do for partial ones.

    Works on a table of all keys if that is small, by patterns of missing values, or by pairs of classes if there are
    almost as many patterns; never by pairs of records. Raises ``FaultyInputError`` on an ``alpha`` outside [0, 1].
    Source: sdcMicro ``freqCalc``; Templ, Kowarik and Meindl 2015, doi:10.18637/jss.v067.i04.
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
    if empty_records == "sdcmicro" and len(empty) and len(classes.labels) > 1:
        total[:, classes.complete] -= alpha * rows[:, empty]
        total[:, empty[0]] = rows.sum(axis=1)
    return total.reshape(own.shape)


def _way_to_sum(classes: CodedClasses) -> Callable[[CodedClasses, np.ndarray], np.ndarray]:
    if math.prod(_radices(classes)) <= DENSE_CELLS + 4 * classes.n_classes and len(classes.labels) <= 32:
        return _sums_in_a_full_table
    n_patterns = _patterns(classes.class_codes >= 0)[1].shape[0]
    return _sums_by_pairs if classes.n_classes <= CLASSES_PER_PATTERN * n_patterns else _sums_by_pattern


def _radices(classes: CodedClasses) -> list[int]:
    return [len(labels) + 1 for labels in classes.labels]  # one for missing


def _sums_in_a_full_table(classes: CodedClasses, rows: np.ndarray) -> np.ndarray:
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


def _sums_by_pattern(classes: CodedClasses, rows: np.ndarray) -> np.ndarray:
    """The same sums for any number of keys, by patterns of missing values.

    A class that has values in the columns P only is compatible with those that equal it on P after some of P are
    blanked out on both sides. So all others are looked at on P alone, with missing as one more value, and each
    class of P asks for its own key and for its key with each set of columns blanked that is missing somewhere.
    Complete classes against incomplete ones need one join per pattern, which serves both directions.
    """
    codes = classes.class_codes + 1
    complete, partial = np.flatnonzero(classes.complete), np.flatnonzero(~classes.complete)
    pattern_of_partial, patterns = _patterns(codes[:, partial] > 0)
    partial = partial[np.argsort(pattern_of_partial, kind="stable")]  # classes of one pattern are adjacent
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


def _sums_by_pairs(classes: CodedClasses, rows: np.ndarray) -> np.ndarray:
    """The same by comparing every class with every other, a block of classes at a time."""
    result = np.empty_like(rows)
    n_at_once = max(1, 1_000_000 // classes.n_classes)
    for start in range(0, classes.n_classes, n_at_once):
        block = slice(start, start + n_at_once)
        result[:, block] = rows @ compatible(classes.class_codes[:, block], classes.class_codes).T
    return result


def _patterns(present: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the distinct columns each column of flags is, and these: (n_patterns, n_flags) of bool."""
    keys, n_keys = joint_keys([list(present)], [2] * len(present), [present.shape[1]])
    pattern, size = number_groups(keys[0], n_keys)
    example = np.empty(len(size), dtype=np.int64)
    example[pattern] = np.arange(len(pattern))
    return pattern, present[:, example].T


def _exchange(keys: list[np.ndarray], n_keys: int, held: Sequence[np.ndarray], given: Sequence[np.ndarray]) -> None:
    """Add to what each entry of one side is given what the entries of the other side with its key hold, both ways."""
    (our_key, their_key), (ours, theirs), (to_ours, to_theirs) = keys, held, given
    met: slice | np.ndarray = slice(None)
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
