"""Composite keys: one whole number for the codes of several columns, the groups of equal ones, and counts of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import renumber

KEY_LIMIT = 2**62
# Up to so many possible keys, each is marked where it occurs, five bytes each: five times faster than to hash them.
MARKS_PER_KEY, MOST_MARKS = 32, 2**26


def number_groups(key: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """Group of each key (n,) and size of each group: equal keys are a group, numbered in the order of the keys.

    Keys are whole numbers from 0 to ``n_keys`` - 1.
    """
    if _are_few(n_keys, len(key)):
        count = np.bincount(key, minlength=n_keys)
        occupied = count > 0
        return (np.cumsum(occupied) - 1)[key], count[occupied]
    if n_keys <= min(MARKS_PER_KEY * len(key), MOST_MARKS):
        is_there = np.zeros(n_keys, dtype=bool)
        is_there[key] = True
        found = np.flatnonzero(is_there)
        number = np.empty(n_keys, dtype=np.int32)  # what is never used takes no time
        number[found] = np.arange(len(found), dtype=np.int32)
        group = number.take(key).astype(np.int64)
        return group, np.bincount(group, minlength=len(found))
    codes, distinct = pd.factorize(key)
    group = renumber(codes, np.argsort(distinct)).astype(np.int64)
    return group, np.bincount(group, minlength=len(distinct))


def _are_few(n_keys: int, n: int) -> bool:
    """Whether there are few enough possible keys to count each in an array."""
    return n_keys <= max(4 * n, 65_536)


def count_keys(key: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur, rising, and how many of each; keys (n,) are whole numbers from 0 to ``n_keys`` - 1."""
    # Half as wide is sorted in two thirds of the time.
    key = np.sort(key.astype(np.int32, copy=False) if n_keys < 2**31 else key)
    is_first = np.empty(len(key), dtype=bool)
    is_first[:1] = True
    np.not_equal(key[1:], key[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    return key[first].astype(np.int64), np.diff(first, append=len(key))


def sum_of_keys(key: np.ndarray, people: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur, ascending, and the sum of ``people`` (n,) of each; keys (n,) are from 0 to ``n_keys`` -
    1.
    """
    if n_keys <= max(16 * len(key), 65_536):  # a sum for each possible key is the quickest then
        of_key = np.bincount(key, people, n_keys)
        found = np.flatnonzero(of_key)
        return found, of_key[found].astype(np.int64)
    found, place = np.unique(key, return_inverse=True)
    return found, np.bincount(place, people, len(found)).astype(np.int64)


def number_rows(
    columns: Sequence[np.ndarray], n_codes: Sequence[int], n_rows: int, least: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Group of each row (n_rows,) by its codes in all columns, and size of each group.

    ``columns`` (n_columns, n_rows) hold whole numbers from ``least`` on, ``n_codes`` different ones in the column.
    Groups are numbered in the order of the codes, the first column first; without columns all rows are one group.
    """
    (key,), n_keys = joint_keys([columns], n_codes, [n_rows], least)
    return number_groups(key, n_keys)


def count_pairs(
    one: np.ndarray, other: np.ndarray, n_one: int, n_other: int, people: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every pair of codes that occurs, in the order of the codes: the one, the other, and the people who have both.

    Codes (n,) are whole numbers from 0 to ``n_one`` - 1 and ``n_other`` - 1; ``people`` (n,) whole numbers that count
    each entry, one each if not given.
    """
    n_other = max(n_other, 1)
    key = one.astype(np.int64) * n_other
    key += other
    if _are_few(n_one * n_other, len(key)):
        count = np.bincount(key, minlength=n_one * n_other)
        pairs = np.flatnonzero(count)
        if people is not None:
            count = np.bincount(key, people, n_one * n_other).astype(np.int64)
        return *np.divmod(pairs, n_other), count[pairs]
    pair, size = number_groups(key, n_one * n_other)
    key_of_pair = np.empty(len(size), dtype=np.int64)
    key_of_pair[pair] = key
    n_people = size if people is None else np.bincount(pair, people, len(size)).astype(np.int64)
    return *np.divmod(key_of_pair, n_other), n_people


def joint_keys(
    parts: Sequence[Sequence[np.ndarray]], radices: Sequence[int], lengths: Sequence[int], least: int = 0
) -> tuple[list[np.ndarray], int]:
    """One whole number per entry of each part's columns, equal where all codes are equal, and how many there may be.

    ``parts`` have the same columns and ``lengths`` entries each; ``radices`` (n_columns,) are the numbers of codes, of
    which ``least`` is the smallest.
    """
    keys, n_keys = [np.zeros(length, dtype=np.int64) for length in lengths], 1
    for i, radix in enumerate(radices):
        if n_keys * radix >= KEY_LIMIT:
            joint, size = number_groups(np.concatenate(keys), n_keys)
            keys, n_keys = np.split(joint, np.cumsum(lengths)[:-1]), len(size)
        for key, columns in zip(keys, parts, strict=True):
            key *= radix
            key += columns[i]
            if least:
                key -= least  # in place: new arrays of a million numbers cost more than the computation on them
        n_keys *= radix
    return keys, n_keys
