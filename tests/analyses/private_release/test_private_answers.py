"""Questions: what is allowed, what is counted, and that one person more is one record more, whatever comes before."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.private_release import answers as room
from disclosure_control.analyses.private_release.answers import STEPS, Records, is_mostly_noise, mechanism_of
from disclosure_control.analyses.private_release.ledger import key_of
from disclosure_control.analyses.private_release.questions import (
    KINDS,
    OTHER,
    decimal_text,
    exact_epsilon,
    faults_of_query,
    read_query,
)
from disclosure_control.basics.settings.kinds import Place
from tests.analyses.private_release.publish_pilots import answer_of, people, query
from tests.cases import each
from tests.config_keys import faults_of_key, settings_of_key
from tests.examples import any_text, examples

HUGE = 100  # epsilon: a count is then right but for one time in 10**43


def frame(**columns) -> Records:
    return Records(pd.DataFrame(columns, dtype="str"))


def counts(answer: dict) -> list[int]:
    return [cell["value"] for cell in answer["cells"]]


# ---------------------------------------------------------------- what is counted, where the noise is next to nothing


def test_counts_and_histograms_by_hand():
    records = frame(sex=["F", " F", "M", None, "x"], age=["10", "20", "30", "abc", "1e3"])
    assert answer_of(query("count", HUGE), records)["value"] == 5
    assert answer_of(query("count", HUGE, column="sex"), records)["value"] == 4
    assert answer_of(query("count", HUGE, column="sex", categories=["M", "x"]), records)["value"] == 2
    by_sex = answer_of(query("histogram", HUGE, column="sex", categories=["M", "F", "D"]), records)
    assert by_sex["cells"] == [
        {"category": "M", "value": 1},
        {"category": "F", "value": 2},
        {"category": "D", "value": 0},
        {"category": OTHER, "value": 2},
    ]
    by_age = answer_of(query("histogram", HUGE, column="age", edges=[10, 20, 30]), records)
    assert [(cell["category"], cell["value"]) for cell in by_age["cells"]] == [("10--20", 1), ("20--30", 2), (OTHER, 2)]


def test_no_record_leaves_a_histogram():
    records = Records(people(500))
    for settings_of in ({"categories": ["F"]}, {"categories": ["nobody"]}):
        assert sum(counts(answer_of(query("histogram", HUGE, column="DM__SEX", **settings_of), records))) == 500
    assert sum(counts(answer_of(query("histogram", HUGE, column="LB__X", edges=[90, 110]), records))) == 500


def test_groups_by_two_columns_are_in_order_and_everybody_is_in_one():
    records = frame(sex=["F", "F", "M", None], site=["1", "2.0", "2", "3"])
    answer = answer_of(query("count", HUGE, by={"sex": ["F", "M"], "site": [1, 2]}), records)
    found = {tuple(cell["group"].values()): cell["value"] for cell in answer["cells"]}
    assert {group: n for group, n in found.items() if n} == {
        ("F", "1"): 1,
        ("F", "2"): 1,
        ("M", "2"): 1,
        (OTHER, OTHER): 1,
    }
    assert len(found) == 9


def test_means_and_sums_by_group_equal_those_of_a_plain_group_by():
    table = people(4000)
    numbers = table["LB__X"].astype(float).clip(80, 120)
    expected = numbers.groupby(table["DM__SEX"]).agg(["mean", "sum"])
    for kind in ("mean", "sum"):
        one = query(kind, HUGE, column="LB__X", bounds=[80, 120], by={"DM__SEX": ["M", "F"]})
        men, women, others = answer_of(one, Records(table))["cells"]
        for cell, sex in ((men, "M"), (women, "F")):
            assert cell["group"] == {"DM__SEX": sex}
            # Off by the noise alone: ten times what it is within in nineteen of twenty times, exp(-30) by chance.
            assert abs(cell["value"] - expected.loc[sex, kind]) < 10 * cell["accuracy_95"]
        assert others["group"] == {"DM__SEX": OTHER}


def test_sums_of_more_records_than_the_librarys_plain_sum_looks_at():
    """OpenDP's sum of floats leaves out all but 2**20 records without a word; ours does not."""
    n = 1_200_000
    records = Records(pd.DataFrame({"x": np.ones(n)}))
    assert abs(answer_of(query("sum", HUGE, column="x", bounds=[0, 1]), records)["value"] - n) < 1
    assert abs(answer_of(query("mean", HUGE, column="x", bounds=[0, 2]), records)["value"] - 1) < 1e-4


def test_values_outside_the_bounds_are_cut_and_infinite_ones_too():
    records = frame(x=["-50", "5", "inf", "-inf", "nan", "text", None])
    assert answer_of(query("sum", HUGE, column="x", bounds=[0, 10]), records)["value"] == pytest.approx(15, abs=5)
    mechanism = mechanism_of(query("sum", 1, column="x", bounds=[0, 10]))
    steps = room._in_steps(np.array([-50, 5, np.inf, -np.inf]), 0.0, 10.0, (0.0, 10.0))
    assert (steps / STEPS).tolist() == [0, 0.5, 1, 0]
    assert mechanism.epsilon <= 1


FAR = ["1e301", "-1e301", "1e999", "-1e999", "inf", "-inf", "1.7976931348623157e308", "5e-324", "nan", "9" * 400]


def test_a_value_out_of_reach_is_other_however_far():
    """It was a refusal that told the number of people and of such values, paid for at each asking."""
    far = ["1e301", "-1e301", "1e999", "inf", "-inf", "nan", "text", None]
    records = frame(x=["10", "20", *far])
    found = answer_of(query("histogram", HUGE, column="x", edges=[10, 20, 30]), records)
    assert counts(found) == [1, 1, len(far)]


EVERY_QUESTION = [
    query("count", HUGE),
    query("count", HUGE, column="x", categories=["1", "b"]),
    query("count", HUGE, by={"x": ["1", "2"]}),
    query("histogram", HUGE, column="x", categories=["1"]),
    query("histogram", HUGE, column="x", edges=[-1e15, 0, 1e15]),
    query("sum", HUGE, column="x", bounds=[-1e15, 1e15]),
    query("mean", HUGE, column="x", bounds=[0, 1e-300]),
    query("mean", HUGE, column="x", bounds=[-1, 1], by={"x": ["1"]}),
]


@pytest.mark.thorough("2 s: many draws; one of each kind in the quick run")
@examples(45)
@given(values=st.lists(st.one_of(st.none(), st.sampled_from(FAR), st.floats().map(str), any_text()), max_size=20))
@pytest.mark.parametrize("one", EVERY_QUESTION, ids=lambda one: one.kind)
def test_no_value_ends_in_a_refusal(one, values):
    values = [value and value.encode("utf-8", "replace").decode() for value in values]
    answer_of(one, frame(x=values))


EVERY_CELL = [
    query("count", 1),
    query("count", 1, column="LB__X", by={"DM__SEX": ["F", "M"]}),
    query("histogram", 1, column="MH__DX", categories=[str(i) for i in range(20)], by={"DM__SEX": ["F"]}),
    query("histogram", 1, column="LB__X", edges=[80, 90, 100]),
]


@examples(30)
@given(left_out=st.integers(0, 39), order=st.randoms(use_true_random=False))
def test_one_person_more_is_one_record_more(left_out, order):
    """What the library's map takes for granted of all that is done before it, in whatever order records come."""
    table = people(40)
    rows = [i for i in range(40) if i != left_out]
    order.shuffle(rows)
    fewer = table.iloc[rows]
    for one in EVERY_CELL:
        more, less = (Counter(room._cells(one, Records(part)).tolist()) for part in (table, fewer))
        assert not less - more
        assert sum((more - less).values()) <= 1
    grouped = [(Records(part).groups(EVERY_CELL[1]), Records(part).numbers("LB__X")) for part in (table, fewer)]
    pairs = [Counter(zip(g.tolist(), np.nan_to_num(x, nan=-1).tolist(), strict=True)) for g, x in grouped]
    assert not pairs[1] - pairs[0]
    assert sum((pairs[0] - pairs[1]).values()) == 1


# ---------------------------------------------------------------- noise against groups


def test_too_many_groups_are_seen_before_anything_is_spent():
    """992 diagnoses of 5,000 people: five each, where the noise at epsilon 0.1 is thirty."""
    diagnoses = [str(i) for i in range(992)]
    assert is_mostly_noise(query("histogram", 0.1, column="MH__DX", categories=diagnoses), 5000)
    assert is_mostly_noise(query("mean", 0.1, column="LB__X", bounds=[0, 9], by={"MH__DX": diagnoses}), 5000)
    assert not is_mostly_noise(query("histogram", 2, column="MH__DX", categories=diagnoses), 5000)


def test_an_answer_that_is_mostly_noise_is_one_whose_noise_is_half_of_it():
    """The mean cholesterol of 633 people between 50 and 350 came out as 206 +- 156: nothing had been learnt."""
    cholesterol = {"column": "LB__Cholesterol", "bounds": [50, 350]}
    assert is_mostly_noise(query("mean", 0.015, **cholesterol), 633)  # its noise is worth 493 people
    assert is_mostly_noise(query("mean", 0.005, **cholesterol), 633)
    assert not is_mostly_noise(query("mean", 0.1, **cholesterol), 633)


# ---------------------------------------------------------------- settings


@each(
    ("value", "text"),
    [(0.1, "0.1"), ("0.10", "0.1"), (1, "1"), (10, "10"), (1e-4, "0.0001"), (Decimal("0.300"), "0.3"), (100.0, "100")],
)
def test_an_epsilon_is_the_decimal_that_is_written(value, text):
    assert decimal_text(exact_epsilon(value)) == text


@each(
    "value",
    [
        *[
            0,
            -1,
            "-0.1",
            1e-5,
            1e-300,
            101,
            float("inf"),
            float("nan"),
            "inf",
            "NaN",
            "",
            "x",
            None,
            True,
            [1],
            10**400,
        ],
        *["0.1234567890123", "1e-5", 5e-324, "0x1"],
    ],
)
def test_an_epsilon_that_is_none(value):
    assert exact_epsilon(value) is None
    assert faults_of_query({"kind": "count", "epsilon": value}, Place("q"))


FAULTS = [
    ({}, "'kind'"),
    ({"kind": "median"}, "allowed: one of count"),
    ({"kind": ["count"]}, "'kind'"),
    ({"kind": "count"}, r"\['epsilon'\]: missing"),
    ({"kind": "mean", "column": "LB__X", "epsilon": 1}, "'bounds'"),
    ({"kind": "mean", "column": "LB__X", "epsilon": 1, "bounds": [3, 1]}, "'bounds'"),
    ({"kind": "mean", "column": "LB__X", "epsilon": 1, "bounds": [1, 1]}, "'bounds'"),
    ({"kind": "mean", "column": "LB__X", "epsilon": 1, "bounds": [0, float("inf")]}, "'bounds'"),
    *(
        ({"kind": "mean", "column": "LB__X", "epsilon": 1, "bounds": bounds}, "more than rounding")
        for bounds in ([0, 5e-324], [1, 1 + 2**-52])
    ),
    *(
        ({"kind": "histogram", "column": "DM__SEX", "epsilon": 1, "categories": [category]}, "whole letters")
        for category in ("\ud800", "a\udfffb")
    ),
    ({"kind": "count", "column": "\ud800", "epsilon": 1}, "'column'"),
    ({"kind": "count", "epsilon": 1, "by": {"DM__SEX": ["\udc00"]}}, "'by'"),
    ({"name": "\ud800", "kind": "count", "epsilon": 1}, "'name'"),
    ({"kind": "mean", "column": "LB__X", "epsilon": 1, "bounds": [float("nan"), 1]}, "'bounds'"),
    ({"kind": "mean", "column": "LB__Y", "epsilon": 1, "bounds": [0, 1]}, "did you mean 'LB__X'"),
    ({"kind": "mean", "column": "USUBJID", "epsilon": 1, "bounds": [0, 1]}, "other than USUBJID"),
    ({"kind": "histogram", "column": "DM__SEX", "epsilon": 1}, "either categories or edges"),
    ({"kind": "histogram", "column": "DM__SEX", "epsilon": 1, "categories": ["F", " F"]}, "different"),
    ({"kind": "histogram", "column": "DM__SEX", "epsilon": 1, "categories": []}, "different"),
    ({"kind": "histogram", "column": "DM__SEX", "epsilon": 1, "categories": [OTHER]}, "different"),
    ({"kind": "histogram", "column": "LB__X", "epsilon": 1, "edges": [1, 1 + 1e-16]}, "edges"),
    ({"kind": "histogram", "column": "LB__X", "epsilon": 1, "edges": [1, 1.0000000000000002, 2]}, "edges"),
    ({"kind": "histogram", "column": "DM__SEX", "epsilon": 1, "categories": ["F"], "by": {"DM__SEX": ["F"]}}, "by"),
    ({"kind": "count", "epsilon": 1, "categories": ["F"]}, "'column'"),
    ({"kind": "count", "epsilon": 1, "by": {"DM__SEX": []}}, "'by'"),
    ({"kind": "count", "epsilon": 1, "bounds": [0, 1]}, "unknown key 'bounds'"),
    ({"kind": "quantile"}, "gone since version 4.0.0; a histogram with edges"),
    ("count", "found str"),
]


@each(("value", "words"), FAULTS)
def test_faults_of_queries(value, words):
    faults = faults_of_query(value, Place("q", columns=list(people(1).columns)))
    assert faults
    assert any(pd.Series([fault]).str.contains(words).any() for fault in faults), faults


def test_every_kind_of_question_has_a_mechanism():
    assert list(room.MECHANISMS.keys() ^ KINDS.keys()) == []


def test_too_many_cells_are_a_fault():
    values = [str(i) for i in range(400)]
    faults = faults_of_query({"kind": "count", "epsilon": 1, "by": {"DM__SEX": values, "MH__DX": values}}, Place("q"))
    assert "160801 cells" in faults[0]


def test_all_faults_of_a_config_are_named_at_once():
    value = {
        "budget": {"epsilon": 0, "delta": 1},
        "queries": [{"name": "a", "kind": "sum", "epsilon": 2}, {"kind": "count", "epsilon": 1}],
    }
    faults = faults_of_key("private_release", value, {}, list(people(1).columns))
    assert len([fault for fault in faults if "budget" in fault]) == 2
    assert any("'column'" in fault for fault in faults)
    assert any("'name'" in fault for fault in faults)


def test_queries_that_together_cost_more_than_the_budget_are_no_fault_and_are_added_up():
    """What was answered before is free, so that a budget may be lowered below it."""
    queries = [{"name": f"q{i}", "kind": "count", "column": c, "epsilon": "0.4"} for i, c in enumerate("abc")]
    assert settings_of_key("private_release", {"budget": {"epsilon": 1}, "queries": queries}).asked == Decimal("1.2")
    queries[2]["column"] = "a"  # the same question twice is paid for once
    assert settings_of_key("private_release", {"budget": {"epsilon": 1}, "queries": queries}).asked == Decimal("0.8")


@each("people", [0, -5, 1.5, "633", True, None])
def test_declared_people_are_a_whole_number(people):
    assert "people" in faults_of_key("private_release", {"budget": {"epsilon": 1}, "people": people}, {}, None)[0]
    assert settings_of_key("private_release", {"budget": {"epsilon": 1}, "people": 633}).people == 633
    assert settings_of_key("private_release", {"budget": {"epsilon": 1}}).people is None


@each("value", [None, [], "all", {"budgets": {}}, {"queries": []}, {"budget": {"epsilon": 1}, "queries": 3}])
def test_a_value_of_another_form_is_a_fault(value):
    assert faults_of_key("private_release", value, {}, None)


def test_without_the_library_the_one_command_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    faults = faults_of_key("private_release", {"budget": {"epsilon": 1}, "queries": []}, {}, None)
    assert faults == ["private_release: needs the library OpenDP; install it: pip install -r requirements/private.txt"]


def test_a_question_is_the_same_under_another_name_and_spelling():
    first = {"name": "a", "kind": "histogram", "column": "x", "categories": ["1", " b"], "epsilon": 0.10}
    second = {"name": "b", "kind": "histogram", "column": "x", "categories": [1.0, "b"], "epsilon": "0.1"}
    assert read_query(first) == read_query(second)
    assert read_query(first).question == read_query(second).question
    assert read_query(first | {"epsilon": 0.2}).question != read_query(first).question


def test_the_order_of_categories_and_groups_and_the_sign_of_zero_make_no_other_question():
    """Answers are labelled, so who asks in another order would pay twice for the same."""
    first = {"kind": "mean", "column": "x", "bounds": [-0.0, 1], "epsilon": 1, "by": {"s": ["F", "M"], "a": [2, 10]}}
    second = first | {"bounds": [0, 1], "by": {"a": ["10", "2"], "s": ["M", "F"]}}
    assert key_of(read_query(first).question, "d") == key_of(read_query(second).question, "d")
    first = {"kind": "histogram", "column": "x", "categories": ["b", "a"], "epsilon": 1}
    assert read_query(first).question == read_query(first | {"categories": ["a", "b"]}).question
    first = {"kind": "histogram", "column": "x", "edges": [-0.0, 1], "epsilon": 1}
    assert key_of(read_query(first).question, "d") == key_of(read_query(first | {"edges": [0, 1]}).question, "d")
    assert read_query(first).question != read_query(first | {"edges": [0, 1, 2]}).question


def test_bounds_nearly_as_close_as_they_may_be_still_give_a_mean():
    tiny = query("mean", 1, column="x", bounds=[0, 1e-300])
    answer = answer_of(tiny, frame(x=["0", "1e-300", "5"]))
    assert 0 <= answer["value"] <= 1e-300
