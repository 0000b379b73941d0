"""Each treatment worked by hand on a few values, and suppression against a slow referee."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.evaluation import evaluate_treated
from disclosure_control.remedy.treatments.methods.perturbation import draw, invariant_transition
from disclosure_control.remedy.treatments.treat import treat
from tests.cases import each
from tests.examples import examples
from tests.remedy.treatments.treatment_frames import config_for


def column_after(values, method, dtype=None, **settings) -> list:
    frame = pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
    treated = treat(frame, config_for(["x"]), [{"method": method, "column": "x", **settings}])
    return [None if pd.isna(value) else value for value in treated.frame["x"]]


def test_bins_as_numpy_histogram_draws_them():
    """[0, 18), [18, 65], tails on either side; 18 and 65 fall into the second."""
    edges = {"edges": [0, 18, 65]}
    assert column_after([-1, 0, 17.9, 18, 65, 66, None], "bins", **edges) == [
        "<0", "0--18", "0--18", "18--65", "18--65", ">65", None,
    ]  # fmt: skip
    assert column_after([-1, 66, 18], "bins", **edges, out_of_range="missing") == [None, None, "18--65"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("interval", ["-5--0", "0--5", "5--10", "35--40", None]),
        ("midpoint", [-2.5, 2.5, 7.5, 37.5, None]),
        ("truncated_midpoint", [-2, 2, 7, 37, None]),
    ],
)
def test_bands(label, expected):
    """floor(x / 5): -1, 0, 1, 7; int() cuts the decimals off, towards zero."""
    assert column_after([-0.5, 4.99, 5, 39, None], "band", width=5, label=label) == expected


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("day", ["2012", "2010-04", "2010-04-30", "2010-12-01", "2012", None]),
        ("month", ["2012", "2010-04", "2010-04", "2010-12", "2012", None]),
        ("quarter", ["2012", "2010-Q2", "2010-Q2", "2010-Q4", "2012", None]),
        ("year", ["2012", "2010", "2010", "2010", "2012", None]),
    ],
)
def test_dates_to_the_calendar(to, expected):
    values = ["2012", "2010-04", "2010-04-30T08:15", "2010-12-01", "2012---15", None]
    assert column_after(values, "coarsen_dates", to=to) == expected


@each("text", ["30.04.2010", "2010-13", "2011-02-29", "soon"])
def test_what_is_no_date_is_a_fault_without_the_text(text):
    with pytest.raises(FaultyInputError, match="'x': 1 of 2 distinct values are not ISO 8601 dates") as error:
        column_after(["2010", text], "coarsen_dates", to="year")
    assert text not in str(error.value)


def test_hierarchies_built_by_rule():
    ages = [3.0, 7.0, 12.0, None]
    rule = {"intervals": [5, 10]}
    assert column_after(ages, "hierarchy", level=0, rule=rule) == ages
    assert column_after(ages, "hierarchy", level=1, rule=rule) == ["0--5", "5--10", "10--15", None]
    assert column_after(ages, "hierarchy", level=2, rule=rule) == ["0--10", "0--10", "10--20", None]
    assert column_after(ages, "hierarchy", level=3, rule=rule) == ["*", "*", "*", None]
    codes = ["11527", "115"]
    assert column_after(codes, "hierarchy", level=3, rule="mask") == ["11xxx", "11xxx"]
    assert column_after(["2010-04-30", "2010-05"], "hierarchy", level=3, rule="dates") == ["2010-Q2"] * 2
    with pytest.raises(FaultyInputError, match="level 4 does not exist; allowed: 0 to 3"):
        column_after(ages, "hierarchy", level=4, rule=rule)
    with pytest.raises(FaultyInputError, match="intervals need numbers"):
        column_after(["a"], "hierarchy", level=1, rule=rule)


def test_hierarchy_from_a_file_as_arx_reads_it(tmp_path):
    (tmp_path / "zip.csv").write_text("11527;115xx;*\n11528;115xx;*\n45110;451xx;*\n", encoding="utf-8")
    frame = pd.DataFrame({"x": [11528.0, 45110.0, np.nan]})
    step = {"method": "hierarchy", "column": "x", "level": 1, "file": "zip.csv"}
    treated = treat(frame, config_for(["x"]), [step], folder=tmp_path)
    assert treated.frame["x"].astype(object).where(treated.frame["x"].notna(), None).tolist() == [
        "115xx",
        "451xx",
        None,
    ]
    with pytest.raises(FaultyInputError, match=r"there is no file 'other\.csv' in the pilot's folder"):
        treat(frame, config_for(["x"]), [{**step, "file": "other.csv"}], folder=tmp_path)


# ---------------------------------------------------------------- perturbation


def test_pram_matrix_by_hand():
    """Frequencies 3 and 1, keep 0.8. There: [.8 .2; .2 .8]. Joint: [2.4 .6; .2 .8]; arrived: 2.6 and 1.4.

    Back: [2.4/2.6 .2/2.6; .6/1.4 .8/1.4]; there @ back, first row: .8 * 2.4/2.6 + .2 * .6/1.4 = 0.824176.
    """
    matrix = invariant_transition(np.array([3.0, 1.0]), keep=0.8, strength=1.0)
    assert matrix[0, 0] == pytest.approx(0.8 * 2.4 / 2.6 + 0.2 * 0.6 / 1.4, abs=1e-15)
    assert np.array([3.0, 1.0]) @ matrix == pytest.approx([3.0, 1.0], abs=1e-15)
    assert np.array_equal(invariant_transition(np.array([3.0, 1.0]), strength=0.0), np.eye(2))


def test_pram_by_strata_keeps_to_the_values_of_the_stratum():
    frame = pd.DataFrame({"s": ["u"] * 200 + ["v"] * 200, "x": ["a", "b"] * 100 + ["c", "d"] * 100})
    step = {"method": "pram", "column": "x", "keep": 0.3, "strength": 1.0}
    by_strata = treat(frame, config_for(["x"]), [{**step, "strata": ["s"]}]).frame
    pairs = set(zip(by_strata["s"], by_strata["x"].astype("str"), strict=True))
    assert pairs == {("u", "a"), ("u", "b"), ("v", "c"), ("v", "d")}
    assert len(set(zip(frame["s"], treat(frame, config_for(["x"]), [step]).frame["x"], strict=True))) == 8


def test_a_draw_follows_its_row_of_the_matrix():
    """Row 0: 0 up to 0.25, 2 from there; row 1 is certain. Exact at the edges."""
    matrix = np.array([[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]])
    row = np.array([0, 0, 0, 0, 1, 1])
    uniform = np.array([0.0, 0.2499, 0.25, 1 - 2**-53, 0.0, 1 - 2**-53])
    assert draw(matrix, row, uniform).tolist() == [0, 0, 2, 2, 1, 1]


def test_flipping():
    assert column_after([0.0, 1.0, None], "flip", share=1) == [1, 0, None]
    assert column_after(["F", "M", None], "flip", share=1) == ["M", "F", None]
    assert column_after(["F", "M", None], "flip", share=0) == ["F", "M", None]
    with pytest.raises(FaultyInputError, match="found 3 distinct values"):
        column_after(["a", "b", "c"], "flip", share=0.1)


@examples(60)
@given(values=st.lists(st.integers(0, 12) | st.none(), max_size=40), percent=st.sampled_from([1, 10, 33, 100]))
def test_rank_swapping_stays_within_the_window(values, percent):
    frame = pd.DataFrame({"x": pd.Series(values, dtype="float64")})
    step = {"method": "rank_swap", "columns": ["x"], "percent": percent}
    after = treat(frame, config_for(continuous=["x"]), [step]).frame["x"]
    assert after.isna().tolist() == frame["x"].isna().tolist()
    assert sorted(after.dropna()) == sorted(frame["x"].dropna())
    ordered = sorted(frame["x"].dropna())
    for old, new in zip(frame["x"].dropna(), after.dropna(), strict=True):
        low, high = sorted((old, new))
        # fewest ranks between a place of the one value and a place of the other
        assert ordered.index(high) - (len(ordered) - 1 - ordered[::-1].index(low)) <= len(ordered) * percent / 100


# ---------------------------------------------------------------- suppression


def slowly_suppressed(frame: pd.DataFrame, config, models) -> set[int]:
    """Evaluate the whole again after every removal, until no class fails: what must be left, record by record."""
    rest = frame
    while True:
        assessment = evaluate_treated(rest, config)
        results = [
            *([assessment.k_anonymity] if "k" in models else []),
            *(assessment.l_diversity.values() if "l" in models else []),
            *(assessment.t_closeness.values() if "t" in models else []),
        ]
        bad = {
            number
            for result in results
            for number, risky in zip(assessment.classes.class_of_record, result.risky, strict=True)
            if risky
        }
        if not bad:
            return set(rest.index)
        rest = rest[[number not in bad for number in assessment.classes.class_of_record]]


records = st.lists(
    st.tuples(st.sampled_from("ab") | st.none(), st.sampled_from("xyz") | st.none(), st.integers(0, 4) | st.none()),
    max_size=30,
)


@examples(60)
@given(
    rows=records,
    models=st.sampled_from([["k"], ["l"], ["t"], ["k", "l", "t"]]),
    policy=st.sampled_from(["category", "exclude", "wildcard"]),
)
def test_suppressed_records_are_those_of_the_slow_referee(rows, models, policy):
    frame = pd.DataFrame(rows, columns=["q", "r", "s"]).astype({"q": "str", "r": "str", "s": "float64"})
    config = config_for(["q", "r"], sensitive=["s"], K=3, L=2, T=0.8, missing_qis=policy)
    treated = treat(frame, config, [{"method": "suppress_records", "models": models}])
    assert set(treated.kept) == slowly_suppressed(frame, config, models)


@examples(60)
@given(
    rows=records,
    replacement=st.sampled_from(["missing", "*"]),
    policy=st.sampled_from(["category", "exclude", "wildcard"]),
)
def test_suppressed_cells_leave_nobody_below_k(rows, replacement, policy):
    frame = pd.DataFrame(rows, columns=["q", "r", "s"]).astype({"q": "str", "r": "str", "s": "float64"})
    config = config_for(["q", "r"], K=3, missing_qis=policy)
    before = evaluate_treated(frame, config)
    treated = treat(frame, config, [{"method": "suppress_cells", "replacement": replacement}])
    if before.k_anonymity.n_evaluated >= 3:
        assert treated.assessment.k_anonymity.n_risky == 0
    hidden = treated.frame["q"].isna() if replacement == "missing" else treated.frame["q"].astype("str") == "*"
    # Whoever was below k is suppressed in every quasi-identifier.
    for risky, now_hidden, row in zip(
        before.k_anonymity.risky, hidden, treated.frame[["q", "r"]].to_numpy(object), strict=True
    ):
        if risky:
            assert now_hidden
            assert all(pd.isna(cell) if replacement == "missing" else cell == "*" for cell in row)


def test_few_suppressed_are_joined_by_the_smallest_class():
    """Classes of 1, 3 and 4 at K = 3: the one alone would stand out as suppressed, so the class of 3 joins."""
    frame = pd.DataFrame({"q": list("abbbcccc")})
    treated = treat(frame, config_for(["q"], K=3), [{"method": "suppress_cells"}])
    assert treated.frame["q"].isna().tolist() == [True] * 4 + [False] * 4
    assert treated.steps[0].notes[0] == "masked of 8 records suppressed; each record is one person."
    assert (
        treated.steps[0].notes[1]
        == "masked more records were suppressed, so that the suppressed ones do not stand out."
    )
    assert treated.steps[0].changed == {"q": 4}
