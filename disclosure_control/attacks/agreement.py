"""Which value of a release agrees with which value that an attacker knows.

A release may hold exact values or coarser ones: an interval ``a--b`` or ``a-b``, a tail ``<a`` or ``>b``, a set
``a|b``, a masked code ``12xxxxxx``, a star or nothing at all for a suppressed cell. All of it is decided on distinct
values; records only carry codes.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import (
    EncodedColumn,
    FaultyInputError,
    encode_column,
    number_groups,
    number_text,
    parse_numbers,
)

CELLS_AT_ONCE = 20_000_000
MOST_CELLS = 2_000_000_000


@dataclass(frozen=True)
class Overlap:
    """Agreement where released labels stand for several values, and some values fit several labels.

    Known codes are atoms: values that fit the same labels. ``plain`` (n_atoms,) is the label that equals them, -1 for
    none; ``inside`` (n_atoms, n_patterns + 1) tells which patterns hold them, the last column none; ``pattern``
    (n_labels + 1,) is the pattern of each label, and the last one for plain labels and missing values.
    """

    plain: np.ndarray
    inside: np.ndarray
    pattern: np.ndarray

    def same(self, known: np.ndarray, released: np.ndarray) -> np.ndarray:
        return ((self.plain[known] == released) & (released >= 0)) | self.inside[known, self.pattern[released]]


@dataclass(frozen=True)
class ColumnAgreement:
    """One attribute on both sides, as codes: ``released`` (n_released,) and ``known`` (n_known,), -1 where missing.

    Without ``overlap`` equal codes agree; with it, known and released codes are two numberings. All codes are below
    ``n_codes``. ``n_unreadable`` values of the known side are no numbers where the release holds numbers; they count as
    missing.
    """

    name: str
    released: np.ndarray
    known: np.ndarray
    n_codes: int
    overlap: Overlap | None = None
    n_unreadable: int = 0

    def same(self, known: np.ndarray, released: np.ndarray) -> np.ndarray:
        """Whether codes agree that are not missing; arrays of any shapes that fit together."""
        return known == released if self.overlap is None else self.overlap.same(known, released)

    def agree(self, known: np.ndarray, released: np.ndarray, missing_agrees: bool) -> np.ndarray:
        """Whether pairs of positions agree, (n_pairs,) of bool."""
        mine, theirs = self.known[known], self.released[released]
        missing, same = (mine < 0) | (theirs < 0), self.same(mine, theirs)
        return same | missing if missing_agrees else same & ~missing


# ---------------------------------------------------------------- what a released label stands for


@dataclass(frozen=True)
class Interval:
    """Numbers from ``low`` to ``high``; the ends belong to it where they are closed."""

    low: float
    high: float
    low_closed: bool = True
    high_closed: bool = True

    def holds(self, texts: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        above = numbers >= self.low if self.low_closed else numbers > self.low
        return above & (numbers <= self.high if self.high_closed else numbers < self.high)


@dataclass(frozen=True)
class Mask:
    """A code of which only the first letters are left; those that were masked are counted, not known."""

    prefix: str
    length: int

    def holds(self, texts: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        starts = np.char.startswith(texts, self.prefix)
        return starts & (np.char.str_len(texts) == self.length)


@dataclass(frozen=True)
class Members:
    """One of several values or intervals; where ``missing`` is one of them, the value may be any."""

    texts: tuple[str, ...]

    def holds(self, texts: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        if "missing" in self.texts:
            return np.ones(len(texts), dtype=bool)
        held = np.isin(texts, np.array(self.texts, dtype=str))
        for pattern in map(pattern_of, self.texts):
            if pattern is not None:
                held |= pattern.holds(texts, numbers)
        return held


Pattern = Interval | Mask | Members
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_INTERVAL = re.compile(rf"[\[(]?\s*({_NUMBER})\s*(?:--|–|-|,\s?)\s*({_NUMBER})\s*[\])]?")
_TAIL = re.compile(rf"(<=?|>=?|≤|≥)\s*({_NUMBER})")
_MASK = re.compile(r"(.*[^xX*])([xX]{2,}|\*+)|([xX]{2,}|\*{2,})")


def pattern_of(label: str) -> Pattern | None:
    """What a label other than a plain value stands for; None where it is a plain value."""
    tail, interval, mask = _TAIL.fullmatch(label), _INTERVAL.fullmatch(label), _MASK.fullmatch(label)
    if tail:
        sign, end = tail[1], float(tail[2])
        closed = sign not in "<>"
        return Interval(-np.inf, end, True, closed) if sign in "<=≤" else Interval(end, np.inf, closed, True)
    if interval and float(interval[1]) <= float(interval[2]):
        bracketed = label[0] in "[(" and label[-1] in "])"
        closed = (label[0] != "(", label[-1] != ")") if bracketed else (True, True)
        return Interval(float(interval[1]), float(interval[2]), *closed)
    if "|" in label.strip("|") or (label[0] == "{" and label[-1] == "}"):
        parts = re.split(r"[|]" if "|" in label else r",", label.strip("{}"))
        return Members(tuple(part.strip() for part in parts if part.strip()))
    return Mask(mask[1] or "", len(label)) if mask else None


def _with_bins_half_open(patterns: dict[int, Pattern]) -> dict[int, Pattern]:
    """Intervals that stand side by side are bins: a common end belongs to the upper one, as in ``numpy.histogram``.

    Where intervals lie across each other, each holds both of its ends.
    """
    plain = {code: one for code, one in patterns.items() if isinstance(one, Interval) and np.isfinite(one.high)}
    ordered = sorted((one for one in plain.values() if np.isfinite(one.low)), key=lambda one: (one.low, one.high))
    if any(later.low < earlier.high for earlier, later in itertools.pairwise(ordered)):
        return patterns
    begins = {one.low for one in ordered if one.low < one.high}
    return patterns | {
        code: Interval(one.low, one.high, one.low_closed, one.high_closed and one.high not in begins)
        for code, one in plain.items()
        if one.low < one.high
    }


def _holds_upper_ends(patterns: dict[int, Pattern], theirs: EncodedColumn, original: pd.Series | None) -> bool:
    """Whether somebody's value is the upper end of the interval that stands for it and the lower end of another one."""
    if original is None:
        return False
    plain = {code: one for code, one in patterns.items() if isinstance(one, Interval) and one.low < one.high}
    begins = {one.low for one in plain.values()}
    end = np.full(len(theirs.labels) + 1, np.nan)
    for code, one in plain.items():
        end[code] = one.high if one.high in begins else np.nan
    return bool((end[theirs.codes] == parse_numbers(original)).any())


# ---------------------------------------------------------------- one column


def equal_values(released: pd.Series, known: pd.Series) -> ColumnAgreement:
    """Values agree where they are equal; spelling as in ``encode_column``, text that holds numbers is read as such."""
    theirs, mine, n_unreadable = _encoded(released, known)
    return _equality(released.name, theirs, mine, n_unreadable)


def compatible_values(
    released: pd.Series,
    known: pd.Series,
    within: float = 0.0,
    original: pd.Series | None = None,
    in_order: bool = False,
) -> ColumnAgreement:
    """Values agree where the released one may stand for the known one: equal, or inside of what it stands for.

    ``within`` widens released numbers: a released 27 may stand for 25 to 29 within 2. A star is a missing value.
    ``original`` (n_released,) are the values before the treatment, where they are known: an attacker who knows the
    method knows whether ``20--30`` holds 30. Without them it does not where another interval begins there.
    ``in_order``: released codes are in the order of the labels and do not depend on that of the rows.
    """
    theirs, mine, n_unreadable = _encoded(released, known, in_order)
    if within and theirs.is_numeric:
        patterns: dict[int, Pattern] = {
            code: Interval(number - within, number + within) for code, number in enumerate(theirs.labels)
        }
    elif theirs.is_numeric:
        patterns = {}
    else:
        star = np.append(theirs.labels == "*", False)
        if star.any():
            theirs = EncodedColumn(np.where(star[theirs.codes], -1, theirs.codes), theirs.labels)
        patterns = _patterns_of(theirs)
        if not _holds_upper_ends(patterns, theirs, original):
            patterns = _with_bins_half_open(patterns)
    if not patterns:
        return _equality(released.name, theirs, mine, n_unreadable)
    atom_of_value, overlap = _overlap(theirs, mine, patterns)
    known_codes, n_labels = np.append(atom_of_value, -1)[mine.codes], len(theirs.labels)
    n_codes = max(n_labels, len(overlap.plain)) + 1
    n_fitting = overlap.inside.sum(axis=1) + (overlap.plain >= 0)
    if (n_fitting <= 1).all():  # bins: each known value falls into one label at most
        label_of_pattern = np.array([*patterns, n_labels])
        held = np.where(n_fitting == 1, label_of_pattern[overlap.inside.argmax(axis=1)], n_labels)
        label_of_atom = np.append(np.where(overlap.plain >= 0, overlap.plain, held), -1)
        return ColumnAgreement(released.name, theirs.codes, label_of_atom[known_codes], n_codes, None, n_unreadable)
    return ColumnAgreement(released.name, theirs.codes, known_codes, n_codes, overlap, n_unreadable)


def _patterns_of(theirs: EncodedColumn) -> dict[int, Pattern]:
    """The labels of the release that stand for several values, by code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    used = np.bincount(theirs.codes + 1, minlength=len(theirs.labels) + 1)[1:] > 0
    labels = pa.array(theirs.labels, pa.large_string())
    may_be = pc.match_substring_regex(labels, r"[-–|*<>≤≥{\[(]|[xX]{2}").to_numpy(zero_copy_only=False)
    found = {code: pattern_of(theirs.labels[code]) for code in np.flatnonzero(may_be & used)}
    return {int(code): pattern for code, pattern in found.items() if pattern is not None}


def _encoded(released: pd.Series, known: pd.Series, in_order: bool = False) -> tuple[EncodedColumn, EncodedColumn, int]:
    if released.dtype == "str" and known.dtype == "str" and not in_order:
        return *_encoded_texts(released, known), 0
    theirs, n_unreadable = encode_column(released), 0
    if theirs.is_numeric and known.dtype.kind not in "iuf":
        numbers = parse_numbers(known)
        n_unreadable = int((np.isnan(numbers) & known.notna().to_numpy()).sum())
        known = pd.Series(numbers)
    return theirs, encode_column(known), n_unreadable


def _encoded_texts(released: pd.Series, known: pd.Series) -> tuple[EncodedColumn, EncodedColumn]:
    """Two columns of text in one numbering, in no order: what sorting 500,000 postal codes would take is saved.

    What counts as the same value is still decided by ``encode_column``, which sees every text that is not plain.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    both = pa.chunked_array([pa.array(released, pa.large_string()), pa.array(known, pa.large_string())])
    both = both.combine_chunks().dictionary_encode()
    codes = pc.fill_null(both.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    unlike = pc.match_substring_regex(both.dictionary, r"^$|^\s|\s$|\.0*$|[^ -~]").to_numpy(zero_copy_only=False)
    labels = both.dictionary.to_numpy(zero_copy_only=False)
    if unlike.any():
        special = encode_column(pd.Series(labels[unlike], dtype=object))
        labels = labels.copy()
        labels[unlike] = np.append(special.labels, None)[special.codes]  # an empty text is missing
        merged, labels = pd.factorize(labels)
        codes = np.append(merged, -1)[codes]
    return EncodedColumn(codes[: len(released)], labels), EncodedColumn(codes[len(released) :], labels)


def _equality(name: str, theirs: EncodedColumn, mine: EncodedColumn, n_unreadable: int) -> ColumnAgreement:
    n_labels = len(theirs.labels)
    if theirs.labels is mine.labels:
        return ColumnAgreement(name, theirs.codes, mine.codes, n_labels + 1, None, n_unreadable)
    code = _code_of_equal(theirs, mine)
    code = np.append(np.where(code < 0, n_labels, code), -1)  # a value that nobody in the release has
    return ColumnAgreement(name, theirs.codes, code[mine.codes], n_labels + 1, None, n_unreadable)


def _code_of_equal(theirs: EncodedColumn, mine: EncodedColumn) -> np.ndarray:
    """Code of the released label that equals each known one (n_known_values,), -1 for none."""
    both_numeric = theirs.is_numeric and mine.is_numeric
    labels = [column.labels if both_numeric else _texts(column.labels) for column in (theirs, mine)]
    return pd.Index(labels[0]).get_indexer(pd.Index(labels[1]))


def _texts(labels: np.ndarray) -> np.ndarray:
    if labels.dtype.kind == "f":
        return np.array([number_text(label) for label in labels], dtype=object)
    return labels


def _overlap(theirs: EncodedColumn, mine: EncodedColumn, patterns: dict[int, Pattern]) -> tuple[np.ndarray, Overlap]:
    """The atom of each known value (n_known_values,), and which labels the atoms agree with."""
    texts = _texts(mine.labels).astype(str)
    numbers = mine.labels if mine.is_numeric else parse_numbers(pd.Series(mine.labels, dtype=object))
    plain = _code_of_equal(theirs, mine)
    used = np.bincount(theirs.codes + 1, minlength=len(theirs.labels) + 1)[1:] > 0
    used[list(patterns)] = False
    plain = np.where(np.append(used, False)[plain], plain, -1)
    if len(texts) * len(patterns) > MOST_CELLS:
        raise FaultyInputError(
            f"linkage_attack: {len(texts):,} known values against {len(patterns):,} labels that stand for several are "
            'too many; attack a random part of the people by "n_attacks": 10000'
        )
    packed, n_at_once = [], max(1, CELLS_AT_ONCE // len(patterns))
    for start in range(0, len(texts), n_at_once):
        block = slice(start, start + n_at_once)
        inside = [pattern.holds(texts[block], numbers[block]) for pattern in patterns.values()]
        packed.append(np.packbits(np.array(inside).T, axis=1))
    packed = np.concatenate([np.zeros((0, -(-len(patterns) // 8)), dtype=np.uint8), *packed])
    row, atoms = _distinct_rows(packed)
    atom, size = number_groups(row * (len(theirs.labels) + 1) + plain + 1, len(atoms) * (len(theirs.labels) + 1))
    example = np.empty(len(size), dtype=np.int64)
    example[atom] = np.arange(len(atom))
    inside = np.unpackbits(atoms[row[example]], axis=1, count=len(patterns)).astype(bool)
    inside = np.concatenate([inside, np.zeros((len(inside), 1), dtype=bool)], axis=1)
    pattern = np.full(len(theirs.labels) + 1, len(patterns))
    pattern[list(patterns)] = np.arange(len(patterns))
    return atom, Overlap(plain[example], inside, pattern)


def _distinct_rows(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the distinct rows each row is, and these; by their bytes, as sorting wide rows would take long."""
    if not packed.shape[1] or not len(packed):
        return np.zeros(len(packed), dtype=np.int64), packed[:1]
    keys = np.empty(len(packed), dtype=object)
    keys[:] = [row.tobytes() for row in packed]
    row, distinct = pd.factorize(keys)
    return row.astype(np.int64), np.array([np.frombuffer(one, dtype=np.uint8) for one in distinct])
