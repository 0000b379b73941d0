"""Which released label stands for which known value, and the counts of candidates against a slow referee."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.linkage_attack.linkage import Matching
from disclosure_control.analyses.linkage_attack.reading import compatible_values, equal_values
from disclosure_control.remedy.treatments.registry import Reading
from tests.examples import examples


def read_by(original, reading=Reading.AS_LABEL):
    return (None, None) if original is None else (pd.Series(original), reading)


def agree(columns, n_known, n_released):
    """Which released record agrees with which person on all columns (n_known, n_released)."""
    known, released = np.divmod(np.arange(n_known * n_released), max(n_released, 1))
    return Matching(columns, True).agree(known, released).reshape(n_known, n_released)


def agrees(released, known, original=None, within=0.0):
    """Which released record agrees with which known value, as a table of the project's own answers."""
    released, known = pd.Series(released, name="x"), pd.Series(known, name="x")
    column = compatible_values(released, known, within, *read_by(original))
    return agree([column], len(known), len(released)).tolist()


def test_bins_are_half_open_and_the_last_one_is_closed():
    assert agrees(["20--30", "30--40"], ["20", "29.5", "30", "40", "41"]) == [
        [True, False],
        [True, False],
        [False, True],
        [False, True],
        [False, False],
    ]


def test_intervals_across_each_other_hold_both_ends():
    assert agrees(["20--30", "25--40"], ["20", "30", "40"]) == [[True, False], [True, True], [False, True]]


def test_what_the_ends_mean_is_seen_in_the_values_before_the_treatment():
    """Two parts of Mondrian that meet in 30: the first one holds a person aged 30."""
    assert agrees(["20--30", "30--40"], [30], original=[30, 31]) == [[True, True]]
    assert agrees(["20--30", "30--40"], [30], original=[29, 31]) == [[False, True]]


def test_stars_missing_values_masks_and_sets():
    released = ["*", None, "12xxx", "Urban|Rural", "12345", "a|missing"]
    assert agrees(released, ["12345", "Rural", None]) == [
        [True, True, True, False, True, True],
        [True, True, False, True, False, True],
        [True] * 6,
    ]


def test_numbers_within_a_distance_and_numbers_as_text():
    assert agrees([27.0, 32.0], ["25", "29", "30", "38"], within=2) == [
        [True, False],
        [True, False],
        [False, True],
        [False] * 2,
    ]
    assert agrees([1.0, 2.0], ["1", "2.0"]) == [[True, False], [False, True]]


# ---------------------------------------------------------------- values that look like labels

LOOKALIKES = ["00-950", "12-345", "12-999", "20--30", "25--40", "<20", "A|B", "B", "[1,2)", "<3.42", "0-1", "2001-2003"]
LOOKALIKES += ["5", "12345", "12xxx", "{1, 2}", ">90", "0"]
looking = st.lists(st.tuples(st.sampled_from(LOOKALIKES), st.sampled_from(["a", "b|c"])), min_size=1, max_size=14)


def two_columns(rows):
    return pd.DataFrame(rows, columns=["x", "y"], dtype="str")


def fits(released, known, original=None):
    columns = [
        compatible_values(released[name], known[name], 0.0, *read_by(None if original is None else original[name]))
        for name in ("x", "y")
    ]
    return agree(columns, len(known), len(released))


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
@examples(60)
@given(looking, looking)
def test_equal_text_agrees_whatever_it_looks_like(released, known):
    released, known = two_columns(released), two_columns(known)
    equal = (released.x.to_numpy() == known.x.to_numpy()[:, None]) & (
        released.y.to_numpy() == known.y.to_numpy()[:, None]
    )
    for original in (None, released):
        assert fits(released, known, original)[equal].all()


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
@examples(60)
@given(looking)
def test_on_an_identical_release_nothing_but_equal_text_agrees(rows):
    table = two_columns(rows)
    equal = [[one == other for other in rows] for one in rows]
    for original in (None, table):
        assert fits(table, table, original).tolist() == equal


def test_a_treated_label_holds_the_lookalikes_that_it_was_made_of_and_no_others():
    original = ["12-345", "12-999", "13-400", "12-345"]
    released = ["12-345|12-999", "12-345|12-999", "13-400", "12-***"]
    assert agrees(released, ["12-345", "12-999", "13-400"], original=original) == [
        [True, True, False, True],
        [True, True, False, True],
        [False, False, True, False],
    ]


def test_bands_that_the_treatment_made_hold_the_bands_that_they_were_made_of():
    assert agrees(["20--30", "30--40"], ["20--30", "30--40"]) == [[True, False], [False, True]]
    assert agrees(["20--40", "40--50"], ["20--30", "40--50"], original=["20--30", "40--50"]) == [
        [True, False],
        [False, True],
    ]


def test_bands_of_the_source_hold_exact_values_of_the_register():
    assert agrees(["20--30", "30--40"], ["25", "30"]) == [[True, False], [False, True]]
    # One person of the register is down as a band, which changes nothing for the others.
    assert agrees(["20--30", "30--40"], ["25", "30--40"]) == [[True, False], [False, True]]


# ---------------------------------------------------------------- counts of candidates against a referee

LABELS = ["1", "2", "3", "1--2", "2--3", "1|3", "*", None]
VALUES = ["1", "2", "3", "4", None]


def referee_agrees(label, value, missing_agrees):
    if label in ("*", None) or value is None:
        return missing_agrees
    low_high = {"1--2": (1, 2), "2--3": (2, 3)}
    if label in low_high:
        return low_high[label][0] <= int(value) <= low_high[label][1]
    return value in label.split("|")


records = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(["a", "b", None])), min_size=1, max_size=12)
people = st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=12)


@examples(60)
@given(records, people)
def test_candidates_are_those_that_a_slow_referee_finds(released, known):
    frames = [pd.DataFrame(side, columns=["x", "y"], dtype="str") for side in (released, known)]
    before = pd.Series(["2" if label == "1--2" else None for label, _ in released], dtype="str")  # so 1--2 holds 2
    columns = (
        compatible_values(frames[0].x, frames[1].x, 0.0, before, Reading.AS_LABEL),
        compatible_values(frames[0].y, frames[1].y),
    )
    for attributes in ([0], [1], [0, 1]):
        matching = Matching([columns[i] for i in attributes], True)
        fits = np.array(
            [
                [all(referee_agrees(label[i], value[i], True) for i in attributes) for label in released]
                for value in known
            ]
        )
        n_candidates, candidate = matching.candidates()
        assert n_candidates.tolist() == fits.sum(axis=1).tolist()
        for i, row in enumerate(fits):
            is_pair = row.sum() == 1 and fits[:, row.argmax()].sum() == 1
            assert candidate[i] == (row.argmax() if is_pair else -1)


@examples(45)
@given(people, people)
def test_exact_candidates_are_those_of_a_join(released, known):
    frames = [pd.DataFrame(side, columns=["x", "y"], dtype="str") for side in (released, known)]
    matching = Matching(tuple(equal_values(frames[0][name], frames[1][name]) for name in ("x", "y")), False)
    numbered = [frame.assign(number=range(len(frame))).dropna() for frame in frames]
    joined = numbered[1].merge(numbered[0], on=["x", "y"])
    expected = joined.number_x.value_counts().reindex(range(len(known)), fill_value=0)
    assert matching.candidates()[0].tolist() == expected.tolist()


@pytest.mark.parametrize("number", [1234567890123456.0, 2.0**53, 0.1234567890123456, 0.1 + 0.2, 12.5])
def test_a_register_read_as_text_equals_the_numbers_of_the_release_and_the_other_way_round(number):
    """One value of the register is a name, so that all of it is text; two numbers read the same in 15 digits."""
    numbers, texts = pd.Series([number, number * (1 + 2e-16), 7.0], name="x"), pd.Series([repr(number), "Anna"])
    for agreement in (equal_values, compatible_values):
        assert agree([agreement(numbers, texts)], 2, 3)[0].tolist()[::2] == [True, False]
        one = agreement(texts.rename("x"), numbers)
        assert one.same(one.known[[0, 2]], one.released[[0, 0]]).tolist() == [True, False]


# ---------------------------------------------------------------- with the codebook

VALUES_TREATED = ["1", "2", "3", "20--30", "12-345", "A|B", "B"]
LABELS_MADE = ["low", "high", "1--2", "20--30", "B", "2", "*"]


@examples(75)
@given(
    st.dictionaries(st.sampled_from(VALUES_TREATED), st.sampled_from(LABELS_MADE)),
    st.lists(st.sampled_from(VALUES_TREATED), min_size=1),
)
def test_a_recoded_value_agrees_with_its_own_label_and_no_other(book, values):
    """The slow reading: look the value up in the codebook. Whatever label or value looks like an interval or a set."""
    released = pd.Series([book.get(value, value) for value in values], name="x")
    column = compatible_values(released, pd.Series(values), 0.0, *read_by(values, Reading.BY_VALUE))
    expected = [[label == "*" or book.get(value, value) == label for label in released] for value in values]
    assert agree([column], len(values), len(values)).tolist() == expected
