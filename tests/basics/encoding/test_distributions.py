"""A sample is a list of values, a distribution has shares; what may be both is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.encoding.distributions import weighted_values
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each

FAULT = "a fault"


@each(
    "given, numeric, expected",
    [
        ([3, 1, 3], True, ([3, 1, 3], [1, 1, 1])),
        (["a", "b"], False, (["a", "b"], [1, 1])),
        ({"a": 1, "b": 0}, False, (["a", "b"], [1, 0])),
        ({"1": 0.5, "2": 0.5}, True, ([1, 2], [0.5, 0.5])),
        ({"a": 0}, False, FAULT),
        ({"a": 2, "b": -1}, False, FAULT),
        ({"a": np.inf}, False, FAULT),
        ({}, False, FAULT),
        (pd.Series([0.25, 0.75], index=["a", "b"]), False, (["a", "b"], [0.25, 0.75])),
        (pd.Series([0.25, 0.75], index=["a", "a"]), False, ([0.25, 0.75], [1, 1])),
        (pd.Series([0.25, 0.5], index=["a", "b"]), False, ([0.25, 0.5], [1, 1])),
        (pd.Series([1.5, -0.5], index=["a", "b"]), False, ([1.5, -0.5], [1, 1])),
        (pd.Series([0.25, 0.75], index=[5, 7]), True, ([5, 7], [0.25, 0.75])),
        (pd.Series([0.25, 0.75]), True, FAULT),  # by row number: both may be meant
        (pd.Series([0.25, 0.75], name="proportion"), True, ([0, 1], [0.25, 0.75])),
        (pd.Series([0.0, 1.0]), True, ([0, 1], [1, 1])),  # two people
        (pd.Series([0.0, 1.0], index=["a", "b"]), False, (["a", "b"], [0, 1])),
        (pd.Series([1, 0], index=["a", "b"]), False, ([1, 0], [1, 1])),
    ],
)
def test_values_and_their_weights(given, numeric, expected):
    if expected is FAULT:
        with pytest.raises(FaultyInputError):
            weighted_values(given, numeric)
        return
    values, weights = weighted_values(given, numeric)
    assert (values.tolist(), weights.tolist()) == expected
    assert (values.dtype == object) is not numeric
