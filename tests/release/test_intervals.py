"""The days between visits and the lengths of events as facts, against loops over the rows of each person."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures.longitudinal import alone_by_facts
from disclosure_control.release.facts.facts import columns_with_facts, facts_known
from study.merge.subject_ids import SubjectIdRule
from tests.examples import examples
from tests.release.small_studies import model_of, rows_of_files, table

IDS = ["A", "B", "C"]
SUBJECTS, RULE = pd.Series(IDS, dtype="str"), SubjectIdRule()
DAY = st.integers(0, 12).map(lambda n: (date(2020, 1, 28) + timedelta(days=n)).isoformat())
PARTIAL = st.one_of(DAY, st.sampled_from(["2020-01", "2020", None]))


def row(person: str, domain: str, **more) -> dict:
    return {"STUDYID": "S", "DOMAIN": domain, "USUBJID": person, **more}


def persons_by_fact(files: dict[str, list[dict]], kind: str) -> tuple[list[frozenset[int]], dict[str, int]]:
    """Of each fact the people who have it, and how many people have any."""
    dm = [row(one, "DM", RFSTDTC="2020-01-28") for one in IDS]
    tables = {name: table(name, rows) for name, rows in {"DM": dm, **files}.items() if rows}
    model = model_of({name: one.frame for name, one in tables.items()})
    some = {name: one.frame[columns_with_facts(name, one, model, RULE, (kind,))] for name, one in tables.items()}
    found, _ = facts_known(rows_of_files(some), SUBJECTS, RULE, (kind,), model)
    by_fact = pd.DataFrame({"person": found.people, "fact": found.facts}).groupby("fact")["person"]
    return sorted(map(frozenset, by_fact.agg(list)), key=sorted), dict(found.holders)


@pytest.mark.thorough("0.3 s")
@examples(80)
@given(st.lists(st.tuples(st.sampled_from(IDS), PARTIAL), max_size=9))
def test_intervals_are_those_between_a_persons_visits_in_their_order(visits):
    expected: dict[int, set[int]] = {}
    for place, one in enumerate(IDS):
        days = sorted({date.fromisoformat(day) for who, day in visits if who == one and day and len(day) == 10})
        for first, second in pairwise(days):
            expected.setdefault((second - first).days, set()).add(place)
    sv = [row(who, "SV", VISITNUM=float(n), SVSTDTC=day) for n, (who, day) in enumerate(visits)]
    found, _ = persons_by_fact({"SV": sv}, "intervals")
    assert found == sorted(map(frozenset, expected.values()), key=sorted)


@pytest.mark.thorough("0.3 s")
@examples(80)
@given(st.lists(st.tuples(st.sampled_from(IDS), PARTIAL, PARTIAL), max_size=9))
def test_durations_are_those_of_complete_dates(events):
    expected: dict[int, set[int]] = {}
    for who, begin, end in events:
        if begin and end and len(begin) == len(end) == 10 and end >= begin:
            days = (date.fromisoformat(end) - date.fromisoformat(begin)).days
            expected.setdefault(days, set()).add(IDS.index(who))
    ae = [row(who, "AE", AEDECOD="Headache", AESTDTC=begin, AEENDTC=end) for who, begin, end in events]
    found, _ = persons_by_fact({"AE": ae}, "durations")
    assert found == sorted(map(frozenset, expected.values()), key=sorted)


def test_by_the_days_between_two_visits_where_only_study_days_leave():
    sv = [row(one, "SV", VISITNUM=float(n), SVSTDY=day) for one in IDS for n, day in enumerate((1.0, 29.0))]
    sv += [row("C", "SV", VISITNUM=3.0, SVSTDY=36.0)]
    found, holders = persons_by_fact({"SV": sv}, "intervals")
    assert found == [frozenset({0, 1, 2}), frozenset({2})]
    assert holders == {"intervals": 3}
    people = np.array([0, 1, 2, 2])
    assert alone_by_facts(np.zeros(3, dtype=np.int64), people, np.array([0, 0, 0, 1]))[1].n_alone == 1


def test_by_a_length_in_study_days_across_the_day_that_does_not_exist():
    ae = [row("A", "AE", AEDECOD="X", AESTDY=-1.0, AEENDY=1.0), row("B", "AE", AEDECOD="X", AESTDY=4.0, AEENDY=5.0)]
    found, _ = persons_by_fact({"AE": ae}, "durations")
    assert found == [frozenset({0, 1})]


def test_without_dates_of_visits_those_of_findings_count_and_without_any_nothing_is_counted():
    vs = [
        row("B", "VS", VSTESTCD="PULSE", VSSTRESN=70.0, VSDTC=day) for day in ("2020-02-01", "2020-02-01", "2020-02-08")
    ]
    assert persons_by_fact({"VS": vs}, "intervals") == ([frozenset({1})], {"intervals": 1})
    assert persons_by_fact({"VS": [{**vs[0], "VSDTC": None}]}, "intervals") == ([], {})
