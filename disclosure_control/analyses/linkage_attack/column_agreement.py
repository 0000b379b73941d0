"""One attribute on both sides of an attack: which released codes agree with which known ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
