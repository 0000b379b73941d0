"""Cells of rows as they leave beside those that they came from: what is empty, cut or another value, and was not to be.

Decisions on a column say what should become of it; this finds what became of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.release.accounts import AS_IT_CAME, Account
from disclosure_control.release.before_and_after import CameIn
from disclosure_control.release.deidentify import ReleasedFile
from disclosure_control.release.people import RecodedColumn
from disclosure_control.release.recodings import rows_of_test
from disclosure_control.release.study import NOBODY, Study, StudyFile
from study.models.roles import Role, TableKind
from study.models.study_model import StudyModel
from study.operations import OperationKind

_AT_LEAST_A_DAY = len("2000-01-01")
# Who people are: what is gone of it is named first, in this order.
CHARACTERISTICS = (Role.AGE, Role.SEX, Role.PLACE, Role.ORIGIN)
# What rows are told apart by in words: what is lost may be all that has one value there.
_NAMED_BY = (
    *(Role.ARM, Role.SEX, Role.ORIGIN, Role.PLACE, Role.DEATH, Role.VISIT, Role.CATEGORY, Role.CODED_TERM),
    *(Role.FLAG, Role.UNIT),
)


@dataclass(frozen=True)
class CellsThatDiffer:
    """Cells of a ``column``: in which of the rows that leave (n_rows,) it is ``emptied``, ``changed``, or without its
    time of day (``cut``).
    """

    column: str
    emptied: np.ndarray = field(repr=False)
    changed: np.ndarray = field(repr=False)
    cut: np.ndarray = field(repr=False)


def cells_that_differ(
    leaving: ReleasedFile,
    rows: np.ndarray,
    accounts: Sequence[Account],
    recoded: Iterable[RecodedColumn],
    model: StudyModel,
) -> Iterator[CellsThatDiffer]:
    """Of each column that leaves under its name, and whose terms and texts are those that came. What the treatment
    recoded into bands or groups is no other value; a mean of neighbours or an exchanged value is.

    ``rows`` (n_rows,): where those that leave stood. Rows of a test whose values the treatment recoded are not looked
    at.
    """
    frame = leaving.source.table.frame
    is_asked = _rows_asked(leaving.source.name, frame, accounts, recoded, model)[rows]
    is_asked &= ~pd.Series(rows).duplicated().to_numpy()
    for account in accounts:
        name, kind = account.variable, account.operation.operation
        is_booked = account.rows_of or account.has_rare_terms or account.has_rare_texts
        is_booked = is_booked or name in ("IDVARVAL", "QVAL")  # as the variables that they stand for
        if is_booked or name not in frame or name not in leaving.columns:
            continue
        came, leaves = frame[name].take(rows), leaving.frame[name]
        had, has = came.notna().to_numpy() & is_asked, leaves.notna().to_numpy()
        emptied, changed, cut = had & ~has, np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
        if account.recoded:
            changed = had & has & _is_another(came, leaves)
        elif kind in AS_IT_CAME:
            changed = had & has & ~_are_same(came, leaves)
        elif kind is OperationKind.OFFSET and came.dtype == leaves.dtype == "str":
            cut = had & has & _is_timed(came) & ~_is_timed(leaves)
        if (emptied | changed | cut).any():
            yield CellsThatDiffer(name, emptied, changed, cut)


def _rows_asked(
    name: str, frame: pd.DataFrame, accounts: Sequence[Account], recoded: Iterable[RecodedColumn], model: StudyModel
) -> np.ndarray:
    """The rows (n_rows,) but those of tests whose values are recoded, and of codes whose ids are."""
    found, table, domain = np.ones(len(frame), dtype=bool), model.table(name), model.domain(name)
    tests = {account.variable for account in accounts if account.rows_of}
    for one in recoded if table is not None and table.kind is TableKind.FINDINGS else ():
        if table is not None and one.domain == domain and one.variable in tests:
            found &= ~rows_of_test(frame, one, table)[0]
    for account in accounts:
        if account.rows_of in frame and account.operation.operation is OperationKind.RECODE_ID:
            found &= ~(frame[account.rows_of] == account.variable).to_numpy(bool, na_value=False)
    return found


def _is_timed(column: pd.Series) -> np.ndarray:
    return (column.str.len() > _AT_LEAST_A_DAY).to_numpy(bool, na_value=False)


def _is_another(came: pd.Series, leaves: pd.Series) -> np.ndarray:
    """Where (n_rows,) a recoded value reads as another value of its column, and not as a band or group."""
    texts, left_texts = came.astype("str"), leaves.astype("str")
    numbers, left = parse_numbers(texts), parse_numbers(left_texts)
    other_text = (left_texts.to_numpy() != texts.to_numpy()) & left_texts.isin(texts.unique()).to_numpy()
    another = np.where(np.isnan(numbers), other_text, left != numbers)
    return np.asarray(another & (np.isnan(numbers) | ~np.isnan(left)), dtype=bool)


def _are_same(one: pd.Series, other: pd.Series) -> np.ndarray:
    if one.dtype != other.dtype:
        one, other = (pd.Series(parse_numbers(column.astype("str"))) for column in (one, other))
    same: np.ndarray = np.asarray(one.array == other.array, dtype=bool)
    return same


@dataclass(frozen=True)
class NamedBy:
    """The ``columns`` (n_rows,) by whose values rows are named; to others only by those that are ``shown``."""

    columns: Mapping[str, pd.Series] = field(repr=False)
    shown: Collection[str]

    def of(self, rows: np.ndarray) -> NamedBy:
        """The same of some rows (n,), by their places."""
        return NamedBy({name: column.iloc[rows] for name, column in self.columns.items()}, self.shown)

    def in_common(self, lost: np.ndarray, first: str = "") -> tuple[str, str]:
        """What the ``lost`` (n_rows,) have in common, if possible by the ``first`` column; and the same for others."""
        own = {name: column for name, column in self.columns.items() if name == first}
        shown = {name: column for name, column in self.columns.items() if name in self.shown}
        return what_they_share(lost, own | dict(self.columns)), what_they_share(lost, shown)


def visits_and_arms_as_they_came(leaving: ReleasedFile, rows: np.ndarray, model: StudyModel) -> set[str]:
    """The columns of visits and arms that leave unchanged in all ``rows`` (n_rows,): they may name rows to others."""
    came, name = leaving.source.table.frame, leaving.source.name
    known = {str(one): model.column(name, str(one)) for one in leaving.columns if one in came}
    found = {one for one, column in known.items() if column is not None and column.role in (Role.VISIT, Role.ARM)}
    return {
        one
        for one in found
        if came[one].take(rows).reset_index(drop=True).equals(leaving.frame[one].reset_index(drop=True))
    }


def columns_to_name_by(model: StudyModel, name: str, frame: pd.DataFrame) -> dict[str, pd.Series]:
    """The columns of a data set whose values name a part of its rows: those in words first."""
    known = {str(one): model.column(name, str(one)) for one in frame}
    found = [one for one, column in known.items() if column is not None and column.role in _NAMED_BY]
    return {one: frame[one] for one in sorted(found, key=lambda one: frame[one].dtype.kind == "f")}


def columns_of_people(study: Study, came_in: CameIn, n_people: int) -> dict[str, pd.Series]:
    """What is known of each person and, last, of nobody (n_people + 1,): arm and sex, by the table of people."""
    base = next((file for file in study.files if file.name == study.model.base), None)
    if base is None or not base.table.fits(0):
        return {}
    known = [name for name, one in roles_of(study, base).items() if one in (Role.ARM, Role.SEX, *CHARACTERISTICS)]
    return {
        f"{base.name}.{name}": _by_person(base.table.frame[name], came_in.people_of_rows(base.name), n_people)
        for name in known
    }


def of_their_rows(columns: Mapping[str, pd.Series], people: np.ndarray) -> dict[str, pd.Series]:
    """What is known of the person of each row (n_rows,), by the ``columns`` of ``columns_of_people``."""
    return {name: one.take(np.maximum(people, NOBODY)).reset_index(drop=True) for name, one in columns.items()}


def _by_person(column: pd.Series, whose: np.ndarray, n_people: int) -> pd.Series:
    """The value of each person and of nobody (n_people + 1,), by a column in the rows of those ``whose`` (n_rows,) it
    is; missing of who has several.
    """
    pairs = pd.DataFrame({"person": whose, "value": column.array})[whose >= 0].drop_duplicates()
    return pairs.drop_duplicates("person", keep=False).set_index("person")["value"].reindex(np.arange(n_people + 1))


def roles_of(study: Study, file: StudyFile) -> dict[str, Role]:
    """The role of each known column of a file."""
    columns = ((str(name), study.model.column(file.name, str(name))) for name in file.table.frame)
    return {name: column.role for name, column in columns if column is not None}


def what_they_share(lost: np.ndarray, columns: Mapping[str, pd.Series]) -> str:
    """What the ``lost`` (n_rows,) have in common, by one or two ``columns``: ``all of VISIT WEEK 4``, if there are no
    others with these values, else ``only of VISIT WEEK 4``; "" if nothing.
    """
    at = np.flatnonzero(lost)
    if not len(at) or lost.all():
        return ""
    shared: dict[str, np.ndarray] = {}
    for name, column in columns.items():
        value = column.iloc[at[0]]
        if not pd.isna(value) and bool((column.iloc[at] == value).all()):
            has = (column == value).to_numpy(bool, na_value=False)
            shared |= {} if has.all() else {f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}": has}
    sets: dict[tuple[str, ...], np.ndarray] = {(one,): has for one, has in shared.items()}
    sets |= {(one, other): shared[one] & shared[other] for one, other in itertools.combinations(shared, 2)}
    exact = next((words for words, has in sets.items() if has.sum() == len(at)), None)
    if exact is not None:
        return f"all of {', '.join(exact)}"
    return f"only of {min(shared, key=lambda one: shared[one].sum())}" if shared else ""
