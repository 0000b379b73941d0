"""Reading one sheet of an Excel workbook (.xlsx, .xlsm, .xls): numbers, dates and text as in the cells."""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.encodings import notes_on_twice
from study.formats.header_rows import SAMPLE_ROWS, HeaderRow, declared_header, find_header, likely_header_row
from study.formats.legends import MOST_VALUES, why_a_legend
from study.formats.messages import Note, in_our_words, leave_out_setting, no_record_fault, setting_of, shown_name
from study.formats.packed import check_unfolded_size
from study.formats.registry import Format, FoundSheets
from study.formats.tables import FileContents, FileOptions, domain_of, file_of, sheet_path
from study.formats.values import clean_name, name_faults

_NEW_WORKBOOK = b"PK\x03\x04"
MOST_CELLS = 20_000_000  # of the rectangle from the first cell to the last one, unless a tenth of them has a value
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DIMENSION = re.compile(rb"<dimension ref=\"(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)\"")
_ROW = re.compile(rb"<row [^>]*?r=\"([0-9]+)\"")
_CELL = re.compile(rb"<c [^>]*?r=\"([A-Z]+)[0-9]")
# A formula behind which no value is stored; the text of a formula may be empty, and then it is stored so.
_UNCALCULATED = re.compile(rb"<c ((?:(?!t=\"str\")[^>])*)>\s*<f[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_ERROR = re.compile(rb"<c [^>]*?t=\"e\"")
_MOST_ROWS_SEEN = 1000  # of each sheet, to choose among them
_Rows = Sequence[Sequence[Any]]
_Place = tuple[int, int]  # of a cell: its row and column, from 0


@dataclass(frozen=True)
class _Sheet:
    """The rows from the first one with cells, which has the number ``first_number``, to the last one.

    ``merged``: the areas of merged cells, from the first to the last cell of each. A hidden sheet is not read.
    """

    first_number: int
    rows: _Rows
    merged: Sequence[tuple[_Place, _Place]] = ()
    is_hidden: bool = False

    def records_below(self, header: HeaderRow) -> _Rows:
        """The rows below the headings; each cell of a merged area has its value."""
        start = header.place + 1
        records = [list(row) for row in self.rows[start:]]
        above = self.first_number - 1 + start
        for (top, left), (bottom, right) in self.merged:
            for row in records[max(top - above, 0) : bottom + 1 - above] if top >= above else ():
                row[left : right + 1] = [self.rows[top - above + start][left]] * (right + 1 - left)
        return records


def read_excel(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a sheet of a workbook: that of the path, the chosen one, the one with the domain's name, or the only one.

    Columns of numbers are float64, dates and times ISO 8601, all else text. Raises FaultyInputError for a workbook that
    is damaged or locked, and where several sheets contain data and none is chosen.
    """
    path = source.path
    name, notes = _chosen_sheet(_sheets(source, _MOST_ROWS_SEEN), path, options)
    sheet = _sheets(source, only=name)[name]
    header = _header_of(sheet.rows, sheet.first_number, path, options)
    records = sheet.records_below(header)
    columns = _filled_columns(header, records)
    likely = likely_header_row(_texts_of(sheet.rows[:SAMPLE_ROWS]), sheet.first_number)
    faults = name_faults([name for name, _ in columns], path, first_may_be_unnamed=True, header_row=likely)
    stop_at([*faults, *([] if records else [no_record_fault(path)])])
    contents = {name: _column(column) for name, column in columns}
    notes += _checked_cells(source, name)
    notes += notes_on_twice({*contents, *(cell for row in records for cell in row if isinstance(cell, str))})
    return FileContents(contents, [*notes, *header.notes], depends_on_keep=True, is_typed_by_hand=True)


def sheets_with_data(source: SourceFile, id_column: str | None) -> FoundSheets:
    """The visible sheets of a workbook with data, and those without, and hidden ones: legends, prose, headings alone.

    ``id_column`` names the person, as far as that is known. Raises as ``read_excel`` does.
    """
    return _sheets_with_data(_sheets(source, _MOST_ROWS_SEEN), id_column)


def _sheets_with_data(sheets: Mapping[str, _Sheet], id_column: str | None) -> FoundSheets:
    columns = {name: _first_values(sheet, id_column) for name, sheet in sheets.items()}
    headings = Counter(heading for of_sheet in columns.values() for heading in of_sheet)
    shared = {heading for heading, n_sheets in headings.items() if heading and n_sheets > 1}
    left_out = {}
    for name, of_sheet in columns.items():
        without_cells = "a hidden sheet" if sheets[name].is_hidden else "an empty sheet"
        reason = why_a_legend(of_sheet, id_column, name, shared, is_sheet=True) if of_sheet else without_cells
        if reason or not any(of_sheet.values()):
            left_out[name] = reason or "no records below its headings"
    return FoundSheets(tuple(name for name in sheets if name not in left_out), left_out)


def _first_values(sheet: _Sheet, id_column: str | None) -> dict[str, list[str]]:
    """The columns of a sheet by their headings, with their first values as text."""
    beginning = _texts_of(sheet.rows[:SAMPLE_ROWS])
    header = find_header(beginning, (id_column,) if id_column else (), sheet.first_number)
    columns = _filled_columns(header, sheet.rows[header.place + 1 :][:MOST_VALUES])
    return {name: [_text_of(cell) or "" for cell in values] for name, values in columns}


def _filled_columns(header: HeaderRow, records: _Rows) -> list[tuple[str, Sequence[Any]]]:
    """The columns with a name or with values, by name, "" for those without one."""
    cells = zip_longest(header.names, zip_longest(*records), fillvalue=None)
    columns = [(name or "", values or (None,) * len(records)) for name, values in cells]
    return [(name, values) for name, values in columns if name or any(map(_is_filled, values))]


def _header_of(rows: _Rows, first_number: int, path: Path, options: FileOptions) -> HeaderRow:
    """The row with the headings, found among the first ones or declared."""
    if options.header_row is not None:
        return declared_header(_texts_of(rows[: options.header_row]), options.header_row, path, first_number)
    return find_header(_texts_of(rows[:SAMPLE_ROWS]), options.keep, first_number)


def _texts_of(rows: _Rows) -> list[list[str]]:
    return [[_text_of(cell) or "" for cell in row] for row in rows]


def _sheets(source: SourceFile, most_rows: int | None = None, only: str | None = None) -> dict[str, _Sheet]:
    """The sheets by name, or ``only`` one; of each at most its first rows."""
    found = {}
    missing = (
        f"{source.name}: reading Excel workbooks needs python_calamine; install it with "
        "pip install -r requirements/formats.txt, or export the sheet as CSV."
    )
    damaged = (
        f"{source.name}: the workbook is cut off, damaged, or locked by a password. Save it again without one, or "
        f"leave the domain out by {leave_out_setting(source.path)}."
    )
    with in_our_words(missing, ImportError):
        import python_calamine
    with in_our_words(damaged, Exception), warnings.catch_warnings(action="ignore"):
        stored = _stored_sheets(source)
        book = python_calamine.load_workbook(io.BytesIO(source.content))
        for about in book.sheets_metadata:
            if only not in (None, about.name) or about.typ != python_calamine.SheetTypeEnum.WorkSheet:
                continue
            if about.visible != python_calamine.SheetVisibleEnum.Visible:
                found[about.name] = _Sheet(1, [], is_hidden=True)
                continue
            if about.name in stored:
                _check_extent(stored[about.name](), source.path)
            sheet = book.get_sheet_by_name(about.name)
            rows = sheet.to_python(skip_empty_area=False, nrows=most_rows)
            found[about.name] = _without_empty_ends(rows, sheet.merged_cell_ranges or ())
    return found


def _without_empty_ends(rows: _Rows, merged: Sequence[tuple[_Place, _Place]]) -> _Sheet:
    filled = [number for number, row in enumerate(rows) if any(map(_is_filled, row))]
    return _Sheet(filled[0] + 1, rows[filled[0] : filled[-1] + 1], merged) if filled else _Sheet(1, [])


def _is_filled(cell: Any) -> bool:
    return cell is not None and (not isinstance(cell, str) or cell.strip() != "")


def _chosen_sheet(sheets: dict[str, _Sheet], path: Path, options: FileOptions) -> tuple[str, list[str]]:
    with_cells = [name for name, sheet in sheets.items() if sheet.rows]
    shown = listed(map(shown_name, with_cells), at_most=8)
    if path != file_of(path):
        of_path = [name for name in with_cells if sheet_path(file_of(path), name) == path]
        if not of_path:
            raise FaultyInputError(f"{path.name}: the workbook has no such sheet with cells any more; run again.")
        return of_path[0], []
    if options.sheet is not None:
        if options.sheet not in with_cells:
            raise FaultyInputError(f"{path.name}: no sheet {options.sheet!r} with cells; allowed: {shown}.")
        return options.sheet, []
    if not with_cells:
        raise FaultyInputError(
            f"{path.name}: the workbook has no visible sheet with cells. Remove it, or leave the domain out by "
            f"{leave_out_setting(path)}."
        )
    with_data = _sheets_with_data(sheets, next(iter(options.keep), None)).with_data or with_cells
    meant = [name for name in with_cells if clean_name(name).upper() == domain_of(path)] or with_data
    if len(meant) > 1:
        raise FaultyInputError(
            f"{path.name}: {counted(len(with_cells), 'sheet')} with cells ({shown}); one sheet is one domain. Choose "
            f"by {setting_of(path, 'sheet', with_cells[0])}."
        )
    others = f", and {counted(len(with_cells) - 1, 'other sheet')} left out" if len(with_cells) > 1 else ""
    return meant[0], [f"sheet {shown_name(meant[0])} read{others}"] if others else []


def _column(cells: Sequence[Any]) -> np.ndarray | pa.Array:
    """A column of numbers as float64 if it contains nothing else, else as text."""
    kinds = {type(cell) for cell in cells if _is_filled(cell)}
    if kinds and kinds <= {int, float}:
        return np.array([cell if isinstance(cell, int | float) else np.nan for cell in cells], dtype=np.float64)
    has_times = datetime.datetime in kinds  # a moment at midnight is a date
    return pa.array([_text_of(cell, has_times) for cell in cells], type=pa.large_string())


def _text_of(cell: Any, has_times: bool = False) -> str | None:
    """A cell as text; a day as a moment where the column has times of day."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, float):
        return number_text(cell)
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(timespec="seconds")
    if isinstance(cell, datetime.date) and has_times:
        return f"{cell.isoformat()}T00:00:00"
    return str(cell)


# What a new workbook stores of each sheet beside the values of its cells: a reader of values sees an empty cell where a
# formula was never calculated, and where it ended in an error.


def _stored_sheets(source: SourceFile) -> dict[str, Callable[[], bytes]]:
    """How to get what is stored of each sheet, by the name of the sheet; nothing where the parts are called otherwise.

    Nothing of an old workbook. Raises ``FaultyInputError`` if the workbook unfolds to more than is allowed.
    """
    if not source.content.startswith(_NEW_WORKBOOK):
        return {}
    archive = zipfile.ZipFile(io.BytesIO(source.content))
    check_unfolded_size(source.path, len(source.content), sum(one.file_size for one in archive.infolist()))
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    except KeyError:
        return {}
    parts = {one.get("Id"): str(one.get("Target")) for one in relations}
    sheets = {str(one.get("name")): parts.get(one.get(_RELATION), "") for one in book.iter() if one.get(_RELATION)}
    names = set(archive.namelist())
    stored = {name: part[1:] if part.startswith("/") else f"xl/{part}" for name, part in sheets.items()}
    return {name: partial(archive.read, part) for name, part in stored.items() if part in names}


def _check_extent(stored: bytes, path: Path) -> None:
    """Raise ``FaultyInputError`` if cells are so far from each other that most of the sheet between them is empty."""
    said = _DIMENSION.search(stored)
    last = _ROW.match(stored, max(stored.rfind(b"<row "), 0))
    n_rows = max(int(said[2]) if said else 0, int(last[1]) if last else 0)
    n_cells = stored.count(b"<c ")
    if n_rows * _most_columns(said, stored) > max(MOST_CELLS, 10 * n_cells):
        raise FaultyInputError(
            f"{path.name}: {counted(n_cells, 'cell')} of a sheet reach to row {n_rows:,}, so that nearly all between "
            "them are empty: a cell lies far from the table. Delete the rows and columns beside the table, and save it "
            "again."
        )


def _most_columns(said: re.Match[bytes] | None, stored: bytes) -> int:
    letters = {said[1]} if said else {match[1] for match in _CELL.finditer(stored)}
    numbers = (sum(26**i * (letter - ord("A") + 1) for i, letter in enumerate(reversed(one))) for one in letters)
    return max(numbers, default=0)


def _checked_cells(source: SourceFile, sheet: str) -> list[str]:
    """A note on cells with an error, which are read as missing.

    Raises ``FaultyInputError`` if cells have a formula and no value: whoever wrote the workbook did not calculate it.
    """
    sheets = _stored_sheets(source)
    stored = sheets[sheet]() if sheet in sheets else b""
    uncalculated = [match[1] for match in _UNCALCULATED.finditer(stored)]
    columns = sorted({match[1].decode() for one in uncalculated if (match := re.search(rb'r="([A-Z]+)', one))})
    if uncalculated:
        raise FaultyInputError(
            f"{source.path.name}: {counted(len(uncalculated), 'cell')} with a formula and no stored value, in column"
            f"{'s' if len(columns) > 1 else ''} {', '.join(columns[:8])}: the program that wrote the workbook did not "
            "calculate it. Open it in a spreadsheet program and save it, or export the sheet as CSV from there."
        )
    n = len(_ERROR.findall(stored))
    return [Note.of(lambda told: f"{told(n, 'cell')} with an error of a formula read as missing")] if n else []


FORMAT = Format(
    readers=dict.fromkeys((".xlsx", ".xlsm", ".xls"), read_excel),
    sheets=sheets_with_data,
    documentation="Excel (`.xlsx`, `.xlsm`, `.xls`; needs `requirements/formats.txt`)",
    place=8,
)
