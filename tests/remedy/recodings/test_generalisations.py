"""Levels of quasi-identifiers: each joins what the one before left apart, and does what its treatment does."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import bin_feature_column
from config.model_settings import validate_config
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.encoding.hierarchies import build_hierarchy
from disclosure_control.remedy.recodings.generalisations import (
    Recoding,
    bin_settings,
    of_bins,
    of_hierarchy,
    of_numbers,
    of_rarity,
)
from disclosure_control.remedy.treatments.registry import TreatmentInput, TreatmentStep, methods
from tests.examples import examples

NUMBERS = st.one_of(st.none(), st.integers(-20, 60), st.floats(-20, 60, allow_nan=False))
CONFIG = {"categorical_qis": ["q"], "continuous_qis": [], "sensitive_feature": [], "K": 2}


def treated(column: pd.Series, recoding: Recoding) -> pd.Series:
    """The column after the treatment that the level stands for."""
    names = {"bins": "bins", "rare": "group", "hierarchy": "hierarchy"}
    if recoding.kind == "none":
        return column
    given_input = TreatmentInput(column.to_frame("q"), validate_config(CONFIG), np.random.default_rng(1))
    step = TreatmentStep.of({"method": names[recoding.kind], "column": "q", **recoding.settings})
    return methods()[step.method].apply(given_input, step.settings).frame["q"]


def assert_levels_are_nested_and_do_what_they_say(generalisation, codes: np.ndarray, column: pd.Series) -> None:
    before = None
    for level in generalisation.levels:
        of_record = level.codes[codes + 1]
        if before is not None:
            pairs = set(zip(before, of_record, strict=True))
            assert len(pairs) == len({finer for finer, _ in pairs})  # whoever was together stays together
        before = of_record
        share = level.shares[codes + 1]
        assert ((share > 0) & (share <= 1 + 1e-12)).all()
        if level.recoding.kind == "drop":
            assert len(set(of_record)) <= 1
            continue
        after = encode_column(treated(column, level.recoding))
        assert len(set(of_record)) == len(set(after.codes)) == len(set(zip(of_record, after.codes, strict=True)))
    shares = [level.shares[codes + 1] for level in generalisation.levels]
    assert all((coarse >= fine - 1e-12).all() for fine, coarse in pairwise(shares))


@examples(45)
@given(
    st.lists(NUMBERS, min_size=1, max_size=25),
    st.lists(st.integers(-10, 50), min_size=2, max_size=9, unique=True).map(sorted),
    st.sampled_from(["tail", "missing"]),
)
def test_bins_and_the_treatment_agree(numbers, edges, out_of_range):
    raw = pd.Series(numbers, dtype=float, name="q")
    column = encode_column(bin_feature_column(raw.to_frame(), "q", edges, out_of_range))
    people = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    generalisation = of_bins("q", column, people, edges, out_of_range == "tail")
    assert generalisation.levels[0].recoding.settings == bin_settings(edges, out_of_range == "tail")
    assert_levels_are_nested_and_do_what_they_say(generalisation, column.codes, raw)


@examples(45)
@given(st.lists(NUMBERS, min_size=1, max_size=25))
def test_numbers_without_bins_and_the_treatment_agree(numbers):
    raw = pd.Series(numbers, dtype=float, name="q")
    column = encode_column(raw)
    assert_levels_are_nested_and_do_what_they_say(of_numbers("q", column), column.codes, raw)


def test_bins_by_hand():
    """Three bins and somebody above them: 3 bins, 2, 1 and the tail, nothing."""
    column = encode_column(bin_feature_column(pd.DataFrame({"age": [1, 7, 13, 40]}), "age", [0, 6, 12, 18]))
    age = of_bins("age", column, np.ones(5), [0, 6, 12, 18], True)
    assert age.n_leaves == 4
    assert [level.recoding.settings.get("edges") for level in age.levels] == [
        [0, 6, 12, 18],
        [0, 12, 18],
        [0, 18],
        None,
    ]
    of_record = [level.codes[column.codes + 1].tolist() for level in age.levels]
    assert [len(set(codes)) for codes in of_record] == [4, 3, 2, 1]
    assert age.levels[1].shares[column.codes + 1].tolist() == [0.5, 0.5, 0.25, 0.25]
    assert age.levels[2].shares[column.codes + 1].tolist() == [0.75, 0.75, 0.75, 0.25]
    assert age.levels[3].shares[column.codes + 1].tolist() == [1, 1, 1, 1]


def test_of_an_odd_number_of_bins_the_one_of_most_people_stays_alone():
    """12, 35, 46, 50, 19 people by tens of years: the few young and the few old join their neighbours."""
    edges, people = [30, 40, 50, 60, 70, 130], np.array([0, 12, 35, 46, 50, 19, 0])
    ages = pd.DataFrame({"age": np.repeat([35, 45, 55, 65, 75], people[1:-1])})
    age = of_bins("age", encode_column(bin_feature_column(ages, "age", edges)), people, edges, True)
    found = [level.recoding.settings.get("edges") for level in age.levels]
    assert found == [edges, [30, 50, 60, 130], [30, 60, 130], None]


def test_rarity_by_hand():
    """a 20, b 6, c 2, d 1; K = 3: c and d join below 3 and below 12 b joins them; nobody is below 48 but all."""
    column = encode_column(pd.Series(["a"] * 20 + ["b"] * 6 + ["c"] * 2 + ["d"]))
    rarity = of_rarity("q", column, np.array([20, 6, 2, 1]), 3)
    assert [level.recoding.settings.get("rarer_than") for level in rarity.levels] == [None, 3, 12, None]
    assert [level.n_codes for level in rarity.levels] == [4, 3, 2, 1]
    assert rarity.levels[1].shares[1:].tolist() == [0.25, 0.25, 0.5, 0.5]


def test_a_missing_value_stays_missing_until_the_attribute_is_gone():
    column = encode_column(pd.Series(["a", "b", None]))
    hierarchy = build_hierarchy([["a", "x", "*"], ["b", "x", "*"]], "h")
    levels = of_hierarchy("q", column, hierarchy, Recoding("hierarchy", {"file": "h"})).levels
    assert [len(set(level.codes[column.codes + 1])) for level in levels] == [3, 2, 1]
    assert [level.recoding.kind for level in levels] == ["none", "hierarchy", "drop"]
    assert levels[1].shares[column.codes + 1].tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])


def test_a_column_with_one_value_has_nothing_to_give_up():
    column = encode_column(pd.Series(["a", "a"]))
    assert of_rarity("q", column, np.array([2]), 5).height == 0
    assert of_numbers("q", encode_column(pd.Series([3.0, 3.0]))).height == 0
