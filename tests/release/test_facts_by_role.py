"""What may be known of a course in a study that no SDTM name describes: read row by row, and by hand."""

from __future__ import annotations

import dataclasses
import itertools
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.measures.longitudinal import alone_by_facts
from disclosure_control.release.facts.facts import KINDS, columns_with_facts, facts_known, usual_kinds
from disclosure_control.release.facts.opened_rows import RowsOfTable, spans_of
from disclosure_control.release.settings import OutsidersKnow
from disclosure_control.steps.release.course import course_parts, course_risk, reasons_of_course, told_course
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.study_model import StudyModel
from tests.examples import examples
from tests.release.small_studies import model_of, rows_of_files, table

IDS = ["A", "B", "C", "D", "E"]
SUBJECTS = pd.Series(IDS)
RULE = SubjectIdRule(column="pid")
FIRST = date(2020, 1, 1)


def told(name: str, kind: TableKind, short: dict[str, str] | None = None, **roles: Role | ColumnModel) -> TableModel:
    columns = {one: role if isinstance(role, ColumnModel) else ColumnModel(role) for one, role in roles.items()}
    return TableModel(name, kind, columns={"pid": ColumnModel(Role.PERSON), **columns}, short=short or {})


AT_A_STAY = ColumnModel(Role.FOREIGN_KEY, refers_to="STAYS")
TABLES = {
    "PEOPLE": told("PEOPLE", TableKind.PEOPLE, sex=Role.SEX),
    "STAYS": told(
        "STAYS",
        TableKind.TIMING,
        stay=ColumnModel(Role.RECORD_KEY, refers_to="STAYS"),
        admitted_date=Role.DATE,
        admitted_datetime=Role.DATE,
        left_date=Role.DATE,
    ),
    "DIAGNOSES": told(
        "DIAGNOSES", TableKind.EVENTS, code=Role.CODED_TERM, words=Role.LABEL, day=Role.DATE, stay=AT_A_STAY
    ),
    "DRUGS": told(
        "DRUGS", TableKind.EVENTS, {"done": "STAT"}, drug=Role.CODED_TERM, given=Role.DATE, done=Role.CATEGORY
    ),
    "LABS": told(
        "LABS",
        TableKind.FINDINGS,
        {"analyte": "TEST", "value": "STRESN", "low": "STNRLO", "high": "STNRHI"},
        analyte=Role.CODED_TERM,
        value=Role.NUMBER,
        low=Role.NUMBER,
        high=Role.NUMBER,
        taken=Role.DATE,
    ),
    "DEATHS": told("DEATHS", TableKind.ROWS, died_on=Role.DEATH_DATE, cause=Role.DEATH),
}
MODEL = StudyModel("made", "", "pid", "PEOPLE", TABLES)


def frames_of(files: dict[str, list[dict]]) -> dict[str, pd.DataFrame]:
    return {name: table(name, rows).frame for name, rows in files.items() if rows}


USUAL = usual_kinds(MODEL)


def known(files: dict[str, list[dict]], kinds=USUAL, with_months: bool = False):
    return facts_known(rows_of_files(frames_of(files)), SUBJECTS, RULE, kinds, MODEL)[with_months]


# ---------------------------------------------------------------- the slow and obvious version


def month_of(day: str | None, start: date | None) -> int | None:
    if not isinstance(day, str) or start is None:
        return None
    return (date.fromisoformat(day[:10]) - start).days // 30


def start_of(person: str, files: dict[str, list[dict]]) -> date | None:
    """The earliest of all days on which something of the person began; a death is none of these, unless it is first."""
    columns = {"STAYS": ("admitted_date", "admitted_datetime"), "DIAGNOSES": ("day",), "DRUGS": ("given",)}
    columns |= {"LABS": ("taken",), "DEATHS": ("died_on",)}
    days = [
        date.fromisoformat(row[column][:10])
        for name, rows in files.items()
        for row in rows
        for column in columns.get(name, ())
        if row["pid"] == person and row.get(column)
    ]
    return min(days, default=None)


def facts_by_reading(person: str, files: dict[str, list[dict]], with_months: bool) -> set[tuple]:
    """Every fact of one person, with its month where it has one, row by row."""
    start, facts = start_of(person, files), set()
    rows = {name: [row for row in of_file if row["pid"] == person] for name, of_file in files.items()}

    def when(day: str | None) -> int | None:
        return month_of(day, start) if with_months else None

    for row in rows["DIAGNOSES"]:
        if row["code"]:
            facts.add(("diagnosis", row["code"], when(row["day"])))
    for row in rows["DRUGS"]:
        if row["drug"] and row["done"] != "NOT DONE":
            facts.add(("drug", row["drug"], when(row["given"])))
    for row in rows["LABS"]:
        if row["value"] is not None and row["value"] < row["low"]:
            facts.add(("low", row["analyte"], when(row["taken"])))
        if row["value"] is not None and row["value"] > row["high"]:
            facts.add(("high", row["analyte"], when(row["taken"])))
    if rows["STAYS"]:
        facts.add(("stays", len(rows["STAYS"])))
    for row in rows["STAYS"]:
        began, ended = row["admitted_date"] or row["admitted_datetime"], row["left_date"]
        if began and ended:
            length = (date.fromisoformat(ended) - date.fromisoformat(began[:10])).days
            if length >= 0:
                facts.add(("lasted", length, when(began)))
    for row in rows["DEATHS"]:
        facts.add(("died", when(row["died_on"])))
        if row["cause"]:
            facts.add(("died of", row["cause"], when(row["died_on"])))
    for name, of_file in files.items():
        is_counted = any(sum(row["pid"] == one for row in of_file) > 1 for one in IDS)
        if name != "PEOPLE" and is_counted and rows[name]:
            facts.add(("rows", name, len(rows[name])))
    return facts


people = st.sampled_from([*IDS[:4], "STRANGER"])  # E has no rows
day = st.integers(0, 100).map(lambda n: str(FIRST + timedelta(days=n)))
maybe = st.one_of(st.none(), day)
number = st.integers(1, 9).map(float)
answer, analyte = st.sampled_from(["NOT DONE", "DONE"]), st.sampled_from(["K", "Na"])


def some(**columns) -> st.SearchStrategy[list[dict]]:
    return st.lists(st.fixed_dictionaries({"pid": people, **columns}), max_size=8)


studies = st.fixed_dictionaries(
    {
        "PEOPLE": st.just([{"pid": one, "sex": "F"} for one in IDS]),
        "STAYS": some(
            stay=st.uuids().map(str),
            admitted_date=maybe,
            admitted_datetime=st.one_of(st.none(), day.map(lambda one: f"{one}T08:15")),
            left_date=maybe,
        ),
        "DIAGNOSES": some(code=st.sampled_from(["I10", "E11", None]), words=st.just("text"), day=maybe, stay=st.none()),
        "DRUGS": some(
            drug=st.sampled_from(["aspirin", "insulin"]), given=maybe, done=st.sampled_from(["NOT DONE", "DONE"])
        ),
        "LABS": some(
            analyte=st.sampled_from(["K", "Na"]), value=number, low=st.just(3.0), high=st.just(6.0), taken=maybe
        ),
        "DEATHS": some(died_on=day, cause=st.sampled_from(["cancer", "stroke"])),
    }
)


@pytest.mark.thorough("1.8 s")
@examples(120)
@given(studies, st.booleans())
def test_facts_are_those_of_reading_row_by_row(files, with_months):
    found = known(files, with_months=with_months)
    expected = [facts_by_reading(one, files, with_months) for one in IDS]
    own = [set(found.facts[found.people == place].tolist()) for place in range(len(IDS))]
    assert [len(one) for one in own] == [len(one) for one in expected], (own, expected)
    for one, two in itertools.combinations(range(len(IDS)), 2):
        assert len(own[one] & own[two]) == len(expected[one] & expected[two])
    alone = alone_by_facts(np.zeros(len(IDS), dtype=np.int64), found.people, found.facts)
    for size in (1, 2):
        by_looking = {
            one
            for one in range(len(IDS))
            for n in range(1, size + 1)
            for some_facts in itertools.combinations(expected[one], n)
            if not any(set(some_facts) <= expected[two] for two in range(len(IDS)) if two != one)
        }
        assert alone[size].n_alone == len(by_looking)


@pytest.mark.thorough("1.2 s")
@examples(50)
@given(studies, st.sets(st.sampled_from(tuple(KINDS)), min_size=1))
def test_the_columns_that_are_read_have_all_facts(files, kinds):
    """From disk, only these columns are read, each combination of values once, and the rows are counted apart."""
    frames = frames_of(files)
    whole = facts_known(rows_of_files(frames), SUBJECTS, RULE, tuple(kinds), MODEL)
    read = {}
    for name, frame in frames.items():
        some_columns = frame[
            columns_with_facts(name, SourceTable(name, "", "", frame, {}, ()), MODEL, RULE, tuple(kinds))
        ].drop_duplicates()
        n_rows = frame["pid"].value_counts()
        read[name] = RowsOfTable(some_columns, pd.Series(n_rows.index, dtype="str"), n_rows.to_numpy())
    for one, other in zip(whole, facts_known(read, SUBJECTS, RULE, tuple(kinds), MODEL), strict=True):
        if "visits" not in kinds or "STAYS" not in frames:
            assert sorted(zip(one.people, one.facts, strict=True)) == sorted(
                zip(other.people, other.facts, strict=True)
            )
        assert one.holders == other.holders


# ---------------------------------------------------------------- by hand


NOTHING: dict[str, list[dict]] = {name: [] for name in TABLES}


def test_two_terms_of_one_name_in_two_tables_are_two_facts():
    files = {
        "DIAGNOSES": [{"pid": "A", "code": "X", "words": "x", "day": None, "stay": None}],
        "DRUGS": [{"pid": "B", "drug": "X", "given": None, "done": "DONE"}],
    }
    found = known(files, ("terms",))
    assert found.people.tolist() == [0, 1]
    assert found.facts[0] != found.facts[1]
    assert found.holders == {"terms": 2}


def test_a_measured_test_is_no_term_and_a_result_within_its_range_is_no_fact():
    row = {"pid": "A", "analyte": "K", "low": 3.0, "high": 6.0, "taken": "2020-01-01"}
    assert len(known({"LABS": [{**row, "value": 4.0}]}, ("terms", "results")).facts) == 0
    assert len(known({"LABS": [{**row, "value": 9.0}]}, ("results",)).facts) == 1


@pytest.mark.parametrize(
    ("mark", "is_fact"),
    [("HIGH", True), ("L", True), ("Abnormal", True), ("HH", True), ("N", False), ("Normal", False)],
)
def test_marks_of_results(mark, is_fact):
    model = told(
        "LABS", TableKind.FINDINGS, {"analyte": "TEST", "mark": "NRIND"}, analyte=Role.CATEGORY, mark=Role.CATEGORY
    )
    study = StudyModel("made", "", "pid", None, {"LABS": model})
    frames = frames_of({"LABS": [{"pid": "A", "analyte": "K", "mark": mark}]})
    found, _ = facts_known(rows_of_files(frames), SUBJECTS, RULE, ("results",), study)
    assert bool(len(found.facts)) is is_fact


def test_a_result_without_a_mark_goes_by_its_range():
    """B is marked as normal although its range says high; C has no mark; nobody's range is known without a limit."""
    short = {"analyte": "TEST", "mark": "NRIND", "value": "STRESN", "high": "STNRHI"}
    model = told("LABS", TableKind.FINDINGS, short, analyte=Role.CATEGORY, mark=Role.CATEGORY, value=Role.NUMBER)
    study = StudyModel("made", "", "pid", None, {"LABS": model})
    marks = (("A", "H"), ("B", "N"), ("C", None))
    rows = [{"pid": one, "analyte": "K", "mark": mark, "value": 9.0} for one, mark in marks]
    frames = frames_of({"LABS": [{**row, "high": 6.0} for row in rows]})
    found, _ = facts_known(rows_of_files(frames), SUBJECTS, RULE, ("results",), study)
    assert found.people.tolist() == [0, 2]
    frames = frames_of({"LABS": [row for row in rows if row["mark"] is None]})
    found, _ = facts_known(rows_of_files(frames), SUBJECTS, RULE, ("results",), study)
    assert "results" not in found.holders  # not counted, and not 0


def test_a_flag_of_death_is_no_cause_and_unknown_is_not_dead():
    model = told("PEOPLE", TableKind.PEOPLE, dead=Role.DEATH)
    study = StudyModel("made", "", "pid", "PEOPLE", {"PEOPLE": model})
    flags = ["yes", "no", "unknown", None, "1"]
    frames = frames_of({"PEOPLE": [{"pid": one, "dead": flag} for one, flag in zip(IDS, flags, strict=True)]})
    found, _ = facts_known(rows_of_files(frames), SUBJECTS, RULE, ("death",), study)
    assert found.people.tolist() == [0, 4]
    assert found.facts.tolist() == [0, 0]


def test_dates_with_and_without_a_time_are_one():
    names = ["visit_start_date", "visit_start_datetime", "visit_end_date", "visit_end_datetime"]
    model = told("V", TableKind.TIMING, **dict.fromkeys(names, Role.DATE))
    assert spans_of(model, names) == [names[:2], names[2:]]
    assert spans_of(told("V", TableKind.TIMING, start=Role.DATE, end=Role.DATE), ["start", "end"]) == [
        ["start"],
        ["end"],
    ]
    assert spans_of(told("P", TableKind.PEOPLE, start=Role.DATE), ["start"]) == []


# ---------------------------------------------------------------- what is counted


def test_a_kind_without_columns_is_not_counted_and_never_zero():
    files = frames_of({"PEOPLE": [{"pid": one, "sex": "F"} for one in IDS]})
    model = StudyModel("made", "", "pid", "PEOPLE", {"PEOPLE": TABLES["PEOPLE"]})
    course = course_risk(rows_of_files(files), SUBJECTS, np.zeros(5, dtype=np.int64), 2, RULE, OutsidersKnow(), model)
    told_of = told_course(MASKED, course)
    assert told_of.known == []
    assert set(told_of.not_counted) == set(KINDS) - {"gaps"}  # counted where the config keeps numbers
    assert all(why.startswith("not counted") for kind, why in told_of.not_counted.items() if kind in usual_kinds(MODEL))
    assert not told_of.people_with
    assert not told_of.found
    everybody = tuple(dataclasses.replace(one, is_alone=np.ones(5, dtype=bool)) for one in course.alone)
    assert reasons_of_course(MASKED, dataclasses.replace(course, alone=everybody)) == []


def test_all_kinds_are_counted_unless_the_data_model_has_its_own():
    assert usual_kinds(MODEL) == ("terms", "visits", "death", "hospital", "results", "stays", "rows")
    dm = pd.DataFrame({"USUBJID": IDS, "DTHFL": ["Y", None, None, None, None]}).astype("str")
    sdtm = model_of({"DM": dm})
    assert usual_kinds(sdtm) == ("terms", "visits", "death", "hospital")
    files = frames_of({**NOTHING, "DEATHS": [{"pid": "A", "died_on": "2020-01-01", "cause": "stroke"}]})
    classes = np.zeros(5, dtype=np.int64)
    course = course_risk(
        rows_of_files(files), SUBJECTS, classes, 2, RULE, OutsidersKnow(kinds=("death", "rows")), MODEL
    )
    assert course.known.kinds == ("death",)
    assert course.not_counted["rows"].startswith("not counted")
    assert course.not_counted["terms"].startswith("not looked at")
    details = [part for part in course_parts(told_course(MASKED, course)) if part.kind == "details"]
    assert len(details[0].lines) == len(KINDS) - 2


def test_months_of_visits_and_deaths_do_not_count_in_sdtm():
    dm = pd.DataFrame(
        {"USUBJID": IDS, "RFSTDTC": "2020-01-01", "DTHDTC": ["2020-01-05", "2021-01-05", None, None, None]}
    )
    files = {"DM": dm.astype("str")}
    _, found = facts_known(rows_of_files(files), SUBJECTS, SubjectIdRule(), ("death",), model_of(files))
    assert found.people.tolist() == [0, 1]
    assert found.facts[0] == found.facts[1]


def test_encounters_of_fhir_are_visits_and_stays():
    """B had two encounters of 2 and 0 days, A one of 2: their numbers differ, one length is the same."""
    rows = [("A", "e1", "2020-01-01", "2020-01-03"), ("B", "e2", "2020-02-01", "2020-02-03")]
    rows.append(("B", "e3", "2020-03-01T08:00:00Z", "2020-03-01T09:00:00Z"))
    names = ["patient_id", "encounter_id", "start", "end"]
    files = {"ENCOUNTER": pd.DataFrame(rows, columns=names).astype("str")}
    model, rule = model_of(files, "fhir"), SubjectIdRule(column="patient_id")
    visits, _ = facts_known(rows_of_files(files), SUBJECTS, rule, ("visits",), model)
    assert sorted(zip(visits.people.tolist(), visits.facts.tolist(), strict=True)) == [(0, 0), (1, 1)]
    stays, _ = facts_known(rows_of_files(files), SUBJECTS, rule, ("stays",), model)
    own = [set(stays.facts[stays.people == place].tolist()) for place in (0, 1)]
    assert own[0] < own[1]
    assert len(own[1]) == 2
