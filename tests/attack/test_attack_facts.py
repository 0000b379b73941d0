"""What takes a fact out: of results only those of a test, whatever its data model calls the column of results."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.attack.facts import PersonFacts
from disclosure_control.attack.tells.hidden_columns import HiddenColumn
from disclosure_control.attack.tells.levels_asked import SearchOfRows
from disclosure_control.attack.tells.row_summaries import RowsOfFile, summaries_of
from disclosure_control.attack.tells.summaries import lines_without
from disclosure_control.attack.tells.telling import ColumnTold
from disclosure_control.basics.settings.changes import applied
from tests.release.small_studies import model_of

N = 40
NAMES = {3016723: "Creatinine [Mass/volume] in Serum", 3049187: "Filtration rate"}


def dropped(name: str) -> dict:
    return {"method": "drop_column", "columns": [name]}


def test_the_results_of_a_concept_go_by_its_name_and_others_stay():
    person = np.tile(np.arange(N), 2)
    concept = np.repeat(list(NAMES), N)
    number = np.random.default_rng(4).normal(50, 9, 2 * N)
    measured = pd.DataFrame({"measurement_concept_id": concept.astype(str), "value_as_number": number})
    files = {
        "PERSON": pd.DataFrame({"person_id": np.arange(N).astype(str), "gender_concept_id": "8507"}),
        "MEASUREMENT": measured.assign(person_id=person.astype(str), measurement_id=np.arange(2 * N).astype(str)),
        "CONCEPT": pd.DataFrame({"concept_id": [str(one) for one in NAMES], "concept_name": list(NAMES.values())}),
    }
    model = model_of(files, "omop")
    rows = RowsOfFile("MEASUREMENT", "MEASUREMENT", measured, person, model.table("MEASUREMENT"))
    made = summaries_of([rows], np.arange(N), np.full(N, np.nan))
    facts = PersonFacts.of(pd.DataFrame(index=range(N)), made, N)
    of_rate = sorted({unit for units in facts.units for unit in units if unit.term == "Filtration rate"})
    rate = "MEASUREMENT__Filtration rate"
    assert applied({}, lines_without(of_rate[:1], "it tells", [rate])) == {"treatment": [dropped(rate)]}
    assert not any(unit.is_of_results and not unit.term for units in facts.units for unit in units), (
        "of all tests: no fact"
    )
    assert {unit.term for units in facts.units for unit in units} >= {"Creatinine (Mass/volume) in Serum"}


def told_by_a_test(result: pd.Series, name: str, original: pd.Series, merged=()) -> ColumnTold:
    """What the results of one of two tests disclose of a column that was dropped."""
    n, noise = len(result), np.random.default_rng(5).normal(50, 9, len(result))
    rows = [
        {"LBTESTCD": code, "LBTEST": test, "LBSTRESN": float(number)}
        for place in range(n)
        for code, test, number in (("ALT", "Alt", noise[place]), ("RATIO", "Ratio", result[place]))
    ]
    lb = pd.DataFrame(rows)
    model = model_of({"LB": lb.assign(USUBJID="S", DOMAIN="LB"), "DM": pd.DataFrame({"USUBJID": ["S"]})}, "sdtm")
    file = RowsOfFile("LB", "LB", lb, np.repeat(np.arange(n), 2), model.table("LB"))
    files = summaries_of([file], np.arange(n), np.full(n, np.nan))
    return SearchOfRows(files, 1).told(HiddenColumn.beside(name, original, None, np.ones(n, bool)), [], [], merged)


@pytest.mark.parametrize(
    ("merged", "line"),
    [([], {"release": {"leave_out": ["LB"]}}), (["LB__Alt", "LB__Ratio"], {"treatment": [dropped("LB__Ratio")]})],
)
def test_results_that_disclose_an_age_have_a_line_that_takes_them_out(merged, line):
    """One that works even where no test is a column of the merged table: the file stays here."""
    age = pd.Series(np.random.default_rng(4).integers(30, 80, 2 * N).astype(float))
    told = told_by_a_test(200 - 2 * age, "DM__AGE", age, merged)
    assert applied({}, told.changes) == line
    assert told.within < 6


@pytest.mark.parametrize("first", [0, 41_275, 2_456_353])  # of the study, of a spreadsheet, of astronomers
def test_a_number_of_days_on_whatever_scale_discloses_the_moved_day(first):
    days = pd.Series(np.random.default_rng(6).integers(0, 730, 2 * N))
    day = pd.Series((np.datetime64("2013-03-01") + days.to_numpy()).astype(str), dtype="str")
    assert told_by_a_test(first + days, "DM__RFSTDTC", day).people_told == 2 * N
