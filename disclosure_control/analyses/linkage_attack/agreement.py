"""Which value of a release agrees with which value that an attacker knows.

A release may hold exact values or coarser ones: an interval ``a--b`` or ``a-b``, a tail ``<a`` or ``>b``, a set
``a|b``, a masked code ``12xxxxxx``, a star or nothing at all for a suppressed cell. Equal text always agrees, whatever
it looks like. All of it is decided on distinct values; records only carry codes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.codebook import (
    ColumnCodebook,
    coarser_within,
    code_of_equal,
    kept_share,
    label_of_value,
    numbers_or_days,
    pairs_of,
    reach_of,
    released_numbers,
)
from disclosure_control.analyses.linkage_attack.labels import (
    KnownValues,
    Members,
    Pattern,
    lie_across,
    patterns_of,
    with_bins_half_open,
)
from disclosure_control.analyses.linkage_attack.matching import CELLS_AT_ONCE, ColumnAgreement, Overlap
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, parse_numbers
from disclosure_control.basics.encoding.interval_labels import Interval
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.registry import Reading

MOST_CELLS = 2_000_000_000
STAR = "*"
NOTHING_READ = Members(())


# ---------------------------------------------------------------- one column


def equal_values(released: pd.Series, known: pd.Series) -> ColumnAgreement:
    """Values agree where they are equal; spelling as in ``encode_column``, text of numbers is read as numbers."""
    theirs, mine, n_unreadable = _encoded(released, known)
    return _equality(str(released.name), theirs, mine, n_unreadable)


def compatible_values(
    released: pd.Series,
    known: pd.Series,
    within: float = 0.0,
    codebook: ColumnCodebook | None = None,
    in_order: bool = False,
) -> ColumnAgreement:
    """Values agree if the released one may represent the known one: if it is equal, or contains it.

    A known interval agrees with a released one if they share a number. A label that looks like an interval, a mask or a
    set may be a plain value, such as the postal code 12-345: see ``_may_stand_for``.

    ``within`` widens released numbers: a released 27 may represent 25 to 29 within 2. A star is a missing value.
    ``codebook``: what an attacker knows who knows the method. With the values before: whether ``20--30`` contains 30
    (without them, it does not if another interval begins there). With the reading: what became of each value.
    ``in_order``: released codes are in the order of the labels and do not depend on that of the rows.
    """
    if codebook is not None and codebook.reading is not None:
        moved = _of_moved_values(released, known, within, codebook)
        if moved is not None:
            return moved
    theirs, mine, n_unreadable = _encoded(released, known, in_order)
    if theirs.is_numeric:
        agreement = _within(str(released.name), theirs, mine, within)
        return dataclasses.replace(agreement, n_unreadable=n_unreadable)
    star = np.append(theirs.labels == STAR, False)
    if star.any():
        theirs = EncodedColumn(np.where(star[theirs.codes], -1, theirs.codes), theirs.labels)
    patterns = patterns_of(theirs.labels, _used(theirs))
    made = _made_by_treatment(theirs, codebook if patterns else None)
    listed = _Listed.of(theirs, mine, codebook)
    if not patterns and not len(listed.pairs):
        return _equality(str(released.name), theirs, mine, n_unreadable, listed.label)
    overlap = _Overlapping(theirs, mine, patterns, made, codebook, listed)
    return overlap.agreement(str(released.name), n_unreadable)


def _within(name: str, theirs: EncodedColumn, mine: EncodedColumn, reach: float) -> ColumnAgreement:
    """Numbers agree where they are at most ``reach`` apart."""
    if not reach:
        return _equality(name, theirs, mine, 0)
    patterns: dict[int, Pattern] = {
        code: Interval(number - reach, number + reach) for code, number in enumerate(theirs.labels)
    }
    return _Overlapping(theirs, mine, patterns, np.ones(len(theirs.labels), dtype=bool)).agreement(name, 0)


def _of_moved_values(
    released: pd.Series, known: pd.Series, within: float, codebook: ColumnCodebook
) -> ColumnAgreement | None:
    """Values that are no labels: numbers recoded to numbers, and perturbed values; None where labels say more."""
    name, is_numeric = str(released.name), encode_column(released).is_numeric
    if is_numeric and within:
        return None  # the config decides how to read it
    if is_numeric and codebook.reading == Reading.BY_VALUE and _is_function(codebook, released):
        theirs, mine, n_unreadable = _encoded(released, known)
        texts = pd.Series(np.append(mine.labels, np.nan)[mine.codes] if mine.is_numeric else parse_numbers(known))
        mine = encode_column(pd.Series(released_numbers(codebook, released, texts.to_numpy(dtype=float))))
        return _equality(name, theirs, mine, n_unreadable)
    if not is_numeric and codebook.reading != Reading.PERTURBED:
        return None
    if is_numeric:
        n_unreadable = _encoded(released, known)[2]
        numbers: list[np.ndarray] | None = [parse_numbers(one) for one in (released, codebook.before, known)]
    else:
        n_unreadable, numbers = 0, numbers_or_days(released, codebook.before, known)
    if numbers is not None:
        after, before, mine_numbers = numbers
        after, mine_numbers, reach = coarser_within(after, mine_numbers, reach_of(before, after, codebook.share))
        theirs, mine = (encode_column(pd.Series(one)) for one in (after, mine_numbers))
        agreement = _within(name, theirs, mine, reach)
        return dataclasses.replace(agreement, n_unreadable=n_unreadable)
    if kept_share(codebook.before, released) >= codebook.share:
        return equal_values(released, known)
    theirs = encode_column(released)
    return ColumnAgreement(name, theirs.codes, np.full(len(known), -1), len(theirs.labels) + 1, tells_nothing=True)


def _is_function(codebook: ColumnCodebook, released: pd.Series) -> bool:
    return label_of_value(encode_column(codebook.before), encode_column(released)) is not None


NO_PAIRS = np.zeros((0, 2), dtype=np.int64)
TAKEN_OUT = -2  # in place of a label: none of the released ones is this value's


@dataclass(frozen=True)
class _Listed:
    """What the codebook lists.

    ``label`` (n_known_values,): the label that each known value became, ``TAKEN_OUT`` where it became missing alone, -1
    for values that the treatment was not given; None where a value may have several. ``pairs`` (n_pairs, 2): codes of
    known values and of labels other than themselves that they became.
    """

    label: np.ndarray | None = None
    pairs: np.ndarray = field(default_factory=lambda: NO_PAIRS)

    @classmethod
    def of(cls, theirs: EncodedColumn, mine: EncodedColumn, codebook: ColumnCodebook | None) -> _Listed:
        if codebook is None or codebook.reading not in (Reading.BY_VALUE, Reading.AS_LABEL):
            return cls()
        before = encode_column(codebook.before)
        label = label_of_value(before, theirs) if codebook.reading == Reading.BY_VALUE else None
        if label is not None:
            label = np.where(label < 0, TAKEN_OUT, label)
            return cls(np.append(label, -1)[code_of_equal(before, mine)])
        value, label = pairs_of(before, theirs).T
        known, same = code_of_equal(mine, before)[value], code_of_equal(theirs, before)[value]
        other = (known >= 0) & (same != label)
        return cls(None, np.stack([known[other], label[other]], axis=1))


def _used(column: EncodedColumn) -> np.ndarray:
    """Labels that some record has (n_labels,)."""
    return np.bincount(column.codes + 1, minlength=len(column.labels) + 1)[1:] > 0


def _made_by_treatment(theirs: EncodedColumn, codebook: ColumnCodebook | None) -> np.ndarray:
    """Labels (n_labels,) that replaced another value; none where the original values are unknown."""
    made = np.zeros(len(theirs.labels), dtype=bool)
    if codebook is None:
        return made
    before = encode_column(codebook.before)
    same = np.append(code_of_equal(theirs, before), -1)[before.codes]
    made[theirs.codes[(theirs.codes != same) & (theirs.codes >= 0)]] = True
    return made


def _holds_upper_ends(patterns: dict[int, Pattern], theirs: EncodedColumn, codebook: ColumnCodebook | None) -> bool:
    """Whether a value is the upper end of its own interval and the lower end of another one."""
    if codebook is None:
        return False
    wide = {code: one for code, one in patterns.items() if isinstance(one, Interval) and one.low < one.high}
    begins = {one.low for one in wide.values()}
    end = np.full(len(theirs.labels) + 1, np.nan)
    for code, one in wide.items():
        end[code] = one.high if one.high in begins else np.nan
    return bool((end[theirs.codes] == parse_numbers(codebook.before)).any())


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


def _equality(
    name: str, theirs: EncodedColumn, mine: EncodedColumn, n_unreadable: int, listed: np.ndarray | None = None
) -> ColumnAgreement:
    """Equal values agree; a value for which a label is ``listed`` (n_known_values,) has that label instead."""
    n_labels = len(theirs.labels)
    if theirs.labels is mine.labels and listed is None:
        return ColumnAgreement(name, theirs.codes, mine.codes, n_labels + 1, None, n_unreadable)
    code = code_of_equal(theirs, mine)
    if listed is not None:
        code = np.where(listed == -1, code, listed)
    code = np.append(np.where(code < 0, n_labels, code), -1)  # a value that nobody in the release has
    return ColumnAgreement(name, theirs.codes, code[mine.codes], n_labels + 1, None, n_unreadable)


class _Overlapping:
    """One column whose released labels may represent several values, evaluated on distinct values."""

    def __init__(
        self,
        theirs: EncodedColumn,
        mine: EncodedColumn,
        patterns: dict[int, Pattern],
        made: np.ndarray,
        codebook: ColumnCodebook | None = None,
        listed: _Listed | None = None,
    ):
        self.listed = listed or _Listed()
        plain = code_of_equal(theirs, mine)
        self.plain = np.where(np.append(_used(theirs), False)[plain], plain, -1)
        if self.listed.label is not None:
            self.plain = np.where(self.listed.label == -1, self.plain, np.maximum(self.listed.label, -1))
        self.theirs, self.mine = theirs, mine
        is_known = np.zeros(len(theirs.labels) + 1, dtype=bool)
        is_known[self.plain[_used(mine)]] = True
        self.are_codes = lie_across({code: one for code, one in patterns.items() if not made[code]})
        if not theirs.is_numeric and not _holds_upper_ends(patterns, theirs, codebook):
            patterns = with_bins_half_open(patterns)
        shown = {} if mine.is_numeric else with_bins_half_open(patterns_of(mine.labels, _used(mine)))
        self.known = KnownValues.of(mine.labels, shown, self._is_own(codebook))
        if not (_used(mine) & ~self.known.is_pattern & (self.plain < 0)).any():
            patterns = {code: one for code, one in patterns.items() if made[code] or not is_known[code]}
        unread = dict.fromkeys(np.unique(self.listed.pairs[:, 1]).tolist(), NOTHING_READ)
        self.patterns = unread | patterns
        codes = list(self.patterns)
        self.is_made, self.is_known = made[codes], is_known[codes]

    def _is_own(self, codebook: ColumnCodebook | None) -> np.ndarray:
        """Known values (n_values,) that are in the release unchanged, or were there before the treatment."""
        if codebook is None:
            return self.plain >= 0
        return (self.plain >= 0) | (code_of_equal(encode_column(codebook.before), self.mine) >= 0)

    def _may_stand_for(self, block: slice) -> np.ndarray:
        """Whether a label may represent a known value other than itself: (n_values, n_patterns) of bool.

        A label that the treatment made may. Other labels are in the source itself; they may represent a plain value,
        unless both have the same spelling in both tables, and a value that looks like an interval itself, if each is in
        one table alone and the labels are bins (both tables have bands, and not the same ones).
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
            inside[self._listed_in(block)] = True
            if self.listed.label is not None:
                inside[self.listed.label[block] != -1] = False
            packed.append(np.packbits(inside, axis=1))
        return np.concatenate([np.zeros((0, -(-len(codes) // 8)), dtype=np.uint8), *packed])

    def _listed_in(self, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the codebook's pairs in a block of ``_inside``: rows and columns."""
        value, label = self.listed.pairs.T
        here = (value >= block.start) & (value < block.stop)
        column = np.full(len(self.theirs.labels), -1)
        column[list(self.patterns)] = np.arange(len(self.patterns))
        return value[here] - block.start, column[label[here]]

    def agreement(self, name: str, n_unreadable: int) -> ColumnAgreement:
        """The column as codes: of labels where each known value fits one at most, else of atoms with their overlap."""
        if not self.patterns:
            return _equality(name, self.theirs, self.mine, n_unreadable, self.listed.label)
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
