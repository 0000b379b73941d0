"""What the page tells of other thresholds: of one quasi-identifier each step would be the size of a masked group."""

from __future__ import annotations

import pandas as pd

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.basics.small_counts import HAND_TO_HAND, SmallCounts
from disclosure_control.report.page.what_if import threshold_curves


def test_steps_of_few_people_are_masked_but_for_the_threshold_in_use():
    towns = [*"A" * 60, *"B" * 3, *"C" * 7, *"D" * 30]
    literal = {"categorical_qis": ["TOWN"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": [], "K": 4}
    frame = pd.DataFrame({"TOWN": towns})
    assessment = assess(frame, validate_config(literal, frame.columns))
    (curve,) = threshold_curves(assessment, HAND_TO_HAND)
    risky = dict(zip(curve.thresholds, curve.risky, strict=True))
    assert (risky[2], risky[4], risky[7], risky[8], risky[31]) == (0, 3, 3, None, 40)  # 10 would tell that C is 7
    (curve,) = threshold_curves(assessment, SmallCounts(is_strict=True))
    risky = dict(zip(curve.thresholds, curve.risky, strict=True))
    assert (risky[2], risky[4], risky[8], risky[31]) == (0, None, 10, 40)
