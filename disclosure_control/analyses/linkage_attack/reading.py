"""Which value of a release agrees with which value that an attacker knows.

A release may hold exact values or coarser ones: an interval ``20--30`` or ``[20, 30)``, a tail ``<18``, a set ``a|b``,
a masked code ``12xxx``, a star or nothing at all for a suppressed cell. An attacker who has the codebook of a treatment
knows besides which label each value became. A text that both tables hold is a value, whatever it looks like. All of it
is decided on distinct values; records only carry codes.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import (
    EncodedColumn,
    canonical_labels_of,
    encode_column,
    label_texts,
    parse_numbers,
)
from disclosure_control.basics.encoding.interval_labels import Interval, interval_of
from disclosure_control.basics.encoding.keys import count_pairs
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.registry import Reading

MOST_CELLS = 500_000_000  # of distinct known values by distinct labels
STAR = "*"
_MASK = re.compile(r"(.*[^xX*])([xX]{2,}|\*+)|([xX]{2,}|\*{2,})")


@dataclass(frozen=True)
class ColumnAgreement:
    """One attribute on both sides, as codes: ``released`` (n_released,) and ``known`` (n_known,), -1 where missing.

    Equal codes agree; with ``fits`` (n_known_codes, n_labels) of bool the two sides are numbered apart, and it says
    which agree. All codes are below ``n_codes``. ``n_unreadable`` values of the known side are not numbers although the
    released ones are; they count as missing.
    """

    name: str
    released: np.ndarray
    known: np.ndarray
    n_codes: int
    fits: np.ndarray | None = None
    n_unreadable: int = 0

    def same(self, known: np.ndarray, released: np.ndarray) -> np.ndarray:
        """Whether codes agree that are not missing; arrays of any shapes that fit together."""
        return np.equal(known, released) if self.fits is None else self.fits[known, released]

    @property
    def is_read(self) -> bool:
        """Whether any known value agrees with any released one; True where there is nothing to compare."""
        known, released = (np.unique(codes[codes >= 0]) for codes in (self.known, self.released))
        if not len(known) or not len(released):
            return True
        return bool(np.isin(known, released).any() if self.fits is None else self.fits[np.ix_(known, released)].any())


def equal_values(released: pd.Series, known: pd.Series) -> ColumnAgreement:
    """Values agree where they are equal; spelling as in ``encode_column``, text of numbers is read as numbers."""
    theirs, mine, n_unreadable = _encoded(released, known)
    return _by_label(str(released.name), theirs, mine, _equal_label(theirs, mine), n_unreadable)


def compatible_values(
    released: pd.Series,
    known: pd.Series,
    within: float = 0.0,
    before: pd.Series | None = None,
    reading: Reading | None = None,
) -> ColumnAgreement:
    """Values agree if the released one may represent the known one: if it is equal, or contains it.

    ``within`` widens released numbers: a released 27 may represent 25 to 29 within 2. A star is a missing value.
    ``before`` (n_released,) and ``reading`` are the codebook of a treated column: its values before, and how they
    became what they are. Perturbed values have none. Raises ``FaultyInputError`` where there are too many to compare.
    """
    theirs, mine, n_unreadable = _encoded(released, known)
    name, label = str(released.name), _equal_label(theirs, mine)
    if theirs.is_numeric and within:
        fits = _table(mine, theirs)
        for code, number in enumerate(theirs.labels):
            fits[:, code] = np.abs(mine.labels - number) <= within
        return dataclasses.replace(_by_fits(name, theirs, mine, fits), n_unreadable=n_unreadable)
    star = np.append(theirs.labels == STAR, False)
    theirs = EncodedColumn(np.where(star[theirs.codes], -1, theirs.codes), theirs.labels)
    is_open = np.ones(len(mine.labels), dtype=bool)  # whether labels are read that are not the value's own
    pairs = np.zeros((0, 2), dtype=np.int64)
    if before is not None:
        pairs = _codebook(encode_column(before), theirs, mine)
        if reading == Reading.BY_VALUE:
            was_given = _equal_label(encode_column(before), mine) >= 0
            is_open, label = ~was_given, np.where(was_given, -1, label)
            label[pairs[:, 0]] = pairs[:, 1]
        pairs = pairs[label[pairs[:, 0]] != pairs[:, 1]]
    held = {} if theirs.is_numeric else _held(theirs, mine, is_open)
    if not held and not len(pairs):
        return _by_label(name, theirs, mine, label, n_unreadable)
    fits = _table(mine, theirs)
    fits[np.flatnonzero(label >= 0), label[label >= 0]] = True
    for code, values in held.items():
        fits[:, code] |= values
    fits[pairs[:, 0], pairs[:, 1]] = True
    return _by_fits(name, theirs, mine, fits)


# ---------------------------------------------------------------- distinct values


def _encoded(released: pd.Series, known: pd.Series) -> tuple[EncodedColumn, EncodedColumn, int]:
    theirs, n_unreadable = encode_column(released), 0
    if theirs.is_numeric and known.dtype.kind not in "iuf":
        numbers = parse_numbers(known)
        n_unreadable = int((np.isnan(numbers) & known.notna().to_numpy()).sum())
        known = pd.Series(numbers)
    return theirs, encode_column(known), n_unreadable


def _equal_label(theirs: EncodedColumn, mine: EncodedColumn) -> np.ndarray:
    """Code of the label that equals each of my values (n_values,), -1 for none."""
    if theirs.is_numeric == mine.is_numeric:
        return pd.Index(theirs.labels).get_indexer(pd.Index(mine.labels))
    return pd.Index(canonical_labels_of(theirs)).get_indexer(pd.Index(canonical_labels_of(mine)))


def _codebook(before: EncodedColumn, theirs: EncodedColumn, mine: EncodedColumn) -> np.ndarray:
    """Which known value became which label: distinct pairs of codes (n_pairs, 2)."""
    both = (before.codes >= 0) & (theirs.codes >= 0)
    n_codes = len(before.labels), len(theirs.labels)
    value, label, _ = count_pairs(before.codes[both], theirs.codes[both], *n_codes)
    known = _equal_label(mine, before)[value]
    return np.stack([known, label], axis=1)[known >= 0]


def _held(theirs: EncodedColumn, mine: EncodedColumn, is_open: np.ndarray) -> dict[int, np.ndarray]:
    """By the code of each label that represents several values, which known ones (n_values,) it holds."""
    texts = np.array(label_texts(mine.labels), dtype=str)
    numbers = mine.labels if mine.is_numeric else parse_numbers(pd.Series(mine.labels, dtype=object))
    is_used = np.bincount(theirs.codes + 1, minlength=len(theirs.labels) + 1)[1:] > 0
    is_label = is_used & ~np.isin(theirs.labels.astype(str), texts)  # what both tables hold is a value
    codes = np.flatnonzero(is_label).tolist()
    intervals = {code: found for code in codes if (found := interval_of(theirs.labels[code]))}
    begins = {one.low for one in intervals.values() if one.low < one.high}
    held = {}
    for code in codes:
        if one := intervals.get(code):  # of adjacent intervals, a common end belongs to the upper one
            is_bin = one.low < one.high and one.high in begins
            values = Interval(one.low, one.high, one.low_closed, one.high_closed and not is_bin).holds(numbers)
        else:
            values = _held_by(theirs.labels[code], texts, numbers)
        if (values & is_open).any():
            held[code] = values & is_open
    return held


def _held_by(label: str, texts: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Which values (n_values,), as texts and numbers, an interval, a set or a masked code holds; none for others."""
    if interval := interval_of(label):
        return interval.holds(numbers)
    if "|" in label.strip("|") or (label[0] == "{" and label[-1] == "}"):
        parts = [part.strip() for part in re.split("[|]" if "|" in label else ",", label.strip("{}")) if part.strip()]
        if "missing" in parts:
            return np.ones(len(texts), dtype=bool)
        return np.isin(texts, parts) | np.any([_held_by(part, texts, numbers) for part in parts], axis=0)
    if mask := _MASK.fullmatch(label):
        return np.char.startswith(texts, mask[1] or "") & (np.char.str_len(texts) == len(label))
    return np.zeros(len(texts), dtype=bool)


# ---------------------------------------------------------------- codes of both sides


def _by_label(
    name: str, theirs: EncodedColumn, mine: EncodedColumn, label: np.ndarray, n_unreadable: int = 0
) -> ColumnAgreement:
    """Each known value agrees with one label (n_values,) at most, -1 for none."""
    n_labels = len(theirs.labels)
    code = np.append(np.where(label < 0, n_labels, label), -1)
    return ColumnAgreement(name, theirs.codes, code[mine.codes], n_labels + 1, None, n_unreadable)


def _table(mine: EncodedColumn, theirs: EncodedColumn) -> np.ndarray:
    n_values, n_labels = len(mine.labels), len(theirs.labels)
    if n_values * n_labels > MOST_CELLS:
        raise FaultyInputError(
            f"linkage_attack: {n_values:,} known values against {n_labels:,} labels that represent several are "
            "too many; attack with fewer people in the identified table, or without this column"
        )
    return np.zeros((n_values, n_labels), dtype=bool)


def _by_fits(name: str, theirs: EncodedColumn, mine: EncodedColumn, fits: np.ndarray) -> ColumnAgreement:
    """Known values that fit the same labels are one code; where none fits several labels, equal codes agree."""
    n_fitting = fits.sum(axis=1)
    if n_fitting.max(initial=0) <= 1:
        label = np.where(n_fitting == 1, fits.argmax(axis=1) if fits.shape[1] else -1, -1)
        return _by_label(name, theirs, mine, label)
    rows, code = np.unique(np.packbits(fits, axis=1), axis=0, return_inverse=True)
    distinct = np.unpackbits(rows, axis=1, count=fits.shape[1]).astype(bool)
    return ColumnAgreement(name, theirs.codes, np.append(code, -1)[mine.codes], max(distinct.shape) + 1, distinct)
