"""How many of a class can be left in classes that pass: against every choice of its people, and by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import CountTable
from disclosure_control.basics.encoding.hierarchies import build_hierarchy
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
from disclosure_control.remedy.recodings.most_kept import LEVELS, most_kept
from tests.examples import examples

HIERARCHY = build_hierarchy([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]], "letters")
VALUES = np.array(["a", "b", "c", "d"], dtype=object)
COUNTS = st.lists(st.integers(0, 3), min_size=4, max_size=4)


def table_of(classes) -> CountTable:
    counts = np.array(classes)
    of_class, of_value = np.nonzero(counts)
    return CountTable(of_class, of_value, counts[of_class, of_value], VALUES, len(counts))


@pytest.mark.parametrize("model", LEVELS)
@examples(120)
@given(classes=st.lists(COUNTS.filter(any), min_size=1, max_size=3), t=st.sampled_from([0.05, 0.2, 0.4, 0.7]))
def test_no_choice_of_people_that_passes_is_larger(model, classes, t):
    reference, settings = np.sum(classes, axis=0), {"hierarchy": HIERARCHY}
    bound = most_kept(model, settings, table_of(classes), reference, t)
    for counts, most in zip(classes, bound, strict=True):
        choices = [choice for choice in itertools.product(*(range(n + 1) for n in counts)) if any(choice)]
        distance = SYNTACTIC_MODELS[model].function(table_of(choices), reference, settings)
        sizes = np.sum(choices, axis=1)[distance <= t + 1e-12]
        assert sizes.max(initial=0) <= most <= sum(counts)


def test_by_hand():
    """Everybody has four values alike. Three of them are 0.75 of everybody, so nobody of a class that lacks one is
    within 0.2; within 0.3, of 8, 2, 2 and none s people may stay as long as s/4 + 2 + 2 >= 0.7 s, which is 8 of 12. A
    class of one value is 0.75 away, however few of its people stay; and one within t stays whole."""
    classes, reference = table_of([[8, 2, 2, 0], [0, 6, 6, 12], [0, 0, 0, 5], [20, 20, 20, 11]]), np.full(4, 25)
    assert most_kept("total_variation_t", {}, classes, reference, 0.2).tolist() == [0, 0, 0, 71]
    assert most_kept("total_variation_t", {}, classes, reference, 0.3).tolist() == [8, 24, 0, 71]


def test_of_other_models_nothing_is_known():
    assert most_kept("wasserstein_t", {}, table_of([[1, 0, 0, 0]]), np.ones(4), 0.2) is None
