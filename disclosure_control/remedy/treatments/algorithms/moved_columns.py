"""Columns of dates moved record by record: complete dates by days, partial dates as far as their order allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.remedy.treatments.algorithms.built_hierarchies import DATE, ends_of_interval, parts_of_date

PRECISIONS = ("Y", "M", "D")
COMPLETE = PRECISIONS.index("D")
# Words for the two ends of one span in the names of columns, the first of a pair for its beginning.
_ENDS = (
    ("stdtc", "endtc"),
    ("stdtm", "endtm"),
    ("stdt", "endt"),
    ("start", "end"),
    ("start", "stop"),
    ("beginn", "ende"),
    ("begin", "end"),
    ("von", "bis"),
    ("from", "to"),
    ("aufnahme", "entlassung"),
    ("admission", "discharge"),
    ("inizio", "fine"),
    ("inicio", "fin"),
    ("debut", "fin"),
    ("onset", "abatement"),
)


@dataclass(frozen=True)
class _Part:
    """A date, or one end of an interval: the first, middle and last day that it may be, its precision, time of day."""

    days: tuple[str, str, str]
    precision: int
    time: str = ""


_NO_DATE = _Part(("1970-01-01",) * 3, COMPLETE)


@dataclass(frozen=True)
class MovedColumn:
    """A ``column`` (n_records,) of dates after moving; how many of its texts changed, and how many were lost: no dates.

    ``n_partial`` are not known to the day, ``n_times`` lost their time of day.
    """

    column: pd.Series = field(repr=False)
    n_changed: int
    n_lost: int
    n_partial: int
    n_times: int


def moved_dates(
    column: pd.Series,
    offsets: np.ndarray,
    unreadable: str,
    keeps_times: bool = False,
    other_end: pd.Series | None = None,
) -> MovedColumn:
    """The column of ISO 8601 dates (n_records,) moved by ``offsets`` (n_records,) days, record by record.

    A partial date stays equally partial: the month or year that contains its middle after moving. Beside an
    ``other_end`` (n_records,) of its span with another precision, a beginning is taken by its first day and an end by
    its last, so that no record ends before it begins. Texts that are no dates become missing if ``unreadable`` is
    "missing"; where it is "fault" they raise ``FaultyInputError``. Times of day stay if it ``keeps_times``.
    """
    encoded = encode_column(column)
    texts = labels_of(encoded)
    parts = [_parts(text) for text in texts]
    lost = np.array([part is None for part in parts], dtype=bool)
    present = encoded.codes >= 0
    n_lost = int(np.append(lost, False)[encoded.codes].sum())
    if n_lost and unreadable == "fault":
        raise FaultyInputError(
            f"column {column.name!r}: {people_on_screen(n_lost)} of {int(present.sum())} values are not ISO 8601 "
            "dates; allowed: 2012, 2012-04, 2012-04-30, 2012-04-30T08:15, and two of these with / between; correct "
            'them in the source, drop the column, or set "unreadable" to "missing"'
        )
    readable = present & ~np.append(lost, False)[encoded.codes]
    codes, moved_by = encoded.codes[readable], offsets[readable]
    begins, ends = ([part[i] if part else _NO_DATE for part in parts] for i in (0, -1))
    side = _side(column, begins, encoded.codes, other_end)[readable]
    is_interval = np.array([part is not None and len(part) == 2 for part in parts], dtype=bool)[codes]
    moved = _moved(begins, codes, moved_by, np.where(is_interval, _mixed(begins, ends, -1)[codes], side), keeps_times)
    second = _moved(
        ends, codes[is_interval], moved_by[is_interval], _mixed(begins, ends, 1)[codes[is_interval]], keeps_times
    )
    has_year = moved != ""
    has_year[is_interval] &= second != ""
    moved[is_interval] += "/" + second
    values = np.full(len(column), None, dtype=object)
    moved[~has_year] = None
    values[readable] = moved
    n_lost += int(np.count_nonzero(~has_year))
    both = list(zip(begins, ends, strict=True))
    partial = np.array([min(a.precision, b.precision) < COMPLETE for a, b in both], dtype=bool)
    timed = np.array([bool(a.time or b.time) for a, b in both], dtype=bool)
    return MovedColumn(
        pd.Series(values, index=column.index, name=column.name, dtype="str"),
        n_changed=int((values != np.array([*texts, None], dtype=object)[encoded.codes]).sum()),
        n_lost=n_lost,
        n_partial=int(partial[codes].sum()),
        n_times=0 if keeps_times else int(timed[codes].sum()),
    )


def other_end_of(name: str, columns: Iterable[object]) -> str | None:
    """The column with the other end of the span that a column of dates begins or ends, by their names; None without."""
    there = {str(one).casefold(): str(one) for one in columns}
    for words in _ENDS:
        for one, other in (words, words[::-1]):
            if one in name.casefold():
                head, _, tail = name.casefold().rpartition(one)
                if f"{head}{other}{tail}" in there:
                    return there[f"{head}{other}{tail}"]
    return None


def _side(column: pd.Series, parts: Sequence[_Part], codes: np.ndarray, other_end: pd.Series | None) -> np.ndarray:
    """Which day of a partial date moves (n_records,): -1 its first, 0 its middle, 1 its last."""
    if other_end is None or all(part.precision == COMPLETE for part in parts):
        return np.zeros(len(column), dtype=np.int64)
    of_other = encode_column(other_end)
    others = [found[0].precision if (found := _parts(text)) else -1 for text in labels_of(of_other)]
    there = np.append(np.array(others, dtype=np.int64), -1)[of_other.codes]
    own = np.append(np.array([part.precision for part in parts], dtype=np.int64), -1)[codes]
    side = -1 if _begins(str(column.name), str(other_end.name)) else 1
    return np.where((there >= 0) & (there != own), side, 0)


def _begins(name: str, other: str) -> bool:
    """Whether the first of two columns of one span has its beginning."""
    return any(
        name.casefold().rpartition(begin)[::2] == other.casefold().rpartition(end)[::2]
        for begin, end in _ENDS
        if begin in name.casefold() and end in other.casefold()
    )


def _mixed(begins: Sequence[_Part], ends: Sequence[_Part], side: int) -> np.ndarray:
    """The ``side`` that moves of intervals (n_distinct,) whose two ends differ in precision, 0 of all others."""
    return np.array([side * (a.precision != b.precision) for a, b in zip(begins, ends, strict=True)], dtype=np.int64)


def _moved(
    parts: Sequence[_Part], codes: np.ndarray, offsets: np.ndarray, side: np.ndarray, keeps_times: bool
) -> np.ndarray:
    """Each of the dates (n,) that ``codes`` choose of ``parts``, moved by its offset in days, as text.

    Empty where the year would have less or more than four digits: nobody's date, and a placeholder that moved tells.
    """
    days = np.array([part.days for part in parts], dtype="datetime64[D]").reshape(-1, 3)
    precision = np.array([part.precision for part in parts], dtype=np.int64)
    moved = days[codes, side + 1] + offsets.astype("timedelta64[D]")
    text = np.empty(len(codes), dtype=object)
    for number, unit in enumerate(PRECISIONS):
        of_unit = precision[codes] == number
        text[of_unit] = np.datetime_as_string(moved[of_unit].astype(f"datetime64[{unit}]"))
    text = text + np.array([part.time for part in parts], dtype=object)[codes] if keeps_times else text
    year = moved.astype("datetime64[Y]").astype(np.int64) + 1970
    text[(year < 1000) | (year > 9999)] = ""
    return text


def _parts(text: str) -> list[_Part] | None:
    """A date, or both ends of an interval; None if the text is neither."""
    try:
        return [_part(end) for end in ends_of_interval(text)]
    except ValueError:
        return None


def _part(text: str) -> _Part:
    year, month, day = parts_of_date(text)
    if day:
        found = DATE.fullmatch(text)
        time = found[4] if found else None
        return _Part((f"{year}-{month}-{day}",) * 3, COMPLETE, f"T{time}" if time else "")
    if month is None:
        return _Part((f"{year}-01-01", f"{year}-07-01", f"{year}-12-31"), 0)
    last = (np.datetime64(f"{year}-{month}") + 1).astype("datetime64[D]") - 1
    return _Part((f"{year}-{month}-01", f"{year}-{month}-15", str(last)), 1)


def tells_the_day(column: pd.Series) -> bool:
    """Whether any value of a column of dates is known to the day."""
    texts = labels_of(encode_column(column))
    return any(part.precision == COMPLETE for text in texts for part in _parts(text) or ())
