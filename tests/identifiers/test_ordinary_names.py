"""Which names of columns and files are made of ordinary words, and which somebody has to read first."""

from __future__ import annotations

import re

import pytest

from disclosure_control.identifiers.label_words import without_moment
from disclosure_control.identifiers.ordinary_names import is_ordinary_name, may_name_somebody
from study.models.fhir import _models as views_of_fhir
from tests.cases import each
from tests.release.planted_texts import FORMS
from tests.release.test_labels import OTHER, STANDARD, tables

LEAST_HELD = 0.97  # of all planted names, by the issue


@pytest.mark.thorough("0.6 s")
@each("of_a_standard", [False, True])
def test_by_forty_forms_as_names(of_a_standard):
    """As they are, with underscores, and as names of eight capital letters."""
    held = []
    for text in (form(i) for form in FORMS.values() for i in range(9)):
        names = {text, re.sub(r"\W+", "_", text).strip("_"), re.sub(r"\W+", "", text)[:8].upper()}
        held += [not is_ordinary_name(name, of_a_standard) for name in names]
    assert sum(held) / len(held) >= LEAST_HELD


@each("name", ["v1", "TreatmentArm2Code", "Blutdruck systolisch", "herzfrequenz_visite_2", "Χοληστερόλη",
               "pressione arteriosa", "ciśnienie_skurczowe", "глюкоза", "bloodpressure", "hba1c", "weight_kg",
               "visit_occurrence_id", "cholesterol_total"])  # fmt: skip
def test_an_ordinary_name(name):
    assert is_ordinary_name(name)


@each("name", ["stroeck", "score_zwettler", "M_H", "m.h.", "W-48217K", "cd420", "col_47_07_15_43", "1", "Ströck_score",
               "kvf", "neumann", "lkh_west", "AVGHUBER", "wilson_score"])  # fmt: skip
def test_a_name_that_somebody_has_to_read(name):
    assert not is_ordinary_name(name)


@each("name", ["ASTDTF", "AOCC01FL", "CUMDOSE", "LBCH"])
def test_a_name_made_of_fragments_is_ordinary_in_a_study_of_the_standard(name):
    assert is_ordinary_name(name, of_a_standard=True)
    assert not is_ordinary_name(name)


@each("stem, is_ordinary", [("labs_20240501", True), ("lb", True), ("visit_1962-03-02", False), ("zwettler", False)])
def test_the_name_of_a_file(stem, is_ordinary):
    assert is_ordinary_name(without_moment(stem)) == is_ordinary


@each(
    "text, is_text, may",
    [
        ("Station Haslinger", True, True),
        ("Visit at Kapfenberg", True, True),
        ("Ottersboeck", True, True),
        ("score_Haslinger", False, True),
        ("Tryb zzysu", False, False),
        ("kapfenbergova", False, True),  # it ends as surnames do
        ("karnof", False, False),
        ("Zrkscore", False, False),
        ("cd420", False, False),
        ("Blood pressure of the patient", True, False),
    ],
)
def test_what_no_proposal_declares_to_name_nobody(text, is_text, may):
    assert may_name_somebody(text, is_text) == may


def test_names_of_fhir_are_ordinary():
    names = {name for table in views_of_fhir().values() for name in (table.name, *table.columns)}
    assert [name for name in sorted(names) if not is_ordinary_name(name)] == []


# Studies in the words of a sponsor or a project: how many names their controller has to read.
TO_READ = {"actg175": 11, "redcap/longitudinal": 49}


@pytest.mark.thorough("reads the public studies: 7 seconds")
@each("study", [*STANDARD, *OTHER])
def test_few_names_of_public_studies_have_to_be_read(study):
    names = set()
    for table in tables(study):
        qualifiers = table.frame["QNAM"].dropna().unique() if "QNAM" in table.frame else ()
        names |= set(map(str, (table.domain, *table.frame, *qualifiers)))
    to_read = [name for name in names if not is_ordinary_name(name, study in STANDARD)]
    assert len(to_read) == TO_READ.get(study, 0), to_read
