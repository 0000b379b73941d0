"""Dates in any written form: what days the values of a column are, and how long they spread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from disclosure_control.basics.column_names import folded

# Months by the beginnings of their names, folded: English, German, Spanish, French, Italian, Polish, Greek, Bulgarian.
_MONTHS = (
    ("jan", "ene", "gen", "sty", "ιαν", "яну", "janv"),
    ("feb", "fev", "lut", "φεβ", "фев"),
    ("mar", "marz", "μαρ", "мар"),
    ("apr", "abr", "avr", "kwi", "απρ", "апр"),
    ("may", "mai", "maj", "mag", "μαι", "май"),
    ("jun", "juin", "giu", "cze", "ιουν", "юни"),
    ("jul", "juil", "lug", "lip", "ιουλ", "юли"),
    ("aug", "ago", "aou", "sie", "αυγ", "авг"),
    ("sep", "set", "wrz", "σεπ", "сеп"),
    ("oct", "okt", "ott", "paz", "οκτ", "окт"),
    ("nov", "lis", "νοε", "ноε", "ное"),
    ("dec", "dez", "dic", "gru", "δεκ", "дек"),
)
MONTH_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}

TIME = r"(?:[T ]\s?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?.*)?"
YEAR_FIRST = re.compile(rf"^([12]\d{{3}})[-./ ](\d{{1,2}})[-./ ](\d{{1,2}}){TIME}$")
YEAR_LAST = re.compile(rf"^(\d{{1,2}})\s?[-./ ]\s?(\d{{1,2}})\s?[-./ ]\s?((?:[12]\d)?\d{{2}})(?:\s?[гr]?\.)?{TIME}$")
PACKED = re.compile(r"^([12]\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$")
WITH_MONTH = re.compile(rf"^(\d{{1,2}})[.\s-]*(?:de\s+)?([^\W\d]{{3,12}})[.,\s-]*(?:de\s+)?((?:[12]\d)?\d{{2}}){TIME}$")
MONTH_FIRST = re.compile(rf"^([^\W\d]{{3,12}})\s+(\d{{1,2}}),?\s+([12]\d{{3}}){TIME}$")
_MAY_BE = re.compile(r"^[^\d]{0,14}\d{1,4}[-./, ]|^[12]\d{7}$|^\d{1,2}[^\W\d]{3}\d{2,4}")


@dataclass(frozen=True)
class Days:
    """The days (n_values,) that values name, counted from 0001-01-01, 0 where a value names none."""

    day: np.ndarray

    @property
    def is_day(self) -> np.ndarray:
        """Which values name one."""
        return self.day > 0

    @property
    def years_between(self) -> float:
        """Years between the 5th and the 95th of 100 of the days; 0 where there are none."""
        days = self.day[self.is_day]
        if not len(days):
            return 0.0
        low, high = np.quantile(days, [0.05, 0.95])
        return float(high - low) / 365.25


def days_of(values: Sequence[str]) -> Days:
    """What days the texts name; of 03/04/1980 the reading that fits all texts of that form, else day before month."""
    n = len(values)
    day = np.zeros(n, dtype=np.int64)
    rows = [row for row, text in enumerate(values) if len(text) < 32 and _MAY_BE.search(text)]
    if not rows:
        return Days(day)
    texts = [values[row] for row in rows]
    parts = [_parts(text) for text in texts]
    turned = [part[1] for part in parts if part and part[3]]
    month_first = any(int(second) > 12 for second in turned) and not any(
        int(part[2]) > 12 for part in parts if part and part[3]
    )
    day[rows] = [_day(part, month_first) for part in parts]
    return Days(day)


def _parts(text: str) -> tuple[str, str, str, bool] | None:
    """Year, and the second and the first of day and month, as written; whether day and month may be turned."""
    if found := YEAR_FIRST.match(text) or PACKED.match(text):
        return found[1], found[3], found[2], False
    if found := YEAR_LAST.match(text):
        return found[3], found[2], found[1], True
    if found := WITH_MONTH.match(text):
        month = _month(found[2])
        return (found[3], found[1], str(month), False) if month else None
    if found := MONTH_FIRST.match(text):
        month = _month(found[1])
        return (found[3], found[2], str(month), False) if month else None
    return None


def _month(word: str) -> int | None:
    letters = folded(word)
    return next((MONTH_OF[letters[:n]] for n in (4, 3) if letters[:n] in MONTH_OF), None)


def _day(parts: tuple[str, str, str, bool] | None, month_first: bool) -> int:
    if parts is None:
        return 0
    year, second, first = int(parts[0]), int(parts[1]), int(parts[2])
    day, month = second, first
    if parts[3] and not month_first:
        day, month = first, second
    if len(parts[0]) == 2:
        year += 1900 if year > 30 else 2000
    if not (1850 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31):
        return 0
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return 0
