"""The lists of the docs name what is registered: models, metrics of a recoding, measures of utility, data models."""

import re

import pytest

from disclosure_control.analyses.sweep.utility import MEASURES
from disclosure_control.measures.class_sizes import CLASS_SIZE_MODELS
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
from disclosure_control.remedy.recodings.losses import METRICS
from study.models.registry import data_models
from tests.cases import each
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


@pytest.mark.parametrize("name", CLASS_SIZE_MODELS)
def test_every_model_of_class_sizes_is_named(name):
    assert f"`{name}`" in page("risk")


def test_the_metrics_are_those_that_are_registered():
    assert set(rows_of("recommend", "`metric` | ARX's name")) == set(METRICS)


def test_the_measures_of_utility_are_those_that_are_registered():
    assert rows_of("sweep", "measure") == {name: measure.words for name, measure in MEASURES.items()}


def test_the_data_models_are_those_that_are_registered():
    found = {name: row.rstrip("| ") for name, row in rows_of("models", "model | files").items()}
    assert found == {name: model.documentation for name, model in data_models().items()}
