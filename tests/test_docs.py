"""The docs say what is so: their lists name what is registered, their lines can be pasted, their samples printed."""

import ast
import re
import shutil
import textwrap

import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.analyses.sweep.utility import MEASURES
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.run.doors import DONE, run_door
from disclosure_control.steps import READERS
from Main_Anonymization import add_options, assess_pilot
from study.models.registry import data_models
from tests.cases import each
from tests.config_keys import faults_of_key
from tests.places import PROJECT


def page(name: str) -> str:
    return (PROJECT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def rows_of(page_name: str, header: str) -> dict[str, str]:
    """Every name in the first column of a table, and the rest of its row; the table is known by its header."""
    table = page(page_name).split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    rows = [line.strip("| ").split(" | ", 1) for line in table.splitlines()[2:]]
    return {name: rest for names, rest in rows for name in re.findall(r"`([^`]+)`", names)}


def test_the_models_are_those_that_are_registered():
    assert set(rows_of("risk", "model")) == set(SYNTACTIC_MODELS)


@each("name", SYNTACTIC_MODELS)
def test_the_row_of_a_model_says_its_direction_and_its_parameters(name):
    row = rows_of("risk", "model")[name]
    assert row.startswith(SYNTACTIC_MODELS[name].riskier)
    assert [parameter for parameter in SYNTACTIC_MODELS[name].defaults if f"`{parameter}`" not in row] == []


def test_the_metrics_are_those_that_are_registered():
    assert set(rows_of("recommend", "`metric` | ARX's name")) == set(METRICS)


def test_the_measures_of_utility_are_those_that_are_registered():
    assert list(rows_of("sweep", "measure")) == list(MEASURES)


def test_the_data_models_are_those_that_are_registered():
    found = {name: row.rstrip("| ") for name, row in rows_of("models", "model | files").items()}
    assert found == {name: model.documentation for name, model in data_models().items()}


# ---------------------------------------------------------------- lines to paste

PAGES = sorted(path.stem for path in (PROJECT / "docs").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORT = {"{...": '{"key_from": {"environment": "PILOT_KEY"}', "[...]": '[{"method": "suppress_records"}]'}


def blocks(name: str, language: str) -> list[str]:
    return [textwrap.dedent(block) for of, block in BLOCK.findall(page(name)) if of == language]


def pasted(block: str) -> dict:
    """The lines of a config as they are read; what is left out stands for the least that there can be."""
    for dots, least in SHORT.items():
        block = block.replace(dots, least)
    return ast.literal_eval("{" + block + "}")


LINES = [(name, block) for name in PAGES for block in blocks(name, "python") if not block.startswith("from ")]


@each("name, block", LINES)
def test_lines_for_a_config_can_be_pasted(name, block, monkeypatch):
    monkeypatch.setenv("PILOT_KEY", "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718")
    literal = pasted(block)
    of_steps = {key: value for key, value in literal.items() if key in READERS}
    rest = {key: value for key, value in literal.items() if key not in READERS}
    rest |= {"categorical_qis": sorted(set(re.findall(r'"(DM__\w+)"', block))), "continuous_qis": ["VS__BMI"]}
    for key, value in (of_steps or {"context": {}}).items():
        assert faults_of_key(key, value, {**of_steps, **rest}) == [], key


# ---------------------------------------------------------------- samples of what is printed

SAMPLES = {"linkage_attack": ("LINKAGE_DEMO", None), "recommend": ("PENTELI", None), "treatment": ("PENTELI", 3)}


@pytest.mark.thorough("1 to 3 s: a run of a demo each")
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_what_the_demo_prints(name, tmp_path, monkeypatch):
    """Line by line, of the demo with the lines that stand on the page: of a treatment the last steps."""
    pilot, n_steps = SAMPLES[name]
    module = ast.parse((PROJECT / "config" / f"{pilot}.py").read_text(encoding="utf-8"))
    literal = {"recommend": {}} if name == "recommend" else {}
    if n_steps:
        literal = {"treatment": pasted(blocks(name, "python")[0])["treatment"][-n_steps:]}
    (tmp_path / f"{pilot}.py").write_text(f"config = {ast.literal_eval(module.body[-1].value) | literal!r}\n")
    shutil.copytree(PROJECT / "pilot_report" / pilot, tmp_path / pilot, ignore=shutil.ignore_patterns("*processed*"))
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(tmp_path))
    assert run_door("", combine_pilot, [pilot], add_merge_options) == DONE
    assert run_door("", assess_pilot, [pilot], add_options) == DONE
    printed = tmp_path / pilot / "processed_for_anonym" / f"{pilot}_privacy_details.txt"
    lines = {line.strip() for line in printed.read_text(encoding="utf-8").splitlines()}
    (sample, *_) = blocks(name, "text")
    assert [line for line in sample.splitlines() if line.strip() not in lines] == []
