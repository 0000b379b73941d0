"""Which threshold asks for what: each answer is that of a config with these thresholds alone."""

from __future__ import annotations

import pandas as pd
import pytest

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.steps.recommend.by_threshold import ForThresholds, as_told, in_sentences
from disclosure_control.steps.recommend.step import run_step
from tests.cases import quick
from tests.steps.recommend.test_recommend_step import CONFIG, given, people

NOTHING = 10**6  # a T that every class meets


@pytest.mark.thorough("0.6 s")
@pytest.mark.parametrize("seed", quick(1, [1, 2, 3], "0.7 s"))
def test_each_is_the_answer_of_a_config_with_these_thresholds_alone(seed):
    frame = people(seed=seed)
    told = run_step(given(frame)).found.by_threshold
    assert [one.models for one in told] == [("k",), ("k", "l"), ("k", "l", "t")]
    for one, config in zip(told, ({"L": 1, "T": NOTHING}, {"T": NOTHING}, {}), strict=True):
        alone = run_step(given(frame, **config)).found
        assert alone.short_list[0].words == one.words
        assert one.suppressed is None or one.suppressed == alone.short_list[0].suppressed
    assert CONFIG["L"] > 1


def test_the_same_is_said_once_and_small_differences_are_masked():
    answers = [ForThresholds(("k",), "Drop A", 20), ForThresholds(("k", "l"), "Drop A", 25)]
    told = as_told(MASKED, answers, [200])
    assert [one.suppressed for one in told] == [None, 25]
    assert in_sentences(told, "200") == [
        "k alone: Drop A; an undisclosed number of 200 records left out.",
        "k and l: Drop A; 25 of 200 records left out.",
    ]
    same = [ForThresholds(("k",), "Drop A", 20), ForThresholds(("k", "l"), "Drop A", 20)]
    assert in_sentences(same, "200")[1] == "k and l: the same."
    assert in_sentences([ForThresholds(("k",), None, None)], "9") == ["k alone: no recoding was found."]


def test_the_t_that_alone_costs_a_column_is_said_with_the_t_that_keeps_it():
    """The old have 9, the young 1: each is 4 from everybody, so that T = 3 drops age; 1.25 times T is too little."""
    frame = pd.DataFrame({"sex": ["F", "M"] * 10, "age": [25.0] * 10 + [65.0] * 10, "lab": [1.0] * 10 + [9.0] * 10})
    config = {"categorical_qis": ["sex"], "binning_config": {"age": [20, 40, 80]}, "K": 5, "L": 1, "T": 3}
    result = run_step(given(frame, {"suppression_limit": 0}, **config))
    *_, last = result.found.by_threshold
    assert (last.costs, last.keeps) == (["age"], {"lab": 4.5})
    assert 'T alone costs age. To keep it, if T may be larger: "T": 4.5' in result.report
    again = run_step(given(frame, {"suppression_limit": 0}, **config | {"T": 4.5}))
    assert again.figures["levels"]["age"] == 0
    assert not again.found.by_threshold[-1].costs


def test_the_t_to_paste_is_the_one_that_was_tried():
    """Each is 4.002 from everybody: 1.25 times T = 3.2032 is 4.004, which would do, and is 4.0 in three digits."""
    frame = pd.DataFrame({"sex": ["F", "M"] * 10, "age": [25.0] * 10 + [65.0] * 10, "lab": [1.0] * 10 + [9.004] * 10})
    config = {"categorical_qis": ["sex"], "binning_config": {"age": [20, 40, 80]}, "K": 5, "L": 1, "T": 3.2032}
    told = run_step(given(frame, {"suppression_limit": 0}, **config)).found.by_threshold[-1].keeps["lab"]
    again = run_step(given(frame, {"suppression_limit": 0}, **config | {"T": told}))
    assert again.figures["levels"]["age"] == 0
