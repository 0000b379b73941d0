"""Texts of few people are emptied: what stands in a cell or two among ordinary values may name somebody in any words.

A share of a column says nothing of one text in it. So every distinct text that leaves is judged alone: by how many
people of the whole package have it, and by its form (``identifiers.single_texts``). Results, units, codes and terms of
the standard stay, and so does what the config declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.kept import Kept
from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows, ReleasedStudy
from disclosure_control.release.people import ReleasePeople, texts_of
from disclosure_control.release.study import NOBODY
from disclosure_control.release.texts.emptied_cells import QVAL, EmptiedCells, PartsWithout, with_joined_cells
from disclosure_control.release.texts.judged_texts import TextsSeen, judged
from disclosure_control.release.texts.ordinary_texts import are_ordinary, words_of
from disclosure_control.release.texts.text_rules import JudgedColumn, TextKind, text_columns

MOST_OF_FEW = 10  # a text of fewer people, in a study of a hundred, leaves only in words that more people have
ONE_IN = 10  # in a smaller study of fewer than one in ten of its people
_ALL_TEXTS = (TextKind.FLAG, TextKind.TERM, TextKind.MEDICAL_TERM)  # judged beside the ordinary ones
LONG_NUMBER = r"^\d{6,}$"  # may be a part of the number of its person
_JOINED = "an empty cell alone would say who had another text"


@dataclass(frozen=True)
class EmptiedTexts:
    """What was emptied in a ``column`` of a ``file``: ``cells`` with one of so many distinct ``texts``."""

    file: str
    column: str
    texts: int
    cells: int


@dataclass(frozen=True)
class RareTexts:
    """What was emptied, by file and column; ``table`` has every text with its people and the reason: restricted."""

    emptied: tuple[EmptiedTexts, ...] = ()
    table: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({"text": [], "why": []}), repr=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that leave in no cell for which they were emptied; not those of cells that were emptied beside."""
        return tuple(self.table["text"][self.table["why"] != _JOINED])


class _TextsOfRows(NamedTuple):
    """Texts of the rows of a column, each once: ``pairs`` (2, n) of a text and who has it, rows of each (n_texts,).

    ``followed``: by which finer terms they come; ``own_numbers``: parts of the id of their person.
    """

    texts: Sequence[str]
    pairs: np.ndarray
    n_rows: np.ndarray
    followed: list[pd.DataFrame]
    own_numbers: frozenset[str]


@dataclass
class _Counted:
    """The texts of all columns of one key, each once, with who has them, and the rows of each file with them."""

    place: dict[str, int] = field(default_factory=dict, repr=False)
    pairs: list[np.ndarray] = field(default_factory=list, repr=False)
    rows: dict[JudgedColumn, dict[str, int]] = field(default_factory=dict, repr=False)
    followed: list[pd.DataFrame] = field(default_factory=list, repr=False)
    own_numbers: set[str] = field(default_factory=set, repr=False)

    def add(self, column: JudgedColumn, of_rows: _TextsOfRows) -> None:
        """Further rows of a column."""
        at = np.array([self.place.setdefault(text, len(self.place)) for text in of_rows.texts], dtype=np.int64)
        self.pairs.append(np.stack([at[of_rows.pairs[0]], of_rows.pairs[1]]))
        n_rows = self.rows.setdefault(column, {})
        for text, n in zip(of_rows.texts, of_rows.n_rows.tolist(), strict=True):
            n_rows[text] = n_rows.get(text, 0) + n
        self.followed += of_rows.followed
        self.own_numbers |= of_rows.own_numbers

    @cached_property
    def seen(self) -> TextsSeen:
        """The texts, and how many people and rows have each."""
        texts = list(self.place)
        pairs = np.concatenate([np.zeros((2, 0), dtype=np.int64), *self.pairs], axis=1)
        pairs = pairs[:, pairs[1] > 0]
        width = int(pairs[1].max(initial=0)) + 1
        n_people = np.bincount(pd.unique(pairs[0] * width + pairs[1]) // width, minlength=len(texts))
        rows = np.array([sum(of_file.get(text, 0) for of_file in self.rows.values()) for text in texts], dtype=np.int64)
        return TextsSeen(texts, n_people, rows, self.followed, frozenset(self.own_numbers))


def without_rare_texts(
    released: ReleasedStudy,
    people: ReleasePeople,
    k: int,
    quasi_identifiers: Sequence[str] = (),
    declared: Mapping[str, Sequence[str] | str] | None = None,
    drawn: Callable[[str], np.ndarray] | None = None,
    kept: Kept | None = None,
) -> tuple[ReleasedStudy, RareTexts]:
    """The study without texts of fewer than ``k`` people, and without those of a person's form; what was emptied.

    A text of ``k`` people, but of fewer than ten (in a small study, than one in ten), stays if other texts of more
    people have all of its words. ``quasi_identifiers`` are protected by their classes, and are not judged.
    ``declared``: texts that may leave, by the pattern of a variable; "all" of a column. Texts of tables of the study's
    design may leave, too. ``drawn``: of whom cells are emptied beside those of few people (``emptied_cells``).
    ``kept``: how the same texts were judged before.
    """
    columns = text_columns(released, quasi_identifiers, declared or {})
    counted = _counted(released, columns, people, (kept or Kept()).of_files)
    n_people = int(people.stays.sum())
    least = max(k, min(MOST_OF_FEW, n_people // ONE_IN))
    known = _words_of_many(counted, least)
    of_few, kept = (k, least, known), kept or Kept()
    judgements = {
        key: kept.of(("texts", key[1], *of_few, one.seen.print), partial(judged, one.seen, TextKind(key[1]), *of_few))
        for key, one in counted.items()
    }
    plans = [one.place.keys() - judgements[key].keys() for key, one in counted.items() if key[1] == TextKind.PLAN]
    planned = frozenset().union(*plans)
    emptied: dict[str, dict[JudgedColumn, frozenset[str]]] = {}
    for column in columns:
        here = counted[column.key].rows.get(column, {}) if column.key in counted else {}
        if here and (texts := judgements[column.key].keys() & here.keys() - column.declared - planned):
            emptied.setdefault(column.file, {})[column] = frozenset(texts)
    cells = {name: with_joined_cells(released.files[name], of_file, k, drawn) for name, of_file in emptied.items()}
    return _study_without(released, cells), _told(cells, counted, judgements)


# ---------------------------------------------------------------- who has each text


def _counted(
    released: ReleasedStudy, columns: Sequence[JudgedColumn], people: ReleasePeople, kept: Kept
) -> dict[tuple[str, str], _Counted]:
    """The texts of the columns that are not ordinary, by their keys; of rows in memory as they were ``kept`` before."""
    found: dict[tuple[str, str], _Counted] = {}
    by_file: dict[str, list[JudgedColumn]] = {}
    for column in columns:
        by_file.setdefault(column.file, []).append(column)
    digits = _DigitsOfIds(people)
    for name, of_file in by_file.items():
        for part in released.files[name].parts:
            find = partial(_in_part, of_file, part, digits)
            key = "texts", id(part.frame), *(column.question for column in of_file)
            in_part, _ = find() if released.files[name].is_in_parts else kept.of(key, find)
            for column, texts in zip(of_file, in_part, strict=True):
                if texts is not None:
                    found.setdefault(column.key, _Counted()).add(column, texts)
    return found


def _in_part(
    columns: Sequence[JudgedColumn], part: ReleasedRows, digits: _DigitsOfIds
) -> tuple[list[_TextsOfRows | None], ReleasedRows]:
    """The texts of each column that are not ordinary; with their rows, so that no others get their place in memory."""
    return [_texts_of_rows(column, part, digits) for column in columns], part


def _texts_of_rows(column: JudgedColumn, part: ReleasedRows, digits: _DigitsOfIds) -> _TextsOfRows | None:
    at = np.flatnonzero(column.rows(part.frame) & part.frame[column.column].notna().to_numpy())
    if not len(at):
        return None
    codes, distinct = pd.factorize(part.frame[column.column].iloc[at].astype("str"))
    texts, whose = as_texts(distinct), part.people[at]
    asked, own_numbers = np.ones(len(texts), dtype=bool), frozenset[str]()
    if column.kind not in _ALL_TEXTS:
        asked = ~are_ordinary(texts)
        numbers = np.asarray(distinct.str.match(LONG_NUMBER), dtype=bool) & ~asked
        if numbers.any() and column.kind is TextKind.TEXT:
            own = digits.of_persons(distinct, codes, whose, numbers)
            own_numbers = frozenset(distinct[own])
            asked |= own
    rows = np.flatnonzero(asked[codes])
    if not len(rows):
        return None
    of_row, people = (np.cumsum(asked) - 1)[codes[rows]], np.maximum(whose[rows], NOBODY)
    width = int(people.max(initial=0)) + 2
    pairs = np.stack(np.divmod(pd.unique(of_row.astype(np.int64) * width + people + 1), width))
    followed = []
    for name in column.finer:
        pair = pd.DataFrame({"finer": part.frame[name].iloc[at[rows]].astype(object), "text": distinct[codes[rows]]})
        followed.append(pair.assign(by=name).value_counts().reset_index(name="rows"))
    asked_for = distinct[asked].tolist()
    return _TextsOfRows(asked_for, pairs, np.bincount(of_row, minlength=len(asked_for)), followed, own_numbers)


class _DigitsOfIds:
    """The digits of each person's id, to find a part of them that stands in a cell as a number."""

    def __init__(self, people: ReleasePeople):
        self._people = people

    @cached_property
    def _digits(self) -> np.ndarray:
        return (
            pd.Series(pd.array(texts_of(self._people.ids), dtype="str")).str.replace(r"\D", "", regex=True).to_numpy()
        )

    def of_persons(self, texts: pd.Index, codes: np.ndarray, people: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """Which of the ``asked`` texts (n_texts,) are, in any of their rows, a part of the id of the row's person."""
        rows = np.flatnonzero(asked[codes] & (people >= 0))
        pairs = pd.DataFrame({"text": codes[rows], "person": people[rows]}).drop_duplicates()
        found = np.zeros(len(texts), dtype=bool)
        ids = self._digits[pairs["person"]]
        is_part = [text in own for text, own in zip(texts[pairs["text"]], ids, strict=True)]
        found[pairs["text"].to_numpy()[np.array(is_part, dtype=bool)]] = True
        return found


def _words_of_many(counted: Mapping[tuple[str, str], _Counted], least: int) -> frozenset[str]:
    """The words of texts that at least so many people have."""
    found: set[str] = set()
    for one in counted.values():
        found |= words_of([text for text, n in zip(one.seen.texts, one.seen.people, strict=True) if n >= least])
    return frozenset(found)


# ---------------------------------------------------------------- the files


def _study_without(
    released: ReleasedStudy, emptied: Mapping[str, Mapping[JudgedColumn, EmptiedCells]]
) -> ReleasedStudy:
    files = dict(released.files)
    for name, of_file in emptied.items():
        files[name] = _file_without(released.files[name], of_file)
    places = {(column.file, column.column) for of_file in emptied.values() for column in of_file}
    accounts = (
        replace(one, has_rare_texts=one.stays and not one.rows_of and (one.file, one.variable) in places)
        for one in released.accounts
    )
    return replace(released.with_files(files), accounts=tuple(accounts))


def _file_without(file: ReleasedFile, emptied: Mapping[JudgedColumn, EmptiedCells]) -> ReleasedFile:
    parts: Iterable[ReleasedRows] = PartsWithout(file.parts, emptied)
    if not file.is_in_parts:
        parts = list(parts)
    found = replace(file, parts=parts)
    changed = {column.column for column in emptied}
    if QVAL in changed:
        return found  # rows went, too
    return found.with_overview_of(file, changed)


# ---------------------------------------------------------------- what was emptied


def _told(
    emptied: Mapping[str, Mapping[JudgedColumn, EmptiedCells]],
    counted: Mapping[tuple[str, str], _Counted],
    judgements: Mapping[tuple[str, str], Mapping[str, str]],
) -> RareTexts:
    told, rows = [], []
    for of_file in emptied.values():
        for column, cells in of_file.items():
            n_rows, one, texts = counted[column.key].rows[column], counted[column.key], cells.texts
            n_cells = sum(n_rows[text] for text in texts) + sum(joined.n_cells for joined in cells.joined)
            told.append(EmptiedTexts(column.file, column.column, len(texts), n_cells))
            rows += [
                (column.file, column.column, joined.text, len(joined.people), joined.n_cells, _JOINED)
                for joined in cells.joined
            ]
            rows += [
                (column.file, column.column, text, int(one.seen.people[one.place[text]]), n_rows[text], why)
                for text, why in judgements[column.key].items()
                if text in texts
            ]
    table = pd.DataFrame(rows, columns=["file", "column", "text", "people", "cells", "why"])
    return RareTexts(tuple(told), table.sort_values(["file", "column", "text"], ignore_index=True))
