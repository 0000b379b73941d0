"""A package that is not installed: one line with the command, status 2, at the doors, at night, within a run."""

import subprocess
import sys

import pytest

from disclosure_control.run.doors import INPUT_AT_FAULT, guarded
from disclosure_control.run.logs import Log
from disclosure_control.run.packages import PACKAGE_IS_MISSING
from tests.cases import each
from tests.places import PROJECT


@pytest.mark.thorough("0.3 s")
@each(
    "door",
    [["Create_Combined_Pilot_Dataset.py"], ["Main_Anonymization.py"], ["-m", "disclosure_control.night"]],
)
def test_a_door_without_its_packages_says_which_and_how_to_get_them(door):
    without = [sys.executable, "-S", *door, "PENTELI"]  # -S: nothing that was installed is found
    ended = subprocess.run(without, capture_output=True, text=True, check=False, cwd=PROJECT)
    assert ended.returncode == PACKAGE_IS_MISSING == INPUT_AT_FAULT
    (line,) = ended.stderr.splitlines()
    assert "is not installed" in line
    assert "-m pip install -r" in line
    assert ended.stdout == ""


def test_a_package_that_is_missed_within_a_run_is_no_fault_of_the_program(capsys):
    def work():
        import no_such_package  # noqa: F401

    assert guarded(work, Log()).status == INPUT_AT_FAULT
    assert "no_such_package is not installed" in capsys.readouterr().err


def test_a_config_written_into_the_script_is_told_where_it_goes():
    from Main_Anonymization import config_in_this_file

    said = config_in_this_file({"pilot_config": {"categorical_qis": ["DM__SEX"], "K": 5}, "other": {"a": 1}})
    assert said is not None
    assert said.startswith("pilot_config: ")
    assert "config/<PILOT>.py" in said
    assert config_in_this_file({"other": {"a": 1}, "sys": sys}) is None
