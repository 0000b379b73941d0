"""Faults of a config: files that are no literal, keys that are missing, of a wrong type or at odds with others."""

from __future__ import annotations

from tests.bad_inputs.registry import case, config_case
from tests.run.synthetic_pilot import DISTRICT, Literal

BOTH = (1, 2)
ONE_LITERAL = ("CLINIC.py", "one literal, config = {...}", "never run as code")
# Leaves a trace if it is ever run: the test compares all files.
RUNS = "__import__('pathlib').Path('EXECUTED').touch()"


@case(door=BOTH, says=[*ONE_LITERAL, "found Import in line 1"])
def config_imports_a_module(pilot):
    pilot.write_config(f"import os\nconfig = {pilot.config!r}\n")


@case(door=BOTH, says=[*ONE_LITERAL, "found a call, a name or a calculation inside the braces"])
def config_calls_a_function(pilot):
    pilot.configure(K=Literal(RUNS))


@case(door=BOTH, says=[*ONE_LITERAL, "inside the braces"])
def config_with_an_f_string(pilot):
    pilot.configure(missing_qis=Literal(f'f"{{{RUNS}}}"'))


@case(door=BOTH, says=[*ONE_LITERAL, "found 2 assignments"])
def config_assigned_twice(pilot):
    pilot.write_config(f"config = {pilot.config!r}\nconfig = {pilot.config!r}\n")


@case(door=BOTH, says=[*ONE_LITERAL, "Python cannot read in line 2"])
def config_with_a_syntax_error(pilot):
    pilot.write_config("config = {\n    'K': 5 'L': 2,\n}\n")


@case(door=BOTH, says=[*ONE_LITERAL, "Python cannot read"])
def config_with_a_nul_byte(pilot):
    pilot.write_config(f"config = {pilot.config!r}\0\n")


@case(door=BOTH, says=[*ONE_LITERAL])
def config_nested_beyond_measure(pilot):
    pilot.write_config("config = {'merge': " + "[" * 10_000 + "]" * 10_000 + "}\n")


@case(door=BOTH, says=["CLINIC.py", "keys that stand twice: 'K'", "keep one of each"])
def config_with_a_key_that_stands_twice(pilot):
    pilot.write_config(f"config = {repr(pilot.config)[:-1]}, 'K': 5}}\n")


@case(door=BOTH, says=["CLINIC.py", "keys that stand twice: 'DM__AGE'"])
def config_with_an_inner_key_that_stands_twice(pilot):
    pilot.configure(binning_config=Literal("{'DM__AGE': [0, 50], 'VS__BMI': [0, 50], 'DM__AGE': [0, 100]}"))


@case(door=BOTH, says=["CLINIC.py: found 2", "bytes; allowed: up to 2,000,000", "columns that have a role"])
def config_of_a_million_and_a_half_names(pilot):
    pilot.configure(categorical_qis=[f"COLUMN_{i:07}" for i in range(1_500_000)])


@case(door=2, says=["K: found [", "more characters ...]", "allowed:"])
def config_with_a_setting_of_many_names(pilot):
    pilot.configure(K=[f"COLUMN_{i:07}" for i in range(20_000)])


@case(door=BOTH, says=["CLINIC.py", "not UTF-8", "save the config as UTF-8"])
def config_in_cp1253(pilot):
    pilot.configure(sensitive_feature="LB__Χοληστερόλη")
    pilot.write_config(pilot.config_file.read_text(encoding="utf-8").encode("cp1253"))


@case(door=BOTH, says=[*ONE_LITERAL, "found 0 assignments"])
def config_file_is_empty(pilot):
    pilot.write_config("")


# ---------------------------------------------------------------- keys, of which tests/config asks every value


config_case("qi_is_the_subject_id", ["USUBJID", "categorical_qis"], categorical_qis=["USUBJID"])


config_case(
    "column_that_does_not_exist",
    ["column 'DM__SEXX' is not in the combined dataset", "did you mean 'DM__SEX'?"],
    categorical_qis=["DM__SEXX", f"SC__{DISTRICT}"],
)
config_case(
    "column_with_half_a_character",
    ["column 'DM__\\ud800' is not in the combined dataset"],
    categorical_qis=["DM__\ud800"],
)
config_case(
    "keys_that_are_gone",
    [
        "tables: gone since version",
        "sdcTable or ACRO",
        "intruder: gone",
        "linkage_attack",
        "pool: gone",
        "; mdav",
        "rank_swap['keep_means']: gone",
        "merge['result']: gone",
    ],
    n_faults=6,
    merge={"result": "reported"},
    tables={"method": "round"},
    treatment=[
        {"method": "sorted_microaggregation"},
        {"method": "rank_swap", "columns": ["DM__AGE"], "percent": 5, "keep_means": True},
    ],
    intruder={},
    pool={},
)
config_case(
    "config_with_five_faults",
    ["unknown key", "K: found 0", "T: found 'x'", "missing_qis: found", "binning_config['DM__AGE']: found"],
    n_faults=5,
    Q=1,
    K=0,
    T="x",
    missing_qis="no",
    binning_config={"DM__AGE": [1, 0], "VS__BMI": [20, 30, 40]},
)


@case(door=2, says=["5: unknown key", "known: categorical_qis"])
def key_that_is_a_number(pilot):
    pilot.configure(**{})
    pilot.write_config(f"config = {repr(pilot.config)[:-1]}, 5: 1}}\n")


@case(door=2, n_faults=6, says=["categorical_qis: missing", "sensitive_feature: missing", "K: missing", "T: missing"])
def config_is_an_empty_dictionary(pilot):
    pilot.write_config("config = {}\n")
