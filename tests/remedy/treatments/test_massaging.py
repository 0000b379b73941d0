"""Massaging and reweighing: the published example by hand, a slow referee, and order that does not matter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disclosure_control.measures.group_fairness import TwoGroups
from disclosure_control.remedy.treatments.algorithms.label_changes import (
    label_changes,
    reweigh,
    score_by_logistic_regression,
)
from tests.examples import examples

# The ten applicants of Kamiran and Calders 2012, section 4: five women, of whom two are accepted, five men, of whom
# four are; the weights are 1.5, 0.67, 0.75 and 2, and massaging changes one label in each group.
SEX = np.array(["m"] * 5 + ["f"] * 5)
ACCEPTED = np.array([True, True, True, True, False, True, True, False, False, False])


def test_the_weights_of_the_published_example():
    weights = reweigh(pd.DataFrame({"label": np.where(ACCEPTED, "+", "-"), "sex": SEX}), "label", "sex").weights
    found = {(s, bool(y)): w for s, y, w in zip(SEX, ACCEPTED, weights, strict=True)}
    assert found == {
        ("f", True): pytest.approx(1.5),
        ("f", False): pytest.approx(2 / 3),
        ("m", True): pytest.approx(0.75),
        ("m", False): pytest.approx(2),
    }


def test_massaging_the_published_example():
    """M is 0.4 of 5 times 5 over 10: one woman up, the best without; one man down, the worst with."""
    score = np.array([0.9, 0.5, 0.8, 0.6, 0.2, 0.7, 0.6, 0.1, 0.4, 0.3])
    found = label_changes(ACCEPTED, SEX == "m", SEX == "f", score, np.arange(10))
    assert found.before == TwoGroups(5, 4, 5, 2)
    assert found.before.massaging_label_changes == pytest.approx(1)
    assert np.flatnonzero(found.promoted).tolist() == [8]
    assert np.flatnonzero(found.demoted).tolist() == [1]
    turned = label_changes(ACCEPTED, SEX == "f", SEX == "m", score, np.arange(10))
    assert (turned.promoted == found.promoted).all()
    assert (turned.demoted == found.demoted).all()


@examples(100)
@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=2, max_size=60),
    st.randoms(use_true_random=False),
)
def test_afterwards_the_rates_are_as_near_as_whole_people_allow(records, order):
    favourable, reference, score = (np.array(column) for column in zip(*records, strict=True))
    assume(reference.any() and not reference.all())
    found = label_changes(favourable, reference, ~reference, score.astype(float), np.arange(len(records)))
    n_changes = round(abs(found.before.massaging_label_changes))
    assert found.promoted.sum() == found.demoted.sum() == n_changes
    after = (favourable | found.promoted) & ~found.demoted

    def gap(labels):
        return abs(labels[reference].mean() - labels[~reference].mean())

    # One label more or fewer in each group would not be nearer.
    one_step = 1 / reference.sum() + 1 / (~reference).sum()
    assert gap(after) <= one_step / 2 + 1e-12
    assert gap(after) <= gap(favourable) + 1e-12
    # Nobody of the group was passed over who deserved it more, and nobody demoted who deserved it less.
    for changed, passed_over in ((score, ~favourable), (-score, favourable)):
        chosen = found.promoted if changed is score else found.demoted
        others = passed_over & ~chosen & (reference == reference[chosen].any())
        assert not n_changes or not others.any() or changed[chosen].min() >= changed[others].max()
    shuffled = np.array(order.sample(range(len(records)), len(records)))
    ties = np.arange(len(records))[shuffled]
    again = label_changes(
        favourable[shuffled], reference[shuffled], ~reference[shuffled], score[shuffled].astype(float), ties
    )
    assert (again.promoted == found.promoted[shuffled]).all()


def test_records_without_a_score_come_last():
    favourable = np.array([True, True, True, False, False, False])
    reference = np.array([True, True, True, False, False, False])
    score = np.array([np.nan, 5.0, 9.0, np.nan, 1.0, 2.0])
    found = label_changes(favourable, reference, ~reference, score, np.arange(6))
    assert round(found.before.massaging_label_changes, 6) == 1.5
    assert np.flatnonzero(found.promoted).tolist() == [4, 5]
    assert np.flatnonzero(found.demoted).tolist() == [1, 2]


@examples(100)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=50))
def test_weighted_label_and_group_are_independent(records):
    frame = pd.DataFrame(records, columns=["s", "y"], dtype="str")
    found = reweigh(frame, "y", "s")
    frame["w"] = found.weights
    people, labels = len(frame), frame.groupby("y").size() / len(frame)
    for (s, y), weight in frame.groupby(["s", "y"])["w"].sum().items():
        assert weight == pytest.approx((frame["s"] == s).sum() * labels[y])
    assert found.n_empty == frame["s"].nunique() * frame["y"].nunique() - frame.groupby(["s", "y"]).ngroups
    if not found.n_empty:
        assert frame["w"].sum() == pytest.approx(people)


def test_whoever_lacks_label_or_group_weighs_one():
    frame = pd.DataFrame({"label": ["+", "-", None, "+"], "group": ["a", "b", "a", None]}, dtype="str")
    found = reweigh(frame, "label", "group")
    assert found.weights.tolist() == pytest.approx([0.5, 0.5, 1, 1])
    assert (found.n_incomplete, found.n_empty) == (2, 2)


# ---------------------------------------------------------------- the ranker


def a_frame(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(5)
    x, site = rng.normal(50, 10, n).round(1), rng.choice(["p", "q", "r"], n)
    chance = 1 / (1 + np.exp(-(0.15 * (x - 50) + np.where(site == "p", 1.0, -0.5))))
    frame = pd.DataFrame({"x": x, "site": site})
    frame.loc[frame.index % 17 == 0, "x"] = np.nan
    frame.loc[frame.index % 23 == 0, "site"] = None
    return frame, rng.random(n) < chance


def test_the_ranker_is_a_ridge_logistic_regression():
    """Referee: the same loss over single records, written out and minimised by another method."""
    from scipy.optimize import minimize

    frame, label = a_frame()
    x, missing = frame["x"].to_numpy(), frame["x"].isna().to_numpy()
    mean, deviation = np.nanmean(x), np.nanstd(x)
    design = np.column_stack(
        [np.ones(len(x)), missing, np.where(missing, 0, (x - mean) / deviation), frame["site"].isna()]
        + [frame["site"] == site for site in "pqr"]
    ).astype(float)

    def loss(weights):
        logit = design @ weights
        return np.sum(np.log1p(np.exp(logit)) - label * logit) + 0.5 * np.sum(weights[1:] ** 2)

    weights = minimize(loss, np.zeros(design.shape[1]), method="BFGS", options={"gtol": 1e-8}).x
    expected = 1 / (1 + np.exp(-(design @ weights)))
    found = score_by_logistic_regression(frame, label, np.ones(len(frame), dtype=bool))
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert found[label].mean() > found[~label].mean() + 0.1


def test_the_ranker_bears_a_label_that_is_told_exactly_and_a_column_without_values():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "empty": [np.nan] * 4})
    found = score_by_logistic_regression(frame, np.array([False, False, True, True]), np.ones(4, dtype=bool))
    assert (np.diff(found) > 0).all()
    assert ((found > 0) & (found < 1)).all()


# ---------------------------------------------------------------- as treatments


@pytest.fixture
def applied():
    from config.model_settings import validate_config
    from disclosure_control.remedy.treatments.treat import treat
    from tests.analyses.private_release.publish_pilots import people

    table = people(300)
    table["AE__OUT"] = np.where(table.index % 10 < np.where(table["DM__SEX"] == "M", 9, 3), "well", "ill")
    literal = {"categorical_qis": ["DM__SEX"], "continuous_qis": [], "sensitive_feature": [], "K": 2}
    config = validate_config(literal, table.columns)
    return table, lambda step, frame=table: treat(frame, config, [step])


MASSAGING = {
    "method": "massaging",
    "column": "AE__OUT",
    "favourable": "well",
    "unfavourable": "ill",
    "sensitive": "DM__SEX",
    "reference": "M",
    "columns": ["DM__AGE", "LB__X"],
}


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
def test_massaging_as_a_treatment(applied):
    table, apply = applied
    treated = apply(MASSAGING)
    rates = [(part["AE__OUT"] == "well").groupby(part["DM__SEX"]).mean() for part in (table, treated.frame)]
    assert abs(rates[0]["M"] - rates[0]["F"]) > 0.5
    assert abs(rates[1]["M"] - rates[1]["F"]) < 0.01
    assert treated.steps[0].changed["AE__OUT"] == int((table["AE__OUT"] != treated.frame["AE__OUT"]).sum()) > 0
    assert apply(MASSAGING, table.iloc[::-1]).released.equals(treated.released)


def test_massaging_by_a_score_and_with_nobody_to_massage(applied):
    table, apply = applied
    by_score = {name: value for name, value in MASSAGING.items() if name != "columns"} | {"score": "DM__AGE"}
    treated = apply(by_score)
    up = treated.frame["AE__OUT"].eq("well") & table["AE__OUT"].eq("ill")
    left = table["DM__SEX"].eq("F") & treated.frame["AE__OUT"].eq("ill")
    assert table.loc[up, "DM__AGE"].astype(int).min() >= table.loc[left, "DM__AGE"].astype(int).max()
    nothing = apply({**MASSAGING, "reference": "X"})
    assert "nobody has the reference" in nothing.steps[0].notes[0]
    assert nothing.frame["AE__OUT"].equals(table["AE__OUT"])


def test_reweighing_as_a_treatment(applied):
    table, apply = applied
    treated = apply({"method": "reweighing", "column": "AE__OUT", "sensitive": "DM__SEX"})
    weighted = treated.frame.assign(up=treated.frame["AE__OUT"].eq("well") * treated.frame["fairness_weight"])
    rates = weighted.groupby("DM__SEX")[["up", "fairness_weight"]].sum()
    shares = rates["up"] / rates["fairness_weight"]
    assert shares["F"] == pytest.approx(shares["M"])
    assert treated.frame[list(table.columns)].equals(table)
    assert len(treated.steps[0].notes) == 1
    no_ill_men = table.assign(AE__OUT=table["AE__OUT"].mask(table["DM__SEX"] == "M", "well"))
    treated = apply({"method": "reweighing", "column": "AE__OUT", "sensitive": "DM__SEX"}, no_ill_men)
    assert "1 pairs of label and group" in treated.steps[0].notes[1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"unfavourable": " well"}, "'favourable' and 'unfavourable' are the same value"),
        ({"group": "M"}, "'reference' and 'group' are the same value"),
        ({"favourable": 1, "unfavourable": "1.0"}, "'favourable' and 'unfavourable' are the same value"),
        ({"unfavourable": ""}, "unfavourable"),
    ],
)
def test_massaging_between_equal_values_is_a_fault(applied, changed, words):
    from disclosure_control.basics.telling.faults import FaultyInputError

    with pytest.raises(FaultyInputError) as fault:
        applied[1]({**MASSAGING, **changed})
    assert words in str(fault.value)


def test_the_rates_of_a_small_group_are_not_in_the_notes(applied):
    table, apply = applied
    few = table.assign(DM__SEX=["M"] * 293 + ["F"] * 7)
    (note, *_) = apply(MASSAGING, few).steps[0].notes
    assert "not shown, because one group has fewer than 10 people" in note
    assert "0." not in note
