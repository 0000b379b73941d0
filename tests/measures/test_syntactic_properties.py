"""Properties that every registered syntactic model shares; a model that is registered is tested on arrival."""

import re

import pandas as pd
import pytest

from Anonymization_Models import count_sensitive_values, form_equivalence_classes
from disclosure_control.basics.encoding.hierarchies import build_hierarchy
from disclosure_control.measures.class_sizes import average_class_size, delta_presence, discernibility
from disclosure_control.measures.syntactic_measures import COMPARISONS, SYNTACTIC_MODELS
from disclosure_control.measures.syntactic_models import PARAMETERS, evaluate_syntactic_models
from tests.measures.syntactic_referee import RISKIEST

every_model = pytest.mark.parametrize("name", SYNTACTIC_MODELS)

# Values 0 to 5 in a hierarchy of pairs and halves; a model that needs numbers, an order or a hierarchy gets one.
PATHS = [(str(value), f"pair {value // 2}", f"half {value // 4}", "*") for value in range(6)]


def parameters_for(name: str) -> dict:
    """What a model needs to run."""
    needs = {"hierarchy": build_hierarchy(PATHS, "values"), "order": [path[0] for path in PATHS]}
    model = SYNTACTIC_MODELS[name]
    return {name: {model.needs: needs[model.needs]}} if model.needs in model.defaults else {}


def run(name: str, frame: pd.DataFrame):
    """One model on a frame; values are numbers for a model that needs them, else text."""
    sensitive = frame["s"] if SYNTACTIC_MODELS[name].needs == "numbers" else frame["s"].map("{:g}".format)
    classes = form_equivalence_classes(frame, ["q", "r"])
    counts = {"s": count_sensitive_values(classes, sensitive)}
    return evaluate_syntactic_models(classes, counts, "category", [name], parameters_for(name))[name, "s"]


# ---------------------------------------------------------------- limit cases


@every_model
def test_a_class_with_one_value_is_the_riskiest_there_can_be(name):
    """Class a: ten people with value 0, which thirty of forty do not have."""
    frame = pd.DataFrame({"q": ["a"] * 10 + ["b"] * 30, "r": 1, "s": [0.0] * 10 + [1.0] * 15 + [5.0] * 15})
    result = run(name, frame)
    assert result.measure[0] == pytest.approx(RISKIEST[name], rel=1e-12)
    assert result.worst == result.measure[0]


# ---------------------------------------------------------------- documentation


@every_model
def test_every_model_is_documented(name):
    model = SYNTACTIC_MODELS[name]
    assert model.name == name
    assert model.riskier in ("smaller", "larger")
    assert model.comparison in COMPARISONS
    assert (model.riskier == "smaller") == (model.comparison == "at_least")
    assert re.search(r"\d", model.value_range)
    assert re.search(r"(19|20)\d\d, doi:10\.\d{4,}/\S+", model.source)
    assert model.needs in ("", "order", "numbers", "hierarchy")
    assert set(model.defaults) <= set(PARAMETERS)
    description = " ".join((model.function.__doc__ or "").split())
    assert f"{model.riskier.capitalize()} is riskier" in description
    for parameter in model.defaults:
        assert f"``{parameter}``" in description


@pytest.mark.parametrize("measure", [average_class_size, delta_presence, discernibility])
def test_every_measure_of_class_sizes_is_documented(measure):
    description = measure.__doc__
    assert re.search(r"(larger|smaller) is riskier", description)
    assert re.search(r"(19|20)\d\d.*doi:10\.\d{4,}/\S+", description)
