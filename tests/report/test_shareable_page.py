"""The page for outside the house: what it tells gives no small count away, and names nobody of few."""

import itertools
import json
import re
from dataclasses import dataclass

import pandas as pd
import pytest
from hypothesis import given

from disclosure_control.basics.telling.small_counts import GroupShare
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.steps.risk.sections.by_group import outside
from tests.examples import examples
from tests.report.small_pilots import CONFIG, RARE_TOWN, SmallRun, pilots, run_of
from tests.report.test_page import Page

THRESHOLD = 10
NARROWEST = THRESHOLD - 2  # the width of 1 to 9
STEPS = {"risk": "all", "recommend": {"time_limit": 5}, "treatment": [{"method": "recommended"}]}


@dataclass(frozen=True)
class SharedRun:
    """A run, its shareable page, the counts of people that the page was allowed to tell, and its curves."""

    run: SmallRun
    page: str
    counts: set[int]

    @property
    def curves(self) -> list[dict]:
        return json.loads(re.search(r'id="what-if-data">(.*?)</script>', self.page, re.S)[1])["curves"]


def shared(pilot, folder) -> SharedRun:
    frame, config = pilot
    run, counts = run_of(frame, config | STEPS, folder), set()
    tell = ToldCounts.tell

    def recorded(self, n, whole=None):
        told = tell(self, n, whole)
        counts.add(told)
        return told

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ToldCounts, "tell", recorded)
        page = run.shareable_page()
    return SharedRun(run, page, counts - {None})


@pytest.mark.thorough("1 s: a whole run with every step")
@given(pilot=pilots())
@examples(30)
def test_no_difference_of_told_counts_is_small(pilot, tmp_path):
    counts, n = shared(pilot, tmp_path).counts, len(pilot[0])
    if n < THRESHOLD:
        assert counts == set()
        return
    for one, other in itertools.combinations(sorted(counts | {0, n}), 2):
        if one + other != n:  # who is not in the one set is in the other: that tells no third number
            assert other - one >= THRESHOLD
            assert abs(n - other - one) >= THRESHOLD


@pytest.mark.thorough("0.4 s; differences of told counts are looked at above")
@given(pilot=pilots())
@examples(30)
def test_a_masked_number_stays_as_uncertain_as_promised(pilot, tmp_path):
    """What is flagged grows with K and L and falls with T: a masked number lies between the told ones beside it."""
    for curve in shared(pilot, tmp_path).curves:
        if curve["evaluated"] is None:
            assert set(curve["risky"]) == {None}
            continue
        rising = curve["risky"][::-1] if curve["model"] == "t_closeness" else curve["risky"]
        for place, n in enumerate(rising):
            if n is None:
                low = max([0, *(m for m in rising[:place] if m is not None)])
                high = min([curve["evaluated"], *(m for m in rising[place:] if m is not None)])
                assert high - low >= NARROWEST


@pytest.mark.thorough("0.5 s")
@given(pilot=pilots())
@examples(30)
def test_what_is_told_is_true(pilot, tmp_path):
    """Every number in a row of the page stands there in the house, too, or is masked."""
    found = shared(pilot, tmp_path)
    inside = {row[0]: row[1:] for row in Page(found.run.page()).rows}
    for name, *cells in Page(found.page).rows:
        if name in inside:
            pairs = zip(cells, inside[name], strict=False)
            assert all(one in ("masked", "-", other) for one, other in pairs), name


@pytest.mark.thorough("1 s: a whole run with every step")
@given(pilot=pilots())
@examples(30)
def test_the_page_holds_no_id_no_rare_value_no_extreme_and_no_line_of_the_config(pilot, tmp_path):
    found = shared(pilot, tmp_path)
    assert "ZZSUBJ" not in found.page
    assert RARE_TOWN not in found.page
    assert "method" not in found.page
    for name, *cells in Page(found.page).rows:
        assert {*cells} <= {"-"} or not name.startswith(("Smallest", "Largest", "Highest", "Average"))
    for answer in found.run.summary["risk"]["three_questions"].values():
        assert answer["sentence"].split(": ")[-1] not in found.page


@pytest.mark.thorough("0.3 s")
def test_every_number_of_the_data_of_the_sliders_was_told(tmp_path):
    found = shared(_pilot_of_sixty(), tmp_path)
    in_page = {n for curve in found.curves for n in curve["risky"] if n is not None}
    assert in_page
    assert in_page <= found.counts | {0, 60}


def _pilot_of_sixty():
    import numpy as np

    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"sex": draw.choice(["F", "M"], 60), "town": draw.choice(["Alpha", "Beta"], 60)})
    frame["age"] = draw.integers(1, 80, 60).astype(float)
    frame["lab"] = draw.integers(0, 30, 60).astype(float)
    return frame, CONFIG


# ---------------------------------------------------------------- the rule by hand


def test_people_and_hits_of_groups_are_apart_from_every_other_number_of_the_page():
    """300 and 295 people: of two columns, one of which lies within the other, their difference would be five people."""

    def rows(**groups: tuple[int, int]) -> list[GroupShare]:
        return [GroupShare(name, "risky", n, n_risky) for name, (n, n_risky) in groups.items()]

    counts = ToldCounts(900)
    assert outside({"x": rows(a=(600, 60), b=(300, 30))}, counts) == {"x": rows(a=(600, 60), b=(300, 30))}
    told = outside({"y": rows(c=(300, 30), d=(295, 29), e=(305, 31))}, counts)["y"]
    assert told[0] == rows(c=(300, 30))[0]
    assert [(row.people, row.hits, row.rate) for row in told[1:]] == [(None, None, None)] * 2
    # 305 people are near 300, and follow from the others: nothing is told of this column.
    assert outside({"z": rows(f=(305, 30), g=(500, 50), h=(95, 10))}, counts) == {}
