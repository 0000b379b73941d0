"""Rows of a table that are no records: units, totals, a footer, a legend, the headings once more, and blank ones.

A record has an id as the others have one, or a value that fits its column. Rows of nobody are known by having neither:
what they say breaks the forms of all columns that have one. In doubt a row is a record, so that nobody is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.text_codes import TextCodes
from disclosure_control.basics.telling.words import listed
from study.formats.tables import ColumnFound
from study.formats.values import COMPARATOR, clean_text
from study.headings import names_subjects, words_of
from study.words import words_of_summaries

_AT_ENDS = 200  # rows whose ids are compared with the form of the others, in tables of more than MANY
_MANY = 100_000
_SAMPLE = 2000  # records that show the forms of columns
_MOST_SHARE, _MOST_ROWS = 0.05, 20  # more rows of nobody than this are no such rows
_FEWEST_RECORDS = 5  # that show the forms of the columns
_FIT = 0.95  # of the values of a column with a form
_FEWEST_LETTERS = 4  # of a word for a total at the end of another word, and more
_MOST_LETTERS = 40  # before it
_FEWEST_NUMBERED = 4  # columns that a row numbers
_MOST_OF_A_LEGEND = 2  # cells of a row below a blank one at the end
_NUMBER = re.compile(
    rf"{COMPARATOR}?\s*[+-]?[.,]*\d[\d.,\s]*([eE][+-]?\d+)?|\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}.*", re.ASCII
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")
_MISSING = frozenset(("na", "n", "a", "nan", "null", "none", "nat", "unknown", "missing", "not", "done", "nd", "unk"))
# What the ids of a table have in common, the narrowest first.
_FORMS = (r"^\s*[+-]?\d+(\.\d*)?\s*$", r"^\s*\S*\d\S*\s*$", r"^\s*\S+\s*$")


@dataclass(frozen=True)
class _Kind:
    """Rows of one kind, by their places (n,), and what they are in words: one of them, and several."""

    one: str
    several: str
    rows: tuple[int, ...]


def without_rows_of_nobody(columns: Mapping[str, ColumnFound]) -> tuple[dict[str, ColumnFound], list[str]]:
    """The columns without rows of nobody, and notes on these; the same columns if there is none.

    A note names rows by their number below the headings, and no cell.
    """
    kept = dict(columns)
    n_rows = len(next(iter(kept.values()), ()))
    if len(kept) < 2 or not n_rows:
        return kept, []
    suspects = _suspects(kept, n_rows)
    if not len(suspects):
        return kept, []
    found = _Suspects(kept, n_rows, suspects).of_nobody()
    if not found:
        return kept, []
    out = np.concatenate([np.array(kind.rows, dtype=np.int64) for kind in found])
    rows = np.delete(np.arange(n_rows), out)
    notes = [_note(kind) for kind in found]
    left = {name: one.at(rows) if isinstance(one, TextCodes) else one.take(rows) for name, one in kept.items()}
    return left, notes


def faults_of_rows_on_disk(file_name: str, columns: Mapping[str, pa.ChunkedArray], remedy: str) -> list[str]:
    """The fault of rows of headings or totals in a file that is not in memory, by the distinct texts of its ids."""
    for name in _ids(columns):
        texts = columns[name]
        if pa.types.is_large_string(texts.type) and pc.any(_are_totals(texts, name)).as_py():
            return [
                f"{file_name}: {name} has a row of totals, or the headings once more, which is no record; take such "
                f"rows out of the file, or {remedy}"
            ]
    return []


def _are_totals(texts: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    words = [
        spelled for word in words_of_summaries() for spelled in (word, word.title(), word.upper()) if len(word) > 3
    ]
    return pc.is_in(texts, value_set=pa.array([name, *words], texts.type))


def _note(kind: _Kind) -> str:
    n, numbers = len(kind.rows), listed((f"{row + 1:,}" for row in sorted(kind.rows)), at_most=8)
    what, rows = (kind.one, "row") if n == 1 else (f"{n:,} {kind.several}", "rows")
    return f"{what} left out, as no record of a person: {rows} {numbers} below the headings"


# ---------------------------------------------------------------- which rows have no id as the others have one


def _ids(columns: Mapping[str, ColumnFound]) -> list[str]:
    """The first column, and the first one that names the person: what has neither is no record."""
    first = next(iter(columns))
    person = next((name for name in columns if names_subjects(name)), first)
    return list(dict.fromkeys((first, person)))


def _suspects(columns: Mapping[str, ColumnFound], n_rows: int) -> np.ndarray:
    """The places (n,) of rows whose ids are missing, or have another form than nearly all others."""
    found = np.arange(n_rows)
    for name in _ids(columns):
        if not len(found):
            break
        found = np.intersect1d(found, _odd_ids(name, columns[name], n_rows), assume_unique=True)
    first = {name: _texts(column, np.zeros(1, dtype=np.int64))[0] for name, column in columns.items()}
    return np.union1d(found, np.zeros(int(_number_columns(first)), dtype=np.int64))


def _odd_ids(name: str, column: ColumnFound, n_rows: int) -> np.ndarray:
    if isinstance(column, np.ndarray):
        return np.flatnonzero(np.isnan(column)) if column.dtype.kind == "f" else np.empty(0, dtype=np.int64)
    if isinstance(column, TextCodes):
        odd = np.append(_are_odd(name, pa.chunked_array([column.texts]), column.people[:-1]), True)
        return np.flatnonzero(odd.take(column.codes, mode="wrap"))
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    if not _are_texts(column):
        return np.flatnonzero(column.is_null().to_numpy())
    if n_rows <= _MANY:
        return np.flatnonzero(_are_odd(name, column, np.ones(n_rows, dtype=np.int64)))
    # In a long table the form is asked for at both ends, where titles, units, totals and footers are.
    ends = pa.chunked_array([*column[:_AT_ENDS].chunks, *column[-_AT_ENDS:].chunks], type=column.type)
    at_ends = _are_odd(name, ends, np.ones(len(ends), dtype=np.int64))
    odd = pc.or_(_are_totals(column, name), column.is_null()).to_numpy()
    odd[:_AT_ENDS] |= at_ends[:_AT_ENDS]
    odd[-_AT_ENDS:] |= at_ends[_AT_ENDS:]
    return np.flatnonzero(odd)


def _are_odd(name: str, texts: pa.ChunkedArray, n_records: np.ndarray) -> np.ndarray:
    """Which texts (n,) are missing, the heading again, a word for a total, or not of the form that the others have."""
    is_empty = _none_or_blank(texts)
    n_given = int(n_records[~is_empty].sum())
    odd = is_empty
    for form in _FORMS:
        fits = _matches(texts, form)
        n_odd = n_given - int(n_records[fits & ~is_empty].sum())
        if n_odd <= max(_MOST_SHARE * n_given, min(_MOST_ROWS, n_given // 2)):
            odd = odd | ~fits
            break
    if form != _FORMS[0]:  # no number is a word for a total
        odd = odd | _matches(texts, _form_of_summaries())
    return odd | _matches(texts, rf"(?i)^\s*\Q{name.strip()}\E\s*$")


@cache
def _form_of_summaries() -> str:
    """The form of a text that has words for a total alone, beside signs and numbers, or ends in one: ``Sous-total``."""
    words = sorted({form for word in words_of_summaries() for form in (word, words_of(word))})
    ends = "|".join(word for word in words if len(word) > _FEWEST_LETTERS)
    alone = rf"[\W\d_]*(?:(?:{'|'.join(words)})[\W\d_]*){{1,4}}"
    return rf"(?i)^(?:{alone}|\s*[^\s\d]{{1,{_MOST_LETTERS}}}(?:{ends})[\W\d_]*)$"


def _is_summary(cell: str) -> bool:
    """Whether a text has words for a total alone, or the beginnings of such words with a point: ``Standardabw.``."""

    def written_out(cut: re.Match[str]) -> str:
        return next((one for one in words_of_summaries() if one.startswith(cut[1].casefold())), cut[0])

    whole = re.sub(r"([^\W\d_]{3,})\.", written_out, cell)
    return re.search(_form_of_summaries(), whole) is not None


def _same(cell: str, name: str) -> bool:
    return cell.strip().casefold() == name.strip().casefold()


# ---------------------------------------------------------------- what the suspects say


@dataclass(frozen=True)
class _Suspects:
    """The cells of the rows at the places ``rows`` (n,), beside those of some records."""

    columns: Mapping[str, ColumnFound]
    n_rows: int
    rows: np.ndarray

    @cached_property
    def cells(self) -> dict[str, list[str]]:
        """The cells of the suspects by column, "" where missing."""
        return {name: _texts(column, self.rows) for name, column in self.columns.items()}

    @cached_property
    def forms(self) -> dict[str, _Form]:
        """The form of the values of each column, by some records."""
        records = np.delete(np.arange(self.n_rows), self.rows)
        step = max(len(records) // _SAMPLE, 1)
        return {name: _Form(_texts(column, records[::step])) for name, column in self.columns.items()}

    def of_nobody(self) -> list[_Kind]:
        ids = _ids(self.columns)
        rows = [{name: cells[place] for name, cells in self.cells.items()} for place in range(len(self.rows))]
        blank = [place for place, row in enumerate(rows) if _is_blank(row.values())]
        numbered = [place for place, row in enumerate(rows) if self.rows[place] == 0 and _number_columns(row)]
        headings = [place for place, row in enumerate(rows) if _are_headings(row)]
        others = [place for place in range(len(rows)) if place not in {*blank, *numbered, *headings}]
        legend = self._legend(blank)
        totals = [place for place in others if place not in legend and self._is_total(rows[place], ids)]
        left = [place for place in others if place not in {*legend, *totals}]
        texts = [place for place in left if self._breaks(place, rows[place], ids) or self._is_remark(rows[place], ids)]
        n_records = self.n_rows - len(self.rows)
        n_odd = len({*legend, *totals, *texts})
        if n_records < _FEWEST_RECORDS or n_odd > min(max(_MOST_SHARE * n_records, _MOST_ROWS), n_records // 2):
            texts, totals, legend = [], [], []
        units = [
            place for place in texts if self.rows[place] < _MOST_OF_A_LEGEND and not self._is_remark(rows[place], ids)
        ]
        footer = sorted({*legend, *texts} - {*units})
        kinds = (
            ("a row without any value", "rows without any value", blank),
            ("a row that numbers the columns", "rows that number the columns", numbered),
            ("a row that repeats the headings", "rows that repeat the headings", headings),
            ("a row of units" + self._units(units), "rows of units" + self._units(units), units),
            ("a row of totals", "rows of totals", totals),
            ("a row of text", "rows of text", footer),
        )
        return [_Kind(one, several, tuple(self.rows[places].tolist())) for one, several, places in kinds if places]

    def _units(self, places: Sequence[int]) -> str:
        """What the row below the headings says of each column of numbers."""
        said = [f"{name}: {cells[places[0]]}" for name, cells in self.cells.items() if places and cells[places[0]]]
        return f" ({listed(said, at_most=8)})" if said else ""

    def _breaks(self, place: int, row: Mapping[str, str], ids: Sequence[str]) -> bool:
        """Whether some cell breaks the form of its column, and none fits or repeats what records have.

        Right below the headings, without any id, bounds may fit, beside ranges that break the form: <5, and 12-16.
        """
        given = {name: cell for name, cell in row.items() if cell and name not in ids}
        broken = [cell for name, cell in given.items() if self.forms[name].breaks(cell)]
        fitting = [cell for name, cell in given.items() if self.forms[name].fits(cell)]
        is_odd = all(not row[name] or not re.search(r"\d", row[name]) or " " in row[name] for name in ids)
        are_ranges = all(cell[0] in "<>" for cell in fitting) and all(
            len(_DIGITS.findall(cell)) == 2 for cell in broken
        )
        may_fit = self.rows[place] < _MOST_OF_A_LEGEND and not any(row[name] for name in ids) and are_ranges
        return is_odd and bool(broken) and (may_fit or not fitting)

    def _is_total(self, row: Mapping[str, str], ids: Sequence[str]) -> bool:
        """Whether a row has a word for it where ids have digits, or numbers that are the sums or means of columns.

        The word may stand beside a missing id, too.
        """
        given = {name: cell for name, cell in row.items() if cell}
        words = [name for name, cell in given.items() if _is_summary(cell) and cell not in self.forms[name].known]
        numbers = {name: cell for name, cell in given.items() if _NUMBER.fullmatch(cell)}
        is_named = any(name in words for name in ids)
        if (is_named or self._is_of_a_group(row, ids)) and not any(self.forms[name].are_words for name in ids):
            return True
        numbers = {name: cell for name, cell in numbers.items() if name not in ids}
        if len(numbers) > 1 and numbers.keys() == given.keys() - {*ids} and self._are_counts(numbers, row, ids):
            return True
        may_be = is_named or given.keys() <= {*numbers, *words, *(() if self.forms[ids[0]].are_words else ids)}
        is_named |= bool(words) and not any(row[name] for name in ids)
        return (
            may_be
            and bool(numbers)
            and all(self._is_summed(name, cell, is_named=is_named) for name, cell in numbers.items())
        )

    def _are_counts(self, numbers: Mapping[str, str], row: Mapping[str, str], ids: Sequence[str]) -> bool:
        """Whether a row without a digit in its ids, where others have one, says how many values each column has.

        One of the columns has words: a person may have the numbers of the others.
        """
        is_odd = not any(self.forms[name].are_words or re.search(r"\d", row[name]) for name in ids)
        are_counts = all(_number(cell) == self.forms[name].n_given for name, cell in numbers.items())
        return is_odd and are_counts and any(self.forms[name].have_no_digit for name in numbers)

    def _is_of_a_group(self, row: Mapping[str, str], ids: Sequence[str]) -> bool:
        """Whether an id without a digit begins with a word for a total, as ``Summe Arm A``, and all numbers are such.

        A name may begin so, too: so no word stands where all others have one, and no person has some of the numbers.
        """
        words = [name for name, form in self.forms.items() if form.repeats_always and name not in ids]
        begins = any(_is_summary(row[name].partition(" ")[0]) for name in ids if row[name])
        is_without = not any(row[name] for name in words) and not re.search(r"\d", "".join(row[name] for name in ids))
        if not (begins and words and is_without):
            return False
        numbers = {name: cell for name, cell in row.items() if cell and name not in ids}
        are_summed = all(self._is_summed(name, cell, self._groups(words)) for name, cell in numbers.items())
        return are_summed and any(self._is_of_nobody(name, cell) for name, cell in numbers.items())

    def _groups(self, words: Sequence[str]) -> Iterator[np.ndarray]:
        """Which records (n_records,) are meant: all, or those of one value of a column of few words."""
        yield np.ones(self.n_rows - len(self.rows), dtype=bool)
        for name in words:
            texts = np.array(_texts(self.columns[name], self._records))
            values = np.unique(texts)
            yield from (texts == one for one in values[: _MOST_ROWS * (len(values) <= _MOST_ROWS)])

    @cached_property
    def _records(self) -> np.ndarray:
        return np.delete(np.arange(self.n_rows), self.rows)

    def _numbers(self, name: str) -> np.ndarray:
        """The numbers (n_records,) of a column, NaN where a record has none."""
        found = (_number(text) for text in _texts(self.columns[name], self._records))
        return np.array([np.nan if one is None else one for one in found])

    def _is_of_nobody(self, name: str, cell: str) -> bool:
        """Whether a number is outside those of the records, or has decimals where these have none."""
        said, numbers = _number(cell), self._numbers(name)
        is_outside = said is not None and not np.nanmin(numbers) <= said <= np.nanmax(numbers)
        return is_outside or (self.forms[name].are_whole and re.search(r"\d[.,]\d", cell) is not None)

    def _is_summed(self, name: str, cell: str, groups: Iterable[np.ndarray] = (), is_named: bool = True) -> bool:
        """Whether a number is the sum, mean or standard deviation of its column; without a word only a large sum is.

        Or it is that of a group of records, or their number, where these are given.
        """
        said, numbers = _number(cell), self._numbers(name)
        rounded = 0.51 * 10.0 ** -len(cell.replace(",", ".").partition(".")[2])
        for group in groups or (slice(None),):
            values = numbers[group][~np.isnan(numbers[group])]
            if said is None or len(values) < _MOST_OF_A_LEGEND + 1:
                continue
            summaries = (values.sum(), values.mean(), values.std(ddof=1), *((len(values),) if groups else ()))
            if any(abs(one - said) <= rounded for one in summaries if is_named or one > 2 * values.max()):
                return True
        return False

    def _is_remark(self, row: Mapping[str, str], ids: Sequence[str]) -> bool:
        """Whether one cell alone has a text, and it is no id: it has several words, or no digit where ids have one."""
        given = [(name, cell) for name, cell in row.items() if cell]
        if len(given) != 1 or _NUMBER.fullmatch(given[0][1]):
            return False
        [(name, cell)] = given
        is_no_id = name in ids and not self.forms[name].are_words and not any(letter.isdigit() for letter in cell)
        return is_no_id or len(cell.split()) > 1

    def _legend(self, blank: Sequence[int]) -> list[int]:
        """Rows of few cells below the last blank one, at the end of a table of full ones."""
        if not blank:
            return []
        start = int(self.rows[blank[-1]])
        end = np.arange(start + 1, self.n_rows)
        n_typical = sum(bool(form.n_given) for form in self.forms.values())
        if not 0 < len(end) <= _MOST_ROWS or n_typical <= 2 * _MOST_OF_A_LEGEND or 2 * len(end) > start:
            return []
        n_cells = np.sum([[bool(cell) for cell in _texts(column, end)] for column in self.columns.values()], axis=0)
        are_few = (n_cells <= _MOST_OF_A_LEGEND).all() and np.isin(end, self.rows).all()
        return np.flatnonzero(np.isin(self.rows, end)).tolist() if are_few else []


class _Form:
    """What the ``values`` of a column, "" where missing, have in common."""

    def __init__(self, values: Sequence[str]):
        given = [value for value in values if value and not _is_missing(value)]
        self.n_given = len(given)
        self.known = set(given)
        n_numbers = sum(_NUMBER.fullmatch(value) is not None for value in given)
        n_digits = sum(any(letter.isdigit() for letter in value) for value in given)
        enough = self.n_given > _MOST_OF_A_LEGEND
        self._are_numbers = enough and n_numbers >= _FIT * self.n_given
        self._have_digits = enough and n_digits >= _FIT * self.n_given
        self.are_words = n_digits < _FIT * self.n_given
        self.have_no_digit = enough and not n_digits
        self._repeats = enough and 2 * len(self.known) <= self.n_given
        self.repeats_always = self._repeats and self.n_given == len(values) and not n_numbers
        self.are_whole = self._are_numbers and all(value.isdecimal() for value in given)

    def breaks(self, cell: str) -> bool:
        """Whether a cell cannot be a value of the column."""
        if _is_missing(cell):
            return False
        return (self._are_numbers or self._have_digits) and not self.fits(cell)

    def fits(self, cell: str) -> bool:
        """Whether a cell is a value as the others are."""
        if self._are_numbers:
            return _NUMBER.fullmatch(cell) is not None
        if self._have_digits:
            return any(letter.isdigit() for letter in cell)
        return self._repeats and cell in self.known


def _are_headings(row: Mapping[str, str]) -> bool:
    given = {name: cell for name, cell in row.items() if cell}
    return len(given) > 1 and 3 * sum(_same(cell, name) for name, cell in given.items()) >= 2 * len(given)


def _number_columns(row: Mapping[str, str]) -> bool:
    """Whether the cells of a row number its columns, as printed forms do below the headings: ``(1)``, ``(2)``."""
    numbers = [cell.strip("()[].") for cell in row.values()]
    return len(numbers) >= _FEWEST_NUMBERED and numbers == list(map(str, range(1, len(numbers) + 1)))


def _is_blank(cells: Iterable[str]) -> bool:
    """Whether a row has no value, or only the lines that a database prints below the headings."""
    given = [cell for cell in cells if cell]
    return not given or (not any(cell.strip("-–—=_* ") for cell in given) and len(max(given, key=len)) > 2)


def _is_missing(cell: str) -> bool:
    words = words_of(cell).split()
    return not words or _MISSING.issuperset(words)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(" ", "").replace(",", "."))
    except ValueError:
        return None


# ---------------------------------------------------------------- columns as readers give them


def _are_texts(column: pa.ChunkedArray | pa.Array) -> bool:
    return bool(pa.types.is_large_string(column.type) or pa.types.is_string(column.type))


def _none_or_blank(texts: pa.ChunkedArray) -> np.ndarray:
    found: np.ndarray = clean_text(texts).is_null().to_numpy()
    return found


def _matches(texts: pa.ChunkedArray, form: str) -> np.ndarray:
    found: np.ndarray = pc.fill_null(pc.match_substring_regex(texts, form), False).to_numpy()
    return found


def _texts(column: ColumnFound, rows: np.ndarray) -> list[str]:
    """The texts of a column at the places ``rows`` (n,), as they will be read, "" where missing."""
    if isinstance(column, np.ndarray):
        return ["" if np.isnan(one) else number_text(float(one)) for one in column[rows].astype(float)]
    found = column.texts_of(column.codes[rows]) if isinstance(column, TextCodes) else column.take(pa.array(rows))
    return ["" if one is None else str(one) for one in (clean_text(found) if _are_texts(found) else found).to_pylist()]
