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
from study.formats.matches import which_match
from study.formats.tables import ColumnFound
from study.formats.values import COMPARATOR, clean_text
from study.headings import names_subjects, words_of
from study.words import words_of_summaries

_AT_ENDS = 200  # rows whose ids are compared with the form of the others, in tables of more than MANY
_MANY = 100_000
ROWS_AT_ENDS = 1_000  # at either end of a file that is not in memory
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


def without_rows_of_nobody(columns: Mapping[str, ColumnFound]) -> tuple[dict[str, ColumnFound], list[str]]:
    """The columns without rows of nobody, and notes on these; the same columns if there is none.

    A note names rows by their number below the headings, and no cell.
    """
    kept = dict(columns)
    n_rows = len(next(iter(kept.values()), ()))
    suspects = _suspects(kept, n_rows) if len(kept) > 1 and n_rows else np.arange(0)
    found = _Suspects(kept, n_rows, suspects).of_nobody() if len(suspects) else {}
    if not found:
        return kept, []
    rows = np.delete(np.arange(n_rows), np.concatenate([*found.values()]))
    notes = [_note(what, out) for what, out in found.items()]
    left = {name: one.at(rows) if isinstance(one, TextCodes) else one.take(rows) for name, one in kept.items()}
    return left, notes


def faults_of_rows_on_disk(
    file_name: str, texts: Mapping[str, pa.ChunkedArray], at_ends: Mapping[str, pa.ChunkedArray], remedy: str
) -> list[str]:
    """The fault of rows of nobody in a file that is not in memory, from which no row is left out.

    Headings and totals are known by the distinct ``texts`` of the ids, all of which are odd in such a row: a ward that
    is called General, beside the ids of people, is no total. Others stand among the records ``at_ends`` of the file.
    """
    name = _ids(texts)[-1]
    if all(pc.any(_are_totals(texts[one], one)).as_py() for one in _ids(texts)):
        found = f"{name} has a row of totals, or the headings once more, which is no record"
    elif without_rows_of_nobody(at_ends)[1]:
        found = "at its beginning or end are rows of units, totals, text or without any value, which are no records"
    else:
        return []
    return [f"{file_name}: {found}; take such rows out of the file, or {remedy}"]


def _are_totals(texts: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    words = [
        spelled for word in words_of_summaries() for spelled in (word, word.title(), word.upper()) if len(word) > 3
    ]
    return pc.is_in(texts, value_set=pa.array([name, *words], texts.type))


def _note(what: str, out: np.ndarray) -> str:
    """The note on rows of one kind, by their places (n,)."""
    n, numbers = len(out), listed((f"{row + 1:,}" for row in sorted(out.tolist())), at_most=8)
    which, rows = (f"a row {what}", "row") if n == 1 else (f"{n:,} rows {what}", "rows")
    return f"{which} left out, as no record of a person: {rows} {numbers} below the headings"


# ---------------------------------------------------------------- which rows have no id as the others have one


def _ids(columns: Mapping[str, ColumnFound]) -> list[str]:
    """The first column, and the first one that names the person: what has neither is no record."""
    first = next(iter(columns))
    person = next((name for name in columns if names_subjects(name)), first)
    return list(dict.fromkeys((first, person)))


def _suspects(columns: Mapping[str, ColumnFound], n_rows: int) -> np.ndarray:
    """The places (n,) of rows whose ids are missing, or have another form than nearly all others."""
    odd = np.ones(n_rows, dtype=bool)
    for name in _ids(columns):
        if odd.any():
            odd &= _odd_ids(name, columns[name], n_rows)
    first = {name: _texts(column, np.zeros(1, dtype=np.int64))[0] for name, column in columns.items()}
    odd[0] |= _number_columns(first)
    return np.flatnonzero(odd)


def _odd_ids(name: str, column: ColumnFound, n_rows: int) -> np.ndarray:
    if isinstance(column, np.ndarray):
        return np.isnan(column)
    if isinstance(column, TextCodes):
        odd = np.append(_are_odd(name, pa.chunked_array([column.texts]), column.people[:-1]), True)
        return odd.take(column.codes, mode="wrap")
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    if n_rows <= _MANY:
        return _are_odd(name, column, np.ones(n_rows, dtype=np.int64))
    # In a long table the form is asked for at both ends, where titles, units, totals and footers are.
    ends = pa.chunked_array([*column[:_AT_ENDS].chunks, *column[-_AT_ENDS:].chunks], type=column.type)
    at_ends = np.flatnonzero(_are_odd(name, ends, np.ones(len(ends), dtype=np.int64)))
    found: np.ndarray = pc.or_(_are_totals(column, name), column.is_null()).to_numpy()
    found[np.where(at_ends < _AT_ENDS, at_ends, at_ends - len(ends))] = True
    return found


def _are_odd(name: str, texts: pa.ChunkedArray, n_records: np.ndarray) -> np.ndarray:
    """Which texts (n,) are missing, the heading again, a word for a total, or not of the form that the others have."""
    odd = clean_text(texts).is_null().to_numpy()
    n_given = int(n_records[~odd].sum())
    for form in _FORMS:
        fits = which_match(texts, form).to_numpy() & ~odd
        if n_given - int(n_records[fits].sum()) <= max(_MOST_SHARE * n_given, min(_MOST_ROWS, n_given // 2)):
            odd = ~fits
            break
    if form != _FORMS[0]:  # no number is a word for a total
        odd = odd | which_match(texts, _form_of_summaries()).to_numpy()
    return odd | which_match(texts, rf"(?i)^\s*\Q{name.strip()}\E\s*$").to_numpy()


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


# ---------------------------------------------------------------- what the suspects say


@dataclass(frozen=True)
class _Suspects:
    """The cells of the rows at the places ``rows`` (n,), beside those of some records."""

    columns: Mapping[str, ColumnFound]
    n_rows: int
    rows: np.ndarray

    @cached_property
    def _ids(self) -> list[str]:
        return _ids(self.columns)

    @cached_property
    def _records(self) -> np.ndarray:
        return np.delete(np.arange(self.n_rows), self.rows)

    @cached_property
    def forms(self) -> dict[str, _Form]:
        """The form of the values of each column, by some records."""
        some = self._records[:: max(len(self._records) // _SAMPLE, 1)]
        return {name: _Form(_texts(column, some)) for name, column in self.columns.items()}

    def of_nobody(self) -> dict[str, np.ndarray]:
        """The places (n,) of rows of nobody, by what they are in words."""
        cells = [_texts(column, self.rows) for column in self.columns.values()]
        rows = [dict(zip(self.columns, row, strict=True)) for row in zip(*cells, strict=True)]
        blank = [place for place, row in enumerate(rows) if _is_blank(row.values())]
        numbered = [place for place, row in enumerate(rows) if self.rows[place] == 0 and self._is_numbering(row)]
        headings = [place for place, row in enumerate(rows) if _are_headings(row)]
        legend = self._legend(blank)
        left = [place for place in range(len(rows)) if place not in {*blank, *numbered, *headings, *legend}]
        totals = [place for place in left if self._is_total(rows[place])]
        remarks = [place for place in left if place not in totals and self._is_remark(rows[place])]
        broken = [
            place for place in left if place not in {*totals, *remarks} and self._breaks(self.rows[place], rows[place])
        ]
        n_records, n_odd = len(self._records), len({*legend, *totals, *remarks, *broken})
        if n_records < _FEWEST_RECORDS or n_odd > min(max(_MOST_SHARE * n_records, _MOST_ROWS), n_records // 2):
            legend, totals, remarks, broken = [], [], [], []
        units = [place for place in broken if self.rows[place] < _MOST_OF_A_LEGEND]
        said = [f"{name}: {cell}" for place in units[:1] for name, cell in rows[place].items() if cell]
        kinds = {
            "without any value": blank,
            "that numbers the columns": numbered,
            "of the headings once more": headings,
            "of units" + (f" ({listed(said, at_most=8)})" if said else ""): units,
            "of totals": totals,
            "of text": sorted({*legend, *remarks, *broken} - {*units}),
        }
        return {what: self.rows[places] for what, places in kinds.items() if places}

    def _is_numbering(self, row: Mapping[str, str]) -> bool:
        """Whether a row numbers the columns and is no person: the first one may have the answers 2, 3 and 4.

        So its numbers stand in brackets, or one of them in a column of words.
        """
        is_in_brackets = not all(map(str.isdecimal, row.values()))
        return _number_columns(row) and (is_in_brackets or any(form.have_no_digit for form in self.forms.values()))

    def _breaks(self, place: int, row: Mapping[str, str]) -> bool:
        """Whether some cell breaks the form of its column, and none fits or repeats what records have.

        Right below the headings, without any id, bounds may fit, beside ranges that break the form: <5, and 12-16.
        """
        given = {name: cell for name, cell in row.items() if cell and name not in self._ids}
        broken = [cell for name, cell in given.items() if self.forms[name].breaks(cell)]
        fitting = [cell for name, cell in given.items() if self.forms[name].fits(cell)]
        is_odd = all(not row[name] or not re.search(r"\d", row[name]) or " " in row[name] for name in self._ids)
        are_ranges = all(cell[0] in "<>" for cell in fitting) and all(
            len(_DIGITS.findall(cell)) == 2 for cell in broken
        )
        may_fit = place < _MOST_OF_A_LEGEND and not any(row[name] for name in self._ids) and are_ranges
        return is_odd and bool(broken) and (may_fit or not fitting)

    def _is_total(self, row: Mapping[str, str]) -> bool:
        """Whether a row has a word for it where ids have digits, or numbers that are the sums or means of columns.

        The word may stand beside a missing id, too.
        """
        given = {name: cell for name, cell in row.items() if cell}
        words = [name for name, cell in given.items() if _is_summary(cell) and cell not in self.forms[name].known]
        is_named = any(name in words for name in self._ids)
        if (is_named or self._is_of_a_group(row)) and not any(self.forms[name].are_words for name in self._ids):
            return True
        numbers = {name: cell for name, cell in given.items() if name not in self._ids and _NUMBER.fullmatch(cell)}
        if len(numbers) > 1 and numbers.keys() == given.keys() - {*self._ids} and self._are_counts(numbers, row):
            return True
        ids = () if self.forms[self._ids[0]].are_words else self._ids
        may_be = bool(numbers) and (is_named or given.keys() <= {*numbers, *words, *ids})
        is_named |= bool(words) and not any(row[name] for name in self._ids)
        return may_be and all(self._is_summed(name, cell, is_named=is_named) for name, cell in numbers.items())

    def _are_counts(self, numbers: Mapping[str, str], row: Mapping[str, str]) -> bool:
        """Whether a row without a digit in its ids, where others have one, says how many values each column has.

        One of the columns has words: a person may have the numbers of the others.
        """
        is_odd = not any(self.forms[name].are_words or re.search(r"\d", row[name]) for name in self._ids)
        are_counts = all(_number(cell) == self.forms[name].n_given for name, cell in numbers.items())
        return is_odd and are_counts and any(self.forms[name].have_no_digit for name in numbers)

    def _is_of_a_group(self, row: Mapping[str, str]) -> bool:
        """Whether an id without a digit begins with a word for a total, as ``Summe Arm A``, and all numbers are such.

        A name may begin so, too: so no word stands where all others have one, and no person has some of the numbers.
        """
        ids = [row[name] for name in self._ids]
        begins = any(_is_summary(cell.partition(" ")[0]) for cell in ids if cell)
        words = [name for name, form in self.forms.items() if form.repeats_always and name not in self._ids]
        if not (begins and words) or any(row[name] for name in words) or re.search(r"\d", "".join(ids)):
            return False
        numbers = {name: cell for name, cell in row.items() if cell and name not in self._ids}
        are_summed = all(self._is_summed(name, cell, self._groups(words)) for name, cell in numbers.items())
        return are_summed and any(self._is_of_nobody(name, cell) for name, cell in numbers.items())

    def _groups(self, words: Sequence[str]) -> Iterator[np.ndarray]:
        """Which records (n_records,) are meant: all, those between two odd rows, or of one value of few words."""
        yield np.ones(len(self._records), dtype=bool)
        yield from (np.searchsorted(self.rows, self._records) == n for n in range(len(self.rows)))
        for name in words:
            texts = np.array(_texts(self.columns[name], self._records))
            values = np.unique(texts)
            yield from (texts == one for one in values[: _MOST_ROWS * (len(values) <= _MOST_ROWS)])

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

    def _is_remark(self, row: Mapping[str, str]) -> bool:
        """Whether one cell alone has a text, and it is no id: it has several words, or no digit where ids have one."""
        given = [(name, cell) for name, cell in row.items() if cell]
        if len(given) != 1 or _NUMBER.fullmatch(given[0][1]):
            return False
        [(name, cell)] = given
        is_no_id = name in self._ids and not self.forms[name].are_words and not any(letter.isdigit() for letter in cell)
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
        has_form = self._are_numbers or self._have_digits
        return has_form and not _is_missing(cell) and not self.fits(cell)

    def fits(self, cell: str) -> bool:
        """Whether a cell is a value as the others are."""
        if self._are_numbers:
            return _NUMBER.fullmatch(cell) is not None
        if self._have_digits:
            return any(letter.isdigit() for letter in cell)
        return self._repeats and cell in self.known


def _are_headings(row: Mapping[str, str]) -> bool:
    given = [(name, cell) for name, cell in row.items() if cell]
    n_same = sum(cell.strip().casefold() == name.strip().casefold() for name, cell in given)
    return len(given) > 1 and 3 * n_same >= 2 * len(given)


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


def _texts(column: ColumnFound, rows: np.ndarray) -> list[str]:
    """The texts of a column at the places ``rows`` (n,), as they will be read, "" where missing."""
    if isinstance(column, np.ndarray):
        return ["" if np.isnan(one) else number_text(float(one)) for one in column[rows].astype(float)]
    found = column.texts_of(column.codes[rows]) if isinstance(column, TextCodes) else column.take(pa.array(rows))
    return [one or "" for one in clean_text(found).to_pylist()]
