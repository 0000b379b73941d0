"""Where the headings of a table are, if texts are above them: titles, dates of an export, groups of columns.

A first row that names its columns is the header, as in any other file. Otherwise the rows above the header are sparse:
they fill at most half of the columns. What looks like a header only because a name is missing must not become one, so
a header found below the first row needs evidence in the records beneath it.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.messages import setting_of
from study.formats.packed import opened
from study.formats.tables import GZIP_SUFFIX, FileOptions, suffix_of
from study.formats.values import clean_name
from study.headings import names_subjects

SAMPLE_ROWS = 200
_MOST_ROWS_ABOVE = 30
_MOST_FULL_TITLES = 4
_FEWEST_VALUES = 4  # of a column whose repeats are evidence
Row = Sequence[str]
_DATA_LIKE = re.compile(r"[+-]?[.,]*\d[\d.,]*([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)


@dataclass(frozen=True)
class HeaderRow:
    """The ``place`` of the row with the headings, from 0, and their ``names``; ``notes`` on what is above it."""

    place: int
    names: Sequence[str]
    notes: list[str] = field(default_factory=list)


def find_header(
    rows: Sequence[Row], keep: Sequence[str] = (), first_number: int = 1, n_columns: int | None = None
) -> HeaderRow:
    """The header among the first rows of a table, whose cells are texts, "" if empty.

    The first row is it, unless it is sparse and one below has evidence of being it. Two rows are joined where the upper
    one names groups of columns, but for the columns to ``keep`` and those that name the person. Rows are called by
    their number, that of the first is ``first_number``. ``n_columns``: of the table, None: as the widest row has.
    """
    rows = rows[:SAMPLE_ROWS]
    n_columns = n_columns or max(map(_n_columns, rows), default=0)
    rows = [[*map(clean_name, row[:n_columns]), *[""] * (n_columns - len(row))] for row in rows]
    if not rows:
        return HeaderRow(0, [])
    is_full = all(rows[0][1:]) and len(set(rows[0])) == len(rows[0])
    found = _below_a_full_title(rows) if is_full else _below_sparse_rows(rows, keep)
    return replace(found, notes=_notes(rows, found, first_number)) if found else HeaderRow(0, rows[0])


def _below_sparse_rows(rows: Sequence[Row], keep: Sequence[str]) -> HeaderRow | None:
    """A header of one row or two, the first one that is not sparse among them."""
    for place in range(min(len(rows) - 1, _MOST_ROWS_ABOVE + 1)):
        is_sparse = 2 * sum(map(bool, rows[place])) <= len(rows[0])
        found = _two_rows(rows, place, keep) or (None if is_sparse else _one_row(rows, place))
        if found or not is_sparse:
            return found
    return None


def declared_header(rows: Sequence[Row], header_row: int, path: Path, first_number: int = 1) -> HeaderRow:
    """The row that the config declares as the header. Raises ``FaultyInputError`` if no such row has cells."""
    place = header_row - first_number
    if not 0 <= place < len(rows) or not any(map(clean_name, rows[place])):
        last = f"row {first_number + len(rows) - 1:,}"
        found = "which is empty" if place < len(rows) else f"and the rows with cells end at {last}"
        raise FaultyInputError(
            f"{path.name}: the headings are declared to be in row {header_row:,}, {found}. Declare the number of the "
            f"row with the headings, counted from 1: {setting_of(path, 'header_row', first_number)}."
        )
    return HeaderRow(place, [clean_name(cell) for cell in rows[place]])


def _n_columns(row: Row) -> int:
    return max((place for place, cell in enumerate(row, start=1) if cell.strip()), default=0)


def likely_header_row(rows: Sequence[Row], first_number: int) -> int:
    """The number of the first row with a text in most columns, below the first row; else that of the second row."""
    n_columns = max(map(_n_columns, rows), default=0)
    below = enumerate(rows[1 : _MOST_ROWS_ABOVE + 1], start=1)
    full = (place for place, row in below if sum(bool(cell.strip()) for cell in row) > 0.75 * n_columns)
    return first_number + next(full, 1)


def _below_a_full_title(rows: Sequence[Row]) -> HeaderRow | None:
    """A header below a title with a text in each column: one cell names the person, and numbers are beneath others."""
    if any(map(names_subjects, rows[0])):
        return None
    for place, row in enumerate(rows[1:_MOST_FULL_TITLES], start=1):
        beneath = list(zip(*rows[place + 1 :], strict=True))
        has_person = len(list(filter(None, row))) > 2 and any(map(names_subjects, row))
        if has_person and any(map(_are_data, beneath)) and _are_names(row, rows[place + 1 :]):
            return HeaderRow(place, list(row))
    return None


def _one_row(rows: Sequence[Row], place: int) -> HeaderRow | None:
    """The row as a header: below the first row, complete, without repeats, and confirmed by what is beneath it.

    Of two columns one must name the person: above them, a title looks like the header of a table without a name.
    """
    names = list(rows[place])
    is_wide = len(names) > 2 or any(map(names_subjects, names))
    is_header = place > 0 and is_wide and _are_names(names, rows[place + 1 :])
    return HeaderRow(place, names) if is_header else None


def _two_rows(rows: Sequence[Row], upper: int, keep: Sequence[str]) -> HeaderRow | None:
    """A row of groups and the names below them as one header; None if they do not fit together."""
    names = _joined(rows[upper], rows[upper + 1], keep)
    return HeaderRow(upper + 1, names) if names and _are_names(names, rows[upper + 2 :]) else None


def _joined(upper: Row, lower: Row, keep: Sequence[str]) -> list[str] | None:
    """The names of columns below their groups; None unless each group has two columns or more.

    A cell of the upper row is the group of the columns up to the next one, if there is a name below it, and else the
    name of a column that takes both rows.
    """
    names, sizes, group = [], [], ""
    for above, below in zip(upper, lower, strict=True):
        if above and below and above != below:
            if above != group:
                group = above
                sizes.append(0)
        elif above:
            group = ""
        elif not below:
            return None
        if group:
            sizes[-1] += 1
        has_own_name = below in keep or names_subjects(below)
        names.append(f"{group} {below}" if group and not has_own_name else below or above)
    takes_both_rows = any(not below for below in lower) and not lower[0]
    is_title = len(sizes) == 1 and all(lower) and len(set(lower)) == len(lower)
    if not sizes or min(sizes) < 2 or is_title or not (all(lower) or takes_both_rows):
        return None
    return names


def _are_names(names: Sequence[str], beneath: Sequence[Row]) -> bool:
    """Whether texts name every column that has values beneath them, and are no record.

    None is a number, a date, or a value of its column; and a column names the person, or has values of another kind.
    """
    columns = [[cell for cell in column if cell] for column in zip(*beneath, strict=True)]
    if not columns or any(column and not name for name, column in zip(names, columns, strict=True)):
        return False
    given = [name for name in names if name]
    if len(set(given)) < len(given) or any(map(looks_like_data, given)):
        return False
    if any(name in column for name, column in zip(names, columns, strict=True)):
        return False
    return any(map(names_subjects, given)) or any(map(_confirms, columns))


def _confirms(values: Sequence[str]) -> bool:
    """Whether a record would most likely have another text here than the one above: numbers, dates, or repeats."""
    return _are_data(values) or (len(values) >= _FEWEST_VALUES and 2 * len(set(values)) <= len(values))


def _are_data(values: Sequence[str]) -> bool:
    return 2 * sum(map(looks_like_data, values)) > len(values)


def _notes(rows: Sequence[Row], found: HeaderRow, first_number: int) -> list[str]:
    row = first_number + found.place
    is_joined = list(rows[found.place]) != found.names
    n_above = found.place - is_joined
    unread = [place for place in range(n_above) if any(rows[place])]
    below = _rows_between(first_number + unread[0], first_number + unread[-1]) if unread else ""
    above = f"; {below} above them {'holds' if len(unread) == 1 else 'hold'} text that is not read" if unread else ""
    if is_joined:
        return [f"the headings were found in rows {row - 1:,} and {row:,}, groups above names, and joined{above}"]
    return [f"the headings were found in row {row:,}{above}"] if found.place else []


def _rows_between(first: int, last: int) -> str:
    return f"row {first:,}" if first == last else f"rows {first:,}-{last:,}"


def header_looks_like_data(header: list[str]) -> bool:
    """Whether most names of a header are numbers or dates: then it is more likely the first record."""
    return _are_data([name for name in header if name])


def looks_like_data(text: str) -> bool:
    """Whether a text is a number or a date."""
    return _DATA_LIKE.fullmatch(text) is not None


# ---------------------------------------------------------------- delimited text

USUAL_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
DELIMITER_NAMES = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
SAMPLE_BYTES = 1 << 18
_MOST_LINES_ABOVE = 10
_MOST_OF_A_LIST = 2  # fields: a name, and what it is
_FEWEST_RECORDS = 4  # that show how many columns there are


@dataclass(frozen=True)
class TextHeader:
    """The ``delimiter``, and how many lines are above the header; ``names`` if these are not the header's own.

    ``notes`` say what was found above it.
    """

    delimiter: str
    n_lines_above: int = 0
    names: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)


def header_of_text(sample: str, is_whole: bool, path: Path, options: FileOptions, first_number: int = 1) -> TextHeader:
    """The header in the beginning of a text that begins with a line that is not blank.

    ``first_number``: how rows are counted, blank ones too. Raises ``FaultyInputError`` if the config declares another
    row as the header than there is.
    """
    usual = USUAL_DELIMITERS[suffix_of(path).removesuffix(GZIP_SUFFIX)]
    if options.header_row is not None:
        start = max(options.header_row - first_number, 0)
        delimiter = options.delimiter or guess_delimiter(_from_line(sample, start) or sample, is_whole, usual)
        rows = _rows(sample, delimiter, is_whole)
        found = declared_header(rows, options.header_row, path, first_number)
        return TextHeader(delimiter, _line_of(sample, delimiter, found.place), found.names)
    first = options.delimiter or guess_delimiter(sample, is_whole, usual)
    for delimiter in _delimiters(sample, is_whole, usual, first, is_declared=options.delimiter is not None):
        found = _found(_rows(sample, delimiter, is_whole), options.keep, first_number)
        if found.place:
            return TextHeader(delimiter, _line_of(sample, delimiter, found.place), found.names, found.notes)
    if options.delimiter is None and (fault := _fault_of_one_column(sample, is_whole, path, first, first_number)):
        raise FaultyInputError(fault)
    return TextHeader(first)


def _fault_of_one_column(sample: str, is_whole: bool, path: Path, delimiter: str, first_number: int) -> str:
    """The fault of a text of one column, where nearly all lines but the first ones have the same number of fields."""
    if _fields_per_record(sample, delimiter, is_whole)[0] > 1:
        return ""
    for other in DELIMITER_NAMES:
        rows = _rows(sample, other, is_whole)
        n_fields = Counter(map(len, filter(None, rows)))
        [(n_columns, n_records)] = n_fields.most_common(1) or [(0, 0)]
        if n_columns > 2 and n_records >= max(_FEWEST_RECORDS, 0.9 * n_fields.total()):
            row = next(place for place, fields in enumerate(rows) if len(fields) == n_columns) + first_number
            return (
                f"{path.name}: the first line is one text, and {n_records:,} lines have {n_columns} fields each, "
                f"between {DELIMITER_NAMES[other]}. If the headings are in row {row}, declare it: "
                f"{setting_of(path, 'header_row', row)}; if the file has one column, "
                f"{setting_of(path, 'header_row', first_number)}."
            )
    return ""


def has_text_above_header(path: Path, options: FileOptions) -> bool:
    """Whether the headings of a file of text in UTF-8 are below its first line, as declared or as found."""
    if options.header_row is not None:
        return options.header_row > 1
    with opened(path) as file:
        beginning, is_whole = file.read(SAMPLE_BYTES), not file.read(1)
    sample = beginning.decode("utf-8-sig", errors="ignore").lstrip("\r\n")
    return bool(sample) and header_of_text(sample, is_whole, path, options).n_lines_above > 0


def _delimiters(sample: str, is_whole: bool, usual: str, first: str, is_declared: bool) -> Iterator[str]:
    """The delimiters to try: that of the whole text, and those of the text without its first lines, if it is uneven."""
    yield first
    n_fields = set(_fields_per_record(sample, first, is_whole))
    if is_declared or (len(n_fields) == 1 and n_fields != {1}):
        return
    tried = {first}
    for line in range(1, _MOST_LINES_ABOVE + 1):
        rest = _from_line(sample, line)
        delimiter = guess_delimiter(rest, is_whole, usual) if rest.strip() else first
        if delimiter not in tried:
            tried.add(delimiter)
            yield delimiter


def _found(rows: Sequence[Row], keep: Sequence[str], first_number: int) -> HeaderRow:
    """The header among the rows; the first one, unless most below another one have as many fields as that."""
    n_fields = Counter(map(len, filter(None, rows)))
    n_columns = max(n_fields, key=lambda n: (n_fields[n], n), default=1)
    found = find_header(rows, keep, first_number, n_columns)
    below = [fields for fields in rows[found.place :] if fields]
    are_even = 4 * sum(len(fields) == n_columns for fields in below) >= 3 * len(below)
    are_prose = all(any(field.startswith(" ") for field in fields) for fields in below)
    return found if n_columns > 1 and are_even and not are_prose else HeaderRow(0, [])


def _rows(sample: str, delimiter: str, is_whole: bool) -> list[list[str]]:
    """The first rows of a text, blank ones among them; the last one of a sample may be cut and is left out."""
    found: list[list[str]] = []
    try:
        for fields in islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), SAMPLE_ROWS):
            found.append(fields)
    except csv.Error:  # a field beyond csv's limit
        return found
    return found if is_whole or len(found) in (1, SAMPLE_ROWS) else found[:-1]


def _line_of(sample: str, delimiter: str, place: int) -> int:
    """The line, from 0, on which the row at a place begins."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    return [0, *(reader.line_num for _ in islice(reader, place))][-1]


def _from_line(sample: str, line: int) -> str:
    return "".join(islice(io.StringIO(sample, newline=""), line, None))


# ---------------------------------------------------------------- the delimiter


def guess_delimiter(sample: str, is_whole: bool, usual: str) -> str:
    """Return the delimiter under which the first records have as many fields as the header, and most of them.

    ``sample`` is the beginning of the text; ``usual`` is the delimiter that belongs to the file's suffix and wins ties.
    """

    def merit(delimiter: str) -> tuple[bool, float, int, bool]:
        n_fields = _fields_per_record(sample, delimiter, is_whole)
        agreement = sum(n == n_fields[0] for n in n_fields) / len(n_fields)
        return n_fields[0] > 1, agreement, n_fields[0], delimiter == usual

    return max(DELIMITER_NAMES, key=merit)


def _fields_per_record(sample: str, delimiter: str, is_whole: bool) -> list[int]:
    return [len(fields) for fields in _rows(sample, delimiter, is_whole) if fields] or [1]


def looks_like_a_table(beginning: bytes) -> bool:
    """Whether the first bytes of a text are records under a header, rather than prose: several fields, all alike.

    There may be lines of a title above them, if the header has three fields or more, and looks like one.
    """
    is_wide = beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    sample = beginning.decode("utf-16" if is_wide else "latin-1", errors="ignore").lstrip("\r\n")
    for line in range(_MOST_LINES_ABOVE + 1):
        rest = _from_line(sample, line)
        delimiter = guess_delimiter(rest, is_whole=False, usual="\t")
        n_fields = _fields_per_record(rest, delimiter, is_whole=False)
        may_be = not line or (len(n_fields) > SAMPLE_ROWS // 10 and _has_headings(_rows(rest, delimiter, False)))
        if may_be and n_fields[0] > 1 and 10 * sum(n == n_fields[0] for n in n_fields) >= 9 * len(n_fields):
            return True
    return False


def _has_headings(rows: Sequence[Row]) -> bool:
    """Whether the first record has three names or more, which begin with a letter and are not in their column again."""
    names, *below = rows
    are_names = all(name[:1].isalpha() for name in names) and len(set(names)) == len(names) > _MOST_OF_A_LIST
    return are_names and not any(one == name for fields in below for one, name in zip(fields, names, strict=False))
