"""What a new workbook stores of each sheet, beside the values of its cells: how far they reach, formulas, errors.

A reader of values sees an empty cell where a formula was never calculated, and where it ended in an error.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted
from study.formats.messages import Note
from study.formats.packed import check_unfolded_size

NEW_WORKBOOK = b"PK\x03\x04"
MOST_CELLS = 20_000_000  # of the rectangle from the first cell to the last one, unless a tenth of them has a value
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DIMENSION = re.compile(rb"<dimension ref=\"(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)\"")
_ROW = re.compile(rb"<row [^>]*?r=\"([0-9]+)\"")
_CELL = re.compile(rb"<c [^>]*?r=\"([A-Z]+)[0-9]")
# A formula behind which no value is stored; the text of a formula may be empty, and then it is stored so.
_UNCALCULATED = re.compile(rb"<c ((?:(?!t=\"str\")[^>])*)>\s*<f[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_ERROR = re.compile(rb"<c [^>]*?t=\"e\"")


def stored_sheets(source: SourceFile) -> dict[str, Callable[[], bytes]]:
    """How to get what is stored of each sheet, by the name of the sheet; nothing where the parts are called otherwise.

    Raises ``FaultyInputError`` if the workbook unfolds to more than is allowed.
    """
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


def check_extent(stored: bytes, path: Path) -> None:
    """Raise ``FaultyInputError`` if cells are so far from each other that most of the sheet between them is empty."""
    said = _DIMENSION.search(stored)
    last = _ROW.match(stored, max(stored.rfind(b"<row "), 0))
    n_rows = max(int(said[2]) if said else 0, int(last[1]) if last else 0)
    n_cells = stored.count(b"<c ")
    if n_rows * _most_columns(said, stored) <= max(MOST_CELLS, 10 * n_cells):
        return
    raise FaultyInputError(
        f"{path.name}: {counted(n_cells, 'cell')} of a sheet reach to row {n_rows:,}, so that nearly all between them "
        "are empty: a cell lies far from the table. Delete the rows and columns beside the table, and save it again."
    )


def _most_columns(said: re.Match[bytes] | None, stored: bytes) -> int:
    letters = {said[1]} if said else {match[1] for match in _CELL.finditer(stored)}
    return max((_number(one) for one in letters), default=0)


def _number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def checked_cells(source: SourceFile, sheet: str) -> list[str]:
    """A note on cells with an error, which are read as missing.

    Raises ``FaultyInputError`` if cells have a formula and no value: whoever wrote the workbook did not calculate it.
    """
    if not source.content.startswith(NEW_WORKBOOK) or sheet not in (sheets := stored_sheets(source)):
        return []
    stored = sheets[sheet]()
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
