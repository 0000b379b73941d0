"""Columns whose words tell a fact, whatever the column is called: each distinct text is asked once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from disclosure_control.basics.encoding.dictionary import as_texts
from study.formats.matches import are_matching
from study.formats.tables import SourceTable
from study.models.roles import Role, TableKind, TableModel

# Columns that say nothing of what happened to a person in words.
_SILENT = (
    Role.PERSON,
    Role.RECORD_KEY,
    Role.FOREIGN_KEY,
    Role.DATE,
    Role.TIME,
    Role.STUDY_DAY,
    Role.UNIT,
    Role.VISIT,
    Role.ARM,
    Role.SITE,
    Role.PLACE,
    Role.BIRTH,
    Role.BIRTH_YEAR,
    Role.AGE,
    Role.SEX,
    Role.ORIGIN,
    Role.DEATH_DATE,
    Role.IDENTIFIER,
    Role.DESCRIBES_RECORD,
)
_NAMES_OF_TESTS = ("TEST", "TESTCD", "PARAM", "PARAMCD", "CAT", "SCAT")
_OF_NOBODY = (TableKind.DESIGN, TableKind.RELATIONS, TableKind.DICTIONARY, TableKind.LEGEND)


@dataclass(frozen=True)
class Words:
    """What short texts say: one of ``words``, and none of ``otherwise``, in at most ``most_words`` words.

    ``hint`` is a part of each of the words, in small letters, by which texts are chosen first.
    """

    words: re.Pattern[str]
    otherwise: re.Pattern[str]
    hint: str
    most_words: int

    def says(self, text: str) -> bool:
        """Whether a text says it."""
        is_said = self.words.search(text) is not None and self.otherwise.search(text) is None
        return is_said and len(text.split()) <= self.most_words

    def said_in(self, texts: pd.Index | np.ndarray, meanings: Mapping[str, str]) -> np.ndarray:
        """Which of the distinct ``texts`` (n,) say it, in the words that a code book has for them."""
        found = pd.Series(texts, dtype=object).map(_as_text).astype("str")
        found = found.map(lambda text: meanings.get(text, text)).astype("str") if meanings else found
        said = are_matching(pc.utf8_lower(as_texts(found)), self.hint)
        said[said] = [self.says(str(text)) for text in found[said]]
        return said


def columns_saying(table: TableModel, source: SourceTable, words: Words) -> list[str]:
    """The columns of a file some value of which says something; columns of many numbers are not read."""
    return [
        name
        for name in _speaking(table, source.frame)
        if words.said_in(source.counts_of(name).index, table.values.get(name, {})).any()
    ]


def rows_saying(table: TableModel, frame: pd.DataFrame, words: Words) -> Iterator[tuple[str, np.ndarray]]:
    """The columns of a frame that say something, and in which rows (n_rows,) they do."""
    for name in _speaking(table, frame):
        codes, distinct = pd.factorize(frame[name])
        said = words.said_in(distinct, table.values.get(name, {}))
        if said.any():
            yield name, np.append(said, False)[codes]


def _as_text(value: object) -> str:
    """A value as the text under which a code book has it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _speaking(table: TableModel, frame: pd.DataFrame) -> list[str]:
    if table.kind in _OF_NOBODY:
        return []
    tests = {table.called(short) for short in _NAMES_OF_TESTS} | {*_NAMES_OF_TESTS}
    found = []
    for name in map(str, frame):
        column = table.columns.get(name)
        is_text = frame[name].dtype == "str" or name in table.values
        if column is not None and column.role not in _SILENT and name not in tests and is_text:
            found.append(name)
    return found
