"""Microaggregation in one order: the figures of sdcMicro, an example by hand, and the plain algorithm."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.settings.fields import faults_of
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.remedy.treatments.methods.sorted_microaggregation import (
    SortedMicroaggregationSettings,
    first_component,
)
from tests.examples import examples, some_of
from tests.remedy.treatments.test_microaggregation import pilot, sdcmicro_case
from tests.remedy.treatments.treatment_frames import applying

apply_sorted_microaggregation = applying("sorted_microaggregation")

METHODS = {"pca": "first_component", "single": "column", "simple": "subject"}
CASES = [(data, name, size) for data in ("testdata", "Tarragona") for name in METHODS for size in (3, 5, 10)]


def grouped(frame, columns, size, order, **more):
    treated = apply_sorted_microaggregation(pilot(frame, columns=columns), columns, size, order, **more)
    return treated.frame[list(columns)].to_numpy(float)


@pytest.mark.parametrize(("data", "name", "size"), some_of(CASES))
def test_information_loss_is_that_of_sdcmicro(data, name, size):
    case, frame = sdcmicro_case(f"microaggregation__{data}__{name}__aggr{size}")
    columns = case["params"]["variables"]
    released, original = grouped(frame, columns, size, METHODS[name]), frame[columns].to_numpy(float)
    moved = np.abs(original - released) / (np.sqrt(2) * original.std(axis=0, ddof=1))
    assert moved.sum() == pytest.approx(case["scalars"]["IL1s"], rel=1e-12)


def test_by_hand():
    """Sorted by y the pairs are (3, 1), (2, 4) and the last takes the rest; by ids those that stand together."""
    frame = pd.DataFrame({"x": [10.0, 20.0, 30.0, 40.0, 50.0], "y": [2.0, 5.0, 1.0, 6.0, 7.0]})
    by_y = grouped(frame, ["x", "y"], 2, "column", by="y")
    assert by_y[:, 0] == pytest.approx([20, 110 / 3, 20, 110 / 3, 110 / 3])
    assert by_y[:, 1].tolist() == [1.5, 6, 1.5, 6, 6]
    assert grouped(frame, ["x", "y"], 2, "column")[:, 0].tolist() == [15, 15, 40, 40, 40]
    assert grouped(frame, ["x", "y"], 2, "subject")[:, 1] == pytest.approx([3.5, 3.5, 14 / 3, 14 / 3, 14 / 3])
    assert grouped(frame, ["x", "y"], 2, "column", by="y", aggregate="median")[:, 0].tolist() == [20, 40, 20, 40, 40]


def test_the_first_component_is_that_of_the_singular_value_decomposition():
    numbers = np.random.default_rng(4).normal(size=(60, 3)) @ np.array([[2, 1, 0], [0, 1, 1], [0, 0, 0.1]])
    standard = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    loadings = np.linalg.svd(standard)[2][0]
    expected = standard @ (loadings * np.sign(loadings[0]))
    np.testing.assert_allclose(first_component(numbers), expected, rtol=1e-9, atol=1e-9)
    assert not first_component(np.ones((4, 2))).any()


@examples(60)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4) | st.none()), min_size=1, max_size=14),
    st.integers(2, 4),
    st.sampled_from(["first_component", "column", "subject"]),
)
def test_everybody_shares_the_columns_with_the_size_of_a_group_or_loses_them(rows, size, order):
    frame = pd.DataFrame(rows, columns=["x", "y"], dtype=float)
    released = pd.DataFrame(grouped(frame, ["x", "y"], size, order), columns=["x", "y"])
    alike = released.groupby(["x", "y"], dropna=False)["x"].transform(lambda part: len(part))
    few = frame.y.isna().map(frame.y.isna().value_counts()) < size
    assert (alike[~few] >= size).all()
    assert released[few].isna().all(axis=None)
    assert (released.y.isna() == (frame.y.isna() | few)).all()
    for lacks in (False, True):
        part = (frame.y.isna() == lacks) & ~few
        assert released.x[part].sum() == pytest.approx(frame.x[part].sum())


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"by": "x"}, "no effect without"), ({"by": "z", "order": "column"}, "is not one of the treated columns")],
)
def test_a_column_to_sort_by_needs_its_order_and_to_be_treated(settings, words):
    faults = faults_of(SortedMicroaggregationSettings, settings, Place("", pilot(pd.DataFrame()).config))
    assert words in "\n".join(faults)
