"""Small tables worked by hand: where other tools are wrong, where ties are exact, and the models of class sizes."""

import math

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import count_sensitive_values, form_equivalence_classes
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.class_sizes import average_class_size, delta_presence, discernibility
from disclosure_control.measures.syntactic_measures import SharedCells, basic_beta, delta_disclosure, enhanced_beta
from disclosure_control.measures.syntactic_models import evaluate_syntactic_models
from tests.examples import some_of


def evaluated(classes: dict[str, str], names: list[str] | None = None, **parameters) -> dict:
    """Results for classes given as ``{"p": "aab"}``: one letter per person, ``.`` for a person without a value."""
    rows = [(label, None if value == "." else value) for label, values in classes.items() for value in values]
    frame = pd.DataFrame(rows, columns=["q", "s"])
    formed = form_equivalence_classes(frame, ["q"])
    counts = {"s": count_sensitive_values(formed, frame["s"])}
    results = evaluate_syntactic_models(formed, counts, "category", names, parameters)
    return {name: result for (name, _), result in results.items()}


# ---------------------------------------------------------------- l


@pytest.mark.parametrize("l_wanted", some_of(range(1, 40)))
def test_equally_frequent_values_have_an_entropy_of_exactly_their_number(l_wanted):
    """An exact tie for any number of values and any frequency, as of nine and nine people where ARX is wrong."""
    alphabet = "".join(chr(ord("A") + i) for i in range(l_wanted))
    for times in (1, 3, 9, 49, 343):
        result = evaluated({"p": alphabet * times}, ["entropy_l"], entropy_l={"threshold": l_wanted})["entropy_l"]
        assert result.n_risky == 0
        stricter = evaluated({"p": alphabet * times}, ["entropy_l"], entropy_l={"threshold": l_wanted + 1e-6})
        assert stricter["entropy_l"].n_risky == l_wanted * times


def test_recursive_l_is_strict_and_a_tie_in_decimals_is_a_tie():
    """2 < 2 * 1 does not hold; nor does 28 < 1.12 * 25, which machines take for 28.000000000000004."""
    assert evaluated({"p": "aab"}, ["recursive_l"], recursive_l={"c": 2})["recursive_l"].worst == 1
    assert evaluated({"p": "aab"}, ["recursive_l"], recursive_l={"c": 2.001})["recursive_l"].worst == 2
    assert 1.12 * 25 > 28
    assert evaluated({"p": "a" * 28 + "b" * 25}, ["recursive_l"], recursive_l={"c": 1.12})["recursive_l"].worst == 1


def test_grassberger_l_where_arx_gives_up_too_early():
    """Frequencies 4, 1, 1. With G(n) = g(n) - gamma - ln 2: g(1) = 0, g(4) = 2 + 2/3, g(6) = g(4) + 2/5, and so
    H = 46/15 - (4 * 8/3) / 6 = 58/45 > ln 3: the class is 3-diverse, its measure cut at three values."""
    class_of_arx = evaluated({"p": "aaaabc"}, ["grassberger_l"], grassberger_l={"threshold": 3})["grassberger_l"]
    assert math.exp(58 / 45) > 3
    assert (class_of_arx.worst, class_of_arx.n_risky) == (3.0, 0)
    # Frequencies 5, 1: g(5) = g(4), H = 46/15 - 5/6 * 8/3 = 38/45; exp of it is above the two values there are.
    # Frequencies 4, 4: g(8) = g(6) + 2/7, H = g(8) - g(4) = 24/35.
    assert evaluated({"p": "aaaabbbb"}, ["grassberger_l"])["grassberger_l"].worst == pytest.approx(math.exp(24 / 35))
    assert evaluated({"p": "a"}, ["grassberger_l"])["grassberger_l"].worst == 1.0


def test_records_with_missing_values_are_counted():
    """A missing quasi-identifier makes a class of its own (pyCANON loses such records); a missing value is no value."""
    frame = pd.DataFrame({"q": ["p", "p", None, None, None], "s": ["a", None, "a", "b", None]})
    classes = form_equivalence_classes(frame, ["q"])
    results = evaluate_syntactic_models(classes, {"s": count_sensitive_values(classes, frame["s"])})
    assert results["distinct_l", "s"].per_record().tolist() == [1, 1, 2, 2, 2]
    # p: all a, against 2/3 of everybody; missing: half a, half b
    shares = results["total_variation_t", "s"].per_record()
    np.testing.assert_allclose(shares, [1 / 3, np.nan, 1 / 6, 1 / 6, np.nan], rtol=1e-12)


# ---------------------------------------------------------------- gains


@pytest.mark.parametrize("prepared", [False, True])
def test_a_measure_follows_the_reference_that_it_is_given(prepared):
    """Class p: a 2/3, b 1/3, against a population with a 1/4 and b 3/4, and one where nobody has b."""
    frame = pd.DataFrame({"q": list("ppp"), "s": list("aab")})
    table = count_sensitive_values(form_equivalence_classes(frame, ["q"]), frame["s"]).table
    if prepared:
        table = SharedCells.of(table, table.people_of_value)
        assert basic_beta(table, table.reference, {}).tolist() == [0.0]
    assert basic_beta(table, np.array([1, 3]), {}) == pytest.approx([5 / 3])
    assert delta_disclosure(table, np.array([1, 3]), {}) == pytest.approx([math.log2(8 / 3)])
    for measure in (basic_beta, enhanced_beta, delta_disclosure):
        assert measure(table, np.array([1, 0]), {}).tolist() == [math.inf]


# ---------------------------------------------------------------- t


def test_ordered_t_counts_only_values_that_an_evaluated_person_has():
    """Values 1 and 3 of the evaluated are neighbours, so m = 2 and the distance is 1/2; 2 and 9 are not evaluated."""
    frame = pd.DataFrame({"q": ["p", "r", None, None], "s": [1.0, 3.0, 2.0, 9.0]})
    classes = form_equivalence_classes(frame, ["q"])
    counts = {"s": count_sensitive_values(classes, frame["s"])}
    result = evaluate_syntactic_models(classes, counts, "exclude", ["ordered_t"])["ordered_t", "s"]
    np.testing.assert_array_equal(result.per_record(), [0.5, 0.5, np.nan, np.nan])


def test_a_wasserstein_tie_is_a_tie_however_wide_the_values_range():
    """Everybody: three 0, then 1, a billion, a billion and 1. The distribution of p is off by 1/6 from 0 to 1 and
    again over the last unit: 1/3 exactly, which sums of terms near a billion miss by 1e-7."""
    billion = 1e9
    frame = pd.DataFrame({"q": list("pppqqq"), "s": [0, 0, billion + 1, 0, 1, billion]})
    classes = form_equivalence_classes(frame, ["q"])
    counts = {"s": count_sensitive_values(classes, frame["s"])}
    for threshold, n_risky in ((1 / 3, 0), (0.3, 6)):
        parameters = {"wasserstein_t": {"threshold": threshold}}
        result = evaluate_syntactic_models(classes, counts, "category", ["wasserstein_t"], parameters)
        assert result["wasserstein_t", "s"].n_risky == n_risky


# ---------------------------------------------------------------- class sizes


def test_delta_presence_is_the_share_of_the_population():
    presence = delta_presence(np.array([5, 1, 0, 3]), np.array([5, 10, 7, 4]))
    assert presence.tolist() == [1.0, 0.1, 0.0, 0.75]


@pytest.mark.parametrize(("size", "population"), [([2], [1]), ([0], [0]), ([1, 0], [3, 0])])
def test_a_population_that_does_not_contain_the_data_is_refused(size, population):
    with pytest.raises(FaultyInputError, match=r"1 of \d classes have more people in the data than the population"):
        delta_presence(np.array(size), np.array(population))


def test_average_class_size_and_discernibility():
    assert average_class_size(np.array([1, 2, 6])) == 3.0
    assert average_class_size(np.array([2, 6]), n_suppressed=1) == 9 / 3  # the suppressed are one class more
    assert average_class_size(np.array([])) == discernibility(np.array([])) == 0.0
    assert discernibility(np.array([1, 2, 6])) == 41
    assert discernibility(np.array([2, 6]), n_suppressed=1) == 4 + 36 + 9
    assert discernibility(np.array([46_341], dtype=np.int32)) == 46_341**2  # beyond 32 bits, where ARX overflows
