"""What one or two released columns disclose about a removed column: exactly, or within a tolerance.

Everyone's value is predicted from the other people only (leave one out). A column with a different value for every
person therefore predicts nothing by equality; its neighbours in its order count instead, such as the next postal code
or the previous date of birth. Nothing is fitted to the person whose value is predicted.
"""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.encoding.keys import count_pairs, number_groups

CHANCE = 0.01  # that any level of a column is as pure by luck
PURE = 0.95
ENOUGH_FOR_MEDIAN = 5  # of a level: below that, one's own value would weigh too much


def told_labels(teller: EncodedColumn, hidden: np.ndarray) -> np.ndarray:
    """Whose hidden label is predicted (n_people,): the commonest one of the others with the same value is theirs.

    People with a unique value are predicted by the values before and after it in its order, if these agree. ``hidden``
    (n_people,) are codes from 0; a tie predicts nothing; a missing value of the predicting column is a value.
    """
    level, n_levels = teller.codes.astype(np.int64) + 1, len(teller.labels) + 1
    n_labels = int(hidden.max(initial=-1)) + 1
    level_of_pair, label_of_pair, people = count_pairs(level, hidden, n_levels, n_labels)
    order = np.lexsort((people, level_of_pair))
    last = np.flatnonzero(np.append(np.diff(level_of_pair[order]) > 0, len(order) > 0))
    first, second, mode = np.zeros((3, n_levels), dtype=np.int64)
    first[level_of_pair[order[last]]] = people[order[last]]
    mode[level_of_pair[order[last]]] = label_of_pair[order[last]]
    runner_up = last[np.diff(last, prepend=-1) > 1] - 1
    second[level_of_pair[order[runner_up]]] = people[order[runner_up]]
    mode[first == second] = -1  # as many have another one, or nobody has any
    n_like_me = people[np.searchsorted(level_of_pair * n_labels + label_of_pair, level * n_labels + hidden)]
    n_best_other = np.where(n_like_me == first[level], second[level], first[level])
    told = n_like_me - 1 > n_best_other
    size = np.bincount(level, minlength=n_levels)
    before, after = _neighbours(level, size)
    lonely = (size[level] == 1) & (level > 0)
    agrees = (before < 0) | (after < 0) | (mode[before] == mode[after])
    nearest = np.where(before >= 0, before, after)
    return np.where(lonely, agrees & (nearest >= 0) & (mode[nearest] == hidden), told)


def told_numbers(teller: EncodedColumn, hidden: np.ndarray) -> np.ndarray:
    """The distance (n_people,) of each hidden number from its prediction by others with the same value, or by
    neighbours.

    From 0, in the unit of the number; smaller is riskier, infinite if nothing predicts it. The prediction is the median
    of the level; below five people, the mean of the others; for a unique value, the mean of the two medians beside it.
    """
    level, n_levels = teller.codes.astype(np.int64) + 1, len(teller.labels) + 1
    size = np.bincount(level, minlength=n_levels)
    order = np.lexsort((hidden, level))
    start = np.cumsum(size) - size
    middle = np.stack([start + (size - 1) // 2, start + size // 2]).clip(0, max(len(hidden) - 1, 0))
    median = hidden[order][middle].mean(axis=0) if len(hidden) else np.zeros(n_levels)
    total = np.bincount(level, hidden, n_levels)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_others = (total[level] - hidden) / (size[level] - 1)
    guess = np.where(size[level] >= ENOUGH_FOR_MEDIAN, median[level], of_others)
    before, after = _neighbours(level, size)
    medians = np.append(median, np.nan)  # the last for a neighbour that is not there
    beside = np.stack([medians[before], medians[after]])
    beside = np.where(np.isnan(beside), beside[::-1], beside).mean(axis=0)
    guess = np.where((size[level] == 1) & (level > 0), beside, guess)
    return np.nan_to_num(np.abs(guess - hidden), nan=np.inf, posinf=np.inf)


def _neighbours(level: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The levels before and after each person's that somebody has (n_people,), -1 where there is none, or no value."""
    occupied = np.flatnonzero(size[1:] > 0) + 1
    place = np.searchsorted(occupied, level)
    padded = np.concatenate(([-1], occupied, [-1]))
    before, after = padded[place], padded[np.minimum(place + 2, len(padded) - 1)]
    return np.where(level > 0, before, -1), np.where(level > 0, after, -1)


def log_arrangements(hidden: np.ndarray, released: np.ndarray) -> float:
    """Logarithm of the number of ways to assign the hidden labels (n_people,) to the people with the same ``released``
    code.

    Codes are from 0. With few ways, an unrelated column predicts all labels by luck: with a chance of at least one in
    that number. From 0; below the logarithm of the number of columns tried, a prediction means nothing.
    """
    cells = np.unique(np.stack([released, hidden]), axis=1, return_counts=True)[1]
    groups = np.unique(released, return_counts=True)[1]
    log_factorial = np.append(0.0, np.cumsum(np.log(np.arange(1, len(hidden) + 1))))
    return float(log_factorial[groups].sum() - log_factorial[cells].sum())


def sure_levels(teller: EncodedColumn, hidden: np.ndarray, released: np.ndarray) -> np.ndarray:
    """Who is in a level of the disclosing column where nearly all have one hidden label, beyond chance (n_people,).

    ``released`` (n_people,) are the codes, from 0, of the released part of the hidden column: chance is drawing from
    people with the same code. At most one column in a hundred has a level this pure by chance.
    """
    level, n_levels = teller.codes.astype(np.int64) + 1, len(teller.labels) + 1
    n_labels, n_released = int(hidden.max(initial=-1)) + 1, int(released.max(initial=-1)) + 1
    level_of_pair, _, people = count_pairs(level, hidden, n_levels, n_labels)
    commonest = np.zeros(n_levels, dtype=np.int64)
    np.maximum.at(commonest, level_of_pair, people)
    size = np.bincount(level, minlength=n_levels)
    cell = released.astype(np.int64) * max(n_labels, 1) + hidden
    group, n_in_cell = number_groups(cell, n_released * max(n_labels, 1))
    share = n_in_cell[group] / np.bincount(released, minlength=n_released)[released]
    log_luck = np.bincount(level, np.log(share), n_levels)
    is_sure = (commonest >= PURE * size) & (log_luck <= np.log(CHANCE / max(int((size > 0).sum()), 1)))
    sure: np.ndarray = is_sure[level]
    return sure
