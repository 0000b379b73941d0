"""What became of each value: original and released records matched, with one table of changes per column.

Every measure of one column is a function of one sparse count table, (original value, released value) -> people. The
original is encoded once for all comparisons; each released column is encoded and counted once. Removed records and
suppressed values stay in the table as lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import (
    SUBJECT_COLUMN,
    EncodedColumn,
    canonical_labels_of,
    encode_column,
    numbers_of,
    parse_numbers,
)
from disclosure_control.basics.encoding.interval_labels import interval_of
from disclosure_control.basics.encoding.keys import count_keys, count_pairs
from disclosure_control.basics.telling.faults import FaultyInputError


def is_no_value(label: object) -> bool:
    """Whether a released label contains no information: stars alone."""
    return isinstance(label, str) and not label.strip("* ")


def released_numbers(labels: np.ndarray) -> np.ndarray:
    """The number of each released label (n_labels,): itself, or the middle of an interval ``a--b``, ``[a,b)``.

    NaN where no number is known: stars, open ends ``<a`` and ``>b``, and other text.
    """
    if labels.dtype.kind == "f":
        return labels
    numbers = parse_numbers(pd.Series(labels, dtype="str"))
    for i in np.flatnonzero(np.isnan(numbers)):
        interval = interval_of(str(labels[i]))
        if interval and interval.middle is not None:
            numbers[i] = interval.middle
    return numbers


@dataclass(frozen=True)
class ComparedColumn:
    """One column before and after: ``original`` as encoded, and the ``released`` code of every original record.

    ``released_codes`` (n_original,) is -1 where nothing is released: suppressed, record removed, column dropped.
    ``released_labels`` (n_labels,) are its labels as text, ``released_values`` as numbers, NaN where none is known.
    """

    is_numeric: bool
    original: EncodedColumn
    released_codes: np.ndarray
    released_labels: np.ndarray = field(repr=False)
    released_values: np.ndarray = field(repr=False)
    kept: np.ndarray

    @cached_property
    def original_labels(self) -> np.ndarray:
        """Text of the original values (n_values,), spelt as the released ones are."""
        return canonical_labels_of(self.original)

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(original code, released code, people) of every combination that occurs, in the order of the codes."""
        if self.released_codes is self.original.codes:  # nothing changed, no record was removed
            people = np.bincount(self.original.codes + 1, minlength=len(self.original.labels) + 1)
            code = np.flatnonzero(people)
            return code - 1, code - 1, people[code]
        n_codes = len(self.original.labels) + 1, len(self.released_labels) + 1
        original, released, people = count_pairs(self.original.codes + 1, self.released_codes + 1, *n_codes)
        return original - 1, released - 1, people

    @cached_property
    def same_label(self) -> np.ndarray:
        """Per cell of ``table``: whether the released label is the original one; both missing are the same."""
        original, released, _ = self.table
        before, after = (np.append(labels, np.array([None])) for labels in (self.original_labels, self.released_labels))
        return before[original] == after[released]

    @cached_property
    def distances(self) -> np.ndarray:
        """Per cell of ``table`` how far a number moved, as a share of the range of the original; 1 where it is lost.

        A category counts 0 if unchanged and 1 if changed; a value where there was none counts 1.
        """
        original, released, _ = self.table
        if not self.is_numeric:
            return (~self.same_label).astype(float)
        before = np.append(self.original.labels, np.nan)[original]
        after = np.append(self.released_values, np.nan)[released]
        moved = np.abs(after - before)
        share = moved / self.value_range if self.value_range else np.sign(moved)
        known = ~np.isnan(share)
        return np.where(known, share, np.where((original < 0) & (released < 0), 0.0, 1.0))

    @cached_property
    def value_range(self) -> float:
        """Largest original number less the smallest, in their unit; 0 without numbers."""
        return float(np.ptp(self.original.labels)) if self.is_numeric and len(self.original.labels) else 0.0

    @cached_property
    def n_valued(self) -> int:
        """Records that had a value or have one now: those that can be compared."""
        original, released, people = self.table
        return int(people[(original >= 0) | (released >= 0)].sum())

    @cached_property
    def n_changed(self) -> int:
        """Records whose value changed or was lost."""
        return int(self.table[2][~self.same_label].sum())

    @cached_property
    def n_lost(self) -> int:
        """Values of records still there that are suppressed, or were dropped with their column."""
        return int(((self.original.codes >= 0) & (self.released_codes < 0) & self.kept).sum())

    @cached_property
    def n_unread(self) -> int:
        """Released values of a numeric column that represent no known number, such as ``>90``."""
        if not self.is_numeric:
            return 0
        _, released, people = self.table
        return int(people[(released >= 0) & np.isnan(np.append(self.released_values, 0.0))[released]].sum())


def correlations(numbers: list[np.ndarray]) -> np.ndarray:
    """Pearson correlations of columns (n_records,) each, by pairwise deletion: (n_columns, n_columns).

    A pair without a correlation (a column does not vary, or fewer than two records have both) gets 0. Records are
    sorted first, so that sums do not depend on their order.
    """
    matrix = np.column_stack(numbers)
    matrix = matrix[np.lexsort(matrix.T)]
    found = pd.DataFrame(matrix).corr().to_numpy(copy=True)
    found[np.isnan(found)] = 0.0
    np.fill_diagonal(found, 1.0)
    return found


@dataclass(frozen=True)
class Comparison:
    """Original and released data side by side: the argument of every measure of utility.

    ``columns`` are those with a role, those asked for, and any others that changed. ``n_compared`` records of
    ``n_original`` are still there.
    """

    config: PilotConfig
    columns: Mapping[str, ComparedColumn]
    n_original: int
    n_compared: int
    eigenvalue_columns: tuple[str, ...]
    original_correlations: np.ndarray | None

    @property
    def n_with_role(self) -> int:
        """Quasi-identifiers and sensitive features of the original."""
        return len(self.config.quasi_identifiers + self.config.sensitive_features)

    @property
    def n_removed(self) -> int:
        return self.n_original - self.n_compared

    @property
    def n_values_lost(self) -> int:
        """Values of the records still there that are suppressed or dropped; they count as lost in full."""
        return sum(column.n_lost for column in self.columns.values())

    @property
    def n_values_unread(self) -> int:
        """Released values of numeric columns that represent no known number (``>90``); they count as lost in full."""
        return sum(column.n_unread for column in self.columns.values())

    @property
    def numeric(self) -> list[ComparedColumn]:
        return [column for column in self.columns.values() if column.is_numeric]

    @property
    def categorical(self) -> list[ComparedColumn]:
        return [column for column in self.columns.values() if not column.is_numeric]

    @cached_property
    def correlations(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Correlations of the ``eigenvalue_columns`` before and after; None where there are fewer than two."""
        if self.original_correlations is None:
            return None
        columns = [self.columns[name] for name in self.eigenvalue_columns]
        if not any(column.n_changed for column in columns):
            return self.original_correlations, self.original_correlations
        after = [np.append(column.released_values, np.nan)[column.released_codes] for column in columns]
        return self.original_correlations, correlations(after)

    @cached_property
    def n_touched(self) -> int:
        """Original records that were removed, or lost the value of a quasi-identifier."""
        compared = [self.columns[name] for name in self.config.quasi_identifiers]
        lost = [(column.original.codes >= 0) & (column.released_codes < 0) for column in compared]
        return int(np.any([~compared[0].kept, *lost], axis=0).sum())


class OriginalPilot:
    """The pilot before any treatment, encoded once for any number of comparisons with released frames.

    ``frame`` (n_original,) has one row per person, the config's columns typed; ``eigenvalue_columns`` are numbers whose
    correlations are to survive, by default the continuous quasi-identifiers and numeric sensitive features. Raises
    ``FaultyInputError`` where a column is missing, or has to be a number and is not.
    """

    def __init__(self, frame: pd.DataFrame, config: PilotConfig, eigenvalue_columns: Sequence[str] | None = None):
        self.frame, self.config = frame, config
        asked = list(eigenvalue_columns or ())
        absent = [name for name in dict.fromkeys(asked) if name not in frame]
        if absent:
            raise FaultyInputError(
                [f"utility: column {name!r} is not in the dataset; correct the name" for name in absent]
            )
        roles = config.quasi_identifiers + config.sensitive_features
        self._numeric = {name: self._is_numeric(name, eigenvalue_columns or ()) for name in (*roles, *asked)}
        self.names = tuple(self._numeric)
        self._encoded: dict[str, EncodedColumn] = {}
        if eigenvalue_columns is None:
            eigenvalue_columns = [name for name in roles if self._numeric[name]]
        self.eigenvalue_columns = tuple(eigenvalue_columns)

    def _is_numeric(self, name: str, as_numbers: Sequence[str] = ()) -> bool:
        """By its role; a column without one is numeric if it contains numbers and no codes such as 01."""
        if name in as_numbers or name in self.config.continuous_qis:
            return True
        values = self.frame[name]
        if name in self.config.categorical_qis or isinstance(values.dtype, pd.CategoricalDtype):
            return False
        if name in self.config.sensitive_features or pd.api.types.is_numeric_dtype(values.dtype):
            return pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype)
        given = values.dropna().astype("str")
        has_code = given.str.match(r"[+-]?0\d").any()
        return bool(len(given)) and not has_code and not np.isnan(parse_numbers(given)).any()

    @cached_property
    def _correlations(self) -> np.ndarray | None:
        columns = [self.encoded(name) for name in self.eigenvalue_columns]
        if len(columns) < 2:
            return None
        return correlations([np.append(column.labels, np.nan)[column.codes] for column in columns])

    def encoded(self, name: str) -> EncodedColumn:
        """An original column as codes and labels, encoded once."""
        if name not in self._encoded:
            values = self.frame[name]
            if self._numeric[name]:
                values = pd.Series(numbers_of(values), name=name)
            self._encoded[name] = _without_stars(encode_column(values))
        return self._encoded[name]

    def compare(self, released: pd.DataFrame, positions: np.ndarray | None = None) -> Comparison:
        """Match a released frame with the original: ``positions`` (n_released,) are rows of the original, each once.

        Without ``positions`` every record must still be there, in the same order.
        """
        n_original = len(self.frame)
        positions = np.arange(n_original) if positions is None else np.asarray(positions, dtype=np.int64)
        n_matched = len(count_keys(positions, n_original)[0])
        if len(positions) != len(released) or n_matched != len(positions):
            raise FaultyInputError(
                f"utility: {len(released)} released records are matched with {n_matched} of the "
                f"{n_original} original ones; each needs one of its own"
            )
        names = [*self.names, *self._others_that_changed(released, positions)]
        columns = {name: self._compared(name, released, positions) for name in names}
        return Comparison(self.config, columns, n_original, len(positions), self.eigenvalue_columns, self._correlations)

    def _others_that_changed(self, released: pd.DataFrame, positions: np.ndarray) -> list[str]:
        changed = []
        for name in self.frame.columns.difference([*self.names, SUBJECT_COLUMN], sort=False):
            before = self.frame[name].iloc[positions].reset_index(drop=True)
            if name not in released or not before.equals(released[name].reset_index(drop=True)):
                self._numeric.setdefault(name, self._is_numeric(name))
                changed.append(name)
        return changed

    def _is_untouched(self, name: str, released: pd.DataFrame, positions: np.ndarray) -> bool:
        """Whether all records have the very same values, so that nothing has to be encoded again."""
        before, after = self.frame[name], released[name]
        if before.dtype != after.dtype or not (positions.size and np.array_equal(positions, np.arange(len(before)))):
            return False
        return bool(before.array.equals(after.array))

    def _compared(self, name: str, released: pd.DataFrame, positions: np.ndarray) -> ComparedColumn:
        original, numeric = self.encoded(name), self._numeric[name]
        codes = np.full(len(self.frame), -1, dtype=np.int64)
        after = EncodedColumn(np.empty(0), np.empty(0, dtype=object))
        kept = np.zeros(len(self.frame), dtype=bool)
        kept[positions] = True
        if name in released and self._is_untouched(name, released, positions):
            values = original.labels if numeric else np.full(len(original.labels), np.nan)
            return ComparedColumn(numeric, original, original.codes, canonical_labels_of(original), values, kept)
        if name in released:
            after = _without_stars(encode_column(released[name]))
            codes[positions] = after.codes
        values = released_numbers(after.labels) if numeric else np.full(len(after.labels), np.nan)
        return ComparedColumn(numeric, original, codes, canonical_labels_of(after), values, kept)


def _without_stars(column: EncodedColumn) -> EncodedColumn:
    """The column with labels of stars alone as missing values."""
    kept = np.array([not is_no_value(label) for label in column.labels], dtype=bool)
    if kept.all():
        return column
    new = np.where(kept, np.cumsum(kept) - 1, -1)
    return EncodedColumn(np.append(new, -1)[column.codes], column.labels[kept])
