"""Singling out, inference and linkability: by hand, against referees, and on data where they must find nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.linkage_attack.codebook import Codebook
from disclosure_control.analyses.linkage_attack.inference import INFERENCE, InferenceSettings, infer_attribute
from disclosure_control.analyses.linkage_attack.kinds import AttackScene
from disclosure_control.analyses.linkage_attack.labels import pattern_of, people_covered
from disclosure_control.analyses.linkage_attack.linkability import link_parts
from disclosure_control.analyses.linkage_attack.nearest import nearest_kinds, released_kinds
from disclosure_control.analyses.linkage_attack.predicates import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    MISSING,
    Predicates,
    common_columns,
    n_fitting,
)
from disclosure_control.analyses.linkage_attack.releases import AttackedRelease
from disclosure_control.analyses.linkage_attack.singling_out import MODES, single_out
from tests.examples import examples

MIXED = ["number", "word", "other"]


def mixed_people(n, seed):
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "number": generator.normal(0, 10, n).round(1),
            "word": generator.choice(list("abcde"), n),
            "other": generator.choice(list("uvw"), n),
        }
    )


# ---------------------------------------------------------------- predicates and singling out


@examples(100)
@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, 3.0, None]), st.sampled_from(["a", "b", None])), min_size=1, max_size=9
    ),
    st.lists(
        st.tuples(st.sampled_from([0.0, 2.0, 3.0, None]), st.sampled_from(["a", "c", None])), min_size=1, max_size=9
    ),
    st.integers(0, 3),
    st.integers(0, 1),
)
def test_predicates_fit_whom_a_slow_referee_says(released, people, comparison, letter):
    frames = [
        pd.DataFrame(
            {"x": pd.Series([r[0] for r in rows], dtype=float), "y": pd.Series([r[1] for r in rows], dtype="str")}
        )
        for rows in (released, people)
    ]
    columns = common_columns(frames[0], [frames[1]], ["x", "y"])
    levels = sorted({row[0] for row in [*released, *people]} - {None})
    words = sorted({row[1] for row in released} - {None})
    if not levels or letter >= len(words):
        return
    value, word = levels[-1], words[letter]
    predicate = Predicates(np.array([[0, 1]]), np.array([[comparison, EQUAL]]), np.array([[len(levels) - 1, letter]]))
    rules = {
        EQUAL: lambda x: x == value,
        AT_MOST: lambda x: x is not None and x <= value,
        AT_LEAST: lambda x: x is not None and x >= value,
        MISSING: lambda x: x is None,
    }
    for table, rows in ((None, released), (0, people)):
        expected = sum(rules[comparison](x) and y == word for x, y in rows)
        assert n_fitting(columns, predicate, table).tolist() == [expected]


def test_predicates_of_a_small_release_by_hand():
    """Once stand 3 (also the largest) and "b"; the smallest is 1. Of the people 1 is one's, 3 nobody's, b two's."""
    released = pd.DataFrame({"x": [1.0, 1.0, 3.0], "y": ["a", "a", "b"]})
    people = pd.DataFrame({"x": [1.0, 2.0, 2.0], "y": ["a", "b", "b"]})
    found = single_out(released, people, ["x", "y"], "univariate", np.random.default_rng(1))
    # x == 3: 0; x <= 1: 1; x >= 3: 0; y == b: 2
    assert (found.rates.attack.n_hits, found.rates.attack.n, found.rates.n_unread) == (1, 4, 0)
    # Where the people of the pilot became this release, what fits none of them was not read rightly: y == c, too.
    released["y"] = ["a", "a", "c"]
    book = Codebook(released)
    found = single_out(released, people, ["x", "y"], "univariate", np.random.default_rng(1), codebook=book)
    assert (found.rates.attack.n_hits, found.rates.attack.n, found.rates.n_unread) == (1, 4, 3)


@pytest.mark.parametrize("mode", MODES)
def test_a_release_that_is_the_pilot_singles_out_and_other_people_are_safe_from_it(mode):
    people, others = mixed_people(400, 1), mixed_people(400, 2)
    found = single_out(people, people, MIXED, mode, np.random.default_rng(5), 200, control=others)
    assert found.rates.attack.rate > 0.95  # not 1: two people may share the largest number
    assert found.rates.attack.n > 20
    assert found.rates.control.rate < 0.6
    assert found.rates.beats_baseline


def test_groups_of_different_size_are_compared_by_parts_of_one_size():
    """One of four fits: in a random half of them with chance 1/2. Two of four: exactly one of them with chance 2/3."""
    released = pd.DataFrame({"x": ["a", "b"]})
    people = pd.DataFrame({"x": ["a", "b", "b", "c"]})
    control = pd.DataFrame({"x": ["a", "c"]})
    found = single_out(released, people, ["x"], "univariate", np.random.default_rng(1), control=control)
    of_people, of_control = found.rates.at_equal_size
    assert of_people.n_hits == pytest.approx(1 / 2 + 2 / 3)
    assert of_control.n_hits == 1


@pytest.mark.parametrize("mode", MODES)
def test_nobody_is_singled_out_by_the_groups_of_a_k_anonymous_release(mode):
    people = pd.DataFrame({"age": np.repeat(np.arange(50), 2) + np.tile([0, 100], 50), "sex": ["F"] * 100})
    released = pd.DataFrame({"age": [f"{a // 10 * 10}--{a // 10 * 10 + 9}" for a in people.age], "sex": people.sex})
    found = single_out(released, people, ["age", "sex"], mode, np.random.default_rng(1))
    assert found.rates.attack.n_hits == 0


@pytest.mark.parametrize("mode", MODES)
def test_singling_out_does_not_depend_on_the_order_of_rows(mode):
    people = mixed_people(300, 7)
    released = people.copy()
    released["word"] = released.word.where(released.word != "a", "a|b")
    order = np.random.default_rng(2).permutation(300)
    attacks = [
        single_out(one, people.iloc[rows], MIXED, mode, np.random.default_rng(4), 100)
        for one, rows in ((released, np.arange(300)), (released.iloc[order], order[::-1]))
    ]
    assert attacks[0].rates == attacks[1].rates


def test_values_that_look_like_labels_are_singled_out_and_inferred_as_any_other():
    """An identical release of a hundred different codes such as 12-345: everybody is told by theirs."""
    codes = pd.Series([f"{10 + i}-{900 - 3 * i}" for i in range(90)] + [f"<{i}.5" for i in range(10)])
    people = pd.DataFrame({"code": codes, "secret": codes.to_numpy()[::-1]})
    others = pd.DataFrame({"code": ["x"] * 100, "secret": ["y"] * 100})
    for mode in MODES:
        found = single_out(people, people, ["code"], mode, np.random.default_rng(1), 100, 1, others)
        assert found.rates.attack.rate == 1
        assert found.rates.beats_baseline is True
        assert found.rates.baseline.n == 0  # of a single column there is no guess
    inferred = infer_attribute(people, people, "secret", ["code"])
    assert (inferred.rates.attack.n_hits, inferred.rates.baseline.n_hits) == (100, 1)


# ---------------------------------------------------------------- inference


def test_inference_by_hand():
    """Three a's have x x y, so a means x and b means y; guessing says x. Of the people a x, a y, b y, c y."""
    released = pd.DataFrame({"known": list("aaab"), "secret": list("xxyy")})
    released.loc[4] = ["a", "x"]
    people = pd.DataFrame({"known": list("aab"), "secret": list("xyy")})
    found = infer_attribute(released, people, "secret", ["known"])
    assert (found.rates.attack.n_hits, found.rates.attack.n) == (2, 3)
    assert found.rates.baseline.n_hits == 1


def test_negative_numbers_match_only_where_they_are_near():
    """anonymeter 1.1 divides by the guess with its sign, so that every negative guess counts as right."""
    released = pd.DataFrame({"known": ["a", "b", "c", "d"], "secret": [-100.0, -100.0, 0.0, 50.0]})
    people = pd.DataFrame({"known": ["a", "b", "c", "d"], "secret": [-104.0, -10.0, 0.001, 50.0]})
    found = infer_attribute(released, people, "secret", ["known"], tolerance=0.05)
    assert found.rates.attack.n_hits == 2
    assert found.rates.baseline.n_hits == 1  # -100 is right for two released people, and for one of these


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
def test_the_best_constant_is_that_of_a_slow_referee():
    generator = np.random.default_rng(8)
    for _ in range(30):
        secret = generator.integers(-30, 30, 40).astype(float)
        released = pd.DataFrame({"known": ["a"] * 40, "secret": secret})
        found = infer_attribute(released, released, "secret", ["known"], tolerance=0.2)
        right = [sum(abs(guess - true) <= 0.2 * abs(true) + 1e-9 for true in secret) for guess in secret]
        assert found.rates.baseline.n_hits == max(right)


def test_a_wide_label_gives_the_attack_no_more_credit_than_guessing():
    """ "40--50" is the commonest label; to say "0--99" is right for everybody, without looking at anybody."""
    generator = np.random.default_rng(3)
    wide = ["0--99", "0--98", "0--97", "1--99", "2--99", "0--96", "1--98"]
    label = dict(zip("abcdefghij", ["40--50"] * 3 + wide, strict=True))
    known = pd.Series(generator.choice(list("abcdefghij"), 400))
    people = pd.DataFrame({"known": known, "secret": generator.integers(0, 100, 400).astype(float)})
    released = pd.DataFrame({"known": known, "secret": known.map(label)})
    rates = infer_attribute(released, people, "secret", ["known"]).rates
    assert rates.baseline.rate == 1
    assert rates.attack.rate > 0.6
    assert rates.beats_baseline is False


def test_a_label_covers_the_people_of_the_labels_inside_of_it():
    labels = np.array(["0--99", "40--50", "45", "<100", "a|b", "a", "12xx", "1234", "a|40--50"], dtype=object)
    patterns = {code: pattern_of(label) for code, label in enumerate(labels) if pattern_of(label)}
    people = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256])
    assert people_covered(labels, people, patterns).tolist() == [
        1 + 2 + 4,
        2 + 4,
        4,
        8 + 1 + 2 + 4,
        16 + 32,
        32,
        64 + 128,
        128,
        256 + 32 + 2 + 4,
    ]


def test_people_without_a_secret_are_counted_and_not_attacked():
    released = pd.DataFrame({"known": list("ab"), "secret": ["x", "y"]})
    people = pd.DataFrame({"known": list("aab"), "secret": ["x", None, "y"]})
    found = infer_attribute(released, people, "secret", ["known"])
    assert (found.n_without_secret, found.rates.attack.n) == (1, 2)


@pytest.mark.parametrize(("n_without", "told"), [(0, 0), (1, None), (9, None), (10, 10), (38, None)])
def test_how_many_lack_the_secret_is_told_by_the_policy(n_without, told):
    released = pd.DataFrame({"known": list("ab") * 20, "secret": ["x", "y"] * 20})
    pilot = released.assign(secret=[None] * n_without + ["x"] * (40 - n_without))
    subjects = pd.Series([f"S-{i}" for i in range(40)])
    scene = AttackScene(AttackedRelease("combined", released, np.arange(40)), pilot, subjects, None, 0)
    figures, notes = INFERENCE.attack(scene, InferenceSettings(("secret",), ("known",)))
    assert figures["secret"].further["without_secret"] == told
    said = [note for note in notes if "have no secret" in note]
    number = "an undisclosed number" if told is None else told
    assert said == ([f"Inference: {number} of 40 people drawn have no secret: not attacked."] if n_without else [])


def test_inference_does_not_depend_on_rows_order_or_index():
    released, people = mixed_people(200, 1), mixed_people(150, 2)
    order = np.random.default_rng(1).permutation(200)
    rates = [
        infer_attribute(one, people, "word", ["number", "other"]).rates
        for one in (released, released.iloc[order], released.iloc[order].set_axis(np.arange(200) * 7))
    ]
    assert rates[0] == rates[1] == rates[2]


# ---------------------------------------------------------------- nearest records, linkability


def referee_distance(one, other, span):
    total = 0.0
    for mine, theirs in zip(one, other, strict=True):
        if mine is None or theirs is None:
            total += not (mine is None and theirs is None)
        elif isinstance(mine, float):
            total += min(abs(mine - theirs) / span, 1)
        else:
            total += mine != theirs
    return total


rows = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 2.5, 4.0, None]), st.sampled_from(["a", "b", "c", None])),
    min_size=1,
    max_size=8,
)


@examples(100)
@given(rows, rows)
def test_nearest_records_are_those_of_a_slow_referee(released, people):
    frames = [
        pd.DataFrame(
            {"x": pd.Series([r[0] for r in one], dtype=float), "y": pd.Series([r[1] for r in one], dtype="str")}
        )
        for one in (released, people)
    ]
    kinds = released_kinds(frames[0], ["x", "y"])
    person, kind = nearest_kinds(kinds, frames[1])
    nearest = np.zeros((len(people), kinds.classes.n_classes), dtype=bool)
    nearest[person, kind] = True
    nearest = nearest[:, kinds.classes.class_of_record]
    numbers = [x for x, _ in released if x is not None] or [0.0]
    span = max(numbers) - min(numbers) or 1.0
    for i, person in enumerate(people):
        distance = np.array([referee_distance(person, record, span) for record in released])
        assert nearest[i].tolist() == (distance <= distance.min() + 1e-9).tolist()


@examples(60)
@given(rows, rows)
def test_linked_parts_are_those_of_a_slow_referee(released, people):
    frames = [
        pd.DataFrame(
            {"x": pd.Series([r[0] for r in one], dtype=float), "y": pd.Series([r[1] for r in one], dtype="str")}
        )
        for one in (released, people)
    ]
    numbers = [x for x, _ in released if x is not None] or [0.0]
    span = max(numbers) - min(numbers) or 1.0
    expected = 0.0
    for person in people:
        near = []
        for part in (0, 1):
            distance = np.array(
                [referee_distance(person[part : part + 1], one[part : part + 1], span) for one in released]
            )
            near.append(set(np.flatnonzero(distance <= distance.min() + 1e-9)))
        expected += len(near[0] & near[1]) / (len(near[0]) * len(near[1]))
    assert link_parts(*frames, ["x"], ["y"]).attack.n_hits == pytest.approx(expected)


def test_parts_are_linked_where_the_release_is_the_pilot_and_not_where_it_is_somebody_else():
    people, others = mixed_people(300, 1), mixed_people(300, 2)
    people["code"] = others["code"] = np.arange(300).astype(str)
    own = link_parts(people, people, ["number", "word"], ["code"])
    size = people.groupby(["number", "word"]).code.transform("size")
    assert own.attack.n_hits == pytest.approx((1 / size).sum())
    assert own.beats_baseline
    mixed = link_parts(others, people, ["number", "word"], ["other"])
    assert mixed.attack.rate < 0.2


@pytest.mark.parametrize("n_released", [0, 3])
def test_where_no_value_of_the_secret_is_released_nothing_is_inferred(n_released):
    """As where the treatment suppressed everybody: no guess is right, and none stops the run."""
    people = pd.DataFrame({"SEX": ["F", "M", "F"], "LAB": [101.5, 120.25, 180.0]})
    released = people.head(n_released).assign(LAB=np.nan)
    found = infer_attribute(released, people, "LAB", ["SEX"])
    assert (found.rates.attack.n_hits, found.rates.attack.n) == (0, 3)
