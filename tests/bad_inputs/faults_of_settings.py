"""Faults before any pilot is opened: .env, environment, names of pilots, the command line."""

from __future__ import annotations

import shutil

from tests.bad_inputs.registry import case

BOTH = (1, 2)
NOT_A_NAME = ("BIOSTREAMS_PILOT", "not a pilot's name", "letters, digits, _ and -, up to 64")


@case(door=BOTH, says=["BIOSTREAMS_PILOT", "there is no .env", "copy .env.example to .env"], names_pilot=False)
def no_env_file(pilot):
    pilot.env_file.unlink()


@case(door=BOTH, says=["BIOSTREAMS_PILOT", ".env does not set it", "command line"], names_pilot=False)
def env_file_without_a_pilot(pilot):
    pilot.write_env("# BIOSTREAMS_PILOT=CLINIC")


@case(door=BOTH, says=[".env", "UTF-8", ".env.example"], names_pilot=False)
def env_file_in_cp1253(pilot):
    pilot.env_file.write_bytes("# Κλινική\nBIOSTREAMS_PILOT=CLINIC\n".encode("cp1253"))


@case(door=BOTH, says=["CLINIK.py", "no config for the pilot CLINIK", "known pilots: CLINIC"], names_pilot=False)
def unknown_pilot(pilot):
    pilot.write_env("BIOSTREAMS_PILOT=CLINIK")


@case(door=BOTH, says=NOT_A_NAME, names_pilot=False)
def pilot_name_climbs_out_of_the_folder(pilot):
    shutil.copytree(pilot.folder, pilot.root / "OUTSIDE")
    shutil.copy(pilot.config_file, pilot.root / "OUTSIDE.py")
    pilot.write_env("BIOSTREAMS_PILOT=../OUTSIDE")


@case(door=BOTH, says=NOT_A_NAME, arguments=["../OUTSIDE"], names_pilot=False)
def pilot_name_on_the_command_line_climbs_out_of_the_folder(pilot):
    pilot_name_climbs_out_of_the_folder(pilot)
    pilot.write_env("BIOSTREAMS_PILOT=CLINIC")


@case(door=BOTH, says=NOT_A_NAME, arguments=["CLIN\0IC"], names_pilot=False)
def pilot_name_with_a_nul_byte(pilot):
    pass


@case(door=BOTH, says=NOT_A_NAME, arguments=["C" * 100_000], names_pilot=False)
def pilot_name_of_100000_letters(pilot):
    pass


@case(door=BOTH, says=NOT_A_NAME, arguments=["__init__"], names_pilot=False)
def pilot_name_is_that_of_the_package(pilot):
    (pilot.config_folder / "__init__.py").write_bytes(pilot.config_file.read_bytes())
    shutil.copytree(pilot.folder, pilot.data_folder / "__init__")


@case(door=BOTH, says=["CLINIC", "no such folder", "put the pilot's domain files there"])
def pilot_folder_missing(pilot):
    pilot.folder.rename(pilot.root / "CLINIC")


@case(door=BOTH, says=["elsewhere", "no such folder"])
def data_folder_setting_points_nowhere(pilot):
    pilot.env_file.write_text(
        "BIOSTREAMS_PILOT=CLINIC\nBIOSTREAMS_DATA_DIR=elsewhere\nBIOSTREAMS_CONFIG_DIR=../configs\n"
    )


@case(door=BOTH, says=["elsewhere", "no config for the pilot CLINIC", "known pilots: none"])
def config_folder_setting_points_nowhere(pilot):
    pilot.env_file.write_text(
        "BIOSTREAMS_PILOT=CLINIC\nBIOSTREAMS_DATA_DIR=../pilots\nBIOSTREAMS_CONFIG_DIR=elsewhere\n"
    )


@case(door=BOTH, says=["--all: no config in", "configs"], arguments=["--all"], names_pilot=False)
def all_pilots_and_no_config(pilot):
    pilot.config_file.rename(pilot.root / "CLINIC.py")


@case(door=BOTH, says=["Name pilots, or give --all, not both"], arguments=["--all", "CLINIC"], names_pilot=False)
def pilots_named_and_all_of_them(pilot):
    pass


@case(
    door=BOTH,
    says=["unrecognized arguments", "--everything"],
    arguments=["--everything"],
    n_faults=2,
    names_pilot=False,
)
def unknown_option(pilot):
    pass


RISK_ALLOWED = ("--fail-on-risk", "a number from 0 to 100")


@case(door=2, says=RISK_ALLOWED, arguments=["--fail-on-risk", "101"], n_faults=2, names_pilot=False)
def risk_limit_above_100_percent(pilot):
    pass
