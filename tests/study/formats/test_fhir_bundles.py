"""FHIR Bundles: a file for each patient or each type, read as the lines of a bulk export are."""

import gzip
import json

import pytest

from disclosure_control.assess.staleness import staleness
from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import files_of, find_domain_files, read_domain_file, sha256_of_input
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.cases import each
from tests.study.models.fhir_export import FhirExport

NEWER = {"lastUpdated": "2024-02-01T00:00:00Z"}
OLDER = {"lastUpdated": "2023-02-01T00:00:00Z"}


def patient(key, **more):
    return {"resourceType": "Patient", "id": key, "gender": "female", "birthDate": "1950-02-03", **more}


def condition(key, person, **more):
    code = {"coding": [{"system": "http://snomed.info/sct", "code": "44054006"}]}
    return {"resourceType": "Condition", "id": key, "code": code, "subject": {"reference": person}, **more}


def bundle(*resources, kind="transaction", urls=None):
    urls = urls or [f"urn:uuid:{one.get('id')}" for one in resources]
    entries = [{"fullUrl": url, "resource": one} for url, one in zip(urls, resources, strict=True)]
    return {"resourceType": "Bundle", "type": kind, "entry": entries}


def put(folder, **files):
    """Each document in a file of its name; ``x_gz`` is packed."""
    for name, document in files.items():
        content = document if isinstance(document, bytes) else json.dumps(document, indent=1).encode()
        is_packed = name.endswith("_gz")
        path = folder / (f"{name}.json.gz" if is_packed else f"{name}.json")
        path.write_bytes(gzip.compress(content) if is_packed else content)


def read(folder):
    return {name: read_domain_file(path) for name, path in find_domain_files(folder).by_domain.items()}


def test_a_bundle_for_each_patient_is_read_as_tables_by_type_and_other_json_is_not(tmp_path):
    organisation = {"resourceType": "Organization", "id": "o", "name": "DOLLY clinic"}
    put(
        tmp_path,
        Dolly_Smith=bundle(patient("p1"), condition("c1", "urn:uuid:p1"), {"resourceType": "Claim", "id": "x"}),
        Wally_Jones_gz=bundle(patient("p2"), condition("c2", "urn:uuid:p2"), kind="collection"),
        hospitalInformation1=bundle(organisation, kind="batch"),
        single=condition("c3", "Patient/p1"),
        in_order_of_names=json.dumps(bundle(patient("p3"), kind="searchset"), sort_keys=True).encode(),
    )
    (tmp_path / "notes.txt").write_text("nothing")
    found = find_domain_files(tmp_path)
    assert {name: path.name for name, path in found.by_domain.items()} == {
        "PATIENT": "Bundles.json#patient",
        "CONDITION": "Bundles.json#condition",
    }
    assert found.left_out["Bundles.json#Claim"] == "FHIR resources of the type Claim, for which there is no view"
    assert set(found.left_out) == {"Bundles.json#Claim", "Bundles.json#Organization", "notes.txt"}
    tables = read(tmp_path)
    assert sorted(tables["PATIENT"].frame["patient_id"]) == ["p1", "p2", "p3"]
    rows = tables["CONDITION"].frame[["condition_id", "patient_id"]].to_numpy().tolist()
    assert sorted(rows) == [["c1", "p1"], ["c2", "p2"], ["c3", "p1"]]
    assert "taken out of 5 files of FHIR documents and Bundles" in tables["PATIENT"].notes
    assert "DOLLY" not in repr((found, tables["PATIENT"].notes)).upper().replace(str(tmp_path).upper(), "")


def test_a_document_of_another_kind_beside_the_bundles_is_read_as_it_was(tmp_path):
    columns = [{"name": "USUBJID", "label": "Id", "dataType": "string"}]
    put(tmp_path, a=bundle(patient("p1")), lb={"columns": columns, "rows": [["p1"]], "records": 1, "label": "LB"})
    assert {name: path.name for name, path in find_domain_files(tmp_path).by_domain.items()} == {
        "LB": "lb.json",
        "PATIENT": "Bundles.json#patient",
    }


def test_references_by_full_url_lead_to_the_id_of_the_resource(tmp_path):
    """One resource with another id than its fullUrl, and one that has no id but in its fullUrl."""
    without_id = {key: value for key, value in condition("", "urn:uuid:aaa").items() if key != "id"}
    put(tmp_path, a=bundle(patient("p1"), without_id, urls=["urn:uuid:aaa", "urn:uuid:c9"]))
    (row,) = read(tmp_path)["CONDITION"].frame[["condition_id", "patient_id"]].to_numpy().tolist()
    assert row == ["c9", "p1"]


def test_bundles_within_a_bundle_and_bundles_in_lines_are_read(tmp_path):
    outer = {"resourceType": "Bundle", "entry": [{"resource": bundle(patient("p1"))}]}
    lines = "\n".join(json.dumps(bundle(patient(key))) for key in ("p2", "p3"))
    put(tmp_path, outer=outer)
    (tmp_path / "lines.ndjson").write_text(lines)
    assert sorted(read(tmp_path)["PATIENT"].frame["patient_id"]) == ["p1", "p2", "p3"]


def test_a_resource_of_several_bundles_counts_once_and_the_newest_version_is_read(tmp_path):
    old = patient("p2", meta=OLDER) | {"gender": "male"}
    put(tmp_path, a=bundle(patient("p1"), patient("p2", meta=NEWER)), b=bundle(patient("p1"), old))
    table = read(tmp_path)["PATIENT"]
    assert sorted(table.frame[["patient_id", "gender"]].to_numpy().tolist()) == [["p1", "female"], ["p2", "female"]]
    assert table.notes[-2:] == (
        "1 resource in several Bundles counted once",
        "1 older version of a resource left out",
    )
    assert "1" not in table.notes[-2].on_screen.replace("10", "")


@each(
    "files, said",
    [
        (
            {"Dolly": bundle(patient("1")), "Wally": bundle(patient("1", gender="male"))},
            "1 Patient resource with the id",
        ),
        (
            {"Dolly": bundle(patient("1")), "Wally": b'{"resourceType": "Bundle", "entry": ['},
            "1 of 2 files: not valid JSON",
        ),
        ({"Dolly": {"resourceType": "Bundle", "entry": [7]}}, "1 of 1 file: neither a resource nor a Bundle of FHIR"),
        (
            {"Dolly": bundle(patient("1", meta=OLDER)), "W": bundle(patient("1", meta=NEWER), urls=["urn:uuid:other"])},
            "1 Patient resource with the id of another one",
        ),
    ],
)
def test_faults_count_files_and_name_none(files, said, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    put(folder, **files)
    with pytest.raises(FaultyInputError) as caught:
        find_domain_files(folder)
    (fault,) = caught.value.faults
    assert said in fault
    assert "Dolly" not in fault


def test_a_bundle_that_is_added_or_changed_changes_the_hash_and_a_new_name_does_not(tmp_path):
    put(tmp_path, a=bundle(patient("p1")), b=bundle(patient("p2")))
    path = find_domain_files(tmp_path).by_domain["PATIENT"]
    before = read_domain_file(path).sha256
    assert sha256_of_input(path) == before
    (tmp_path / "a.json").rename(tmp_path / "z.json")
    assert sha256_of_input(path) == before == read_domain_file(path).sha256
    put(tmp_path, c=bundle(patient("p3")))
    assert sha256_of_input(path) == read_domain_file(path).sha256 != before
    assert [one.name for one in files_of(path)] == ["b.json", "c.json", "z.json"]
    for one in files_of(path):
        one.unlink()
    assert sha256_of_input(path) is None


@pytest.mark.thorough("1.4 s")
def test_an_export_in_bundles_is_merged_as_the_same_export_in_lines(tmp_path):
    """A Bundle for each patient, whose references are by fullUrl, against one file for each type."""
    in_lines, in_bundles = tmp_path / "lines", tmp_path / "bundles"
    in_lines.mkdir()
    in_bundles.mkdir()
    export = FhirExport(20)
    export.write(in_lines, part_of="")
    medications = export.resources.pop("Medication")
    of_person = {one["id"]: [one, *medications] for one in export.resources.pop("Patient")}
    for kind in export.resources:
        for one in export.resources[kind]:
            person = one.get("subject", one.get("patient"))["reference"].removeprefix("Patient/")
            by_url = (
                json.dumps(one).replace(f"Patient/{person}", f"urn:uuid:{person}").replace("Encounter/", "urn:uuid:")
            )
            of_person[person].append(json.loads(by_url))
    put(in_bundles, **{f"Name{number}": bundle(*found) for number, found in enumerate(of_person.values())})
    rule, settings = SubjectIdRule(column="patient_id"), MergeSettings()
    one, other = (combine_domains(folder, rule, settings).frame for folder in (in_lines, in_bundles))
    assert len(one) == 20
    assert one.equals(other[one.columns])


def test_a_merge_is_stale_once_a_bundle_comes_or_changes_and_no_bundle_is_named(tmp_path):
    results = tmp_path / "WARD" / "processed"
    results.mkdir(parents=True)
    folder = results.parent
    put(folder, Dolly=bundle(patient("p1"), condition("c1", "urn:uuid:p1")))
    inputs = {table.file_name: {"sha256": table.sha256} for table in read(folder).values()}
    report = {"inputs": inputs, "left_out": {}, "files": {"combined_dataset.csv": {"sha256": "1"}}, "pilot": "WARD"}
    (results / "merge_report.json").write_text(json.dumps(report))
    assert staleness(folder, results, "1", {}).reasons == ()
    put(folder, Wally=bundle(patient("p2")))
    (reason,) = staleness(folder, results, "1", {}).reasons
    assert reason.sentence.startswith("Bundles.json changed after the merge")
    assert "Wally" not in reason.sentence
