"""The sheet of columns as door 1 writes it: drafted beside a config, and kept up with each further export."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.draft.columns import Column
from disclosure_control.draft.roles import NOT_RECOGNISED, ConfigRole, Decision
from study.columns.closed import (
    BETWEEN,
    Look,
    groups_of,
    holds_for,
    is_asked,
    is_of_the_tool,
    is_pattern,
    look_of,
    of_dates,
    rows_of,
)
from study.columns.profile import (
    NO_VALUES,
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
from study.merge.combine import Combined
from study.models.roles import Role
from study.models.study_model import StudyModel
from study.models.values_seen import ValuesSeen

NOT_CHOSEN = "could also be sensitive"
MOST_NAMED = 6


def drafted_rows(
    columns: Sequence[Column],
    decisions: Mapping[str, Decision],
    chosen: set[str],
    tables: Sequence[SourceTable],
    model: StudyModel,
    earlier: ColumnSheet | None = None,
) -> list[ColumnProfile]:
    """The rows of a new sheet: columns that are for a person to decide, and those that no standard explains.

    Those that stay here come first, beneath two rows for each group of them. ``chosen`` are the sensitive columns of
    the config. Columns of files that are not merged follow those that are. Rows of an ``earlier`` sheet stay.
    """
    files = _Files.of(tables, model)
    rows = [
        _drafted(
            column,
            decisions[column.name],
            column.name in chosen,
            files.seen(column.domain, column.heading),
            model,
        )
        for column in columns
        if _needs_row(column, decisions[column.name], chosen, model)
    ]
    rows += files.not_in({row.name for row in rows}, model)
    if earlier is not None:
        update = SheetUpdate(earlier, {}, list(earlier.rows.values()))
        update.add(rows)
        rows = update.rows
    return files.with_groups(rows)


def _needs_row(column: Column, decision: Decision, chosen: set[str], model: StudyModel) -> bool:
    is_spare = decision.role is ConfigRole.SENSITIVE and column.name not in chosen
    is_asked = decision.role is ConfigRole.LEFT_ALONE and decision.review
    return is_spare or is_asked or (column.form == "wide" and is_left_open(column.domain, column.heading, model))


def _drafted(column: Column, decision: Decision, is_chosen: bool, seen: str, model: StudyModel) -> ColumnProfile:
    """The row of a column of the combined dataset, with what the draft decided about it.

    ``is_chosen``: the config names it as sensitive.
    """
    row = profile_of(column.domain, column.heading, model, seen)
    if column.form != "wide" or column.counts_rows:  # a test or a count, which no file has as a column
        role = Role.CATEGORY if column.numbers is None else Role.NUMBER
        row = dataclasses.replace(row, role=role, degree=Degree.LIKELY if column.is_result else Degree.SURE)
    if row.role in (Role.NUMBER, Role.CATEGORY) and not column.is_guessed:
        kind = UnderstoodAs.NUMBER if column.is_measured else UnderstoodAs.CATEGORY
        row = dataclasses.replace(row, understood_as=kind)
    may_stay = decision.role is ConfigRole.LEFT_ALONE or (decision.role is ConfigRole.SENSITIVE and not is_chosen)
    is_open = may_stay and not row.is_understood and seen != NO_VALUES
    known = row.known_to_outsiders
    if known is not Known.YES and not is_open:
        known = Known.YES if decision.role in (ConfigRole.CATEGORY, ConfigRole.NUMBER) else Known.NO
    if decision == NOT_RECOGNISED:
        evidence, degree = f"{decision.reason}; {row.evidence}", Degree.UNKNOWN
    else:
        is_spare = decision.role is ConfigRole.SENSITIVE and not is_chosen
        evidence, degree = f"{NOT_CHOSEN}: {decision.reason}" if is_spare else decision.reason, row.degree
    status = Status.TO_DECIDE if is_open else Status.NOTHING
    return dataclasses.replace(
        row, unit=column.unit, known_to_outsiders=known, evidence=evidence, degree=degree, status=status
    )


def _named_by_rows(table: SourceTable) -> dict[tuple[str, str], ValuesSeen]:
    """The variables that rows of a supplemental table name, by domain, each with its distinct values."""
    if not {"RDOMAIN", "QNAM", "QVAL"} <= set(table.frame.columns):
        return {}
    rows = table.combinations(["RDOMAIN", "QNAM", "QVAL"], None)
    assert rows is not None  # without a limit there is no reason to stop
    return {
        (str(domain), str(name)): ValuesSeen.of_counts(of["QVAL"].value_counts(sort=False))
        for (domain, name), of in rows.groupby(["RDOMAIN", "QNAM"])
    }


@dataclass(frozen=True)
class _Files:
    """The files of an export, each with the domain of its columns; what was seen in a column is asked once."""

    tables: Sequence[tuple[str, SourceTable]]
    _values: dict[tuple[str, str], ValuesSeen | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, tables: Iterable[SourceTable], model: StudyModel) -> _Files:
        return cls([(model.domain(table.domain), table) for table in tables])

    def values(self, domain: str, heading: str) -> ValuesSeen | None:
        """The values of a column, or of the rows that name it; None where there are none."""
        if (domain, heading) not in self._values:
            of = next((table for name, table in self.tables if name == domain and heading in table.frame), None)
            by_rows = self._by_rows.get((domain, heading))
            self._values[domain, heading] = by_rows if of is None else ValuesSeen.of(of, heading)
        return self._values[domain, heading]

    @cached_property
    def _by_rows(self) -> dict[tuple[str, str], ValuesSeen]:
        return {name: values for _, table in self.tables for name, values in _named_by_rows(table).items()}

    def seen(self, domain: str, heading: str) -> str:
        """What its values look like, "" where no file has it."""
        values = self.values(domain, heading)
        return "" if values is None else seen_in(heading, values)

    def not_in(self, names: set[str], model: StudyModel) -> Iterator[ColumnProfile]:
        """Rows of the columns of files that no standard explains and that are not among the ``names``."""
        columns = [(domain, str(heading)) for domain, table in self.tables for heading in table.frame.columns]
        for domain, heading in dict.fromkeys([*columns, *self._by_rows]):
            if f"{domain}__{heading}" in names or not is_left_open(domain, heading, model):
                continue
            row = profile_of(domain, heading, model, self.seen(domain, heading))
            if row.role is not Role.PERSON:
                is_clear = row.is_understood or row.seen == NO_VALUES
                yield row if is_clear else dataclasses.replace(row, status=Status.TO_DECIDE)

    def with_groups(self, rows: Sequence[ColumnProfile]) -> list[ColumnProfile]:
        """The rows, first those that stay here beneath the rows for their groups."""
        single = [row for row in rows if not is_of_the_tool(row)]
        closed = [row for row in single if is_asked(row)]
        looks = [(row.table, row.column, self._look(row)) for row in closed]
        others = [row for row in single if row not in closed]
        alone = [row for row in closed if row.may_be_dates]
        return [*rows_of(groups_of(looks), [*others, *alone]), *closed, *others]

    def _look(self, row: ColumnProfile) -> Look:
        values = self.values(row.table, row.column)
        return Look.WORDS if values is None else look_of(row.column, values)


# ---------------------------------------------------------------- the next export


@dataclass
class SheetUpdate:
    """What an export brings beside the ``sheet`` of earlier ones: new rows, and rows of which the values changed.

    It looks at the files while they are merged; ``literal`` is the config, whose columns are nothing new. ``is_first``:
    there was no sheet, and this one is empty.
    """

    sheet: ColumnSheet
    literal: Mapping[str, Any]
    rows: list[ColumnProfile] = field(default_factory=list)
    n_new: int = 0
    n_changed: int = 0
    is_first: bool = False
    _there: set[str] = field(default_factory=set)
    _files: _Files = field(default_factory=lambda: _Files(()))

    def look(self, tables: Sequence[SourceTable], model: StudyModel) -> None:
        """Take the files of the export in."""
        self._files = _Files.of(tables, model)
        self._there = {f"{of}__{heading}" for of, table in self._files.tables for heading in table.frame.columns}
        rows = self.sheet.rows.values()
        self.rows = [row if is_pattern(row) else self._today(row, model) for row in rows]
        self.add(self._files.not_in(self._known(), model))

    def _known(self) -> set[str]:
        named = list(_texts_in(self.literal))
        return {row.name for row in self.rows}.union(named, (one.replace(".", "__", 1) for one in named))

    def add(self, rows: Iterable[ColumnProfile]) -> None:
        """Append the rows of columns that neither the sheet has yet nor the config names."""
        known = self._known()
        new = [row for row in rows if row.name not in known]
        self.rows += new if self.is_first else [dataclasses.replace(row, status=Status.NEW) for row in new]
        self.n_new += len(new)

    def _today(self, row: ColumnProfile, model: StudyModel) -> ColumnProfile:
        seen = self._files.seen(row.table, row.column)
        if not row.seen or seen in ("", NO_VALUES, row.seen):
            return row
        self.n_changed += 1
        today = row if row.decision else profile_of(row.table, row.column, model)
        return dataclasses.replace(today, seen=seen, status=Status.CHANGED)

    @property
    def is_other(self) -> bool:
        """Whether the export brought anything; a first sheet is written only where something stays here."""
        return any(row.stays_here for row in self.rows) if self.is_first else bool(self.n_new or self.n_changed)

    def merged(self, combined: Combined) -> list[str]:
        """Take in what rows of supplemental tables name, once all is merged; what a screen says of the export."""
        file, there, said = self.sheet.file.name, self._there.union(combined.columns), []
        self.rows = self._files.with_groups(self.rows)
        if self.is_other and not self.is_first:
            numbers = f"{counted(self.n_new, 'column')} new, {self.n_changed} changed since the last export"
            said.append(f"  {file}: {numbers}; look at the rows with this status")
        named = {number: row for number, row in self.sheet.rows.items() if not is_pattern(row)}
        gone = [f"{row.name} (row {number})" for number, row in named.items() if row.name not in there]
        if gone:
            why = "not in this export, or a spreadsheet changed the name"
            said.append(f"  {file}: {listed(gone, at_most=MOST_NAMED)}: {why}")
        return [*said, *said_of_closed(dict(enumerate(self.rows, start=2)), file)]


def _texts_in(value: object) -> Iterator[str]:
    """Every text of a config, those that name its entries among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts_in([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts_in(one)


def said_of_closed(rows: Mapping[int, ColumnProfile], file: str) -> Iterator[str]:
    """Lines for the screen on the columns that stay here, with the ``rows`` of the sheet that open them."""
    closed = {number: row for number, row in rows.items() if not is_pattern(row) and is_asked(row)}
    if not closed:
        return
    groups = [(number, row) for number, row in rows.items() if is_of_the_tool(row)]
    yield f"  {counted(len(closed), 'column')} of {file}, out of every file that leaves until you decide:"
    for (first, row), (second, _) in zip(groups[::2], groups[1::2], strict=True):
        yield f"    {row.evidence.partition('; ')[0]} ({listed(row.column.split(BETWEEN), at_most=12)})"
        yield f'      write "agreed" into row {first} if outsiders know them, into row {second} if they do not'
    for number, row in closed.items():
        if row.may_be_dates:
            yield f"    {row.column} (row {number}): {of_dates(row)}"
        elif not any(holds_for(group, row) for _, group in groups):
            yield f'    {row.column}: write "yes" or "no" for what outsiders know, and "agreed", into row {number}'
