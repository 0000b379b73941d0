"""k, l and t of ninety people as each reader is told of them: every figure is as it was kept."""

from __future__ import annotations

import pytest

from disclosure_control.assess.outside import assessment_outside, curves_outside
from disclosure_control.assess.report import assessment_sections
from disclosure_control.assess.threshold_curves import threshold_curves
from disclosure_control.assess.told import gaps_of, told_assessment
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.basics.telling.told_outside import ToldCounts
from tests.kept import changed_since_kept
from tests.ninety_people import step_on_ninety

WAYS = {
    "category": {"sensitive_feature": ["LB__X", "DM__ZIP"], "categorical_qis": ["DM__SEX"], "K": 6, "L": 4},
    "exclude": {"out_of_range": "missing", "binning_config": {"DM__AGE": [25, 50, 75]}},
    "wildcard": {"sensitive_binning_config_for_L": {"LB__X": [0.5, 2, 3]}, "categorical_qis": ["DM__SEX"]},
}


@pytest.mark.parametrize("policy", WAYS)
def test_what_is_told(policy):
    assessment = step_on_ninety(None, missing_qis=policy, **WAYS[policy]).assessment
    counts, coarse = ToldCounts(90), threshold_curves(assessment, coarse=True)
    masked = told_assessment(MASKED, assessment)
    outside = assessment_outside(masked, counts)
    found = {"exact": told_assessment(EXACT, assessment), "masked": masked, "gaps": gaps_of(MASKED, assessment)}
    found |= {"outside": outside, "curves": threshold_curves(assessment), "coarse": coarse}
    found["curves_outside"] = curves_outside(coarse, outside, counts)
    found["sections"] = [assessment_sections(reader, "P", assessment) for reader in (EXACT, MASKED)]
    assert changed_since_kept(f"assessment_{policy}", found) == {}
