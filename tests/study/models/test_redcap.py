"""REDCap exports: which file is what, whose row it is, what fields are for, the order of events, folded checkboxes."""

from __future__ import annotations

import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import read_domain_file
from study.formats.tables import SourceTable
from study.models.redcap_dictionary import fields_of, meaning_of
from study.models.registry import study_model
from study.models.roles import Role, TableKind
from study.models.study_model import StudyModel
from study.operations import OperationKind
from tests.cases import each
from tests.places import SHARED_DATA
from tests.study.merge.merge_files import columns_of, combine, needs_shared_data, values, write

REDCAP = SHARED_DATA / "redcap"
ID = {"column": "study_id"}
WEB = ("Variable / Field Name", "Form Name", "Field Type", "Field Label", "Choices, Calculations, OR Slider Labels",
       "Text Validation Type OR Show Slider Number", "Identifier?")  # fmt: skip
API = ("field_name", "form_name", "field_type", "field_label", "select_choices_or_calculations",
       "text_validation_type_or_show_slider_number", "identifier")  # fmt: skip

FIELDS = [
    # name, form, type, label, choices or formula, validation, identifier; and the role
    ("study_id", "base", "text", "Study ID", "", "", "", Role.PERSON),
    ("consented", "base", "text", "Consent", "", "date_dmy", "", Role.DATE),
    ("seen_at", "base", "text", "Seen at", "", "datetime_seconds_ymd", "y", Role.DATE),
    ("dob", "base", "text", "Date of birth", "", "date_ymd", "y", Role.BIRTH),
    ("dob_unmarked", "base", "text", "Date of birth", "", "date_ymd", "", Role.BIRTH),
    ("pt_name", "base", "text", "Name", "", "", "y", Role.IDENTIFIER),
    ("contact", "base", "text", "Contact", "", "email", "", Role.IDENTIFIER),
    ("call", "base", "text", "Call", "", "phone", "", Role.IDENTIFIER),
    ("lives", "base", "text", "Lives", "", "zipcode", "", Role.PLACE),
    ("mrn", "base", "text", "MRN", "", "integer", "", Role.IDENTIFIER),
    ("land", "base", "text", "Country", "", "integer", "", Role.ORIGIN),
    ("scan", "base", "file", "Scan", "", "", "", Role.IDENTIFIER),
    ("story", "base", "notes", "Story", "", "", "", Role.VERBATIM),
    ("job", "base", "text", "Job", "", "", "", Role.VERBATIM),
    ("age", "base", "text", "Age (years)", "", "", "", Role.AGE),
    ("q2", "base", "radio", "Gender", "0, Female | 1, Male", "", "", Role.SEX),
    ("q3", "base", "dropdown", "Hospital", "1, North | 2, South", "", "", Role.SITE),
    ("q4", "base", "radio", "Treatment group", "1, A | 2, B", "", "", Role.ARM),
    ("q5", "base", "yesno", "Has the patient given birth?", "", "", "", Role.FLAG),
    ("q6", "base", "truefalse", "Deceased", "", "", "", Role.DEATH),
    ("mood", "base", "slider", "Mood", "sad | glad", "", "", Role.NUMBER),
    ("found", "base", "sql", "Found", "select 1", "", "", Role.UNKNOWN),
    ("weight", "base", "text", "Weight", "", "number_1dp", "", Role.NUMBER),
    ("bmi", "base", "calc", "BMI", "round([weight]/([height]^2),1)", "", "", Role.NUMBER),
    ("race", "base", "checkbox", "Race", "1, White | 2, Black, African | -9, Unknown", "", "", Role.ORIGIN),
]
VALUES = {
    "age": "51",
    "land": "276",
    "mrn": "123456",
    "weight": "80.5",
    "dob": "1960-05-05",
    "q2": "1",
    "q3": "1",
    "job": "cook",
}


def dictionary(headings=WEB, fields=FIELDS):
    return [dict(zip(headings, field[:7], strict=True)) for field in fields]


def table(name: str, rows: list[dict]) -> SourceTable:
    frame = pd.DataFrame(rows).astype("str")
    return SourceTable(name, f"{name.lower()}.csv", "0" * 64, frame.where(frame != ""), {}, ())


def model_of(**rows: list[dict]) -> StudyModel:
    return study_model([table(name.upper(), some) for name, some in rows.items()], "USUBJID")


def export_row(**given: str) -> dict:
    names = [field[0] for field in FIELDS if field[2] != "checkbox"]
    return {**{name: VALUES.get(name, "") for name in names}, **given}


# ---------------------------------------------------------------- the dictionary and what it says


@pytest.mark.parametrize("headings", [WEB, API, tuple(name.upper() for name in API)])
def test_every_field_has_the_role_of_its_type_its_validation_or_its_name(headings):
    parts = {"race___1": "1", "race___2": "0", "race____9": "0"}
    model = model_of(data=[export_row(study_id="7", **parts)], words=dictionary(headings))
    assert (model.model, model.person, model.base) == ("redcap", "study_id", None)
    assert {field[0]: model.tables["DATA"].columns[field[0]].role for field in FIELDS} == {
        field[0]: field[7] for field in FIELDS
    }
    assert model.tables["WORDS"].kind is TableKind.DICTIONARY
    assert "WORDS" in model.left_out


def test_names_reach_the_outside_and_birth_does_not_leave_while_dates_move():
    model = model_of(data=[export_row(study_id="7")], words=dictionary())
    done = {name: model.operation("DATA", name).operation for name in model.tables["DATA"].columns}
    gone = {"dob", "dob_unmarked", "pt_name", "contact", "call", "lives", "mrn", "scan", "story", "job", "q3"}
    assert {name for name, kind in done.items() if kind is OperationKind.REMOVE} == gone
    assert {name for name, kind in done.items() if kind is OperationKind.OFFSET} == {"consented", "seen_at"}
    assert {name for name, kind in done.items() if kind is OperationKind.REVIEW} == {"found"}
    assert done["study_id"] is OperationKind.RECODE_SUBJECT
    guessed = {name for name, column in model.tables["DATA"].columns.items() if column.is_guessed}
    assert guessed == {"age", "land", "q2", "q3", "q4", "q6"}  # a config may decide these otherwise


def test_choices_have_their_codes_and_labels_also_with_commas():
    (field,) = fields_of(pd.DataFrame(dictionary(fields=FIELDS[-1:])))
    assert field.choices == {"1": "White", "2": "Black, African", "-9": "Unknown"}
    assert field.label_of("_9") == "Unknown"  # REDCap writes a minus as an underscore: race____9


@pytest.mark.parametrize(
    ("name", "label", "role"),
    [
        ("dem_gender", "", Role.SEX),
        ("x1", "Date of Birth:", Role.BIRTH),
        ("age_at_enrollment", "", Role.AGE),
        ("ethnic_group", "", Role.ORIGIN),
        ("geschlecht", "", Role.SEX),
        ("x2", "Date of birth (baby)", Role.BIRTH),
        ("d_o_b", "", Role.BIRTH),
        ("anno_di_nascita", "", Role.BIRTH_YEAR),
        ("age_at_death", "", Role.AGE),
        ("enrolled_by", "", Role.SITE),
        *((name, "", Role.IDENTIFIER) for name in ("pt_nhs", "insurance", "cellphone", "name_first", "dem_surnames")),
        ("x3", "Health record no", Role.IDENTIFIER),
        ("baby_dob", "", Role.BIRTH),
        ("given_birth", "Has the patient given birth before?", None),
        ("sex_active", "Are you sexually active?", None),
        ("stage", "Stage of disease", None),
        ("q1", "How old were you at the death of your father?", None),
    ],
)
def test_a_name_or_label_means_a_role_as_a_whole(name, label, role):
    assert meaning_of(name, label) is role


# ---------------------------------------------------------------- recognition and people


@pytest.mark.parametrize("column", ["redcap_event_name", "redcap_repeat_instrument", "REDCAP_DATA_ACCESS_GROUP"])
def test_a_column_that_redcap_adds_recognises_an_export(column):
    model = model_of(data=[{"pid": "1", column: "a", "sex": "1"}, {"pid": "1", column: "b", "sex": ""}])
    assert (model.model, model.person) == ("redcap", "pid")


def test_a_status_beside_checkboxes_or_a_record_id_recognises_an_export_and_alone_does_not():
    rows = [{"record_id": "1", "sex": "1", "base_complete": "2"}]
    assert model_of(data=rows).model == "redcap"
    assert model_of(data=[{"code": "1", "a___1": "1", "base_complete": "2"}]).model == "redcap"
    assert model_of(data=[{"code": "1", "base_complete": "2"}]).model == "flat"
    assert model_of(data=[{"record_id": "1", "base_complete": "17"}]).model == "flat"


def test_an_export_with_one_field_in_each_row_is_a_fault_that_says_what_to_export():
    rows = [{"record": "1", "field_name": "sex", "value": "1"}, {"record": "1", "field_name": "age", "value": "40"}]
    with pytest.raises(FaultyInputError, match="type=flat"):
        model_of(data=rows)


def test_files_of_the_set_up_are_design_and_those_with_names_never_leave():
    rows = [{"record_id": "1", "redcap_event_name": "a_arm_1"}]
    model = model_of(
        data=rows,
        arm=[{"arm_num": "1", "name": "Drug A"}],
        mapping=[{"arm_num": "1", "unique_event_name": "a_arm_1", "form": "base"}],
        users=[{"username": "jd", "email": "j@d.org", "firstname": "J"}],
        dags=[{"data_access_group_name": "North", "unique_group_name": "north"}],
    )
    assert {name for name, one in model.tables.items() if one.kind is TableKind.DESIGN} == set(model.left_out)
    assert set(model.left_out) == {"ARM", "MAPPING", "USERS", "DAGS"}
    assert model.operation("ARM", "name").operation is OperationKind.KEEP
    assert model.operation("USERS", "firstname").operation is OperationKind.REMOVE_DATA_SET


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
@needs_shared_data
@pytest.mark.parametrize(
    ("folder", "person", "people"),
    [
        ("longitudinal", "study_id", 3),
        ("repeating-instruments", "record_id", 2),
        ("clinical-trial-1", "record_id", 500),
    ],
)
def test_public_exports_count_their_records(tmp_path, folder, person, people):
    """As REDCapR's documentation counts them, from whose test projects these are."""
    files = {path.name: path.read_bytes() for path in (REDCAP / folder).glob("*.csv")}
    combined = combine(tmp_path, files, {"column": person})
    assert combined.n_subjects == people
    assert "dictionary.csv" in combined.report["left_out"]
    tables = [read_domain_file(path) for path in sorted((REDCAP / folder).glob("*.csv"))]
    assert study_model(tables, "USUBJID").person == person


# ---------------------------------------------------------------- checkboxes and labels


def test_a_checkbox_is_one_column_of_words_and_its_parts_are_not_merged(tmp_path):
    fields = [FIELDS[0], FIELDS[-1]]
    rows = [
        {"study_id": "1", "race___1": "1", "race___2": "1", "race____9": "0", "base_complete": "2"},
        {"study_id": "2", "race___1": "0", "race___2": "0", "race____9": "0", "base_complete": "2"},
        {"study_id": "3", "race___1": "0", "race___2": "0", "race____9": "0", "base_complete": ""},
        {"study_id": "4", "race___1": "0", "race___2": "0", "race____9": "0", "base_complete": "0"},
    ]
    combined = combine(tmp_path, {"data.csv": rows, "dictionary.csv": dictionary(fields=fields)}, ID)
    assert columns_of(combined, "DATA") == ["DATA__race"]
    assert values(combined, "DATA__race") == {"1": "White; Black, African", "2": "none checked"}
    model = model_of(data=rows, dictionary=dictionary(fields=fields))
    parts = {name: model.tables["DATA"].columns[name] for name in rows[0] if "___" in name}
    assert {(one.role, one.part_of) for one in parts.values()} == {(Role.FLAG, "race")}


CHOICES = "1, <b>Mild</b> | 2, Worse,  much | -9, Unknown | 3, Unknown | 4, 5 | 5, 5 or more"


@pytest.mark.thorough("0.4 s")
@each(
    ("written", "shown"),
    [
        (["1", "2", "3", "-9"], ["Mild", "Worse, much", "Unknown (3)", "Unknown (-9)"]),
        (["1.0", "2.0", "7", "4"], ["Mild", "Worse, much", "7", "5"]),  # a code that is no choice stays
        (["Mild", "5", "Mild", "Mild"], ["Mild", "5", "Mild", "Mild"]),  # labels under a raw heading
    ],
)
def test_a_code_of_a_choice_is_merged_as_its_label(tmp_path, written, shown):
    fields = [FIELDS[0], ("pain", "base", "radio", "Pain today", CHOICES, "", "")]
    rows = [{"study_id": str(i), "pain": one, "base_complete": "2"} for i, one in enumerate(written)]
    files = {"data.csv": rows, "dictionary.csv": dictionary(fields=fields)}
    combined = combine(tmp_path, files, ID)
    assert values(combined, "DATA__pain") == {str(i): one for i, one in enumerate(shown)}
    (tmp_path / "labels").mkdir(exist_ok=True)
    labelled = [{"study_id": one["study_id"], "Pain today": one["pain"], "base_complete": "2"} for one in rows]
    combined = combine(tmp_path / "labels", {**files, "data.csv": labelled}, ID)
    assert values(combined, "DATA__Pain today") == {str(i): one for i, one in enumerate(written)}


LABELLED = """\
Study ID,Event Name,Gender,Race (choice=White),"Race (choice=Black, African)",Complete?,Mood,Complete?
1,Month 2 (Arm 1: A),,Unchecked,Unchecked,,7,Complete
1,Baseline (Arm 1: A),Male,Checked,Unchecked,Complete,5,Complete
"""


def test_headings_and_values_may_be_labels(tmp_path):
    """Each form has a heading "Complete?"; a label may have tags in the dictionary."""
    words = [one | ({WEB[3]: "<b>Gender</b>"} if one[WEB[0]] == "q2" else {}) for one in dictionary()]
    combined = combine(tmp_path, {"data.csv": LABELLED, "words.csv": words}, {"column": "Study ID"})
    assert combined.frame.to_dict("records") == [
        {"USUBJID": "1", "DATA__count": "2", "DATA__Gender": "Male", "DATA__Mood": "5", "DATA__Race": "White"}
    ]
    folder = tmp_path / "labelled"
    folder.mkdir()
    for name, rows in {"data.csv": LABELLED, "words.csv": words}.items():
        write(folder / name, rows)
    model = study_model([read_domain_file(path) for path in sorted(folder.iterdir())], "USUBJID")
    assert (model.model, model.person) == ("redcap", "Study ID")
    columns = model.tables["DATA"].columns
    assert (columns["Gender"].role, columns["Race"].role) == (Role.SEX, Role.ORIGIN)
    assert columns["Complete? (2)"].role is Role.DESCRIBES_RECORD


def test_a_calculated_text_is_no_number():
    """A formula may put initials and a date of birth together."""
    field = ("key", "base", "calc", "Key", "concat([a], [b])", "", "")
    rows = [{"study_id": str(i), "redcap_event_name": "a", "key": f"AB{i}"} for i in range(3)]
    model = model_of(data=rows, words=dictionary(fields=[FIELDS[0], field]))
    assert model.tables["DATA"].columns["key"].role is Role.VERBATIM


def test_a_calculated_field_is_said_again_by_the_first_of_its_formula():
    model = model_of(data=[export_row(study_id="1")], words=dictionary())
    assert model.tables["DATA"].columns["weight"].part_of == "bmi"


# ---------------------------------------------------------------- without a dictionary


@pytest.mark.parametrize("first", ["Study ID", "Record ID"])
def test_an_export_with_labels_is_known_by_its_headings_alone(tmp_path, first):
    combined = combine(tmp_path, {"data.csv": LABELLED.replace("Study ID", first)}, {"column": first})
    assert values(combined, "DATA__count") == {"1": "2"}
    (tmp_path / "alone").mkdir()
    write(tmp_path / "alone" / "data.csv", LABELLED.replace("Study ID", first))
    model = study_model([read_domain_file(tmp_path / "alone" / "data.csv")], "USUBJID")
    assert (model.model, model.person) == ("redcap", first)


def test_without_a_dictionary_columns_are_those_of_any_table():
    rows = [
        {"record_id": str(i), "redcap_event_name": "base_arm_1", "gender": str(i % 2), "last_name": "Abcd"[: 1 + i % 4],
         "visit": f"2020-01-{1 + i:02}", "ldl": str(100 + 1.5 * i), "stage": ["I", "II"][i % 2], "race___1": "1"}
        for i in range(24)
    ]  # fmt: skip
    columns = model_of(data=rows).tables["DATA"].columns
    expected = {
        "gender": Role.SEX, "last_name": Role.IDENTIFIER, "visit": Role.DATE, "ldl": Role.NUMBER,
        "stage": Role.CATEGORY, "race": Role.ORIGIN,
    }  # fmt: skip
    assert {name: columns[name].role for name in expected} == expected
    assert all(columns[name].is_guessed for name in expected)


def test_the_moment_of_an_export_is_no_part_of_a_columns_name(tmp_path):
    """The next export has another one; a config names the same columns. Two exports of a project keep their names."""
    rows = [{"record_id": i, "redcap_event_name": "baseline", "sex": "1"} for i in range(3)]
    named = combine(tmp_path, {"Cohort_DATA_2024-05-01_1201.csv": rows}, {"column": "record_id"})
    assert columns_of(named, "COHORT") == ["COHORT__sex"]
    other = [{**row, "record_id": row["record_id"] + 3} for row in rows]
    both = {"Cohort_DATA_2024-05-01_1201.csv": rows, "Cohort_DATA_2024-06-01_1201.csv": other}
    combined = combine(tmp_path, both, {"column": "record_id"})
    assert combined.n_subjects == 6
    assert columns_of(combined, "COHORT_DATA_2024-05-01_1201") == ["COHORT_DATA_2024-05-01_1201__sex"]
