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
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.facts.deaths import columns_by_values, columns_of_deaths, deaths
from disclosure_control.release.facts.deaths import told_by as deaths_told_by
from disclosure_control.release.facts.gaps import columns_of_gaps, gaps, numbers_are_kept
from disclosure_control.release.facts.hospital import WORDS as WORDS_OF_HOSPITAL
from disclosure_control.release.facts.hospital import columns_of_hospital, stays_in_hospital
from disclosure_control.release.facts.hospital import told_by as hospital_told_by
from disclosure_control.release.facts.intervals import (
    columns_of_durations,
    columns_of_intervals,
    columns_of_stays,
    durations_of,
    intervals_of,
    stays_of,
)
from disclosure_control.release.facts.opened_rows import (
    BEGINS,
    NO_FACTS,
    NO_MONTH,
    OF_THE_COURSE,
    OpenedRows,
    RowsOfTable,
    columns_of_time,
    dates_that_begin,
    fact_entries,
    rows_as_facts,
)
from disclosure_control.release.facts.visits import visits_of
from disclosure_control.release.facts.words_told import columns_saying
from disclosure_control.release.people import labels
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.coded_terms import DENIES, TermLadder, term_ladders
from study.models.roles import Role, TableKind, TableModel
from study.models.study_model import StudyModel


@dataclass(frozen=True)
class Facts:
    """``people`` and ``facts`` (n_entries,): who has which fact; positions of people, and whole numbers from 0.

    ``holders``: for each kind of fact, how many people have one; ``kinds`` (n_entries,): of which kind each is, by its
    place in ``holders``.
    """

    people: np.ndarray
    facts: np.ndarray
    holders: Mapping[str, int]
    kinds: np.ndarray = field(repr=False)

    def of_kind(self, kind: str) -> np.ndarray:
        """Which entries (n_entries,) are of a kind."""
        found: np.ndarray = self.kinds == list(self.holders).index(kind)
        return found


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
    for place, (kind, part) in enumerate(found.items()):
        month = part["month"] if model.facts.get(kind, True) else NO_MONTH
        found[kind] = part.assign(month=month, kind=place)
    entries = pd.concat([NO_FACTS.assign(kind=0), *found.values()])
    holders = {kind: int(part["person"].nunique()) for kind, part in found.items()}
    with_month = entries["fact"] + "\0" + entries["month"]
    return _facts(entries, entries["fact"], holders), _facts(entries, with_month, holders)


def _facts(entries: pd.DataFrame, texts: pd.Series, holders: Mapping[str, int]) -> Facts:
    each = pd.DataFrame({"person": entries["person"], "fact": texts, "kind": entries["kind"]})
    each = each.drop_duplicates(["person", "fact"])
    codes, _ = pd.factorize(each["fact"], sort=True)
    kinds = each["kind"].to_numpy(dtype=np.int64)
    return Facts(each["person"].to_numpy(dtype=np.int64), codes.astype(np.int64), holders, kinds)


def variables_that_tell(
    opened: Mapping[str, RowsOfTable], subjects: pd.Series, rule: SubjectIdRule, kind: str, model: StudyModel
) -> tuple[str, ...]:
    """The variables that tell a kind of fact and can leave by themselves, as a config names them."""
    told_by = KINDS[kind].told_by
    if told_by is None:
        return ()
    known = OpenedRows(opened, pd.Index(subjects.astype("str")), rule, model)
    named = ((name, one) for name, table, _ in known.described() for one in told_by(known, name, table))
    return tuple(dict.fromkeys(f"{model.domain(name)}.{one}" for name, one in named))


OF_KEPT_NUMBERS = "gaps"


def usual_kinds(model: StudyModel) -> tuple[str, ...]:
    """The kinds of facts that are counted where the config names none: those of the data model, else the usual ones."""
    usual = [kind for kind, one in KINDS.items() if one.is_usual]
    return tuple(kind for kind in KINDS if kind in (model.facts or usual))


def kinds_to_count(asked: Sequence[str], released: ReleasedStudy) -> tuple[str, ...]:
    """The kinds of facts that are counted of a release: those ``asked`` for, else the usual ones.

    Where the config keeps the numbers of rows, gaps in these are, too.
    """
    kinds = tuple(asked) or usual_kinds(released.model)
    return (*kinds, OF_KEPT_NUMBERS) if OF_KEPT_NUMBERS not in kinds and numbers_are_kept(released) else kinds


def rows_with_facts(
    tables: Mapping[str, SourceTable], model: StudyModel, rule: SubjectIdRule, kinds: Sequence[str], most: int | None
) -> dict[str, RowsOfTable | None]:
    """Of each table the rows of the columns that facts of the ``kinds`` are read from; None if they are too many."""
    found = {}
    for name, table in tables.items():
        columns = columns_with_facts(name, table, model, rule, kinds)
        found[name] = RowsOfTable.of(table, columns, rule.column, most)
    return found


def columns_with_facts(
    name: str, source: SourceTable, model: StudyModel, rule: SubjectIdRule, kinds: Sequence[str]
) -> list[str]:
    """The columns of a file that facts of the ``kinds`` are read from, in their order."""
    table, columns = model.table(name), list(map(str, source.frame))
    wanted = {str(rule.column), *model.starts}
    if table is not None:
        wanted.update(column for kind in kinds for column in KINDS[kind].columns(table, columns))
        by_values = {column for kind in kinds for column in KINDS[kind].by_values(table, source)}
        wanted.update((*by_values, *(columns_of_time(table, columns) if by_values else ())))
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


def _columns_of_terms(table: TableModel, columns: Sequence[str]) -> list[str]:
    ladders = term_ladders(table.name, table, columns)
    if not ladders:
        return []
    found = [name for ladder in ladders for name in ladder.columns] + columns_of_time(table, columns)
    for ladder in ladders:
        if ladder.prefix:
            found += [f"{ladder.prefix}{short}" for short in ("OCCUR", "STAT", *BEGINS)]
    denials = [table.called(short) for short, _ in DENIES]  # a derived one is read from any of the record's
    is_derived = any(name in table.derived and name not in columns for name in denials)
    return [*found, *denials, *(table.of_role(Role.CATEGORY, Role.DESCRIBES_RECORD) if is_derived else ())]


# ---------------------------------------------------------------- results


def _results(known: OpenedRows) -> list[pd.DataFrame] | None:
    """Which tests of a person had an abnormal result, and in which direction."""
    found = []
    for name, table, frame in known.described():
        if table.kind is not TableKind.FINDINGS:
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


def _columns_of_results(table: TableModel, columns: Sequence[str]) -> list[str]:
    if table.kind is not TableKind.FINDINGS:
        return []
    told_by = [name for short in ("NRIND", "STNRLO", "STNRHI") if (name := table.called(short)) in columns]
    if not told_by:
        return []
    values = [table.called(short) for short in ("TESTCD", "TEST", "STRESN")]
    return [*told_by, *values, *columns_of_time(table, columns)]


# ---------------------------------------------------------------- rows


def _rows(known: OpenedRows) -> list[pd.DataFrame] | None:
    """How many rows each person has in each table of the course in which somebody has several."""
    names = [name for name in known.frames if (table := known.table(name)) is not None and table.kind in OF_THE_COURSE]
    several = [name for name in names if (known.rows_of_people(name) > 1).any()]
    return [rows_as_facts(known, name, f"rows {name}") for name in several] or None


@dataclass(frozen=True)
class FactKind:
    """A kind of fact: in ``words``, the ``columns`` of a table that it is read from, and who has which.

    ``entries`` is None where no table has such columns. ``by_values``: further columns, whose values tell the fact.
    ``told_by``: the columns of a table that tell it, "*" for all, where these can leave without the rest of the rows.
    ``is_usual``: it is counted unless the config names others.
    """

    words: str
    entries: Callable[[OpenedRows], list[pd.DataFrame] | None] = field(repr=False)
    columns: Callable[[TableModel, Sequence[str]], list[str]] = field(repr=False)
    by_values: Callable[[TableModel, SourceTable], list[str]] = field(repr=False, default=lambda table, source: [])
    told_by: Callable[[OpenedRows, str, TableModel], list[str]] | None = field(repr=False, default=None)
    is_usual: bool = True


# What an acquaintance may know, by the name under which a config gives it.
KINDS: dict[str, FactKind] = {
    "terms": FactKind("coded terms of events and treatments", _terms, _columns_of_terms),
    "visits": FactKind("the number of visits", visits_of, lambda table, columns: table.of_role(Role.VISIT)),
    "death": FactKind("a death", deaths, columns_of_deaths, columns_by_values, deaths_told_by),
    "hospital": FactKind(
        "a stay in hospital",
        stays_in_hospital,
        columns_of_hospital,
        lambda table, source: columns_saying(table, source, WORDS_OF_HOSPITAL),
        hospital_told_by,
    ),
    "results": FactKind("abnormal results", _results, _columns_of_results),
    "stays": FactKind("the length of stays", stays_of, columns_of_stays),
    "gaps": FactKind("gaps in the numbers of rows, which the config keeps", gaps, columns_of_gaps, is_usual=False),
    "rows": FactKind("the number of rows in a table", _rows, lambda table, columns: []),
    "intervals": FactKind("the days between two visits", intervals_of, columns_of_intervals, is_usual=False),
    "durations": FactKind("how long something lasted", durations_of, columns_of_durations, is_usual=False),
}
