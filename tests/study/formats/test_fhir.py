"""Reading FHIR bulk data as flat tables."""

import gzip
import json
import re

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.fhir.reading import resource_type_of
from study.formats.fhir.views import declared_views, views_by_resource
from study.formats.files import find_domain_files, read_domain_file
from study.formats.tables import FileOptions
from tests.cases import each

PATIENT = {
    "resourceType": "Patient",
    "id": "p1",
    "meta": {"versionId": "1"},
    "text": {"status": "generated", "div": "<div>DOLLY</div>"},
    "extension": [{"url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race", "valueString": "White"}],
    "identifier": [{"value": "MRN-DOLLY"}],
    "name": [{"family": "DOLLY"}],
    "telecom": [{"value": "555-DOLLY"}],
    "gender": "female",
    "birthDate": "1950-02-03",
    "deceasedDateTime": "2020-01-01T10:00:00-05:00",
    "address": [{"line": ["1 DOLLY Street"], "city": "Boston", "postalCode": "02108"}, {"city": "Paris"}],
    "communication": [
        {"language": {"coding": [{"code": "en"}]}},
        {"preferred": True, "language": {"coding": [{"code": "fr"}]}},
    ],
}
PRESSURE = {
    "resourceType": "Observation",
    "id": "o1",
    "status": "final",
    "code": {"coding": [{"system": "http://loinc.org", "code": "85354-9", "display": "Blood pressure"}]},
    "subject": {"reference": "urn:uuid:p1"},
    "encounter": {"reference": "https://host/fhir/Encounter/e1"},
    "effectiveDateTime": "2019-05-06T07:08:09Z",
    "component": [
        {"code": {"coding": [{"code": "8480-6"}]}, "valueQuantity": {"value": 120, "unit": "mm[Hg]"}},
        {"code": {"coding": [{"code": "8462-4"}]}, "valueQuantity": {"value": 80.5, "unit": "mm[Hg]"}},
    ],
}
SMOKING = {
    "resourceType": "Observation",
    "id": "o2",
    "code": {"coding": [{"code": "72166-2"}], "text": "Smoking"},
    "subject": {"reference": "Patient/p1"},
    "valueCodeableConcept": {"coding": [{"code": "266919005", "display": "Never smoked"}]},
}


def written(folder, name, *lines):
    path = folder / name
    content = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def row(table, place=0):
    return {name: value for name, value in table.frame.iloc[place].items() if value == value}


def test_a_patient_is_a_row_without_what_names_a_person(tmp_path):
    table = read_domain_file(written(tmp_path, "Patient.ndjson", PATIENT))
    assert (table.domain, table.label, table.written_as) == ("PATIENT", "Patients", "csv")
    assert row(table) == {
        "patient_id": "p1",
        "gender": "female",
        "birth_date": "1950-02-03",
        "birth_year": "1950",
        "deceased_datetime": "2020-01-01T10:00:00-05:00",
        "language": "fr",
        "city": "Boston",
        "postal_code": "02108",
    }
    assert not table.frame.astype(str).apply(lambda column: column.str.contains("DOLLY|MRN|White")).any(axis=None)
    assert table.notes == (
        "read and released as the flat table patient, not as FHIR; 6 elements of Patient not read: extension, "
        "identifier, meta, name, telecom, text",
    )
    assert table.labels["birth_date"] == "Date of birth"


def test_an_observation_is_a_row_for_each_value_and_its_components_are_rows(tmp_path):
    table = read_domain_file(written(tmp_path, "Observation.ndjson", PRESSURE, SMOKING))
    of_pressure = {
        "observation_id": "o1",
        "patient_id": "p1",
        "encounter_id": "e1",
        "status": "final",
        "panel_code": "85354-9",
        "panel_display": "Blood pressure",
        "effective": "2019-05-06T07:08:09Z",
        "value_unit": "mm[Hg]",
    }
    assert [row(table, place) for place in range(table.n_rows)] == [
        {**of_pressure, "component_index": 0.0, "code": "8480-6", "value_number": 120.0},
        {**of_pressure, "component_index": 1.0, "code": "8462-4", "value_number": 80.5},
        {
            "observation_id": "o2",
            "patient_id": "p1",
            "code": "72166-2",
            "text": "Smoking",
            "value_code": "266919005",
            "value_display": "Never smoked",
        },
    ]


def test_an_observation_with_a_value_and_components_has_a_row_for_the_value_too(tmp_path):
    table = read_domain_file(written(tmp_path, "Observation.ndjson", PRESSURE | {"valueInteger": 3}))
    assert table.frame["value_number"].tolist() == [3, 120, 80.5]
    assert table.frame["component_index"].isna().tolist() == [True, False, False]


def test_records_of_no_patient_are_left_out_and_counted(tmp_path):
    of_group = SMOKING | {"id": "o3", "subject": {"reference": "Group/1"}}
    of_nobody = {"resourceType": "Observation", "id": "o4", "code": {"text": "Room temperature"}}
    table = read_domain_file(written(tmp_path, "Observation.ndjson", SMOKING, of_group, of_nobody))
    assert table.frame["observation_id"].tolist() == ["o2"]
    assert table.notes[1:] == ("2 resources of no patient left out",)
    assert table.notes[1].on_screen == "fewer than 10 resources of no patient left out"


def test_the_address_of_a_code_system_is_its_public_name_or_other(tmp_path):
    def of_system(system):
        return SMOKING | {"code": {"coding": [{"system": system, "code": "1"}]}}

    systems = ("http://loinc.org", "http://terminology.hl7.org/CodeSystem/x", "urn:oid:1.2.840.114350.1.13.999", None)
    table = read_domain_file(written(tmp_path, "Observation.ndjson", *map(of_system, systems)))
    assert table.frame["code_system"].fillna("").tolist() == ["LOINC", "HL7", "other", ""]


def test_concepts_with_several_codes_are_counted_and_the_first_is_read(tmp_path):
    two = {"coding": [{"system": "http://loinc.org", "code": "72166-2"}, {"code": "LOCAL"}]}
    table = read_domain_file(written(tmp_path, "Observation.ndjson", SMOKING, SMOKING | {"code": two}, PRESSURE))
    assert table.frame["code"].tolist() == ["72166-2", "72166-2", "8480-6", "8462-4"]
    assert table.notes[1:] == ("of several codes of a concept the first is read: 'code' (1)",)


def test_a_medication_is_that_of_the_request_or_the_one_contained_in_it(tmp_path):
    coded = {"coding": [{"code": "197361", "display": "Amlodipine"}]}
    request = {"resourceType": "MedicationRequest", "subject": {"reference": "Patient/p1"}}
    table = read_domain_file(
        written(
            tmp_path,
            "MedicationRequest.ndjson",
            request | {"id": "m1", "medicationCodeableConcept": coded},
            request
            | {"id": "m2", "contained": [{"resourceType": "Medication", "id": "a", "code": coded}]}
            | {"medicationReference": {"reference": "#a"}},
            request | {"id": "m3", "medicationReference": {"reference": "Medication/9", "display": "Aspirin"}},
        )
    )
    assert table.domain == "MEDICATION_REQUEST"
    assert table.frame["medication_code"].fillna("").tolist() == ["197361", "197361", ""]
    assert table.frame["medication_display"].tolist() == ["Amlodipine", "Amlodipine", "Aspirin"]
    assert table.frame["medication_id"].fillna("").tolist() == ["", "", "9"]


@each(
    "name, domain",
    [
        ("Patient.ndjson", "PATIENT"),
        ("Patient.000.ndjson", "PATIENT_000"),
        ("2.Patient.ndjson", "PATIENT_2"),
        ("Patient_0_of_1.ndjson.gz", "PATIENT_0_1"),
        ("export.ndjson", "PATIENT"),
    ],
)
def test_the_domain_is_of_the_content_whatever_the_file_is_called(name, domain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    path = written(folder, name, PATIENT)
    assert find_domain_files(folder).by_domain == {domain: path}
    assert read_domain_file(path).domain == domain


def test_types_without_a_view_are_left_out_with_the_reason(tmp_path):
    written(tmp_path, "Patient.ndjson", PATIENT)
    written(tmp_path, "Claim.ndjson", {"id": "1", "contained": [PATIENT], "resourceType": "Claim"})
    found = find_domain_files(tmp_path)
    assert list(found.by_domain) == ["PATIENT"]
    assert found.left_out == {"Claim.ndjson": "FHIR resources of the type Claim, for which there is no view"}


def test_the_manifest_and_the_log_of_an_export_are_left_out(tmp_path):
    written(tmp_path, "Patient.ndjson", PATIENT)
    manifest = {
        "transactionTime": "2026-11-23T20:00:00Z",
        "request": "https://host/$export",
        "output": [{"type": "Patient"}],
    }
    written(tmp_path, "manifest.json", json.dumps(manifest, indent=1))
    written(tmp_path, "log.ndjson", {"exportId": "ab-1", "eventId": "kickoff"}, {"exportId": "ab-1"})
    assert find_domain_files(tmp_path).left_out == {
        "log.ndjson": "the log of a bulk export",
        "manifest.json": "the manifest of a bulk export",
    }


@each(
    "lines, said",
    [
        ([PATIENT, '{"resourceType": "Patient", "DOLLY'], "1 of 2 lines (the first is line 2) is not valid JSON"),
        (
            [PATIENT, "", PRESSURE, PRESSURE],
            "2 of 3 lines (the first is line 3) are not a resource of the type Patient, as the first line is",
        ),
        (
            [PATIENT, PATIENT | {"birthDate": ["DOLLY", "DOLLY"]}],
            "1 of 2 lines (the first is line 2) is not as FHIR R4 has a resource of the type Patient: "
            "column birth_date: 2 values where one is allowed",
        ),
        ([PATIENT, {**PATIENT, "id": None}], "1 of 2 lines (the first is line 2) is without the id of a Patient"),
        (
            [PATIENT | {"deceasedBoolean": "DOLLY"}],
            "column 'deceased' (deceased.ofType(boolean)): 1 value not of the type boolean of FHIR",
        ),
    ],
)
def test_faults_name_the_file_and_the_line_and_no_content(lines, said, tmp_path_factory):
    with pytest.raises(FaultyInputError) as caught:
        read_domain_file(written(tmp_path_factory.mktemp("one"), "Patient.ndjson", *lines))
    (fault,) = caught.value.faults
    assert fault.startswith("Patient.ndjson")
    assert said in fault
    assert "DOLLY" not in fault


@each(
    "subject",
    [
        {"reference": "Patient?identifier=DOLLY"},
        {"identifier": {"value": "DOLLY"}},
        {"reference": "#DOLLY"},
        {"reference": "DOLLY", "type": "Patient"},
    ],
)
def test_a_patient_who_is_named_without_an_id_is_a_fault(subject, tmp_path_factory):
    path = written(tmp_path_factory.mktemp("one"), "Observation.ndjson", SMOKING | {"subject": subject})
    with pytest.raises(FaultyInputError, match="without the id of a Patient") as caught:
        read_domain_file(path)
    assert "DOLLY" not in str(caught.value)


@each(
    "beginning, resource",
    [
        (b'{"resourceType":"Patient"', "Patient"),
        (b'\xef\xbb\xbf {"id": "resourceType", "x": {"resourceType": "A"}, "resourceType" : "B"}', "B"),
        (b'{"a": ["resourceType", "C"], "columns": []}', ""),
        (b'{"a": 1}\n{"resourceType": "D"}', ""),
        (b'[{"resourceType": "E"}]', ""),
        (b'{"a": "\\"resourceType\\": \\"F\\""}', ""),
        (b'{"resourceType": "<b>"}', ""),
        (b'{"resourceType": 7}', ""),
        (b"USUBJID,AGE", ""),
        (b"", ""),
    ],
)
def test_a_resource_is_known_by_its_own_elements(beginning, resource):
    assert resource_type_of(beginning) == resource


def test_a_file_in_another_encoding_is_read_where_the_encoding_is_declared(tmp_path):
    path = tmp_path / "Patient.ndjson"
    path.write_bytes(json.dumps(PATIENT | {"address": [{"city": "Köln"}]}, ensure_ascii=False).encode("cp1252"))
    with pytest.raises(FaultyInputError, match="not valid JSON in UTF-8"):
        read_domain_file(path)
    assert read_domain_file(path, FileOptions(encoding="cp1252")).frame["city"].tolist() == ["Köln"]


# ---------------------------------------------------------------- the declared views

# What is not released: no path may lead there, but for these two columns to their own extension.
NEVER_READ = re.compile(r"\b(name|telecom|identifier|photo|div|note|extension|line|contact)\b")
US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-"
OF_AN_EXTENSION = {
    ("patient", f"extension('{US_CORE}{name}').extension('ombCategory').value.ofType(Coding).display.join('; ')")
    for name in ("race", "ethnicity")
}


def test_no_view_reads_what_names_a_person():
    paths = [(view.name, column["path"]) for view in views_by_resource().values() for column in view.columns]
    assert {one for one in paths if NEVER_READ.search(one[1])} == OF_AN_EXTENSION
    reads = {name for view in views_by_resource().values() for name in view.reads}
    assert reads.isdisjoint({"name", "telecom", "identifier", "photo", "text", "note", "extension"})


def test_race_and_ethnicity_of_us_core_are_read_as_categories_and_no_other_extension(tmp_path):
    def of_us_core(name, *categories):
        omb = [{"url": "ombCategory", "valueCoding": {"code": "1", "display": one}} for one in categories]
        return {"url": US_CORE + name, "extension": [*omb, {"url": "text", "valueString": "DOLLY"}]}

    maiden = {"url": "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName", "valueString": "DOLLY"}
    of_two = PATIENT | {
        "extension": [maiden, of_us_core("race", "White", "Asian"), of_us_core("ethnicity", "Hispanic")]
    }
    without = PATIENT | {"id": "p2", "extension": [maiden, of_us_core("race")]}
    table = read_domain_file(written(tmp_path, "Patient.ndjson", of_two, without))
    assert (row(table)["race"], row(table)["ethnicity"]) == ("White; Asian", "Hispanic")
    assert {"race", "ethnicity"}.isdisjoint(row(table, 1))
    assert not table.frame.astype(str).apply(lambda column: column.str.contains("DOLLY")).any(axis=None)


def test_every_view_has_people_keys_labels_and_tables_that_its_keys_refer_to():
    names = [definition["name"] for definition in declared_views().values()]
    for view in views_by_resource().values():
        roles = [column["role"] for column in view.columns]
        assert roles.count("person") == (view.name != "medication"), view.name
        assert roles.count("record key") == (view.name != "patient"), view.name
        for column in view.columns:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", column["name"])
            assert column["label"]
            assert (column["name"] == "patient_id") == (column["role"] == "person")
            assert column.get("refers_to", names[0]) in names
            assert column.get("label_of", column["name"]) in {other["name"] for other in view.columns}
