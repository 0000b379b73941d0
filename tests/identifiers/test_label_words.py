"""Which labels and names may name somebody, and which ordinary ones do not."""

from __future__ import annotations

from disclosure_control.identifiers.label_words import why_of_label, why_of_name, without_moment
from disclosure_control.identifiers.ordinary_names import is_in_known_words
from study.models.standard_words import standard_label
from tests.cases import each


@each("label", [
    "Site 701 Graz m.huber@kages.at", "Notes of Dr. Huber", "Frau Dr. Steiner", "Dr. Young", "Call 0664 123 45 60",
    "Graz only", "Hospital 4711", "Clinic Penteli", "collected by Maria", "Lab, Hauptplatz 12",
    "Seen on 25FEB2014", "huber",
    "Ελένη Νικολάου", "Петър Илиев", "https://klinik.example/p/481",
])  # fmt: skip
def test_a_label_of_a_person_or_place(label):
    assert why_of_label(label)


@each("name", ["Dr. Huber notes", "dr_huber_notes", "graz_huber", "notesMaria", "m.huber@kages.at", "site_701_visit",
               "tel_0664 1234560", "HUBER"])  # fmt: skip
def test_a_name_of_a_person_or_place(name):
    assert why_of_name(name)


@each("label", [
    "Study Site Identifier", "Hospital Anxiety and Depression Scale", "MR Imaging Result", "Injection Site Reaction",
    "Date of Birth", "Name of Measurement, Test or Examination", "Alter des Patienten", "Diagnose nach ICD-10",
    "Wilson disease", "Barcelona Clinic Liver Cancer stage", "Choose the phone number to call", "Dr. visits per year",
])  # fmt: skip
def test_an_ordinary_label(label):
    assert not why_of_label(label)


@each("name", ["TreatmentArm2Code", "age.at.entry", "ana_titre", "jan_visit", "SYSBP", "visit_occurrence_id",
               "COMPLT16", "telephone_1", "next_of_kin_contact_name", "Diagnose", "year_of_birth"])  # fmt: skip
def test_an_ordinary_name(name):
    assert not why_of_name(name)


@each("stem, is_told", [("CohortStudy_DATA_2024-05-01_1201", True), ("labs_20240501", True),
                        ("huber_2024-05-01", False), ("visit_1962-03-02", False),
                        ("tel_0664 1234560", False)])  # fmt: skip
def test_a_file_may_have_the_date_of_its_export_in_its_name(stem, is_told):
    assert (why_of_name(without_moment(stem)) == "") == is_told


def test_the_label_of_a_variable_of_any_domain():
    assert standard_label("VSORRES") == "Result or Finding in Original Units"
    assert standard_label("HUBER") == ""


@each("label, is_known", [("Sponsor-Defined Identifier", True), ("Graz", False), ("Week 104 Visit", True),
                          ("Elapsed Days from Last Dose to Death", True), ("Site 701", False), ("site_K907", False),
                          ("Huber score", False), ("Mattighofen", False), ("hs_leonding", False),
                          ("a3f9c2e1", False), ("M. H.", False), ("P28D", True), ("P1Y2M", True),
                          ("Age 18 or older", True)])  # fmt: skip
def test_a_label_in_known_words(label, is_known):
    assert is_in_known_words(label) == is_known
