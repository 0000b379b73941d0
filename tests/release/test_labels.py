"""Labels and names of public studies and of the demo pilots: all of them leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.identifiers.label_words import why_of_label, why_of_name
from disclosure_control.release.texts.labels import LabelJudge, judged_definition
from study.define_xml import StudyDefinition, read_definition
from study.formats.fhir.views import declared_views
from study.formats.files import read_domain_file
from study.formats.tables import SourceTable
from study.models.standard_words import standard_data_set_labels, standard_label
from tests.cases import each
from tests.places import PROJECT, SHARED_DATA

STANDARD = ("cdiscpilot01", "adam", "dataset_json/sdtm", "dataset_json/whole_study/json", "SDTM_DEMO")
OTHER = ("omop/synthea27nj", "redcap/longitudinal", "redcap/repeating-instruments", "redcap/clinical-trial-1", "heart",
         "actg175", "PENTELI", "OMOP_DEMO", "REDCAP_DEMO", "LINKAGE_DEMO")  # fmt: skip


def tables(study: str) -> list[SourceTable]:
    """The files of a public study or of a pilot of the project."""
    folder = PROJECT / "pilot_report" / study
    folder = folder if folder.is_dir() else SHARED_DATA / Path(study)
    if not folder.is_dir():
        pytest.skip("the public data lie beside the clone")
    found = []
    for path in sorted(folder.iterdir()):
        try:
            found.append(read_domain_file(path))
        except (FaultyInputError, OSError):
            continue
    assert found
    return found


@pytest.mark.thorough("reads the public studies: 7 seconds")
@each("study", STANDARD)
def test_no_label_of_a_study_of_the_standard_is_lost(study):
    judge = LabelJudge(is_standard=True)
    lost = []
    for table in tables(study):
        of_file = table.label not in standard_data_set_labels(table.domain) and judge.why(table.label)
        lost += [table.domain] if table.label and of_file else []
        lost += [
            (table.domain, name)
            for name, label in table.labels.items()
            if label.casefold() not in (standard_label(name).casefold(), name.casefold()) and judge.why(label)
        ]
    assert lost == []


@pytest.mark.thorough("reads the public studies: 7 seconds")
@each("study", [*STANDARD, *OTHER])
def test_no_column_file_qualifier_or_unit_is_lost_for_its_name(study):
    for table in tables(study):
        qualifiers = table.frame["QNAM"].dropna().unique() if "QNAM" in table.frame else ()
        assert [name for name in (table.domain, *table.frame, *qualifiers) if why_of_name(str(name))] == []
        for name in table.frame.columns.intersection(["QLABEL", *filter(_is_unit, map(str, table.frame))]):
            texts = table.frame[name].dropna().unique()
            assert [text for text in texts if why_of_label(str(text)) or why_of_name(str(text))] == [], name


def _is_unit(name: str) -> bool:
    return name.upper().endswith(("ORRESU", "STRESU", "DOSU", "UNIT"))


@each("title", [one["title"] for one in declared_views().values()])
def test_the_titles_of_fhir_views_stay(title):
    assert LabelJudge(is_standard=False).why(title) == ""


@each("label, leaves", [("Age in years at the first VISIT, made from the date of birth", True),
                        ("Alter des Patienten", True), ("Ottokar Zwettler", False), ("W-48217K", False),
                        ("Siobhán Ní Bhriain", False), ("baker at Ströck", False)])  # fmt: skip
def test_a_label_of_another_model_leaves_in_known_words(label, leaves):
    assert (LabelJudge(is_standard=False).why(label) == "") == leaves


@pytest.mark.thorough("0.5 s")
def test_the_descriptions_of_a_define_xml_stay():
    path = SHARED_DATA / "dataset_json" / "whole_study" / "define.xml"
    if not path.is_file():
        pytest.skip("the public data lie beside the clone")
    given: StudyDefinition = read_definition(path)
    judged = judged_definition(given, LabelJudge(is_standard=True))
    lost = [
        (name, one.name)
        for name, variables in given.datasets.items()
        for key, one in variables.items()
        if judged.datasets[name][key] != one
    ]
    assert lost == []
    assert judged.described == given.described
