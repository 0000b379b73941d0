"""A table of cells as people again: as many records as it counts, of which every count is that of the pool.

A record that is made so is no person's: which values of two sensitive features belong together is not known, and no
measure asks. What k, l, t, ``risk`` and ``recommend`` read of them are counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import LARGEST_EXACT
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.pooling.cells import CellSpace, DeclaredColumn
from disclosure_control.records.dataset_rules import typed_column
from disclosure_control.records.people import PeopleInMemory, TypedTexts


def check_sum(space: CellSpace, cells: np.ndarray) -> None:
    """Raise ``FaultyInputError`` unless cells (n_classes, width) can be counts of people.

    The people of a class with a value of a feature are counted twice, by value and by gaps; masks that do not cancel
    out, and counts beyond 2**53, do not agree.
    """
    patterns = space.patterns(cells)
    are_counts = all((part < LARGEST_EXACT).all() for part in np.array_split(cells, 64) if len(part))
    for number in range(len(space.sensitive) if are_counts else 0):
        has_value = np.array([bool(pattern >> number & 1) for pattern in range(patterns.shape[1])])
        are_counts &= bool((space.values(cells, number).sum(axis=1) == patterns[:, has_value].sum(axis=1)).all())
    if not are_counts or int(patterns.sum(dtype=np.float64)) >= LARGEST_EXACT:
        raise FaultyInputError(
            "the sum of the contributions is no table of counts: a count is 2**53 or larger, or a node counted "
            "otherwise than the others; nothing was written; begin a new round"
        )


def pooled_people(space: CellSpace, cells: np.ndarray, config: PilotConfig) -> PeopleInMemory:
    """The people whom cells (n_classes, width) count, sorted by class. Raises ``FaultyInputError`` as a dataset."""
    patterns = space.patterns(cells)
    class_of_entry, pattern_of_entry = np.nonzero(patterns)
    people = patterns[class_of_entry, pattern_of_entry].astype(np.int64)
    first_codes = space.codes_of(class_of_entry)
    typed = {
        column.name: _typed(column, codes.repeat(people), config)
        for column, codes in zip(space.quasi_identifiers, first_codes, strict=True)
    }
    for number, column in enumerate(space.sensitive):
        has_value = (pattern_of_entry >> number & 1).astype(bool).repeat(people)
        typed[column.name] = _typed(column, _values(space, cells, number, has_value), config)
    return PeopleInMemory(pd.DataFrame(index=pd.RangeIndex(int(people.sum()))), config, typed=typed)


def _values(space: CellSpace, cells: np.ndarray, number: int, has_value: np.ndarray) -> np.ndarray:
    """The code of a sensitive feature of each record (n_records,), -1 where it has no value.

    Records are sorted by class, and so are the values: those of a class fall to its records with a value.
    """
    counts = space.values(cells, number)
    class_of_cell, value_of_cell = np.nonzero(counts)
    codes = np.full(len(has_value), -1)
    codes[has_value] = value_of_cell.repeat(counts[class_of_cell, value_of_cell].astype(np.int64))
    return codes


def _typed(column: DeclaredColumn, codes: np.ndarray, config: PilotConfig) -> TypedTexts:
    """A column by the declared values that somebody has, typed as those of a file are."""
    people = np.bincount(codes + 1, minlength=column.n_codes)
    occurs = np.flatnonzero(people[1:])
    number = np.full(column.n_codes, -1)
    number[occurs + 1] = np.arange(len(occurs))
    texts = pd.Series([*(column.texts[code] for code in occurs), None], dtype="str", name=column.name)
    of_texts = np.append(people[1:][occurs], people[0])
    return TypedTexts(number[codes + 1], typed_column(texts, config, of_texts), of_texts)


def bits(flags: Iterator[np.ndarray], n_classes: int) -> np.ndarray:
    """Flags, each (n_classes,) of bool, as bytes (n_classes, n_bytes), the first flag in the lowest bit."""
    columns = np.array([*flags], dtype=bool).reshape(-1, n_classes)
    return np.packbits(columns.T, axis=1, bitorder="little")
