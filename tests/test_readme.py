"""The README and its pages show what the tool really says: the demo's report, every file, key and setting."""

import hashlib
import re
import shutil

import pytest

from config.model_settings import PilotConfig
from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.basics.settings.fields import settings_in
from disclosure_control.run.doors import run_door
from disclosure_control.steps import READERS
from Main_Anonymization import add_options, assess_pilot
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.cases import each
from tests.places import PROJECT, REQUIREMENTS
from tests.run.synthetic_pilot import SyntheticPilot, files_below

README, CONFIG, RESULTS = (
    (PROJECT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/config.md", "docs/results.md")
)


@pytest.fixture(scope="module")
def demo_results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    without_results = shutil.ignore_patterns("*processed_for_anonym")
    shutil.copytree(PROJECT / "pilot_report" / "PENTELI", folder / "PENTELI", ignore=without_results)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(folder))
        monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(PROJECT / "config"))
        assert run_door("", combine_pilot, ["PENTELI"], add_merge_options) == 0
        assert run_door("", assess_pilot, ["PENTELI"], add_options) == 0
    return folder / "PENTELI" / "processed_for_anonym"


@pytest.mark.thorough("2 s: a whole run of the demo")
def test_the_report_in_the_readme_is_that_of_the_demo_after_its_tables(demo_results):
    """Line by line, but for how many rules of authorities there are and how they stand: each is a file of its own."""
    report = (demo_results / "PENTELI_privacy_summary.txt").read_text(encoding="utf-8")
    shown = report_in(README)
    tables, verdict, after = report.partition("VERDICT: ")
    assert [tables.count(f"\n│ {model} ") for model in ("k <", "l of", "t of")] == [1, 1, 1]
    assert without_numbers_of_rules(verdict + after).startswith(without_numbers_of_rules(shown).rstrip())


def test_the_picture_is_of_the_report_that_the_readme_shows():
    shown_in = hashlib.sha256(report_in(README).encode()).hexdigest()
    picture = (PROJECT / "docs" / "first_report.png").read_bytes()
    assert f"Comment\0{shown_in}".encode() in picture, "python benchmarks/makers/first_picture.py, and look at it"


def report_in(readme: str) -> str:
    """The part of the demo's report that the README shows; ``benchmarks/makers/first_picture.py`` has it alike."""
    return readme.split("```text\n", 1)[1].split("```", 1)[0]


def without_numbers_of_rules(text: str) -> str:
    return re.sub(r"(?m)^Evidence: .* rules, .*(?=; evidence/rules.html)", "Evidence", text)


def test_the_list_of_files_is_complete(finished_template):
    cells = re.findall(r"^\| (`[^|]+) \|", RESULTS, re.M)
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    pilot = SyntheticPilot(finished_template)
    shown = {name.replace("<PILOT>", pilot.name).replace("<sensitive>", "LB__Cholesterol") for name in names}
    found = [name.replace("_k3_", "_k5_").replace("_l2_", "_l5_") for name in files_below(pilot.results)]
    assert set(found) <= shown


@each("key", [*settings_in(PilotConfig), *READERS])
def test_every_config_key_has_a_row(key):
    assert f"| `{key}` |" in CONFIG


@each("setting", list(MergeSettings.__dataclass_fields__))
def test_every_merge_setting_has_a_row(setting):
    assert f"| `{setting}` |" in CONFIG


@each("setting", list(SubjectIdRule.__dataclass_fields__))
def test_every_subject_id_setting_is_named(setting):
    assert f"`{setting}`" in CONFIG


def test_every_requirement_has_its_line():
    requirements = "".join(path.read_text(encoding="utf-8") for path in REQUIREMENTS)
    names = re.findall(r"^([a-z][a-z-]*)", requirements, re.M)
    table = README[README.index("## What it depends on") :]
    assert names
    assert [name for name in names if name not in table] == []
