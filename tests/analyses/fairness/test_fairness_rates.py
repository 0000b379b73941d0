"""Which figures of two groups are told, by the records of a pilot."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.fairness import step
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.telling.small_counts import MASKED
from tests.cases import each
from tests.config_keys import settings_of_key
from tests.examples import examples
from tests.found import InSummary


def times_ten(frame: pd.DataFrame) -> pd.DataFrame:
    """Ten people for each one, as groups below ten are not told of."""
    return pd.concat([frame] * 10, ignore_index=True)


def fairness_of(frame, settings):
    typed = settings_of_key("fairness", settings)
    groups, outcome = encode_column(frame[typed.sensitive]), frame[typed.favourable.column]
    return InSummary(step.fairness_of(MASKED, groups, typed, outcome))


SETTINGS = {"favourable": {"column": "admitted", "equals": ["yes"]}, "sensitive": "sex", "reference": "M"}


def test_at_least_the_mean():
    """Mean of 1, 2, 3 and 6 is 3: the values 3 and 6 are favourable; a text has no outcome."""
    frame = times_ten(pd.DataFrame({"x": ["1", "2", "3", "6", "text", None], "g": list("aabbab")}, dtype="str"))
    settings = {"favourable": {"column": "x", "at_least": "mean"}, "sensitive": "g", "reference": "b", "group": "a"}
    figures = fairness_of(frame, settings)
    assert (figures["reference_rate"], figures["group_rate"]) == (1.0, 0.0)
    assert figures["statistical_parity_difference"] == 1.0
    assert figures["disparate_impact"] is None
    assert figures["disparate_impact_inverse"] == 0.0
    assert figures["people"] == {
        "total": 60,
        "compared": 40,
        "without_outcome": 20,
        "without_group": 0,
        "in_other_groups": 0,
    }
    below = fairness_of(frame, {**settings, "favourable": {"column": "x", "at_most": 2}})
    assert (below["reference_rate"], below["group_rate"]) == (0.0, 1.0)


def test_whoever_is_not_compared_is_counted():
    frame = pd.DataFrame({"y": ["1", "1.0", "0", None, "1", "0"], "g": ["a", "b", "b", "a", None, "c"]}, dtype="str")
    frame = times_ten(frame)
    rule = {"column": "y", "equals": [1]}
    figures = fairness_of(frame, {"favourable": rule, "sensitive": "g", "reference": "a", "group": "b"})
    assert figures["people"] == {
        "total": 60,
        "compared": 30,
        "without_outcome": 10,
        "without_group": 10,
        "in_other_groups": 10,
    }
    assert (figures["reference_rate"], figures["group_rate"]) == (1.0, 0.5)
    others = fairness_of(frame, {"favourable": rule, "sensitive": "g", "reference": "a"})
    assert others["group"] == "(all others)"
    assert (others["n_group"], others["group_rate"]) == (30, 1 / 3)


# ---------------------------------------------------------------- small groups


def a_frame(**n_and_favoured: tuple[int, int]) -> pd.DataFrame:
    """People by group, and how many of them have the outcome "yes"; the group ``missing`` is no group."""
    rows = []
    for group, (n, n_favoured) in n_and_favoured.items():
        name = None if group == "missing" else group
        rows += [(name, "yes")] * n_favoured + [(name, "no")] * (n - n_favoured)
    return pd.DataFrame(rows, columns=["sex", "admitted"], dtype="str")


FIGURES = [
    *("n_reference", "n_group", "reference_rate", "group_rate", "meets_four_fifths", "massaging_label_changes"),
    *(f"{name}{end}" for name in ("statistical_parity_difference", "disparate_impact") for end in ("", "_95")),
    *("disparate_impact_inverse", "disparate_impact_inverse_95"),
]


def test_a_compared_group_below_ten_people_has_no_figures_and_the_reason_is_told():
    figures = fairness_of(a_frame(M=(100, 60), F=(80, 50), Rare=(2, 1)), {**SETTINGS, "group": "Rare"})
    assert {figures[name] for name in FIGURES} == {None}
    assert "fewer than 10 people" in figures["not_told"]
    # The figures by group hide the two with a larger group, and name nobody of them.
    assert [group["group"] for group in figures["by_group"]] == ["M", "(smaller groups together)"]
    assert figures["by_group"][-1]["people"] == 82
    told = fairness_of(a_frame(M=(100, 60), F=(25, 10)), {**SETTINGS, "group": "F"})
    assert (told["not_told"], told["group_rate"]) == (None, 0.4)
    assert fairness_of(a_frame(M=(25, 15), F=(80, 50)), {**SETTINGS, "group": "F"})["not_told"] is None


@each(("reference", "group"), [((100, 60), (25, 9)), ((100, 60), (25, 16)), ((25, 9), (80, 50)), ((25, 16), (80, 50))])
def test_where_fewer_than_ten_of_a_group_are_favoured_or_are_not_nothing_is_told(reference, group):
    few = fairness_of(a_frame(M=reference, F=group), {**SETTINGS, "group": "F"})
    assert {few[name] for name in FIGURES} == {None}


@examples(45)
@given(
    st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), min_size=3, max_size=7), st.booleans(), st.integers(0, 15)
)
def test_no_small_group_is_left_when_figures_are_taken_from_each_other(sizes, is_named, n_missing):
    """Whatever is told adds up and subtracts to favoured people of at least ten, or of nobody."""
    counts = {f"g{i}": (n, round(share * n)) for i, (n, share) in enumerate(sizes)} | {"missing": (n_missing, 0)}
    settings = {**SETTINGS, "reference": "g0", **({"group": "g1"} if is_named else {})}
    figures = fairness_of(a_frame(**counts), settings)
    shown = [group for group in figures["by_group"] if "people" in group]
    assert all(group["people"] is None or group["people"] >= 10 for group in shown)
    if figures["not_told"]:
        return
    others = [n for name, (n, _) in counts.items() if name not in ("g0", "missing")]
    n_group = counts["g1"][0] if is_named else sum(others)
    if figures["people"]["compared"] is None:
        assert figures["n_reference"] is figures["n_group"] is None
    else:
        assert (figures["n_reference"], figures["n_group"]) == (counts["g0"][0], n_group)
    named = [counts[group["group"]][0] for group in shown if group["group"] in counts.keys() - {"g0", "missing"}]
    if not is_named:
        rest = n_group - sum(named)  # of all others, those who are not named
        assert rest == 0 or rest >= 10
