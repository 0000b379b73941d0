"""Reading one sheet of an Excel workbook (.xlsx, .xlsm, .xls): numbers, dates and text as in the cells."""

from __future__ import annotations

import datetime
import io
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.header_rows import SAMPLE_ROWS, HeaderRow, declared_header, find_header
from study.formats.legends import MOST_VALUES, why_a_legend
from study.formats.messages import leave_out_setting, no_record_fault, setting_of, shown_name
from study.formats.packed import check_unfolded_size
from study.formats.registry import Format, FoundSheets
from study.formats.tables import FileContents, FileOptions, domain_of, file_of, sheet_path
from study.formats.values import clean_name, name_faults

_NEW_WORKBOOK = b"PK\x03\x04"
_MOST_ROWS_SEEN = 1000  # of each sheet, to choose among them
_Rows = Sequence[Sequence[Any]]
_Sheet = tuple[int, _Rows]  # the number of the first row with cells, and the rows from it to the last one


def read_excel(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a sheet of a workbook: that of the path, the chosen one, the one with the domain's name, or the only one.

    Columns of numbers are float64, dates and times ISO 8601, all else text. Raises FaultyInputError for a workbook that
    is damaged or locked, and where several sheets contain data and none is chosen.
    """
    path = source.path
    name, notes = _chosen_sheet(_sheets(source, _MOST_ROWS_SEEN), path, options)
    first_number, rows = _sheets(source, only=name)[name]
    header = _header_of(rows, first_number, path, options)
    records = rows[header.place + 1 :]
    columns = _filled_columns(header, records)
    faults = name_faults([name for name, _ in columns], path, first_may_be_unnamed=True)
    if not records:
        faults.append(no_record_fault(path))
    stop_at(faults)
    contents = {name: _column(column) for name, column in columns}
    return FileContents(contents, [*notes, *header.notes], depends_on_keep=True)


def sheets_with_data(source: SourceFile, id_column: str | None) -> FoundSheets:
    """The visible sheets of a workbook with data, and those without, and hidden ones: legends, prose, headings alone.

    ``id_column`` names the person, as far as that is known. Raises as ``read_excel`` does.
    """
    sheets = _all_sheets(source, _MOST_ROWS_SEEN)
    found = _sheets_with_data({name: one for name, one in sheets.items() if one is not None}, id_column)
    hidden = {name: "a hidden sheet" for name, one in sheets.items() if one is None}
    return FoundSheets(found.with_data, {**found.left_out, **hidden})


def _sheets_with_data(sheets: Mapping[str, _Sheet], id_column: str | None) -> FoundSheets:
    columns = {name: _first_values(sheet, id_column) for name, sheet in sheets.items()}
    headings = Counter(heading for of_sheet in columns.values() for heading in of_sheet)
    shared = {heading for heading, n_sheets in headings.items() if heading and n_sheets > 1}
    left_out = {}
    for name, of_sheet in columns.items():
        is_empty = not any(of_sheet.values())
        reason = why_a_legend(of_sheet, id_column, name, shared, is_sheet=True) if of_sheet else "an empty sheet"
        left_out[name] = reason or ("no records below its headings" if is_empty else "")
    with_data = tuple(name for name, reason in left_out.items() if not reason)
    return FoundSheets(with_data, {name: reason for name, reason in left_out.items() if reason})


def _first_values(sheet: _Sheet, id_column: str | None) -> dict[str, list[str]]:
    """The columns of a sheet by their headings, with their first values as text."""
    first_number, rows = sheet
    header = find_header(_texts_of(rows[:SAMPLE_ROWS]), (id_column,) if id_column else (), first_number)
    columns = _filled_columns(header, rows[header.place + 1 :][:MOST_VALUES])
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


@contextmanager
def _reading(source: SourceFile) -> Iterator[None]:
    """Whatever a library stumbles over in a workbook is a fault of the file; its messages may quote cells."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except ImportError as error:
        raise FaultyInputError(
            f"{source.name}: reading Excel workbooks needs {error.name}; install it with "
            "pip install -r requirements/formats.txt, or export the sheet as CSV."
        ) from None
    except FaultyInputError:
        raise
    except Exception:
        raise FaultyInputError(
            f"{source.name}: the workbook is cut off, damaged, or locked by a password. Save it again without one, or "
            f"leave the domain out by {leave_out_setting(source.path)}."
        ) from None


def _sheets(source: SourceFile, most_rows: int | None = None, only: str | None = None) -> dict[str, _Sheet]:
    """The visible sheets by name, or ``only`` one; of each at most its first rows."""
    return {name: one for name, one in _all_sheets(source, most_rows, only).items() if one is not None}


def _all_sheets(source: SourceFile, most_rows: int | None, only: str | None = None) -> dict[str, _Sheet | None]:
    """As ``_sheets``, with hidden ones, which are not read: None."""
    read = _sheets_of_new if source.content.startswith(_NEW_WORKBOOK) else _sheets_of_old
    with _reading(source):
        found = read(source, most_rows, only)
        return {name: None if rows is None else _without_empty_ends(rows) for name, rows in found}


_NamedRows = tuple[str, list[Any] | None]  # of a sheet; None: it is hidden


def _sheets_of_new(source: SourceFile, most_rows: int | None, only: str | None) -> Iterator[_NamedRows]:
    with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
        n_bytes = sum(member.file_size for member in archive.infolist())
    check_unfolded_size(source.path, len(source.content), n_bytes)
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(source.content), read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        if only in (None, sheet.title):
            is_visible = sheet.sheet_state == "visible"
            yield sheet.title, list(sheet.iter_rows(max_row=most_rows, values_only=True)) if is_visible else None


def _sheets_of_old(source: SourceFile, most_rows: int | None, only: str | None) -> Iterator[_NamedRows]:
    import xlrd

    book = xlrd.open_workbook(file_contents=source.content, logfile=io.StringIO())
    for sheet in book.sheets():
        if only in (None, sheet.name):
            rows = map(sheet.row, range(sheet.nrows)[:most_rows])
            is_visible = sheet.visibility == 0
            yield sheet.name, [[_old_cell(cell, book.datemode) for cell in row] for row in rows] if is_visible else None


def _old_cell(cell: Any, datemode: int) -> Any:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        moment = xlrd.xldate_as_datetime(cell.value, datemode)
        return moment.time() if cell.value < 1 else moment
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    return xlrd.error_text_from_code.get(cell.value) if cell.ctype == xlrd.XL_CELL_ERROR else cell.value


def _without_empty_ends(rows: list[Any]) -> _Sheet:
    filled = [number for number, row in enumerate(rows) if any(map(_is_filled, row))]
    return (filled[0] + 1, rows[filled[0] : filled[-1] + 1]) if filled else (1, [])


def _is_filled(cell: Any) -> bool:
    return cell is not None and (not isinstance(cell, str) or cell.strip() != "")


def _chosen_sheet(sheets: dict[str, _Sheet], path: Path, options: FileOptions) -> tuple[str, list[str]]:
    with_cells = [name for name, (_, rows) in sheets.items() if rows]
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
    has_times = any(isinstance(cell, datetime.datetime) and cell.time() != datetime.time() for cell in cells)
    return pa.array([_text_of(cell, has_times) for cell in cells], type=pa.large_string())


def _text_of(cell: Any, has_times: bool = False) -> str | None:
    """A cell as text; a moment as a date where the whole column has no time of day."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float):
        return number_text(cell) if isinstance(cell, float) else str(cell)
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(timespec="seconds") if has_times else cell.date().isoformat()
    return str(cell)


FORMAT = Format(
    readers=dict.fromkeys((".xlsx", ".xlsm", ".xls"), read_excel),
    sheets=sheets_with_data,
    documentation="Excel (`.xlsx`, `.xlsm`, `.xls`; needs `requirements/formats.txt`)",
    place=8,
)
