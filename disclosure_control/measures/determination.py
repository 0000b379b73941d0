"""How well one column tells another: the share of people guessed right by the commonest value of their level.

Source: Goodman and Kruskal 1954, doi:10.1080/01621459.1954.10501231 (lambda, and the share behind it).
"""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.keys import count_pairs


def n_guessed_right(
    level: np.ndarray, value: np.ndarray, n_levels: int, n_values: int, people: np.ndarray | None = None
) -> int:
    """People who have the commonest value of their level; larger is riskier, all of them where the level determines it.

    ``level`` and ``value`` (n,) are whole numbers from 0 to ``n_levels`` - 1 and ``n_values`` - 1; ``people`` (n,) how
    many each entry stands for, one each if not given. From ``n_commonest(value)`` to the number of people.
    """
    level_of_pair, _, people_of_pair = count_pairs(level, value, n_levels, n_values, people)
    commonest = np.zeros(n_levels, dtype=np.int64)
    np.maximum.at(commonest, level_of_pair, people_of_pair)
    return int(commonest.sum())


def n_commonest(value: np.ndarray, people: np.ndarray | None = None) -> int:
    """People who have the commonest value of all: whom one guesses right without knowing anything; 0 of nobody."""
    return int(np.bincount(value, people).max(initial=0))


def shuffled_guessed_right(people_of_level: np.ndarray, people_of_value: np.ndarray, n_shuffles: int) -> float:
    """People whom ``n_guessed_right`` would find on average if values stood beside levels by chance.

    ``people_of_level`` (n_levels,) and ``people_of_value`` (n_values,) count the same people. What a column tells
    beyond this it does not tell by having many levels. Drawn with a seed of its own from the counts alone, so that the
    order of records does not matter. Source: Good 2005, Permutation, Parametric, and Bootstrap Tests of Hypotheses.
    """
    generator = np.random.default_rng(0)
    level, value = (
        np.repeat(np.arange(len(people)), people.astype(np.int64)) for people in (people_of_level, people_of_value)
    )
    shape = len(people_of_level), max(len(people_of_value), 1)
    return float(np.mean([n_guessed_right(level, generator.permutation(value), *shape) for _ in range(n_shuffles)]))
