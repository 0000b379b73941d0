"""Thresholds that nobody can meet, or that flag nobody, are said; one step beside, nothing is."""

from __future__ import annotations

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess

FRAME = pd.DataFrame({"sex": list("ffmmf"), "dose": list("aabba")})  # five people, two doses
MEETS_ALL = {"K": 5, "L": 2, "T": 0.99}


@pytest.mark.parametrize(
    ("threshold", "at_the_limit", "words"),
    [("K", 6, "K = 6 is above the 5"), ("L", 3, "L = 3 cannot be met: dose"), ("T", 1, "T = 1 flags nobody: t of")],
)
def test_one_step_beyond_what_can_be_met_is_said(threshold, at_the_limit, words):
    assert notices_of(MEETS_ALL) == []
    (notice,) = notices_of({**MEETS_ALL, threshold: at_the_limit})
    assert notice.startswith(words)


def notices_of(thresholds: dict) -> list[str]:
    roles = {"categorical_qis": ["sex"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": "dose"}
    return list(assess(FRAME, validate_config({**roles, **thresholds}, ["sex", "dose"])).notices)
