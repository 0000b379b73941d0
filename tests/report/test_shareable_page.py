"""The page for outside the house: what it tells gives no small count away, and names nobody of few."""

import itertools
import json
import re

import pytest
from hypothesis import given

from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.page.shareable import ToldCounts, _groups, shareable_content
from disclosure_control.report.page.what_if import threshold_curves
from tests.examples import examples
from tests.report.small_pilots import RARE_TOWN, pilots, summary_of

THRESHOLD = 10
NARROWEST = THRESHOLD - 2  # the width of 1 to 9
STEPS = {"risk": "all", "recommend": {"time_limit": 5}, "treatment": [{"method": "recommended"}]}


def told_of(pilot, folder):
    frame, config = pilot
    summary, assessment = summary_of(frame, config | STEPS, folder)
    told, curves = shareable_content(summary, threshold_curves(assessment, coarse=True))
    return summary, told, curves


def counts_of_people(told: dict, curves: list) -> set[int]:
    """Every count of people that is told of the whole pilot or of what is released."""
    models = [told["k_anonymity"], *told["l_diversity"].values(), *told["t_closeness"].values()]
    models += told["missing_policies"].values()
    for view in ("before", "after", "as_released"):
        figures = told.get("treatment", {}).get(view)
        if figures:
            models += [figures["k_anonymity"], *figures["l_diversity"].values(), *figures["t_closeness"].values()]
            models.append({"evaluated": figures["records"]})
    counts = {model.get(name) for model in models for name in ("total", "evaluated", "not_evaluated", "risky")}
    counts |= {n for curve in curves for n in (*curve.risky, curve.evaluated)}
    counts |= {n for _, _, n in told["recommend"]["landscape"]["places"]}
    counts |= {answer["suppressed"] for answer in told["recommend"]["short_list"]}
    counts.add(told.get("treatment", {}).get("records_removed"))
    sets = [one for one in told["risk"]["key_sets"] if one["unique_rate"] is not None]
    counts |= {round(one["unique_rate"] * one["evaluated"]) for one in sets}
    return {n for n in counts if n is not None}


@given(pilot=pilots())
@examples(60)
def test_no_difference_of_told_counts_is_small(pilot, tmp_path):
    _, told, curves = told_of(pilot, tmp_path)
    n = len(pilot[0])
    counts = counts_of_people(told, curves)
    if n < THRESHOLD:
        assert counts == set()
        return
    for one, other in itertools.combinations(sorted(counts | {0, n}), 2):
        if one + other != n:  # who is not in the one set is in the other: that tells no third number
            assert other - one >= THRESHOLD
            assert abs(n - other - one) >= THRESHOLD


@pytest.mark.thorough("0.4 s; differences of told counts are looked at above")
@given(pilot=pilots())
@examples(60)
def test_a_masked_number_stays_as_uncertain_as_promised(pilot, tmp_path):
    """What is flagged grows with K and L and falls with T: a masked number lies between the told ones beside it."""
    curves = told_of(pilot, tmp_path)[2]
    for curve in curves:
        if curve.evaluated is None:
            assert set(curve.risky) == {None}
            continue
        rising = curve.risky[::-1] if curve.model == "t_closeness" else curve.risky
        for place, n in enumerate(rising):
            if n is None:
                low = max([0, *(m for m in rising[:place] if m is not None)])
                high = min([curve.evaluated, *(m for m in rising[place:] if m is not None)])
                assert high - low >= NARROWEST


@pytest.mark.thorough("0.5 s")
@given(pilot=pilots())
@examples(60)
def test_what_is_told_is_true(pilot, tmp_path):
    summary, told, _ = told_of(pilot, tmp_path)
    for name in ("total", "evaluated", "risky"):
        assert told["k_anonymity"][name] in (None, summary["k_anonymity"][name])
    for number, answer in enumerate(told["recommend"]["short_list"]):
        assert answer["suppressed"] in (None, summary["recommend"]["short_list"][number]["suppressed"])


@given(pilot=pilots())
@examples(60)
def test_the_page_holds_no_id_no_rare_value_no_extreme_and_no_line_of_the_config(pilot, tmp_path):
    summary, told, curves = told_of(pilot, tmp_path)
    page = privacy_page(told, curves, None, is_shareable=True)
    assert "ZZSUBJ" not in page
    assert RARE_TOWN not in page
    told_figures = json.dumps(told)
    assert not [word for word in ("minimum", "maximum", "smallest", "largest") if word in told_figures]
    assert '"method"' not in page
    for answer in summary["risk"]["three_questions"].values():
        assert answer["sentence"].split(": ")[-1] not in page


def test_every_number_of_the_data_of_the_sliders_was_told(tmp_path):
    frame, config = _pilot_of_sixty()
    _, told, curves = told_of((frame, config), tmp_path)
    page = privacy_page(told, curves, None, is_shareable=True)
    data = json.loads(re.search(r'id="what-if-data">(.*?)</script>', page, re.S)[1])
    in_page = {n for curve in data["curves"] for n in curve["risky"] if n is not None}
    assert in_page
    assert in_page <= counts_of_people(told, curves)


def _pilot_of_sixty():
    import numpy as np
    import pandas as pd

    from tests.report.small_pilots import CONFIG

    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"sex": draw.choice(["F", "M"], 60), "town": draw.choice(["Alpha", "Beta"], 60)})
    frame["age"] = draw.integers(1, 80, 60).astype(float)
    frame["lab"] = draw.integers(0, 30, 60).astype(float)
    return frame, CONFIG


# ---------------------------------------------------------------- the rule by hand


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([5], [None]),  # few
        ([95], [None]),  # all but few
        ([0, 100], [0, 100]),
        ([30, 34, 40, 30], [30, None, 40, 30]),  # 34 less 30 would be four people
        ([30, 66], [30, None]),  # 100 less 30 is 70, and 70 less 66 would be four
        ([40, 60], [40, 60]),
    ],
)
def test_counts_are_told_first_come_first_told(asked, told):
    counts = ToldCounts(100)
    assert [counts.tell(n) for n in asked] == told


def test_where_few_are_looked_at_what_they_leave_counts_too():
    counts = ToldCounts(100)
    assert counts.tell(50) == 50
    assert counts.tell(45, 50) is None
    assert counts.tell(20, 50) == 20


def test_of_fewer_people_than_the_threshold_nothing_is_told():
    assert [ToldCounts(9).tell(n) for n in range(10)] == [None] * 10


def test_people_and_hits_of_groups_are_apart_from_every_other_number_of_the_page():
    """300 and 295 people: of two columns, one of which lies within the other, their difference would be five people."""

    def rows(**groups: tuple[int, int]) -> list[dict]:
        return [
            {"group": name, "people": n, "risky": n_risky, "risky_rate": n_risky / n, "low": 0.0, "high": 1.0}
            for name, (n, n_risky) in groups.items()
        ]

    counts = ToldCounts(900)
    assert _groups(rows(a=(600, 60), b=(300, 30)), counts) == rows(a=(600, 60), b=(300, 30))
    told = _groups(rows(c=(300, 30), d=(295, 29), e=(305, 31)), counts)
    assert told[0] == rows(c=(300, 30))[0]
    assert [(row["people"], row["risky"], row["risky_rate"]) for row in told[1:]] == [(None, None, None)] * 2
    # 305 people are near 300, and follow from the others: nothing is told of this column.
    assert _groups(rows(f=(305, 30), g=(500, 50), h=(95, 10)), counts) is None
