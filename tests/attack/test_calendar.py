"""What the calendar gives away of moved dates: cut-offs and patterns, attacked with the released file alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from disclosure_control.assess.assessment import assess
from disclosure_control.attack.dates import findings as moved_dates
from disclosure_control.attack.leaving import Leaving
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.treatment.figures import treatment_findings
from disclosure_control.steps.treatment.report import treatment_report
from tests.found import InSummary
from tests.remedy.treatments.treatment_frames import KEY, KEY_NAME, config_for

SHIFT = {"method": "shift_dates", "key_from": {"environment": KEY_NAME}}
CONFIG = config_for(["SEX"], K=2)
N = 239


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_NAME, KEY)


def people(**columns) -> pd.DataFrame:
    frame = pd.DataFrame({"USUBJID": [f"S-{i}" for i in range(N)], "SEX": ["F", "M"] * (N // 2) + ["F"]})
    return frame.assign(**columns)


def days(seed: int = 1, n: int = N) -> np.ndarray:
    return np.datetime64("2019-01-01") + np.random.default_rng(seed).integers(0, 700, n)


def figures_of(frame: pd.DataFrame, *steps) -> dict:
    return InSummary(treatment_findings(assess(frame, CONFIG), treat(frame, CONFIG, steps or [SHIFT]), frame)(MASKED))


@pytest.mark.thorough("0.6 s")
def test_a_cut_off_that_is_dropped_or_coarsened_undoes_nothing():
    frame = people(DM__RFSTDTC=days().astype(str), DS__CUTDTC="2021-06-30")
    to_year = {"method": "coarsen_dates", "column": "DS__CUTDTC", "to": "year"}
    for step in ({"method": "drop_column", "columns": ["DS__CUTDTC"]}, to_year):
        figures = figures_of(frame, SHIFT, step)
        (found,) = figures["moved_dates"]["steps"]
        assert found["people_undone"] == 0
        assert not any("calendar" in one.sentence for one in figures.found.leaving.reasons())


def test_dates_that_are_not_known_to_the_day_are_not_looked_at_and_nobody_is_counted_as_safe():
    figures = figures_of(people(DM__RFSTDTC="2021-06"))
    (step,) = figures["moved_dates"]["steps"]
    assert (step["people_looked_at"], step["people_undone"], step["people_nearly_undone"]) == (0, None, None)
    words = "The calendar was not looked at: no moved date of DM__RFSTDTC is known to the day."
    assert words in treatment_report(figures.found)
    assert not any("calendar" in one.sentence for one in figures.found.leaving.reasons())


def test_a_cut_off_for_most_counts_those_who_have_it():
    cut = np.where(np.arange(N) < 150, np.datetime64("2021-06-30"), days(2)).astype(str)
    figures = figures_of(people(DS__CUTDTC=cut))
    (step,) = figures["moved_dates"]["steps"]
    assert (step["people_undone"], step["people_looked_at"], step["offsets"]) == (150, N, 730)
    (reason,) = [one for one in figures.found.leaving.reasons() if "calendar" in one.sentence]
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert [change.value for change in reason.changes] == [{"method": "drop_column", "columns": ["DS__CUTDTC"]}]
    assert "2021" not in treatment_report(figures.found).split("DS__CUTDTC: 150")[1].split("\n")[0]
    cut = np.where(np.arange(N) < 60, np.datetime64("2021-06-30"), days(2)).astype(str)
    figures = figures_of(people(DS__CUTDTC=cut))
    assert figures["moved_dates"]["steps"][0]["people_undone"] == 0
    text = treatment_report(figures.found)
    assert "DS__CUTDTC: 60 of 239 original dates fall on one and the same day." in text


@pytest.mark.thorough("0.5 s")
def test_patterns_leave_fewer_offsets_and_are_said():
    """Working days leave five sevenths for one date; firsts of a month 24 of 730; both of them with others fewer."""
    start = days()
    working = start + np.where((start.astype(int) + 3) % 7 > 4, 2, 0)
    (step,) = figures_of(people(A__ADTC=working.astype(str)))["moved_dates"]["steps"]
    assert [pattern["pattern"] for pattern in step["patterns"]] == ["working day"]
    assert step["median_offsets_left"] == pytest.approx(730 * 5 / 7, abs=2)
    first = start.astype("datetime64[M]").astype("datetime64[D]")
    figures = figures_of(people(A__ADTC=first.astype(str)))
    (step,) = figures["moved_dates"]["steps"]
    assert step["median_offsets_left"] == pytest.approx(24, abs=1)
    assert step["people_undone"] == 0
    assert "A__ADTC: 239 of 239 original dates fall on one day of a month." in treatment_report(figures.found)
    new_year = start.astype("datetime64[Y]").astype("datetime64[D]")
    (step,) = figures_of(people(A__ADTC=new_year.astype(str), B__BDTC=first.astype(str)))["moved_dates"]["steps"]
    assert step["people_nearly_undone"] == N  # two first of January within reach, at most


@pytest.mark.thorough("1.2 s")
def test_dates_without_a_pattern_say_nothing_and_order_makes_no_difference(monkeypatch):
    frame = people(A__ADTC=days().astype(str), B__BDTC=days(3).astype(str))
    figures = figures_of(frame)
    (step,) = figures["moved_dates"]["steps"]
    assert (step["patterns"], step["people_undone"], step["median_offsets_left"]) == ([], 0, 730)
    assert "calendar" not in treatment_report(figures.found)
    monkeypatch.setattr(moved_dates, "MOST_TRIED", 730 * 100)
    cut = frame.assign(C__CDTC="2021-06-30")
    found = figures_of(cut)
    assert found["moved_dates"] == figures_of(cut.sample(frac=1, random_state=1))["moved_dates"]
    n = found["moved_dates"]["steps"][0]["people_looked_at"]
    assert n < N
    assert f"This was tried for {n} of {N} people" in treatment_report(found.found)


@pytest.mark.parametrize(("n_left", "is_told"), [(0, False), (9, False), (10, True)])
def test_the_median_of_few_people_is_not_told(n_left, is_told):
    """One cut-off for everybody, and the treatment leaves the date of so many: theirs alone tell the offset."""
    frame = people(DS__CUTDTC="2021-06-30")
    treated = treat(frame, CONFIG, [SHIFT])
    cells = treated.frame["DS__CUTDTC"].where(np.arange(N) < n_left)
    fewer = replace(treated, values={**treated.values, "DS__CUTDTC": cells})
    leaving = Leaving.of(assess(frame, CONFIG), fewer)
    found = InSummary(moved_dates.moved_dates(leaving).for_reader(MASKED, leaving))
    (step,) = found["steps"]
    assert step["patterns"] != []
    assert step["median_offsets_left"] == (1 if is_told else None)
    text = " ".join(found.found.words())
    if n_left:
        assert f"For half of the people, {1 if is_told else 'masked'} of 730 offsets or fewer remain" in text
    else:
        assert "reverses" not in text
        assert f"This was tried for 0 of {N} people" in text


def test_partial_dates_intervals_and_empty_pilots():
    frame = people(A__ADTC=["2020-06", "2020", None, "2020-06-01/2020-06-05", "2020-06-01T10:00"] + [None] * (N - 5))
    (step,) = figures_of(frame)["moved_dates"]["steps"]
    assert (step["patterns"], step["people_looked_at"]) == ([], None)  # one person
    (step,) = figures_of(frame.iloc[:0])["moved_dates"]["steps"]
    assert step["median_offsets_left"] is None
    assert figures_of(frame, {"method": "drop_column", "columns": ["A__ADTC"]})["moved_dates"]["steps"] == []
