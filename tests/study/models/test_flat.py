"""Plain tables: roles guessed from headings and values, long tables, keys; of made exports in three languages."""

from __future__ import annotations

import functools
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.records.domain_files import read_large_file
from disclosure_control.records.sql import database_in
from disclosure_control.run.tables import csv_bytes
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from study.models.registry import study_model
from study.models.role_words import role_of_heading
from study.models.roles import Role, TableKind
from study.models.values_seen import ValuesSeen
from study.operations import OperationKind
from tests.cases import each, quick
from tests.examples import examples
from tests.study.merge.merge_files import combine, faults_of, values

N_PEOPLE, N_ROWS = 171, 2874
STAYS_OUT = (OperationKind.REMOVE, OperationKind.REVIEW)


def table(domain: str, frame: pd.DataFrame) -> SourceTable:
    return SourceTable(domain, f"{domain.lower()}.csv", "", frame.astype("str"), {}, ())


def model_of(person: str | None, **frames: pd.DataFrame):
    return study_model([table(domain, frame) for domain, frame in frames.items()], person, "flat")


@functools.cache
def german_visits(person: str = "PatNr") -> pd.DataFrame:
    """Visits of an electronic record; everybody has one at least."""
    if person != "PatNr":
        return german_visits().rename(columns={"PatNr": person})
    random = np.random.default_rng(7)
    who = np.concatenate([np.arange(N_PEOPLE), random.integers(0, N_PEOPLE, N_ROWS - N_PEOPLE)])
    begin = np.datetime64("2019-01-01") + random.integers(0, 300, N_PEOPLE)
    day = begin[who] + random.integers(0, 700, N_ROWS)
    born = np.datetime64("1940-01-01") + random.integers(0, 22_000, N_PEOPLE)
    return pd.DataFrame(
        {
            person: [f"P{one:05d}" for one in random.permutation(90_000)[:N_PEOPLE][who]],
            "Fallnummer": [f"F{one}" for one in random.permutation(100_000)[:N_ROWS]],
            "Besuchsdatum": day.astype(str),
            "Geburtsdatum": born[who].astype(str),
            "Geschlecht": np.array(["M", "W"])[who % 2],
            "PLZ": random.choice(["80331", "81667", "10115"], N_PEOPLE)[who],
            "Station": random.choice(["Innere 1", "Chirurgie", "Kardio"], N_ROWS),
            "Hauptdiagnose": random.choice(["I10", "E11.9", "J44.1", "I25.1", "K21.0"], N_ROWS),
            "Gewicht": random.normal(80, 12, N_ROWS).round(1),
            "Rauchen": random.choice(["ja", "nein"], N_ROWS),
            "Kontakt": [f"0170 {one:07d}" for one in random.permutation(9_000_000)[:N_ROWS]],
            "Verlauf": [f"Beschwerden seit {one} Tagen, weiter beobachten" for one in range(N_ROWS)],
            "Bemerkung": "keine",
            "behandelt von": random.choice(["Dr. Anna Maus", "Dr. Bernd Vogel"], N_ROWS),
        }
    ).sample(frac=1, random_state=1, ignore_index=True)


@functools.cache
def italian_results() -> pd.DataFrame:
    """Results of a laboratory: one test in each row."""
    random = np.random.default_rng(3)
    who = random.integers(0, 60, 2000)
    return pd.DataFrame(
        {
            "id_paziente": [f"IT{one:04d}" for one in who],
            "sesso": np.array(["M", "F"])[who % 2],
            "anno_nascita": 1950 + who % 40,
            "data_prelievo": (np.datetime64("2020-01-01") + random.integers(0, 600, 2000)).astype(str),
            "esame": random.choice(["Glicemia", "Creatinina", "Emoglobina"], 2000),
            "risultato": random.normal(90, 20, 2000).round(1),
            "unita_misura": "mg/dL",
        }
    )


# ---------------------------------------------------------------- roles


@each(
    "name, expected",
    [
        ("PatNr", Role.PERSON),
        ("Fallnummer", Role.RECORD_KEY),
        ("Besuchsdatum", Role.DATE),
        ("Geburtsdatum", Role.BIRTH),
        ("Geschlecht", Role.SEX),
        ("PLZ", Role.PLACE),
        ("Station", Role.SITE),
        ("Hauptdiagnose", Role.CODED_TERM),
        ("Gewicht", Role.NUMBER),
        ("Rauchen", Role.FLAG),
        ("Verlauf", Role.VERBATIM),
        ("Bemerkung", Role.VERBATIM),
        ("behandelt von", Role.IDENTIFIER),
    ],
)
def test_roles_of_a_german_record(name, expected):
    column = model_of("PatNr", BESUCHE=german_visits()).column("BESUCHE", name)
    assert (column.role, column.is_guessed, bool(column.reason)) == (expected, name != "PatNr", True)


@each(
    "heading, expected",
    [
        ("Datum narození", Role.BIRTH),
        ("Rodné číslo", Role.IDENTIFIER),
        ("Příjmení", Role.IDENTIFIER),
        ("Úmrtí", Role.DEATH),
        ("overleden", Role.DEATH),
        ("hospital_expire_flag", Role.DEATH),
        ("hospital death", Role.DEATH),
        ("Data de óbito", Role.DEATH_DATE),
        ("admittime", Role.DATE),
        ("charttime", Role.DATE),
        ("hospital", Role.SITE),
        ("wardid", Role.SITE),
        ("PROVIDERID", Role.SITE),
        ("Lieu", Role.PLACE),
        ("round", Role.VISIT),
    ],
)
def test_headings_of_deaths_births_and_stays(heading, expected):
    assert role_of_heading(heading).role is expected


@pytest.mark.thorough("2 s: whole public exports; every form by small ones in the quick run")
@given(seed=st.integers(0, 99))
@examples(10)
def test_roles_do_not_depend_on_the_order_of_rows(seed):
    visits = german_visits().head(100)
    in_order, shuffled = (
        model_of("PatNr", BESUCHE=frame).tables["BESUCHE"]
        for frame in (visits, visits.sample(frac=1, random_state=seed, ignore_index=True))
    )
    assert dict(in_order.columns) == dict(shuffled.columns)
    assert (in_order.kind, in_order.order, in_order.short) == (shuffled.kind, shuffled.order, shuffled.short)


@given(st.lists(st.text(st.characters(codec="ascii"), min_size=12, max_size=30), min_size=30, max_size=60, unique=True))
@examples(30)
def test_texts_that_nobody_shares_never_leave(texts):
    """Whatever is written in a column of a heading that says nothing: each person has a text of their own."""
    frame = pd.DataFrame({"patient": [f"p{i}" for i in range(len(texts))], "zzz": [f"{one} {one}" for one in texts]})
    assert model_of("patient", T=frame).operation("T", "zzz").operation in STAYS_OUT


@each("heading, role", [("qqq", Role.IDENTIFIER), ("Zusatz", Role.IDENTIFIER), ("Leukozyten", Role.NUMBER)])
def test_a_number_of_each_person_is_no_measurement_unless_the_heading_says_so(heading, role):
    frame = pd.DataFrame({"patient": [f"p{i}" for i in range(50)], heading: [str(7310 + 13 * i) for i in range(50)]})
    assert model_of("patient", T=frame).column("T", heading).role is role
    pressures = frame.assign(**{heading: [f"{110 + i}/{60 + i}" for i in range(50)]})
    assert model_of("patient", T=pressures).column("T", heading).role is Role.UNKNOWN


@pytest.mark.parametrize(
    ("codes", "system"),
    [
        (["I10", "E11.9", "K21.0"], "ICD-10"),
        (["C09AA05", "A10BA02", "N02BE01"], "ATC"),
        (["8480-6", "2345-7", "718-7"], "LOINC"),
    ],
)
def test_codes_are_known_by_their_form(codes, system):
    frame = pd.DataFrame({"patient": [f"p{i}" for i in range(60)], "xyz": [codes[i % 3] for i in range(60)]})
    column = model_of("patient", T=frame).column("T", "xyz")
    assert (column.role, system in column.reason) == (Role.CODED_TERM, True)


@each("heading, role", [("procedure", Role.UNKNOWN), ("procedure code", Role.CODED_TERM), ("cpt", Role.CODED_TERM)])
def test_numbers_that_may_be_days_are_codes_where_the_heading_says_so(heading, role):
    days = [str(43_000 + i % 9 * 31) for i in range(90)]
    frame = pd.DataFrame({"patient": [f"p{i}" for i in range(90)], heading: days})
    assert model_of("patient", T=frame).column("T", heading).role is role


def test_quarters_and_weeks_are_dates_whatever_the_heading():
    frame = pd.DataFrame({"patient_id": range(60), "dx_quarter": [f"2018Q{1 + i % 4}" for i in range(60)]})
    days = {"dzim.": [f"2018-01-{10 + i % 9}" for i in range(60)]}  # the sex or a birth in Latvian, by the heading
    model = model_of("patient_id", P=frame.assign(week=[f"2018-W{10 + i % 9}" for i in range(60)], **days).astype(str))
    assert {model.column("P", name).role for name in ("dx_quarter", "week", *days)} == {Role.DATE}


def test_a_heading_of_births_over_ages_is_an_age_where_no_other_column_is_one():
    names = ("Dob", "dob bolesnika (god.)", "dob_year", "dob_yy", "dob_y", "patient dob", "age")
    frame = pd.DataFrame({"patient_id": range(60)}).assign(**dict.fromkeys(names, range(20, 80)))
    frame = frame.assign(DOB=range(39, 99)).astype(str)  # the last two digits of years
    alone = [model_of("patient_id", P=frame[["patient_id", one]]).column("P", one).role for one in (*names[:-1], "DOB")]
    assert alone == [Role.AGE] * 2 + [Role.BIRTH] * 5
    assert model_of("patient_id", P=frame).column("P", "Dob").role is Role.BIRTH


# ---------------------------------------------------------------- what rows are


def test_an_italian_laboratory_is_findings():
    found = model_of("id_paziente", LABORATORIO=italian_results()).tables["LABORATORIO"]
    assert found.kind is TableKind.FINDINGS
    assert found.short == {
        "esame": "TEST",
        "risultato": "ORRES",
        "unita_misura": "ORRESU",
        "data_prelievo": "DTC",
    }
    assert found.of_person == ("sesso", "anno_nascita")


def test_what_was_measured_beside_a_coded_term_is_merged_as_of_visits(tmp_path):
    visits = german_visits()
    people = visits.drop_duplicates("PatNr")[["PatNr", "Geschlecht"]]
    cases = visits[["PatNr", "Fallnummer", "Besuchsdatum", "Hauptdiagnose", "Gewicht"]]
    combined = combine(tmp_path, {"people.csv": people, "cases.csv": cases}, {"column": "PatNr"})
    assert combined.report["domains"]["CASES"]["form"].startswith("events")
    rows = defaultdict(list)
    for row in cases.dropna().itertuples(index=False):
        rows[row.PatNr].append((row.Besuchsdatum, row.Gewicht))
    first = {person: float(str(min(own)[1]).replace(",", ".")) for person, own in rows.items()}
    assert {person: float(one) for person, one in values(combined, "CASES__Gewicht").items()} == first
    assert "CASES__Fallnummer" not in combined.frame


@each(
    "columns, expected",
    [
        (["Besuchsdatum", "Entlassdatum"], ("Besuchsdatum",)),
        (["Studienende", "Datum"], ("Datum",)),
        (["geburtsdatum", "messdatum", "visit_nr"], ("messdatum", "visit_nr")),
        (["wann", "wert"], ("wann",)),
        (["UPDATE_DATE", "START_DATE", "IMPORT_DATE"], ("START_DATE",)),
        (["UPDATE_DATE", "DOWNLOAD_DATE", "IMPORT_DATE"], ()),
    ],
)
def test_the_date_of_a_row_is_its_own(columns, expected):
    days = [f"2020-01-{1 + i:02d}" for i in range(20)]
    frame = pd.DataFrame(dict.fromkeys(columns, days) | {"patient": ["a", "b"] * 10})
    if "visit_nr" in frame:
        frame["visit_nr"] = [str(i) for i in range(20)]
    order = model_of("patient", T=frame).tables["T"].order
    assert order[: len(expected)] == expected
    no_days = {"geburtsdatum", "Entlassdatum", "Studienende", "UPDATE_DATE", "DOWNLOAD_DATE", "IMPORT_DATE"}
    assert not no_days & set(order)


def test_facts_of_i2b2_are_findings():
    frame = pd.DataFrame(
        {
            "PATIENT_NUM": [f"1{i // 4:03d}" for i in range(80)],
            "CONCEPT_CD": ["LOINC:4548-4", "LOINC:2160-0", "LOINC:718-7", "ICD10CM:I10"] * 20,
            "START_DATE": [f"2020-01-{1 + i % 28:02d}" for i in range(80)],
            "TVAL_CHAR": ["E", "E", "E", ""] * 20,
            "NVAL_NUM": [f"{5 + i / 7:.2f}" if i % 4 < 3 else None for i in range(80)],
            "UNITS_CD": ["%", "mg/dL", "g/dL", ""] * 20,
            "UPDATE_DATE": ["2023-05-01"] * 80,
        }
    )
    found = model_of("PATIENT_NUM", OBSERVATION_FACT=frame).tables["OBSERVATION_FACT"]
    assert found.kind is TableKind.FINDINGS
    assert found.short == {"CONCEPT_CD": "TEST", "NVAL_NUM": "ORRES", "UNITS_CD": "ORRESU", "START_DATE": "DTC"}


@each(
    "heading, is_arm",
    [
        ("group", True),
        ("Studienarm", True),
        ("group in year 1", True),
        ("anchor_year_group", False),
        ("blood_group", False),
        ("arm_side", False),
        ("gestational_week", False),
    ],
)
def test_a_group_of_years_or_of_blood_is_no_arm(heading, is_arm):
    says = role_of_heading(heading)
    assert (says is not None and says.role is Role.ARM) == is_arm


@each(
    "heading, values, role",
    [
        ("Diagnose", ["03/2021", "11/2020"], Role.DATE),  # months of events move, or do not leave
        ("Diagnose", ["J45.0", "I10"], Role.CODED_TERM),
        ("Code", ["A12", "B03"], Role.CATEGORY),  # rooms
        ("Zimmer", ["A12", "B03"], Role.CATEGORY),
        ("Kod", ["00-950", "30-001"], Role.CATEGORY),  # postcodes
        ("Wohnort bei Diagnose", ["Graz", "Linz"], Role.CATEGORY),
        ("opioid_dose", list(map(str, range(7, 127))), Role.NUMBER),  # no id
        ("ålder vid diagnos", list(map(str, range(7, 127))), Role.NUMBER),
        ("number_of_steps", list(map(str, range(950, 1070))), Role.NUMBER),
        *((one, list(map(str, range(950, 1070))), Role.RECORD_KEY) for one in ("number of the case", "number of stay")),
        *((one, list(map(str, range(950, 1070))), Role.RECORD_KEY) for one in ("SUBJECTOID", "number of admission")),
    ],
)
def test_what_a_heading_says_in_part_is_not_what_its_values_are(heading, values, role):
    rows = pd.DataFrame({"pid": range(120), heading: values * (120 // len(values))})
    column = model_of("pid", T=rows).tables["T"].columns[heading]
    assert column.role is role
    assert column.is_closed == (role in (Role.CATEGORY, Role.NUMBER))


@each("limit", ["<5", "<= 5,5", "≤5", "≥ 100"])
def test_numbers_beside_limits_are_numbers(limit):
    assert ValuesSeen.of_counts(pd.Series({limit: 3, "7.2": 1, "81": 1})).is_numeric


@each(
    "heading, is_site",
    [
        *(("Pflegestation", True), ("Station", True), ("study site", True), ("tumour_site", False)),
        *(("gestation_weeks", False), ("skin manifestation", False), ("injection site", False)),
    ],
)
def test_a_gestation_is_no_station(heading, is_site):
    says = role_of_heading(heading)
    assert (says is not None and says.role is Role.SITE) == is_site


@each(
    "values, is_unit",
    [(["mmol/l", "mg/dl"], True), (["Jahre", "Monate"], True), (["ICU", "CCU"], False), (["3", "7"], False)]
    + [(["10^9/L", "mL/min/1.73 m2", "% of cells", "mm[Hg]", "{score}", "µg/dL", "G/l", "ммол/л"], True)]
    + [
        (one, False)
        for one in (
            ["IVA/HIVA", "Avd 12"],
            ["A/B", "ICU"],
            ["North", "M"],
            ["A", "M"],
            ["S/M", "M"],
            ["Unit 1", "Unit A"],
            ["Celje", "E/1"],
            ["S1", "F2"],
        )
    ],
)
def test_a_unit_is_one_by_its_values_too(values, is_unit):
    frame = pd.DataFrame({"pid": [f"P{i}" for i in range(60)], "unit": (values * 30)[:60]})
    assert (model_of("pid", T=frame).column("T", "unit").role is Role.UNIT) == is_unit


def test_units_of_time_beside_an_age_under_another_heading_are_how_often():
    frame = pd.DataFrame({"pid": [f"P{i}" for i in range(60)], "age": [str(20 + i) for i in range(60)]})
    assert model_of("pid", T=frame.assign(Rhythmus="Jahre")).column("T", "Rhythmus").role is Role.CATEGORY


def test_one_row_for_each_person_is_no_long_table():
    frame = pd.DataFrame(
        {"patient": [f"p{i}" for i in range(40)], "test": ["a", "b"] * 20, "result": [str(i) for i in range(40)]}
    )
    assert model_of("patient", T=frame).tables["T"].kind is TableKind.ROWS


# ---------------------------------------------------------------- several tables


def three_tables() -> dict[str, pd.DataFrame]:
    """People, their cases and their results, which call the person differently, and what codes mean."""
    visits = german_visits()
    people = visits.drop_duplicates("PatNr")[["PatNr", "Geschlecht"]]
    cases = visits[["PatNr", "Fallnummer", "Besuchsdatum", "Hauptdiagnose"]].rename(columns={"PatNr": "patient_id"})
    again = pd.concat([visits, visits], ignore_index=True)
    results = pd.DataFrame(
        {
            "pid": again["PatNr"],
            "Fallnummer": again["Fallnummer"],
            "Datum": again["Besuchsdatum"],
            "Analyse": [("Na", "K")[i % 2] for i in range(len(again))],
            "Wert": again["Gewicht"],
        }
    )
    codes = sorted(set(visits["Hauptdiagnose"]))
    words = pd.DataFrame({"Code": codes, "Bezeichnung": [f"Diagnose {one}" for one in codes]})
    return {"STAMMDATEN": people, "FAELLE": cases, "LABOR": results, "SCHLUESSEL": words}


def test_kinds_and_keys_of_several_tables():
    frames = {
        name: frame.rename(columns={"PatNr": "pid", "patient_id": "pid"}) for name, frame in three_tables().items()
    }
    model = model_of("pid", **frames)
    kinds = {name: found.kind for name, found in model.tables.items()}
    assert kinds == {
        "STAMMDATEN": TableKind.ROWS,
        "FAELLE": TableKind.EVENTS,
        "LABOR": TableKind.FINDINGS,
        "SCHLUESSEL": TableKind.LEGEND,
    }
    assert "SCHLUESSEL" in model.left_out
    assert model.key_scope("LABOR", "Fallnummer") == model.key_scope("FAELLE", "Fallnummer") == (False, "FAELLE")
    assert model.column("LABOR", "Fallnummer").role is Role.FOREIGN_KEY
    assert model.column("FAELLE", "Fallnummer").role is Role.RECORD_KEY


@each(
    "name, label, expected",
    [
        ("VERST", "Date of death", Role.DEATH_DATE),
        ("V7", "Geburtsdatum", Role.BIRTH),
        ("VERST", "", Role.DATE),
        ("VERST", "How many days before the death of a parent was it", Role.DATE),
        ("AUFNAHMEDATUM", "Date of death", Role.DATE),
    ],
)
def test_a_short_label_is_asked_where_the_name_says_nothing(name, label, expected):
    days = [f"2020-01-{1 + i:02d}" for i in range(20)]
    frame = pd.DataFrame({"patient": [f"p{i}" for i in range(20)], name: days}).astype("str")
    labelled = SourceTable("COHORT", "cohort.sav", "", frame, {name: label}, ())
    found = study_model([labelled], "patient", "flat").tables["COHORT"].columns[name]
    assert found.role is expected
    assert ("label of the column" in found.reason) == (label != "" and expected is not Role.DATE)


def test_a_key_that_is_called_like_a_table_names_its_rows():
    encounters = pd.DataFrame({"Id": [f"e{i}" for i in range(30)], "PATIENT": [f"p{i % 9}" for i in range(30)]})
    conditions = pd.DataFrame(
        {"PATIENT": [f"p{i % 9}" for i in range(60)], "ENCOUNTER": [f"e{i % 30}" for i in range(60)]}
    )
    hospitals = pd.DataFrame({"Id": ["h1", "h2"], "NAME": ["North", "South"]})
    encounters["HOSPITAL"] = ["h1", "h2"] * 15
    model = model_of("PATIENT", ENCOUNTERS=encounters, CONDITIONS=conditions, HOSPITALS=hospitals)
    assert model.left_out == {"HOSPITALS": "a list to which other tables refer; no row is that of a person"}
    assert model.key_scope("CONDITIONS", "ENCOUNTER") == model.key_scope("ENCOUNTERS", "Id") == (False, "ENCOUNTERS")


@each("n_items, is_list", [(3, True), (40, False)])
def test_a_list_is_known_by_a_column_that_rows_of_many_people_name(n_items, is_list):
    """``d_labitems`` of MIMIC, which no table has a column called like; rows that few people share may be theirs."""
    rows = range(120)
    results = pd.DataFrame(
        {
            "subject_id": [f"s{i % 40}" for i in rows],
            "itemid": [f"i{i % n_items}" for i in rows],
            "valuenum": [f"{i % 17}.5" for i in rows],
        }
    )
    items = pd.DataFrame({"itemid": [f"i{i}" for i in range(n_items)], "fluid": "Blood"})
    model = model_of("subject_id", LABEVENTS=results, D_LABITEMS=items)
    assert ("D_LABITEMS" in model.left_out) == is_list


@each("name", ["date", "visit", "nr"])
def test_days_visits_and_bare_numbers_are_no_list(name):
    """Each may be another one in each row of a table of people, and be shared by many people in another table."""
    days = [f"2020-01-{1 + i:02d}" for i in range(20)]
    visits = pd.DataFrame({"patient": [f"p{i // 2}" for i in range(40)], name: [days[i % 2] for i in range(40)]})
    people = pd.DataFrame({"kz": [f"p{i}" for i in range(20)], name: days})
    assert not model_of("patient", VISITS=visits, PEOPLE=people).left_out


def test_a_file_with_both_names_is_a_fault(tmp_path):
    rows = [{"id": "1", "PatNr": "7", "sex": "F"}]
    (fault,) = faults_of(tmp_path, {"lab.csv": rows}, {"column": "id"}, {"files": {"LAB": {"person": "PatNr"}}})
    assert fault.startswith("lab.csv: it has a column 'id' beside 'PatNr'")


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize(
    ("made", "person"), quick(1, [(german_visits, "PatNr"), (italian_results, "id_paziente")], "1 s")
)
def test_a_file_on_disk_is_what_it_is_in_memory(tmp_path, made, person):
    path = tmp_path / "table.csv"
    path.write_bytes(csv_bytes(made().astype("str")))
    with database_in(tmp_path) as database:
        on_disk, in_memory = (
            study_model([one], person, "flat").tables["TABLE"]
            for one in (read_large_file(path, FileOptions(), database), read_domain_file(path))
        )
    assert dict(on_disk.columns) == dict(in_memory.columns)
    assert (on_disk.kind, on_disk.order, on_disk.short) == (in_memory.kind, in_memory.order, in_memory.short)
