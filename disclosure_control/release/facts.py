"""What an acquaintance may know of a person's course: terms, visits, stays, results, a death, the number of rows.

These facts are read from the released files, by the roles that the study's data model gives to tables and columns. A
month is counted from the person's start, because moved dates preserve this distance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.release.opened_rows import (
    NO_FACTS,
    NO_MONTH,
    OF_THE_COURSE,
    OpenedRows,
    RowsOfTable,
    dates_that_begin,
    fact_entries,
    rows_as_facts,
)
from disclosure_control.release.people import labels
from disclosure_control.release.visits import columns_of_stays, stays_of, visits_of
from study.formats.days import days_of
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.coded_terms import DENIES, TermLadder, term_ladders
from study.models.roles import Role, TableKind, TableModel
from study.models.study_model import StudyModel


@dataclass(frozen=True)
class Facts:
    """``people`` and ``facts`` (n_entries,): who has which fact; positions of people, and whole numbers from 0.

    ``holders``: for each kind of fact, how many people have one.
    """

    people: np.ndarray
    facts: np.ndarray
    holders: Mapping[str, int]


def facts_known(
    opened: Mapping[str, RowsOfTable],
    subjects: pd.Series,
    rule: SubjectIdRule,
    kinds: Sequence[str],
    model: StudyModel,
) -> tuple[Facts, Facts]:
    """What may be known of each subject (n_people,), of the ``kinds`` of ``KINDS``: without months, and with.

    A fact with its month replaces the fact, because anyone who knows the month knows the fact. Kinds for which no table
    has columns have no holders: they are not counted.
    """
    known = OpenedRows(opened, pd.Index(subjects.astype("str")), rule, model)
    read = {kind: KINDS[kind].entries(known) for kind in kinds}
    found = {kind: pd.concat([NO_FACTS, *parts]) for kind, parts in read.items() if parts is not None}
    for kind, part in found.items():
        if not model.facts.get(kind, True):
            found[kind] = part.assign(month=NO_MONTH)
    entries = pd.concat([NO_FACTS, *found.values()])
    holders = {kind: int(part["person"].nunique()) for kind, part in found.items()}
    with_month = entries["fact"] + "\0" + entries["month"]
    return _facts(entries, entries["fact"], holders), _facts(entries, with_month, holders)


def _facts(entries: pd.DataFrame, texts: pd.Series, holders: Mapping[str, int]) -> Facts:
    each = pd.DataFrame({"person": entries["person"], "fact": texts}).drop_duplicates()
    codes, _ = pd.factorize(each["fact"], sort=True)
    return Facts(each["person"].to_numpy(dtype=np.int64), codes.astype(np.int64), holders)


def usual_kinds(model: StudyModel) -> tuple[str, ...]:
    """The kinds of facts that are counted where the config names none: those of the data model, else all."""
    return tuple(kind for kind in KINDS if not model.facts or kind in model.facts)


def rows_with_facts(
    tables: Mapping[str, SourceTable], model: StudyModel, rule: SubjectIdRule, kinds: Sequence[str], most: int | None
) -> dict[str, RowsOfTable | None]:
    """Of each table the rows of the columns that facts of the ``kinds`` are read from; None if they are too many."""
    found = {}
    for name, table in tables.items():
        columns = columns_with_facts(name, list(map(str, table.frame)), model, rule, kinds)
        found[name] = RowsOfTable.of(table, columns, rule.column, most)
    return found


def columns_with_facts(
    name: str, columns: Sequence[str], model: StudyModel, rule: SubjectIdRule, kinds: Sequence[str]
) -> list[str]:
    """The columns of a file that facts of the ``kinds`` are read from, in their order."""
    table, domain = model.table(name), model.domain(name)
    wanted = {str(rule.column), *model.starts}
    if table is not None:
        wanted.update(column for kind in kinds for column in KINDS[kind].columns(table, domain, columns))
        wanted.update(() if model.starts else dates_that_begin(table, columns))
    return [column for column in columns if column in wanted]


# ---------------------------------------------------------------- coded terms


def _terms(known: OpenedRows) -> list[pd.DataFrame] | None:
    found = []
    for name, frame in known.frames.items():
        for ladder in known.ladders(name):
            term = finest_term(frame, ladder)
            found.append(fact_entries(known.people(name), f"term {ladder.name}", term, known.months(name, ladder)))
    return found or None


def finest_term(frame: pd.DataFrame, ladder: TermLadder) -> np.ndarray:
    """The finest coded term of each row (n_rows,), None where there is none, or it did not occur."""
    term = np.full(len(frame), None, dtype=object)
    for name in ladder.columns:
        if name in frame:
            missing = pd.isna(term)
            term[missing] = labels(frame[name])[missing]
    term[~ladder.happened(frame) | pd.Series(term).isin(ladder.table.no_term).to_numpy()] = None
    return term


def _columns_of_terms(table: TableModel, domain: str, columns: Sequence[str]) -> list[str]:
    ladders = term_ladders(domain, table, columns)
    if not ladders:
        return []
    found = [name for ladder in ladders for name in ladder.columns] + _columns_of_time(table, columns)
    for ladder in ladders:
        if ladder.prefix:
            found += [f"{ladder.prefix}{short}" for short in ("OCCUR", "STAT", *_BEGINS)]
    return found + _columns_of_denials(table, columns)


_BEGINS = ("STDY", "DY", "STDTC", "DTC")


def _columns_of_time(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns that the month of a row is read from."""
    named = [table.called(short) for short in _BEGINS]
    by_role = [] if table.prefix else [*table.of_role(Role.STUDY_DAY)[:1], *dates_that_begin(table, columns)]
    return [*named, *by_role]


def _columns_of_denials(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns that say whether something happened; a derived one is read from any of the record's."""
    named = [table.called(short) for short, _ in DENIES]
    is_derived = any(name in table.derived and name not in columns for name in named)
    return [*named, *(table.of_role(Role.CATEGORY, Role.DESCRIBES_RECORD) if is_derived else ())]


# ---------------------------------------------------------------- results


def _results(known: OpenedRows) -> list[pd.DataFrame] | None:
    """Which tests of a person had an abnormal result, and in which direction."""
    found = []
    for name, frame in known.frames.items():
        table = known.table(name)
        if table is None or table.kind is not TableKind.FINDINGS:
            continue
        test = next((one for short in ("TESTCD", "TEST") if (one := table.read(short, frame)) is not None), None)
        direction = _direction(table, frame)
        if test is None or direction is None:
            continue
        tested = labels(test)
        result = np.array(
            [None if d is None or t is None else f"{t} {d}" for t, d in zip(tested, direction, strict=True)]
        )
        kind = f"result {known.model.domain(name)}"
        found.append(fact_entries(known.people(name), kind, result, known.months(name)))
    return found or None


def _direction(table: TableModel, frame: pd.DataFrame) -> np.ndarray | None:
    """Whether each result (n_rows,) is low, high or abnormal: as it is marked, without a mark by its reference range.

    None if no row has either.
    """
    marks, value, low, high = (table.read(short, frame) for short in ("NRIND", "STRESN", "STNRLO", "STNRHI"))
    direction = np.full(len(frame), None, dtype=object)
    limits = [(one, word) for one, word in ((low, "LOW"), (high, "HIGH")) if one is not None and one.notna().any()]
    has_marks = marks is not None and bool(marks.notna().any())
    if not has_marks and (value is None or not limits):
        return None
    if value is not None:
        number = parse_numbers(value)
        for limit, word in limits:
            bound = parse_numbers(limit)
            with np.errstate(invalid="ignore"):
                direction[number < bound if word == "LOW" else number > bound] = word
    if marks is not None:
        codes, distinct = pd.factorize(marks)
        meanings = np.array([*map(_marked, distinct), None], dtype=object)
        direction = np.where(codes >= 0, meanings[codes], direction)
    return direction


def _marked(mark: object) -> str | None:
    """What a mark of a result means: those of SDTM, and of HL7, whose letters are theirs."""
    text = str(mark).strip().upper()
    meanings = (("H", "HIGH"), (">", "HIGH"), ("L", "LOW"), ("<", "LOW"), ("A", "ABNORMAL"))
    return next((meaning for letter, meaning in meanings if text.startswith(letter)), None)


def _columns_of_results(table: TableModel, domain: str, columns: Sequence[str]) -> list[str]:
    if table.kind is not TableKind.FINDINGS:
        return []
    told_by = [name for short in ("NRIND", "STNRLO", "STNRHI") if (name := table.called(short)) in columns]
    if not told_by:
        return []
    values = [table.called(short) for short in ("TESTCD", "TEST", "STRESN")]
    return [*told_by, *values, *_columns_of_time(table, columns)]


# ---------------------------------------------------------------- death


_ALIVE = ("", "N", "NO", "0", "FALSE", "ALIVE", "LIVING", "NEIN", "U", "UNK", "UNKNOWN", "NA")  # or not known
_DIED = ("Y", "YES", "1", "TRUE", "DEAD", "DIED", "DECEASED", "DEATH", "JA")


def _deaths(known: OpenedRows) -> list[pd.DataFrame] | None:
    """Who died, and of what: by a flag, a cause or the date of death in any file, or a record of SDTM's DD."""
    found = []
    for name, frame in known.frames.items():
        table = known.table(name)
        of_role = [] if table is None else table.of_role(Role.DEATH, Role.DEATH_DATE)
        columns = [column for column in of_role if column in frame]
        if table is None or not (columns or _is_of_deaths(table)):
            continue
        died, day = np.full(len(frame), _is_of_deaths(table)), np.full(len(frame), np.datetime64("NaT", "D"))
        causes = []
        for column in columns:
            if table.columns[column].role is Role.DEATH_DATE:
                died |= frame[column].notna().to_numpy()
                day = np.where(np.isnat(day), days_of(frame[column]), day)
            else:
                says_so, cause = _death_said(frame[column], table.values.get(column, {}))
                died |= says_so
                causes.append(cause)
        months = known.months_of_days(name, day)
        found.append(fact_entries(known.people(name)[died], "death", np.full(died.sum(), "died"), months[died]))
        found += [fact_entries(known.people(name), "cause of death", cause, months) for cause in causes]
    return found or None


def _death_said(column: pd.Series, words: Mapping[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row (n_rows,) says that somebody died, and of what, None if it does not say.

    A column with a word for yes or no is a flag; any other has causes of death.
    """
    codes, distinct = pd.factorize(labels(column))
    texts = [words.get(str(one), str(one)).strip() for one in distinct]
    said = [text.upper() for text in texts]
    is_flag = any(one in (*_ALIVE, *_DIED) for one in said)
    died = [one in _DIED if is_flag else True for one in said]
    causes = [None if is_flag else text for text in texts]
    return np.array([*died, False])[codes], np.array([*causes, None], dtype=object)[codes]


def _is_of_deaths(table: TableModel) -> bool:
    return table.prefix == table.name == "DD"


# ---------------------------------------------------------------- rows


def _rows(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many rows each person has in each table of the course in which somebody has several."""
    names = [name for name in known.frames if (table := known.table(name)) is not None and table.kind in OF_THE_COURSE]
    several = [name for name in names if (known.rows_of_people(name) > 1).any()]
    return [rows_as_facts(known, name, f"rows {name}") for name in several] or None


@dataclass(frozen=True)
class FactKind:
    """A kind of fact: in ``words``, the ``columns`` of a table that it is read from, and who has which.

    ``entries`` is None where no table has such columns.
    """

    words: str
    entries: Callable[[OpenedRows], list[pd.DataFrame] | None] = field(repr=False)
    columns: Callable[[TableModel, str, Sequence[str]], list[str]] = field(repr=False)


# What an acquaintance may know, by the name under which a config gives it.
KINDS: dict[str, FactKind] = {
    "terms": FactKind("coded terms of events and treatments", _terms, _columns_of_terms),
    "visits": FactKind("the number of visits", visits_of, lambda table, domain, columns: table.of_role(Role.VISIT)),
    "death": FactKind("a death", _deaths, lambda table, domain, columns: table.of_role(Role.DEATH, Role.DEATH_DATE)),
    "results": FactKind("abnormal results", _results, _columns_of_results),
    "stays": FactKind("the length of stays", stays_of, columns_of_stays),
    "rows": FactKind("the number of rows in a table", _rows, lambda table, domain, columns: []),
}
