"""Where settings come from: command line over environment over .env over defaults, and what paths start from."""

from __future__ import annotations

import re
import shutil

import pytest

from config import NO_PILOTS, check_pilot_name, list_pilots, read_settings
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, PROJECT, SETTINGS


def only_pilot_of(run) -> str:
    assert run.err == ""
    assert run.status == DONE
    (name,) = run.outcomes
    return name


def test_env_file_names_the_pilot(fresh, doors):
    assert only_pilot_of(doors.start(1)) == "CLINIC"


def test_environment_wins_over_env_file(fresh, doors, monkeypatch):
    fresh.sibling("WARD")
    monkeypatch.setenv("BIOSTREAMS_PILOT", "WARD")
    assert only_pilot_of(doors.start(1)) == "WARD"


def test_command_line_wins_over_environment_and_env_file(fresh, doors, monkeypatch):
    fresh.sibling("WARD"), fresh.sibling("ZOO")
    monkeypatch.setenv("BIOSTREAMS_PILOT", "WARD")
    assert only_pilot_of(doors.start(1, "ZOO")) == "ZOO"


def test_command_line_wins_over_a_name_that_could_be_no_pilots(fresh, doors, monkeypatch):
    monkeypatch.setenv("BIOSTREAMS_PILOT", "../x")
    assert only_pilot_of(doors.start(1, "CLINIC")) == "CLINIC"


def test_an_empty_variable_is_none(fresh, doors, monkeypatch):
    for key in SETTINGS:
        monkeypatch.setenv(key, "")
    assert only_pilot_of(doors.start(1)) == "CLINIC"


def test_environment_alone_is_enough(fresh, doors, monkeypatch):
    fresh.env_file.unlink()
    monkeypatch.setenv("BIOSTREAMS_PILOT", "CLINIC")
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(fresh.data_folder))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(fresh.config_folder))
    assert only_pilot_of(doors.start(1)) == "CLINIC"
    assert fresh.combined.exists()


def test_relative_paths_in_the_environment_start_from_the_current_folder(fresh, doors, monkeypatch):
    shutil.move(fresh.data_folder, fresh.desk / "data")
    shutil.move(fresh.config_folder, fresh.desk / "settings")
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", "data")
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", "settings")
    assert only_pilot_of(doors.start(1)) == "CLINIC"
    assert (fresh.desk / "data/CLINIC/processed_for_anonym/combined_dataset.csv").exists()


def test_each_folder_is_set_for_itself(fresh, doors, monkeypatch):
    """The data folder from the environment, the config folder from .env."""
    shutil.move(fresh.data_folder, fresh.root / "elsewhere")
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(fresh.root / "elsewhere"))
    assert only_pilot_of(doors.start(1)) == "CLINIC"


def test_relative_paths_in_env_file_start_from_its_folder_wherever_the_door_is_started(fresh, doors, monkeypatch):
    """Started from elsewhere, as by cron, the .env beside the scripts is found, and what it says holds."""
    scripts = fresh.root / "scripts"  # where the doors believe to be
    shutil.move(fresh.desk, scripts)
    (fresh.root / "cron").mkdir()
    monkeypatch.chdir(fresh.root / "cron")
    assert only_pilot_of(doors.start(1)) == "CLINIC"
    assert fresh.combined.exists()


@pytest.mark.thorough("0.3 s")
def test_env_file_of_the_current_folder_wins_over_that_beside_the_scripts(fresh, doors):
    fresh.sibling("WARD")
    scripts = fresh.root / "scripts"
    scripts.mkdir()
    (scripts / ".env").write_text(fresh.env_file.read_text().replace("CLINIC", "WARD"))
    assert only_pilot_of(doors.start(1)) == "CLINIC"
    fresh.env_file.unlink()
    assert only_pilot_of(doors.start(1)) == "WARD"


def test_defaults_lie_beside_the_env_file_in_use(fresh, doors):
    fresh.env_file.write_text("BIOSTREAMS_PILOT=CLINIC\n")
    shutil.move(fresh.data_folder, fresh.desk / "pilot_report")
    shutil.move(fresh.config_folder, fresh.desk / "config")
    assert only_pilot_of(doors.start(1)) == "CLINIC"


def test_defaults_lie_beside_the_scripts_where_there_is_no_env_file(fresh, doors):
    fresh.env_file.unlink()
    scripts = fresh.root / "scripts"
    scripts.mkdir()
    shutil.move(fresh.data_folder, scripts / "pilot_report")
    shutil.move(fresh.config_folder, scripts / "config")
    assert only_pilot_of(doors.start(1, "CLINIC")) == "CLINIC"


@pytest.mark.parametrize(
    ("spelling", "change"),
    {
        "byte_order_mark": lambda text: "\ufeff" + text,
        "carriage_returns": lambda text: text.replace("\n", "\r\n"),
        "both": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        "no_line_end": lambda text: text.rstrip("\n"),
        "quotes": lambda text: text.replace("CLINIC", '"CLINIC"'),
        "blanks": lambda text: text.replace("=", " = ").replace("CLINIC", "CLINIC  "),
        "export": lambda text: "export " + text,
        "comments": lambda text: "# a comment, Κλινική\n\n" + text.replace("CLINIC", "CLINIC # ours"),
        "other_settings": lambda text: "OTHER=1\n" + text + "BIOSTREAMS_SOMETHING=2\n",
    }.items(),
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_ways_to_write_an_env_file(spelling, change, fresh):
    as_written = read_settings({}, fresh.desk)
    fresh.env_file.write_bytes(change(fresh.env_file.read_text()).encode())
    assert read_settings({}, fresh.desk) == as_written
    assert as_written.pilot == "CLINIC"


@pytest.mark.thorough("0.5 s")
def test_names_with_every_letter_that_is_allowed(fresh, doors):
    name = ("aZ0_-" * 13)[:64]
    fresh.sibling(name)
    fresh.write_env(f"BIOSTREAMS_PILOT={name}")
    assert only_pilot_of(doors.start(1)) == name
    assert only_pilot_of(doors.start(2)) == name


def test_a_folder_is_no_env_file(fresh, doors):
    fresh.env_file.unlink()
    fresh.env_file.mkdir()
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert "there is no .env" in run.err


def test_the_example_names_every_setting():
    text = (PROJECT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^#? ?(\w+)=", text, flags=re.MULTILINE)) == set(SETTINGS)
    assert re.search(r"^BIOSTREAMS_PILOT=\w+$", text, flags=re.MULTILINE)


def test_the_example_works_as_it_is(fresh, doors):
    """Copied beside the scripts, it names a shipped pilot that has a config."""
    from config import load_pilot_config, read_settings

    shutil.copy(PROJECT / ".env.example", fresh.env_file)
    pilot = read_settings({}, fresh.desk).pilot
    settings = read_settings({"BIOSTREAMS_CONFIG_DIR": str(PROJECT / "config")}, fresh.desk)
    assert load_pilot_config(settings, pilot)
    assert (PROJECT / "pilot_report" / pilot).is_dir()


def test_the_program_s_own_files_are_no_pilots():
    """The default folder of configs holds them as well, and ``--all`` would take them for pilots."""
    settings = read_settings({}, PROJECT)
    assert {path.stem for path in (PROJECT / "config").glob("*.py")} - set(list_pilots(settings)) == set(NO_PILOTS)
    for name in NO_PILOTS:
        with pytest.raises(FaultyInputError, match="not a pilot's name"):
            check_pilot_name(name)
