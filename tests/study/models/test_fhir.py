"""FHIR: a made bulk export goes through both doors as flat tables, and the model of these tables."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest

from disclosure_control.draft.draft import draft_config
from study.formats.fhir.views import views_by_resource
from study.formats.files import find_domain_files, read_domain_file
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.coded_terms import term_ladders
from study.models.registry import study_model
from study.models.roles import Role
from study.operations import OperationKind
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import DONE, Doors, SyntheticPilot
from tests.study.models.fhir_export import FhirExport

PATIENT_RULE = SubjectIdRule(column="patient_id")


@pytest.fixture(scope="module")
def export():
    return FhirExport().resources


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The pilot after both doors: merged and drafted, then assessed and released."""
    pilot = SyntheticPilot(tmp_path_factory.mktemp("fhir"), "WARD")
    for folder in (pilot.folder, pilot.config_folder, pilot.desk):
        folder.mkdir(parents=True)
    FhirExport().write(pilot.folder)
    pilot.write_env("BIOSTREAMS_PILOT=WARD")
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        doors = Doors(pilot.desk, monkeypatch, screen)
        monkeypatch.setenv("RELEASE_TEST_KEY", "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718")
        assert doors.start(1).status == DONE
        drafted = pilot.config_file.read_text(encoding="utf-8").rstrip()
        release = '"release": {"key_from": {"environment": "RELEASE_TEST_KEY"}},\n'
        pilot.write_config(f"{drafted.removesuffix('}')}{release}}}\n")
        run = doors.start(2)
        assert run.status == DONE, run.err
    return pilot


def read_back(pilot):
    folder = pilot.results / "released"
    return {name: read_domain_file(path).frame for name, path in find_domain_files(folder).by_domain.items()}


@pytest.mark.thorough("12 s: a release of the whole export; the views by small resources in the quick run")
def test_the_people_and_the_baseline_of_observations_are_merged(released, export):
    """Expected values by a walk over the resources: the first observation of each test by its date."""
    combined = pd.DataFrame(released.combined_rows()).set_index("USUBJID")
    assert sorted(combined.index) == sorted(one["id"] for one in export["Patient"])
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for one in export["Observation"]:
        person, moment = one["subject"]["reference"].removeprefix("Patient/"), one["effectiveDateTime"]
        for part in one.get("component", [one]):
            value = part["valueQuantity"]["value"] if "valueQuantity" in part else part["valueCodeableConcept"]["text"]
            test = part["code"]["coding"][0]["display"]
            if moment < first.get((person, test), ("9", ""))[0]:
                first[person, test] = moment, f"{value:g}" if isinstance(value, int | float) else value
    for (person, test), (_, value) in first.items():
        assert combined.loc[person, f"OBSERVATION__{test}"] == value, test
    assert len(first) == combined.filter(like="OBSERVATION__").size


@pytest.mark.thorough("12 s: a release of the whole export; the views by small resources in the quick run")
def test_no_name_identifier_or_narrative_leaves_or_is_merged(released):
    files = [released.combined, *sorted((released.results / "released").iterdir())]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert [one for one in ("Familyname", "Givenname", "MRN0", "555-0", "Narrative", "Street") if one in texts] == []


@pytest.mark.thorough("12 s: a release of the whole export; the views by small resources in the quick run")
def test_every_key_joins_after_the_release_as_it_did_before(released, export):
    """A pseudonym for each id, and each reference still leads to the row that it led to."""
    tables = read_back(released)
    encounters = tables["ENCOUNTER"].set_index("encounter_id")
    assert len(encounters) == len(export["Encounter"]) == encounters.index.nunique()
    for name, frame in tables.items():
        if name in ("PATIENT", "ALLERGY_INTOLERANCE", "MEDICATION"):  # these name no encounter here
            continue
        assert frame["encounter_id"].isin(encounters.index).all(), name
        same_person = encounters.loc[frame["encounter_id"], "patient_id"].to_numpy() == frame["patient_id"].to_numpy()
        assert same_person.all(), name
    requests = set(tables["MEDICATION_REQUEST"]["medication_request_id"])
    assert set(tables["MEDICATION_ADMINISTRATION"]["medication_request_id"]) == requests
    per_encounter = Counter(one["encounter"]["reference"] for one in export["Condition"])
    assert sorted(Counter(tables["CONDITION"]["encounter_id"]).values()) == sorted(per_encounter.values())
    originals = {one["id"] for found in export.values() for one in found}
    for name, frame in tables.items():
        for column in [one for one in frame if one.endswith("_id")]:
            assert originals.isdisjoint(frame[column].dropna()), f"{name}.{column}"


@pytest.mark.thorough("12 s: a release of the whole export; the views by small resources in the quick run")
def test_a_drug_that_is_referred_to_leaves_with_its_code_and_is_a_fact_of_the_person(released, export):
    """The medications are a dictionary of the administrations; what nobody was given stays."""
    tables = read_back(released)
    drugs, given = tables["MEDICATION"].set_index("medication_id")["code"], tables["MEDICATION_ADMINISTRATION"]
    assert "text" not in tables["MEDICATION"]
    found = Counter(given["medication_id"].map(drugs))
    written = (one["medicationReference"]["reference"] for one in export["MedicationAdministration"])
    assert found == Counter(reference.removeprefix("Medication/med-") for reference in written)
    assert set(drugs) == set(found)
    columns = study_model([read_domain_file(path) for path in released.folder.glob("Med*.ndjson")], None).tables
    ladders = term_ladders("MEDICATION_ADMINISTRATION", columns["MEDICATION_ADMINISTRATION"], given)
    assert [one.is_of_ids for one in ladders if one.levels == ("medication_id",)] == [True]


@pytest.mark.thorough("12 s: a release of the whole export; the views by small resources in the quick run")
def test_all_dates_of_a_person_move_by_one_number_of_days(released, export):
    tables = read_back(released)
    before = pd.Series({one["id"]: one["period"]["start"][:10] for one in export["Encounter"]})
    people = Counter(one["subject"]["reference"] for one in export["Encounter"])
    moved = tables["ENCOUNTER"].assign(day=pd.to_datetime(tables["ENCOUNTER"]["start"].str[:10]))
    spans = moved.groupby("patient_id")["day"].agg(lambda days: (days.max() - days.min()).days)
    own = pd.DataFrame({"day": pd.to_datetime(before)})
    own["person"] = [one["subject"]["reference"] for one in export["Encounter"]]
    assert sorted(spans) == sorted(own.groupby("person")["day"].agg(lambda days: (days.max() - days.min()).days))
    assert len(spans) == len(people)
    observed = tables["OBSERVATION_000"].merge(tables["ENCOUNTER"], on=["encounter_id", "patient_id"])
    assert (observed["effective"] == observed["start"]).all()
    assert sorted(moved["start"]) != sorted(one["period"]["start"] for one in export["Encounter"])


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
def test_parts_of_a_type_are_one_table(tmp_path, export):
    FhirExport().write(tmp_path, part_of="Patient")
    combined = combine_domains(tmp_path, PATIENT_RULE, MergeSettings())
    assert combined.n_subjects == len(export["Patient"])
    assert combined.report["domains"]["PATIENT"]["rows"] == len(export["Patient"])
    assert "unknown_subjects" not in draft_config("WARD", tmp_path, {}).text


def test_what_did_not_happen_is_not_counted(tmp_path):
    lines = [{"resourceType": "Patient", "id": "p"}]
    (tmp_path / "Patient.ndjson").write_text(json.dumps(lines[0]))
    procedure = {
        "resourceType": "Procedure",
        "subject": {"reference": "Patient/p"},
        "code": {"coding": [{"code": "A"}]},
    }
    statuses = ("completed", "not-done", "entered-in-error", "completed")
    rows = [procedure | {"id": str(number), "status": status} for number, status in enumerate(statuses)]
    (tmp_path / "Procedure.ndjson").write_text("\n".join(map(json.dumps, rows)))
    combined = combine_domains(tmp_path, PATIENT_RULE, MergeSettings(events={"PROCEDURE": {"code": ("A", "B")}}))
    assert combined.frame.filter(like="PROCEDURE__").iloc[0].to_dict() == {
        "PROCEDURE__count": "2",
        "PROCEDURE__code=A": "Y",
        "PROCEDURE__code=B": "N",
    }


@pytest.mark.thorough("0.4 s")
def test_every_column_has_a_role_and_every_key_a_table(tmp_path):
    FhirExport(5).write(tmp_path)
    tables = [read_domain_file(path) for path in find_domain_files(tmp_path).by_domain.values()]
    model = study_model(tables, None)
    assert (model.model, model.person, model.base) == ("fhir", "patient_id", "PATIENT")
    for table in tables:
        for name in table.frame:
            column = model.column(table.domain, name)
            assert column is not None
            assert (column.role in (Role.RECORD_KEY, Role.FOREIGN_KEY, Role.PERSON)) <= bool(column.refers_to), name
    assert model.operation("OBSERVATION_000", "value_text").operation is OperationKind.REMOVE
    assert model.operation("PATIENT", "birth_date").operation is OperationKind.REMOVE
    assert model.operation("OBSERVATION", "effective").operation is OperationKind.OFFSET
    assert (
        model.key_scope("CONDITION", "encounter_id")
        == (False, "ENCOUNTER")
        == model.key_scope("ENCOUNTER", "encounter_id")
    )


def test_the_roles_of_the_views_are_roles_of_the_models():
    declared = {column["role"] for view in views_by_resource().values() for column in view.columns}
    assert declared <= {role.value for role in Role}
