"""Which value of a release agrees with which value that an attacker knows.

A release may hold exact values or coarser ones: an interval ``a--b`` or ``a-b``, a tail ``<a`` or ``>b``, a set
``a|b``, a masked code ``12xxxxxx``, a star or nothing at all for a suppressed cell. Equal text always agrees, whatever
it looks like. All of it is decided on distinct values; records only carry codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import EncodedColumn, encode_column, parse_numbers
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.interval_labels import Interval
from disclosure_control.basics.keys import number_groups
from disclosure_control.steps.linkage_attack.labels import (
    KnownValues,
    Pattern,
    lie_across,
    patterns_of,
    texts_of,
    with_bins_half_open,
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


# ---------------------------------------------------------------- one column


def equal_values(released: pd.Series, known: pd.Series) -> ColumnAgreement:
    """Values agree where they are equal; spelling as in ``encode_column``, text that holds numbers is read as such."""
    theirs, mine, n_unreadable = _encoded(released, known)
    return _equality(str(released.name), theirs, mine, n_unreadable)


def compatible_values(
    released: pd.Series,
    known: pd.Series,
    within: float = 0.0,
    original: pd.Series | None = None,
    in_order: bool = False,
) -> ColumnAgreement:
    """Values agree where the released one may stand for the known one: equal, or inside of what it stands for.

    A known interval agrees with a released one where they share a number. A label that looks like an interval, a mask
    or a set may be a plain value, such as the postal code 12-345: see ``_may_stand_for``.

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
        made = np.ones(len(theirs.labels), dtype=bool)
    elif theirs.is_numeric:
        patterns = {}
    else:
        star = np.append(theirs.labels == "*", False)
        if star.any():
            theirs = EncodedColumn(np.where(star[theirs.codes], -1, theirs.codes), theirs.labels)
        patterns = patterns_of(theirs.labels, _used(theirs))
        made = _made_by_treatment(theirs, original if patterns else None)
    if not patterns:
        return _equality(str(released.name), theirs, mine, n_unreadable)
    overlap = _Overlapping(theirs, mine, patterns, made, original)
    return overlap.agreement(str(released.name), n_unreadable)


def labels_with_many_values(
    released: pd.Series, known: pd.Series, original: pd.Series | None = None
) -> dict[int, Pattern]:
    """Labels of a released column of text that stand for several values, by their code in ``encode_column``.

    Those that the treatment made, or that no known value equals: any other is a value as it stands.
    """
    theirs, mine = encode_column(released), encode_column(known)
    if theirs.is_numeric:
        return {}
    patterns = patterns_of(theirs.labels, _used(theirs))
    made = _made_by_treatment(theirs, original if patterns else None)
    is_known = np.zeros(len(theirs.labels) + 1, dtype=bool)
    is_known[_code_of_equal(theirs, mine)[_used(mine)]] = True
    return with_bins_half_open({code: one for code, one in patterns.items() if made[code] or not is_known[code]})


def _used(column: EncodedColumn) -> np.ndarray:
    """Labels that some record has (n_labels,)."""
    return np.bincount(column.codes + 1, minlength=len(column.labels) + 1)[1:] > 0


def _made_by_treatment(theirs: EncodedColumn, original: pd.Series | None) -> np.ndarray:
    """Labels (n_labels,) that stand where another value stood before; none where nobody knows what stood there."""
    made = np.zeros(len(theirs.labels), dtype=bool)
    if original is None:
        return made
    before = encode_column(original)
    same = np.append(_code_of_equal(theirs, before), -1)[before.codes]
    made[theirs.codes[(theirs.codes != same) & (theirs.codes >= 0)]] = True
    return made


def _holds_upper_ends(patterns: dict[int, Pattern], theirs: EncodedColumn, original: pd.Series | None) -> bool:
    """Whether somebody's value is the upper end of the interval that stands for it and the lower end of another one."""
    if original is None:
        return False
    wide = {code: one for code, one in patterns.items() if isinstance(one, Interval) and one.low < one.high}
    begins = {one.low for one in wide.values()}
    end = np.full(len(theirs.labels) + 1, np.nan)
    for code, one in wide.items():
        end[code] = one.high if one.high in begins else np.nan
    return bool((end[theirs.codes] == parse_numbers(original)).any())


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
        labels[unlike] = np.append(special.labels, np.array([None]))[special.codes]  # an empty text is missing
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
    labels = [column.labels if both_numeric else texts_of(column.labels) for column in (theirs, mine)]
    return pd.Index(labels[0]).get_indexer(pd.Index(labels[1]))


class _Overlapping:
    """One column whose released labels may stand for several values, worked out on distinct values."""

    def __init__(
        self,
        theirs: EncodedColumn,
        mine: EncodedColumn,
        patterns: dict[int, Pattern],
        made: np.ndarray,
        original: pd.Series | None,
    ):
        plain = _code_of_equal(theirs, mine)
        self.plain = np.where(np.append(_used(theirs), False)[plain], plain, -1)
        self.theirs, self.mine = theirs, mine
        is_known = np.zeros(len(theirs.labels) + 1, dtype=bool)
        is_known[self.plain[_used(mine)]] = True
        self.are_codes = lie_across({code: one for code, one in patterns.items() if not made[code]})
        if not theirs.is_numeric and not _holds_upper_ends(patterns, theirs, original):
            patterns = with_bins_half_open(patterns)
        shown = {} if mine.is_numeric else with_bins_half_open(patterns_of(mine.labels, _used(mine)))
        self.known = KnownValues.of(mine.labels, shown, self._is_own(original))
        if not (_used(mine) & ~self.known.is_pattern & (self.plain < 0)).any():
            patterns = {code: one for code, one in patterns.items() if made[code] or not is_known[code]}
        self.patterns, codes = patterns, list(patterns)
        self.is_made, self.is_known = made[codes], is_known[codes]

    def _is_own(self, original: pd.Series | None) -> np.ndarray:
        """Known values (n_values,) that stand in the release as they are, or stood there before the treatment."""
        if original is None:
            return self.plain >= 0
        return (self.plain >= 0) | (_code_of_equal(encode_column(original), self.mine) >= 0)

    def _may_stand_for(self, block: slice) -> np.ndarray:
        """Whether a label may stand for a known value other than itself: (n_values, n_patterns) of bool.

        A label that the treatment made may. Of the others, which the source itself holds: for a plain value, unless
        both are spelled alike in both tables; for a value that looks like an interval itself, where each stands in one
        table alone and the labels are bins (both tables have bands, and not the same ones).
        """
        in_release = self.plain[block, np.newaxis] >= 0
        as_plain = ~(in_release & self.is_known)
        as_band = ~in_release & ~self.is_known & (not self.are_codes)
        return self.is_made | np.where(self.known.is_pattern[block, np.newaxis], as_band, as_plain)

    def _inside(self) -> np.ndarray:
        """Which patterns agree with which known values, in bits: (n_values, n_bytes)."""
        n_values, codes = len(self.mine.labels), np.array(list(self.patterns), dtype=np.int64)
        if n_values * len(codes) > MOST_CELLS:
            raise FaultyInputError(
                f"linkage_attack: {n_values:,} known values against {len(codes):,} labels that stand for several are "
                "too many; attack with fewer people in the identified table, or without this column"
            )
        packed, n_at_once = [], max(1, CELLS_AT_ONCE // max(len(codes), 1))
        for start in range(0, n_values, n_at_once):
            block = slice(start, start + n_at_once)
            some = self.known[block]
            inside = np.array([one.meets(some) for one in self.patterns.values()]).reshape(len(codes), -1).T
            inside = inside & self._may_stand_for(block) & (self.plain[block, np.newaxis] != codes)
            packed.append(np.packbits(inside, axis=1))
        return np.concatenate([np.zeros((0, -(-len(codes) // 8)), dtype=np.uint8), *packed])

    def agreement(self, name: str, n_unreadable: int) -> ColumnAgreement:
        """The column as codes: of labels where each known value fits one at most, else of atoms with their overlap."""
        if not self.patterns:
            return _equality(name, self.theirs, self.mine, n_unreadable)
        theirs, n_labels = self.theirs, len(self.theirs.labels)
        row, atoms = _distinct_rows(self._inside())
        atom, size = number_groups(row * (n_labels + 1) + self.plain + 1, max(len(atoms), 1) * (n_labels + 1))
        example = np.empty(len(size), dtype=np.int64)
        example[atom] = np.arange(len(atom))
        inside = np.unpackbits(atoms[row[example]], axis=1, count=len(self.patterns)).astype(bool)
        inside = np.concatenate([inside, np.zeros((len(inside), 1), dtype=bool)], axis=1)
        plain, known = self.plain[example], np.append(atom, -1)[self.mine.codes]
        n_codes, n_fitting = max(n_labels, len(plain)) + 1, inside.sum(axis=1) + (plain >= 0)
        if (n_fitting <= 1).all():  # bins: each known value falls into one label at most
            label_of_pattern = np.array([*self.patterns, n_labels])
            held = np.where(n_fitting == 1, label_of_pattern[inside.argmax(axis=1)], n_labels)
            label = np.append(np.where(plain >= 0, plain, held), -1)
            return ColumnAgreement(name, theirs.codes, label[known], n_codes, None, n_unreadable)
        pattern = np.full(n_labels + 1, len(self.patterns))
        pattern[list(self.patterns)] = np.arange(len(self.patterns))
        return ColumnAgreement(name, theirs.codes, known, n_codes, Overlap(plain, inside, pattern), n_unreadable)


def _distinct_rows(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the distinct rows each row is, and these; by their bytes, as sorting wide rows would take long."""
    if not packed.shape[1] or not len(packed):
        return np.zeros(len(packed), dtype=np.int64), packed[:1]
    keys = np.empty(len(packed), dtype=object)
    keys[:] = [row.tobytes() for row in packed]
    row, distinct = pd.factorize(keys)
    return row.astype(np.int64), np.array([np.frombuffer(one, dtype=np.uint8) for one in distinct])
