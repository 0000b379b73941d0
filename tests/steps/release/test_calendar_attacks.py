"""What the calendar tells of dates that were moved: each attack is done by hand on the package, and holds it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import MASKED
from tests.steps.release.conftest import Package, codebook_of
from tests.steps.release.made_study import N, demographics, made, rows, starts, visits

pytestmark = pytest.mark.usefixtures("release_key")
START = starts()
END = np.datetime64("2015-06-12")
TERMS = ("STUDY TERMINATED BY SPONSOR", "ADVERSE EVENT")


def calendar(found: Package) -> list:
    return [one for one in found.result.reasons_to_hold if "calendar" in one.sentence]


def figures(found: Package):
    (step,) = found.result.outcome.findings(MASKED).moved_dates.steps
    return step


def sponsor_ends(i: int) -> np.datetime64:
    """All but twelve stayed until the sponsor ended the study."""
    return END if i % 10 else START[i] + 40


def with_end(**more) -> dict:
    ds = rows("DS", sponsor_ends, DSDECOD=lambda i: TERMS[i % 10 == 0], **more)
    return {"DM": demographics(START), "SV": visits(START), "DS": ds}


def removed(reason: Reason) -> list[str]:
    """The variables that the changes of a reason remove."""
    assert {(change.path[:2], change.value) for change in reason.changes} == {(("release", "operations"), "remove")}
    return [change.path[2] for change in reason.changes]


@pytest.mark.thorough("4 s: two releases; what they find is tested by parts in tests/attack")
def test_by_the_day_on_which_the_sponsor_ended_the_study_until_what_the_remedy_names_is_removed(tmp_path):
    study = with_end(DSSTDY=lambda i: float((sponsor_ends(i) - START[i]).astype(int) + 1))
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    found = made(study, tmp_path / "before")
    ds, dm = found.opened["DS"].set_index("USUBJID"), found.opened["DM"].set_index("USUBJID")
    ended = ds["DSSTDTC"][ds["DSDECOD"] == TERMS[0]]
    true = pd.to_datetime(dm["RFSTDTC"]) - (pd.to_datetime(ended) - pd.Timestamp(END))
    assert sorted(true.dropna()) == sorted(pd.Timestamp(START[i]) for i in range(N) if i % 10)  # the attack
    (reason,) = calendar(found)
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert "for 108 of 120 people" in reason.sentence
    lines = removed(reason)
    assert sorted(lines) == ["DS.DSSTDTC", "DS.DSSTDY"]
    assert calendar(made(study, tmp_path / "after", {"operations": dict.fromkeys(lines, "remove")})) == []
    assert "2015" not in reason.sentence + " ".join(found.result.outcome.findings(MASKED).words())
    step = figures(found)
    assert (step.people_undone, step.people_looked_at) == (108, 120)


@pytest.mark.thorough("1 s: a release of its own")
def test_by_the_day_of_the_end_in_a_group_of_rows_alone(tmp_path):
    """A quarter of the people ended by one decision: in the rows of all, that day is no pattern."""
    ends = {i: END if i % 4 == 0 else START[i] + 30 + 3 * (i % 50) for i in range(N)}
    ds = rows("DS", ends.get, DSDECOD=lambda i: "SITE CLOSED" if i % 4 == 0 else "COMPLETED")
    found = made({"DM": demographics(START), "DS": ds}, tmp_path)
    assert figures(found).people_undone == 30
    (reason,) = calendar(found)
    assert "DS.DSSTDTC" in reason.sentence


@pytest.mark.thorough("1 s: a release of its own")
def test_by_a_day_that_no_outsider_knows(tmp_path):
    """The controller may say so."""
    found = made(with_end(), tmp_path, identifiers={"harmless": {"DS__DSSTDTC": "the day was never published"}})
    assert calendar(found) == []


@pytest.mark.thorough("3 s: a release of its own")
def test_by_a_column_that_says_the_year_or_the_weekday_of_a_date(tmp_path):
    words = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    of = {"VSTPT": lambda i: words[(START[i].astype(int) + 3) % 7], "VSCAT": lambda i: str(START[i])[:7]}
    vs = [
        row | {"VSDTC": row.pop("VSSTDTC"), "VSTESTCD": "PULSE", "VSSTRESN": 70.0}
        for row in rows("VS", lambda i: START[i], **of)
    ]
    declared = {"declared_texts": {"VS.VSCAT": "all"}}  # months of few people would be emptied
    found = made({"DM": demographics(START), "VS": vs}, tmp_path, declared)
    step = figures(found)
    assert step.median_offsets_left <= 6
    assert {(one.beside, one.pattern) for one in step.patterns} >= {("VSTPT", "weekday"), ("VSCAT", "month")}


@pytest.mark.thorough("1 s: a release of its own")
def test_by_the_month_of_a_term_that_the_first_screen_names(tmp_path):
    """Everybody had a headache, in a month of the own: the verdict does not reckon with it, and says so."""
    ae = rows("AE", lambda i: START[i] + 7 * i, AEDECOD=lambda i: "Headache")
    known = {"outsiders_know": {"facts": 1, "kinds": ["terms"]}}
    found = made({"DM": demographics(START), "AE": ae}, tmp_path, known)
    assert not [one for one in found.result.reasons_to_hold if "acquaintance" in one.sentence]
    (said,) = [one for one in found.result.not_looked_at if "months" in one]
    course = found.result.outcome.course
    assert course.alone[1].n_alone == 0
    assert f"singles out {course.alone_with_months[1].n_alone} of {N} people" in said
    assert [one for one in found.result.not_looked_at if "outsiders_know" in one]


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_partial_dates_are_counted_in_report_codebook_and_readme(tmp_path):
    """120 ends known to the month, beside complete beginnings late in that month: none comes before its beginning."""
    late = [f"2014-{1 + i % 12:02d}-{18 + i % 10}" for i in range(N)]
    ae = rows("AE", lambda i: late[i], AEDECOD=lambda i: "Headache", AEENDTC=lambda i: late[i][:7])
    found = made({"DM": demographics(START), "AE": ae}, tmp_path)
    events = found.opened["AE"]
    assert (events["AEENDTC"] >= events["AESTDTC"].str.slice(0, 7)).all()
    assert found.result.figures["partial_dates"] == {"AE.AEENDTC": N}
    assert f"Partial dates ({N})" in found.files["README.txt"].decode()
    (entry,) = [one for one in codebook_of(found) if one["variable"] == "AEENDTC"]
    assert f"{N} partial dates" in entry["done"]


@pytest.mark.thorough("1 s: a release")
def test_a_person_whom_no_offset_hides_leaves_without_dates(tmp_path):
    """Tuesdays of one year, and one person who was there from the first to the last of them."""
    tuesdays = np.datetime64("2014-03-04") + 7 * np.random.default_rng(3).integers(0, 20, N)
    tuesdays[7] = np.datetime64("2014-01-07")
    of_year = [*visits(tuesdays), {**visits(tuesdays)[28], "VISITNUM": 9.0, "VISIT": "LAST", "SVSTDTC": "2014-12-30"}]
    found = made({"DM": demographics(tuesdays), "SV": of_year}, tmp_path)
    assert calendar(found) == []
    dm, sv = found.opened["DM"], found.opened["SV"]
    (undated,) = dm["USUBJID"][dm["RFSTDTC"].isna()]
    assert (sv["USUBJID"] == undated).sum() == 5
    assert sv["SVSTDTC"].isna().eq(sv["USUBJID"] == undated).all()
    (said,) = [one for one in found.result.not_looked_at if "No offset hides" in one]
    assert said.endswith("of 120 people: they leave without dates.")
