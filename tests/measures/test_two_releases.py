"""What two releases tell together: a slow referee that asks everybody about everybody, and cases by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.measures.two_releases import (
    TwoReleases,
    compare_releases,
    people_to_hold_back,
    shared_codes,
)
from tests.examples import examples
from tests.remedy.treatments.treatment_frames import shared

Person = tuple[int | None, int | None, int, int]  # class now, class earlier (None: not in it), value now, value earlier


def compared(people: list[Person], k: int = 3) -> TwoReleases:
    here = [one for one in people if one[0] is not None]
    there = [one for one in people if one[1] is not None]
    position = {id(one): i for i, one in enumerate(there)}
    place = [position.get(id(one), -1) for one in here]
    values = (np.array([one[2] for one in here], dtype=int), np.array([one[3] for one in there], dtype=int))
    now, earlier = (np.array([one[i] for one in part], dtype=int) for i, part in ((0, here), (1, there)))
    return compare_releases(now, earlier, np.array(place, dtype=int), {"value": values}, k)


def referee(people: list[Person], k: int) -> TwoReleases:
    alone = few = follow = 0
    for one in people:
        part = [other for other in people if other[:2] == one[:2]]
        last = 0 if one[0] is not None else 1
        n_alike = sum(other[last] == one[last] for other in people)
        alone += len(part) == 1 < n_alike
        few += len(part) < min(k, n_alike)
        which = 2 + last
        certain = len({other[which] for other in part}) == 1 and one[which] >= 0
        known = False
        for i, column in ((0, 2), (1, 3)):
            if one[i] is not None:
                told = {other[column] for other in people if other[i] == one[i]}
                known |= told == {one[which]}
        follow += certain and not known
    both = sum(one[0] is not None and one[1] is not None for one in people)
    only_now = sum(one[1] is None for one in people)
    return TwoReleases(both, only_now, len(people) - both - only_now, alone, few, {"value": follow})


@st.composite
def pilots(draw) -> list[Person]:
    """People of up to three classes in each release; who is in neither is nobody."""
    a_class = st.none() | st.integers(0, 2)
    person = st.tuples(a_class, a_class, st.integers(-1, 1), st.integers(-1, 1))
    drawn = draw(st.lists(person.filter(lambda one: one[:2] != (None, None)), max_size=15))
    return [tuple(one) for one in map(list, drawn)]  # each an object of its own


@examples(150)
@given(people=pilots(), k=st.integers(2, 4))
def test_as_the_slow_referee_counts(people, k):
    assert compared(people, k) == referee(people, k)


def test_what_is_added_about_somebody_whom_the_earlier_release_singled_out_counts():
    """One was alone before, and all knew 3 of her; now she is one of ten, and it is 7."""
    now_alike = [(0, 0, 7, 3)] + [(0, 1, i % 2, i % 2) for i in range(9)]
    assert compared(now_alike) == TwoReleases(10, 0, 0, 1, 1, {"value": 1})
    as_before = [(0, 0, 3, 3), *now_alike[1:]]
    assert compared(as_before).values_follow == {"value": 0}
    not_told_before = [(0, 0, 7, -1), *now_alike[1:]]
    assert compared(not_told_before).values_follow == {"value": 1}


def test_values_of_two_files_are_compared_as_they_are_told():
    now, earlier = (encode_column(pd.Series(values)) for values in ([7.0, None, 3.0], ["3", "7", "10--20", None]))
    codes_now, codes_earlier = shared_codes(now, earlier, (3, 4))
    assert codes_now[1] == codes_earlier[3] == -1
    assert (codes_now[0] == codes_earlier[1], codes_now[2] == codes_earlier[0]) == (True, True)
    assert len({*codes_now, *codes_earlier}) == 4
    assert shared_codes(now, None, (3, 4))[1].tolist() == [-1] * 4


def test_actg175_two_releases_of_five_alike_leave_people_alone_together():
    """Ages and weights in other bands: each file holds k = 5, and pandas counts both together."""
    frame = pd.read_csv(shared("data", "actg175", "aids_original_data.csv"), sep=";", dtype="str")
    numbers = frame[["age", "wtkg"]].astype(float)
    releases = []
    for years, kilos in ((10, 20), (15, 15)):
        banded = frame[["pidnum", "gender", "race", "homo"]].assign(
            age=(numbers["age"] // years).astype(str), wtkg=(numbers["wtkg"] // kilos).astype(str)
        )
        names = list(banded.columns[1:])
        banded["class"] = banded.groupby(names)["pidnum"].transform("min")
        releases.append(banded[banded.groupby(names)["pidnum"].transform("size") >= 5])
    earlier, now = releases
    both = now.merge(earlier, on="pidnum", how="outer", suffixes=("", "_earlier"))
    size = both.groupby(["class", "class_earlier"], dropna=False)["pidnum"].transform("size")
    classes = [one.groupby("class").ngroup().to_numpy() for one in (now, earlier)]
    place = pd.Index(earlier["pidnum"]).get_indexer(pd.Index(now["pidnum"]))
    found = compare_releases(*classes, place, {}, 5)
    assert (found.alone, found.fewer_than_k) == (int((size == 1).sum()), int((size < 5).sum())) == (26, 161)
    assert (found.in_both, found.n_people) == (len(set(now["pidnum"]) & set(earlier["pidnum"])), len(both))


CLASSES = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 3)), min_size=1, max_size=40)


@examples(90)
@given(people=CLASSES, k=st.integers(2, 5), seed=st.integers(0, 9))
def test_after_some_are_held_back_no_part_of_few_is_left_that_could_be_helped(people, k, seed):
    now, before = np.array(people).T
    held = people_to_hold_back(now, before, k, np.random.default_rng(seed).permutation(len(now)))
    assert not held[now < 0].any()
    here = np.where(held, -1, now)
    seen = pd.DataFrame({"here": here, "before": before})
    size = seen.groupby(["here", "before"])["here"].transform("size")
    of_here, of_before = (seen.groupby(name)[name].transform("size") for name in ("here", "before"))
    is_few = (size < k) & (size < of_here.where(seen["here"] >= 0, of_before))
    assert not is_few[seen["here"] >= 0].any()
    left = seen[is_few & (seen["before"] >= 0)]
    assert not any(((seen["before"] == one) & (seen["here"] >= 0)).any() for one in left["before"])
    again = people_to_hold_back(here, before, k, np.arange(len(now)))
    assert not again.any()
    large = {one for one in set(now) - {-1} if (now == one).sum() >= k}
    assert not any(0 < (here == one).sum() < k for one in large)


@examples(120)
@given(people=pilots(), k=st.integers(2, 4), seed=st.integers(0, 9))
def test_after_some_are_held_back_no_value_follows(people, k, seed):
    now, before = (np.array([-1 if one[i] is None else one[i] for one in people], dtype=int) for i in (0, 1))
    values = [np.array([one[2 + i] if one[i] is not None else -1 for one in people], dtype=int) for i in (0, 1)]
    held = people_to_hold_back(now, before, k, np.random.default_rng(seed).permutation(len(now)), [tuple(values)])
    seen = [(None, *one[1:]) if is_held else one for one, is_held in zip(people, held, strict=True)]
    assert referee([one for one in seen if one[:2] != (None, None)], k).values_follow == {"value": 0}


def test_others_wait_with_leavers_of_one_value():
    now, before = np.array([0] * 6 + [-1] * 5), np.zeros(11, dtype=int)
    value = np.array([1, 1, 0, 0, 0, 1] + [1] * 5)
    codes = np.where(now < 0, -1, value), value
    held = people_to_hold_back(now, before, 2, np.arange(11), [codes])
    assert np.flatnonzero(held).tolist() == [0, 1, 2]  # by their order, until one has another value


def test_joiners_wait_and_others_wait_with_those_who_left():
    now = np.array([0] * 10 + [0, 0] + [-1, -1])  # ten stay, two come, two left
    before = np.array([0] * 10 + [-1, -1] + [0, 0])
    held = people_to_hold_back(now, before, 5, np.arange(14)[::-1])
    assert held.tolist() == [False] * 7 + [True] * 5 + [False] * 2


def test_a_class_that_would_be_left_with_few_waits_whole():
    """Three of eight left; two must wait with them, and the other three would be fewer than five of their class."""
    now, before = np.array([0] * 5 + [-1] * 3), np.zeros(8, dtype=int)
    assert people_to_hold_back(now, before, 5, np.arange(8)).tolist() == [True] * 5 + [False] * 3
