"""Legends, code lists and dictionaries beside the data: what is one, and what is data however it looks."""

from __future__ import annotations

import pandas as pd

from study.formats.legends import CODES, PROSE, legends_among, why_a_legend
from study.formats.tables import SourceTable
from tests.cases import each


def columns(header: str, *rows: str) -> dict[str, list[str]]:
    cells = [row.split(",") for row in rows]
    return {name: [row[place] for row in cells] for place, name in enumerate(header.split(","))}


# Of data managers in several languages, from the headings that public dictionaries have.
LEGENDS = [
    columns("Variable,Code,Label", "Sex,m,male", "Sex,f,female"),
    columns("Spalte,Bedeutung", "geschl,Geschlecht", "alter,Alter in Jahren"),
    columns("Schlüssel,Beschreibung", "1,ja", "2,nein"),
    columns("Κωδικός,Περιγραφή", "1,άνδρας", "2,γυναίκα"),
    columns("Μεταβλητή,Επεξήγηση,Μονάδα", "HB,αιμοσφαιρίνη,g/dl"),
    columns("code,term,definition", "C1,Headache,pain in the head"),
    columns("pt_code,pt_name,soc_code,soc_name", "10019211,Headache,10029205,Nervous system disorders"),
    columns("LLT,PT,HLT,HLGT,SOC", "a,b,c,d,e"),
    columns("ATC Code,Name,ATC Level", "A10BA02,Metformin,5"),
    columns(
        "Variable / Field Name,Form Name,Section Header,Field Type,Field Label,Field Note,Identifier?,Required Field?",
        "age,demographics,,text,Age,,y,y",
    ),
]
# Each differs from a legend in one point.
DATA = [
    columns("PatNr,Code,Label", "P1,m,male", "P2,f,female"),  # names the person
    columns("Code,Label,Weight", "A,x,71", "B,y,80"),  # a heading of another kind
    columns("Code,Description", "C50,breast cancer", "C50,breast cancer"),  # rows that repeat
    columns("Parameter,Description,Value", "HB,haemoglobin,13.2", "HB,haemoglobin,11.8"),  # measurements
    columns("Nr,Code,Description", "1,E11,diabetes", "2,I10,hypertension"),  # may number people
    columns("Code description", "a", "b"),
    columns("Sex,Age", "m,50", "f,60"),
    columns("Parameter,Value,Unit", "HB,13,g/dl", "HB,11,g/dl"),  # nothing is explained
]


@each("table", LEGENDS)
def test_legends_are_known_by_their_headings(table):
    assert why_a_legend(table) == CODES
    assert why_a_legend({name: [] for name in table}) == CODES


@each("table", DATA)
@each("title", ["", "Patients"])
def test_what_differs_in_one_point_is_data(table, title):
    assert why_a_legend(table, None, title, is_sheet=True) == ""


def test_a_table_with_the_column_of_the_person_is_data():
    table = columns("Kennung,Code,Label", "K1,m,male")
    assert why_a_legend(table, "Kennung", "codelist") == ""
    assert why_a_legend(columns("Code,Label", "K1,m"), "Code") == ""
    assert why_a_legend(columns("Code,Label", "K1,m"), "Label") == ""


def test_a_column_that_other_tables_have_may_join_it():
    sheet = columns("Fall,ICD", "17,E11", "18,I10")
    assert why_a_legend(sheet, None, "Codes", is_sheet=True) == CODES
    assert why_a_legend(sheet, None, "Codes", elsewhere=["Fall"], is_sheet=True) == ""
    assert why_a_legend(LEGENDS[0], elsewhere=["Code"]) == CODES  # what a code list explains is elsewhere, too


@each(
    "title", ["Legende", "legend", "ReadMe", "Code List", "DATA_DICTIONARY", "DataDictionary", "Υπόμνημα", "Codes ICD"]
)
def test_the_name_of_a_sheet_says_it_for_a_small_list(title):
    small = columns("m,männlich", "w,weiblich")
    assert why_a_legend(small, None, title, is_sheet=True) == CODES
    assert why_a_legend(small, None, title) == ""  # a file is known by its headings
    assert why_a_legend({f"x{i}": ["1"] for i in range(5)}, None, title, is_sheet=True) == ""
    assert why_a_legend(columns("Patient,Arm", "P1,A"), None, title, is_sheet=True) == ""


def test_a_titled_file_needs_one_heading_of_a_legend():
    assert why_a_legend(columns("Code,Name", "m,male"), None, "codelist") == CODES
    assert why_a_legend(columns("Code,Name", "m,male"), None, "persons") == ""


def test_prose_is_a_sheet_of_sentences():
    sheet = {"This extract was made in May": ["Ask the register if anything is unclear", ""]}
    assert why_a_legend(sheet, is_sheet=True) == PROSE
    assert why_a_legend(sheet) == ""
    assert why_a_legend({"Comment": ["no", "yes"]}, is_sheet=True) == ""


def table(domain: str, frame: pd.DataFrame) -> SourceTable:
    return SourceTable(domain, f"{domain.lower()}.csv", "", frame.astype("str"), {}, ())


@each("n_tables", [1, 2])
def test_legends_are_beside_something(n_tables):
    legend = table("CODES", pd.DataFrame({"Code": ["m", "f"], "Label": ["male", "female"]}))
    people = table("DM", pd.DataFrame({"USUBJID": ["S1"], "Code": ["m"]}))
    assert legends_among([legend, people][:n_tables], "USUBJID") == ({"CODES": CODES} if n_tables > 1 else {})
