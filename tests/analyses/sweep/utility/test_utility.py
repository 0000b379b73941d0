"""Utility: definitions worked by hand, slow referees, and properties of every measure."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.analyses.sweep.utility import OriginalPilot, measure_utility
from disclosure_control.analyses.sweep.utility.comparison import correlations
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each, quick
from tests.examples import examples
from tests.places import SHARED

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared oracles are not beside this clone")
BRIEF = examples(30)


def config_of(categorical=(), continuous=(), sensitive=()):
    literal = {
        "categorical_qis": list(categorical),
        "continuous_qis": list(continuous),
        "binning_config": {},
        "sensitive_feature": list(sensitive),
        "K": 2,
        "L": dict.fromkeys(sensitive, 2),
        "T": dict.fromkeys(sensitive, 0.5),
    }
    return validate_config(literal)


def figures(original, released, config, positions=None, eigenvalue_columns=None):
    pilot = OriginalPilot(original, config, eigenvalue_columns)
    return measure_utility(pilot.compare(released, positions))


# ---------------------------------------------------------------- sdcMicro


def microaggregated():
    path = SHARED / "oracles" / "sdcmicro" / "cases.json"
    cases = json.loads(path.read_text())["cases"] if path.is_file() else []
    assert cases or not SHARED.is_dir()
    return [case for case in cases if case["fn"] == "microaggregation" and case["rows"]]


@needs_shared
@pytest.mark.parametrize("case", quick(1, microaggregated(), "0.1 s"), ids=lambda case: case["id"])
def test_il1s_and_eigenvalues_are_those_of_sdcmicro(case):
    names, folder = case["params"]["variables"], SHARED / "oracles" / "sdcmicro"
    original = pd.read_csv(folder / "data" / f"{case['data']}.csv")[names].astype(float)
    released = pd.read_csv(folder / case["rows"])[names].astype(float)
    found = figures(original, released, config_of(continuous=names))
    assert found["IL1s"] == pytest.approx(case["scalars"]["IL1s"], rel=1e-12)
    assert found["eigenvalue_distance"] == pytest.approx(case["scalars"]["eigen"], rel=1e-9, abs=1e-13)


# ---------------------------------------------------------------- by hand

FRAME = pd.DataFrame({"sex": list("FFMM"), "age": [20.0, 30.0, 40.0, 60.0], "lab": [1.0, 2.0, 3.0, 5.0]})
CONFIG = config_of(["sex"], ["age"], ["lab"])


def test_il1_by_hand():
    released = FRAME.assign(sex=list("FMMM"), age=[25.0, 25.0, 45.0, 60.0])
    found = figures(FRAME, released, CONFIG)
    assert found["IL1_numeric"] == pytest.approx((5 + 5 + 5 + 0) / 4 / 40)  # lab did not change and is not averaged in
    assert found["IL1_categorical"] == pytest.approx(1 / 4)
    assert found["IL1_overall"] == pytest.approx((15 / 160 + 1 / 4) / 2)
    assert found["IL1_mean"] == pytest.approx((15 / 160 + 1 / 4) / 3)  # over sex, age and lab


def test_what_is_no_longer_there_counts_in_full():
    stars = figures(FRAME, FRAME.assign(sex=["*", "F", "M", "M"], age=["20", "30", "40", ">50"]), CONFIG)
    removed = figures(FRAME, FRAME.iloc[[2, 0, 1]], CONFIG, [2, 0, 1])
    dropped = figures(FRAME, FRAME.drop(columns=["age"]), CONFIG)
    assert (stars["IL1_categorical"], stars["IL1_numeric"]) == (1 / 4, 1 / 4)
    assert (removed["IL1_categorical"], removed["IL1_numeric"]) == (1 / 4, 1 / 4)
    assert (dropped["IL1_categorical"], dropped["IL1_numeric"]) == (0.0, 1.0)


def test_records_are_matched_by_position_and_not_by_order_or_index():
    released = FRAME.iloc[[3, 1]].set_index(pd.Index([1, 3]))
    found = figures(FRAME, released, CONFIG, [3, 1])
    assert found["IL1_numeric"] == found["IL1_categorical"] == 1 / 2
    assert figures(FRAME, released, CONFIG, [1, 3])["IL1_numeric"] > 1 / 2
    for positions in ([1], [1, 1], [0, 1, 2]):
        with pytest.raises(FaultyInputError, match="each needs one of its own"):
            figures(FRAME, released, CONFIG, positions)


def test_a_missing_original_is_no_loss_and_a_value_from_nowhere_is():
    frame = FRAME.assign(age=[20.0, np.nan, 40.0, 60.0], sex=["F", None, "M", "M"])
    assert figures(frame, frame.assign(sex=["F", "*", "M", "M"]), CONFIG)["IL1_overall"] == 0.0
    found = figures(frame, frame.fillna({"age": 30.0, "sex": "F"}), CONFIG)
    assert (found["IL1_numeric"], found["IL1_categorical"]) == (1 / 4, 1 / 4)


def test_codes_stay_categories_and_other_columns_are_found_out():
    frame = FRAME.assign(code=["01", "02", "03", "04"], weight=["50", "60", "70", "80"], note=list("abcd"))
    released = frame.assign(code=["01", "01", "03", "03"], weight=["55", "55", "75", "75"], note=list("abcx"))
    comparison = OriginalPilot(frame, CONFIG).compare(released)
    kinds = {name: column.is_numeric for name, column in comparison.columns.items()}
    assert kinds == {"sex": False, "age": True, "lab": True, "code": False, "weight": True, "note": False}
    assert measure_utility(comparison)["IL1_numeric"] == pytest.approx(5 / 30)
    assert set(OriginalPilot(frame, CONFIG).compare(frame).columns) == {"sex", "age", "lab"}


def test_columns_to_compare_must_be_there_and_be_numbers():
    with pytest.raises(FaultyInputError, match="column 'wieght' is not in the dataset"):
        OriginalPilot(FRAME, CONFIG, ["age", "wieght"])
    with pytest.raises(FaultyInputError, match="column 'sex': fewer than 10 of 4 values are text"):
        OriginalPilot(FRAME, CONFIG, ["age", "sex"]).compare(FRAME)


# ---------------------------------------------------------------- correlations


def test_eigenvalue_similarity_by_hand():
    """Two columns with correlation r have the eigenvalues 1 + r and 1 - r: similarity is 100 (1 - |r' - r|)."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 3.0, 2.0, 4.0]})
    released = frame.assign(b=[3.0, 1.0, 4.0, 2.0])
    r, s = np.corrcoef(frame.T)[0, 1], np.corrcoef(released.T)[0, 1]
    found = figures(frame, released, config_of((), ["a", "b"]))
    assert found["eigenvalue_similarity_percent"] == pytest.approx(100 * (1 - abs(abs(r) - abs(s))))
    constant = figures(frame, frame.assign(b=1.0), config_of((), ["a", "b"]))
    assert constant["eigenvalue_similarity_percent"] == pytest.approx(100 * (1 - abs(r)))
    assert figures(frame, frame, config_of((), ["a"]))["eigenvalue_similarity_percent"] is None


def test_correlations_delete_pairwise_and_forget_the_order():
    generator = np.random.default_rng(1)
    numbers = generator.normal(size=(200, 3))
    numbers[generator.random((200, 3)) < 0.2] = np.nan
    found = correlations(list(numbers.T))
    both = ~np.isnan(numbers[:, [0, 2]]).any(axis=1)
    assert found[0, 2] == pytest.approx(np.corrcoef(numbers[both, 0], numbers[both, 2])[0, 1], abs=1e-13)
    shuffled = numbers[generator.permutation(200)]
    assert (correlations(list(shuffled.T)) == found).all()


# ---------------------------------------------------------------- referees


@st.composite
def pairs(draw):
    """An original of 1 to 12 records, and a release of some of them: perturbed, coarsened, suppressed, in any order."""
    n = draw(st.integers(1, 12))
    values = {"sex": ["F", "M", "X", None], "age": [10.0, 20.0, 30.0, 40.0, None], "lab": [1.0, 2.0, 9.0, None]}
    original = pd.DataFrame(
        {name: draw(st.lists(st.sampled_from(v), min_size=n, max_size=n)) for name, v in values.items()}
    )
    original = original.astype({"sex": object, "age": float, "lab": float})
    positions = draw(st.permutations(range(n)))[: draw(st.integers(0, n))]
    released = original.iloc[positions].astype(object)
    labels = {
        "sex": ["F", "M", "all", "*", None],
        "age": ["10--20", "30-40", 20.0, ">30", "*", None],
        "lab": [1.0, 4.0, None],
    }
    for name, allowed in labels.items():
        for i in range(len(released)):
            if draw(st.booleans()):
                released.iloc[i, released.columns.get_loc(name)] = draw(st.sampled_from(allowed))
    return original, released, list(positions)


READ = {"10--20": 15.0, "30-40": 35.0, ">30": None, "*": None}


def slow_il1(original, released, positions, name, numeric):
    """One column's IL1, record by record: None if nothing of it changed."""
    row_of = {position: i for i, position in enumerate(positions)}
    numbers = [value for value in original[name] if not pd.isna(value)]
    spread = max(numbers) - min(numbers) if numeric and numbers else 0
    total, n, changed = 0.0, 0, False
    for position, before in enumerate(original[name]):
        after = released[name].iloc[row_of[position]] if position in row_of else None
        after = None if pd.isna(after) or after == "*" else after
        before = None if pd.isna(before) else before
        if before is None and after is None:
            continue
        n += 1
        changed |= before != after
        if not numeric or before is None or after is None:
            total += before != after
        else:
            number = READ.get(after, after)
            moved = None if number is None else abs(number - before)
            total += 1 if moved is None else moved / spread if spread else moved > 0
    return total / n if changed else None


@BRIEF
@given(pairs())
def test_il1_against_a_slow_referee(pair):
    original, released, positions = pair
    found = figures(original, released, CONFIG, positions)
    parts = {name: slow_il1(*pair, name, numeric=name != "sex") for name in original}
    numeric = [parts[name] for name in ("age", "lab") if parts[name] is not None]
    both = ([np.mean(numeric)] if numeric else []) + ([parts["sex"]] if parts["sex"] is not None else [])
    assert found["IL1_numeric"] == pytest.approx(np.mean(numeric) if numeric else 0.0)
    assert found["IL1_categorical"] == pytest.approx(parts["sex"] or 0.0)
    assert found["IL1_overall"] == pytest.approx(np.mean(both) if both else 0.0)
    assert found["IL1_mean"] == pytest.approx(sum(part or 0.0 for part in parts.values()) / 3)


@each("frame", [FRAME.iloc[:0], FRAME.iloc[:1], FRAME.assign(age=np.nan, sex=pd.Series([None] * 4, dtype=object))])
def test_pilots_of_nobody_of_one_and_without_values(frame):
    found = figures(frame, frame, CONFIG)
    json.dumps(found, allow_nan=False)
    assert found["IL1_overall"] == 0.0
