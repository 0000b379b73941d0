"""Texts that a project wrote about its own fields, events and terms: names in no list of names hold the release."""

from __future__ import annotations

from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.texts.labels import JudgedLabels, names_read
from tests.cases import each
from tests.release.planted_texts import IDS, N_PEOPLE
from tests.release.small_studies import KEY, RELEASE, people, study_of


def unread(files: dict[str, list[dict]], column: str, model: str, declared: tuple[str, ...] = ()) -> set[str]:
    """What has to be read of a study of 120 people."""
    who = people(IDS, list(range(N_PEOPLE)))
    released = deidentify(study_of(files, IDS, column, model), who, (), KEY, RELEASE)
    _, names = names_read(released, JudgedLabels(), declared)
    return {one.text for one in names.unread}


PERSON = [{"USUBJID": one, "person_id": one, "gender_concept_id": "8507"} for one in IDS]


@each("number, is_read", [("2000000001", True), ("4548", False)])
def test_by_the_name_of_a_local_concept(number, is_read):
    concept = {"concept_id": number, "concept_name": "Zwettler protocol", "domain_id": "Observation"}
    usual = {"concept_id": "2000000002", "concept_name": "Blood pressure", "domain_id": "Observation"}
    found = unread({"PERSON": PERSON, "CONCEPT": [concept, usual]}, "person_id", "omop")
    assert found == ({"Zwettler protocol"} if is_read else set())


def test_by_the_name_of_a_person_for_a_public_concept():
    """A file may say anything of a code; words of public terminologies that no list has are not asked about."""
    names = ("Seen by Siegfried Zwettler", "Zwettler protocol", "Seen in Ontario")
    concepts = [{"concept_id": str(4548 + i), "concept_name": name} for i, name in enumerate(names)]
    assert unread({"PERSON": PERSON, "CONCEPT": concepts}, "person_id", "omop") == {names[0]}


def test_the_public_tables_of_vocabularies_stay_here():
    public = ("VOCABULARY", "DOMAIN", "CONCEPT_CLASS", "RELATIONSHIP", "CONCEPT_SYNONYM")
    files = {name: [{f"{name.lower()}_id": "1", f"{name.lower()}_name": "Of Siegfried"}] for name in public}
    who = people(IDS, list(range(N_PEOPLE)))
    released = deidentify(study_of({"PERSON": PERSON, **files}, IDS, "person_id", "omop"), who, (), KEY, RELEASE)
    assert set(released.files) == {"PERSON"}


def test_by_a_name_in_the_events_of_a_redcap_project():
    data = [{"USUBJID": one, "record_id": one, "redcap_event_name": "baseline_arm_1", "sex": "1"} for one in IDS]
    event = [
        {"event_name": name, "arm_num": "1", "day_offset": "365", "unique_event_name": "baseline_arm_1"}
        for name in ("Baseline", "Ottersboeck")
    ]
    files = {"DATA": data, "EVENT": event}
    assert unread(files, "record_id", "redcap") == {"Ottersboeck"}
    assert unread(files, "record_id", "redcap", ("Ottersboeck",)) == set()


def test_by_a_name_in_the_design_of_a_trial():
    """An arm that many people have is known; another one is read, whatever its words."""
    dm = [{"USUBJID": one, "DOMAIN": "DM", "ARM": "Zanolimab high"} for one in IDS]
    ta = [
        {"DOMAIN": "TA", "ARM": arm, "ELEMENT": "Treatment"} for arm in ("Zanolimab high", "Placebo", "Huberlein arm")
    ]
    assert unread({"DM": dm, "TA": ta}, "USUBJID", "sdtm") == {"Huberlein arm"}
