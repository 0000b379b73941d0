"""Kaplan-Meier and the log-rank test against published figures, and against a slow referee."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.study_tables.survival import kaplan_meier, log_rank

# Weeks of remission of 42 children with leukaemia; below 0 where the child was in remission when last seen.
# Freireich et al. 1963, as printed by Cox 1972, Regression Models and Life-Tables, table 1.
MERCAPTOPURINE = [6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34, -35]
PLACEBO = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]
WEEKS = np.array(MERCAPTOPURINE + PLACEBO)
TIME, EVENT, GROUP = np.abs(WEEKS).astype(float), WEEKS > 0, np.repeat([0, 1], 21)


def test_the_log_rank_test_of_the_leukaemia_data_is_as_published():
    """R: survdiff(Surv(time, status) ~ treatment) prints Chisq= 16.8 on 1 degrees of freedom, p= 4e-05."""
    statistic, p_value = log_rank(TIME, EVENT, GROUP, 2)
    assert statistic == pytest.approx(16.79, abs=0.005)
    assert p_value == pytest.approx(4.17e-5, rel=0.01)


def test_the_curve_of_the_leukaemia_data_is_as_published():
    """Kleinbaum and Klein, Survival Analysis, table 2.2: 6-MP after 6, 7, 10, 13, 16, 22 and 23 weeks."""
    found = kaplan_meier(TIME, EVENT, GROUP, 2, np.array([6.0, 7, 10, 13, 16, 22, 23]))
    np.testing.assert_allclose(found.value[:, 0], [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482], atol=5e-5)
    np.testing.assert_allclose(found.error[:, 0], [0.0764, 0.0869, 0.0963, 0.1068, 0.1141, 0.1282, 0.1346], atol=5e-5)
    assert found.n[:, 0].tolist() == [21, 17, 15, 12, 11, 7, 6]


def test_a_group_of_which_everybody_had_the_event_has_no_error():
    found = kaplan_meier(TIME, EVENT, GROUP, 2, np.array([23.0, 30.0]))
    assert (found.value[:, 1] == 0).all()
    assert (found.error[:, 1] == 0).all()


PEOPLE = st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.integers(0, 2)), min_size=1, max_size=25)


@given(PEOPLE, st.integers(0, 12))
def test_the_curve_is_the_product_over_days(people, until):
    time, event, group = (np.array(column) for column in zip(*people, strict=True))
    found = kaplan_meier(time.astype(float), event, group, 3, np.array([float(until)]))
    for one in range(3):
        own = [(t, e) for t, e, g in people if g == one]
        share = 1.0
        for day in range(1, until + 1):
            at_risk = sum(t >= day for t, _ in own)
            share *= 1 - sum(t == day and e for t, e in own) / at_risk if at_risk else 1
        assert found.n[0, one] == sum(t >= until for t, _ in own)
        if found.n[0, one] or share == 0:
            assert found.value[0, one] == pytest.approx(share)
        else:
            assert np.isnan(found.value[0, one])


@given(PEOPLE)
def test_two_groups_are_compared_as_by_hand(people):
    """The statistic of two groups: (sum of observed less expected)^2 over the hypergeometric variance."""
    time, event, group = (np.array(column) for column in zip(*people, strict=True))
    group = np.minimum(group, 1)
    excess = variance = 0.0
    for day in sorted({t for t, e, _ in people if e}):
        risk, mine = (time >= day).sum(), ((time >= day) & (group == 0)).sum()
        died = ((time == day) & event).sum()
        excess += ((time == day) & event & (group == 0)).sum() - died * mine / risk
        if risk > 1:
            variance += died * (risk - died) / (risk - 1) * mine / risk * (1 - mine / risk)
    statistic, p_value = log_rank(time.astype(float), event, group, 2)
    if variance > 1e-12:
        assert statistic == pytest.approx(excess**2 / variance, abs=1e-9)
        assert 0 <= p_value <= 1
    else:
        assert np.isnan(statistic) or statistic == pytest.approx(0, abs=1e-9)
