"""The rows of a domain by person: each column read once, as texts by their codes, as numbers or as moments."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.encoding.interval_labels import interval_of
from disclosure_control.basics.encoding.text_codes import TextCodes, text_codes
from study.formats.days import day_numbers, days_of
from study.models.roles import TableModel

_TIME_OF_DAY = r"T(\d\d):(\d\d)(?::(\d\d))?"


class ColumnsOnDisk:
    """The columns of a file whose rows are on disk: ``read`` gives one of them (n_rows,), and others at no more cost.

    ``asked`` collects the names of those that were asked for. Numbers are kept once they are read; texts are not,
    because those who ask keep their codes.
    """

    def __init__(self, names: Sequence[str], n_rows: int, read: Callable[[str], dict[str, pd.Series]]) -> None:
        self._names, self.index, self._of = names, pd.RangeIndex(n_rows), read
        self.asked: list[str] = []
        self._read: dict[str, pd.Series] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> pd.Series:
        if name not in self.asked:
            self.asked.append(name)
        if name not in self._read:
            self._read |= self._of(name)
        found = self._read[name]
        if found.dtype.kind != "f":
            del self._read[name]
        return found


@dataclass(frozen=True)
class PersonRows:
    """Some columns of a data set, and the person of each row (n_rows,), below 0 of nobody."""

    frame: pd.DataFrame | ColumnsOnDisk = field(repr=False)
    people: np.ndarray = field(repr=False)

    def of_columns(self, names: Sequence[str]) -> pd.DataFrame:
        """A frame with at least some columns, those of them that are there."""
        return pd.DataFrame({name: self.frame[name] for name in names if name in self.frame}, index=self.frame.index)


@dataclass(frozen=True)
class Levels:
    """Rows of a table of shares: ``levels`` of ``groups`` (n_levels,), by their ``codes`` of records, -1 of none.

    ``of`` (n_levels, n_arms): the people among whom they are counted, None of everybody in the arm.
    """

    groups: Sequence[str]
    levels: Sequence[str]
    codes: np.ndarray = field(repr=False)
    of: np.ndarray | None = field(default=None, repr=False)

    def with_levels(self, are_rows: np.ndarray) -> Levels:
        """The part with those levels alone that are rows (n_levels,)."""
        place = np.append(np.where(are_rows, np.cumsum(are_rows) - 1, -1), -1)
        groups, levels = (list(itertools.compress(names, are_rows)) for names in (self.groups, self.levels))
        return Levels(groups, levels, place[self.codes], self.of)

    @classmethod
    def of_flag(cls, name: str, is_so: np.ndarray) -> Levels:
        """One row, of the records (n_records,) that are so."""
        return cls([name], [name], np.where(is_so, 0, -1))


class DomainRows:
    """All rows of a domain, of its parts one after the other: columns by the names of the merge, or by their own."""

    def __init__(self, domain: str, table: TableModel, parts: Sequence[PersonRows]) -> None:
        self.domain, self.table, self.parts = domain, table, parts
        self.people = np.concatenate([part.people for part in parts])
        self._columns: dict[str, list[TextCodes | pd.Series]] = {}
        self._codes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.found: dict[str, Any] = {}  # by several tables

    def __contains__(self, column: str) -> bool:
        return any(column in part.frame for part in self.parts)

    def _of_parts(self, column: str) -> list[TextCodes | pd.Series]:
        """A column of each part, read once: the codes of texts, or other values; no code where it is missing."""
        if column not in self._columns:
            found = [part.frame[column] if column in part.frame else len(part.people) for part in self.parts]
            self._columns[column] = [
                TextCodes(np.full(one, -1), pa.array([], "large_string"))
                if isinstance(one, int)
                else (text_codes(one) if one.dtype == "str" else one)
                for one in found
            ]
        return self._columns[column]

    def has(self, column: str) -> bool:
        """Whether some row has a value in a column."""
        return any(
            bool((one.codes >= 0).any() if isinstance(one, TextCodes) else one.notna().any())
            for one in self._of_parts(column)
        )

    def called(self, *shorts: str) -> str | None:
        """The first column that the merge knows by these names and that has a value; None where none has."""
        return next((name for short in shorts if self.has(name := self.table.called(short))), None)

    @property
    def test(self) -> str | None:
        """The column that names the test of each result."""
        return self.called("TESTCD", "TEST")

    @property
    def result(self) -> str | None:
        """The column with the results as numbers, the standard ones before those that were recorded."""
        return self.called("STRESN", "ORRES")

    def codes(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """The code of each row (n_rows,), -1 where missing, and the labels as text, sorted: no table depends on the
        order of rows.
        """
        if column not in self._codes:
            parts = [_coded(one) for one in self._of_parts(column)]
            texts = pa.concat_arrays([one.texts for one in parts]).dictionary_encode()
            order = np.asarray(pc.array_sort_indices(texts.dictionary), dtype=np.int64)
            places = np.split(np.argsort(order)[texts.indices], np.cumsum([len(one.texts) for one in parts])[:-1])
            codes = [np.append(own, -1)[one.codes] for own, one in zip(places, parts, strict=True)]
            labels = np.array(texts.dictionary.take(order).to_pylist(), dtype=object)
            self._codes[column] = np.concatenate(codes), labels
        return self._codes[column]

    def part(self, column: str, is_so: np.ndarray | None = None, group: str = "") -> Levels:
        """A row for each label of a column, of the records (n_rows,) that are so, by default of all."""
        codes, labels = self.codes(column)
        codes = codes if is_so is None else np.where(is_so, codes, -1)
        return Levels([group or column] * len(labels), labels.tolist(), codes)

    def numbers(self, column: str) -> np.ndarray:
        """A column as numbers (n_rows,): of an interval its middle, NaN where no number is known."""
        if self._are_numbers(column):
            return np.concatenate([one.to_numpy() for one in self._of_parts(column) if isinstance(one, pd.Series)])
        codes, _ = self.codes(column)
        return np.append(self.numbers_of_codes(column), np.nan)[codes]

    def _are_numbers(self, column: str) -> bool:
        return all(isinstance(one, pd.Series) and one.dtype.kind == "f" for one in self._of_parts(column))

    def numbers_of_codes(self, column: str) -> np.ndarray:
        """The number of each label of a column (n_labels,), as ``numbers`` has it."""
        labels = self.codes(column)[1]
        numbers = parse_numbers(pd.Series(labels, dtype="str"))
        for place in np.flatnonzero(np.isnan(numbers)):
            interval = interval_of(str(labels[place]).strip())
            if interval is not None:
                ends = [end for end in (interval.low, interval.high) if np.isfinite(end)]
                numbers[place] = sum(ends) / len(ends)
        return numbers

    def bands(self, column: str) -> int:
        """How many intervals the column has in place of numbers."""
        if self._are_numbers(column):
            return 0
        return sum(interval_of(label) is not None for label in self.codes(column)[1].tolist())

    def is_one_of(self, column: str, *words: str) -> np.ndarray:
        """Which rows (n_rows,) have one of the words, in capitals or not."""
        codes, labels = self.codes(column)
        return np.append([label.strip().upper() in words for label in labels.tolist()], False)[codes].astype(bool)

    def moments(self, column: str, at: np.ndarray | None = None) -> np.ndarray:
        """The complete dates ``at`` some places as days since 1970, the time of day as a part; NaN of all others."""
        codes, all_labels = self.codes(column)
        codes, moments = codes if at is None else codes[at], np.full(len(all_labels) + 1, np.nan)
        used = np.flatnonzero(np.bincount(codes + 1, minlength=len(moments))[1:])
        labels = all_labels[used].astype("str")
        days, length = np.full(len(labels), np.datetime64("NaT"), dtype="datetime64[D]"), np.strings.str_len(labels)
        try:
            is_complete = length >= len("2000-01-01")
            days[is_complete] = labels[is_complete].astype("U10").astype("datetime64[D]")
        except ValueError:  # some of them are no dates; to ask each takes ten times as long
            days = days_of(pd.Series(labels, dtype="str"))
        found = day_numbers(days)
        if (timed := length > len("2000-01-01")).any():
            parts = pd.Series(labels[timed]).str.extract(_TIME_OF_DAY).astype(float).fillna(0).to_numpy()
            found[timed] += parts @ (1 / 24, 1 / 1440, 1 / 86400)
        moments[used] = found
        return moments[codes]


def _coded(column: TextCodes | pd.Series) -> TextCodes:
    if isinstance(column, TextCodes):
        return column
    codes, distinct = pd.factorize(column)
    texts = [number_text(one) if isinstance(one, float) else str(one) for one in distinct.tolist()]
    return TextCodes(codes, pa.array(texts, "large_string"))
