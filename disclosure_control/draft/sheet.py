"""The sheet of columns as door 1 writes it: drafted beside a config, and kept up with each further export."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.draft.columns import Column
from disclosure_control.draft.roles import NOT_RECOGNISED, ConfigRole, Decision
from study.columns.profile import (
    AGREED,
    ColumnProfile,
    Degree,
    Known,
    Status,
    UnderstoodAs,
    is_left_open,
    profile_of,
    seen_in,
)
from study.columns.sheet import ColumnSheet
from study.formats.tables import SourceTable
from study.merge.assembling import Combined
from study.models.roles import Role, TableKind
from study.models.study_model import NOTHING_KNOWN, StudyModel

NOT_CHOSEN = "could also be sensitive"
MOST_NAMED = 6


def drafted_rows(
    columns: Sequence[Column],
    decisions: Mapping[str, Decision],
    chosen: set[str],
    tables: Sequence[SourceTable],
    model: StudyModel,
) -> list[ColumnProfile]:
    """The rows of a new sheet: columns that are for a person to decide, and those that no standard explains.

    ``chosen`` are the sensitive columns of the config. Columns of files that are not merged follow those that are.
    """
    files = [(model.domain(table.domain), table) for table in tables]
    rows = [
        _drafted(
            column,
            decisions[column.name],
            column.name in chosen,
            _seen(column.domain, column.heading, files),
            model,
        )
        for column in columns
        if _needs_row(column, decisions[column.name], chosen, model)
    ]
    return [*rows, *_not_in({row.name for row in rows}, tables, model)]


def _needs_row(column: Column, decision: Decision, chosen: set[str], model: StudyModel) -> bool:
    if decision.role is ConfigRole.SENSITIVE and column.name not in chosen:
        return True
    is_asked = decision.role is ConfigRole.LEFT_ALONE and decision.review
    return is_asked or (column.form == "wide" and is_left_open(column.domain, column.heading, model))


def _drafted(column: Column, decision: Decision, is_chosen: bool, seen: str, model: StudyModel) -> ColumnProfile:
    """The row of a column of the combined dataset, with what the draft decided about it.

    ``is_chosen``: the config names it as sensitive.
    """
    is_asked = decision.role is ConfigRole.LEFT_ALONE and decision.review
    row = profile_of(column.domain, column.heading, model, seen)
    if column.form != "wide" or column.counts_rows:  # a test or a count, which no file has as a column
        role = Role.CATEGORY if column.numbers is None else Role.NUMBER
        row = dataclasses.replace(row, role=role, degree=Degree.LIKELY if column.is_result else Degree.SURE)
    if row.role in (Role.NUMBER, Role.CATEGORY) and not column.is_guessed:
        kind = UnderstoodAs.NUMBER if column.is_measured else UnderstoodAs.CATEGORY
        row = dataclasses.replace(row, understood_as=kind)
    known = row.known_to_outsiders
    if known is not Known.YES and not is_asked:
        is_known = decision.role in (ConfigRole.CATEGORY, ConfigRole.NUMBER)
        known = Known.YES if is_known else Known.NO
    if decision == NOT_RECOGNISED:
        evidence, degree = f"{decision.reason}; {row.evidence}", Degree.UNKNOWN
    else:
        is_spare = decision.role is ConfigRole.SENSITIVE and not is_chosen
        evidence, degree = f"{NOT_CHOSEN}: {decision.reason}" if is_spare else decision.reason, row.degree
    status = Status.TO_DECIDE if is_asked else Status.NOTHING
    return dataclasses.replace(
        row, unit=column.unit, known_to_outsiders=known, evidence=evidence, degree=degree, status=status
    )


def _not_in(names: set[str], files: Iterable[SourceTable], model: StudyModel) -> Iterator[ColumnProfile]:
    """Rows of the columns of files that no standard explains and that are not among the ``names``."""
    for table in files:
        for heading in map(str, table.frame.columns):
            domain = model.domain(table.domain)
            if f"{domain}__{heading}" in names or not is_left_open(domain, heading, model):
                continue
            row = profile_of(domain, heading, model, seen_in(table, heading))
            if row.role is not Role.PERSON:
                names.add(row.name)
                yield row


def _seen(domain: str, heading: str, files: Iterable[tuple[str, SourceTable]]) -> str:
    return next((seen_in(table, heading) for of, table in files if of == domain and heading in table.frame), "")


# ---------------------------------------------------------------- the next export


@dataclass
class SheetUpdate:
    """What an export brings beside the ``sheet`` of earlier ones: new rows, and rows of which the values changed.

    It looks at the files while they are merged; ``literal`` is the config, whose columns are nothing new.
    """

    sheet: ColumnSheet
    literal: Mapping[str, Any]
    rows: list[ColumnProfile] = field(default_factory=list)
    n_new: int = 0
    n_changed: int = 0
    _there: set[str] = field(default_factory=set)
    _standard: StudyModel = NOTHING_KNOWN  # of a study with supplemental tables, without its tables

    def look(self, tables: Sequence[SourceTable], model: StudyModel) -> None:
        """Take the files of the export in."""
        if any(table.kind is TableKind.SUPPLEMENTAL for table in model.tables.values()):
            self._standard = dataclasses.replace(model, tables={})
        domains = [(model.domain(table.domain), table) for table in tables]
        self._there = {f"{domain}__{heading}" for domain, table in domains for heading in table.frame.columns}
        self.rows = [self._today(row, _seen(row.table, row.column, domains)) for row in self.sheet.rows.values()]
        self.add(_not_in(self._known(), tables, model))

    def _known(self) -> set[str]:
        return {row.name for row in self.rows}.union(_texts_in(self.literal))

    def add(self, rows: Iterable[ColumnProfile]) -> None:
        """Append the rows of columns that neither the sheet has yet nor the config names."""
        known = self._known()
        new = [dataclasses.replace(row, status=Status.NEW) for row in rows if row.name not in known]
        self.rows += new
        self.n_new += len(new)

    def _today(self, row: ColumnProfile, seen: str) -> ColumnProfile:
        if not row.seen or seen in ("", "nothing", row.seen):
            return row
        self.n_changed += 1
        return dataclasses.replace(row, seen=seen, status=Status.CHANGED)

    @property
    def is_other(self) -> bool:
        """Whether the export brought anything."""
        return bool(self.n_new or self.n_changed)

    def merged(self, combined: Combined) -> list[str]:
        """Take in what rows of supplemental tables name, once all is merged; what a screen says of the export."""
        forms = {domain: str(counts["form"]) for domain, counts in combined.report["domains"].items()}
        self.add(self._supplemental(combined.columns[1:], forms))
        file, there, said = self.sheet.file.name, self._there.union(combined.columns), []
        if self.is_other:
            numbers = f"{counted(self.n_new, 'column')} new, {self.n_changed} changed since the last export"
            said.append(f"  {file}: {numbers}; look at the rows with this status")
        gone = [f"{row.name} (row {number})" for number, row in self.sheet.rows.items() if row.name not in there]
        if gone:
            why = "not in this export, or a spreadsheet changed the name"
            said.append(f"  {file}: {listed(gone, at_most=MOST_NAMED)}: {why}")
        return said

    def _supplemental(self, columns: Iterable[str], forms: Mapping[str, str]) -> Iterator[ColumnProfile]:
        """Rows of variables that rows of supplemental tables name, and no standard explains."""
        for name in columns if self._standard is not NOTHING_KNOWN else ():
            domain, _, variable = name.partition("__")
            is_its = forms.get(domain) == "wide" and name not in self._there
            if is_its and is_left_open(domain, variable, self._standard):
                yield profile_of(domain, variable, self._standard)


def _texts_in(value: object) -> Iterator[str]:
    """Every text of a config, those that name its entries among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts_in([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts_in(one)


def with_earlier(drafted: list[ColumnProfile], earlier: ColumnSheet | None) -> list[ColumnProfile]:
    """The rows of an earlier sheet as they are, and after them those that are new."""
    if earlier is None:
        return drafted
    update = SheetUpdate(earlier, {}, list(earlier.rows.values()))
    update.add(drafted)
    return update.rows


def with_all_decided(sheet: ColumnSheet | None) -> ColumnSheet | None:
    """The sheet by which a proposal is tried: that which is proposed, or today's where nothing in it is open."""
    rows = as_drafted(sheet)
    return dataclasses.replace(sheet, rows=dict(enumerate(rows))) if sheet is not None and rows else sheet


def as_drafted(sheet: ColumnSheet | None) -> list[ColumnProfile]:
    """The sheet with all that is open decided as drafted, and what nobody knows as not known; none if nothing is."""
    if sheet is None or not sheet.n_open:
        return []
    return [
        dataclasses.replace(
            row,
            status=Status.NOTHING,
            decision=AGREED,
            known_to_outsiders=Known.YES if row.known_to_outsiders is Known.YES else Known.NO,
        )
        if row.is_open
        else row
        for row in sheet.rows.values()
    ]
