"""Questions about people that a release suggests, such as "age at most 3 and district Rural", and whom they fit.

A predicate is a few conditions on different columns. All predicates of an attack are arrays: which column, which
comparison, which value; they are evaluated on a table column by column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.agreement import compatible_values
from disclosure_control.analyses.linkage_attack.codebook import Codebook, ColumnCodebook, column_of, released_numbers
from disclosure_control.analyses.linkage_attack.column_agreement import Overlap
from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.remedy.treatments.registry import Reading

EQUAL, AT_MOST, AT_LEAST, MISSING = range(4)
BYTES_AT_ONCE = 200_000_000
CELLS_AT_ONCE = 1_000_000  # the working data stay in the processor's cache


@dataclass(frozen=True)
class Predicates:
    """``column``, ``comparison`` and ``code`` of each condition: three arrays (n_predicates, n_conditions)."""

    column: np.ndarray
    comparison: np.ndarray
    code: np.ndarray

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, which: np.ndarray | slice) -> Predicates:
        return Predicates(self.column[which], self.comparison[which], self.code[which])


@dataclass(frozen=True)
class TableColumn:
    """One column of the release as codes by size or letter (n_released,), -1 missing, and of other tables of people.

    ``people``: per table the codes of its records in the same numbering; if a released label represents several values,
    ``overlaps`` say which of a table's own codes agree with it.
    """

    name: str
    is_numeric: bool
    n_codes: int
    released: np.ndarray
    people: tuple[np.ndarray, ...]
    overlaps: tuple[Overlap | None, ...]

    def fits(self, table: int | None, comparison: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Which records (n_predicates, n_records) a condition fits: of the release for None, else of a table."""
        records = self.released if table is None else self.people[table]
        overlap = None if table is None else self.overlaps[table]
        fitting = np.empty((len(code), len(records)), dtype=bool)
        rules: dict[int, Callable[[np.ndarray], np.ndarray]] = {
            EQUAL: lambda codes: self._equal(records, overlap, codes),
            AT_MOST: lambda codes: (records <= _like(codes, records)[:, np.newaxis]) & (records >= 0),
            AT_LEAST: lambda codes: records >= _like(codes, records)[:, np.newaxis],
            MISSING: lambda codes: np.broadcast_to(records < 0, (len(codes), len(records))),
        }
        for number, rule in rules.items():
            mine = comparison == number
            if mine.any():
                fitting[mine] = rule(code[mine])
        return fitting

    @staticmethod
    def _equal(records: np.ndarray, overlap: Overlap | None, codes: np.ndarray) -> np.ndarray:
        if overlap is None:
            return records == _like(codes, records)[:, np.newaxis]
        return overlap.same(records, codes[:, np.newaxis]) & (records >= 0)


def _like(codes: np.ndarray, records: np.ndarray) -> np.ndarray:
    return codes.astype(records.dtype)


def common_columns(
    released: pd.DataFrame, people: list[pd.DataFrame], names: list[str], codebook: Codebook | None = None
) -> list[TableColumn]:
    """The columns of a release and of tables of people in one numbering, so that conditions apply to all.

    ``codebook``: what is known of the treatment; None if unknown.
    """
    return [
        _common_column(released[name], [table[name] for table in people], column_of(codebook, name)) for name in names
    ]


def _common_column(released: pd.Series, people: list[pd.Series], codebook: ColumnCodebook | None) -> TableColumn:
    own = encode_column(released)
    if own.is_numeric:
        numbers = [own.labels[own.codes] if len(own.labels) else np.full(len(own.codes), np.nan)]
        numbers[0] = np.where(own.codes < 0, np.nan, numbers[0])
        for column in people:
            known_numbers = parse_numbers(column)
            if codebook is not None and codebook.reading == Reading.BY_VALUE:
                known_numbers = released_numbers(codebook, released, known_numbers)
            numbers.append(known_numbers)
        both = encode_column(pd.Series(np.concatenate(numbers)))
        codes = np.split(both.codes, np.cumsum([len(one) for one in numbers])[:-1])
        nothing = (None,) * len(people)
        codes = [_small(one, len(both.labels)) for one in codes]
        return TableColumn(str(released.name), True, len(both.labels), codes[0], tuple(codes[1:]), nothing)
    agreements = [compatible_values(released, column, codebook=codebook, in_order=True) for column in people]
    own_codes = _small(agreements[0].released, agreements[0].n_codes)
    known = tuple(_small(agreement.known, agreement.n_codes) for agreement in agreements)
    overlaps = tuple(agreement.overlap for agreement in agreements)
    return TableColumn(str(released.name), False, len(own.labels), own_codes, known, overlaps)


def _small(codes: np.ndarray, n_codes: int) -> np.ndarray:
    """The codes in two bytes each where that is enough: comparing them is several times faster."""
    return codes.astype(np.int16) if max(n_codes, codes.max(initial=0)) < 2**15 else codes


def n_fitting(columns: list[TableColumn], predicates: Predicates, table: int | None) -> np.ndarray:
    """How many records each predicate fits (n_predicates,): of the release for None, else of a table of people.

    Each different condition is put to the records once and kept as one bit per record.
    """
    n_records = len(columns[0].released if table is None else columns[0].people[table])
    n_bytes = -(-n_records // 8)
    count = np.zeros(len(predicates), dtype=np.int64)
    n_at_once = max(1, BYTES_AT_ONCE // (predicates.column.shape[1] * max(n_bytes, 1)))
    for start in range(0, len(predicates), n_at_once):
        some = predicates[start : start + n_at_once]
        place = np.empty(some.column.shape, dtype=np.int64)
        parts, n_known = [], 0
        for i, column in enumerate(columns):
            here = some.column == i
            key = some.comparison[here] * np.int64(column.n_codes + 1) + some.code[here]
            distinct, which = np.unique(key, return_inverse=True)
            place[here] = n_known + which
            parts.append(_bits(column, table, *np.divmod(distinct, column.n_codes + 1), n_bytes))
            n_known += len(distinct)
        bits = np.concatenate(parts)
        together = bits[place[:, 0]]
        for condition in place.T[1:]:
            together &= bits[condition]
        count[start : start + n_at_once] = np.bitwise_count(together).sum(axis=1, dtype=np.int64)
    return count


def _bits(column: TableColumn, table: int | None, comparison: np.ndarray, code: np.ndarray, n_bytes: int) -> np.ndarray:
    bits = np.empty((len(code), n_bytes), dtype=np.uint8)
    n_at_once = max(1, CELLS_AT_ONCE // max(8 * n_bytes, 1))
    for start in range(0, len(code), n_at_once):
        block = slice(start, start + n_at_once)
        bits[block] = np.packbits(column.fits(table, comparison[block], code[block]), axis=1)
    return bits


def distinct_predicates(predicates: Predicates) -> np.ndarray:
    """Positions of the first of each group of equal predicates; the order of their conditions does not matter."""
    if not len(predicates):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(predicates.column, axis=1)
    parts = [
        np.take_along_axis(part, order, axis=1) for part in (predicates.column, predicates.comparison, predicates.code)
    ]
    _, first = np.unique(np.concatenate(parts, axis=1), axis=0, return_index=True)
    return np.sort(first)


def canonical_order(columns: list[TableColumn]) -> np.ndarray:
    """Positions of the released records by their values, so that chance does not depend on the order of rows."""
    codes, n_codes = [column.released + 1 for column in columns], [column.n_codes + 1 for column in columns]
    group, _ = number_rows(codes, n_codes, len(columns[0].released))
    return np.argsort(group, kind="stable")
