"""Whose a row is: keys through other tables, ids of tables against each other, and rows of one id that contradict."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.settings.fields import read
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.draft.draft import draft_config
from disclosure_control.release.study import read_study
from study.formats.tables import SourceTable
from study.merge.combine import Combined, combine_domains
from study.merge.proof import _note_on_spellings, questions_of_tables
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.cases import each

# 60 stays of 40 people: the last 20 stays are second ones of people 11 to 30.
PERSON = [f"P{i if i < 40 else i - 30}" for i in range(60)]
PATIENTS = [[1000 + i, PERSON[i], "mf"[int(PERSON[i][1:]) % 2], 30 + int(PERSON[i][1:])] for i in range(60)]
RESULTS = [[1000 + i % 60, "Hb", 10 + i % 7] for i in range(300)]
THROUGH = {"files": {"LAB": {"person": {"through": "PATIENT", "key": "stay_id"}}}}


def written(folder: Path, **tables: list[list[Any]]) -> Path:
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return folder


def stays(folder: Path, first_key: int = 1000) -> Path:
    patients = [[row[0] - 1000 + first_key, *row[1:]] for row in PATIENTS]
    results = [[row[0] - 1000 + first_key, *row[1:]] for row in RESULTS]
    headings = ["stay_id", "patient_id", "sex", "age"]
    return written(folder, patient=[headings, *patients], lab=[["stay_id", "test", "value"], *results])


def merged(folder: Path, **merge: Any) -> Combined:
    return combine_domains(folder, SubjectIdRule(column="patient_id"), read(MergeSettings, merge, Place("merge")))


def fault_of(folder: Path, **merge: Any) -> str:
    with pytest.raises(FaultyInputError) as caught:
        merged(folder, **merge)
    [fault] = caught.value.faults
    return fault


def test_rows_of_a_stay_get_the_person_of_the_stay(tmp_path: Path) -> None:
    combined = merged(stays(tmp_path), **THROUGH, record="max")
    assert combined.n_subjects == 40
    highest = {person: max(10 + i % 7 for i in range(300) if PERSON[i % 60] == person) for person in PERSON}
    assert dict(zip(combined.frame["USUBJID"], combined.frame["LAB__Hb"].astype(int), strict=True)) == highest


def test_the_release_reads_the_same_persons(tmp_path: Path) -> None:
    combined = merged(stays(tmp_path), **THROUGH)
    settings = read(MergeSettings, THROUGH, Place("merge"))
    study = read_study(tmp_path, combined.frame["USUBJID"], SubjectIdRule(column="patient_id"), settings)
    [lab] = [file for file in study.files if file.name == "LAB"]
    people = combined.frame["USUBJID"].to_numpy()[lab.people]
    assert dict(zip(lab.table.frame["stay_id"].astype(int) - 1000, people, strict=True)) == dict(enumerate(PERSON))


@pytest.mark.thorough("0.4 s")
def test_a_pilot_without_a_config_gets_the_line_that_works(tmp_path: Path) -> None:
    draft = draft_config("STAYS", stays(tmp_path), {})
    assert draft.combined.n_subjects == 40
    assert '"person": {"through": "PATIENT", "key": "stay_id"},' in draft.text


@pytest.mark.thorough("0.3 s")
def test_a_draft_beside_a_partial_config_knows_the_key_too(tmp_path: Path) -> None:
    given = {"subject_id": {"column": "patient_id"}, "merge": {"record": {"PATIENT": "last"}}}
    text = draft_config("STAYS", stays(tmp_path), given).text
    assert '"person": {"through": "PATIENT", "key": "stay_id"},' in text
    assert '"PATIENT": "last",  # as in the pilot\'s config' in text


def test_the_fault_of_a_table_without_the_column_names_the_key(tmp_path: Path) -> None:
    line = '{"files": {"LAB": {"person": {"through": "PATIENT", "key": "stay_id"}}}}'
    fault = fault_of(stays(tmp_path))
    assert line in fault
    assert "at least 80% of its 'stay_id' are in PATIENT, where each belongs to one person: join them by" in fault
    for first_key in (1000, 1):  # ids of others, and those that look like people's
        assert line in fault_of(stays(tmp_path, first_key), files={"LAB": {"person": "stay_id"}})


@each(
    ("merge", "says"),
    [
        ({"through": "PAT", "key": "stay_id"}, "no file of the domain 'PAT'; did you mean 'PATIENT'?"),
        ({"through": "PATIENT", "key": "stay"}, "no column 'stay' in lab.csv; did you mean 'stay_id'?"),
        ({"through": "PATIENT", "key": "sex"}, "no column 'sex' in lab.csv"),
        ({"through": "LAB", "key": "stay_id"}, "in a circle"),
        ({"through": "PATIENT"}, "allowed: a column of the file, "),
    ],
)
def test_faults_of_the_setting(merge: dict, says: str, tmp_path: Path) -> None:
    with pytest.raises(FaultyInputError) as caught:
        merged(stays(tmp_path), files={"LAB": {"person": merge}})
    assert says in str(caught.value)


def test_a_key_of_several_people_and_rows_without_one_are_faults(tmp_path: Path) -> None:
    stays(tmp_path)
    with (tmp_path / "lab.csv").open("a") as file:
        file.write("9999,Hb,5\n")
    assert 'merge: {"unknown_subjects": ["LAB"]}' in fault_of(tmp_path, **THROUGH)
    combined = merged(tmp_path, unknown_subjects=["LAB"], **THROUGH)
    assert combined.report["domains"]["LAB"]["rows"] == len(RESULTS)
    with (tmp_path / "patient.csv").open("a") as file:
        file.write("1000,P9,m,39\n")
    assert "of 60 values of 'stay_id' belong to several people" in fault_of(tmp_path, **THROUGH)


@pytest.mark.thorough("0.5 s")
def test_a_key_of_a_key(tmp_path: Path) -> None:
    stays(tmp_path)
    samples = [[5000 + i, 1000 + i % 60] for i in range(120)]
    written(tmp_path, sample=[["sample_id", "stay_id"], *samples])
    written(tmp_path, lab=[["sample_id", "test", "value"], *[[5000 + i % 120, "Hb", i] for i in range(240)]])
    draft = draft_config("STAYS", tmp_path, {})
    assert '"person": {"through": "SAMPLE", "key": "sample_id"},' in draft.text
    assert (draft.combined.n_subjects, draft.combined.report["domains"]["LAB"]["subjects"]) == (40, 40)


def test_tables_of_other_people_are_a_fault_until_somebody_says_so(tmp_path: Path) -> None:
    """Hand-worked: 20 people each, of whom two are in both tables."""
    a, b = ([[f"{i:03d}", "mf"[i % 2]] for i in range(start, start + 20)] for start in (0, 18))
    written(tmp_path, cases=[["patient_id", "sex"], *a], controls=[["patient_id", "sex"], *b])
    fault = fault_of(tmp_path)
    assert "CONTROLS: fewer than 10 of its 20 people are among the 20 of the other tables" in fault
    assert 'merge: {"files": {"CONTROLS": {"person": {"others": "patient_id"}}}}' in fault
    combined = merged(tmp_path, files={"CONTROLS": {"person": {"others": "patient_id"}}})
    assert combined.n_subjects == 38
    assert [one["people_only_here"] for one in combined.report["domains"].values()] == [18, 18]


def test_one_id_of_two_people_is_a_fault_in_a_table_of_people(tmp_path: Path) -> None:
    rows = [[f"H{i:03d}", "mf"[i % 2], 40 + i % 30, "AB"[i % 3 == 0]] for i in range(60)]
    rows[7][0] = rows[30][0]
    folder = written(tmp_path, trial=[["patient_id", "sex", "age", "arm"], *rows])
    fault = fault_of(folder)
    assert "fewer than 10 of 59 ids have rows that differ in sex, age, arm" in fault
    assert merged(folder, several_rows={"TRIAL": "last"}).n_subjects == 59


def test_rows_in_time_that_contradict_each_other_are_a_question_with_the_count(tmp_path: Path) -> None:
    """An age changes from visit to visit, a sex does not."""
    rows = [[f"H{i // 4:03d}", "mf"[i // 4 % 2], f"20{10 + i % 4}-05-01", 40 + i % 4] for i in range(80)]
    folder = written(tmp_path, visits=[["patient_id", "sex", "visit_date", "age"], *rows])
    assert not merged(folder).report["notes"]
    rows[5][1] = "m"
    combined = merged(written(folder, visits=[["patient_id", "sex", "visit_date", "age"], *rows]))
    assert combined.report["notes"] == ["VISITS: 1 people have rows that differ in sex: is one id that of two people?"]


def test_ids_of_one_table_alone_that_another_one_spells_otherwise_are_asked_about(tmp_path: Path) -> None:
    ids = [f"P{i:02d}" for i in range(20)]
    lab = [one.lower() if i % 4 == 0 else one for i, one in enumerate(ids)]
    headings = ["patient_id", "value"]
    written(tmp_path, patient=[headings, *([one, 1] for one in ids)], lab=[headings, *([one, 2] for one in lab)])
    [note] = [str(note) for note in merged(tmp_path).report["notes"] if "ids are in one table alone" in str(note)]
    assert note.startswith("10 ids")
    assert '{"case": "upper"}' in note


def test_a_rule_for_spellings_is_named_where_it_makes_those_ids_equal_and_no_others() -> None:
    def note_on(*ids: str) -> str:
        return " ".join(map(str, _note_on_spellings(pd.Index(ids, dtype="str"), np.array([True] * len(ids)))))

    assert note_on("1-11", "11-1", "111") == ""
    assert "2 ids" in note_on("01-011", "1_11", "11-1")
    assert "upper" not in note_on("P-07", "P7", "p08", "P08")
    assert "upper" in note_on("p08", "P08", "1-11")


def notes_on(folder: Path, **tables: list[list[Any]]) -> list[str]:
    return [str(note) for note in merged(written(folder, **tables)).report["notes"]]


def test_an_earlier_export_beside_a_later_one_is_asked_about_and_two_visits_are_not(tmp_path: Path) -> None:
    later = [["patient_id", "sex", "score"], *([f"H{i:02d}", "mf"[i % 2], 40 + i] for i in range(20))]
    earlier = [*later[:10], ["H09", "f", 12]]
    [note] = [one for one in notes_on(tmp_path, may=later, april=earlier) if "earlier export" in one]
    assert note.startswith("APRIL: 9 of its 10 rows are in MAY as they are")
    assert note.endswith('merge: {"ignore": ["APRIL"]}')
    visit = [later[0], *([person, sex, score + 1] for person, sex, score in later[1:])]
    assert not notes_on(tmp_path, may=later, april=visit)


def test_tables_whose_files_have_other_columns_are_no_exports_of_one_another() -> None:
    rows = pd.DataFrame({"patient_id": [f"H{i:02d}" for i in range(20)], "x": "1", "y": "2"})
    whole, part = (SourceTable("A", "a.csv", "", frame, {}, ()) for frame in (rows, rows.drop(columns="y")))
    state: Any = SimpleNamespace(rule=SubjectIdRule(column="patient_id"))
    ids = pd.Index(rows["patient_id"])
    assert not questions_of_tables({"A": [whole], "B": [whole, part]}, ids, state)
    assert questions_of_tables({"A": [whole], "B": [whole, whole]}, ids, state)


def test_a_table_of_ids_alone_is_asked_about(tmp_path: Path) -> None:
    ids = [f"H{i:02d}" for i in range(20)]
    [note] = notes_on(
        tmp_path,
        dm=[["patient_id", "sex"], *([one, "f"] for one in ids)],
        consent=[["patient_id"], *([one] for one in ids)],
    )
    assert note.startswith("CONSENT: it has ids alone")


def test_ids_of_a_trial_of_the_system_are_asked_about_where_the_others_are_none(tmp_path: Path) -> None:
    def asked(*more: str) -> bool:
        rows = [[one, "f"] for one in (*(f"10-{i:02d}" for i in range(40)), *more)]
        return any("TEST" in note for note in notes_on(tmp_path, dm=[["patient_id", "sex"], *rows]))

    assert asked("TEST-01")
    assert not asked("TESTA-01")
    assert not asked(*(f"DEMO-{i}" for i in range(40)))


def test_births_of_two_tables_that_contradict_each_other_for_few_are_asked_about(tmp_path: Path) -> None:
    def asked(later: int, n_changed: int, form: str = "{}-05-07") -> list[str]:
        years = {f"H{i:02d}": 1950 + i for i in range(20)}
        first = [["patient_id", "birth_date"], *([one, f"{year}-05-07"] for one, year in years.items())]
        second = [
            ["patient_id", "birth_date", "crp"],
            *(
                [one, form.format(year + later * (i < n_changed)), str(i)]
                for i, (one, year) in enumerate(years.items())
            ),
        ]
        return [note for note in notes_on(tmp_path, a=first, b=second) if "another value" in note]

    assert asked(10, 3)[0].startswith("3 people have another value in A__birth_date than in B__birth_date")
    assert not asked(1, 3)  # a day's shift, on the first of January
    assert not asked(25, 20)  # mothers and children
    assert not asked(0, 0, form="{}-05")


def test_sexes_of_two_tables_that_contradict_each_other_are_asked_about(tmp_path: Path) -> None:
    def asked(codes: str, n_changed: int) -> list[str]:
        ids = [f"H{i:02d}" for i in range(20)]
        first = [["patient_id", "sex"], *([one, "mmf"[i % 3]] for i, one in enumerate(ids))]
        second = [["patient_id", "sex"], *([one, codes[(i % 3 > 1) ^ (i < n_changed)]] for i, one in enumerate(ids))]
        return [note for note in notes_on(tmp_path, a=first, b=second) if "another value" in note]

    assert asked("mf", 3)[0].startswith("3 people have another value in A__sex than in B__sex")
    assert asked("mf", 20)[0].startswith("20 people")  # ids of one table that mean others in the next
    assert not asked("mf", 0)
    assert not asked("12", 3)
    assert not asked("mw", 0)
