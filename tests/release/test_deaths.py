"""Attacks by a death or a stay in hospital that no flag of DM says: each is a fact wherever it is written."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.measures.longitudinal import alone_by_facts
from disclosure_control.release.facts.deaths import WORDS
from disclosure_control.release.facts.facts import columns_with_facts, facts_known, rows_with_facts
from disclosure_control.release.facts.hospital import WORDS as OF_HOSPITAL
from disclosure_control.release.settings import OutsidersKnow
from disclosure_control.release.terms.outcomes import where_few_tell
from disclosure_control.release.terms.raised_terms import NOT_RELEASED
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from disclosure_control.steps.release.course import course_risk, reasons_of_course
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.registry import study_model
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.cases import quick
from tests.release.small_studies import model_of, people, released, rows_of_files
from tests.release.small_studies import rows_of as rows_of_frame

IDS = [f"S-{number:03d}" for number in range(86)]
SUBJECTS = pd.Series(IDS, dtype="str")
WHO = 41  # the one of 86 people of a class


def rows_of(name: str, said: dict[str, object], other: dict[str, object]) -> pd.DataFrame:
    """A row of each person, that of one with something else in it."""
    rows = [{"USUBJID": one, **({**other, **said} if i == WHO else other)} for i, one in enumerate(IDS)]
    frame = pd.DataFrame(rows)
    return frame.astype({column: "str" for column in frame if frame[column].dtype.kind != "f"})


def alone(files: dict[str, pd.DataFrame], kind: str, model=None) -> tuple[int, list[int]]:
    """How many of the 86 people are alone by one fact of a kind, and who has such a fact; read as the release does."""
    model = model or model_of(files)
    tables = {name: SourceTable(name, f"{name}.csv", "", frame, {}, ()) for name, frame in files.items()}
    rule = SubjectIdRule(column=model.person)
    read = rows_with_facts(tables, model, rule, (kind,), None)
    found, _ = facts_known(
        {name: rows for name, rows in read.items() if rows is not None}, SUBJECTS, rule, (kind,), model
    )
    whole, _ = facts_known(rows_of_files(files), SUBJECTS, rule, (kind,), model)
    assert sorted(zip(found.people, found.facts, strict=True)) == sorted(zip(whole.people, whole.facts, strict=True))
    by_facts = alone_by_facts(np.zeros(len(IDS), dtype=np.int64), found.people, found.facts)
    return by_facts[1].n_alone, sorted({*found.people.tolist()})


DM = rows_of("DM", {}, {"STUDYID": "S", "DOMAIN": "DM", "SEX": "F"})
EVENT = {"STUDYID": "S", "DOMAIN": "AE", "AESEQ": 1.0, "AEDECOD": "Headache", "AEOUT": "RECOVERED", "AESDTH": "N"}
EVENT |= {"AESER": "N", "AESHOSP": "N"}

PLACES_OF_A_DEATH = {
    "AEOUT": ("AE", EVENT, {"AEOUT": "FATAL"}),
    "AESDTH": ("AE", EVENT, {"AESDTH": "Y"}),
    "a disposition": ("DS", {"DOMAIN": "DS", "DSSEQ": 1.0, "DSDECOD": "COMPLETED"}, {"DSDECOD": "DEATH"}),
    "a status": ("SS", {"DOMAIN": "SS", "SSTESTCD": "SURVSTAT", "SSTEST": "Survival Status", "SSSTRESC": "ALIVE"},
                 {"SSSTRESC": "DEAD"}),
    "a coded term": ("AE", EVENT, {"AEDECOD": "Sudden cardiac death"}),
    "a grade": ("AE", {**EVENT, "AETOXGR": "2"}, {"AETOXGR": "5"}),
    "ECOG's scale": ("QS", {"DOMAIN": "QS", "QSTESTCD": "ECOG101", "QSTEST": "Status", "QSORRES": "1"},
                     {"QSORRES": "5"}),
    "Rankin's scale": ("RS", {"DOMAIN": "RS", "RSTESTCD": "MRS01", "RSTEST": "Modified Rankin Scale Score",
                              "RSSTRESN": 2.0}, {"RSSTRESN": 6.0}),
    "an autopsy": ("PR", {"DOMAIN": "PR", "PRSEQ": 1.0, "PRDECOD": "X-RAY"}, {"PRDECOD": "AUTOPSY"}),
    "a supplement": ("SUPPAE", {"RDOMAIN": "AE", "IDVAR": "AESEQ", "IDVARVAL": "1", "QNAM": "AETRTEM", "QVAL": "Y"},
                     {"QNAM": "DTHAE", "QVAL": "Y"}),
}  # fmt: skip


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("place", quick(5, PLACES_OF_A_DEATH, "0.2 s"))
def test_one_death_in_a_class_of_86_is_known_wherever_sdtm_has_it(place):
    name, other, said = PLACES_OF_A_DEATH[place]
    assert alone({"DM": DM, name: rows_of(name, said, other)}, "death") == (1, [WHO])
    nobody = {"DM": DM, name: rows_of(name, {}, other)}
    assert alone(nobody, "death") == (0, [])


@pytest.mark.thorough("0.5 s")
def test_a_death_in_adam_by_a_date_a_day_a_cause_and_the_event_of_a_time():
    person = {"STUDYID": "S", "TRT01P": "A", "SEX": "F"}
    for name, value in (("DTHDT", 20000.0), ("DTHADY", 120.0), ("DTHCAUS", "STROKE"), ("DCSREAS", "Death")):
        adsl = rows_of("ADSL", {name: value}, {**person, name: np.nan if isinstance(value, float) else None})
        model = study_model([SourceTable("ADSL", "adsl.csv", "", adsl, {}, ())], "USUBJID", "adam")
        assert alone({"ADSL": adsl}, "death", model)[1] == [WHO], name
    time = {"STUDYID": "S", "PARAMCD": "OS", "PARAM": "Overall survival", "AVAL": 100.0, "CNSR": 1.0}
    adtte = rows_of("ADTTE", {"CNSR": 0.0}, time)
    model = study_model([SourceTable("ADTTE", "adtte.csv", "", adtte, {}, ())], "USUBJID", "adam")
    assert alone({"ADTTE": adtte}, "death", model) == (1, [WHO])


@pytest.mark.parametrize(
    ("heading", "said", "other"),
    [
        ("DEATH_EVENT", "1", "0"),
        ("outcome", "verstorben", "entlassen"),
        ("discharge", "Exitus letalis", "home"),
        ("vital_status", "deceased", "alive"),
        ("esito", "deceduto", "dimesso"),
        ("status", "décédée", "vivante"),
        ("mrs_90d", "6", "2"),
        ("CTCAE grade", "5", "1"),
        ("Karnofsky", "0", "90"),
    ],
)
def test_a_death_in_a_flat_file_by_its_heading_or_its_words(heading, said, other):
    flat = rows_of("PATIENTS", {heading: said}, {"sex": "F", "age": 60.0, heading: other}).rename(
        columns={"USUBJID": "patient_id"}
    )
    flat["age"] = np.arange(len(flat)) % 20 + 50.0
    model = study_model([SourceTable("PATIENTS", "patients.csv", "", flat, {}, ())], "patient_id", "flat")
    assert alone({"PATIENTS": flat}, "death", model)[1] == [WHO]


YES_AND_NO = [
    ("oui", "non"),
    ("Sì", "No"),
    ("sim", "não"),
    ("TAK", "NIE"),
    ("Ναι", "Όχι"),
    ("да", "не"),
    ("igen", "nem"),
]


@pytest.mark.parametrize(("yes", "no"), YES_AND_NO)
def test_a_flag_of_a_death_and_of_a_stay_is_read_in_any_language(yes, no):
    """Of 86 people one has a yes, and nobody else died or was in hospital."""
    flags = rows_of("PATIENTS", {"DEATH_EVENT": yes, "hospitalized": yes}, {"DEATH_EVENT": no, "hospitalized": no})
    flat = flags.rename(columns={"USUBJID": "patient_id"}).assign(age=np.arange(len(flags)) % 20 + 50.0)
    model = study_model([SourceTable("PATIENTS", "patients.csv", "", flat, {}, ())], "patient_id", "flat")
    for kind in ("death", "hospital"):
        assert alone({"PATIENTS": flat}, kind, model) == (1, [WHO]), kind


def test_letters_that_are_chapters_of_causes_are_no_flag():
    """J is a word for yes of some languages; here each is what somebody died of, and one cause is not known."""
    adsl = rows_of("ADSL", {"DTHCAUS": "J"}, {"STUDYID": "S", "TRT01P": "A", "SEX": "F", "DTHCAUS": None})
    adsl.loc[[3, 7, 9], "DTHCAUS"] = ["C", "STROKE", "UNKNOWN"]
    model = study_model([SourceTable("ADSL", "adsl.csv", "", adsl, {}, ())], "USUBJID", "adam")
    assert alone({"ADSL": adsl}, "death", model)[1] == [3, 7, WHO]


def test_one_death_that_several_files_say_is_one_fact():
    dm = rows_of(
        "DM", {"DTHFL": "Y", "DTHDTC": "2014-03-02"}, {"STUDYID": "S", "DOMAIN": "DM", "DTHFL": None, "DTHDTC": None}
    )
    ae = rows_of("AE", {"AEOUT": "FATAL"}, EVENT)
    found, _ = facts_known(
        rows_of_files({"DM": dm, "AE": ae}), SUBJECTS, SubjectIdRule(), ("death",), model_of({"DM": dm, "AE": ae})
    )
    assert found.people.tolist() == [WHO]


DEAD = "FATAL, Death, SUDDEN CARDIAC DEATH, Death due to sepsis, subject died, patient deceased, exitus, Verstorben, "
DEAD += "decesso, décédé, fallecida, overleden, zmarła, απεβίωσε, починал"


@pytest.mark.parametrize("text", DEAD.split(", "))
def test_words_for_a_death(text):
    assert WORDS.says(text)
    assert WORDS.said_in(np.array([text], dtype=object), {}).all()


OTHERS = "NOT FATAL, non-fatal, Foetal death, Thoughts of death, death of spouse, fear of death, Alive, time to death, "
OTHERS += "Date of death, deadline, mortar, Totally recovered, Amortisation, dead space"


@pytest.mark.parametrize("text", OTHERS.split(", "))
def test_words_for_no_death_of_the_person(text):
    assert not WORDS.says(text)


@pytest.mark.thorough("0.6 s")
def test_the_verdict_names_the_columns_that_tell_of_the_death_and_the_lines_mend_it():
    """A flag and a date go; the outcome FATAL is hidden like a rare term, and so are those of four others."""
    alive = {"STUDYID": "S", "DOMAIN": "DM", "SEX": "F", "DTHDTC": None}
    ae = rows_of("AE", {"AEOUT": "FATAL", "AESDTH": "Y"}, EVENT)
    sequelae = "RECOVERED WITH SEQUELAE"
    ae.loc[:5, "AEOUT"] = sequelae
    files = {"DM": rows_of("DM", {"DTHDTC": "2014-03-02"}, alive), "AE": ae}
    model, classes = model_of(files), np.zeros(len(IDS), dtype=np.int64)
    course = course_risk(rows_of_files(files), SUBJECTS, classes, 5, SubjectIdRule(), OutsidersKnow(), model)
    (reason,) = reasons_of_course(MASKED, course)
    removed = [change.path for change in reason.changes if change.path[1] == "operations" and change.value == "remove"]
    assert [path[2] for path in removed] == ["DM.DTHDTC", "AE.AESDTH"]
    (terms,) = [change.value for change in reason.changes if change.path[1] == "rare_terms"]
    assert terms == {"at_least": 5, "within": "class"}
    who, lines = (
        people(IDS, list(range(len(IDS)))),
        [overriding_line(path[2], OperationKind.REMOVE) for path in removed],
    )
    left = released({name: rows_of_frame(frame) for name, frame in files.items()}, who, lines)
    after, _ = without_rare_terms(left, RareTerms(5, within_class=True), classes)
    shown = {name: file.frame for name, file in after.files.items()}
    assert shown["AE"]["AEOUT"].value_counts().to_dict() == {"RECOVERED": 75, sequelae: 6, NOT_RELEASED: 5}
    assert shown["AE"]["AEDECOD"].tolist() == ["Headache"] * len(IDS)
    enough = {**files, "AE": files["AE"].assign(AEOUT=["FATAL"] * 5 + ["RECOVERED"] * 79 + ["UNKNOWN"] * 2)}
    same = released({name: rows_of_frame(frame) for name, frame in enough.items()}, who, lines)
    outcomes = without_rare_terms(same, RareTerms(5, within_class=True), classes)[0].files["AE"].frame["AEOUT"]
    assert outcomes.value_counts().to_dict() == {"RECOVERED": 79, "FATAL": 5, "UNKNOWN": 2}  # no secret of few
    pseudonyms = pd.Series(who.pseudonyms)
    course = course_risk(
        rows_of_files(shown), pseudonyms, classes, 5, SubjectIdRule(), OutsidersKnow(), model_of(shown)
    )
    assert reasons_of_course(MASKED, course) == []


def test_outcomes_are_hidden_in_groups_where_some_but_fewer_than_enough_people_tell():
    """Groups: nobody tells; one person twice; two people; three, who are enough; and again nobody, in the last."""
    rows = [(0, 1, ""), (0, 2, ""), (1, 3, "died"), (1, 3, "died"), (1, 4, ""), (2, 5, "died"), (2, 6, "died")]
    rows += [(3, 7, "died"), (3, 8, "died"), (3, 9, "died"), (4, 10, "")]
    group, who = (np.array([row[i] for row in rows]) for i in (0, 1))
    labels = np.array([f"row {i}" for i in range(len(rows))], dtype=object)
    found = where_few_tell(labels, np.array([row[2] == "died" for row in rows]), who, group, 3)
    assert found.tolist() == [None] * 2 + [f"row {i}" for i in range(2, 7)] + [None] * 4


def test_a_row_of_a_table_of_deaths_is_a_death_without_its_date_and_the_table_can_be_left_out():
    """OMOP's DEATH, whose dates were left out: who has a row there died."""
    person = pd.DataFrame({"person_id": IDS, "gender_concept_id": "8532"}).astype("str")
    death = pd.DataFrame({"person_id": [IDS[WHO]], "cause_concept_id": ["0"]}).astype("str")
    files = {"PERSON": person, "DEATH": death}
    tables = [SourceTable(name, f"{name}.csv", "", frame, {}, ()) for name, frame in files.items()]
    model = study_model(tables, "person_id", "omop")
    assert alone(files, "death", model) == (1, [WHO])
    classes, rule = np.zeros(len(IDS), dtype=np.int64), SubjectIdRule(column="person_id")
    known = OutsidersKnow(kinds=("death",))
    (reason,) = reasons_of_course(MASKED, course_risk(rows_of_files(files), SUBJECTS, classes, 5, rule, known, model))
    assert [(change.path, change.value, change.is_added) for change in reason.changes] == [
        (("release", "leave_out"), "DEATH", True)
    ]


# ---------------------------------------------------------------- hospital


@pytest.mark.thorough("0.4 s")
def test_one_stay_in_hospital_in_a_class_of_86_is_known():
    assert alone({"DM": DM, "AE": rows_of("AE", {"AESHOSP": "Y"}, EVENT)}, "hospital") == (1, [WHO])
    assert alone({"DM": DM, "AE": rows_of("AE", {}, EVENT)}, "hospital") == (0, [])
    ho = pd.DataFrame({"USUBJID": [IDS[WHO]], "DOMAIN": ["HO"], "HOSEQ": [1.0], "HODECOD": ["WARD"]})
    assert alone({"DM": DM, "HO": ho}, "hospital") == (1, [WHO])
    why = rows_of("AE", {"AEACNOTH": "Initial or prolonged hospitalization"}, {**EVENT, "AEACNOTH": "none"})
    assert alone({"DM": DM, "AE": why}, "hospital") == (1, [WHO])


STAYS = {"Hospitalised": True, "stationärer Aufenthalt": True, "not hospitalised": False, "outpatient": False}
STAYS |= {"No hospitalization needed": False}


@pytest.mark.parametrize(("text", "says"), STAYS.items())
def test_words_for_a_stay_in_hospital(text, says):
    assert OF_HOSPITAL.says(text) is says


def test_results_of_a_laboratory_are_not_read_for_deaths():
    """A million results of whom none says a death are not read: a release from disk could not search them."""
    lb = rows_of("LB", {}, {"DOMAIN": "LB", "LBTESTCD": "ALT", "LBTEST": "ALT", "LBSTRESC": "12", "LBSTRESN": 12.0})
    model = model_of({"DM": DM, "LB": lb})
    source = SourceTable("LB", "lb.csv", "", lb, {}, ())
    assert columns_with_facts("LB", source, model, SubjectIdRule(), ("death", "hospital")) == ["USUBJID"]
