"""What becomes of one column: what its operation does to it, one function for each, or the labels of the treatment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of, number_text, parse_numbers
from disclosure_control.basics.encoding.interval_labels import interval_of
from disclosure_control.release.accounts import GONE, RECODABLE, Account, Decisions
from disclosure_control.release.people import RecodedColumn, are_numbers, labels, of_rows
from disclosure_control.release.recodings import labels_of_values, n_without_a_label
from disclosure_control.release.study import NOBODY, StudyFile
from disclosure_control.remedy.treatments.algorithms.moved_columns import moved_dates, other_end_of
from disclosure_control.remedy.treatments.keys import pseudonyms_of
from study.countries import continent_of
from study.models.roles import Role, TableKind, TableModel
from study.operations import OperationKind

OLDEST = 90  # years: an age above this identifies older people (45 CFR 164.514(b)(2)(i)(C))
UNITS_PER_YEAR = {"YEARS": 1, "MONTHS": 12, "WEEKS": 365.25 / 7, "DAYS": 365.25, "HOURS": 365.25 * 24, "DECADES": 0.1}
SECONDS_PER_DAY = 86_400
# A number of days since 1960 that a date of our time can have stays below this; a number of seconds lies above.
LARGEST_DAY = 1e6
ROW_ID_LENGTH = 12
COARSENED = "coarsened: beside it, moved dates would tell"
ONE_BAND = "one band in all rows of a person"
_TIME_OF_DAY = r"T[^/]*"


@dataclass(frozen=True)
class Rows:
    """The rows of a file of a domain that leave (n_rows,): whose they are, -1 of nobody; and the file's columns."""

    people: np.ndarray
    frame: pd.DataFrame = field(repr=False)
    domain: str
    decisions: Decisions


@dataclass(frozen=True)
class Done:
    """A column after an operation, and how many of its values were lost: emptied, because they cannot be treated.

    ``n_partial`` are dates that are not known to the day, ``n_times`` dates that lost their time of day.
    """

    column: pd.Series = field(repr=False)
    n_lost: int = 0
    n_partial: int = 0
    n_times: int = 0


def keep(column: pd.Series, rows: Rows) -> Done:
    """The column, unchanged."""
    return Done(column)


def derive_age(column: pd.Series, rows: Rows) -> Done:
    """Ages of 90 years and above become 90, in the unit of --AGEU (years where it has none).

    The treatment's intervals from 90 on become ``>=90``.
    """
    limit = np.full(len(column), float(OLDEST))
    if "AGEU" in rows.frame:
        limit = OLDEST * rows.frame["AGEU"].str.upper().map(UNITS_PER_YEAR).fillna(1).to_numpy(dtype=float)
    if column.dtype.kind == "f":
        return Done(column.where(~(column.to_numpy() >= limit), limit))
    numbers = parse_numbers(column)
    encoded = encode_column(column)
    begins = [found.low if (found := interval_of(text)) else -np.inf for text in labels_of(encoded)]
    low = np.fmax(numbers, np.append(begins, -np.inf)[encoded.codes])
    old = low >= limit
    aged = column.astype(object)
    aged[old] = [number_text(one) if n == n else f">={number_text(one)}" for one, n in zip(limit[old], numbers[old])]  # noqa: B905
    return Done(aged.astype("str"))


def offset(column: pd.Series, rows: Rows) -> Done:
    """Dates move by the offset of their person; text that is no date, or is nobody's, is lost.

    Times of day are removed unless the release keeps them. Dates of people whom no offset hides are removed.
    """
    somebody = rows.people >= 0
    if (undated := rows.decisions.people.undated) is not None:
        somebody = somebody & ~undated[rows.people]
    days = np.zeros(len(rows.people), dtype=np.int64)
    days[somebody] = rows.decisions.people.offsets[rows.people[somebody]]
    n_of_nobody = int((column.notna() & ~somebody).sum())
    own, keeps_times = column.where(somebody), rows.decisions.keeps_times(rows.domain)
    if column.dtype.kind == "f":
        unit = np.where(np.abs(own.to_numpy()) > LARGEST_DAY, SECONDS_PER_DAY, 1)
        whole = own if keeps_times else np.floor(own / unit) * unit
        return Done(whole + unit * days, n_of_nobody, n_times=int((whole < own).sum()))
    other = other_end_of(str(column.name), rows.frame.columns)
    other_end = None if other is None else rows.frame[other]
    moved = moved_dates(own, days, "missing", keeps_times, other_end)
    return Done(moved.column, n_of_nobody + moved.n_lost, moved.n_partial, moved.n_times)


def raise_to_continent(column: pd.Series, rows: Rows) -> Done:
    """Codes of countries become continents; other codes are lost."""
    codes, distinct = pd.factorize(column)
    continents = np.array([*(continent_of(str(value)) for value in distinct), None], dtype=object)
    raised = pd.Series(continents[codes], column.index, name=column.name, dtype="str")
    return Done(raised, int(column.notna().sum() - raised.notna().sum()))


def recode_subject(column: pd.Series, rows: Rows) -> Done:
    """The pseudonym of the row's person, wherever the column names one."""
    names = rows.decisions.people.pseudonyms.array.take(np.maximum(rows.people, NOBODY), allow_fill=True)
    recoded = pd.Series(names, column.index, name=column.name).where(column.notna())
    return Done(_of_its_kind(recoded, column, rows), int((column.notna() & recoded.isna()).sum()))


def _of_its_kind(recoded: pd.Series, column: pd.Series, rows: Rows) -> pd.Series:
    """Pseudonyms (n_rows,) as a column of numbers where they and the source are."""
    is_number = column.dtype.kind == "f" and rows.decisions.model.ids_are_numbers
    return recoded.astype("float64") if is_number else recoded


def recode_id(column: pd.Series, rows: Rows) -> Done:
    """Ids by the key: within a person, as SDTM's with the domain's letters, or within the study (devices, visits).

    Keys that name the rows of one table get the same pseudonyms, whatever the column is called.
    """
    within_person, scope = rows.decisions.model.key_scope(rows.domain, str(column.name))
    return Done(recoded_ids(column, rows.people if within_person else None, rows, scope))


def recoded_ids(column: pd.Series, people: np.ndarray | None, rows: Rows, scope: str = "") -> pd.Series:
    """Equal ids of one person (of the study where ``people`` is None) get one pseudonym, in whatever column or file.

    Ids of another ``scope`` get others: visit 7 and drug 7 have nothing in common.
    """
    encoded = encode_column(column)
    texts = np.array([*labels_of(encoded), ""], dtype=object)
    whose = np.zeros(len(column), dtype=np.int64) if people is None else people.astype(np.int64) + 1
    pair, pairs = pd.factorize(whose * len(texts) + encoded.codes)
    person, code = np.divmod(pairs, len(texts))
    named = [f"{scope}\0{text}" for text in texts[code]] if scope else texts[code].tolist()
    if people is not None:
        somebody, ids = person > 0, np.full(len(person), "", dtype=object)
        ids[somebody] = rows.decisions.people.ids.iloc[person[somebody] - 1].astype("str").to_numpy()
        named = [f"{one}\0{text}" for one, text in zip(ids, named, strict=True)]
    are_numbers = rows.decisions.model.ids_are_numbers
    fresh = np.array(
        pseudonyms_of(rows.decisions.key, rows.decisions.release, named, ROW_ID_LENGTH, are_numbers), dtype=object
    )
    recoded = pd.Series(fresh[pair], column.index, name=column.name, dtype="str").where(encoded.codes >= 0)
    return _of_its_kind(recoded, column, rows)


# Operations that take a column or a data set away have no function here.
COLUMN_OPERATIONS: dict[OperationKind, Callable[[pd.Series, Rows], Done]] = {
    OperationKind.DERIVE_AGE: derive_age,
    OperationKind.OFFSET: offset,
    OperationKind.RAISE_TO_CONTINENT: raise_to_continent,
    OperationKind.RECODE_SUBJECT: recode_subject,
    OperationKind.RECODE_ID: recode_id,
    OperationKind.NUMBER_ANEW: keep,  # when it is known which rows leave, and in which order
    OperationKind.NO_FURTHER: keep,
    OperationKind.KEEP: keep,
}


# ---------------------------------------------------------------- what was decided, or the treatment's labels


def treated(
    column: pd.Series, file: StudyFile, rows: Rows, account: Account, recoding: RecodedColumn | None
) -> tuple[pd.Series | None, Account]:
    """A variable of a file as it leaves, None if it does not, and the account of what was done.

    The ``account`` has the operation; ``recoding``: what the treatment made of the variable, None of nothing.
    """
    says = account.operation
    if recoding is not None:
        rows.decisions.placed.add(recoding.name)
    if recoding is not None and says.operation in RECODABLE:
        return _with_labels(column, file, rows, account, recoding)
    if says.operation in GONE:
        return None, account
    if recoding is not None and says.operation == OperationKind.OFFSET and not _was_moved(recoding):
        return None, account.removed(recoding.reason if recoding.released is None else COARSENED)
    done = COLUMN_OPERATIONS[says.operation](column, rows)
    return done.column, replace(account, n_lost=done.n_lost, n_partial=done.n_partial, n_times=done.n_times)


def _with_labels(
    column: pd.Series, file: StudyFile, rows: Rows, account: Account, recoding: RecodedColumn
) -> tuple[pd.Series | None, Account]:
    """A variable with the labels of the treatment, None if it was dropped, and its account."""
    if recoding.released is None:
        return None, account.removed(recoding.reason)
    says = account.operation
    labelled = _labels_in(column, recoding, rows.people, rows.decisions.model.table(file.name), file)
    n_lost = n_without_a_label(column, labelled, recoding, rows.people)
    if says.operation == OperationKind.DERIVE_AGE:
        labelled = derive_age(labelled, rows).column
        if len(np.unique(rows.people)) < len(rows.people):
            account = replace(account, operation=replace(says, reason=f"{says.reason}; {ONE_BAND}"))
    elif says.operation == OperationKind.RAISE_TO_CONTINENT:  # the treatment's labels leave in place of continents
        account = replace(account, operation=replace(says, operation=OperationKind.NO_FURTHER))
    return labelled, replace(account, recoded=True, n_lost=n_lost)


def _was_moved(recoding: RecodedColumn) -> bool:
    """Whether the treatment kept all dates as complete as they were: it moved them, which is done here anew."""
    if recoding.released is None:
        return False
    pairs = pd.DataFrame({"original": recoding.original, "released": recoding.released}).dropna()
    original, released = (pairs[name].str.replace(_TIME_OF_DAY, "", regex=True).str.len() for name in pairs)
    return bool((original == released).all())


def _labels_in(
    column: pd.Series, recoding: RecodedColumn, people: np.ndarray, table: TableModel | None, file: StudyFile
) -> pd.Series:
    """The released labels, where the column has a value; numbers if column and labels all are numbers.

    Where the merge has names for the codes of the column, a code whose name did not change stays. Where people have
    several rows, whose values differ in time, each gets the label of its own value; but all ages of a person get one
    band: where rows cross from one band to the next, two bands and the day give the exact age.
    """
    assert recoding.released is not None
    is_named = table is not None and str(column.name) in table.derived and column.name in file.table.frame
    released, original = of_rows(recoding.released, people), of_rows(recoding.original, people)
    says = None if table is None else table.columns.get(str(column.name))
    if table is not None and table.kind is TableKind.ROWS and not (says is not None and says.role is Role.AGE):
        values = table.derived[str(column.name)](column.to_frame()) if is_named else column
        released, original = labels_of_values(values, recoding, people), labels(values)
    fresh = pd.Series(released, column.index, name=column.name, dtype="str").where(column.notna())
    if is_named:
        fresh = fresh.mask(released == original, pd.Series(labels(column), column.index, dtype="str"))
    if column.dtype.kind == "f" and (are_numbers(fresh) if is_named else recoding.released_as_numbers):
        return pd.to_numeric(fresh, errors="coerce").astype("float64")
    return fresh
