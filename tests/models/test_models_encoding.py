"""Encoding, binning and the numbering of equivalence classes, against the referee and at their edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import Anonymization_Models as models
from disclosure_control.basics.encoding.columns import labels_of, number_text
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each
from tests.models import referee
from tests.models.model_frames import BRIEF, MANY, columns, edge_lists, frames


def partition(codes) -> set[frozenset[int]]:
    """Which records share a code, whatever the codes are."""
    members: dict = {}
    for i, code in enumerate(codes):
        members.setdefault(code, set()).add(i)
    return {frozenset(group) for group in members.values()}


# ---------------------------------------------------------------- values that are the same


@MANY
@given(st.integers(0, 25).flatmap(columns))
def test_equal_codes_are_equal_values_and_missing_is_minus_one(values):
    encoded = models.encode_column(values)
    expected = [referee.canonical(value) for value in values]
    assert [code == -1 for code in encoded.codes.tolist()] == [text is None for text in expected]
    assert partition(encoded.codes.tolist()) == partition(expected)


@MANY
@given(st.integers(0, 25).flatmap(columns), st.randoms(use_true_random=False))
def test_codes_do_not_depend_on_the_order_of_the_records(values, random):
    order = random.sample(range(len(values)), len(values))
    shuffled = values.iloc[order]
    if isinstance(values.dtype, pd.CategoricalDtype) and not values.cat.ordered:
        names = list(values.cat.categories)
        shuffled = shuffled.cat.set_categories(random.sample(names, len(names)))
    before, after = models.encode_column(values), models.encode_column(shuffled)
    assert after.codes.tolist() == [before.codes.tolist()[i] for i in order]
    assert after.labels.tolist() == before.labels.tolist()


@each("kind", ["int64", "Int64", "uint64", "int64[pyarrow]", object])
def test_whole_numbers_beyond_2_to_the_53_stay_apart(kind):
    values = pd.Series([2**53, 2**53 + 1, 2**53], dtype=kind)
    assert partition(models.encode_column(values).codes.tolist()) == {frozenset({0, 2}), frozenset({1})}


def test_t_of_large_whole_numbers_is_in_their_unit_or_refused():
    """As floats 6 of 6 are farther than T; total variation, a share, is above no T in units."""
    frame = pd.DataFrame({"q": list("aaabbb"), "s": [1, 2, 3, 10**6, 10**6, 2**53]})
    assert models.run_t_closeness(frame, ["q"], "s", 100).n_risky == 6
    assert models.run_t_closeness(frame.astype({"s": float}), ["q"], "s", 100).n_risky == 6
    fallen = frame.assign(s=[1, 2, 3, 4, 2**53, 2**53 + 1])
    with pytest.raises(FaultyInputError, match="2 whole numbers of 6 are 2\\*\\*53 or larger"):
        models.run_t_closeness(fallen, ["q"], "s", 100)
    assert models.run_t_closeness(fallen, ["q"], "s", 0.1, "total_variation").n_risky == 6


@each("number", [1234567890123456, 2**53, -(2**53) + 1, 10**15])
def test_whole_numbers_are_written_with_all_their_digits(number):
    assert number_text(float(number)) == str(number)
    assert labels_of(models.encode_column(pd.Series([float(number)]))) == [str(number)]


def test_floats_of_16_digits_stay_apart_in_a_column_of_objects():
    values = pd.Series([1234567890123456.0, 1234567890123457.0, "x"], dtype=object)
    assert len(partition(models.encode_column(values).codes.tolist())) == 3


# ---------------------------------------------------------------- binning


@st.composite
def binnable(draw):
    """Edges, and a column that holds numbers on, between and outside of them, in one of several kinds."""
    edges = draw(edge_lists)
    near = st.sampled_from(edges).flatmap(
        lambda edge: st.sampled_from([edge, np.nextafter(edge, -np.inf), np.nextafter(edge, np.inf), edge + 0.125])
    )
    values = draw(st.lists(near.map(float) | st.integers(-60, 60).map(float) | st.none(), max_size=25))
    kind = draw(st.sampled_from(["float64", "Float64", "text", "category", "float64[pyarrow]"]))
    if kind == "text":
        return edges, pd.Series(["" if value is None else f" {value!r}" for value in values], dtype=object), values
    if kind == "category":
        return edges, pd.Series(values, dtype="float64").astype("category"), values
    return edges, pd.Series(values, dtype=kind), values


@MANY
@given(binnable(), st.sampled_from(["tail", "missing"]))
def test_bins_follow_the_referee(made, out_of_range):
    edges, column, values = made
    frame = pd.DataFrame({"x": column, "y": 1})
    binned, binnings = models.apply_feature_binning(frame, {"x": edges}, out_of_range)
    assert [None if pd.isna(label) else label for label in binned["x"]] == [
        referee.bin_label(value, edges, out_of_range) for value in values
    ]
    found = [value for value in values if value is not None]
    told = binnings["x"]
    assert told.n_below == sum(value < edges[0] for value in found)
    assert told.n_above == sum(value > edges[-1] for value in found)
    assert told.n_missing == len(values) - len(found)
    assert told.policy == out_of_range
    pd.testing.assert_series_equal(models.bin_feature_column(frame, "x", edges, out_of_range), binned["x"])


@BRIEF
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=60), edge_lists)
def test_bins_count_as_numpy_histogram_does(values, edges):
    labels = models.bin_feature_column(pd.DataFrame({"x": values}), "x", edges, "missing")
    assert labels.value_counts(sort=False).tolist() == np.histogram(values, edges)[0].tolist()


def test_binning_leaves_the_frame_and_its_index_alone():
    frame = pd.DataFrame({"x": [1.0, 9.0], "y": ["a", "b"]}, index=[5, 5])
    before = frame.copy(deep=True)
    binned, _ = models.apply_feature_binning(frame, {"x": [0, 5, 10]})
    pd.testing.assert_frame_equal(frame, before)
    assert binned.index.tolist() == [5, 5]
    assert binned["x"].tolist() == ["0--5", "5--10"]
    assert list(binned.columns) == ["x", "y"]


@each("edges", [np.array([0, 5, 10]), np.array([0.0, 5.0, 10.0]), (0, 5, 10), range(0, 11, 5)])
def test_edges_may_come_as_any_sequence_of_numbers(edges):
    assert models.bin_feature_column(pd.DataFrame({"x": [7]}), "x", edges).tolist() == ["5--10"]


@pytest.mark.parametrize("policy", ["tails", "", None])
def test_an_unknown_policy_for_values_out_of_range_is_refused(policy):
    with pytest.raises(models.FaultyInputError, match="allowed: tail, missing"):
        models.bin_feature_column(pd.DataFrame({"x": [1.0]}), "x", [0, 1], policy)


# ---------------------------------------------------------------- numbering of classes


@MANY
@given(frames())
def test_classes_are_those_of_the_referee(made):
    frame, names = made
    formed = models.form_equivalence_classes(frame, names)
    expected = referee.classes(referee.columns_of(frame), names)
    assert partition(formed.class_of_record.tolist()) == {frozenset(members) for members in expected.values()}
    assert formed.size.tolist() == np.bincount(formed.class_of_record, minlength=formed.n_classes).tolist()
    assert formed.n_classes == len(expected)
    assert formed.n_records == len(frame)
    complete = {min(members): None not in key for key, members in expected.items()}
    found = {formed.class_of_record.tolist().index(i): bool(formed.complete[i]) for i in range(formed.n_classes)}
    assert found == complete


def assert_lexicographic(formed: models.EquivalenceClasses) -> None:
    codes = formed.class_codes.T.tolist()
    assert codes == sorted(codes)


def grouped(parts: dict[str, list]) -> dict[tuple, int]:
    counts: dict[tuple, int] = {}
    for key in zip(*parts.values(), strict=True):
        counts[key] = counts.get(key, 0) + 1
    return counts


@pytest.mark.parametrize("n_columns", [1, 40, 41, 80, 200])
def test_more_quasi_identifiers_than_a_64_bit_key_can_hold(n_columns):
    """Three codes a column: from 40 columns on, 3 ** n_columns passes 2 ** 62."""
    rng = np.random.default_rng(n_columns)
    base = rng.choice(np.array(["m", "f", ""], dtype=object), (30, n_columns))
    rows = base[rng.integers(0, 30, 300)]
    rows[:, -1] = rng.choice(np.array(["m", "f", ""], dtype=object), 300)  # the last column still tells apart
    parts = {f"q{i}": rows[:, i].tolist() for i in range(n_columns)}
    formed = models.form_equivalence_classes(pd.DataFrame(parts), list(parts))
    expected = grouped(parts)
    assert formed.n_classes == len(expected)
    keys = list(zip(*parts.values(), strict=True))
    assert formed.size[formed.class_of_record].tolist() == [expected[key] for key in keys]
    assert_lexicographic(formed)


# ---------------------------------------------------------------- the referee itself
