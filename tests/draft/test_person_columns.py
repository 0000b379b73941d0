"""Who the person of a plain table's rows is, where no heading names one: by values, or a fault with the candidates."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from config import parse_config
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.draft.draft import draft_config
from disclosure_control.draft.person_columns import (
    common_name,
    open_candidates,
    person_of_each,
    person_of_one,
    strong_candidates,
)
from disclosure_control.run.tables import csv_bytes
from study.formats.tables import Through
from tests.cases import quick
from tests.study.models.test_flat import N_PEOPLE, german_visits, italian_results, three_tables


def drafted(**frames: pd.DataFrame):
    """The literal of the draft of these files, and the people that the merge under it counts."""
    with tempfile.TemporaryDirectory() as name:
        for stem, frame in frames.items():
            (Path(name) / f"{stem}.csv").write_bytes(csv_bytes(frame.astype("str")))
        draft = draft_config("X", Path(name), {})
    return parse_config(draft.text, "X"), len(draft.combined.frame), draft.text


def fault_of(**frames: pd.DataFrame) -> str:
    with pytest.raises(FaultyInputError) as raised:
        drafted(**frames)
    return str(raised.value)


@pytest.mark.thorough("2 s; a code alone is below")
def test_codes_with_one_sex_and_birth_each_name_the_person():
    literal, n_people, text = drafted(besuche=german_visits("kz"))
    assert (literal["subject_id"], n_people) == ({"column": "kz"}, N_PEOPLE)
    (line,) = [line for line in text.splitlines() if "seems to name the person" in line]
    assert "# review:" in line


@pytest.mark.thorough("2 s: whole drafts; their parts in the quick run")
@pytest.mark.parametrize("heading", quick(1, ["Kode", "PESEL", "Codice fiscale"], "1 s"))
def test_a_code_alone_or_the_number_of_a_state_may_name_the_person(heading):
    literal, n_people, _ = drafted(besuche=german_visits(heading))
    assert (literal["subject_id"], n_people) == ({"column": heading}, N_PEOPLE)


@pytest.mark.thorough("1.1 s")
def test_a_number_of_the_state_is_named_where_it_is_open_whose_rows_they_are():
    visits = german_visits("PESEL").drop(columns=["Geschlecht", "Geburtsdatum"])
    assert "'PESEL'" in fault_of(besuche=visits)


@pytest.mark.parametrize("heading", ["Geboortejaar", "Geburtsjahr"])
def test_a_year_of_birth_is_no_candidate(heading):
    visits = german_visits("kz").drop(columns=["Geschlecht", "Geburtsdatum"])
    visits[heading] = 1940 + visits["kz"].str[-2:].astype(int) % 60
    assert heading not in open_candidates(visits)


def test_of_codes_of_cases_and_people_the_coarser_one_is_the_person():
    visits = german_visits("kz")
    visits = visits.assign(
        aufenthalt=[f"{kz}-{day[:6]}" for kz, day in zip(visits["kz"], visits["Besuchsdatum"], strict=True)]
    )
    assert [one.name for one in strong_candidates(visits)] == ["kz"]


def test_codes_that_do_not_divide_people_are_no_candidates():
    """The referee: the same codes, thrown over the rows at random, have both sexes among the rows of most of them."""
    visits = german_visits("kz")
    thrown = visits.assign(kz=np.random.default_rng(1).permutation(visits["kz"]))
    assert strong_candidates(thrown) == []


def test_where_it_is_open_the_fault_names_candidates_and_the_line_to_write():
    visits = german_visits("kz").drop(columns=["Geschlecht", "Geburtsdatum"])
    said = fault_of(besuche=visits)
    assert "'kz'" in said
    assert 'subject_id: {"column": "kz"}' in said
    assert visits["kz"].iloc[0] not in said


def test_a_person_who_is_named_in_the_first_row_alone_is_to_be_named_in_each():
    visits = german_visits("Pat-Nr")[["Pat-Nr", "Besuchsdatum", "Gewicht"]]
    visits["Pat-Nr"] = visits["Pat-Nr"].mask(visits["Pat-Nr"].duplicated())
    assert "'Pat-Nr' names the person, but not in each of its" in fault_of(besuche=visits)


def test_visits_of_nobody_are_a_fault_and_never_people():
    visits = german_visits()[["Besuchsdatum", "Geschlecht", "Gewicht"]]
    assert "no column names their person" in fault_of(besuche=visits)


def test_rows_without_a_day_or_test_are_people_as_before():
    people = pd.DataFrame({"age": [str(20 + i % 50) for i in range(100)], "sex": ["F", "M"] * 50})
    literal, n_people, _ = drafted(register=people)
    assert (literal["subject_id"], n_people) == ({"column": None}, 100)


@pytest.mark.thorough("1.0 s")
def test_files_that_call_the_person_differently_are_joined():
    frames = {name.lower(): frame for name, frame in three_tables().items()}
    literal, n_people, _ = drafted(**frames)
    common = literal["subject_id"]["column"]
    named = {name: options["person"] for name, options in literal["merge"]["files"].items()}
    assert n_people == N_PEOPLE
    assert named | {"LABOR": common} == {"STAMMDATEN": "PatNr", "FAELLE": "patient_id", "LABOR": "pid"}
    assert literal["sensitive_feature"]
    assert literal["merge"]["events"] == {"FAELLE": {}}


def test_a_table_of_people_with_an_id_of_no_name_is_found_by_the_ids_of_others():
    people = pd.DataFrame({"Id": [f"a{i}" for i in range(40)], "GENDER": ["M", "F"] * 20})
    events = pd.DataFrame({"Id": [f"e{i}" for i in range(90)], "PATIENT": [f"a{i % 40}" for i in range(90)]})
    found = person_of_each({"PATIENTS": people, "ENCOUNTERS": events})
    assert {name: one.name for name, one in found.items()} == {"PATIENTS": "Id", "ENCOUNTERS": "PATIENT"}
    # ENCOUNTERS has another column of the name Id, so the people are called as the events call them.
    assert common_name({"PATIENTS": people, "ENCOUNTERS": events}, found) == "PATIENT"


def test_an_id_of_no_known_name_is_found_by_a_table_of_people_and_those_that_have_its_codes():
    people = pd.DataFrame({"ipp": [f"I{i:03d}" for i in range(40)], "sexe": ["HF"[i * 7 % 11 % 2] for i in range(40)]})
    stays = pd.DataFrame({"sejour": [f"S{i}" for i in range(60)], "ipp": [f"I{i % 40:03d}" for i in range(60)]})
    results = pd.DataFrame({"sejour": [f"S{i % 60}" for i in range(240)], "hb": [str(9 + i % 7) for i in range(240)]})
    found = person_of_each({"RESULTS": results, "PEOPLE": people, "STAYS": stays})
    assert {domain: one.name for domain, one in found.items()} == dict.fromkeys(found, "ipp")
    assert found["RESULTS"].through == Through("STAYS", "sejour")


def test_an_id_of_no_known_name_that_was_typed_twice_names_the_person():
    codes = [f"MX-{i:03d}" for i in range(60)]
    table = pd.DataFrame({"expediente": [codes[7], *codes[1:]], "sexo": ["hm"[i * 7 % 11 % 2] for i in range(60)]})
    assert person_of_one("T", table).name == "expediente"
    assert person_of_one("T", table.assign(expediente=codes)) is None
    assert person_of_one("T", table.assign(nr=[f"{i:03d}" for i in range(60)])) is None
    pressures = [f"{100 + i}/{60 + i // 2}" for i in (7, *range(1, 60))]
    assert person_of_one("T", table[["sexo"]].assign(rr=pressures)) is None


def test_a_table_of_which_nobody_is_known_is_a_fault_that_names_it():
    rooms = pd.DataFrame({"raum": ["x", "y"] * 20, "temperatur": [str(i) for i in range(40)]})
    said = fault_of(besuche=german_visits(), raeume=rooms)
    assert said.startswith("RAEUME: no column names the person of its 40 rows")
    assert "merge" in said


@pytest.mark.thorough("0.4 s")
def test_a_long_table_of_results_gets_people_tests_and_a_sensitive_result():
    literal, n_people, _ = drafted(laboratorio=italian_results())
    assert n_people == italian_results()["id_paziente"].nunique()
    assert literal["categorical_qis"] == ["LABORATORIO__sesso"]
    assert literal["continuous_qis"] == ["LABORATORIO__anno_nascita"]
    assert literal["sensitive_feature"][0].startswith("LABORATORIO__")


@pytest.mark.parametrize(("column", "is_said"), [("Gewicht", True), ("Besuchsdatum", False)])
def test_rows_that_no_date_orders_are_marked(column, is_said):
    literal, _, text = drafted(besuche=german_visits()[["PatNr", "Geschlecht", column]])
    assert literal.get("merge", {}).get("record") == ({"BESUCHE": "baseline"} if is_said else None)
    assert ("no column has the date of a row" in " ".join(text.split())) == is_said
