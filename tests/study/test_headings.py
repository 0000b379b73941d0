"""Headings that name the person of a record, in several languages, and those that only look alike."""

from __future__ import annotations

from study.headings import is_number, names_subjects
from tests.cases import each


@each(
    "heading",
    [
        "PatientID",
        "Κωδικός Ασθενούς",
        "PatientenNr",
        "Patientennummer",
        "id_paciente",
        "numer pacjenta",
        "pidnum",
        "Номер на пациент",
        "SUBJECT",
        "subjid",
        "ID pacienta",
        "číslo pacienta",
        "MRN",
        "Patient",
        "number of the patient",
        "uniquepid",
    ],
)
def test_a_heading_that_names_subjects(heading):
    assert names_subjects(heading)
    assert not is_number(heading)


@each("heading", ["Patient name", "PatientenName", "patient age", "site", "subjective", "", "Site ID", "p"])
def test_a_heading_that_does_not(heading):
    assert not names_subjects(heading)


@each("heading", ["id", "No.", "Α/Α", "Nummer", "record_id", "ΚΩΔΙΚΟΣ"])
def test_a_heading_of_numbers(heading):
    assert is_number(heading)
    assert not names_subjects(heading)
