"""Keys that join before and after a release: counted row by row, and found out where a release breaks them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.joins import JoinState, KeyJoin, joins_of, keys_of
from disclosure_control.release.readme import readme
from disclosure_control.release.study import NOBODY, STRANGER, Study, StudyFile
from disclosure_control.steps.release.keys import reasons_of_keys, told_joins
from study.formats.tables import SourceTable
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm_operations import overriding_line
from study.models.study_model import OPERATION_OF_ROLE, StudyModel
from study.operations import OperationKind
from tests.examples import examples
from tests.release.small_studies import KEY, RELEASE, people, study_of, table

IDS = [f"P{number}" for number in range(1, 7)]
DOMAINS = ("CM", "AE", "MH")


def column(role: Role, refers_to: str = "", within_person: bool = False) -> ColumnModel:
    return ColumnModel(role, refers_to=refers_to, within_person=within_person)


PERSON = column(Role.PERSON)
TABLES = {
    "PEOPLE": TableModel("PEOPLE", TableKind.PEOPLE, columns={"who": PERSON, "sex": column(Role.SEX)}),
    "VISITS": TableModel(
        "VISITS",
        TableKind.TIMING,
        columns={
            "who": PERSON,
            "visit_id": column(Role.RECORD_KEY, "VISITS"),
            "before_id": column(Role.FOREIGN_KEY, "VISITS"),
            "ward_id": column(Role.SITE, "WARDS"),
        },
    ),
    "RESULTS": TableModel(
        "RESULTS",
        TableKind.FINDINGS,
        columns={
            "who": PERSON,
            "at": column(Role.FOREIGN_KEY, "VISITS"),
            "doctor": column(Role.FOREIGN_KEY, "DOCTORS"),
            "value": column(Role.NUMBER),
        },
    ),
    "WARDS": TableModel("WARDS", TableKind.DESIGN, columns={"ward_id": column(Role.RECORD_KEY, "WARDS")}),
}
MODEL = StudyModel("made", "", "who", "PEOPLE", TABLES)


def made(files: dict[str, list[dict]]) -> Study:
    """A study of these tables, none of which SDTM knows."""
    found = []
    for name, rows in files.items():
        who = [
            IDS.index(row["who"]) if row.get("who") in IDS else STRANGER if row.get("who") else NOBODY for row in rows
        ]
        found.append(StudyFile(table(name, rows), name, np.array(who), "csv", "who"))
    return Study(tuple(found), {}, MODEL)


def package(left: ReleasedStudy) -> dict[str, SourceTable]:
    return {
        name: SourceTable(name, f"{name}.csv", "", file.frame.reset_index(drop=True), {}, ())
        for name, file in left.files.items()
    }


def joins(
    study: Study, kept: list[int], person: str = "who", lines=(), change=lambda tables: tables
) -> dict[str, KeyJoin]:
    who = people(IDS, kept)
    left = deidentify(study, who, lines, KEY, RELEASE)
    return {one.key.name: one for one in joins_of(study, who, change(package(left)), person)}


FILES = {
    "PEOPLE": [{"who": one, "sex": "F"} for one in IDS],
    "VISITS": [
        {"who": IDS[i % 6], "visit_id": str(i), "before_id": str(i - 6) if i >= 6 else None, "ward_id": "W"}
        for i in range(12)
    ],
    "RESULTS": [{"who": IDS[i % 6], "at": str(i), "doctor": "D", "value": 1.0} for i in range(18)],
    "WARDS": [{"ward_id": "W"}],
}


def counts(one: KeyJoin) -> tuple[int, int, int, int]:
    return one.rows_before, one.found_before, one.rows_now, one.found_now


def test_keys_of_a_study_that_is_not_of_sdtm_by_hand():
    """P6 goes, with 1 row of people, 2 of visits and 3 of results: 15 rows of results stay, 10 at a visit."""
    found = joins(made(FILES), [0, 1, 2, 3, 4])
    assert counts(found["VISITS.who"]) == (10, 10, 10, 10)
    assert counts(found["RESULTS.who"]) == (15, 15, 15, 15)
    assert counts(found["RESULTS.at"]) == (15, 10, 15, 10)
    assert counts(found["VISITS.before_id"]) == (5, 5, 5, 5)
    assert {found[name].state for name in ("VISITS.who", "RESULTS.who", "RESULTS.at")} == {JoinState.JOINS}
    assert not reasons_of_keys(found.values())


@pytest.mark.thorough("0.4 s")
def test_a_key_that_is_removed_is_no_drop_and_one_to_a_table_that_is_not_there_is_named():
    found = joins(made(FILES), [0, 1])
    assert found["VISITS.ward_id"].state == JoinState.KEY_GONE
    assert found["RESULTS.doctor"].state == JoinState.NO_PARTNER
    without = joins(made(FILES), [0, 1], change=lambda tables: {n: t for n, t in tables.items() if n != "VISITS"})
    assert without["RESULTS.at"].state == JoinState.PARTNER_GONE
    assert "VISITS.who" in without
    assert not reasons_of_keys(without.values())


def with_other_pseudonyms(tables: dict[str, SourceTable]) -> dict[str, SourceTable]:
    frame = tables["VISITS"].frame
    return {
        **tables,
        "VISITS": dataclasses.replace(tables["VISITS"], frame=frame.assign(visit_id=frame["visit_id"] + "x")),
    }


def test_pseudonyms_of_another_scope_are_a_reason_to_hold():
    found = joins(made(FILES), [0, 1, 2, 3, 4, 5], change=with_other_pseudonyms)
    assert found["RESULTS.at"].state == JoinState.DROPPED
    assert counts(found["RESULTS.at"]) == (18, 12, 18, 0)
    (reason,) = reasons_of_keys(found.values())
    assert reason.gravity == Gravity.KEYS_DO_NOT_JOIN
    assert "RESULTS.at (VISITS.visit_id)" in reason.sentence
    assert "VISITS.before_id (VISITS.visit_id)" in reason.sentence
    assert '"RESULTS.at": "remove"' in reason.with_lines({"release": {}}).next


def test_people_of_one_table_who_are_not_in_the_table_of_people():
    """A person's own pseudonym that one table spells in another way: no row of it finds its person."""

    def change(tables: dict[str, SourceTable]) -> dict[str, SourceTable]:
        frame = tables["RESULTS"].frame
        return {**tables, "RESULTS": dataclasses.replace(tables["RESULTS"], frame=frame.assign(who="nobody"))}

    found = joins(made(FILES), [0, 1, 2, 3, 4, 5], change=change)
    assert counts(found["RESULTS.who"]) == (18, 18, 18, 0)
    assert found["RESULTS.who"].state == JoinState.DROPPED


@pytest.mark.thorough("0.3 s")
def test_small_counts_are_masked_and_the_readme_names_no_key_that_does_not_leave():
    found = joins(made(FILES), [0, 1, 2, 3, 4, 5])
    told = {one.key: one for one in told_joins(MASKED, found.values())}
    assert (told["RESULTS.at"].rows_now, told["RESULTS.at"].found_now) == (18, None)  # 12 of 18: 6 are left over
    assert (told["VISITS.before_id"].rows_now, told["VISITS.before_id"].found_now) == (None, None)
    who = people(IDS, list(range(6)))
    left = deidentify(made(FILES), who, (), KEY, RELEASE)
    names = {name: f"{name}.csv" for name in left.files}
    text = readme("P", left, names, pd.Timestamp("2026-01-31"), joins=tuple(found.values()))
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "RESULTS.at VISITS.visit_id nearly all of 18" in rows
    assert "VISITS.before_id VISITS.visit_id all" in rows
    assert "RESULTS.doctor DOCTORS, which is not among the files none" in rows
    assert "ward_id" not in text.partition("Keys")[2].partition("What was done")[0]
    assert "still join" not in text


def test_codes_are_tested_where_a_dictionary_has_them():
    """Of 3 rows with a code, 2 are in the dictionary; no entry of the dictionary has a unit: that is no join."""
    of_people = {"who": PERSON, "code": column(Role.CODED_TERM, "CODES"), "unit": column(Role.UNIT, "CODES")}
    public = dataclasses.replace(column(Role.RECORD_KEY, "CODES"), says=OPERATION_OF_ROLE[Role.CATEGORY])
    codes = {"code": public, "list": column(Role.FOREIGN_KEY, "LISTS")}
    models = {
        "ROWS": TableModel("ROWS", TableKind.EVENTS, columns=of_people),
        "CODES": TableModel("CODES", TableKind.DICTIONARY, columns=codes),
    }
    files = {
        "ROWS": [{"who": "P1", "code": code, "unit": "kg"} for code in ("1", "1", "9")],
        "CODES": [{"code": "1", "list": "L"}],
    }
    study = dataclasses.replace(made(files), model=StudyModel("made", "", "who", None, models))
    found = joins(study, [0])
    assert list(found) == ["ROWS.code"]
    assert counts(found["ROWS.code"]) == (3, 2, 3, 2)


# ---------------------------------------------------------------- SDTM


@pytest.mark.thorough("0.5 s")
def test_supplements_relations_and_devices_by_hand():
    """SUPPAE names 3 of 4 records that are there; data sets joined by LNKID; one device that DI does not list."""
    same = [{"STUDYID": "S", "USUBJID": one} for one in IDS]
    supp = {"RDOMAIN": "AE", "QNAM": "AETRTEM", "QLABEL": "Emergent", "QVAL": "Y"}
    files = {
        "DM": [{**row, "DOMAIN": "DM", "SEX": "F"} for row in same],
        "AE": [{**row, "DOMAIN": "AE", "AESEQ": 1.0, "AEDECOD": "X"} for row in same[:3]],
        "SUPPAE": [{**row, **supp, "IDVAR": "AESEQ", "IDVARVAL": "1"} for row in same[:4]],
        "SUPPDM": [
            {**row, **supp, "RDOMAIN": "DM", "QNAM": "COMPLT16", "IDVAR": None, "IDVARVAL": None} for row in same
        ],
        "TU": [
            {**same[0], "DOMAIN": "TU", "TUSEQ": float(i), "TULNKID": f"T{i}", "SPDEVID": f"D{i}"} for i in range(3)
        ],
        "TR": [{**same[0], "DOMAIN": "TR", "TRSEQ": float(i), "TRLNKID": f"T{i // 2}"} for i in range(4)],
        "DI": [{"STUDYID": "S", "DOMAIN": "DI", "SPDEVID": f"D{i}", "DISEQ": 1.0} for i in range(2)],
        "RELREC": [
            {"STUDYID": "S", "RDOMAIN": name, "IDVAR": f"{name}LNKID", "RELID": "1", "USUBJID": None, "IDVARVAL": None}
            for name in ("TU", "TR")
        ],
    }
    lines = [overriding_line(name, OperationKind.KEEP) for name in ("AE.AETRTEM", "DM.COMPLT16")]
    found = joins(study_of(files, IDS), list(range(6)), "USUBJID", lines)
    assert counts(found["SUPPAE.IDVARVAL (RDOMAIN AE, IDVAR AESEQ)"]) == (4, 3, 4, 3)
    assert counts(found["SUPPDM.USUBJID"]) == (6, 6, 6, 6)
    assert counts(found["TR.TRLNKID"]) == (4, 4, 4, 4)
    assert counts(found["TU.SPDEVID"])[:2] == (3, 2)
    assert {one.state for one in found.values()} == {JoinState.JOINS}


def test_the_order_of_rows_of_a_relation_is_not_that_of_its_keys():
    rows = [
        {"STUDYID": "S", "RDOMAIN": one, "USUBJID": IDS[0], "IDVAR": f"{one}SEQ", "IDVARVAL": "1"} for one in DOMAINS
    ]
    rows += [{**row, "USUBJID": None, "IDVARVAL": None, "RELID": "1"} for row in rows]
    files = {one: [{"USUBJID": IDS[0], f"{one}SEQ": 1.0}] for one in DOMAINS}
    found = [[*keys_of(study_of({**files, "RELREC": order}, IDS), "USUBJID")] for order in (rows, rows[::-1])]
    assert len(found[0]) > 4
    assert found[0] == found[1]


# ---------------------------------------------------------------- the slow and obvious version


def by_looking(rows: list[dict], name: str, partners: list[dict], partner: str) -> tuple[int, int]:
    with_value = [row for row in rows if row.get(name) is not None and row[name] == row[name]]
    return len(with_value), sum(any(row[name] == other.get(partner) for other in partners) for row in with_value)


@st.composite
def studies(draw) -> tuple[dict[str, list[dict]], list[int]]:
    who = st.sampled_from([*IDS, "STRANGER"])
    key = st.one_of(st.none(), st.integers(1, 9).map(str))
    visits = draw(
        st.lists(st.fixed_dictionaries({"who": who, "visit_id": key, "before_id": key}), min_size=1, max_size=8)
    )
    results = draw(st.lists(st.fixed_dictionaries({"who": who, "at": key, "doctor": key}), min_size=1, max_size=12))
    kept = sorted(draw(st.sets(st.integers(0, 5), min_size=1)))
    return {"PEOPLE": FILES["PEOPLE"], "VISITS": visits, "RESULTS": results}, kept


@pytest.mark.thorough("1.8 s")
@examples(200)
@given(studies())
def test_joins_are_those_found_by_looking_at_every_pair_of_rows(given_study):
    files, kept = given_study
    stay = {name: [row for row in rows if row["who"] in [IDS[i] for i in kept]] for name, rows in files.items()}
    found = joins(made(files), kept)
    for name, columns in (("VISITS", ("before_id",)), ("RESULTS", ("at",))):
        for one in columns:
            expected = by_looking(stay[name], one, stay["VISITS"], "visit_id")
            if not expected[0]:
                assert f"{name}.{one}" not in found
                continue
            join = found[f"{name}.{one}"]
            assert counts(join) == (*expected, *expected)
            gone = not stay["VISITS"] or all(row["visit_id"] is None for row in files["VISITS"])
            assert join.state == JoinState.JOINS or gone
        expected = by_looking(stay[name], "who", stay["PEOPLE"], "who")
        if expected[0]:
            assert counts(found[f"{name}.who"]) == (*expected, *expected)
