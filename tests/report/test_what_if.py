"""What the page's sliders say is what door 2 says at these thresholds."""

import itertools

import pandas as pd
import pytest
from hypothesis import given

from disclosure_control.assess.threshold_curves import threshold_curves, without_small_counts
from disclosure_control.basics.telling.small_counts import MASKED
from tests.examples import examples
from tests.report.small_pilots import CONFIG, assessed, pilots


@given(pilot=pilots())
@examples(30)
def test_the_page_of_the_house_masks_small_numbers_and_small_complements_but_for_the_threshold_in_use(pilot):
    exact = threshold_curves(assessed(*pilot))
    for before, after in zip(exact, without_small_counts(exact, MASKED), strict=True):
        in_use = before.risky[before.thresholds.index(before.in_use)]
        assert all(told in (None, n) for n, told in zip(before.risky, after.risky, strict=True))
        assert in_use in after.risky
        totals = {0, before.evaluated}  # told anyway, however few people there are
        told = (totals | {n for n in after.risky if n is not None}) - {in_use}
        pairs = itertools.pairwise(sorted(told))
        assert all(other - one >= 10 for one, other in pairs if not {one, other} <= totals)


def test_steps_of_few_people_are_masked_but_for_the_threshold_in_use():
    """Of one column each step would be the size of a group: three, then seven, then thirty people."""
    towns = [*"A" * 60, *"B" * 3, *"C" * 7, *"D" * 30]
    literal = {"categorical_qis": ["TOWN"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": [], "K": 4}
    (curve,) = without_small_counts(threshold_curves(assessed(pd.DataFrame({"TOWN": towns}), literal)), MASKED)
    risky = dict(zip(curve.thresholds, curve.risky, strict=True))
    assert (risky[2], risky[4], risky[7], risky[8], risky[31]) == (0, 3, 3, None, 40)  # 10 would tell that C is 7


@pytest.mark.parametrize("k", [2, 51, 1000])
def test_the_threshold_in_use_is_on_its_slider(k):
    lab = [1.0, 2, 3, 4, 5]
    frame = pd.DataFrame({"sex": list("FMFMF"), "town": list("abcde"), "age": lab, "lab": lab})
    curve = threshold_curves(assessed(frame, CONFIG | {"K": k}))[0]
    assert curve.in_use == k
    assert curve.risky[curve.thresholds.index(k)] == 5
