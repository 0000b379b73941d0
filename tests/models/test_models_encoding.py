"""Encoding, binning and the numbering of equivalence classes, against the referee and at their edges."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import Anonymization_Models as models
from disclosure_control.basics.encoding import keys as keys_of_columns
from disclosure_control.basics.encoding.columns import CODE, as_counted, labels_of, number_text
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.run.tables import csv_bytes
from tests.cases import each
from tests.models import referee
from tests.models.model_frames import BRIEF, MANY, columns, edge_lists, frames
from tests.remedy.treatments.treatment_frames import config_for


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
@given(st.integers(0, 25).flatmap(columns))
def test_what_is_written_is_what_was_counted(values):
    """Whoever counts the cells of the file as they stand there finds the values that were counted."""
    cells = csv_bytes(as_counted(values).to_frame("column")).decode().split("\n")[1:-1]
    encoded = models.encode_column(values)
    assert partition(encoded.codes.tolist()) == partition(cells)
    assert as_counted(as_counted(values)).equals(as_counted(values))
    assert models.encode_column(as_counted(values)).labels.astype(str).tolist() == encoded.labels.astype(str).tolist()


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


@each(
    ("kind", "values", "labels"),
    [
        ("float64", [2.5, -1.0, np.nan, 2.5], [-1.0, 2.5]),
        ("float64", [0.0, -0.0], [0.0]),
        ("Int64", [10, 9, None], [9.0, 10.0]),
        ("str", ["b", "a ", "", None, "B"], ["B", "a", "b"]),
        (object, ["10", "9", 9, 9.0], ["10", "9"]),
        (object, ["1", "1.0", 1, 1.0, "01", "1.00"], ["01", "1"]),
        (object, [1.5, "1.5"], ["1.5"]),
        (object, ["e\u0301", "\u00e9"], ["\u00e9"]),
        ("bool", [True, False], ["False", "True"]),
        ("str", [], []),
        ("float64", [None, None], []),
        (object, [None, "", " \t"], []),
    ],
)
def test_labels_are_distinct_and_in_order(kind, values, labels):
    encoded = models.encode_column(pd.Series(values, dtype=kind))
    assert encoded.labels.tolist() == labels
    assert encoded.codes.max(initial=-1) < len(labels)


def test_labels_of_bins_stand_in_the_order_of_their_edges():
    frame = pd.DataFrame({"x": [5.0, 15.0, 100.0, -1.0, None]})
    encoded = models.encode_column(models.bin_feature_column(frame, "x", [0, 9, 10, 20]))
    labels = encoded.labels.tolist()
    assert labels.index("<0") < labels.index("0--9") < labels.index("10--20") < labels.index(">20")
    assert [None if code < 0 else labels[code] for code in encoded.codes] == ["0--9", "10--20", ">20", "<0", None]


@each("ordered", [False, True])
@each(
    ("spellings", "n_values"),
    [((" a", "a", "a\t"), 1), (("", "  "), 0), (("é", "e\u0301"), 1), (("1", "1.0"), 1), (("1", "01"), 2)],
)
def test_categories_are_compared_like_text(spellings, n_values, ordered):
    """The dtype of a column does not change what counts as the same value."""
    values = pd.Series(pd.Categorical(spellings, categories=list(spellings), ordered=ordered))
    encoded = models.encode_column(values)
    assert len(set(encoded.codes.tolist()) - {-1}) == n_values


@each("kind", ["int64", "Int64", "uint64", "int64[pyarrow]", object])
def test_whole_numbers_beyond_2_to_the_53_stay_apart(kind):
    values = pd.Series([2**53, 2**53 + 1, 2**53], dtype=kind)
    assert partition(models.encode_column(values).codes.tolist()) == {frozenset({0, 2}), frozenset({1})}


@each("kind", ["int8", "uint8", "int64", "uint64", "float64", "int64[pyarrow]"])
def test_whole_numbers_are_encoded_alike_in_whatever_width(kind):
    numbers = [100, 3, 100, 7] if kind.startswith("u") else [100, -100, 3, 100, -7]
    encoded = models.encode_column(pd.Series(numbers, dtype=kind))
    assert encoded.labels.tolist() == [float(number) for number in sorted(set(numbers))]
    assert encoded.labels[encoded.codes].tolist() == numbers
    assert (encoded.codes.dtype, encoded.labels.dtype) == (CODE, np.float64)


@each("kind", ["int64", "Int64", "uint64", "int64[pyarrow]"])
def test_one_large_whole_number_leaves_a_column_of_numbers_one_of_numbers(kind):
    """Only where floats cannot tell two of them apart there is text."""
    encoded = models.encode_column(pd.Series([5, 2**53 + 2, 7, 5], dtype=kind))
    assert encoded.labels.tolist() == [5.0, 7.0, 2.0**53 + 2]
    assert encoded.codes.tolist() == [0, 2, 1, 0]


def test_t_of_large_whole_numbers_is_in_their_unit_or_refused():
    """As floats 6 of 6 are farther than T; total variation, a share, is above no T in units."""
    frame = pd.DataFrame({"q": list("aaabbb"), "s": [1, 2, 3, 10**6, 10**6, 2**53]})
    assert models.run_t_closeness(frame, ["q"], "s", 100).n_risky == 6
    assert models.run_t_closeness(frame.astype({"s": float}), ["q"], "s", 100).n_risky == 6
    fallen = frame.assign(s=[1, 2, 3, 4, 2**53, 2**53 + 1])
    with pytest.raises(FaultyInputError, match="2 whole numbers of 6 are 2\\*\\*53 or larger"):
        models.run_t_closeness(fallen, ["q"], "s", 100)
    assert models.run_t_closeness(fallen, ["q"], "s", 0.1, "total_variation").n_risky == 6


def test_decimals_are_numbers_however_many_zeros_they_end_in():
    values = pd.Series([Decimal("1.5"), Decimal("1.50"), None, Decimal("2")], dtype=object)
    encoded = models.encode_column(values)
    assert (encoded.codes.tolist(), encoded.labels.tolist()) == ([0, 0, -1, 1], [1.5, 2.0])
    many_digits = pd.Series([Decimal("1.00000000000000000001"), Decimal("1.0"), Decimal("1")], dtype=object)
    assert models.encode_column(many_digits).codes.tolist() == [1, 0, 0]
    mixed = pd.Series([Decimal("1.50"), 1.5, "x"], dtype=object)
    assert models.encode_column(mixed).codes.tolist() == [0, 0, 1]


@each("number", [1234567890123456, 2**53, -(2**53) + 1, 10**15])
def test_whole_numbers_are_written_with_all_their_digits(number):
    assert number_text(float(number)) == str(number)
    assert labels_of(models.encode_column(pd.Series([float(number)]))) == [str(number)]


@each(
    "asked",
    [
        lambda frame: models.run_k_anonymity(frame, ["q"], 2),
        lambda frame: models.run_l_diversity(frame, ["s"], "q", 2),
        lambda frame: models.run_t_closeness(frame, ["s"], "q", 2),
        lambda frame: models.apply_feature_binning(frame, {"q": [0, 1]}),
        lambda frame: treat(frame, config_for(["s"]), []),
    ],
)
def test_two_columns_of_one_name_are_a_fault_that_names_it(asked):
    frame = pd.DataFrame([[1, 2, "a"], [3, 4, "b"]], columns=["q", "q", "s"])
    with pytest.raises(FaultyInputError, match="'q': 2 columns have this name"):
        asked(frame)


@pytest.mark.parametrize(
    "values",
    [
        (True, 1, "True"),
        (False, 0.0, "False"),
        (1e15, 10**15, "1000000000000000"),
        (1e22, 10**22, "1e+22"),
        (1234567890123456.0, 1234567890123456, "1234567890123457"),
        (0.1 + 0.2, 0.3, "0.3"),
    ],
    ids=str,
)
def test_equality_in_a_mixed_column_does_not_depend_on_who_comes_first(values):
    """A set of values has one partition, in whatever order the records come."""
    found = set()
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]):
        codes = models.encode_column(pd.Series([values[i] for i in order], dtype=object)).codes.tolist()
        found.add(frozenset(frozenset(order[i] for i in group) for group in partition(codes)))
    assert len(found) == 1


def test_floats_of_16_digits_stay_apart_in_a_column_of_objects():
    values = pd.Series([1234567890123456.0, 1234567890123457.0, "x"], dtype=object)
    assert len(partition(models.encode_column(values).codes.tolist())) == 3


@pytest.mark.parametrize("n_values", [126, 127, 128, 129, 300])
def test_ordered_categories_at_the_ends_of_small_integers(n_values):
    """pandas numbers few categories in one byte."""
    names = [f"{i:03}" for i in range(n_values)]
    ordered = pd.Series(pd.Categorical([*names, None, *names], categories=names, ordered=True))
    formed = models.form_equivalence_classes(pd.DataFrame({"q": ordered, "r": ordered.astype("str")}), ["q", "r"])
    assert formed.size.tolist() == [1] + [2] * n_values
    assert formed.size[formed.class_of_record].tolist() == [2] * n_values + [1] + [2] * n_values


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


@each("edges", [[], [1], [1, 1], [2, 1], [0, np.nan], [0, np.inf], ["a", "b"], [0, 1e16, 1e16 + 2, 1e16 + 4]])
def test_edges_that_make_no_bins_are_refused(edges):
    """The last ones differ, but not in any label that a person could read."""
    with pytest.raises(models.FaultyInputError, match="x"):
        models.bin_feature_column(pd.DataFrame({"x": [1.0]}), "x", edges)


@each(
    ("values", "n_faulty"),
    [
        (["1", "MARKER", "2,5"], 2),
        ([1.0, np.inf, -np.inf], 2),
        (["0x10"], 1),
        ([datetime.datetime(2020, 1, 1)], 1),
    ],
)
def test_what_is_not_a_number_is_counted_and_not_shown(values, n_faulty):
    with pytest.raises(models.FaultyInputError) as caught:
        models.bin_feature_column(pd.DataFrame({"AGE": values * 10}), "AGE", [0, 10])
    message = str(caught.value)
    assert "'AGE'" in message
    assert f"{n_faulty * 10} of {len(values) * 10} values" in message
    assert not any(word in message for word in ("MARKER", "2,5", "0x10", "2020"))


def test_faults_of_all_columns_are_told_at_once():
    frame = pd.DataFrame({"x": ["a"], "y": ["b"], "z": [1]})
    with pytest.raises(models.FaultyInputError) as caught:
        models.apply_feature_binning(frame, {"x": [0, 1], "z": [0, 1], "y": [0, 1]})
    assert [("'x'" in fault, "'y'" in fault) for fault in caught.value.faults] == [(True, False), (False, True)]


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


def test_more_distinct_values_than_can_be_counted_in_an_array():
    rng = np.random.default_rng(5)
    n = 6000
    people = rng.integers(0, n // 2, n)
    parts = {
        "id": (people * 1.5).tolist(),
        "name": [f"name {i % 2999}" for i in people],
        "other": (people % 1777).tolist(),
    }
    formed = models.form_equivalence_classes(pd.DataFrame(parts), list(parts))
    expected = grouped(parts)
    keys = list(zip(*parts.values(), strict=True))
    assert formed.size[formed.class_of_record].tolist() == [expected[key] for key in keys]
    assert_lexicographic(formed)


@BRIEF
@given(st.lists(st.integers(0, 50), max_size=60), st.integers(51, 70_000))
@example([], 60)
def test_all_ways_of_numbering_keys_agree(keys, n_keys):
    keys = np.array(keys, dtype=np.int64)
    counted = keys_of_columns.number_groups(keys, n_keys)
    hashed = keys_of_columns.number_groups(keys, 2**61)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys_of_columns, "MARKS_PER_KEY", 100_000)  # as of many keys
        marked = keys_of_columns.number_groups(keys, 90_000)
    rank = {key: i for i, key in enumerate(sorted(set(keys.tolist())))}
    for group, size in (counted, marked, hashed):
        assert group.dtype == np.int64
        assert group.tolist() == [rank[key] for key in keys.tolist()]
        assert size.tolist() == [keys.tolist().count(key) for key in rank]


# ---------------------------------------------------------------- the referee itself
