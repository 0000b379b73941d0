"""How the texts of each column that leaves are judged: by what the data model says that the column is for."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import pandas as pd

from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.people import RecodedColumn
from disclosure_control.release.recodings import RESULTS, rows_of_test
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.values_seen import CODE
from study.operations import names_variable

ALL = "all"  # the word of the config for every text of a column
# Pseudonyms, moved dates and keys are made here; what else they hold, other searches find.
_NOT_READ = (
    Role.PERSON,
    Role.RECORD_KEY,
    Role.FOREIGN_KEY,
    Role.DATE,
    Role.BIRTH,
    Role.DEATH_DATE,
    Role.STUDY_DAY,
)
_TERMS = (Role.CODED_TERM, Role.LABEL)
# Of SDTM: names of tables, and of variables.
_NAMES_OF_TABLES, _NAME_OF_VARIABLE = ("DOMAIN", "RDOMAIN"), "IDVAR"
_NAMES = ("QNAM", "QLABEL")
_CODES_OF_PLANS = ("TSVALCD", "TSVCDVER")  # codes of a terminology, and its version, which may be a date
FLAG_ENDING = "FL"


class TextKind(StrEnum):
    """How the texts of a column are judged."""

    TEXT = "text"  # one of few people is emptied
    FLAG = "flag"  # the same, and so is every text but yes and no
    NAME = "name of a variable or unit"  # a text of few people is emptied, and so is one that may name somebody
    TERM = "coded term"  # rare ones are a matter of ``rare_terms``; by form, and beside the other terms
    MEDICAL_TERM = "term of a medical dictionary"  # the same, and by its words
    PLAN = "plan"  # of the study: no person has it, so its form decides
    DICTIONARY = "dictionary"  # what codes mean


@dataclass(frozen=True, eq=False)
class JudgedColumn:
    """The texts of a column that are judged in one way; texts of the same ``key`` are counted together in all files.

    ``declared`` texts may leave. ``finer``: columns that a coded term follows from. ``of_flags``: the rows of a
    supplement whose QNAM is a flag. ``tests`` are quasi-identifiers, or were treated; ``pseudonyms``: codes, by the
    column that has them, whose rows hold pseudonyms or moved dates.
    """

    file: str
    column: str
    kind: TextKind
    declared: frozenset[str] = frozenset()
    finer: tuple[str, ...] = ()
    of_flags: bool = False
    tests: tuple[RecodedColumn, ...] = field(default=(), repr=False)
    pseudonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    table: TableModel | None = field(default=None, repr=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.column, str(self.kind)

    @property
    def question(self) -> Hashable:
        """What is asked of which of its rows."""
        of_rows = tuple(one.name for one in self.tests), tuple(self.pseudonyms.items())
        return self.column, self.kind, self.finer, self.of_flags, of_rows

    def rows(self, frame: pd.DataFrame) -> np.ndarray:
        """The rows (n_rows,) that are judged: without tests that are quasi-identifiers, which classes protect."""
        kept = np.ones(len(frame), dtype=bool)
        if self.column == "QVAL" and "QNAM" in frame:
            kept &= frame["QNAM"].str.endswith(FLAG_ENDING).fillna(False).to_numpy(dtype=bool) == self.of_flags
        for by, names in self.pseudonyms.items():
            if by in frame:
                kept &= ~frame[by].isin(names).to_numpy()
        for test in self.tests:
            if self.table is not None:
                kept &= ~rows_of_test(frame, test, self.table)[0]
        return kept


def text_columns(
    released: ReleasedStudy, quasi_identifiers: Sequence[str], declared: Mapping[str, Sequence[str] | str]
) -> list[JudgedColumn]:
    """The columns of texts that leave and are judged, file by file."""
    return [
        column
        for name, file in released.files.items()
        for column in _of_file(name, file, released, quasi_identifiers, declared)
    ]


def _of_file(
    name: str,
    file: ReleasedFile,
    released: ReleasedStudy,
    quasi_identifiers: Sequence[str],
    declared: Mapping[str, Sequence[str] | str],
) -> Iterator[JudgedColumn]:
    table, domain = released.model.table(name), file.source.domain
    accounts = {one.variable: one for one in file.accounts if not one.rows_of}
    treated = [one.variable for one in file.accounts if one.rows_of == "test" and one.recoded]
    tests = tuple(
        RecodedColumn(f"{domain}__{one}", np.zeros(0), None)
        for one in dict.fromkeys(
            [*treated, *(qi.partition("__")[2] for qi in quasi_identifiers if qi.startswith(f"{domain}__"))]
        )
        if one not in file.columns
    )
    made: dict[str, tuple[str, ...]] = {}
    for one in file.accounts:
        if one.rows_of not in ("", "test") and (one.is_disguised or one.recoded):
            made[one.rows_of] = (*made.get(one.rows_of, ()), one.variable)
    results = () if table is None else tuple(table.called(short) for short in RESULTS)
    for column in map(str, file.columns):
        known = None if table is None else table.columns.get(column)
        if not _is_read(column, file, accounts.get(column), known) or f"{domain}__{column}" in quasi_identifiers:
            continue
        may_leave = _declared(domain, column, declared)
        if may_leave is None:
            continue
        may_leave |= _names_of_the_study(column, released)
        is_value = column in results or column.endswith(("VAL", "ORRES", "STRESC"))
        judged = JudgedColumn(
            name,
            column,
            _kind(column, file, known, table),
            may_leave,
            _finer(column, table, file),
            tests=tests if is_value else (),
            pseudonyms=made if is_value else {},
            table=table,
        )
        yield judged
        if column == "QVAL":
            yield replace(judged, kind=TextKind.FLAG, of_flags=True)


def _is_read(column: str, file: ReleasedFile, account: Account | None, known: ColumnModel | None) -> bool:
    """Whether a column has texts that came as they are."""
    if file.columns[column].dtype.kind == "f" or column == "IDVARVAL":
        return False
    if account is not None and (account.is_disguised or account.recoded):
        return False
    return known is None or known.role not in _NOT_READ


def _names_of_the_study(column: str, released: ReleasedStudy) -> frozenset[str]:
    """What a column that names tables or variables may hold: those of the study, however few people have them."""
    tables = released.model.tables
    if column in _NAMES_OF_TABLES:
        return frozenset(tables) | {released.model.domain(name) for name in tables}
    if column == _NAME_OF_VARIABLE:
        return frozenset(variable for table in tables.values() for variable in table.columns)
    return frozenset()


def _declared(domain: str, column: str, declared: Mapping[str, Sequence[str] | str]) -> frozenset[str] | None:
    """The texts of a column that may leave by the config, None for all."""
    found: set[str] = set()
    for pattern, texts in declared.items():
        if names_variable(pattern, domain, column):
            if texts == ALL:
                return None
            found.update(texts)
    return frozenset(found)


def _kind(column: str, file: ReleasedFile, known: ColumnModel | None, table: TableModel | None) -> TextKind:
    if not file.has_people:
        is_list = table is not None and table.kind is TableKind.DICTIONARY and not table.names_columns
        is_list = is_list or column in _CODES_OF_PLANS
        return TextKind.DICTIONARY if is_list else TextKind.PLAN
    if (known is not None and known.role is Role.FLAG) or column.upper().endswith(FLAG_ENDING):
        return TextKind.FLAG
    if column in _NAMES or (known is not None and known.role is Role.UNIT):
        return TextKind.NAME
    if known is not None and known.role in _TERMS and not _are_words_by_guess(column, file, known, table):
        return TextKind.MEDICAL_TERM if table is not None and table.prefix and known.ladder else TextKind.TERM
    if known is not None and known.refers_to:
        return TextKind.TERM  # numbers of a dictionary: of what kind a record is, in which unit
    return TextKind.TEXT


def _are_words_by_guess(column: str, file: ReleasedFile, known: ColumnModel, table: TableModel | None) -> bool:
    """Whether a term of a plain table is written in words, without a code beside it: its list is unknown."""
    first = file.seen[column].first if known.is_guessed and column in file.seen else ()
    codes = sum(pd.Series(first, dtype="str").str.fullmatch(CODE).fillna(False)) if first else 0
    return known.is_guessed and 2 * codes < len(first) and not _finer(column, table, file)


def _finer(column: str, table: TableModel | None, file: ReleasedFile) -> tuple[str, ...]:
    """The columns that leave from which a term follows: finer levels of its ladder, and its code."""
    known = None if table is None else table.columns.get(column)
    if table is None or known is None or known.role not in _TERMS:
        return ()
    found = []
    for name in map(str, file.columns):
        other = table.columns.get(name)
        if other is None or name == column or other.role is not Role.CODED_TERM:
            continue
        is_finer = bool(known.ladder) and other.ladder == known.ladder and other.level < known.level
        if is_finer or other.code_of == column or (known.role is Role.LABEL and not known.ladder):
            found.append(name)
    return tuple(found)
