"""Drafted L and T beside chance and large groups: by a slow count of their own."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from config import parse_config
from disclosure_control.draft.columns import columns_of
from disclosure_control.draft.draft import draft_config
from disclosure_control.draft.thresholds import LARGE, SeenInLargeGroups, draft_l, draft_t, seen_in_large_groups
from study.models.study_model import NOTHING_KNOWN
from tests.study.merge.merge_files import write


def test_large_groups_by_hand():
    frame = pd.DataFrame(
        {
            "sex": ["f"] * 150 + ["m"] * 100 + ["x"] * 20,
            "flag": ["1"] * 75 + ["0"] * 75 + ["0"] * 100 + ["1"] * 20,
        },
        dtype="str",
    )
    found = seen_in_large_groups(frame, ["sex"], {}, "flag", None)
    share = 95 / 270
    assert found.fewest == 1  # of the hundred men
    assert found.largest == max(abs(0.5 - share), share)
    assert seen_in_large_groups(frame.iloc[: LARGE - 1], ["sex"], {}, "flag", None) == SeenInLargeGroups()


@pytest.mark.thorough("0.3 s")
def test_a_rare_diagnosis_and_a_correlated_result_do_not_decide_for_hundreds(tmp_path):
    rng = np.random.default_rng(7)
    n = 1200
    age = rng.integers(20, 80, n)
    rows = [
        {"patient_id": f"p{i}", "age": str(a), "sex": "mf"[i % 2], "glucose": f"{70 + a + rng.normal(0, 3):.1f}",
         "stroke": str(int(a > 70 and rng.random() < 0.2))}
        for i, a in enumerate(age)
    ]  # fmt: skip
    write(tmp_path / "clinic.csv", rows)
    config = parse_config(draft_config("C", tmp_path, {}).text, "c")
    assert config["L"]["CLINIC__stroke"] == 1  # hundreds of people under 70 have none
    glucose = np.array([float(row["glucose"]) for row in rows])
    oldest = glucose[age >= 70]
    assert config["T"]["CLINIC__glucose"] >= slow_wasserstein(oldest, glucose)


def slow_wasserstein(some: np.ndarray, everyone: np.ndarray) -> float:
    points = np.unique(np.concatenate([some, everyone]))
    return sum(
        abs((some <= low).mean() - (everyone <= low).mean()) * (high - low) for low, high in itertools.pairwise(points)
    )


def test_chance_among_k_people_counted_over_all_draws():
    """Of two values, one with a tenth of the people: L is 1, and T what nineteen of twenty draws of five stay below."""
    share = 0.1
    of_draw = {n: len(list(itertools.combinations(range(5), n))) * share**n * (1 - share) ** (5 - n) for n in range(6)}
    assert of_draw[0] > 0.05  # five people without the rare value are not unusual
    rows = pd.DataFrame({"x": ["1"] * 100 + ["0"] * 900}, dtype="str")
    column = column_of(rows)
    assert draft_l(column, 5).value == 1
    below = next(
        d for d in (0.1, 0.3, 0.5) if sum(p for n, p in of_draw.items() if abs(n / 5 - share) <= d + 1e-9) >= 0.95
    )
    assert draft_t(column, 5).value == below


def test_l_of_a_number_is_that_of_its_bins_beyond_the_edges_too():
    """Fifteen numbers in three bins of five: 78 of 81 draws of five people are in two bins or more, 50 of 81 in three;
    of forty, 0.2% of draws of ten are in fewer than three of the bins of ten, so the usual 3 stays.
    """
    draws = list(itertools.product(range(3), repeat=5))
    assert sum(len({*draw}) < 2 for draw in draws) / len(draws) < 0.05 < sum(len({*draw}) < 3 for draw in draws) / 243
    for n, k, expected in ((15, 5, 2), (40, 10, 3)):
        column = column_of(pd.DataFrame({"x": [f"{value + 0.5}" for value in range(n)]}, dtype="str"))
        assert draft_l(column, k).value == expected
        assert draft_l(column, k).reason.startswith(f"of {n // k} bins")


def column_of(frame: pd.DataFrame):
    named = pd.concat([pd.Series([str(i) for i in range(len(frame))], name="USUBJID"), frame.add_prefix("D__")], axis=1)
    return columns_of(named, {}, {}, [], 5, NOTHING_KNOWN)[0]
