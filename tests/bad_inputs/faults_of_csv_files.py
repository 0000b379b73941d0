"""Faults of CSV files, and of the folder they lie in."""

from __future__ import annotations

from tests.bad_inputs.registry import case
from tests.run.synthetic_pilot import DISTRICT, csv_text, rows_of

LEAVE_OUT = 'merge: {"ignore": ["VS"]}'
HTML = "<!DOCTYPE html>\n<html><body>Session of MARKERUSER expired</body></html>\n"


@case(says=["VS.csv: this is an HTML page saved as .csv", "Export the data again", LEAVE_OUT])
def csv_is_an_html_page(pilot):
    pilot.write("VS.csv", HTML)


@case(says=["VS.csv: the file is empty", LEAVE_OUT])
def csv_is_empty(pilot):
    pilot.write("VS.csv", "")


@case(
    says=[
        "VS.csv: 2 records with another number of fields than the 2 columns of the header",
        "1 record with 1, 1 record with 3",
        "line 14",
        "declare the delimiter",
    ]
)
def csv_with_ragged_rows(pilot):
    text = csv_text(rows_of("VS"))
    pilot.write("VS.csv", text + "ZZSUBJ-48151\nZZSUBJ-48152,987.654,MARKER\n")


@case(
    says=[
        "SC.csv: mixed encodings: 1 line with characters in UTF-8 and 1 line that cannot be UTF-8",
        "Export the file again in one encoding",
        '"encoding": "cp1253"',
    ]
)
def csv_in_mixed_encodings(pilot):
    lines = csv_text(rows_of("SC")).encode().splitlines()
    lines[1] = "ZZSUBJ-48151,ΑττικήMARKER".encode()
    lines[2] = "ZZSUBJ-48152,ΑττικήMARKER".encode("cp1253")
    pilot.write("SC.csv", b"\n".join(lines))


@case(says=["DM.csv: no column 'USUBJID' for the subject id"])
def csv_of_texts_without_a_header(pilot):
    pilot.write("DM.csv", csv_text(rows_of("DM")).partition("\n")[2])


@case(says=["2 files for the domain VS", "VS.csv, vs.tsv", "Keep one of them"])
def two_files_for_one_domain(pilot):
    pilot.write_rows("vs.tsv", rows_of("VS"), delimiter="\t")


@case(says=["CLINIC: no data file found (1 file of other formats)", "one file per domain", ".xpt"])
def no_data_file(pilot):
    pilot.remove("DM.csv", "VS.csv", "LB.csv", "SC.csv")
    pilot.write("notes.txt", "ZZSUBJ-48151 called")


@case(says=["CLINIC: no file with data of subjects", "put the pilot's domain files there"])
def no_file_about_subjects(pilot):
    pilot.remove("DM.csv", "VS.csv", "LB.csv", "SC.csv")
    pilot.write("TS.csv", "STUDYID,TSVAL\nS1,MARKER\n")


@case(says=["VS.csv", "cannot be read"])
def csv_is_a_link_to_nowhere(pilot):
    pilot.remove("VS.csv")
    (pilot.folder / "VS.csv").symlink_to(pilot.folder / "share" / "VS.csv")


@case(says=["VS.csv", "leads out of the pilot's folder"])
def csv_is_a_link_out_of_the_pilot(pilot):
    pilot.remove("VS.csv")
    (pilot.folder / "VS.csv").symlink_to(pilot.root / "share" / "VS.csv")


@case(
    n_faults=5,
    says=[
        "DM.csv: the file has column names but no records",
        "LB.csv: 2 columns have the name 'Cholesterol'",
        "LB.csv: 1 column without a name (position 4 of 4)",
        "LB.csv: 1 record with another number of fields than the 4 columns",
        "SC.csv: this is an HTML page",
    ],
)
def five_faults_in_three_files(pilot):
    pilot.write("DM.csv", "USUBJID,AGE,SEX\n")
    pilot.write("LB.csv", "USUBJID,Cholesterol,Cholesterol,\nZZSUBJ-48151,187.6543,1,2\nZZSUBJ-48152,243.1717,1\n")
    pilot.write("SC.csv", HTML + DISTRICT)
