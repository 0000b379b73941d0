"""The longitudinal risk of the package of SDTM_DEMO, recounted with plain loops; the reason; rare terms; settings."""

from __future__ import annotations

import dataclasses
import itertools
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.measures.longitudinal import AloneByFacts
from disclosure_control.release.facts.facts import facts_known
from disclosure_control.release.settings import OutsidersKnow
from disclosure_control.release.terms.rare_terms import RareTerms
from disclosure_control.steps.release.coarser import FewerColumns
from disclosure_control.steps.release.course import CourseRisk, reasons_of_course, told_course
from study.merge.subject_ids import SubjectIdRule
from study.models.sdtm import FACTS
from tests.cases import each
from tests.config_keys import faults_of_key
from tests.examples import examples
from tests.found import InSummary
from tests.release.small_studies import model_of, rows_of_files


def facts_by_hand(opened: dict[str, pd.DataFrame], with_months: bool = False) -> dict[str, set[tuple]]:
    """Terms, number of visits and death of each pseudonym, row by row."""
    found: dict[str, set[tuple]] = {one: set() for one in opened["DM"]["USUBJID"]}
    starts = dict(zip(opened["DM"]["USUBJID"], opened["DM"]["RFSTDTC"], strict=True))
    for frame in opened.values():
        columns = [name for name in frame if name[2:] in ("LLT", "DECOD", "HLT", "HLGT", "BODSYS", "SOC", "CLAS")]
        order = ["LLT", "DECOD", "HLT", "HLGT", "BODSYS", "SOC", "CLAS"]
        columns.sort(key=lambda name: order.index(name[2:]))
        for row in frame.to_dict("records"):
            said = [row[name] for name in columns if pd.notna(row[name])]
            if said:
                prefix = columns[0][:2]
                month = month_by_hand(row, prefix, starts.get(row["USUBJID"])) if with_months else None
                found[row["USUBJID"]].add((prefix, said[0], month))
    for one, visits in opened["SV"].groupby("USUBJID")["VISITNUM"].nunique().items():
        found[one].add(("visits", visits))
    for row in opened["DM"].to_dict("records"):
        if row.get("DTHFL") == "Y" or pd.notna(row.get("DTHDTC")):
            found[row["USUBJID"]].add(("death",))
    return found


def month_by_hand(row: dict, prefix: str, start: object) -> int | None:
    """Of the study day, or of complete dates: 30 days each, the first day in month 0, the day before it in month -1."""
    days = [row[name] for name in (f"{prefix}STDY", f"{prefix}DY") if pd.notna(row.get(name))]
    dates = [str(row[name])[:10] for name in (f"{prefix}STDTC", f"{prefix}DTC") if pd.notna(row.get(name))]
    complete = [text for text in dates if len(text) == 10]
    if not days and complete and isinstance(start, str) and len(start) >= 10:
        gap = (date.fromisoformat(complete[0]) - date.fromisoformat(start[:10])).days
        return gap // 30
    return int((days[0] - (days[0] > 0)) // 30) if days else None


def alone_by_hand(facts: dict[str, set[tuple]], classes: dict[str, object], size: int) -> set[str]:
    return {
        one
        for one, own in facts.items()
        if any(
            not any(
                classes[two] == classes[one] and set(known) <= theirs for two, theirs in facts.items() if two != one
            )
            for n in range(size + 1)
            for known in itertools.combinations(own, n)
        )
    }


@pytest.mark.thorough("a release of the demo and every set of facts by hand: 5 seconds")
def test_facts_of_the_demo_and_their_months_are_those_read_row_by_row(demo):
    subjects = demo.opened["DM"]["USUBJID"]
    _, found = facts_known(rows_of_files(demo.opened), subjects, SubjectIdRule(), list(FACTS), model_of(demo.opened))
    by_hand = facts_by_hand(demo.opened, True)
    for place, one in enumerate(subjects):
        assert len(found.facts[found.people == place]) == len(by_hand[one])
    for one, two in itertools.combinations(range(0, len(subjects), 7), 2):
        shared = set(found.facts[found.people == one]) & set(found.facts[found.people == two])
        assert len(shared) == len(by_hand[subjects[one]] & by_hand[subjects[two]])


@pytest.mark.thorough("10 s: a release of the demo; facts and sets of them by small studies in the quick run")
def test_the_figures_of_the_demo_are_those_counted_by_hand(demo):
    course = demo.result.outcome.course
    classes = dict(
        zip(sorted(demo.opened["DM"]["USUBJID"]), demo.result.outcome.assessment.classes.class_of_record, strict=True)
    )
    facts = facts_by_hand(demo.opened)
    for size in (0, 1, 2):
        assert course.alone[size].n_alone == len(alone_by_hand(facts, classes, size))
    figures = demo.result.figures["longitudinal"]
    assert figures["known"] == ["terms", "visits", "death", "hospital"]
    assert demo.result.report.count("What rows disclose beyond the quasi-identifiers") == 1  # as the page, one heading


@pytest.mark.thorough("10 s: a release of the demo; facts and sets of them by small studies in the quick run")
def test_who_is_alone_by_one_thing_holds_the_package(demo):
    (reason,) = [one for one in demo.result.reasons_to_hold if "acquaintance" in one.sentence]
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert [change.value for change in reason.changes] == [
        {"at_least": 3, "within": "class", "keep": ["visits"]}
    ]  # its K


def course_with(known: OutsidersKnow, *n_alone: int, n_people: int = 100) -> CourseRisk:
    found = tuple(AloneByFacts(i, np.arange(n_people) < n, True) for i, n in enumerate(n_alone))
    none = tuple(AloneByFacts(i, np.zeros(n_people, dtype=bool), True) for i in range(4))
    return CourseRisk(n_people, 5, known, {}, found, none, none)


def test_the_few_who_are_alone_by_a_number_of_rows_are_hidden_before_everybody_loses_a_column():
    """One of a hundred: SEX is dropped only where hiding the few was done, and did not help."""
    course = dataclasses.replace(
        course_with(OutsidersKnow(kinds=("rows",)), 0, 1), alone_in_class=("rows",), fewer=FewerColumns(("SEX",), 0)
    )
    (hidden,) = reasons_of_course(EXACT, course)[0].changes
    assert (hidden.path, hidden.value) == (
        ("release", "rare_terms"),
        {"at_least": 5, "within": "class", "keep": ["rows"]},
    )
    done = dataclasses.replace(course, rare_terms=RareTerms(5, within_class=True, keep=("rows",)))
    assert reasons_of_course(EXACT, done)[0].changes[0].value == {"method": "drop_column", "columns": ["SEX"]}


@each(
    ("known", "is_held"),
    [
        (OutsidersKnow(), True),
        (OutsidersKnow(facts=0), False),
        (OutsidersKnow(facts=1, alone_at_most=0.2), False),
        (OutsidersKnow(facts=2, alone_at_most=0.2), True),
        (OutsidersKnow(facts=1, months=True), False),
    ],
)
def test_the_config_says_what_outsiders_know_and_how_many_alone_are_accepted(known, is_held):
    assert bool(reasons_of_course(MASKED, course_with(known, 0, 20, 40, 60))) is is_held


def test_what_the_config_has_already_is_not_the_next_step():
    course = course_with(OutsidersKnow(), 0, 30, 30, 30)
    (reason,) = reasons_of_course(MASKED, course)
    (change,) = reason.changes
    assert (change.path, change.value) == (("release", "rare_terms"), {"at_least": 5, "within": "class"})
    (reason,) = reasons_of_course(MASKED, dataclasses.replace(course, rare_terms=RareTerms(5, within_class=True)))
    assert reason.changes == ()
    assert "rows cannot leave" not in reason.remedy  # it was not looked for
    done = dataclasses.replace(course, rare_terms=RareTerms(5, within_class=True), fewer=FewerColumns((), 30))
    (reason,) = reasons_of_course(MASKED, done)
    assert reason.remedy.startswith("rows cannot leave at K = 5: 30 of 100 people are alone")
    assert "outsiders_know" in reason.remedy
    assert reason.is_of_all_ways


def rising_by(most: int) -> st.SearchStrategy[list[int]]:
    """Of how many it rises from 1 to 2 and to 3 facts."""
    return st.lists(st.integers(0, most), min_size=3, max_size=3).map(lambda steps: list(itertools.accumulate(steps)))


@st.composite
def courses(draw) -> CourseRisk:
    """Nobody is alone by no fact; with months as many or more, and as many or more below k, of those with a term."""
    alone = draw(rising_by(25))
    with_months, below = ([n + more for n, more in zip(alone, draw(rising_by(6)), strict=True)] for _ in "ab")
    holders = max(with_months[-1], below[-1]) + draw(st.integers(0, 20))
    n_people = holders + draw(st.integers(0, 20))
    known = {"facts": draw(st.integers(1, 3)), "months": draw(st.booleans())}
    return course_of(alone, with_months, below, holders, n_people, **known)


def course_of(
    alone: list[int], with_months: list[int], below: list[int], n_with_term: int, n_people: int, **known
) -> CourseRisk:
    lists = (
        tuple(AloneByFacts(i, np.arange(n_people) < n, True) for i, n in enumerate((0, *counts)))
        for counts in (alone, with_months, below)
    )
    return CourseRisk(n_people, 5, OutsidersKnow(**known), {"terms": n_with_term}, *lists)


@examples(300)
@given(course=courses())
@example(course=course_of([20, 30, 33], [20, 36, 60], [20, 40, 60], 80, 100))
def test_a_masked_count_stays_uncertain_beside_all_that_are_told(course):
    """Whoever knows which people are among which others is left with nine numbers: by 1 of two bounds and between."""
    assume(course.n_people >= 10)  # of fewer nothing can be told
    figures = InSummary(told_course(MASKED, course))
    told = {
        (name, i): figures[name][i]["people"]
        for name in ("alone", "alone_with_months", "fewer_than_5")
        for i in range(4)
    }
    exact = {"alone": course.alone, "alone_with_months": course.alone_with_months, "fewer_than_5": course.below_k}
    outer = [course.n_people, *(n for n in figures["people_with"].values() if n is not None)]

    def is_within(one: tuple[str, int], other: tuple[str, int]) -> bool:
        return one[1] <= other[1] and one[0] in ("alone", other[0])

    for place, n in told.items():
        assert n in (None, exact[place[0]][place[1]].n_alone)
        if n is None:
            least = max(m for other, m in told.items() if m is not None and is_within(other, place))
            most = min([m for other, m in told.items() if m is not None and is_within(place, other)] + outer)
            assert most - least - 1 >= 9, (place, told, outer)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"outsiders_know": {"facts": 4}}, "a whole number from 0 to 3"),
        ({"outsiders_know": {"kinds": ["term"]}}, "a list of terms, visits, death"),
        ({"outsiders_know": {"month": True}}, "did you mean 'months'?"),
        ({"outsiders_know": {"alone_at_most": 5}}, "a number from 0 to 1"),
        ({"outsiders_know": 1}, "a dictionary of facts, kinds, months, alone_at_most"),
        ({"rare_terms": {}}, "release['rare_terms']['at_least']: missing"),
        ({"rare_terms": {"at_least": 1}}, "a whole number from 2"),
        ({"rare_terms": {"at_least": 5, "within": "site"}}, '"study" or "class"'),
        ({"rare_terms": {"at_least": 5, "rows": "remove"}}, "gone since version 4.0.0"),
    ],
)
def test_faults_of_the_settings(value, words, release_key):
    given_value = {"key_from": {"environment": "RELEASE_TEST_KEY"}, **value}
    faults = faults_of_key("release", given_value, {}, ["a"])
    assert any(words in fault for fault in faults), faults
