"""How well one column discloses another: the share of people guessed right by the commonest value of their level.

Source: Goodman and Kruskal 1954, doi:10.1080/01621459.1954.10501231 (lambda, and the share behind it).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from disclosure_control.basics.encoding.keys import count_pairs

PEOPLE_AT_ONCE = 1 << 20


def n_guessed_right(
    level: np.ndarray, value: np.ndarray, n_levels: int, n_values: int, people: np.ndarray | None = None
) -> int:
    """People who have the commonest value of their level; larger is riskier, all people if the level determines it.

    ``level`` and ``value`` (n,) are whole numbers from 0 to ``n_levels`` - 1 and ``n_values`` - 1; ``people`` (n,)
    count each entry, one each if not given. The least is the people with the commonest value of all.
    """
    level_of_pair, _, people_of_pair = count_pairs(level, value, n_levels, n_values, people)
    commonest = np.zeros(n_levels, dtype=np.int64)
    np.maximum.at(commonest, level_of_pair, people_of_pair)
    return int(commonest.sum())


def shuffled_guessed_right(
    people_of_levels: Sequence[np.ndarray], people_of_value: np.ndarray, n_shuffles: int
) -> list[float]:
    """People whom ``n_guessed_right`` would find on average, in each column, if values were assigned at random.

    ``people_of_levels`` has (n_levels,) of each column; they and ``people_of_value`` (n_values,) count the same people.
    A column discloses only what exceeds this; the rest is due to its many levels. Drawn with a fixed seed from the
    sorted counts alone, so that neither the order of records nor that of codes matters; the columns share the draw.
    Source: Good 2005, Permutation, Parametric, and Bootstrap Tests of Hypotheses.
    """
    generator = np.random.default_rng(0)
    n_values = len(people_of_value)
    found = []
    for _ in range(n_shuffles):
        shuffled = _in_a_row(people_of_value)
        generator.shuffle(shuffled)
        found.append([_guessed_right_in_a_row(people, shuffled, n_values) for people in people_of_levels])
    return [float(mean) for mean in np.mean(found, axis=0)]


def _in_a_row(people: np.ndarray) -> np.ndarray:
    """Codes of people (n_people,), those of a code side by side, in as few bytes as they need: quicker to shuffle."""
    codes = np.arange(len(people), dtype=np.min_scalar_type(len(people)))
    return np.repeat(codes, np.sort(people.astype(np.int64)))


def _guessed_right_in_a_row(people_of_level: np.ndarray, value: np.ndarray, n_values: int) -> int:
    """``n_guessed_right`` if the people of a level are neighbours, those of the smallest level first.

    Some levels at a time: with all people at once each would take many bytes, and here only the value's code is kept.
    """
    people = np.sort(people_of_level[people_of_level > 0].astype(np.int64))
    ends = np.cumsum(people)
    firsts = np.flatnonzero(np.diff((ends - 1) // PEOPLE_AT_ONCE, prepend=-1)).tolist()
    n_right = 0
    for first, stop in itertools.pairwise([*firsts, len(people)]):
        own = value[ends[first] - people[first] : ends[stop - 1]]
        if stop == first + 1:  # a level of any size
            people_of_value = np.zeros(n_values, dtype=np.int64)
            for i in range(0, len(own), PEOPLE_AT_ONCE):
                people_of_value += np.bincount(own[i : i + PEOPLE_AT_ONCE], minlength=n_values)
            n_right += int(people_of_value.max())
        else:  # the larger come later: together they have at most twice as many people
            level = np.repeat(np.arange(stop - first), people[first:stop])
            n_right += n_guessed_right(level, own, stop - first, n_values)
    return n_right
