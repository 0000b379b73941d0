"""What the page's sliders say is what door 2 says at these thresholds."""

import itertools

from hypothesis import given

from disclosure_control.assess.threshold_curves import threshold_curves, without_small_counts
from disclosure_control.basics.telling.small_counts import MASKED
from tests.examples import examples
from tests.report.small_pilots import assessed, pilots


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
