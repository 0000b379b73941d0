"""What an attacker with the codebook reads in a treated column; and that nothing is said of what nobody could read."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.linkage_attack.agreement import compatible_values
from disclosure_control.analyses.linkage_attack.codebook import (
    Codebook,
    ColumnCodebook,
    coarser_within,
    reach_of,
    released_numbers,
)
from disclosure_control.analyses.linkage_attack.linkage import attack_linkage, compare_tables
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.remedy.treatments.registry import Reading
from tests.examples import examples

VALUES = ["1", "2", "3", "20--30", "12-345", "A|B", "B"]
LABELS = ["low", "high", "1--2", "20--30", "B", "2", "*"]


def agreement_table(released, known, codebook):
    column = compatible_values(pd.Series(released), pd.Series(known), codebook=codebook)
    pairs = np.array([(i, j) for i in range(len(known)) for j in range(len(released))])
    return column.agree(pairs[:, 0], pairs[:, 1], True).reshape(len(known), len(released))


@examples(200)
@given(st.dictionaries(st.sampled_from(VALUES), st.sampled_from(LABELS)), st.lists(st.sampled_from(VALUES), min_size=1))
def test_a_recoded_value_agrees_with_its_own_label_and_no_other(book, values):
    """The slow reading: look the value up in the codebook. Whatever label or value looks like an interval or a set."""
    released = [book.get(value, value) for value in values]
    codebook = ColumnCodebook(pd.Series(values, dtype="str"), Reading.BY_VALUE)
    expected = [[label == "*" or book.get(value, value) == label for label in released] for value in values]
    assert agreement_table(released, values, codebook).tolist() == expected


@examples(200)
@given(st.lists(st.tuples(st.sampled_from(["x", "y", "z"]), st.sampled_from(["north", "south", "*"])), min_size=1))
def test_a_label_agrees_with_every_value_that_became_it(pairs):
    values, labels = zip(*pairs, strict=True)
    codebook = ColumnCodebook(pd.Series(values, dtype="str"), Reading.AS_LABEL)
    known = ["x", "y", "z", "w"]
    expected = [[label == "*" or (value, label) in pairs for label in labels] for value in known]
    assert agreement_table(list(labels), known, codebook).tolist() == expected


def test_numbers_become_what_the_nearest_number_of_the_pilot_became():
    before, released = pd.Series([10.0, 20.0, 90.0, np.nan]), pd.Series([1.0, 2.0, 7.0, np.nan])
    known = np.array([10.0, 14.0, 16.0, 500.0, np.nan])
    codebook = ColumnCodebook(before, Reading.BY_VALUE)
    assert released_numbers(codebook, released, known)[:4].tolist() == [1.0, 1.0, 2.0, 7.0]
    assert np.isnan(released_numbers(codebook, released, known)[4])


def test_the_reach_holds_the_share_of_people_that_is_asked_for():
    before, after = np.zeros(10), np.arange(10.0)
    assert [round(reach_of(before, after, share), 6) for share in (1.0, 0.9, 0.5)] == [9, 9, 5]
    numbers = np.round(np.random.default_rng(1).normal(0, 1000, 500), 2)
    noisy = np.round(numbers + np.random.default_rng(2).normal(0, 0.1, 500), 1)
    assert (np.abs(noisy - numbers) <= reach_of(numbers, noisy, 1.0)).all()


def test_perturbed_dates_are_read_within_their_reach_and_perturbed_words_tell_nothing():
    before = pd.Series(["2020-01-10", "2020-03-01", "2020-06-01"])
    moved = ColumnCodebook(before, Reading.PERTURBED)
    assert agreement_table(["2020-01-12", "2020-02-28", "2020-06-03"], before.tolist(), moved).tolist() == (
        np.eye(3, dtype=bool).tolist()
    )
    words = ColumnCodebook(pd.Series(["a", "b", "a"]), Reading.PERTURBED)
    assert agreement_table(["a", "a", "a"], ["a", "b"], words).all()
    column = compatible_values(pd.Series(["a", "a", "a"]), pd.Series(["a", "b"]), codebook=words)
    assert column.tells_nothing
    half = ColumnCodebook(words.before, Reading.PERTURBED, share=0.5)  # two of three stayed
    assert agreement_table(["a", "a", "a"], ["a", "b"], half).tolist() == [[True] * 3, [False] * 3]


# ---------------------------------------------------------------- attacks with and without the codebook

N = 300
TOWNS = pd.Series([f"town {i % 40}" for i in range(N)], dtype="str")
REGION = {f"town {i}": f"region {'ABCD'[i % 4]}" for i in range(40)}
PEOPLE = pd.DataFrame({
    "zip": [f"z{i}" for i in range(N)], "town": TOWNS, "street": TOWNS.str.replace("town", "street"),
    "illness": TOWNS.map(REGION).str.replace("region", "illness"),
})  # fmt: skip
GROUPED = PEOPLE.assign(town=TOWNS.map(REGION))
BOOK = Codebook(PEOPLE, {"town": Reading.BY_VALUE})


def linked(codebook):
    matching = compare_tables(GROUPED, PEOPLE, {"zip": "zip", "town": "town"}, codebook=codebook)
    return attack_linkage(matching, np.arange(N)).pairs


def test_whom_an_untouched_column_tells_is_found_however_the_others_are_grouped():
    assert (linked(BOOK).attack.n_hits, linked(BOOK).beats_baseline) == (N, True)


def test_labels_that_nobody_reads_give_no_verdict_in_linkage():
    rates = linked(None)
    assert (rates.attack.n_hits, rates.n_unread, rates.beats_baseline) == (0, N, None)
    assert "300 of 300" in rates.notes("Linkage")[0]


def test_a_no_needs_that_what_was_not_read_could_not_change_it():
    def beats(n_hits, n_unread):
        return AttackRates(Rate(n_hits, 100), Rate(10, 100), baseline_is_known=True, n_unread=n_unread).beats_baseline

    assert (beats(10, 0), beats(10, 2), beats(10, 20), beats(40, 20)) == (False, False, None, True)
    tried = AttackRates(Rate(17, 100), Rate(10, 100), baseline_is_known=True)
    assert tried.beats_baseline
    assert not AttackRates(Rate(17, 100), Rate(10, 100), baseline_is_known=True, n_tries=3).beats_baseline


def test_a_codebook_does_not_tell_whose_number_moved_how_far():
    """Noise on numbers that are all different: the pairs of old and new would name everybody, the reach does not."""
    generator = np.random.default_rng(3)
    people = pd.DataFrame({"weight": generator.normal(70, 15, N).round(3)})
    noisy = people.assign(weight=(people.weight + generator.normal(0, 15, N)).round(3))
    codebook = Codebook(people, {"weight": Reading.PERTURBED})
    for share in codebook.shares_tried(noisy, ["weight"]):
        one = Codebook(people, codebook.readings, share)
        attack = attack_linkage(compare_tables(noisy, people, {"weight": "weight"}, codebook=one), np.arange(N))
        assert attack.pairs.attack.rate < 0.05
    assert len(encode_column(noisy.weight).labels) > 290


@examples(60)
@given(st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=30), st.floats(1e-3, 1e5))
def test_rounding_of_many_numbers_rules_nobody_out(numbers, reach):
    numbers = np.array(numbers)
    moved = numbers + np.linspace(-reach, reach, len(numbers))
    within = np.abs(numbers[:, None] - moved) <= reach
    first, second, wider = coarser_within(numbers, moved, reach, most_values=5)
    assert (np.abs(first[:, None] - second) <= wider)[within].all()
    assert wider <= reach + max(reach / 16, np.ptp([*numbers, *moved]) / 5) * 1.01 + 1e-5
