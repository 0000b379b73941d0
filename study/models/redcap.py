"""REDCap: exports of a project's records, flat, with events and repeating instruments, and its data dictionary.

Source: the columns that REDCap adds to an export (``redcap_event_name``, ``redcap_repeat_instrument``, ...), and the
files of a project's set-up, as the web application and the API write them. The first field of the dictionary is the
record id, whatever its name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from disclosure_control.basics.telling.faults import stop_at
from study.formats.tables import SourceTable, without_moments
from study.models import redcap_rows as rows
from study.models.births import birth_by_values
from study.models.column_roles import PlainTable
from study.models.redcap_dictionary import (
    LISTS,
    PARTS,
    ExportColumn,
    RedcapField,
    column_of_field,
    columns_of_dictionary,
    columns_of_export,
    fields_of,
    words_of,
)
from study.models.registry import DataModel
from study.models.roles import ColumnModel, Derive, Role, TableKind, TableModel
from study.models.study_model import StudyModel
from study.models.words_of_codes import column_in_words, text_of_code
from study.operations import Operation, OperationKind, VariableClass

RECORD_ID = "record_id"
ORDER = "redcap_order"
ONE_FIELD_IN_A_ROW = {"record", "field_name", "value"}
_ONE_FIELD = (
    "{file}: an export with one field in each row (columns record, field_name, value); allowed are flat exports, with "
    'one column for each field: export the records again as "CSV (raw data)", or from the API with type=flat'
)
STATUSES = frozenset(("0", "1", "2", "0.0", "1.0", "2.0", "incomplete", "unverified", "complete"))

# What REDCap adds to an export -> its raw heading, its heading among labels, the role, and why.
_ADDED: Mapping[str, tuple[str, str, str, str]] = LISTS["added"]
_OF_ROWS = ("event", "instrument", "instance")  # these say nothing about a person
_STATUS = re.compile(r"(?i)(\w+)_complete|complete\?( \(\d+\))?")
_TIMESTAMP = re.compile(r"(?i)\w+_timestamp|survey timestamp( \(\d+\))?")

_NOT_SAFE = Operation(
    OperationKind.REMOVE_DATA_SET, VariableClass.DIRECT_IDENTIFIER, "names the project, its sites or its staff"
)
_FREE_WORDS = Operation(
    OperationKind.REMOVE, VariableClass.QUASI_IDENTIFIER_1, "words of the project's staff, which may name a site"
)
_PLAIN = Operation(OperationKind.KEEP, VariableClass.NOT_IDENTIFYING, "describes the fields, not a person")
_NUMBERED = Operation(
    OperationKind.NUMBER_ANEW, VariableClass.NOT_IDENTIFYING, "numbers the rows of an instrument, in their order"
)
# Files of the project's set-up: columns of each, whether it may leave, and what it is.
_DESIGNS: Sequence[tuple[Sequence[str], bool, str]] = LISTS["designs"]


# ---------------------------------------------------------------- which file is what


def recognised(tables: Sequence[SourceTable]) -> str:
    """A column that REDCap alone adds, or a dictionary beside a file with its fields, or checkboxes with a status."""
    fields = _fields(tables)
    for table in tables:
        columns = _columns(table)
        if _is_dictionary(table) or _design(columns):
            continue
        if _names(table) >= ONE_FIELD_IN_A_ROW:
            return f"{table.file_name} has one REDCap field in each row"
        added = [name for name in columns if name.lower() in {raw for raw, *_ in _ADDED.values()}]
        if added:
            return f"{table.file_name} has columns of a REDCap export, such as {added[0]}"
        if {label for _, label, *_ in _ADDED.values()} & {name.lower() for name in columns} and fields:
            return f"{table.file_name} has columns of a REDCap export with labels"
        if any(one.field is not None for one in columns_of_export(columns, fields).values()):
            return f"{table.file_name} has fields of a REDCap data dictionary"
        has_status = any(_STATUS.fullmatch(name) and _are_statuses(table.column(name)) for name in columns)
        has_record_id = words_of(RECORD_ID) in map(words_of, columns)
        if has_status and (has_record_id or any(map(PARTS.fullmatch, columns)) or any(map(_added, columns))):
            return f"{table.file_name} has the status of a REDCap instrument"
    return ""


def _columns(table: SourceTable) -> list[str]:
    return list(map(str, table.frame.columns))


def _names(table: SourceTable) -> set[str]:
    return {name.lower() for name in _columns(table)}


def _whole(table: SourceTable) -> pd.DataFrame:
    """The rows of a small file, wherever they are."""
    return pd.DataFrame({name: table.column(name) for name in _columns(table)})


def _is_dictionary(table: SourceTable) -> bool:
    return bool(columns_of_dictionary(_columns(table)))


def _fields(tables: Iterable[SourceTable]) -> list[RedcapField]:
    return [one for table in tables if _is_dictionary(table) for one in fields_of(_whole(table))]


def _design(columns: Iterable[str]) -> tuple[bool, str] | None:
    """Whether a file of the project's set-up may leave, and what it is; None for any other file."""
    names = {name.lower() for name in columns}
    return next(((may_leave, words) for own, may_leave, words in _DESIGNS if names.issuperset(own)), None)


def _are_statuses(values: pd.Series) -> bool:
    present = values.dropna().astype("str").str.lower()
    return len(present) > 0 and bool(present.isin(STATUSES).all())


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """The files of a project: exports of records, one or more; the dictionary and the set-up beside them.

    Raises ``FaultyInputError`` where an export is not flat.
    """
    fields = _fields(tables)
    data = [table for table in tables if not _is_dictionary(table) and not _design(_columns(table))]
    person = person if any(person in table.frame for table in data) else _person(data, fields)
    stop_at([_ONE_FIELD.format(file=one.file_name) for one in data if _names(one) >= ONE_FIELD_IN_A_ROW])
    exports = {table.domain: _RedcapExport(table, person, fields) for table in data}
    places, how = _places(tables, list(exports.values()))
    names = without_moments(table.domain for table in tables)
    models = {
        names[table.domain]: exports[table.domain].model(names[table.domain], places)
        if table.domain in exports
        else _beside(names[table.domain], _columns(table))
        for table in tables
    }
    reason = "; ".join(filter(None, (recognised(tables), how)))
    return StudyModel("redcap", reason, person, None, models, domain_of_data_set=names)


def _beside(domain: str, columns: Sequence[str]) -> TableModel:
    """The dictionary, or a file of the project's set-up."""
    if known := columns_of_dictionary(columns):
        return _dictionary(domain, columns, known)
    may_leave, words = _design(columns) or (False, "")
    says = _PLAIN if may_leave else _NOT_SAFE
    of_columns = {name: ColumnModel(Role.DESCRIBES_RECORD, words, says=says) for name in columns}
    return TableModel(domain, TableKind.DESIGN, f"{words}; no row is a person's", of_columns)


def _dictionary(domain: str, columns: Sequence[str], known: Mapping[str, str]) -> TableModel:
    of_columns = {
        name: ColumnModel(Role.LABEL, "describes the fields", says=_PLAIN if name in known.values() else _FREE_WORDS)
        for name in columns
    }
    names = tuple(known[what] for what in ("name", "label") if what in known)
    reason = "the data dictionary: it describes the fields, and no row is a person's"
    return TableModel(domain, TableKind.DICTIONARY, reason, of_columns, names_columns=names)


def _person(data: Sequence[SourceTable], fields: Sequence[RedcapField]) -> str | None:
    """The column of the record id: of the dictionary's first field, else of this name, else the first column."""
    names = [name for table in data for name in _columns(table)]
    if fields:
        of_field = columns_of_export(names, fields)
        found = next((name for name, one in of_field.items() if one.field is fields[0] and not one.choice), None)
        if found is not None:
            return found
    named = next((name for name in names if words_of(name) == words_of(RECORD_ID)), None)
    return named or next((name for name in names if _added(name) is None), None)


def _added(name: str) -> str | None:
    return next((what for what, (*headings, _, _) in _ADDED.items() if name.strip().lower() in headings), None)


# ---------------------------------------------------------------- exports of records


@dataclass(frozen=True)
class _RedcapExport:
    """An export of records of a project: which field each of its columns belongs to, and what it is for."""

    table: SourceTable
    person: str | None
    fields: Sequence[RedcapField]

    @cached_property
    def columns(self) -> dict[str, ExportColumn]:
        return columns_of_export(_columns(self.table), self.fields)

    @cached_property
    def added(self) -> dict[str, str]:
        """What REDCap adds to an export, and the column that has it."""
        found = {name: _added(name) for name in self.columns if name != self.person}
        return {what: name for name, what in found.items() if what is not None}

    @cached_property
    def statuses(self) -> list[str]:
        """The columns that say whether an instrument is complete, in the order of the file."""
        forms = {one.form for one in self.fields}
        matches = {name: match for name in self.columns if (match := _STATUS.fullmatch(name))}
        return [
            name
            for name, match in matches.items()
            if match[1] is None or match[1].lower() in forms or _are_statuses(self.table.column(name))
        ]

    @cached_property
    def roles(self) -> dict[str, ColumnModel]:
        """What each column is for; dates of birth are told from events by their values."""
        plain = PlainTable(self.table, self.person)
        found = {name: self._role(plain, name, one) for name, one in self.columns.items()}
        for name in [name for name, column in found.items() if column.role is Role.DATE]:
            if why := birth_by_values(name, self.table, self.person, ()):
                found[name] = ColumnModel(Role.BIRTH, why)
        return found

    def _role(self, plain: PlainTable, name: str, one: ExportColumn) -> ColumnModel:
        if name == self.person:
            return ColumnModel(Role.PERSON, "the record id: the first field of the project")
        what = _added(name)
        if what is not None:
            return ColumnModel(Role(_ADDED[what][2]), _ADDED[what][3])
        if one.field is not None:
            return column_of_field(one.field, self.table.column(name))
        if name in self.statuses:
            return ColumnModel(Role.DESCRIBES_RECORD, "whether an instrument is complete")
        if _TIMESTAMP.fullmatch(name):
            return ColumnModel(Role.DATE, "when a survey was answered")
        return plain.role(name)

    def events(self) -> pd.DataFrame:
        """Of each row the person, the event, and the first date in the order of the columns."""
        dates = [self.table.column(name).astype("str") for name, one in self.roles.items() if one.role is Role.DATE]
        first = pd.Series(None, range(self.table.n_rows), dtype="str")
        for values in dates:
            first = first.fillna(values)
        columns = {"person": str(self.person), "event": self.added["event"]}
        return pd.DataFrame({what: self.table.column(name) for what, name in columns.items()} | {"date": first})

    def model(self, domain: str, places: Mapping[str, float]) -> TableModel:
        """Rows in time, by event and then by instance, with its checkboxes folded and its instances counted."""
        columns, added, derived = dict(self.roles), self.added, self._choices_in_words()
        for name, calculated in self._calculated().items():
            if columns[name].role is Role.NUMBER:
                columns[name] = dataclasses.replace(columns[name], part_of=calculated)
        if places or "instance" in added:
            derived[ORDER] = rows.order_of_rows(added.get("event"), places, added.get("instance"))
            columns[ORDER] = ColumnModel(Role.DESCRIBES_RECORD, "the place of the row in time")
        if "instance" in added:
            within = tuple(added[what] for what in ("event", "instrument") if what in added)
            instance = added["instance"]
            columns[instance] = dataclasses.replace(columns[instance], numbers_within=within, says=_NUMBERED)
        not_merged = {added[what] for what in _OF_ROWS if what in added}
        not_merged |= {name for name, model in columns.items() if model.role is Role.DESCRIBES_RECORD}
        for into in dict.fromkeys(one.folded for one in self.columns.values() if one.folded):
            parts = {name: one.choice for name, one in self.columns.items() if one.folded == into}
            columns[into], derived[into] = self._folded(into, parts)
            # A column of one choice says a part of what the folded one says.
            role = Role.IDENTIFIER if columns[into].role is Role.IDENTIFIER else Role.FLAG
            columns |= dict.fromkeys(parts, dataclasses.replace(columns[into], role=role, part_of=into))
            not_merged |= parts.keys()
        for instrument in self._instruments():
            name = f"{'_'.join(words_of(instrument).split())}_count"
            if name not in columns:
                derived[name] = rows.number_of_rows(added["instrument"], instrument)
                columns[name] = ColumnModel(Role.NUMBER, "the number of rows of a repeating instrument")
        of_fields = {name: one.field for name, one in self.columns.items() if one.field}
        of_fields |= {one.folded: one.field for one in self.columns.values() if one.field and one.folded}
        return TableModel(
            domain,
            TableKind.ROWS,
            columns=columns,
            derived=derived,
            order=tuple({ORDER} & columns.keys()),
            not_merged=frozenset(not_merged),
            labels={name: field.label for name, field in of_fields.items()},
            values={name: one.field.choices for name, one in self.columns.items() if one.field and one.field.choices},
        )

    def _calculated(self) -> dict[str, str]:
        """The column of the first field in a formula -> the calculated column: the others need it to give that."""
        by_field = {one.field.name: name for name, one in self.columns.items() if one.field and not one.choice}
        first = {
            match[1].lower(): name
            for name, one in self.columns.items()
            if one.field and (match := re.search(r"\[(\w+)\]", one.field.formula))
        }
        return {by_field[field]: name for field, name in first.items() if field in by_field}

    def _choices_in_words(self) -> dict[str, Derive]:
        """The columns of codes of choices, as their labels; those of exports with labels have the labels already."""
        found: dict[str, Derive] = {}
        for name, one in self.columns.items():
            words = one.field.words if one.field and name.lower() == one.field.name else {}
            if any(code != label for code, label in words.items()):
                codes = set(map(text_of_code, self.table.counts_of(name).index)) - words.keys()
                if not codes & set(words.values()):
                    found[name] = column_in_words(name, words)
        return found

    def _folded(self, into: str, labels: Mapping[str, str]) -> tuple[ColumnModel, Derive]:
        """The column that the choices of a checkbox are folded into: what it is for, and how it is made."""
        first = next(iter(labels))
        field = self.columns[first].field or RedcapField(into, kind="checkbox")
        return (
            column_of_field(field, pd.Series(list(labels.values()), dtype="str")),
            rows.folded(labels, self._form_of(field, first)),
        )

    def _form_of(self, field: RedcapField, name: str) -> rows.RedcapForm:
        """The form of a field in a column: by the dictionary, else the columns between its status and the one before.

        The status is that of the form's name, else the next one in the order of the file.
        """
        names = list(self.columns)
        behind = [one for one in self.statuses if names.index(one) >= names.index(name)]
        status = next((one for one in names if one.lower() == f"{field.form}_complete"), behind[0] if behind else None)
        if status is None:
            return rows.RedcapForm(None)
        before = [names.index(one) + 1 for one in self.statuses if names.index(one) < names.index(status)]
        own = names[max(before, default=0) : names.index(status)]
        if field.form:
            own = [one for one in names if (known := self.columns[one].field) and known.form == field.form]
        own = [one for one in own if one not in (self.person, status) and _added(one) is None]
        boxes = [one for one in own if self.columns[one].choice]
        calculated = [one for one in own if (known := self.columns[one].field) and known.formula]
        return rows.RedcapForm(status, boxes, [one for one in own if one not in (*boxes, *calculated)])

    def _instruments(self) -> list[str]:
        """The repeating instruments of a file; none where all of its rows are of one, which their number counts."""
        if "instrument" not in self.added:
            return []
        named = self.table.column(self.added["instrument"]).astype("str")
        found = sorted(named.dropna().unique())
        return [] if len(found) == 1 and bool(named.notna().all()) else found


def _places(tables: Sequence[SourceTable], exports: Sequence[_RedcapExport]) -> tuple[dict[str, float], str]:
    """The place of each event that rows name, and how it is known."""
    exports = [one for one in exports if "event" in one.added]
    if not exports:
        return {}, ""
    named = pd.concat([one.table.column(one.added["event"]).astype("str") for one in exports])
    events = sorted(named.dropna().unique())
    plan = next((table for table in tables if {"unique_event_name", "event_name"} <= _names(table)), None)
    if plan is not None:
        places = rows.places_by_plan(_whole(plan))
        found = {event: rows.place_by_plan(event, places) for event in events}
        return found, f"its events are in the order of {plan.file_name}"
    by_name = rows.places_by_name(events)
    if by_name:
        return by_name, "its events are in the order of their names"
    dated = [one.events() for one in exports if one.person is not None]
    by_date = rows.places_by_dates(pd.concat(dated, ignore_index=True)) if dated else {}
    unknown = len(events) - len(by_date)
    how = f"its events are in the order of their dates{f' ({unknown} events have none)' if unknown else ''}"
    return by_date, f"{how}; a file of events (unique_event_name, event_name, day_offset) beside it would decide"


MODEL = DataModel(
    "redcap",
    "REDCap exports of records (raw or with labels, with events and repeating instruments) and the data dictionary",
    recognised,
    described,
    place=30,
)
