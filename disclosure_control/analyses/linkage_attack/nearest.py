"""The released records that lie nearest to a person, by some attributes of both.

Distance is the mean over attributes of: for numbers the difference as a share of the range of the released values, at
most 1; else 0 where the released value agrees with the known one and 1 where it does not; 0 where both are missing,
1 where one is, or next to nothing where the treatment suppressed values. Of categories that a treatment perturbed a
difference counts as much as the share of values that it left as they were. Source: Gower 1971, doi:10.2307/2528823.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses, form_equivalence_classes
from disclosure_control.analyses.linkage_attack.agreement import STAR, compatible_values, equal_values
from disclosure_control.analyses.linkage_attack.codebook import (
    Codebook,
    ColumnCodebook,
    column_of,
    kept_share,
    numbers_or_days,
    released_numbers,
)
from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.remedy.treatments.registry import Reading

SUPPRESSED = 0.01  # a value that may be any agrees with everybody, and is weaker than one that agrees exactly
CELLS_AT_ONCE = 100_000  # the working data stay in the processor's cache


@dataclass(frozen=True)
class ReleasedKinds:
    """A release reduced to the different combinations of some attributes: its classes, and one record of each.

    ``frame`` is the whole release and ``codebook`` what is known of its treatment; ``member``
    (n_kinds,) is the position of one record of each kind.
    """

    frame: pd.DataFrame = field(repr=False)
    codebook: Codebook | None
    member: np.ndarray
    classes: EquivalenceClasses
    attributes: tuple[str, ...]


def released_kinds(
    released: pd.DataFrame, attributes: Sequence[str], codebook: Codebook | None = None
) -> ReleasedKinds:
    """The released records by their values of ``attributes``; those that are alike lie equally near to anybody."""
    classes = form_equivalence_classes(released, attributes)
    member = np.empty(classes.n_classes, dtype=np.int64)
    member[classes.class_of_record] = np.arange(classes.n_records)
    return ReleasedKinds(released, codebook, member, classes, tuple(attributes))


def nearest_kinds(kinds: ReleasedKinds, people: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a person and a kind of released record nearest to that person, (n_pairs,) each, several where level."""
    n_kinds = len(kinds.member)
    parts = [_part(kinds, name, people[name]) for name in kinds.attributes]
    persons, nearest = [], []
    n_at_once = max(1, CELLS_AT_ONCE // max(n_kinds, 1))
    both = np.empty((2, n_at_once, n_kinds))
    for start in range(0, len(people), n_at_once):
        stop = min(start + n_at_once, len(people))
        distance, scratch = both[:, : stop - start]
        distance[:] = 0
        for part in parts:
            part(slice(start, stop), distance, scratch)
        found = np.flatnonzero(distance <= distance.min(axis=1, keepdims=True) + 1e-12)
        persons.append(start + found // n_kinds)
        nearest.append(found % n_kinds)
    return np.concatenate([np.zeros(0, dtype=np.int64), *persons]), np.concatenate(
        [np.zeros(0, dtype=np.int64), *nearest]
    )


_Part = Callable[[slice, np.ndarray, np.ndarray], None]


def _part(kinds: ReleasedKinds, name: str, people: pd.Series) -> _Part:
    """Adds the distance by one attribute, of a slice of people, to (n_people, n_kinds); the other array is scratch."""
    released, codebook = kinds.frame[name], column_of(kinds.codebook, name)
    numbers, gap = _numbers(released, people, codebook), _cost_of_gap(released, codebook)
    if numbers is not None:
        return _part_of_numbers(numbers[0][kinds.member], numbers[1], gap)
    column, weight = compatible_values(released, people, codebook=codebook), 1.0
    if codebook is not None and codebook.reading == Reading.PERTURBED:
        column, weight = equal_values(released, people), kept_share(codebook.before, released)
    small = np.int16 if column.n_codes < 2**15 else np.int64
    their_codes: np.ndarray = column.released[kinds.member].astype(small)
    my_codes: np.ndarray = column.known.astype(small)
    suppressed = (their_codes < 0) * (weight - min(gap, weight))

    def add(block: slice, distance: np.ndarray, scratch: np.ndarray) -> None:
        if column.overlap is None:
            distance += weight * (my_codes[block, np.newaxis] != their_codes)
        else:
            mine, theirs = column.known[block, np.newaxis], column.released[kinds.member]
            agree = column.same(mine, theirs) & (mine >= 0) & (theirs >= 0)
            distance += weight * ~(agree | ((mine < 0) & (theirs < 0)))
        if suppressed.any():
            distance -= suppressed * (my_codes[block, np.newaxis] >= 0)

    return add


def _numbers(
    released: pd.Series, people: pd.Series, codebook: ColumnCodebook | None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Released and known values as numbers, known ones as the treatment would release them; None for text."""
    if not encode_column(released).is_numeric:
        if codebook is None or codebook.reading != Reading.PERTURBED:
            return None
        days = numbers_or_days(released, people)
        return None if days is None else (days[0], days[1])
    theirs, mine = parse_numbers(released), parse_numbers(people)
    if codebook is not None and codebook.reading == Reading.BY_VALUE:
        mine = released_numbers(codebook, released, mine)
    return theirs, mine


def unread_columns(kinds: ReleasedKinds, people: pd.DataFrame) -> list[str]:
    """Text attributes of which no known value agrees with any released one: their labels cannot be read."""
    return [
        name
        for name in kinds.attributes
        if _numbers(kinds.frame[name], people[name], column_of(kinds.codebook, name)) is None
        and not compatible_values(kinds.frame[name], people[name], codebook=column_of(kinds.codebook, name)).is_read
    ]


def _cost_of_gap(released: pd.Series, codebook: ColumnCodebook | None) -> float:
    """How far a missing released value lies from a known one: next to nothing where the treatment suppressed some."""
    if codebook is None:
        return 1.0
    now, before = encode_column(released), encode_column(codebook.before)
    no_value = (now.codes < 0) | np.append(now.labels == STAR, False)[now.codes]
    return SUPPRESSED if (no_value & (before.codes >= 0)).any() else 1.0


def _part_of_numbers(theirs: np.ndarray, mine: np.ndarray, gap: float) -> _Part:
    present = theirs[~np.isnan(theirs)]
    span = (np.ptp(present) if len(present) else 0.0) or 1.0
    theirs, mine = theirs / span, mine / span
    their_gap, my_gap = np.isnan(theirs), np.isnan(mine)
    has_gaps = their_gap.any() or my_gap.any()
    ends = (np.array([present.min(), present.max()]) if len(present) else np.zeros(2)) / span
    farthest = np.nan_to_num(np.abs(mine[:, np.newaxis] - ends).max(axis=1), nan=0.0)  # few people lie that far out

    def add(block: slice, distance: np.ndarray, scratch: np.ndarray) -> None:
        apart = np.subtract(mine[block, np.newaxis], theirs, out=scratch)
        np.abs(apart, out=apart)
        if farthest[block].max() > 1:
            np.minimum(apart, 1.0, out=apart)
        if has_gaps:
            apart[:, their_gap] = gap
            apart[my_gap[block]] = 1.0
            apart[my_gap[block, np.newaxis] & their_gap] = 0.0
        distance += apart

    return add
