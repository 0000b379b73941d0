"""How many released records each known person may be, on any of the known attributes.

Both tables are reduced to classes of equal codes once; after that no question looks at records again. Where equal
codes agree, records are counted by their joint key, a missing value matching anything or nothing. Where released
intervals lie across each other, classes are compared pair by pair as rows of bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from disclosure_control.basics.telling.faults import FaultyInputError

CELLS_AT_ONCE = 20_000_000


@dataclass(frozen=True)
class Overlap:
    """Agreement if released labels represent several values, and some values fit several labels.

    Known codes are atoms: values that fit the same labels. ``plain`` (n_atoms,) is the label that equals them, -1 for
    none; ``inside`` (n_atoms, n_patterns + 1) says which patterns contain them, the last column none; ``pattern``
    (n_labels + 1,) is the pattern of each label, and the last one for plain labels and missing values.
    """

    plain: np.ndarray
    inside: np.ndarray
    pattern: np.ndarray

    def same(self, known: np.ndarray | int, released: np.ndarray | int) -> np.ndarray:
        return ((self.plain[known] == released) & (released >= 0)) | self.inside[known, self.pattern[released]]


@dataclass(frozen=True)
class ColumnAgreement:
    """One attribute on both sides, as codes: ``released`` (n_released,) and ``known`` (n_known,), -1 where missing.

    Without ``overlap``, equal codes agree; with it, known and released codes are two numberings. All codes are below
    ``n_codes``. ``n_unreadable`` values of the known side are not numbers although the released ones are; they count as
    missing. ``tells_nothing``: the treatment left no difference between values; all known ones then count as missing.
    """

    name: str
    released: np.ndarray
    known: np.ndarray
    n_codes: int
    overlap: Overlap | None = None
    n_unreadable: int = 0
    tells_nothing: bool = False

    @property
    def is_read(self) -> bool:
        """Whether any known value agrees with any released one; True where there is nothing to compare."""
        known, released = np.unique(self.known), np.unique(self.released)
        known, released = known[known >= 0], released[released >= 0]
        if not len(known) or not len(released):
            return True
        if self.overlap is None:
            return bool(np.isin(known, released).any())
        n_at_once = max(1, CELLS_AT_ONCE // len(released))
        blocks = (known[start : start + n_at_once] for start in range(0, len(known), n_at_once))
        return any(bool(self.overlap.same(block[:, np.newaxis], released).any()) for block in blocks)

    def same(self, known: np.ndarray | int, released: np.ndarray | int) -> np.ndarray:
        """Whether codes agree that are not missing; arrays of any shapes that fit together."""
        return np.equal(known, released) if self.overlap is None else self.overlap.same(known, released)

    def agree(self, known: np.ndarray, released: np.ndarray, missing_agrees: bool) -> np.ndarray:
        """Whether pairs of positions agree, (n_pairs,) of bool."""
        mine, theirs = self.known[known], self.released[released]
        missing, same = (mine < 0) | (theirs < 0), self.same(mine, theirs)
        return same | missing if missing_agrees else same & ~missing


MOST_PAIRS = 20_000_000_000
BITS_AT_ONCE = 400_000_000


@dataclass(frozen=True)
class Reach:
    """For each known person (n_known,): how many released records agree, and which one if there is only one (else -1).

    ``n_claimants`` (n_released,) counts the known people whom each released record agrees with; it is exact only for
    records that are the only candidate of a person.
    """

    n_candidates: np.ndarray
    candidate: np.ndarray
    n_claimants: np.ndarray

    @property
    def is_pair(self) -> np.ndarray:
        """People (n_known,) with one candidate whose only claimant they are."""
        return (self.candidate >= 0) & (self.n_claimants[self.candidate] == 1)


@dataclass(frozen=True)
class Matching:
    """A release and a known table, attribute by attribute. ``missing_agrees``: a missing value may be any value."""

    columns: tuple[ColumnAgreement, ...]
    missing_agrees: bool

    @property
    def n_released(self) -> int:
        return len(self.columns[0].released)

    @property
    def n_known(self) -> int:
        return len(self.columns[0].known)

    @property
    def by_keys(self) -> bool:
        return all(column.overlap is None for column in self.columns)

    def reach(self, attributes: Sequence[int]) -> Reach:
        """Candidates on some of the attributes, by their position; all of them must agree."""
        return self._by_keys(list(attributes)) if self.by_keys else self._by_pairs(list(attributes))

    def agree(self, known: np.ndarray, released: np.ndarray) -> np.ndarray:
        """Whether pairs agree, attribute by attribute: (n_attributes, n_pairs) of bool."""
        return np.array([column.agree(known, released, self.missing_agrees) for column in self.columns])

    # ------------------------------------------------------------ by keys

    @cached_property
    def _joint(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both tables in common classes: the class of each record, released first; codes (n_attributes, n_classes);
        and per class the released records, the sum of their positions, and the known people."""
        columns = [np.concatenate([column.released, column.known]) for column in self.columns]
        group, codes = _classes(columns, [column.n_codes for column in self.columns])
        n_classes = codes.shape[1]
        of_released, of_known = group[: self.n_released], group[self.n_released :]
        amounts = np.array(
            [
                np.bincount(of_released, minlength=n_classes),
                np.bincount(of_released, np.arange(self.n_released), n_classes),
                np.bincount(of_known, minlength=n_classes),
            ],
            dtype=float,
        )
        return group, codes, amounts

    def _by_keys(self, attributes: list[int]) -> Reach:
        class_of_record, codes, amounts = self._joint
        if len(attributes) < len(self.columns):
            n_codes = [self.columns[i].n_codes for i in attributes]
            group, codes = _classes([codes[i] for i in attributes], n_codes)
            amounts = np.array([np.bincount(group, row, codes.shape[1]) for row in amounts])
        else:
            group = np.arange(codes.shape[1])
        totals = self._totals(codes, amounts, attributes)
        n_released, position, n_known = totals[:, group]
        only = np.where(n_released == 1, position, -1).astype(np.int64)
        of_known = class_of_record[self.n_released :]
        return Reach(n_released[of_known], only[of_known], n_known[class_of_record[: self.n_released]])

    def _totals(self, codes: np.ndarray, amounts: np.ndarray, attributes: list[int]) -> np.ndarray:
        complete = (codes >= 0).all(axis=0)
        if not self.missing_agrees:
            return amounts * complete
        if complete.all():
            return amounts
        labels = tuple(np.arange(self.columns[i].n_codes) for i in attributes)
        names = tuple(self.columns[i].name for i in attributes)
        classes = EquivalenceClasses(names, labels, codes, np.ones(codes.shape[1], dtype=np.int64))
        return sum_over_compatible(classes, amounts)

    # ------------------------------------------------------------ by pairs of classes

    @cached_property
    def _sides(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """Class of each record and codes of the classes, of the known people and of the released records."""
        known = [column.known for column in self.columns]
        released = [column.released for column in self.columns]
        n_codes = [column.n_codes for column in self.columns]
        return _classes(known, n_codes), _classes(released, n_codes)

    def _by_pairs(self, attributes: list[int]) -> Reach:
        (of_known, known), (of_released, released) = self._sides
        n_known, n_released = np.bincount(of_known), np.bincount(of_released)
        known, released = known[attributes], released[attributes]
        if known.shape[1] * released.shape[1] > MOST_PAIRS:
            raise FaultyInputError(
                f"linkage_attack: {known.shape[1]:,} kinds of known people against {released.shape[1]:,} kinds of "
                "released records with intervals that lie across each other are too many pairs; attack with fewer "
                "people in the identified table, or name fewer attributes under known"
            )
        n_candidates, only_class = _partners(known, released, self._agreeing(attributes), n_released)
        record_of_class = np.empty(released.shape[1], dtype=np.int64)
        record_of_class[of_released] = np.arange(self.n_released)
        only = np.where(only_class >= 0, record_of_class[only_class], -1)
        claimed = np.flatnonzero(np.bincount(only_class[only_class >= 0]))
        n_claimants = np.zeros(released.shape[1])
        turned = self._agreeing(attributes, turned=True)
        n_claimants[claimed], _ = _partners(released[:, claimed], known, turned, n_known)
        return Reach(n_candidates[of_known], only[of_known], n_claimants[of_released])

    def _agreeing(self, attributes: list[int], turned: bool = False) -> list[_Agrees]:
        """Per attribute, whether one code agrees with others: a known one with released ones, or turned round."""

        def agrees_of(column: ColumnAgreement) -> _Agrees:
            def agrees(code: int, theirs: np.ndarray) -> np.ndarray:
                missing = (theirs < 0) | (code < 0)
                same = column.same(theirs, code) if turned else column.same(code, theirs)
                return same | missing if self.missing_agrees else same & ~missing

            return agrees

        return [agrees_of(self.columns[i]) for i in attributes]


_Agrees = Callable[[int, np.ndarray], np.ndarray]


def _classes(columns: Sequence[np.ndarray], n_codes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Class of each record (n_records,) and the codes of every class (n_columns, n_classes); -1 is a code too."""
    group, size = number_rows([column + 1 for column in columns], [n + 1 for n in n_codes], len(columns[0]))
    member = np.empty(len(size), dtype=np.int64)
    member[group] = np.arange(len(group))
    return group, np.array([column[member] for column in columns], dtype=np.int64)


def _partners(
    asking: np.ndarray,
    asked: np.ndarray,
    agreeing: Sequence[_Agrees],
    n_people: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Of each asking class, how many people of the asked classes agree; and which class if it is one person.

    ``asking`` and ``asked`` are codes (n_attributes, n_classes); ``n_people`` (n_asked,). One bit per pair of classes;
    class sizes are summed binary digit by binary digit.
    """
    n_words = -(-asked.shape[1] // 64)
    digits = [
        _bits((n_people >> place) & 1 == 1, n_words) for place in range(int(n_people.max(initial=1)).bit_length())
    ]
    total = np.zeros(asking.shape[1])
    only = np.full(asking.shape[1], -1)
    n_at_once = max(1, BITS_AT_ONCE // (64 * n_words))
    for start in range(0, asking.shape[1], n_at_once):
        block = slice(start, start + n_at_once)
        agree = np.full((total[block].size, n_words), np.iinfo(np.uint64).max, dtype=np.uint64)
        for codes, theirs, agrees in zip(asking[:, block], asked, agreeing, strict=True):
            distinct, which = np.unique(codes, return_inverse=True)
            rows = [_bits(agrees(int(code), theirs), n_words) for code in distinct]
            agree &= np.array(rows)[which]
        for place, digit in enumerate(digits):
            total[block] += np.bitwise_count(agree & digit).sum(axis=1, dtype=np.int64) << place
        one = np.flatnonzero(total[block] == 1)
        word = (agree[one] != 0).argmax(axis=1)
        bits = np.unpackbits(agree[one, word][:, np.newaxis].view(np.uint8), axis=1, bitorder="little")
        only[start + one] = word * 64 + bits.argmax(axis=1)
    return total, only


def _bits(flags: np.ndarray, n_words: int) -> np.ndarray:
    padded = np.zeros(8 * n_words, dtype=np.uint8)
    packed = np.packbits(flags, bitorder="little")
    padded[: len(packed)] = packed
    return padded.view(np.uint64)
