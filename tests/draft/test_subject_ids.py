"""Which column names the subject, and the rule that unites spellings: never two people of one file, never a prefix."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.draft.literal import DraftedValue, config_text
from disclosure_control.draft.merging import draft_merge, tables_by_domain
from disclosure_control.draft.subject_ids import draft_subject_ids, faults_of_spellings
from study.formats.tables import SourceTable
from study.merge import subject_ids
from study.merge.subject_ids import read_subjects
from study.models.registry import study_model
from tests.examples import examples


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    """The merge lets another process try a pattern, as a config may hold any; these are the project's own."""

    def replaced(texts, pattern, replacement):
        found = [re.subn(pattern, replacement, text) for text in texts]
        return [text for text, _ in found], sum(n == 0 for _, n in found)

    monkeypatch.setattr(subject_ids, "replaced", replaced)


def frame(*ids: object, column: str = "USUBJID") -> pd.DataFrame:
    return pd.DataFrame({column: pd.Series([str(one) for one in ids], dtype="str")})


def literal(tables: dict[str, pd.DataFrame], base: str = "DM") -> dict[str, object]:
    drafted = draft_subject_ids(tables, base)
    return {name: line.value for name, line in drafted.lines.items()}


def united(tables: dict[str, pd.DataFrame]) -> list[set[str]]:
    rule = draft_subject_ids(tables, "DM").rule
    return [set(read_subjects(table, rule).ids) for table in tables.values()]


def test_ids_that_agree_need_no_rule():
    tables = {"DM": frame("01-701-1015", "01-701-1023"), "VS": frame("01-701-1015", "01-701-1015")}
    assert literal(tables) == {"column": "USUBJID"}


@pytest.mark.parametrize(
    ("base", "other", "words"),
    [
        (("AB-1", "AB-2"), ("ab-1", "Ab-2"), "capitals"),
        (("00012345", "00012340"), ("12345.0", "12340.0"), "leading zeros and decimals"),
        (("AB-01", "AB-02"), ("ab_01", "AB 02"), "a hyphen between"),
        (("AB-01", "AB-02"), ("ab01", "AB 02"), "nothing between"),
        (("AB-01", "AB-02"), ("ab 1", "AB2"), "no leading zeros"),
        (("CLINIC-0001", "CLINIC-0010"), ("clinic_1", " P 0010 "), "the number in the id"),
        (("01-701-1015", "01-701-1023"), ("1015", "1023"), "the last number"),
    ],
)
def test_the_mildest_rule_that_unites_them_is_taken(base, other, words):
    tables = {"DM": frame(*base), "LB": frame(*other)}
    drafted = draft_subject_ids(tables, "DM")
    marked = [line for line in drafted.lines.values() if line.review]
    assert [words in line.reason for line in marked] == [True]
    assert not drafted.n_unknown
    in_base, in_other = united(tables)
    assert in_base == in_other
    assert len(in_base) == 2


def test_the_four_spellings_of_the_demo_get_their_zeros_back_and_no_prefix():
    tables = {
        "DM": frame("PENTELI-0001", "PENTELI-0010"),
        "VS": frame("penteli_1", "penteli_10"),
        "LB": frame(" P 0001 ", " P 0010 "),
        "SC": frame("1", "10"),
    }
    drafted = literal(tables)
    assert drafted["zero_pad"] == 4
    assert "prefix" not in drafted
    assert united(tables) == [{"0001", "0010"}] * 4


def test_a_rule_that_makes_two_people_one_is_not_taken():
    # The last number would unite the files, and would make one of 701-1 and 702-1.
    tables = {"DM": frame("701-1", "702-1", "702-2"), "LB": frame("1", "2")}
    assert literal(tables) == {"column": "USUBJID"}
    assert draft_subject_ids(tables, "DM").n_unknown == {"LB": 2}


def test_subjects_that_no_rule_finds_are_counted():
    drafted = draft_subject_ids({"DM": frame("A1", "A2"), "LB": frame("a1", "B7")}, "DM")
    assert drafted.n_unknown == {"LB": 1}
    assert drafted.lines["case"].value == "upper"


IDS = st.lists(
    st.text("aAbB01-_ ", min_size=1, max_size=6).filter(lambda text: text.strip()),
    min_size=1,
    max_size=6,
    unique_by=str.strip,
)


@examples(60)
@given(IDS, IDS)
def test_no_two_ids_of_a_file_become_one_and_nobody_known_gets_lost(base, other):
    tables = {"DM": frame(*base), "LB": frame(*other)}
    drafted = draft_subject_ids(tables, "DM")
    for table in tables.values():
        assert read_subjects(table, drafted.rule).n_merged == 0
    without_rule = len({one.strip() for one in other} - {one.strip() for one in base})
    assert sum(drafted.n_unknown.values()) <= without_rule


def test_a_person_written_in_several_ways_is_a_fault_and_never_several_people():
    tables = {"PEOPLE": frame("p-01", "p-02"), "VISITS": frame("p-01", "P-01", " p-02 ", "P-02")}
    (fault,) = faults_of_spellings(tables, "USUBJID")
    assert fault.startswith("VISITS: ")
    assert "p-0" not in fault
    assert 'subject_id: {"column": "USUBJID"}' in fault


@pytest.mark.parametrize("visits", [("q-01", "Q-01", "p-01"), ("P-01", "P-02", "x-03"), ("p-01", "p-01 ", "p-02")])
def test_ids_that_another_table_does_not_have_or_that_differ_by_blanks_are_no_fault(visits):
    assert faults_of_spellings({"PEOPLE": frame("p-01", "p-02"), "VISITS": frame(*visits)}, "USUBJID") == []


# ---------------------------------------------------------------- which column


def table(**columns: list) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series([str(one) for one in values], dtype="str") for name, values in columns.items()}
    )


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"pidnum": [10056, 10059, 10089], "age": [48, 61, 45]}, "pidnum"),
        ({"code": ["x1", "x2", "x3"], "Κωδικός Ασθενούς": ["a", "b", "c"]}, "Κωδικός Ασθενούς"),
        ({"age": [48, 61, 48], "no": [1, 2, 3]}, "no"),
        ({"weight": ["70.5", "80.5", "90.5"], "kod": ["1", "2", "3"]}, "kod"),
        ({"x": ["K-01", "K-02", "K-03"], "sex": ["m", "f", "m"]}, "x"),
        ({"patient": [1, 1, 2], "visit_date": ["2020-01-01", "2020-02-01", "2020-03-01"]}, "patient"),
        ({"admitted": ["2020-01-01", "2020-02-01", "2020-03-01"], "sex": ["m", "f", "m"]}, None),
        ({"weight": ["70.5", "80.25", "90.125"], "sex": ["m", "f", "m"]}, None),
        ({"name": ["Anna Alpha", "Berta Beta", "Carla Gamma"], "sex": ["f", "f", "f"]}, None),
        ({"SITEID": [1, 1, 2], "sex": ["m", "f", "m"]}, None),
    ],
)
def test_the_column_of_a_plain_table(columns, expected):
    assert literal({"STUDY": table(**columns)}, "STUDY") == {"column": expected}


def test_in_several_files_it_is_a_column_of_all():
    tables = {"DM": table(no=[1, 2], patient_id=["a", "b"]), "LB": table(lab_no=[7, 8, 9], patient_id=["a", "a", "b"])}
    assert literal(tables)["column"] == "patient_id"


def test_without_one_in_all_files_the_merge_is_left_to_say_so():
    assert literal({"DM": table(patient=[1, 2]), "LB": table(subject=[1, 2])}) == {"column": "USUBJID"}


def source(domain: str, frame: pd.DataFrame) -> SourceTable:
    return SourceTable(domain, f"{domain}.csv", "0" * 64, frame, {}, ())


def test_comments_on_the_merge_tell_no_small_count():
    """Of 60 people one is unknown to DM, 8 have no row of VS and two of the others have two: configs go around."""
    people = [f"S{i:02}" for i in range(60)]
    tables = {
        "DM": pd.DataFrame({"USUBJID": people}),
        "LB": pd.DataFrame({"USUBJID": [*people, "ZZ"], "GLUCOSE": "5"}),
        "VS": pd.DataFrame({"USUBJID": [*people[:52], *people[:2]], "BMI": "21"}),
    }
    draft = draft_merge(tables, study_model([source(name, frame) for name, frame in tables.items()], None))
    text = config_text("", {"subject_id": draft.subject_id, **draft.settings})
    assert "fewer than 10 of its subjects are not in DM" in text
    assert re.findall(r"\d+", text) == ["10"]


def test_supplemental_qualifiers_of_the_people_are_no_further_rows_of_them():
    people = [f"S{i:02}" for i in range(30)]
    dm = pd.DataFrame({"STUDYID": "A", "DOMAIN": "DM", "USUBJID": people, "AGE": "50", "SEX": "F"})
    of_dm = {"RDOMAIN": "DM", "IDVAR": "", "IDVARVAL": "", "QNAM": "SMOKER", "QLABEL": "Smoker", "QVAL": "Y"}
    tables = [source("DM", dm), source("SUPPDM", pd.DataFrame({"STUDYID": "A", "USUBJID": people, **of_dm}))]
    model = study_model(tables, None)
    assert "several_rows" not in draft_merge(tables_by_domain(tables, model), model).settings
    tables[0] = source("DM", pd.concat([dm, dm.head(3)]))
    assert "several_rows" in draft_merge(tables_by_domain(tables, model), model).settings


def test_no_rule_makes_cases_and_controls_one():
    cases, controls = (
        pd.DataFrame({"patient_id": [f"{letter}{i:03d}" for i in range(40)], "sex": list(sexes) * 20})
        for letter, sexes in (("P", "MF"), ("C", "FM"))
    )
    drafted = draft_subject_ids({"CASES": cases, "CONTROLS": controls}, "CASES", person=DraftedValue("patient_id"))
    assert drafted.rule.only_trims
    same = cases.assign(patient_id=controls["patient_id"])
    drafted = draft_subject_ids({"CASES": cases, "LAB": same}, "CASES", person=DraftedValue("patient_id"))
    assert not drafted.rule.only_trims


@pytest.mark.parametrize("codes", [("male", "female"), ("1", "2")])
def test_sexes_in_other_codes_are_no_other_people(codes):
    ids = [f"{i:02}" for i in range(1, 7)]
    demographics = pd.DataFrame({"USUBJID": [f"AB-{one}" for one in ids], "SEX": list("MF") * 3})
    register = pd.DataFrame({"USUBJID": [f"ab_{one}" for one in ids], "sex": list(codes) * 3})
    assert not draft_subject_ids({"DM": demographics, "REG": register}, "DM").n_unknown
    others = register.assign(sex=["M", *"MMMMM"])  # of the codes of DM, and of others than its people
    assert draft_subject_ids({"DM": demographics, "REG": others}, "DM").n_unknown == {"REG": 6}


def test_rows_without_an_id_below_a_person_are_no_people_of_their_own():
    frame = pd.DataFrame({"patient_id": ["P1", None, "P2", "P3", "P3"], "drug": list("abcde")})
    assert draft_subject_ids({"DRUGS": frame}, "DRUGS").lines["column"].value == "patient_id"
