"""Rates of two groups against published figures, another library, and worked examples."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import contingency

from disclosure_control.analyses.fairness import step
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.measures.group_fairness import TwoGroups
from tests.cases import each
from tests.config_keys import settings_of_key
from tests.examples import examples
from tests.found import InSummary
from tests.places import SHARED

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


def test_the_published_example_comes_out():
    path = SHARED / "oracles" / "published.json"
    if not path.is_file():
        pytest.skip("shared/oracles is not beside the clone")
    published = json.loads(path.read_text(encoding="utf-8"))["fairness_example"]
    total, favourable = published["total"], published["favourable"]
    both = TwoGroups(total["White"], favourable["White"], total["Black"], favourable["Black"])
    assert round(both.statistical_parity_difference, 7) == published["statistical_parity_difference"]
    assert round(both.disparate_impact, 6) == published["disparate_impact_non_sensitive_over_sensitive"]
    assert round(both.massaging_label_changes, 3) == published["massaging_label_changes_M"]
    assert both.disparate_impact_inverse == pytest.approx(1 / both.disparate_impact)
    assert not both.meets_four_fifths


def test_the_interval_of_a_difference_is_newcombes():
    """His worked examples, table II, method 10: 56 of 70 against 48 of 80, and 9 of 10 against 3 of 10."""
    low, high = TwoGroups(70, 56, 80, 48).difference_interval()
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    low, high = TwoGroups(10, 9, 10, 3).difference_interval()
    assert (round(low, 4), round(high, 4)) == (0.1705, 0.8090)


@examples(45)
@given(counts, counts)
def test_the_interval_of_a_ratio_is_scipys(reference, group):
    both = TwoGroups(*reference, *group)
    if not reference[1] or not group[1]:
        assert both.ratio_interval() is None
        return
    other = contingency.relative_risk(reference[1], reference[0], group[1], group[0])
    assert both.disparate_impact == pytest.approx(other.relative_risk)
    assert both.ratio_interval() == pytest.approx(tuple(other.confidence_interval(0.95)), rel=1e-9)


@examples(45)
@given(counts, counts)
def test_what_holds_for_any_two_groups(reference, group):
    both, turned = TwoGroups(*reference, *group), TwoGroups(*group, *reference)
    low, high = both.difference_interval()
    assert -1 <= low <= both.statistical_parity_difference + 1e-12
    assert both.statistical_parity_difference <= high + 1e-12
    assert high <= 1
    assert both.statistical_parity_difference == -turned.statistical_parity_difference
    assert both.disparate_impact == turned.disparate_impact_inverse
    assert both.meets_four_fifths == turned.meets_four_fifths
    # So many up in one group and down in the other make the rates equal.
    m = both.massaging_label_changes
    after = (reference[1] - m) / reference[0] - (group[1] + m) / group[0]
    assert after == pytest.approx(0, abs=1e-12)


def test_the_four_fifths_line_is_met_in_whole_numbers():
    """0.6 of 0.75 is four fifths; in floats 0.6 is below 0.8 * 0.75."""
    assert 0.6 < 0.8 * 0.75
    assert TwoGroups(20, 15, 25, 15).meets_four_fifths
    assert not TwoGroups(100, 50, 1000, 399).meets_four_fifths
    assert TwoGroups(25, 15, 20, 15).meets_four_fifths
    assert not TwoGroups(20_000, 15_000, 25_000, 14_999).meets_four_fifths


def test_where_nobody_is_favoured_the_line_cannot_be_told():
    assert TwoGroups(5, 0, 5, 0).meets_four_fifths is None
    assert TwoGroups(5, 0, 5, 1).meets_four_fifths is False


# ---------------------------------------------------------------- from records


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


def test_where_nobody_has_a_number_there_is_no_mean_and_nothing_to_compare():
    frame = a_frame(M=(20, 10), F=(20, 5))
    with pytest.raises(FaultyInputError, match="no value that the rule can read"):
        fairness_of(frame, {**SETTINGS, "favourable": {"column": "admitted", "at_least": "mean"}})


def test_favourable_values_that_nobody_has_are_counted():
    frame = a_frame(M=(20, 10), F=(20, 5))
    rule = {"column": "admitted", "equals": ["yes", "Yes", "oui"]}
    assert fairness_of(frame, {**SETTINGS, "favourable": rule})["favourable_values_of_nobody"] == 2
    assert fairness_of(frame, SETTINGS)["favourable_values_of_nobody"] == 0
    nobody = fairness_of(frame, {**SETTINGS, "favourable": {"column": "admitted", "equals": ["oui"]}})
    assert (nobody["favourable_values_of_nobody"], nobody["meets_four_fifths"]) == (1, None)
