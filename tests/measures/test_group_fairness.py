"""Rates of two groups against published figures, another library, and worked examples."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import contingency

from disclosure_control.measures.group_fairness import TwoGroups
from tests.examples import examples
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
