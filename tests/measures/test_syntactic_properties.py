"""Properties that every registered syntactic model shares; a model that is registered is tested on arrival."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import count_sensitive_values, form_equivalence_classes
from disclosure_control.basics.encoding.hierarchies import build_hierarchy
from disclosure_control.measures.class_sizes import CLASS_SIZE_MODELS
from disclosure_control.measures.syntactic_measures import COMPARISONS, SYNTACTIC_MODELS
from disclosure_control.measures.syntactic_models import PARAMETERS, evaluate_syntactic_models
from tests.examples import examples
from tests.measures.syntactic_referee import RISKIEST, risky_records

BRIEF = examples(30)
every_model = pytest.mark.parametrize("name", SYNTACTIC_MODELS)

# Values 0 to 5 in a hierarchy of pairs and halves; a model that needs numbers, an order or a hierarchy gets one.
PATHS = [(str(value), f"pair {value // 2}", f"half {value // 4}", "*") for value in range(6)]


def parameters_for(name: str, spelling=str) -> dict:
    """What a model needs to run, with the values spelt in another way where the data are."""
    paths = [(spelling(path[0]), *path[1:]) for path in PATHS]
    needs = {"hierarchy": build_hierarchy(paths, "values"), "order": [path[0] for path in paths]}
    model = SYNTACTIC_MODELS[name]
    return {name: {model.needs: needs[model.needs]}} if model.needs in model.defaults else {}


def run(name: str, frame: pd.DataFrame, missing_qis: str = "category", spelling=str, **more):
    """One model on a frame; values are numbers for a model that needs them, else text."""
    sensitive = frame["s"] if SYNTACTIC_MODELS[name].needs == "numbers" else spelt(frame["s"], spelling)
    classes = form_equivalence_classes(frame, ["q", "r"])
    counts = {"s": count_sensitive_values(classes, sensitive)}
    parameters = parameters_for(name, spelling)
    if more:
        parameters = {name: {**parameters.get(name, {}), **more}}
    return evaluate_syntactic_models(classes, counts, missing_qis, [name], parameters)[name, "s"]


def spelt(values: pd.Series, spelling=str) -> pd.Series:
    texts = [None if np.isnan(value) else spelling(f"{value:g}") for value in values]
    return pd.Series(texts, index=values.index, dtype=object)


@st.composite
def frames(draw, min_records: int = 1) -> pd.DataFrame:
    """Two quasi-identifiers with missing values, and a sensitive number from 0 to 5, missing at times."""
    row = st.tuples(
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from([1, 2, None]),
        st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, None]),
    )
    rows = draw(st.lists(row, min_size=min_records, max_size=40))
    frame = pd.DataFrame(rows, columns=["q", "r", "s"])
    return frame.astype({"q": object, "r": "Int64", "s": float})


# ---------------------------------------------------------------- invariance


@every_model
@BRIEF
@given(frames(), st.randoms(use_true_random=False))
def test_the_order_of_records_and_their_index_mean_nothing(name, frame, random):
    positions = list(range(len(frame)))
    random.shuffle(positions)
    moved = frame.iloc[positions].set_axis([random.choice(["x", "y"]) for _ in positions], axis=0)
    before, after = run(name, frame), run(name, moved)
    np.testing.assert_array_equal(after.per_record(), before.per_record()[positions])
    assert (after.worst, after.n_evaluated) == (before.worst, before.n_evaluated)


@every_model
@BRIEF
@given(frames())
def test_a_class_does_not_depend_on_what_is_not_evaluated(name, frame):
    """Excluding records by the policy is the same as leaving them out of the file."""
    complete = frame["q"].notna() & frame["r"].notna()
    excluded = run(name, frame, "exclude")
    if complete.any() and frame.loc[complete, "s"].notna().any():
        left_out = run(name, frame[complete])
        np.testing.assert_allclose(excluded.per_record()[complete], left_out.per_record(), rtol=1e-12, atol=1e-15)
        assert (excluded.worst, excluded.n_evaluated) == (pytest.approx(left_out.worst), left_out.n_evaluated)
    assert np.isnan(excluded.per_record()[~complete]).all()


# ---------------------------------------------------------------- limit cases


@every_model
def test_a_class_with_one_value_is_the_riskiest_there_can_be(name):
    """Class a: ten people with value 0, which thirty of forty do not have."""
    frame = pd.DataFrame({"q": ["a"] * 10 + ["b"] * 30, "r": 1, "s": [0.0] * 10 + [1.0] * 15 + [5.0] * 15})
    result = run(name, frame)
    assert result.measure[0] == pytest.approx(RISKIEST[name], rel=1e-12)
    assert result.worst == result.measure[0]


@pytest.mark.thorough("0.3 s for all models")
@every_model
@BRIEF
@given(frames(min_records=10))
def test_merging_all_classes_is_never_riskier_than_the_riskiest_of_them(name, frame):
    """Coarser quasi-identifiers, down to none; the papers prove it of each model but one.

    Grassberger's correction fades as classes grow, so it may go either way.
    """
    model = SYNTACTIC_MODELS[name]
    if name == "grassberger_l" or not frame["s"].notna().any():
        return
    worst, merged = run(name, frame).worst, run(name, frame.assign(q="all", r=1)).worst
    assert (merged >= worst - 1e-12) if model.riskier == "smaller" else (merged <= worst + 1e-12)


@every_model
@BRIEF
@given(frames(), st.sampled_from([0.0, 0.3, 1.0, 2.0, 3.5]))
def test_flags_measures_and_the_riskier_direction_agree(name, frame, threshold):
    """Whoever is flagged is at more risk than whoever is not."""
    result = run(name, frame, threshold=threshold)
    of_record, risky = result.per_record(), risky_records(result)
    flagged, clear = of_record[risky], of_record[~risky & ~np.isnan(of_record)]
    assert result.n_risky == len(flagged)
    assert result.n_evaluated == len(flagged) + len(clear)
    if len(flagged) and len(clear):
        if result.model.riskier == "smaller":
            assert flagged.max() < clear.min()
        else:
            assert flagged.min() > clear.max()


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


@pytest.mark.parametrize("name", CLASS_SIZE_MODELS)
def test_every_model_of_class_sizes_is_documented(name):
    description = CLASS_SIZE_MODELS[name].__doc__
    assert re.search(r"(larger|smaller) is riskier", description)
    assert re.search(r"(19|20)\d\d.*doi:10\.\d{4,}/\S+", description)
