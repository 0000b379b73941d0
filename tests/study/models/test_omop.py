"""OMOP CDM: roles and keys as OHDSI publishes them, people and findings of a small made export, its release."""

import csv
import hashlib
import hmac
import runpy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.dictionaries import with_used_entries
from disclosure_control.release.joins import JoinState, joins_of
from disclosure_control.release.people import people_of, recoded_columns
from disclosure_control.release.study import read_study
from study.formats.files import read_domain_file
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.omop import MODEL, TABLES, column_of
from study.models.registry import study_model
from study.models.roles import Role, TableKind
from tests.places import ORACLES, PROJECT, SHARED_DATA
from tests.release.small_studies import KEY, RELEASE
from tests.study.merge.merge_files import columns_of, combine, needs_shared_data, values, write

VERSIONS = ("5.3", "5.4")
# Keys that OHDSI's table does not declare: it has no foreign keys of polymorphic columns, and forgot some.
NOT_DECLARED = {
    ("procedure_occurrence", "provider_id"),
    ("procedure_occurrence", "visit_occurrence_id"),
    ("procedure_occurrence", "visit_detail_id"),
    ("procedure_occurrence", "procedure_source_concept_id"),
    ("condition_era", "person_id"),
    ("cohort", "subject_id"),
    ("cohort", "cohort_definition_id"),
    ("note_nlp", "note_id"),
    ("cost", "payer_plan_period_id"),
    ("episode", "episode_parent_id"),
    ("relationship", "reverse_relationship_id"),
    ("source_to_concept_map", "source_vocabulary_id"),
    ("measurement", "meas_event_field_concept_id"),
    ("observation", "obs_event_field_concept_id"),
    ("note", "note_event_field_concept_id"),
}
KEYS_BY_PATTERN = {("cohort_definition", "cohort_definition_id"), ("attribute_definition", "attribute_definition_id")}


def fields(version):
    path = ORACLES / f"omop_cdm_{version}_fields.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [{name: value.strip() for name, value in row.items()} for row in csv.DictReader(file)]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_table_of_the_standard_is_known(version):
    assert {row["cdmTableName"].lower() for row in fields(version)} <= set(TABLES)


@pytest.mark.parametrize("version", VERSIONS)
def test_keys_and_what_they_refer_to_are_those_of_the_standard(version):
    for row in fields(version):
        table, name = row["cdmTableName"].lower(), row["cdmFieldName"].lower()
        column, place = column_of(table, name), (table, name)
        if row["isForeignKey"].lower() == "yes":
            assert column.refers_to == row["fkTableName"].lower(), place
        elif row["isPrimaryKey"].lower() == "yes":
            assert column.refers_to == table, place
            assert column.role in (Role.RECORD_KEY, Role.PERSON), place
        elif place in NOT_DECLARED:
            assert column.refers_to, place
        elif place not in KEYS_BY_PATTERN:
            assert not column.refers_to, place


@pytest.mark.parametrize("version", VERSIONS)
def test_dates_and_numbers_have_the_types_of_the_standard(version):
    of_type = {"date": "date", "datetime": "date", "float": "number"}
    of_role = {Role.DATE: "date", Role.DEATH_DATE: "date", Role.BIRTH: "date", Role.NUMBER: "number"}
    for row in fields(version):
        table, name = row["cdmTableName"].lower(), row["cdmFieldName"].lower()
        kind = of_type.get(row["cdmDatatype"].lower())
        if kind and table not in ("concept", "location"):
            assert of_role.get(column_of(table, name).role) == kind, (table, name)


@pytest.mark.parametrize("version", VERSIONS)
def test_no_column_of_a_released_table_of_people_waits_for_a_decision_or_leaves_as_text(version):
    """Text of any length is nobody's code: it is removed, or is a direct identifier, which is removed, too."""
    for row in fields(version):
        table, name, kind = row["cdmTableName"].lower(), row["cdmFieldName"].lower(), row["cdmDatatype"].lower()
        column = column_of(table, name)
        assert (
            column.role is not Role.UNKNOWN
            or table in ("note_nlp", "metadata", "location", "cost")
            or (column.says is not None)
        ), (table, name)
        if kind.startswith("varchar") and column.says is None:
            assert column.role in (Role.VERBATIM, Role.IDENTIFIER, Role.TIME), (table, name)


# ---------------------------------------------------------------- a made export

PERSON = [
    {"person_id": str(i), "gender_concept_id": "8532" if i % 2 else "8507", "year_of_birth": str(1950 + i),
     "month_of_birth": "4", "day_of_birth": "9", "birth_datetime": f"{1950 + i}-04-09", "race_concept_id": "8527",
     "ethnicity_concept_id": "0", "care_site_id": "7", "person_source_value": f"mrn-{i}",
     "gender_source_value": "F" if i % 2 else "M", "gender_source_concept_id": "0"}
    for i in range(1, 7)
]  # fmt: skip
MEASUREMENT = [
    {"measurement_id": str(10 * i + j), "person_id": str(i), "measurement_concept_id": "3004249",
     "measurement_date": f"2020-0{3 - j}-01", "value_as_number": f"{100 + 10 * i + j}", "value_as_concept_id": "0",
     "unit_concept_id": "8876", "visit_occurrence_id": str(100 + i), "measurement_source_value": "8480-6",
     "unit_source_value": "mm[Hg]"}
    for i in range(1, 7) for j in range(2)
] + [
    {"measurement_id": str(90 + i), "person_id": str(i), "measurement_concept_id": "3000001",
     "measurement_date": "2020-01-01", "value_as_number": "", "value_as_concept_id": "9191" if i < 4 else "0",
     "unit_concept_id": "0", "visit_occurrence_id": str(100 + i), "measurement_source_value": "x",
     "unit_source_value": ""}
    for i in range(1, 5)
]  # fmt: skip
VISIT = [
    {"visit_occurrence_id": str(100 + i), "person_id": str(i), "visit_concept_id": "9202",
     "visit_start_date": "2020-01-01", "provider_id": "3", "preceding_visit_occurrence_id": ""}
    for i in range(1, 7)
] + [
    {"visit_occurrence_id": "201", "person_id": "1", "visit_concept_id": "9202", "visit_start_date": "2020-05-01",
     "provider_id": "3", "preceding_visit_occurrence_id": "101"},
]  # fmt: skip
CONDITION = [
    {"condition_occurrence_id": str(i), "person_id": str(i), "condition_concept_id": "201826" if i < 6 else "4242",
     "condition_start_date": "2020-01-01", "visit_occurrence_id": str(100 + i), "condition_source_value": "E11"}
    for i in range(1, 7)
]  # fmt: skip
DEATH = [{"person_id": "2", "death_date": "2021-01-01", "cause_concept_id": "201826", "cause_source_value": "E11"}]
PROVIDER = [{"provider_id": "3", "provider_name": "Dr. Meier", "gender_concept_id": "8507"}]
CONCEPT = [
    {"concept_id": one, "concept_name": name, "vocabulary_id": "X"}
    for one, name in {
        "8507": "MALE", "8532": "FEMALE", "8527": "White", "3004249": "Pressure [Press] in Arm", "8876": "mm Hg",
        "9191": "Positive", "3000001": "Urine protein", "201826": "Diabetes", "4242": "Rare", "9202": "Outpatient",
        "7777": "Never used",
    }.items()
]  # fmt: skip
EXPORT = {
    "person": PERSON, "measurement": MEASUREMENT, "visit_occurrence": VISIT, "condition_occurrence": CONDITION,
    "death": DEATH, "provider": PROVIDER, "concept": CONCEPT,
}  # fmt: skip
PERSON_ID = {"column": "person_id"}


def in_capitals(export):
    return {
        name.upper(): [{column.upper(): value for column, value in row.items()} for row in rows]
        for name, rows in export.items()
    }


def as_csv(export):
    return {f"{name}.csv": rows for name, rows in export.items()}


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("are_capitals", [False, True])
def test_people_concepts_by_name_and_the_first_measurement(tmp_path, are_capitals):
    files = as_csv(in_capitals(EXPORT) if are_capitals else EXPORT)

    def written(name):
        return name.upper() if are_capitals else name

    combined = combine(tmp_path, files, {"column": written("person_id")})
    assert combined.n_subjects == 6
    assert set(values(combined, f"PERSON__{written('gender_concept_id')}").values()) == {"MALE", "FEMALE"}
    assert values(combined, f"PERSON__{written('year_of_birth')}")["1"] == "1951"
    assert columns_of(combined, "PERSON") == [
        f"PERSON__{written(name)}"
        for name in ("gender_concept_id", "year_of_birth", "race_concept_id", "ethnicity_concept_id")
    ]
    pressure = "MEASUREMENT__Pressure (Press) in Arm"
    # Rows come in the reverse order of their dates: j = 1 is the earlier one.
    assert values(combined, pressure) == {str(i): str(101 + 10 * i) for i in range(1, 7)}
    assert combined.report["units"][pressure] == "mm Hg"
    assert values(combined, "MEASUREMENT__Urine protein") == dict.fromkeys("123", "Positive")
    assert values(combined, f"DEATH__{written('cause_concept_id')}") == {"2": "Diabetes"}


def test_tables_without_records_and_tabs_are_read(tmp_path):
    files = as_csv(EXPORT) | {"care_site.csv": "care_site_id,care_site_name\n"}
    files["person.csv"] = pd.DataFrame(PERSON).to_csv(sep="\t", index=False)
    combined = combine(tmp_path, files, PERSON_ID)
    assert combined.n_subjects == 6
    assert combined.report["left_out"]["care_site.csv"] == "column names, and no records"
    assert "PROVIDER.csv".lower() in combined.report["left_out"]


@pytest.mark.thorough("0.3 s")
def test_two_concepts_of_one_name_stay_two(tmp_path):
    named = [row | ({"concept_name": "FEMALE"} if row["concept_id"] == "8507" else {}) for row in CONCEPT]
    combined = combine(tmp_path, as_csv(EXPORT | {"concept": named}), PERSON_ID)
    assert set(values(combined, "PERSON__gender_concept_id").values()) == {"FEMALE (8507)", "FEMALE (8532)"}


def test_the_text_of_an_observation_is_a_category_where_it_is_one_of_a_few_words(tmp_path):
    def role(texts: list[str]) -> Role:
        rows = [{"observation_id": i, "person_id": i, "value_as_string": one} for i, one in enumerate(texts)]
        path = tmp_path / "OBSERVATION.csv"
        pd.DataFrame(rows).to_csv(path, index=False)
        found = MODEL.described([read_domain_file(path)], "person_id").tables["OBSERVATION"]
        return found.columns["value_as_string"].role

    assert role(["Never smoker", "Former smoker"] * 20) is Role.CATEGORY
    assert role(["Yes", "No"] * 20) is Role.CATEGORY
    assert role([f"seen with sister number {i}" for i in range(40)]) is Role.VERBATIM
    assert role(["Anna Schmidt", "Dr. Meier"] * 20) is Role.VERBATIM
    assert role(["120", "130"] * 20) is Role.VERBATIM


def test_events_are_asked_for_by_the_name_of_a_concept(tmp_path):
    merge = {"events": {"CONDITION_OCCURRENCE": {"condition_concept_id": ["Diabetes"]}}}
    combined = combine(tmp_path, as_csv(EXPORT), PERSON_ID, merge)
    flag = "CONDITION_OCCURRENCE__condition_concept_id=Diabetes"
    assert values(combined, flag) == {**dict.fromkeys("12345", "Y"), "6": "N"}


# ---------------------------------------------------------------- a release of it


def released(folder, export, recoded=None, kept=range(5)):
    """The files that leave; person 6 is removed, and ``recoded`` columns of the combined dataset are replaced."""
    for name, rows in export.items():
        write(folder / f"{name}.csv", rows)
    rule, settings = SubjectIdRule(column="person_id"), MergeSettings()
    frame = combine_domains(folder, rule, settings).frame
    treated = frame.assign(**{name: frame[name].map(labels) for name, labels in (recoded or {}).items()})
    where = np.array(kept)
    after = treated.iloc[where]
    fresh = {str(name): column for name, column in after.items() if name != "USUBJID"}
    changed = recoded_columns(EncodedRecords.in_memory(frame), EncodedRecords.in_memory(after), fresh, where)
    study = read_study(folder, frame["USUBJID"], rule, settings)
    people = people_of(frame["USUBJID"], [], KEY, RELEASE, 180, study.model.ids_are_numbers)
    people = replace(people, stays=np.isin(np.arange(len(frame)), where), recoded=changed)
    made = with_used_entries(deidentify(study, people, (), KEY, RELEASE), study.model)
    package = {name: replace(file.source.table, frame=file.frame) for name, file in made.files.items()}
    lost = [one.key.name for one in joins_of(study, people, package, "person_id") if one.state is JoinState.DROPPED]
    assert lost == []
    return {name: file.frame for name, file in made.files.items()}, made


def by_hand(text):
    """The pseudonym: the first 53 bits of HMAC-SHA-256, of purpose, pilot, release and the id."""
    message = b"\0".join(part.encode() for part in ("id", RELEASE.pilot, RELEASE.name, text))
    return str(int(hmac.new(KEY, message, hashlib.sha256).hexdigest()[:16], 16) // 2**11)


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """The export as it leaves, once for all that is read of it."""
    return released(tmp_path_factory.mktemp("left"), EXPORT)


@pytest.mark.thorough("0.8 s")
def test_pseudonyms_are_numbers_that_a_table_of_floats_holds(left):
    frames, _ = left
    assert set(frames["PERSON"]["person_id"]) == {by_hand(str(i)) for i in range(1, 6)}
    visits = {f"VISIT_OCCURRENCE\x00{number}" for number in (*range(101, 106), 201)}
    assert set(frames["VISIT_OCCURRENCE"]["visit_occurrence_id"]) == {by_hand(text) for text in visits}
    assert frames["PERSON"]["person_id"].astype("float64").map("{:.0f}".format).tolist() == list(
        frames["PERSON"]["person_id"]
    )


def share_joined(frames, table, key, target, own):
    found = frames[table][key].dropna()
    return found.isin(frames[target][own]).mean(), len(found)


def test_keys_join_and_nothing_of_the_source_leaves(left):
    frames, made = left
    assert "PROVIDER" not in frames
    for table, n_rows in {"MEASUREMENT": 14, "CONDITION_OCCURRENCE": 5}.items():
        assert share_joined(frames, table, "visit_occurrence_id", "VISIT_OCCURRENCE", "visit_occurrence_id") == (
            1,
            n_rows,
        )
    keys = ("preceding_visit_occurrence_id", "VISIT_OCCURRENCE", "visit_occurrence_id")
    assert share_joined(frames, "VISIT_OCCURRENCE", *keys) == (1, 1)
    for table, frame in frames.items():
        assert not [name for name in frame if "source" in name or "provider" in name or "care_site" in name], table
        if table != "CONCEPT":
            assert share_joined(frames, table, "person_id", "PERSON", "person_id")[0] == 1
    assert list(frames["PERSON"]) == [
        "person_id", "gender_concept_id", "year_of_birth", "race_concept_id", "ethnicity_concept_id",
    ]  # fmt: skip
    assert set(frames["PERSON"]["gender_concept_id"]) == {"8507", "8532"}
    assert made.left_out["provider.csv"] == "where people live and who treats them"


def test_a_dictionary_leaves_without_the_concept_of_a_person_who_was_removed(left):
    frames, _ = left
    leaving = set(frames["CONCEPT"]["concept_id"])
    assert "4242" not in leaving  # person 6 alone has it
    assert "7777" not in leaving
    assert {"8507", "3004249", "8876", "9191", "201826", "9202"} <= leaving


def test_rows_without_a_column_of_concepts_are_read_without_it():
    table = read_domain_file(DEMO / "MEASUREMENT.csv")
    known = study_model([table], None, "omop").tables["MEASUREMENT"]
    rows = table.frame.drop(columns=["value_as_concept_id", "unit_concept_id"])
    assert known.as_merged(rows)["value_as_concept_id"].isna().all()


@pytest.mark.thorough("1 s: a release of its own")
def test_what_is_recoded_leaves_so_in_every_row_and_in_no_other_column(tmp_path):
    recoded = {
        "PERSON__year_of_birth": {str(1950 + i): "1950--1960" for i in range(1, 7)},
        "PERSON__gender_concept_id": {"MALE": None, "FEMALE": "anybody"},
        "MEASUREMENT__Pressure (Press) in Arm": {str(101 + 10 * i): "100--200" for i in range(1, 7)},
        "MEASUREMENT__Urine protein": {"Positive": "any"},
    }
    frames, made = released(tmp_path, EXPORT, recoded)
    people, rows = frames["PERSON"], frames["MEASUREMENT"]
    assert set(people["year_of_birth"]) == {"1950--1960"}
    assert people["gender_concept_id"].value_counts(dropna=False).to_dict() == {"anybody": 3, np.nan: 2}
    assert not {"month_of_birth", "day_of_birth", "birth_datetime", "gender_source_value"} & set(people)
    assert set(rows["value_as_number"].dropna()) == {"100--200"}
    assert set(rows["value_as_concept_id"]) == {"0", "any"}
    assert "9191" not in set(frames["CONCEPT"]["concept_id"])
    assert not made.unplaced


# ---------------------------------------------------------------- the demo

DEMO = PROJECT / "pilot_report" / "OMOP_DEMO"


def test_the_script_reproduces_the_shipped_demo_byte_for_byte(tmp_path):
    runpy.run_path(str(PROJECT / "benchmarks" / "makers" / "make_omop_demo.py"))["write_demo"](tmp_path)
    written, shipped = ({path.name: path.read_bytes() for path in folder.glob("*.csv")} for folder in (tmp_path, DEMO))
    assert written == shipped
    assert sum(map(len, shipped.values())) < 300_000


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
@needs_shared_data
def test_the_public_export_has_28_people_and_keys_that_join(tmp_path):
    folder = SHARED_DATA / "omop" / "synthea27nj"
    tables = [read_domain_file(path) for path in sorted(folder.glob("PERSON.csv"))]
    model = study_model(tables, "USUBJID")
    assert (model.model, model.person, model.base) == ("omop", "person_id", "PERSON")
    assert model.tables["PERSON"].kind is TableKind.PEOPLE
    frame = combine_domains(folder, SubjectIdRule(column="person_id"), MergeSettings()).frame
    assert len(frame) == 28
    assert "MEASUREMENT__Body weight" in frame
    assert MODEL.recognised(tables).startswith("PERSON.csv")
