"""Composite keys: one whole number for the codes of several columns, and the groups of equal ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import renumber

KEY_LIMIT = 2**62


def number_groups(key: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """Group of each key (n,) and size of each group: equal keys are a group, numbered in the order of the keys.

    Keys are whole numbers from 0 to ``n_keys`` - 1.
    """
    if n_keys <= max(4 * len(key), 65_536):  # few enough to count each possible key in an array
        count = np.bincount(key, minlength=n_keys)
        occupied = count > 0
        return (np.cumsum(occupied) - 1)[key], count[occupied]
    codes, distinct = pd.factorize(key)
    group = renumber(codes, np.argsort(distinct))
    return group, np.bincount(group, minlength=len(distinct))


def joint_keys(parts: list[list[np.ndarray]], radices: list[int], lengths: list[int]) -> tuple[list[np.ndarray], int]:
    """One whole number per entry of each part's columns, equal where all codes are equal, and how many there may be."""
    keys, n_keys = [np.zeros(length, dtype=np.int64) for length in lengths], 1
    for i, radix in enumerate(radices):
        if n_keys * radix >= KEY_LIMIT:
            joint, size = number_groups(np.concatenate(keys), n_keys)
            keys, n_keys = np.split(joint, np.cumsum(lengths)[:-1]), len(size)
        for key, columns in zip(keys, parts, strict=True):
            key *= radix
            key += columns[i]
        n_keys *= radix
    return keys, n_keys
