"""Microaggregation against sdcMicro's rows, the plain quadratic algorithm, and the best of all partitions."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.algorithms import mdav
from disclosure_control.remedy.treatments.methods.microaggregation import (
    aggregate_by_group,
    fixed_groups,
    optimal_groups,
)
from disclosure_control.remedy.treatments.registry import TreatmentInput
from tests.examples import examples, some_of
from tests.places import SDCMICRO
from tests.remedy.treatments.treatment_frames import applying

apply_mdav = applying("mdav")
apply_microaggregation = applying("microaggregation")

# Who of two equal records goes into which group is decided by position in sdcMicro and by the records' content here, so
# equals may swap their values: pairs of old and new values are compared as a whole. In Tarragona two firms have an
# equal in all seven columns; in the other file nobody has, and there the rows of MDAV are the same one by one.
CASES = [
    f"microaggregation__{data}__{method}__aggr{size}"
    for data in ("testdata", "Tarragona")
    for method in ("mdav", "onedims")
    for size in (3, 5, 10)
]


def sdcmicro_case(name):
    path = SDCMICRO / "cases.json"
    if not path.is_file():
        pytest.skip("shared/oracles/sdcmicro is not beside the clone")
    cases = {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}
    return cases[name], pd.read_csv(SDCMICRO / "data" / f"{cases[name]['data']}.csv")


def pilot(frame, k=3, columns=("x", "y"), **more):
    literal = {
        "categorical_qis": [],
        "continuous_qis": list(columns),
        "binning_config": {},
        "sensitive_feature": [],
        "K": k,
    }
    return TreatmentInput(frame, validate_config(literal), np.random.default_rng(1), **more)


def sorted_rows(rows):
    return rows[np.lexsort(rows.T[::-1])]


# ---------------------------------------------------------------- sdcMicro


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
@pytest.mark.parametrize("name", some_of(CASES))
def test_sdcmicro(name):
    case, data = sdcmicro_case(name)
    columns, size = case["params"]["variables"], case["params"]["aggr"]
    numbers = data[columns].to_numpy(dtype=float)
    given_input = pilot(data[columns], k=size, columns=columns)
    if case["params"]["method"] == "mdav":
        treated = apply_mdav(given_input)
    else:
        treated = apply_microaggregation(given_input, partition="fixed")
    ours = treated.frame.to_numpy(dtype=float)
    increase = np.abs(ours - numbers) / (np.sqrt(2) * numbers.std(axis=0, ddof=1))
    assert increase.sum() == pytest.approx(case["scalars"]["IL1s"], rel=1e-9)
    if case["rows"]:
        theirs = pd.read_csv(SDCMICRO / case["rows"]).to_numpy(dtype=float)
        is_mdav = case["params"]["method"] == "mdav"
        for i in [slice(None)] if is_mdav else range(len(columns)):
            both = [sorted_rows(np.column_stack([numbers[:, i], after[:, i]])) for after in (ours, theirs)]
            np.testing.assert_allclose(*both, rtol=1e-12)
        if is_mdav:
            n_other = int((~np.isclose(ours, theirs, rtol=1e-9)).any(axis=1).sum())
            assert n_other <= (2 if case["data"] == "Tarragona" else 0)


@pytest.mark.parametrize("size", [3, 5])
def test_sdcmicro_mafast(size):
    case, data = sdcmicro_case(f"mafast__testdata__income__aggr{size}")
    treated = apply_microaggregation(pilot(data[["income"]], k=size, columns=["income"]), partition="fixed")
    theirs = pd.read_csv(SDCMICRO / case["rows"])["income"]
    np.testing.assert_allclose(treated.frame["income"], theirs, rtol=1e-12)


# ---------------------------------------------------------------- the plain algorithm


def plain_mdav(points, size):
    """Every remaining record measured every time; ties go to the smaller one in the order of the values."""
    order = sorted(range(len(points)), key=lambda i: (*points[i], i))
    group, n_groups, left = np.full(len(points), -1), 0, list(order)

    def distance(i, point):
        total = 0.0
        for a, b in zip(points[i], point, strict=True):
            total += (a - b) * (a - b)
        return total

    def farthest(point):
        return max(left, key=lambda i: (distance(i, point), -order.index(i)))

    def form(record):
        nonlocal left, n_groups
        members = sorted(left, key=lambda i: (distance(i, points[record]), order.index(i)))[:size]
        group[members] = n_groups
        n_groups += 1
        left = [i for i in left if i not in members]

    def centre():
        return [float(sum(Fraction(points[i][j]) for i in left) / len(left)) for j in range(len(points[0]))]

    while len(left) >= 3 * size:
        first = farthest(centre())
        form(first)
        form(farthest(points[first]))
    if len(left) >= 2 * size:
        form(farthest(centre()))
    group[left] = n_groups
    return group


@examples(90)
@given(st.data(), st.integers(2, 4), st.integers(1, 3), st.sampled_from([3, 1_000_003]))
def test_mdav_forms_the_groups_of_the_plain_algorithm(data, size, n_columns, n_values):
    value = st.integers(0, n_values - 1)  # few values make many ties
    rows = data.draw(st.lists(st.tuples(*[value] * n_columns), min_size=size, max_size=40))
    numbers, told = np.array(rows, dtype=float), []
    scaled = np.stack([mdav._scaled(column) for column in numbers.T], axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mdav, "RECORDS_PER_BOX", data.draw(st.sampled_from([2, 5])))
        ours = mdav.mdav_groups(numbers, size, advance=told.append)
    assert ours.tolist() == plain_mdav(scaled.tolist(), size).tolist()
    assert told == [size] * ours.max()  # all but the last group, after which it is over
    sizes = np.bincount(ours)
    assert sizes.min() >= size
    assert sizes.max() < 2 * size


# ---------------------------------------------------------------- one column


def squares(values, lengths):
    ends = np.cumsum(lengths)
    parts = [values[end - length : end] for length, end in zip(lengths, ends, strict=True)]
    return sum(((part - part.mean()) ** 2).sum() for part in parts)


@examples(75)
@given(st.lists(st.integers(0, 30), min_size=2, max_size=11), st.integers(2, 4))
def test_the_optimal_partition_loses_least_of_all(values, size):
    values = np.sort(np.array(values, dtype=float))
    if len(values) < size:
        return
    lengths = np.bincount(optimal_groups(values, size))
    every = [
        parts
        for n in range(1, len(values) // size + 1)
        for parts in itertools.product(range(size, len(values) + 1), repeat=n)
        if sum(parts) == len(values)
    ]
    least = min(squares(values, parts) for parts in every)
    assert squares(values, lengths) == pytest.approx(least, abs=1e-9)
    assert lengths.min() >= size
    assert lengths.max() < 2 * size


def test_optimal_by_hand_and_with_large_numbers():
    values = np.array([1, 2, 3, 10, 11, 12, 13, 30, 31, 32.0])
    assert optimal_groups(values, 3).tolist() == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    assert optimal_groups(values + 1e12, 3).tolist() == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    assert fixed_groups(values, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_mean_and_median_of_groups_by_hand():
    numbers, group = np.array([5.0, 1.0, 3.0, 10.0, 20.0, 60.0, 70.0]), np.array([0, 0, 0, 1, 1, 1, 1])
    assert aggregate_by_group(numbers, group).tolist() == [3, 3, 3, 40, 40, 40, 40]
    assert aggregate_by_group(numbers, group, "median").tolist() == [3, 3, 3, 40, 40, 40, 40]
    assert aggregate_by_group(np.array([1.0, 2, 9]), np.zeros(3, dtype=int), "median").tolist() == [2, 2, 2]


# ---------------------------------------------------------------- as treatments


def test_people_who_lack_values_are_grouped_among_themselves_and_too_few_are_counted():
    gap = np.nan
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, gap], "y": [1, 2, 3, gap, gap, gap, 7, 8.0]})
    treated = apply_mdav(pilot(frame))
    assert treated.frame["x"].tolist()[:3] == treated.frame["y"].tolist()[:3]
    assert treated.frame["x"].tolist()[3:6] == [5, 5, 5]
    assert treated.frame["y"][3:6].isna().all()
    assert np.isnan(treated.frame["y"][7])
    assert treated.notes == (
        "The values of fewer than 10 people without a value of some column were made missing, "
        "because they are too few for a group of 3.",
    )
    alone = apply_microaggregation(pilot(frame[["x"]].where(frame["x"] < 3), columns=["x"]))
    assert alone.frame["x"].isna().all()
    assert alone.changed == {"x": 2}
    assert "fewer than 10 people with a value of 'x'" in alone.notes[0]
    too_few = apply_mdav(pilot(frame.iloc[[0, 1, 3]]))
    assert too_few.notes == (
        "The values of fewer than 10 people with a value of each column were made missing, "
        "because they are too few for a group of 3.",
        "The values of fewer than 10 people without a value of some column were made missing, "
        "because they are too few for a group of 3.",
    )


def test_text_stays_text_and_what_is_no_number_is_a_fault():
    frame = pd.DataFrame({"x": pd.Series(["1", "2", "6"], dtype="str")})
    treated = apply_mdav(pilot(frame, columns=["x"]), columns=["x"], aggregate="median")
    assert treated.frame["x"].tolist() == ["2", "2", "2"]
    with pytest.raises(FaultyInputError, match="fewer than 10 of 3 values are text"):
        apply_mdav(pilot(frame.replace("6", "six"), columns=["x"]), columns=["x"])
