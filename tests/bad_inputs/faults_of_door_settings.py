"""Faults of the config keys of the merge, ``subject_id`` and ``merge``, alone or at odds with the files."""

from __future__ import annotations

from tests.bad_inputs.registry import case, config_case
from tests.run.synthetic_pilot import rows_of

BOTH = (1, 2)


def id_case(name, says, n_faults=1, **subject_id):
    config_case(f"subject_id_{name}", says, door=1, n_faults=n_faults, subject_id=subject_id)


config_case(
    "subject_id_is_a_text",
    ["subject_id: found str", "allowed: a dictionary of column"],
    door=BOTH,
    subject_id="USUBJID",
)
id_case("with_an_unknown_key", ["subject_id: unknown key 'patern'", "known: column, strip, case, pattern"], patern="x")
id_case("case_unknown", ["subject_id['case']: found 'title'", '"upper" or "lower"'], case="title")
id_case("pattern_does_not_compile", ["subject_id['pattern']: found '('", "a regular expression"], pattern="(")
id_case(
    "replacement_of_a_missing_group",
    ["subject_id['replacement']", "a group that the pattern does not have"],
    pattern=r"ZZ(\d+)",
    replacement=r"\2",
)
id_case("replacement_ends_in_a_backslash", ["subject_id['replacement']"], pattern=r"ZZ(\d+)", replacement="\\")
id_case("replacement_without_a_pattern", ["subject_id['replacement']: given without a pattern"], replacement="x")
id_case("zero_pad_negative", ["subject_id['zero_pad']: found -1", "a whole number from 0 to 64"], zero_pad=-1)
id_case("prefix_with_half_a_character", ["subject_id['prefix']: found '\\ud800'", "a text"], prefix="\ud800")
id_case("with_three_faults", ["'patern'", "['case']", "['zero_pad']"], n_faults=3, patern="x", case="x", zero_pad=-1)


def merge_case(name, says, n_faults=1, **merge):
    config_case(f"merge_{name}", says, door=1, n_faults=n_faults, merge=merge)


config_case("merge_is_a_list", ["merge: found list", "allowed: a dictionary of ignore"], door=BOTH, merge=["VS"])
merge_case("with_an_unknown_key", ["merge: unknown key 'records'", "known: ignore, study, missing"], records="last")
merge_case(
    "record_rule_unknown", ["merge['record']: found 'median'", '"baseline" or "first" or "last"'], record="median"
)
merge_case(
    "pool_of_an_unknown_difference", ["merge['pool']['LB__Glucose']: found", "SPEC"], pool={"LB__Glucose": ["VISIT"]}
)
merge_case("ignore_is_a_text", ["merge['ignore']: found 'VS'", "a list of domains"], ignore="VS")
merge_case(
    "events_without_a_variable",
    ["merge['events']['AE']: found", "{variable: a list of codes}"],
    events={"AE": ["HEADACHE"]},
)
merge_case(
    "file_option_unknown",
    ["merge['files']['VS']: unknown key 'separator'", "known: delimiter"],
    files={"VS": {"separator": ";"}},
)
merge_case(
    "encoding_unknown",
    ["merge['files']['VS']['encoding']: found 'greek-1253'", "an encoding"],
    files={"VS": {"encoding": "greek-1253"}},
)
merge_case(
    "delimiter_of_two_characters",
    ["merge['files']['VS']['delimiter']: found", "one ASCII character"],
    files={"VS": {"delimiter": ";;"}},
)
merge_case("drops_a_column_that_does_not_exist", ["merge['drop']: no column 'VS__BMII'"], drop=["VS__BMII"])
merge_case(
    "with_three_faults", ["'records'", "['record']", "['ignore']"], n_faults=3, records=1, record="x", ignore="VS"
)


@case(says=["VS.csv", "1 line with bytes that do not exist in the declared encoding ascii", "encoding"])
def declared_encoding_does_not_fit(pilot):
    pilot.write("VS.csv", pilot.folder.joinpath("VS.csv").read_text() + "ZZSUBJ-48151é,21\n")
    pilot.configure(merge={"files": {"VS": {"encoding": "ascii"}}})


@case(
    says=["VS.csv: no column 'PATIENT' for the subject id", "among 2 columns", 'subject_id: {"column": "..."}'],
    n_faults=4,
)
def subject_id_column_in_no_file(pilot):
    pilot.configure(subject_id={"column": "PATIENT"})


@case(says=["subject_id", "None} numbers the rows of one file", "4 files", "name the column"])
def rows_numbered_in_several_files(pilot):
    pilot.configure(subject_id={"column": None})


@case(
    n_faults=4,
    says=[
        "VS.csv: the subject_id rule makes 11 of 12 source ids equal to another one",
        "LB.csv",
        "change the pattern or the case",
    ],
)
def subject_id_rule_merges_everybody(pilot):
    pilot.configure(subject_id={"pattern": r"\d+", "replacement": ""})


@case(
    says=[
        "VS.csv: the subject_id rule makes fewer than 10 of 12 source ids equal to another one",
        "different ids must stay different",
    ]
)
def subject_id_rule_merges_two_subjects_of_one_file(pilot):
    rows = rows_of("VS")
    rows[1]["USUBJID"] = rows[0]["USUBJID"].lower()
    pilot.write_rows("VS.csv", rows)
    pilot.configure(subject_id={"case": "upper"})


@case(says=["DM.csv", "fewer than 10 of 12", "pattern", "every row needs an id"])
def subject_id_rule_leaves_nothing_of_an_id(pilot):
    pilot.remove("VS.csv", "LB.csv", "SC.csv")
    pilot.configure(subject_id={"pattern": "^ZZSUBJ-48151$", "replacement": ""})


@case(n_faults=1, says=["merge['events']['AE']: AE has no variable 'AEBODSYS'"])
def events_flag_of_a_variable_that_does_not_exist(pilot):
    pilot.write_rows("AE.csv", [{"USUBJID": "ZZSUBJ-48151", "AETERM": "MARKERPAIN"}])
    pilot.configure(merge={"events": {"AE": {"AEBODSYS": ["MARKERPAIN"]}}})
