"""Coded terms of a table: which columns have the same terms at several levels, and which rows are of what happened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from study.models.roles import Role, TableModel
from study.operations import OperationKind

# Answers that deny an event: a question about it was answered by no, or not asked.
DENIES = (("OCCUR", "N"), ("STAT", "NOT DONE"))
VERBATIM = ("TERM", "TRT", "MODIFY")  # of SDTM's general classes; they contain the term, too
_SAY_IT_TOO = ("TOX", "SCAT")  # what a grade is a grade of, and a category below that of the term
_GROUPS = re.compile(r"(CQ|SMQ)\d+\w*")  # ADaM: queries that a term belongs to


@dataclass(frozen=True)
class TermLadder:
    """Columns of a ``table`` with one coded term at several levels, from the finest on; often one column alone.

    ``levels`` are the columns that a row can be raised to, ``columns`` these with their codes, each after its words.
    ``prefix``: the letters that SDTM's columns of these records begin with, "" elsewhere.
    """

    name: str
    prefix: str
    levels: tuple[str, ...]
    columns: tuple[str, ...]
    table: TableModel = field(repr=False)

    def read(self, short: str, frame: pd.DataFrame) -> pd.Series | None:
        """The column beside the term that the merge knows by this name; None without."""
        if self.prefix:
            return frame.get(f"{self.prefix}{short}")
        return self.table.read(short, frame)

    @cached_property
    def said_again(self) -> frozenset[str]:
        """Columns with the term in other words: as it was entered, or what its code means."""
        if self.prefix:
            groups = (name for name in self.table.columns if _GROUPS.fullmatch(name))
            return frozenset((*(f"{self.prefix}{suffix}" for suffix in (*VERBATIM, *_SAY_IT_TOO)), *groups))
        words = self.table.of_role(Role.VERBATIM, Role.LABEL)
        return frozenset(name for name in words if self.table.columns[name].part_of in ("", *self.columns))

    @property
    def is_of_ids(self) -> bool:
        """Whether the terms are ids of records that say what they mean: they leave as pseudonyms, and name nothing."""
        says = (self.table.columns[name].says for name in self.levels)
        return all(one is not None and one.operation is OperationKind.RECODE_ID for one in says)

    @property
    def answers(self) -> list[str]:
        """The columns that say whether an event took place; all of a table that derives it from others."""
        names = [f"{self.prefix}{short}" if self.prefix else self.table.called(short) for short, _ in DENIES]
        return list(self.table.columns) if any(name in self.table.derived for name in names) else names

    def happened(self, frame: pd.DataFrame) -> np.ndarray:
        """Whether the event of a row (n_rows,) took place: not if a question about it was denied or not answered."""
        took_place = np.ones(len(frame), dtype=bool)
        for short, denies in DENIES:
            answers = self.read(short, frame)
            if answers is not None:
                took_place &= ~answers.astype("str").str.upper().eq(denies).to_numpy(dtype=bool, na_value=False)
        return took_place


def term_ladders(domain: str, table: TableModel | None, columns: Iterable[str]) -> list[TermLadder]:
    """The coded terms among some ``columns`` of a table, by name. What a test is called is no term."""
    if table is None:
        return []
    tests = {name for name, short in table.short.items() if short in ("TEST", "TESTCD")}
    found: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(columns):
        column = table.columns.get(name)
        if column is not None and column.role is Role.CODED_TERM and name not in tests:
            own = column.ladder or f"{domain}.{_root(name, table)}"
            found.setdefault((own, column.ladder), []).append(name)
    return [_ladder(*named, names, table) for named, names in sorted(found.items())]


def _root(name: str, table: TableModel) -> str:
    """The column of which this one says a part again, if that has terms as well; else itself."""
    whole = table.columns[name].part_of
    is_term = whole in table.columns and table.columns[whole].role is Role.CODED_TERM
    return whole if is_term else name


def _ladder(name: str, prefix: str, columns: Sequence[str], table: TableModel) -> TermLadder:
    ordered = sorted(columns, key=lambda one: (table.columns[one].level, table.columns[one].code_of in columns))
    levels = [one for one in ordered if not table.columns[one].code_of]
    return TermLadder(name, prefix, tuple(levels), tuple(ordered), table)
