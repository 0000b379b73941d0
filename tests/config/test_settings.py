"""Where settings come from: command line over environment over .env over defaults, and what paths start from."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest

from config import (
    KEEP_RUNS,
    LARGEST_CONFIG,
    LEAST_RUNS,
    NO_PILOTS,
    REVIEW,
    check_pilot_name,
    lines_to_review,
    list_pilots,
    load_pilot_config,
    parse_config,
    read_settings,
)
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, PROJECT, SETTINGS

KEYS = "BIOSTREAMS_PILOT", "BIOSTREAMS_DATA_DIR", "BIOSTREAMS_CONFIG_DIR"
BESIDE = "desk/../data", "desk/../configs"
OF_DESK = "BIOSTREAMS_PILOT=CLINIC\nBIOSTREAMS_DATA_DIR=../data\nBIOSTREAMS_CONFIG_DIR=../configs\n"


@pytest.mark.parametrize(
    ("of_desk", "of_scripts", "environment", "pilot", "data", "configs"),
    {
        "the .env": (OF_DESK, None, {}, "CLINIC", *BESIDE),
        "environment over .env": (OF_DESK, None, {KEYS[0]: "WARD"}, "WARD", *BESIDE),
        "an empty variable is none": (OF_DESK, None, dict.fromkeys(SETTINGS, ""), "CLINIC", *BESIDE),
        "the environment alone": (None, None, dict(zip(KEYS, ("A", "x", "/y"), strict=True)), "A", "desk/x", "/y"),
        "each folder for itself": (OF_DESK, None, {KEYS[1]: "/z"}, "CLINIC", "/z", "desk/../configs"),
        "the .env beside the scripts": (None, OF_DESK, {}, "CLINIC", "scripts/../data", "scripts/../configs"),
        "the .env of the folder wins": (OF_DESK, "BIOSTREAMS_PILOT=WARD\n", {}, "CLINIC", *BESIDE),
        "defaults beside the .env": ("BIOSTREAMS_PILOT=B\n", "", {}, "B", "desk/pilot_report", "desk/config"),
        "defaults beside the scripts": (None, None, {}, None, "scripts/pilot_report", "scripts/config"),
    }.values(),
)  # fmt: skip
def test_the_command_line_then_the_environment_then_the_env_file_then_defaults(
    of_desk, of_scripts, environment, pilot, data, configs, tmp_path, monkeypatch
):
    for folder, text in (("desk", of_desk), ("scripts", of_scripts)):
        (tmp_path / folder).mkdir()
        if text is not None:
            (tmp_path / folder / ".env").write_text(text)
    monkeypatch.setattr("config.PROJECT_FOLDER", tmp_path / "scripts")
    found = read_settings(environment, tmp_path / "desk")
    assert (found.pilot, found.data_folder, found.config_folder) == (pilot, tmp_path / data, tmp_path / configs)


def test_the_command_line_wins_over_a_name_that_could_be_no_pilots(fresh, doors, monkeypatch):
    fresh.sibling("WARD")
    monkeypatch.setenv("BIOSTREAMS_PILOT", "../x")
    run = doors.start(1, "WARD")
    assert (run.err, run.status, list(run.outcomes)) == ("", DONE, ["WARD"])


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
    shutil.copy(PROJECT / ".env.example", fresh.env_file)
    pilot = read_settings({}, fresh.desk).pilot
    settings = read_settings({"BIOSTREAMS_CONFIG_DIR": str(PROJECT / "config")}, fresh.desk)
    assert load_pilot_config(settings, pilot)
    assert (PROJECT / "pilot_report" / pilot).is_dir()


def test_the_program_s_own_files_are_no_pilots():
    """The default folder of configs holds them as well, and ``--all`` would take them for pilots."""
    settings = read_settings({}, PROJECT)
    assert {path.stem for path in (PROJECT / "config").glob("*.py")} - set(list_pilots(settings)) == set(NO_PILOTS)
    check_pilot_name(("aZ0_-" * 13)[:64])
    for name in (*NO_PILOTS, "a" * 65, "a b", ""):
        with pytest.raises(FaultyInputError, match="not a pilot's name"):
            check_pilot_name(name)


@each(
    "written, kept",
    [("7", 7), (" 7 ", 7), ("", KEEP_RUNS), (str(LEAST_RUNS), LEAST_RUNS), (str(LEAST_RUNS - 1), None),
     ("999999", 999_999), ("1000000", None), ("-7", None), ("7.0", None), ("seven", None)],
)  # fmt: skip
def test_numbers_of_settings_are_whole_and_within_bounds(tmp_path, written, kept):
    given = {"BIOSTREAMS_KEEP_RUNS": written}
    if kept is None:
        with pytest.raises(FaultyInputError):
            read_settings(given, tmp_path)
        return
    assert read_settings(given, tmp_path).keep_runs == kept


@each(
    "text, literal",
    [
        ('config = {"K": 5}', {"K": 5}),
        ('"""Why."""\nconfig = {}\n', {}),
        ('"""Why."""\n"""Why."""\nconfig = {}\n', None),
        *((text, None) for text in (
            "", "config = {}\nconfig = {}", "config = []", "config = {", "config = dict()", "other = {}",
            "config += {}", "a = config = {}", "a.config = {}", "import os\nconfig = {}", 'config = {"K": 5, "K": 6}',
            'config = {"a": {1: 2, 1: 2}}',
        )),
    ],
)  # fmt: skip
def test_a_config_is_one_literal_and_nothing_else(text, literal):
    if literal is None:
        with pytest.raises(FaultyInputError) as caught:
            parse_config(text, "P.py")
        assert len(caught.value.faults) == 1
        return
    assert parse_config(text, "P.py") == literal


def test_a_config_of_any_sensible_size_is_read_and_its_marks_are_counted(tmp_path):
    settings = replace(read_settings({}, tmp_path), config_folder=tmp_path)
    text = f'# {REVIEW}: a\nconfig = {{"a": "# {REVIEW}"}}  # {REVIEW}\n# other\n'
    (tmp_path / "P.py").write_text(text.ljust(LARGEST_CONFIG, "\n"))
    assert load_pilot_config(settings, "P") == {"a": f"# {REVIEW}"}
    assert lines_to_review(text) == 2
    (tmp_path / "P.py").write_text(text.ljust(LARGEST_CONFIG + 1, "\n"))
    with pytest.raises(FaultyInputError):
        load_pilot_config(settings, "P")
    assert list_pilots(settings) == ["P"]
