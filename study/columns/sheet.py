"""The sheet of columns, ``config/<PILOT>.columns.csv``: one row per column, which people decide in a spreadsheet.

Every fault of it names the row, as a spreadsheet numbers it, and the column, all at once. Cells that a spreadsheet
writes in its own way are read as they are meant, or reported where that is open.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd

from config import LARGEST_CONFIG
from disclosure_control.basics.files import SourceFile, read_file
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name, stop_at
from study.columns.closed import holds_for, is_asked, is_pattern, of_dates
from study.columns.decisions import ROLES_TO_DECIDE
from study.columns.profile import AGREED, ColumnProfile, Degree, Known, Status, UnderstoodAs
from study.models.roles import Role

HEADINGS = tuple(one.name for one in dataclasses.fields(ColumnProfile))
BETWEEN_CODES = "|"
_DELIMITERS = ",;\t"
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_KEPT_FROM_RUNNING = re.compile(r"'\s*[=+\-@|%＝＋－＠]")
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+")
_SERIAL = re.compile(r"[34567]\d{4}(?:[.,]0+)?")  # of a day between 1982 and 2119, as a spreadsheet counts days
_DAY = re.compile(r"(?P<first>\d{1,2})(?P<sign>[./-])(?P<second>\d{1,2})[./-](?P<year>\d{4})")
_TRUTH = {"true": "yes", "false": "no"}


@dataclass(frozen=True)
class ColumnSheet:
    """The sheet as it was read: its ``rows``, by the number that a spreadsheet gives them, and its ``delimiter``."""

    file: SourceFile
    rows: Mapping[int, ColumnProfile] = field(default_factory=dict)
    delimiter: str = ","

    @property
    def columns(self) -> list[ColumnProfile]:
        """The rows of single columns, with what rows for several decide."""
        return [row for row in self.rows.values() if not is_pattern(row)]

    @property
    def n_open(self) -> int:
        """How many columns that leave a person has to look at; those that stay here wait for no one."""
        return sum(row.is_open and not row.stays_here for row in self.columns)

    @property
    def decisions(self) -> dict[str, dict[str, Any]]:
        """What was decided about columns, and which stay here, as ``merge["columns"]`` of a config has it."""
        return {
            row.name: _decision(row) if row.decision else {"role": str(Role.UNKNOWN)}
            for row in self.columns
            if row.decision or is_asked(row)
        }

    def below(self, literal: Mapping[str, Any]) -> dict[str, Any]:
        """A config with what the sheet decides beneath what the config says."""
        merge = literal.get("merge", {})
        stands = merge.get("columns", {}) if isinstance(merge, dict) else None
        if not self.decisions or not isinstance(stands, dict):
            return dict(literal)
        found: dict[str, Any] = {**self.decisions, **stands}
        for name in self.decisions.keys() & stands.keys():
            found[name] = {**self.decisions[name], **stands[name]} if isinstance(stands[name], dict) else stands[name]
        return {**literal, "merge": {**merge, "columns": found}}


def _decision(row: ColumnProfile) -> dict[str, Any]:
    decided: dict[str, Any] = {"known_to_outsiders": row.known_to_outsiders is Known.YES}
    if row.role in ROLES_TO_DECIDE:
        decided["role"] = str(row.role)
    if row.missing_codes:
        decided["missing"] = [form for code in row.missing_codes for form in _forms_of(code)]
    return decided


def _forms_of(code: str) -> list[str]:
    """A code as files may have it: a spreadsheet writes decimals and dates in the way of its country."""
    forms = [code]
    if re.fullmatch(r"[+-]?\d+[.,]\d+", code):
        forms += [code.replace(",", "."), code.replace(".", ",")]
    if day := _as_day(code):
        forms.append(day)
    return list(dict.fromkeys(forms))


def read_sheet(path: Path) -> ColumnSheet:
    """The sheet in a file. Raises ``FaultyInputError`` with all its faults."""
    if (n_bytes := path.stat().st_size) > LARGEST_CONFIG:
        raise FaultyInputError(f"{path.name}: found {n_bytes:,} bytes; allowed: up to {LARGEST_CONFIG:,}")
    return parsed_sheet(read_file(path))


def parsed_sheet(file: SourceFile) -> ColumnSheet:
    """The rows of a sheet. Raises ``FaultyInputError`` with all faults, each with its row and column."""
    text = _text_of(file)
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    records = list(enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1))
    headings = [cell.strip().casefold() for cell in records[0][1]] if records else []
    faults = [f"{file.name}, row 1: the heading {name!r} is missing" for name in HEADINGS if headings.count(name) == 0]
    faults += [
        f"{file.name}, row 1: {name!r} is no heading of the sheet, or it stands twice{nearest_name(name, HEADINGS)}"
        for name, n in Counter(headings).items()
        if name and (name not in HEADINGS or n > 1)
    ]
    stop_at(faults)
    rows: dict[int, ColumnProfile] = {}
    for number, cells in records[1:]:
        if not any(cell.strip() for cell in cells):
            continue
        place = f"{file.name}, row {number}"
        if any(cell.strip() for cell in cells[len(headings) :]):
            faults.append(f"{place}: found {len(cells)} cells; allowed: {len(headings)}, as the headings have")
        given = {name: cell.strip() for name, cell in zip(headings, cells, strict=False) if name}
        rows[number], found = _row(given)
        faults += [f"{place}, {heading}: {fault}" for heading, fault in found]
    stop_at([*faults, *_doubled(rows, file.name), *_of_no_column(rows, file.name)])
    return ColumnSheet(file, _by_patterns(rows), delimiter)


def _by_patterns(rows: Mapping[int, ColumnProfile]) -> dict[int, ColumnProfile]:
    """The rows, those of single columns that nobody decided being decided as the first that stands for several does."""
    patterns = [row for row in rows.values() if is_pattern(row) and row.decision]
    found = dict(rows)
    for number, row in rows.items():
        if row.decision or is_pattern(row):
            continue
        if by := next((pattern for pattern in patterns if holds_for(pattern, row)), None):
            found[number] = dataclasses.replace(
                row,
                role=row.role if by.role is Role.UNKNOWN else by.role,
                known_to_outsiders=by.known_to_outsiders,
                missing_codes=row.missing_codes or by.missing_codes,
                **{name: getattr(by, name) for name in ("decision", "decided_by", "decided_on")},
            )
    return found


def _of_no_column(rows: Mapping[int, ColumnProfile], file: str) -> Iterator[str]:
    for number, row in rows.items():
        if is_pattern(row) and row.decision and not any(holds_for(row, one) for one in rows.values() if one is not row):
            yield f"{file}, row {number}, column: it stands for no column of the sheet"


def _text_of(file: SourceFile) -> str:
    encoding = _BYTE_ORDER_MARKS.get(file.content[:2], "utf-8-sig")
    try:
        return file.content.decode(encoding)
    except UnicodeDecodeError:
        raise FaultyInputError(f'{file.name}: not UTF-8 text; save the sheet as "CSV UTF-8"') from None


def _doubled(rows: Mapping[int, ColumnProfile], file: str) -> Iterator[str]:
    first: dict[str, int] = {}
    for number, row in rows.items():
        if is_pattern(row) and not row.decision:  # of two rows for a group a person agrees to one
            continue
        if (before := first.setdefault(row.name, number)) != number:
            yield f"{file}, row {number}, column: the same table and column as in row {before}; keep one of them"


def _row(given: Mapping[str, str]) -> tuple[ColumnProfile, list[tuple[str, str]]]:
    """A row as it is meant, and its faults by heading; a cell at fault counts as empty."""
    values: dict[str, Any] = {"table": "", "column": ""}
    faults = []
    for heading in HEADINGS:
        try:
            values[heading] = _READERS.get(heading, _plain)(given.get(heading, ""))
        except ValueError as fault:
            faults.append((heading, str(fault)))
    row = ColumnProfile(**values)
    faults += [(heading, "empty; allowed: a name") for heading in HEADINGS[:2] if not values[heading]]
    if row.decision and row.may_be_dates and values.get("role") is Role.UNKNOWN:
        faults.append(("role", f"undecided beside a decision; {of_dates(row)}"))
    if row.decision and row.known_to_outsiders is Known.UNDECIDED and "known_to_outsiders" in values:
        faults.append(("known_to_outsiders", 'undecided beside a decision; allowed: "yes" or "no"'))
    return row, faults


# ---------------------------------------------------------------- cells


def _plain(cell: str) -> str:
    """A text without the apostrophe that kept a spreadsheet from running it."""
    return cell[1:] if _KEPT_FROM_RUNNING.match(cell) else cell


def _one_of(kind: type[StrEnum], empty: StrEnum) -> Callable[[str], StrEnum]:
    def read(cell: str) -> StrEnum:
        meant = " ".join(cell.casefold().split())
        meant = _TRUTH.get(meant, meant) if kind is Known else meant
        found = next((one for one in kind if one == meant), None)
        if found is None and meant:
            allowed = ", ".join(one for one in kind if one)
            raise ValueError(f"found {cell[:40]!r}{nearest_name(cell, list(map(str, kind)))}; allowed: {allowed}")
        return empty if found is None else found

    return read


def _codes(cell: str) -> tuple[str, ...]:
    codes = tuple(_plain(code.strip()) for code in cell.split(BETWEEN_CODES) if code.strip())
    if any(_SCIENTIFIC.fullmatch(code) for code in codes):
        raise ValueError(
            "found a number such as 1E5, which a spreadsheet may have made of a code; write the code as the file has "
            'it into the config, merge: {"columns": {"TABLE__column": {"missing": ["..."]}}}'
        )
    if any(_DAY.fullmatch(code) and not _as_day(code) for code in codes):
        raise ValueError("found a date of which day and month are not certain; allowed: a form such as 1900-02-01")
    return codes


def _agreement(cell: str) -> str:
    if cell.casefold() not in ("", AGREED, "true"):
        raise ValueError(f'found {cell[:40]!r}; allowed: "{AGREED}", or nothing while the column is undecided')
    return AGREED if cell else ""


def _decided_on(cell: str) -> str:
    if not cell:
        return ""
    if _SERIAL.fullmatch(cell):
        return (date(1899, 12, 30) + timedelta(days=int(cell[:5]))).isoformat()
    day = _as_day(cell.partition(" ")[0].partition("T")[0])
    if not day:
        raise ValueError("found no date, or one of which day and month are not certain; allowed: 2026-06-30")
    return day


def _as_day(cell: str) -> str:
    """A date as 2026-06-30; "" where the cell is none, or its day and month are not certain."""
    if found := _DAY.fullmatch(cell):
        first, second = int(found["first"]), int(found["second"])
        if found["sign"] != "." and first != second and max(first, second) <= 12:
            return ""
        day, month = (first, second) if found["sign"] == "." or first > 12 else (second, first)
        cell = f"{found['year']}-{month:02}-{day:02}"
    try:
        return date.fromisoformat(cell).isoformat()
    except ValueError:
        return ""


_READERS: Mapping[str, Callable[[str], Any]] = {
    "understood_as": _one_of(UnderstoodAs, UnderstoodAs.TEXT),
    "role": _one_of(Role, Role.UNKNOWN),
    "known_to_outsiders": _one_of(Known, Known.UNDECIDED),
    "degree": _one_of(Degree, Degree.UNKNOWN),
    "status": _one_of(Status, Status.NOTHING),
    "missing_codes": _codes,
    "decision": _agreement,
    "decided_on": _decided_on,
}


def frame_of(rows: Iterable[ColumnProfile]) -> pd.DataFrame:
    """The rows as cells of text (n_rows, n_headings), codes for missing apart from each other."""
    cells = [[_cell(getattr(row, name)) for name in HEADINGS] for row in rows]
    return pd.DataFrame(cells, columns=list(HEADINGS), dtype="str")


def _cell(value: str | Iterable[str]) -> str:
    return str(value) if isinstance(value, str) else f" {BETWEEN_CODES} ".join(value)
