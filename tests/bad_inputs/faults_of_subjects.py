"""Faults in who the subjects are: files that are whole, each for itself, and do not fit together."""

from __future__ import annotations

from tests.bad_inputs.registry import case
from tests.run.synthetic_pilot import csv_text, rows_of

NAME_IT = 'subject_id: {"column": "..."}'


@case(says=["No DM file beside LB, SC, VS", "DM lists the subjects", "add it"])
def no_dm_file(pilot):
    pilot.remove("DM.csv")


@case(says=["VS.csv: no column 'USUBJID' for the subject id among 2 columns", '{"files": {"VS": {"person": "..."}}}'])
def no_id_column_in_one_file(pilot):
    pilot.write("VS.csv", csv_text(rows_of("VS")).replace("USUBJID", "PATIENT"))


@case(n_faults=4, says=["DM.csv: no column 'USUBJID'", "VS.csv: no column 'USUBJID'", NAME_IT])
def no_id_column_in_any_file(pilot):
    for domain in ("DM", "VS", "LB", "SC"):
        pilot.write(f"{domain}.csv", csv_text(rows_of(domain)).replace("USUBJID", "PATIENT"))


@case(says=["VS.csv: USUBJID is empty in fewer than 10 of 12 rows", "every row needs an id"])
def blank_ids(pilot):
    rows = rows_of("VS")
    rows[1]["USUBJID"], rows[2]["USUBJID"] = "", "  "
    pilot.write_rows("VS.csv", rows)


@case(
    says=[
        "VS.csv: 12 of 12 subjects are not in DM",
        "no id in common",
        "subject_id rule",
        'merge: {"unknown_subjects": ["VS"]}',
    ]
)
def no_subject_in_common(pilot):
    pilot.write("VS.csv", csv_text(rows_of("VS")).replace("ZZSUBJ-", "zzsubj_"))


@case(says=["VS.csv: fewer than 10 of 14 subjects are not in DM", 'merge: {"unknown_subjects": ["VS"]}'])
def unknown_subjects_in_one_file(pilot):
    strangers = ("ZZSUBJ-48199", "ZZSUBJ-48198", "ZZSUBJ-48199")
    pilot.write_rows("VS.csv", rows_of("VS") + [{"USUBJID": subject, "BMI": "987.654"} for subject in strangers])


@case(
    says=[
        "VS: fewer than 10 of 12 subjects have several rows",
        "one row per subject",
        'merge: {"several_rows": {"VS": "last"}}',
    ]
)
def three_rows_for_one_subject(pilot):
    pilot.write_rows("VS.csv", rows_of("VS") + [{"USUBJID": "ZZSUBJ-48151", "BMI": "987.654"}] * 2)


@case(says=["suppdm.csv: no column QVAL", "a supplemental file needs them"])
def supplemental_file_without_values(pilot):
    pilot.write_rows("suppdm.csv", [{"USUBJID": "ZZSUBJ-48151", "QNAM": "RACE"}])


@case(says=["suppdm.csv: fewer than 10 records give a parent record a second RACEOTH", "one value", "correct the file"])
def supplemental_file_with_two_values_for_one_record(pilot):
    row = {"USUBJID": "ZZSUBJ-48151", "RDOMAIN": "DM", "IDVAR": "", "IDVARVAL": "", "QNAM": "RACEOTH"}
    pilot.write_rows("suppdm.csv", [row | {"QVAL": "MARKERONE"}, row | {"QVAL": "MARKERTWO"}])
