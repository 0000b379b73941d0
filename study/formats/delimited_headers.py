"""Where the headings of delimited text are, and what separates its columns: titles above them may have other signs."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.header_rows import SAMPLE_ROWS, HeaderRow, declared_header, find_header
from study.formats.messages import setting_of
from study.formats.packed import opened
from study.formats.tables import GZIP_SUFFIX, FileOptions, suffix_of

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


@dataclass(frozen=True)
class _Record:
    line: int  # on which it begins, from 0
    fields: list[str]


def header_of_text(sample: str, is_whole: bool, path: Path, options: FileOptions, first_number: int = 1) -> TextHeader:
    """The header in the beginning of a text that begins with a line that is not blank.

    ``first_number``: how rows are counted, blank ones too. Raises ``FaultyInputError`` if the config declares another
    row as the header than there is.
    """
    usual = USUAL_DELIMITERS[suffix_of(path).removesuffix(GZIP_SUFFIX)]
    if options.header_row is not None:
        start = max(options.header_row - first_number, 0)
        delimiter = options.delimiter or guess_delimiter(_from_line(sample, start) or sample, is_whole, usual)
        records = _records(sample, delimiter, is_whole)
        found = declared_header([one.fields for one in records], options.header_row, path, first_number)
        return TextHeader(delimiter, records[found.place].line, found.names)
    first = options.delimiter or guess_delimiter(sample, is_whole, usual)
    for delimiter in _delimiters(sample, is_whole, usual, first, is_declared=options.delimiter is not None):
        records = _records(sample, delimiter, is_whole)
        found = _found(records, options.keep, first_number)
        if found.place:
            return TextHeader(delimiter, records[found.place].line, found.names, found.notes)
    if options.delimiter is None and (fault := _fault_of_one_column(sample, is_whole, path, first, first_number)):
        raise FaultyInputError(fault)
    return TextHeader(first)


def _fault_of_one_column(sample: str, is_whole: bool, path: Path, delimiter: str, first_number: int) -> str:
    """The fault of a text of one column, where nearly all lines but the first ones have the same number of fields."""
    if len(_records(sample, delimiter, is_whole)[0].fields) > 1:
        return ""
    for other in DELIMITER_NAMES:
        records = _records(sample, other, is_whole)
        n_fields = Counter(len(one.fields) for one in records if one.fields)
        n_columns, n_records = n_fields.most_common(1)[0]
        if n_columns > 2 and n_records >= max(_FEWEST_RECORDS, 0.9 * n_fields.total()):
            row = next(place for place, one in enumerate(records) if len(one.fields) == n_columns) + first_number
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
    n_fields = {len(one.fields) for one in _records(sample, first, is_whole) if one.fields}
    if is_declared or (len(n_fields) == 1 and n_fields != {1}):
        return
    tried = {first}
    for line in range(1, _MOST_LINES_ABOVE + 1):
        rest = _from_line(sample, line)
        delimiter = guess_delimiter(rest, is_whole, usual) if rest.strip() else first
        if delimiter not in tried:
            tried.add(delimiter)
            yield delimiter


def _found(records: Sequence[_Record], keep: Sequence[str], first_number: int) -> HeaderRow:
    """The header among the records; the first one, unless most below another one have as many fields as that."""
    n_fields = Counter(len(one.fields) for one in records if one.fields)
    n_columns = max(n_fields, key=lambda n: (n_fields[n], n), default=1)
    found = find_header([one.fields for one in records], keep, first_number, n_columns)
    below = [one.fields for one in records[found.place :] if one.fields]
    are_even = 4 * sum(len(fields) == n_columns for fields in below) >= 3 * len(below)
    are_prose = all(any(field.startswith(" ") for field in fields) for fields in below)
    return found if n_columns > 1 and are_even and not are_prose else HeaderRow(0, [])


def _records(sample: str, delimiter: str, is_whole: bool) -> list[_Record]:
    """The first records of a text, blank lines among them; the last one of a sample may be cut and is left out."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    found, line = [], 0
    try:
        for fields in islice(reader, SAMPLE_ROWS):
            found.append(_Record(line, fields))
            line = reader.line_num
    except csv.Error:  # a field beyond csv's limit
        return found
    return found if is_whole or len(found) in (1, SAMPLE_ROWS) else found[:-1]


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
    return [len(one.fields) for one in _records(sample, delimiter, is_whole) if one.fields] or [1]


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
        may_be = not line or (len(n_fields) > SAMPLE_ROWS // 10 and _has_headings(_records(rest, delimiter, False)))
        if may_be and n_fields[0] > 1 and 10 * sum(n == n_fields[0] for n in n_fields) >= 9 * len(n_fields):
            return True
    return False


def _has_headings(records: Sequence[_Record]) -> bool:
    """Whether the first record has three names or more, which begin with a letter and are not in their column again."""
    names, *below = [one.fields for one in records]
    are_names = all(name[:1].isalpha() for name in names) and len(set(names)) == len(names) > _MOST_OF_A_LIST
    return are_names and not any(one == name for fields in below for one, name in zip(fields, names, strict=False))
