"""Rows that disclose moved dates without holding one: serial numbers of days, lots, calendar weeks; by their names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.steps.release.made_study import IDS, Rows, demographics, made, starts, visits

START = starts()
KEPT = {"operations": {"EX.EXLOT": "keep"}}


@pytest.fixture(autouse=True)
def key(release_key):
    """The key of the releases."""


def told(files: dict[str, Rows], folder, release: dict | None = None) -> dict[str, int | None]:
    """The dates that rows or a merged test disclose, and for how many people, of a study with a calendar of its own."""
    basis = {"DM": demographics(START), "SV": visits(START)}
    figures = made({**basis, **files}, folder, release).result.figures
    return {one["tells"]: one["people_told"] for one in figures["telling"]["told"]}


def results(value, n_visits: int = 1) -> Rows:
    """A result of each person at visits four weeks apart."""
    return [
        {"STUDYID": "ST", "DOMAIN": "LB", "USUBJID": one, "LBSEQ": float(v + 1), "LBTESTCD": "RUN", "LBTEST": "Run"}
        | {"LBORRES": str(value(START[i] + 28 * v)), "LBSTRESN": float(value(START[i] + 28 * v))}
        | {"VISITNUM": float(v + 1), "VISIT": f"VISIT {v + 1}", "LBDTC": str(START[i] + 28 * v)}
        for i, one in enumerate(IDS)
        for v in range(n_visits)
    ]


def doses(lot) -> Rows:
    """Six doses of each person, a fortnight apart, each of a lot."""
    return [
        {"STUDYID": "ST", "DOMAIN": "EX", "USUBJID": one, "EXSEQ": float(v + 1), "EXTRT": "DRUG", "EXDOSE": 50.0}
        | {"EXLOT": lot(START[i] + 14 * v), "EXSTDTC": str(START[i] + 14 * v)}
        for i, one in enumerate(IDS)
        for v in range(6)
    ]


@pytest.mark.thorough("1 s: a release of its own")
def test_by_lots_that_are_named_after_their_months(tmp_path):
    assert "DM__RFSTDTC" in told({"EX": doses(lambda day: pd.Timestamp(day).strftime("L%y%m"))}, tmp_path, KEPT)


@pytest.mark.thorough("2.5 s")
def test_by_the_calendar_week_as_a_result(tmp_path):
    found = told({"LB": results(lambda day: pd.Timestamp(day).isocalendar().week)}, tmp_path)
    assert list(found) == ["DM__RFSTDTC (its day of the year)"]


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/attack")
def test_a_lot_for_half_a_year_and_a_season_are_no_date(tmp_path):
    def lot(day):
        return f"LOT {'AB'[pd.Timestamp(day).month > 6]}"

    assert told({"EX": doses(lot)}, tmp_path, KEPT) == {}


@pytest.mark.thorough("2 s: a whole release; what it finds is tested by parts in tests/attack")
def test_results_that_have_nothing_to_do_with_days_disclose_none(tmp_path):
    generator = np.random.default_rng(0)
    assert told({"LB": results(lambda day: int(generator.integers(0, 730)))}, tmp_path) == {}
