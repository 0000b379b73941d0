"""What may be known of a course, by small files: visits under one name in all files, months where DM has not all."""

from __future__ import annotations

import pandas as pd
import pytest

from disclosure_control.release.facts import facts
from disclosure_control.release.facts.facts import Facts, facts_known, finest_term
from study.merge.subject_ids import SubjectIdRule
from tests.release.small_studies import model_of, rows_of_files

IDS = pd.Series(["A", "B", "C", "D"])


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns).astype({name: "str" for name, of in columns.items() if not isinstance(of[0], float)})


def known(files: dict[str, pd.DataFrame], kinds: list[str], with_months: bool = False) -> Facts:
    return facts_known(rows_of_files(files), IDS, SubjectIdRule(), kinds, model_of(files))[with_months]


def visits_of(files: dict[str, pd.DataFrame]) -> list[int | None]:
    """The groups of people with the same number of visits, in the order of A to D; None without visits."""
    found = known(files, ["visits"])
    of_person = dict(zip(found.people.tolist(), found.facts.tolist(), strict=True))
    return [of_person.get(place) for place in range(len(IDS))]


NUMBERS = frame(USUBJID=["A", "A", "B"], VISITNUM=[1.0, 2.0, 1.0])
NAMES = frame(USUBJID=["A", "B", "B"], VISIT=["BASELINE", "BASELINE", "WEEK 2"])
BOTH = frame(USUBJID=["C", "C"], VISITNUM=[1.0, 2.0], VISIT=["BASELINE", "WEEK 2"])


def test_a_visit_that_two_files_name_is_one():
    """A and C were there twice, and so was B, of whom one file has the number and the other the name alone."""
    a, b, c, d = visits_of({"LB": NUMBERS, "VS": NAMES, "EG": BOTH})
    assert a == b == c is not None
    assert d is None


@pytest.mark.thorough("0.3 s")
def test_names_that_stand_beside_no_number_are_no_visits_of_their_own():
    """A is seen at 1 and 2, B at 1: BASELINE and WEEK 2 may be those."""
    a, b, _, _ = visits_of({"LB": NUMBERS, "VS": NAMES})
    assert None not in (a, b)
    assert a != b
    assert visits_of({"LB": NUMBERS, "VS": NAMES}) == visits_of({"LB": NUMBERS})


def test_where_no_file_has_numbers_visits_go_by_name():
    one, two, _, _ = visits_of({"VS": NAMES})
    assert None not in (one, two)
    assert one != two


@pytest.mark.parametrize(("number", "is_same"), [(1.1, True), (1.2, True), (5.0, False)])
def test_a_name_of_several_numbers_is_one_that_the_person_has(number, is_same):
    """UNSCHEDULED is 1.1 and 1.2: for A, who has one of them, it is that one, and no second visit. B has one visit."""
    numbers = frame(USUBJID=["A", "B"], VISITNUM=[number, 1.0])
    names = frame(USUBJID=["A"], VISIT=["UNSCHEDULED"])
    both = frame(USUBJID=["D", "D"], VISITNUM=[1.1, 1.2], VISIT=["UNSCHEDULED", "UNSCHEDULED"])
    a, b, _, _ = visits_of({"LB": numbers, "VS": names, "EG": both})
    assert (a == b) is is_same


def test_who_is_not_in_dm_has_terms_without_a_month():
    """DM may come in parts: of D, who is not in this one, nobody knows the first day."""
    dm = frame(USUBJID=["A", "B"], RFSTDTC=["2020-01-01", "2020-01-02"])
    ae = frame(USUBJID=["A", "D", "B"], AEDECOD=["X", "X", "X"], AESTDTC=["2020-02-05", "2020-02-05", "2020-02-06"])
    found = known({"DM": dm, "AE": ae}, ["terms"], with_months=True)
    of_person = dict(zip(found.people.tolist(), found.facts.tolist(), strict=True))
    assert of_person[0] == of_person[1] != of_person[3]
    assert known({"DM": dm, "AE": ae.assign(AESTDY=[36.0, 36.0, 36.0])}, ["terms"], with_months=True).facts.max() == 0


def test_the_second_part_of_dm_tells_the_first_day_too():
    parts = {
        name: frame(USUBJID=[one], RFSTDTC=[day])
        for name, one, day in (("DM", "A", "2020-01-01"), ("DM2", "D", "2020-01-02"))
    }
    ae = frame(USUBJID=["A", "D"], AEDECOD=["X", "X"], AESTDTC=["2020-02-05", "2020-02-06"])
    found = known({"AE": ae, **parts}, ["terms"], with_months=True)
    assert found.people.tolist() == [0, 3]
    assert found.facts[0] == found.facts[1]
    other = known({"AE": ae.assign(AESTDTC=["2020-02-05", "2020-04-06"]), **parts}, ["terms"], with_months=True)
    assert other.facts[0] != other.facts[1]


@pytest.mark.parametrize(
    ("study_day", "date", "is_first_month"),
    [
        (1.0, "2020-01-01", True),
        (30.0, "2020-01-30", True),
        (31.0, "2020-01-31", False),
        (-1.0, "2019-12-31", False),
    ],
)
def test_the_month_of_a_study_day_is_that_of_its_date(study_day, date, is_first_month):
    """There is no day 0: the first day is 1, the one before it -1. A month has 30 days; D began on study day 15."""
    dm = frame(USUBJID=["A"], RFSTDTC=["2020-01-01"])
    ae = frame(USUBJID=["A", "D"], AEDECOD=["X", "X"])
    for told in ({"AESTDY": [study_day, 15.0]}, {"AESTDTC": [date, ""], "AESTDY": [None, 15.0]}):
        a, d = known({"DM": dm, "AE": ae.assign(**told)}, ["terms"], with_months=True).facts
        assert bool(a == d) is is_first_month


def test_what_the_months_do_not_change_is_found_once(monkeypatch):
    asked = []
    monkeypatch.setattr(facts, "finest_term", lambda *given: asked.append(given) or finest_term(*given))
    known({"AE": frame(USUBJID=["A"], AEDECOD=["X"])}, ["terms"])
    assert len(asked) == 1


def test_a_row_without_its_number_goes_by_its_name():
    rows = frame(USUBJID=["A", "A", "B", "C"], VISITNUM=[1.0, None, 1.0, 1.0], VISIT=["BASELINE"] * 4)
    a, b, c, _ = visits_of({"LB": rows})
    assert a == b == c is not None
