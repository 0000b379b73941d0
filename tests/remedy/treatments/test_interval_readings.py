"""How released intervals are read: what a treatment says of its labels ``a--b`` holds of the values behind them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.interval_labels import BANDS_HOLD, BINS_HOLD, PARTS_HOLD
from disclosure_control.remedy.treatments.registry import methods
from disclosure_control.remedy.treatments.treat import treat
from tests.examples import examples
from tests.remedy.treatments.treatment_frames import config_for

STEPS = {
    "bins": {"method": "bins", "column": "DM__AGE", "edges": [0, 10, 20, 30]},
    "band": {"method": "band", "column": "DM__AGE", "width": 10},
    "mondrian": {"method": "mondrian", "k": 3},
}


def pilot(ages):
    return pd.DataFrame({"USUBJID": [f"S{i}" for i in range(len(ages))], "DM__AGE": np.array(ages, dtype=float)})


def treated_by(method, ages):
    frame = pilot(ages)
    config = config_for(continuous=["DM__AGE"])
    return treat(frame, config, [STEPS[method]], 1)


@pytest.mark.parametrize("method", STEPS)
@examples(30)
@given(st.lists(st.integers(0, 30), min_size=6, max_size=30))
def test_what_is_said_of_the_ends_holds_of_every_value(method, ages):
    treated = treated_by(method, ages)
    reading = methods()[method].intervals
    labels = [str(label).split("--") for label in treated.frame["DM__AGE"]]
    last = max((float(label[1]) for label in labels if len(label) == 2), default=None)
    for age, label in zip(ages, labels, strict=True):
        if len(label) < 2:
            continue
        low, high = map(float, label)
        holds_end = {BINS_HOLD: high == last, BANDS_HOLD: False, PARTS_HOLD: True}[reading]
        assert low <= age < high or (holds_end and age == high)


def test_midpoints_are_no_intervals():
    frame = pilot(range(30))
    config = config_for(continuous=["DM__AGE"])
    treated = treat(frame, config, [{**STEPS["band"], "label": "midpoint"}], 1)
    assert treated.intervals == {}
