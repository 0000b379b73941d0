"""Orders before and after moving dates, asked by a slow referee: of every day that a partial date may be."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.remedy.treatments.algorithms.moved_columns import moved_dates, other_end_of
from tests.examples import examples


def days_of(text: str) -> tuple[date, date]:
    """The first and the last day that a date may be."""
    parts = [int(part) for part in text[:10].split("-")]
    if len(parts) == 1:
        return date(parts[0], 1, 1), date(parts[0], 12, 31)
    if len(parts) == 2:
        return date(*parts, 1), date(*parts, calendar.monthrange(*parts)[1])
    return date(*parts), date(*parts)


def surely_before(one: str, other: str) -> bool:
    return days_of(one)[1] < days_of(other)[0]


def moved(starts: list[str], ends: list[str], offsets: list[int], names=("AESTDTC", "AEENDTC")) -> list[list[str]]:
    columns = [pd.Series(texts, name=name, dtype="str") for texts, name in zip((starts, ends), names, strict=True)]
    return [
        moved_dates(one, np.array(offsets), "fault", other_end=other).column.tolist()
        for one, other in (columns, columns[::-1])
    ]


def cut(day: date, precision: int) -> str:
    return day.isoformat()[: (4, 7, 10)[precision]]


DAYS = st.dates(date(1990, 1, 1), date(2030, 12, 31))
PRECISION = st.integers(0, 2)


@examples(180)
@given(begin=DAYS, lasts=st.integers(0, 800), a=PRECISION, b=PRECISION, offset=st.integers(-365, 365))
def test_no_span_is_turned_round_and_no_precision_lost(begin, lasts, a, b, offset):
    texts = cut(begin, a), cut(begin + timedelta(days=lasts), b)
    (start,), (end,) = moved([texts[0]], [texts[1]], [offset])
    assert [len(start), len(end)] == [len(text) for text in texts]
    assert not surely_before(end, start)


@pytest.mark.thorough("2 s: many examples; one of each kind in the quick run")
@examples(120)
@given(one=DAYS, other=DAYS, a=PRECISION, b=PRECISION, c=PRECISION, offset=st.integers(-365, 365))
def test_no_certain_order_of_any_two_dates_is_turned_round(one, other, a, b, c, offset):
    """Also of dates of different columns, with whatever stands at the other ends of their spans."""
    texts = cut(one, a), cut(other, b)
    for beside in (cut(one, c), cut(other, c)):
        found = [moved([text], [beside], [offset])[0][0] for text in texts]
        found += [moved([beside], [text], [offset])[1][0] for text in texts]
        for place, first in enumerate(found):
            for second in found[1 - place % 2 :: 2]:
                before = texts[place % 2], texts[1 - place % 2]
                if surely_before(*before):
                    assert not surely_before(second, first)


@examples(120)
@given(one=DAYS, other=DAYS, offset=st.integers(-365, 365))
def test_intervals_of_complete_dates_stay(one, other, offset):
    (start,), (end,) = moved([one.isoformat()], [other.isoformat()], [offset])
    assert date.fromisoformat(start) - one == date.fromisoformat(end) - other == timedelta(days=offset)


@pytest.mark.thorough("3 s: many examples; one of each kind in the quick run")
def test_an_interval_in_one_cell_is_not_turned_round():
    column = pd.Series(["2014-03/2014-03-30", "2014-03-01/2014-03", "2014-03/2014-03", "2014-11/2014"])
    for offset in range(-400, 401, 3):
        made = moved_dates(column, np.full(4, offset), "fault")
        assert not any(surely_before(*cell.split("/")[::-1]) for cell in made.column)
    assert (made.n_partial, made.n_times) == (4, 0)


def test_the_two_ends_of_a_span_are_found_by_their_names():
    for begin, end in (
        ("AESTDTC", "AEENDTC"),
        ("DM__RFXSTDTC", "DM__RFXENDTC"),
        ("condition_start_date", "condition_end_date"),
        ("period.start", "period.end"),
        ("onsetDateTime", "abatementDateTime"),
        ("Therapie_Beginn", "Therapie_Ende"),
        ("gueltig_von", "gueltig_bis"),
    ):
        assert other_end_of(begin, ["ID", end, begin]) == end
        assert other_end_of(end, ["ID", end, begin]) == begin
    assert other_end_of("AEDTC", ["AESTDTC", "AEENDTC"]) is None
    assert other_end_of("AESTDTC", ["AESTDTC", "CMENDTC"]) is None
    found = moved(["2014-03"], ["2014-03-20"], [14], ("Beginn", "Ende"))
    assert found == [["2014-03"], ["2014-04-03"]]
