"""What of a study does not leave: each data set, column, row and cell that came in, by whom, and of how many people.

It is found by comparing what leaves with the study as it came; decisions only say by whom. ``study_tables/fit.py`` adds
what became of the tables, and has the rule of each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.small_counts import MASKED, Policy, count_text
from disclosure_control.release.accounts import SAYS_AGAIN, Account
from disclosure_control.release.before_and_after import CameIn
from disclosure_control.release.cells_compared import (
    CHARACTERISTICS,
    CellsThatDiffer,
    NamedBy,
    cells_that_differ,
    columns_of_people,
    columns_to_name_by,
    of_their_rows,
    roles_of,
    visits_and_arms_as_they_came,
)
from disclosure_control.release.columns import COARSENED
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.merge_drop import LEFT_OUT
from disclosure_control.release.people import BY_TREATMENT, ReleasePeople
from disclosure_control.release.study import NOBODY, STRANGER, Study, StudyFile
from disclosure_control.release.terms.raised_terms import RaisedTerms
from disclosure_control.release.texts.rare_texts import RareTexts
from study.merge.settings import MergeSettings
from study.models.roles import Role
from study.operations import OperationKind, OperationRule, decided

# Say nothing of a person beside what leaves in their place: pseudonyms, and the study's own names.
_TECHNICAL = (Role.PERSON, Role.RECORD_KEY, Role.FOREIGN_KEY, Role.IDENTIFIER, Role.DESCRIBES_RECORD)


class What(StrEnum):
    """What does not leave."""

    EVERYTHING = "all that says something of people"
    DATA_SET = "data set"
    COLUMN = "column"
    ROWS = "rows"
    TWICE = "rows that leave more than once"
    PEOPLE = "people"
    CELLS = "cells"
    CHANGED = "changed cells"
    TIMES = "times of day"
    CODES = "codes for missing"


class By(StrEnum):
    """Who decided it."""

    CONFIG = "left out by the config"
    MERGE = 'left out by merge["drop"]'
    CLOSED = "kept here until decided in the sheet"
    TREATMENT = "removed by the treatment"
    RECODED = "changed by the treatment"
    LEFT_OUT = "left out"
    RARE = "of few people with a term or text"
    STRANGERS = "of people who are not in the combined dataset"
    REFERENCES = "removed with the rows that they refer to"
    UNRECORDED = "for a reason that is not recorded"
    UNREAD = "unreadable, or outside every band"
    TIMES = 'removed by release["times"]'
    ROLE = "because of their role"


@dataclass(frozen=True)
class Loss:
    """A line: ``n_people`` with such ``n_rows`` (of a column: values), of ``of_rows`` that came of those who stay.

    ``has_order``: of times of day, that they told the order of a person's rows of one day. ``characteristic``: the
    place of a column among what says who people are, None of any other. ``where``: what these rows or cells
    have in common, by values that may not leave, ``where_told`` by values that do. ``is_of_few``: a group from whose
    size that of few people follows.
    """

    what: What
    name: str
    by: By
    n_people: int
    n_rows: int
    of_rows: int
    has_order: bool = False
    characteristic: int | None = None
    where: str = ""
    where_told: str = ""
    is_of_few: bool = False

    def cells(self, policy: Policy, n_people: Sequence[int]) -> list[str]:
        """As a row of a table beside the published numbers of people; "-" of what was not counted."""
        people, rows = policy.told(self.n_people, *n_people), policy.told(self.n_rows, self.of_rows)
        name = ", ".join(filter(None, (self.name, self.where_for(policy))))
        return [self.what, name, self.by, *("-" if one == 0 else count_text(one) for one in (people, rows))]

    def where_for(self, policy: Policy) -> str:
        """What a reader may be told that they have in common."""
        told = self.where_told if self.n_people >= policy.threshold else ""
        return self.where if policy.is_exact else told


def losses_for(policy: Policy, losses: Iterable[Loss]) -> list[Loss]:
    """The lines that a reader may see: an arm is no secret, how few were in it may be one."""
    return [one for one in losses if policy.is_exact or not one.is_of_few]


@dataclass(frozen=True)
class _WhoDecided:
    """What decides by whom a column is gone; ``roles``: columns that the config names, whatever their roles say."""

    study: Study
    lines: Sequence[OperationRule]
    roles: Sequence[str]

    def by(self, account: Account) -> By:
        """Who decided on a column or test that is gone."""
        says = account.operation
        of_role = self.study.model.operation(account.domain, account.variable)
        column = self.study.model.column(account.domain, account.variable)
        if account.stays and not account.rows_of:
            return By.UNRECORDED
        has_role_of_config = f"{account.domain}__{account.variable}" in self.roles
        is_removed = of_role.operation is OperationKind.REMOVE and not has_role_of_config
        if is_removed or (column is not None and column.role in _TECHNICAL):
            return By.ROLE
        if says.reason == LEFT_OUT:
            return By.MERGE
        if says.operation is OperationKind.REVIEW:
            return By.CLOSED
        if decided(account.domain, account.variable, self.lines) == says:
            return By.CONFIG
        is_treated = says == SAYS_AGAIN or says.reason in (BY_TREATMENT, COARSENED)
        return By.TREATMENT if is_treated else By.ROLE

    def characteristic(self, account: Account) -> int | None:
        """The place of a column among what says who people are."""
        column = self.study.model.column(account.domain, account.variable)
        if column is None or column.role not in CHARACTERISTICS:
            return None
        return CHARACTERISTICS.index(column.role)


def losses_of(
    study: Study,
    came_in: CameIn,
    released: ReleasedStudy,
    people: ReleasePeople,
    lines: Sequence[OperationRule],
    merge: MergeSettings,
    raised: Sequence[RaisedTerms],
    texts: RareTexts,
) -> tuple[Loss, ...]:
    """Every line: of the files in their order, data sets first, then columns, rows and cells of each."""
    found = _WhoDecided(study, lines, people.roles)
    by_file: dict[str, list[Account]] = {}
    for account in released.accounts:
        by_file.setdefault(account.file, []).append(account)
    losses: list[Loss] = []
    of_base = _shown_of_people(study, came_in, released)
    known = columns_of_people(study, came_in, len(people.ids))
    for file in (*study.files, *study.withheld):
        accounts, leaving = by_file.get(file.name, []), released.files.get(file.name)
        of_rows = came_in.people_of_rows(file.name)
        if leaving is None:
            losses.append(_data_set(file, of_rows, accounts, found))
            continue
        asked = [one for one in accounts if _is_gone(one, leaving) or one.n_times]
        source = _AsItCame(file, of_rows, people, tuple(one.rows_of or one.variable for one in asked))
        further = of_their_rows(known, of_rows) if len(of_rows) == file.table.n_rows else {}
        rows = _rows_of(leaving, of_rows)
        shown = set() if rows is None else visits_and_arms_as_they_came(leaving, rows, study.model)
        named = NamedBy(columns_to_name_by(study.model, file.name, file.table.frame) | further, shown | of_base)
        losses += [*_columns(source, leaving, accounts, found), *_cells(source, accounts)]
        if rows is not None:
            # Who leaves without quasi-identifiers so that a term can stay is a line of its own.
            asked = [one for one in accounts if f"{one.domain}__{one.variable}" not in people.hidden_columns]
            differing = cells_that_differ(leaving, rows, asked, people.recoded.values(), study.model)
            losses += _not_as_they_came(source, rows, accounts, differing, named, found)
        if len(of_rows) == file.table.n_rows:
            losses += _rows(source, leaving, rows, accounts, named)
        options = merge.options_of(file.name, file.id_column)
        codes = [*options.codes, *(["all columns"] if options.missing else []), *options.numbers]
        losses += [Loss(What.CODES, f"{file.name}.{name}", By.CONFIG, 0, 0, 0) for name in dict.fromkeys(codes)]
    losses += _arms_of_those_left_out(study, came_in, people, known)
    n_rows = {file.name: file.table.n_rows for file in study.files}
    if not any(_tells(study, account) for account in released.accounts if account.file in released.files):
        n_all = sum(n_rows.values())
        losses.append(Loss(What.EVERYTHING, "every column", By.CLOSED, len(people.ids), n_all, n_all))
    losses += [
        Loss(What.CELLS, f"{one.file}.{one.column}", By.RARE, 0, one.cells, n_rows.get(one.file, 0))
        for one in texts.emptied
    ]
    losses += [
        Loss(What.CELLS, f"{one.domain} (terms)", By.RARE, one.people_hidden or 0, one.rows_hidden, one.rows or 0)
        for one in raised
        if one.rows_hidden
    ]
    return tuple(sorted(losses, key=lambda one: list(What).index(one.what)))


def _tells(study: Study, account: Account) -> bool:
    """Whether a column leaves that says something of people: neither a key nor one of the study's own names."""
    column = study.model.column(account.domain, account.variable)
    return account.stays and account.n_values > 0 and (column is None or column.role not in _TECHNICAL)


def _data_set(file: StudyFile, of_rows: np.ndarray, accounts: Sequence[Account], found: _WhoDecided) -> Loss:
    decisions = {found.by(one) for one in accounts if not one.stays and one.n_values}
    kinds = {one.operation.operation for one in accounts}
    by = next((by for by in (By.CLOSED, By.MERGE, By.CONFIG, By.TREATMENT) if by in decisions), By.REFERENCES)
    if OperationKind.REMOVE_DATA_SET in kinds:
        by = By.ROLE
    by = By.CONFIG if file in found.study.withheld else by
    n_rows = file.table.n_rows
    return Loss(What.DATA_SET, file.name, by, _n_people(of_rows), n_rows, n_rows)


def _n_people(people: np.ndarray) -> int:
    return len(np.unique(people[people >= 0]))


@dataclass(frozen=True)
class _AsItCame:
    """A data set whose rows are ``of_rows`` (n_rows,), the people; of another length where it was too large to read."""

    file: StudyFile
    of_rows: np.ndarray
    people: ReleasePeople
    asked: tuple[str, ...]

    @cached_property
    def _rows(self) -> tuple[pd.DataFrame, np.ndarray] | None:
        """The columns that are ``asked`` for, in the rows of those who stay, and these people (n,); read once."""
        table = self.file.table
        names = [name for name in dict.fromkeys(self.asked) if name in table.frame]
        if not names or len(self.of_rows) != table.n_rows:
            return None
        if table.fits(0):
            stays = _stay(self.of_rows, self.people)
            return table.frame.loc[stays, names], self.of_rows[stays]
        parts = [(part.table.frame[names], part.people) for part in self.file.parts(self.people)]
        return pd.concat([rows for rows, _ in parts]), np.concatenate([people for _, people in parts])

    def column(self, name: str) -> tuple[pd.Series, np.ndarray] | None:
        """The values (n,) of a column in the rows of those who stay, and these people; None where it was not read."""
        if self._rows is None or name not in self._rows[0]:
            return None
        return self._rows[0][name], self._rows[1]


def _rows_of(leaving: ReleasedFile, of_rows: np.ndarray) -> np.ndarray | None:
    """Where the rows that leave (n_rows,) stood among all, ``of_rows``; None where they are not at hand."""
    if leaving.is_in_parts or len(of_rows) != leaving.source.table.n_rows or not leaving.source.table.fits(0):
        return None
    return np.asarray(leaving.source.rows_of_parts()[leaving.whole.rows])


def _stay(of_rows: np.ndarray, people: ReleasePeople) -> np.ndarray:
    """Which rows (n_rows,) are those of people who stay, or of nobody."""
    stays: np.ndarray = np.append(people.stays, True)[np.maximum(of_rows, NOBODY)] & (of_rows != STRANGER)
    return stays


def _is_gone(account: Account, leaving: ReleasedFile) -> bool:
    return not account.stays or (not account.rows_of and account.variable not in leaving.columns)


def _columns(
    source: _AsItCame, leaving: ReleasedFile, accounts: Sequence[Account], found: _WhoDecided
) -> Iterator[Loss]:
    """The columns with values that leave none, and tests of which no row leaves."""
    file = source.file
    by_name = {(one.rows_of, one.variable): one for one in accounts}
    for (rows_of, name), account in by_name.items():
        if not _is_gone(account, leaving) or not account.n_values:
            continue
        by, n_people = found.by(account), 0
        if (came := source.column(rows_of or name)) is not None:
            column, of_rows = came
            has_value = (column == name).to_numpy(bool) if rows_of else column.notna().to_numpy()
            if by is not By.ROLE and not rows_of and _says_nothing(column):
                continue
            n_people = _n_people(of_rows[has_value])
        n_rows, says = file.table.n_rows, found.characteristic(account)
        yield Loss(What.COLUMN, f"{file.name}.{name}", by, n_people, account.n_values, n_rows, characteristic=says)


def _says_nothing(column: pd.Series) -> bool:
    """Whether a column has one value in all rows, or numbers them."""
    n = column.nunique(dropna=False)
    if n == len(column) > 1 and column.dtype.kind == "f":
        return bool(column.max() - column.min() == n - 1)
    return bool(n <= 1)


def _shown_of_people(study: Study, came_in: CameIn, released: ReleasedStudy) -> set[str]:
    """The arms in the table of people that leave unchanged, as rows of other data sets are named by them."""
    leaving = released.files.get(study.model.base or "")
    rows = None if leaving is None else _rows_of(leaving, came_in.people_of_rows(leaving.source.name))
    if leaving is None or rows is None:
        return set()
    return {f"{study.model.base}.{name}" for name in visits_and_arms_as_they_came(leaving, rows, study.model)}


def _arms_of_those_left_out(
    study: Study, came_in: CameIn, people: ReleasePeople, known: Mapping[str, pd.Series]
) -> Iterator[Loss]:
    """Such as screening failures: groups that the tables do not have, of which nobody is left."""
    left_out = ~people.stays
    base = next((file for file in study.files if file.name == study.model.base), None)
    roles = {} if base is None else roles_of(study, base)
    shown: list[int] = []
    for name, column in of_their_rows(known, np.arange(len(left_out))).items():
        if roles[name.partition(".")[2]] is Role.ARM:
            arms = column[left_out].value_counts().sort_index().drop([*came_in.side.arms], errors="ignore")
            arms = arms.drop(column[people.stays].unique(), errors="ignore")
            n = arms.to_numpy(np.int64)
            also = [not MASKED.is_apart(one, shown) for one in n.tolist()]  # by another column, such as arms of fact
            parts = np.append(n, left_out.sum() - n.sum())
            hidden = MASKED.hidden_parts(parts, np.array([*also, False], dtype=np.bool_))[:-1]
            shown += n[~hidden].tolist()
            for arm, n_gone, is_of_few in zip(arms.index, n.tolist(), hidden.tolist(), strict=True):
                text = f"{name} {arm}"
                yield Loss(What.PEOPLE, text, By.LEFT_OUT, n_gone, n_gone, len(left_out), is_of_few=is_of_few)


def _rows(
    source: _AsItCame, leaving: ReleasedFile, rows: np.ndarray | None, accounts: Sequence[Account], named: NamedBy
) -> Iterator[Loss]:
    """The rows of people who stay that do not leave, and those of people who are not in the combined dataset."""
    file, of_rows = source.file, source.of_rows
    if n := int((of_rows == STRANGER).sum()):
        yield Loss(What.ROWS, file.name, By.STRANGERS, 0, n, len(of_rows))
    stays = _stay(of_rows, source.people)
    of_people = int((stays & (of_rows >= 0)).sum())
    n_gone = int(stays.sum()) - leaving.n_records
    n_twice = max(-n_gone, 0) if rows is None else len(rows) - len(np.unique(rows))
    n_gone += n_twice
    n_others = n_gone - sum(one.n_values for one in accounts if one.rows_of and not one.stays)
    if not of_people:
        return
    what = What.ROWS if leaving.n_records else What.DATA_SET
    if n_twice > 0:
        yield Loss(What.TWICE, file.name, By.UNRECORDED, 0, n_twice, of_people)
    if n_others > 0:
        refers = file.is_supplemental or {"IDVAR", "IDVARVAL"} <= set(file.table.frame)
        by, n_people, where = By.REFERENCES if refers else By.UNRECORDED, 0, ("", "")
        if n_others == n_gone and rows is not None:
            lost = stays.copy()
            lost[rows] = False
            n_people, where = _n_people(of_rows[lost]), named.of(np.flatnonzero(stays)).in_common(lost[stays])
        yield Loss(what, file.name, by, n_people, n_others, of_people, False, None, *where)


def _not_as_they_came(
    source: _AsItCame,
    rows: np.ndarray,
    accounts: Sequence[Account],
    differing: Iterable[CellsThatDiffer],
    named: NamedBy,
    found: _WhoDecided,
) -> Iterator[Loss]:
    """Cells that are empty, changed, or without their time of day, though nothing says that they should be."""
    known = {one.variable: one for one in accounts if not one.rows_of}
    here: NamedBy | None = None
    for differs in differing:
        account, name = known[differs.column], f"{source.file.name}.{differs.column}"
        n_emptied, n_cut = int(differs.emptied.sum()) - account.n_lost, int(differs.cut.sum()) - account.n_times
        if n_cut > 0:
            has_order = _told_the_order((source.file.table.frame[differs.column], source.of_rows))
            yield Loss(What.TIMES, name, By.UNRECORDED, 0, n_cut, account.n_values, has_order)
        kinds = (What.COLUMN if n_emptied == account.n_values else What.CELLS, differs.emptied, n_emptied)
        for what, lost, n in (kinds, (What.CHANGED, differs.changed, int(differs.changed.sum()))):
            if n <= 0:
                continue
            n_people, where = 0, ("", "")
            if n == lost.sum():  # else which of them were unreadable is not known
                n_people = _n_people(source.of_rows[rows[lost]])
                here = here or named.of(rows)
                where = where if what is What.COLUMN else here.in_common(lost, differs.column)
            by_treatment = By.TREATMENT if lost is differs.emptied else By.RECODED
            by, says = by_treatment if account.recoded else By.UNRECORDED, found.characteristic(account)
            yield Loss(what, name, by, n_people, n, account.n_values, False, says, *where)


def _cells(source: _AsItCame, accounts: Sequence[Account]) -> Iterator[Loss]:
    """Cells that were unreadable, and times of day."""
    for account in accounts:
        name = f"{source.file.name}.{account.variable}"
        if account.n_lost:
            yield Loss(What.CELLS, name, By.UNREAD, 0, account.n_lost, account.n_values)
        if account.n_times:
            has_order = _told_the_order(source.column(account.variable))
            yield Loss(What.TIMES, name, By.TIMES, 0, account.n_times, account.n_values, has_order)


def _told_the_order(column: tuple[pd.Series, np.ndarray] | None) -> bool:
    """Whether somebody has several times of one day in a column."""
    if column is None:
        return False
    rows = pd.DataFrame({"person": column[1], "moment": column[0]}).dropna().drop_duplicates()
    rows = rows[rows["person"] >= 0]
    return bool(rows.assign(moment=rows["moment"].astype("str").str.slice(0, 10)).duplicated().any())
