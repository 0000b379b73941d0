"""A table of cells as people again, of whom every count is that of the pool.

Which values of two sensitive features belong together is not known, and no measure asks: k, l, t, ``risk`` and
``recommend`` read counts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from Anonymization_Models import CountTable, EquivalenceClasses, SensitiveCounts, classes_of_columns
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.again import Anew
from disclosure_control.basics.encoding.columns import LARGEST_EXACT
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError
from disclosure_control.pooling.cells import CellSpace, DeclaredColumn, names_of
from disclosure_control.records.dataset_rules import typed_column
from disclosure_control.records.limits import NO_LIMITS
from disclosure_control.records.people import People, evaluated_columns
from disclosure_control.records.subjects import SubjectsInMemory


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
            "otherwise than the others"
        )


class PooledPeople(People):
    """The people whom cells (n_classes, width) count. Raises ``FaultyInputError`` as a dataset does.

    Records are made of the cells where a measure asks for them, sorted by class; none of them is a person's.
    """

    def __init__(self, space: CellSpace, cells: np.ndarray, config: PilotConfig):
        self.config, self.space = config, space
        patterns = space.patterns(cells)
        rows = np.flatnonzero(patterns.any(axis=1))
        of_row = patterns[rows].sum(axis=1).astype(np.int64)
        codes = dict(zip(names_of(space.quasi_identifiers), space.codes_of(rows), strict=True))
        people = {
            column.name: np.bincount(codes[column.name] + 1, of_row, column.n_codes).astype(np.int64)
            for column in space.quasi_identifiers
        }
        for number, column in enumerate(space.sensitive):
            of_value = space.values(cells, number).sum(axis=0).astype(np.int64)
            people[column.name] = np.append(of_row.sum() - of_value.sum(), of_value)
        self.people_of_code = people  # (n_codes,) by column, missing first
        texts = {column.name: TextsOfCodes.of(column, people[column.name], config) for column in space.columns}
        self._columns, self.binnings = evaluated_columns(
            config,
            {name: one.exact for name, one in texts.items()},
            {name: one.people for name, one in texts.items()},
            {name: Anew(functools.partial(self._texts_of_records, name)) for name in texts},
        )
        self._text_of_class = {name: texts[name].text_of_code[code + 1] for name, code in codes.items()}
        order = self._form_classes(len(rows), of_row)
        self._text_of_class = {name: text[order] for name, text in self._text_of_class.items()}
        self._cells = {
            column.name: space.values(cells, number)[rows[order]][:, texts[column.name].occurs]
            for number, column in enumerate(space.sensitive)
        }
        self._patterns = patterns[rows[order]]
        self.counts = {name: self._count(name) for name in self._cells}
        self._class_of_record = Anew(lambda: [np.arange(self.classes.n_classes).repeat(self.classes.size)])
        self._subjects, self._folder, self._limits = SubjectsInMemory(None, int(of_row.sum())), None, NO_LIMITS

    def _form_classes(self, n_rows: int, of_row: np.ndarray) -> np.ndarray:
        """Number the rows as door 2 numbers classes; which row (n_classes,) each class is."""
        names = self.config.quasi_identifiers
        columns = [self._columns[name].encoded.of_records(self._text_of_class[name]) for name in names]
        found = classes_of_columns(names, columns, n_rows)
        order = np.argsort(found.class_of_record)
        self.classes = EquivalenceClasses(names, found.labels, found.class_codes, of_row[order])
        return order

    def _count(self, name: str) -> SensitiveCounts:
        """The count of a sensitive feature, in the order of its labels."""
        encoded, cells = self._columns[name].encoded, self._cells[name]
        by_label = np.argsort(encoded.codes[:-1])  # the last text is the missing one
        class_of_cell, value_of_cell = np.nonzero(cells[:, by_label])
        people = cells[:, by_label][class_of_cell, value_of_cell].astype(np.int64)
        table = CountTable(class_of_cell, value_of_cell, people, encoded.labels, self.classes.n_classes)
        return SensitiveCounts.of(table, self.classes.n_records - int(people.sum()))

    def _texts_of_records(self, name: str) -> Iterator[np.ndarray]:
        """The text of each record, all in one block; the values of a class fall to its records with a value."""
        if name in self._text_of_class:
            yield self._text_of_class[name].repeat(self.classes.size)
            return
        class_of_entry, pattern = np.nonzero(self._patterns)
        n_of_entry = self._patterns[class_of_entry, pattern].astype(np.int64)
        has_value = (pattern >> list(self._cells).index(name) & 1).astype(bool).repeat(n_of_entry)
        class_of_cell, text = np.nonzero(self._cells[name])
        texts = np.full(len(has_value), -1)
        texts[has_value] = text.repeat(self._cells[name][class_of_cell, text].astype(np.int64))
        yield texts

    def evaluated_by(self, config: PilotConfig) -> PooledPeople:
        raise RecordsNotAtHandError("an evaluation of exact values, which no cell has,")


class TextsOfCodes(NamedTuple):
    """The declared values of a column that somebody has, typed as those of a file are, and a missing one at the end.

    ``occurs`` (n_texts - 1,) are their codes; ``text_of_code`` (n_codes,) is the text of each, first of missing.
    """

    exact: pd.Series
    people: np.ndarray
    occurs: np.ndarray
    text_of_code: np.ndarray

    @classmethod
    def of(cls, column: DeclaredColumn, people: np.ndarray, config: PilotConfig) -> TextsOfCodes:
        """Those of a column whose codes, missing first, ``people`` (n_codes,) have."""
        occurs = np.flatnonzero(people[1:])
        text_of_code = np.full(column.n_codes, -1)
        text_of_code[occurs + 1] = np.arange(len(occurs))
        texts = pd.Series([*(column.texts[code] for code in occurs), None], dtype="str", name=column.name)
        of_texts = np.append(people[1:][occurs], people[0])
        return cls(typed_column(texts, config, of_texts), of_texts, occurs, text_of_code)


def bits(flags: Iterator[np.ndarray], n_classes: int) -> np.ndarray:
    """Flags, each (n_classes,) of bool, as bytes (n_classes, n_bytes), the first flag in the lowest bit."""
    columns = np.array([*flags], dtype=bool).reshape(-1, n_classes)
    return np.packbits(columns.T, axis=1, bitorder="little")
