"""How many people one row of quasi-identifiers cannot be distinguished from, under a reading of missing values.

Rows are columns of a matrix of codes (n_columns, n_rows), -1 where a value is missing; ``people`` (n_rows,) have each
row. ``basics.wildcards`` compares all classes of one pilot with each other; a search compares a few rows with others,
many times, and asks for the first that matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.encoding import keys
from disclosure_control.basics.encoding.wildcards import compatible

CELLS_PER_BLOCK = 2_000_000
# A pair of patterns of missing values costs as much as about this many comparisons of two codes.
COMPARISONS_PER_PAIR_OF_PATTERNS = 30_000


@dataclass(frozen=True)
class MissingValueRule:
    """What a missing value is worth.

    ``people_alike(mine, others, people)``: for each row of ``mine``, the people of ``others`` it is alike to.
    ``first_alike(mine, others)``: the first row of ``others`` it is alike to, the number of ``others`` where none is.
    ``gaps_match``: whether a row with a missing value is still alike to what it was with the value.
    """

    people_alike: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    first_alike: Callable[[np.ndarray, np.ndarray], np.ndarray]
    gaps_match: bool


def number_rows(codes: np.ndarray) -> np.ndarray:
    """Number of each row (n_rows,): equal rows have equal numbers, numbered in the order of their codes."""
    n_codes = [int(column.max(initial=-1)) + 2 for column in codes]  # one for missing
    return keys.number_rows(list(codes + 1), n_codes, codes.shape[1])[0]


def people_equal(mine: np.ndarray, others: np.ndarray, people: np.ndarray) -> np.ndarray:
    """People in rows of ``others`` with the very same codes, missing being a value of its own: (n_mine,)."""
    row, other_row, n_rows = _numbered(mine, others)
    return np.bincount(other_row, people, n_rows)[row]


def first_equal(mine: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The first row of ``others`` with the very same codes; the number of ``others`` where there is none: (n_mine,)."""
    row, other_row, n_rows = _numbered(mine, others)
    first = np.full(n_rows, others.shape[1])
    first[other_row[::-1]] = np.arange(others.shape[1])[::-1]
    return first[row]


def _numbered(mine: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    row = number_rows(np.concatenate([mine, others], axis=1))
    return row[: mine.shape[1]], row[mine.shape[1] :], int(row.max(initial=-1)) + 1


def people_compatible(mine: np.ndarray, others: np.ndarray, people: np.ndarray) -> np.ndarray:
    """People in rows of ``others`` that agree wherever both have a value, missing matching anything: (n_mine,).

    Works by pairs of patterns of missing values, or by pairs of rows where these are fewer.
    """
    found = np.zeros(mine.shape[1])
    for rows, other_rows, equal in _compatible_blocks(mine, others):
        if equal is None:
            both = _where_both_have_values(mine, others, rows, other_rows)
            found[rows] += people_equal(*both, people[other_rows])
        else:
            found[rows] = equal @ people
    return found


def first_compatible(mine: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The first row of ``others`` that agrees wherever both have a value, their number where there is none."""
    first = np.full(mine.shape[1], others.shape[1])
    for rows, other_rows, equal in _compatible_blocks(mine, others):
        if equal is None:
            both = _where_both_have_values(mine, others, rows, other_rows)
            of_pattern = np.append(other_rows, others.shape[1])[first_equal(*both)]
            first[rows] = np.minimum(first[rows], of_pattern)
        elif others.shape[1]:
            first[rows] = np.where(equal.any(axis=1), equal.argmax(axis=1), others.shape[1])
    return first


def _where_both_have_values(
    mine: np.ndarray, others: np.ndarray, rows: np.ndarray, other_rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    shared = (mine[:, rows[0]] >= 0) & (others[:, other_rows[0]] >= 0)
    return mine[np.ix_(shared, rows)], others[np.ix_(shared, other_rows)]


def _compatible_blocks(
    mine: np.ndarray, others: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """Rows and other rows of one pattern of missing values each; or rows, all others, and which of them agree."""
    parts, other_parts = _by_pattern(mine), _by_pattern(others)
    if mine.size * others.shape[1] >= COMPARISONS_PER_PAIR_OF_PATTERNS * len(parts) * len(other_parts):
        for rows in parts:
            yield from ((rows, other_rows, None) for other_rows in other_parts)
        return
    everybody = np.arange(others.shape[1])
    n_rows = max(1, CELLS_PER_BLOCK // max(others.shape[1], 1))
    for start in range(0, mine.shape[1], n_rows):
        block = np.arange(start, min(start + n_rows, mine.shape[1]))
        yield block, everybody, compatible(mine[:, block], others)


def _by_pattern(codes: np.ndarray) -> list[np.ndarray]:
    """The rows of each pattern of missing values."""
    if not codes.shape[1]:
        return []
    pattern = number_rows((codes >= 0).astype(np.int64))
    return np.split(np.argsort(pattern, kind="stable"), np.cumsum(np.bincount(pattern))[:-1])


# By the setting ``missing`` of local suppression.
READINGS = {
    "wildcard": MissingValueRule(people_compatible, first_compatible, gaps_match=True),
    "category": MissingValueRule(people_equal, first_equal, gaps_match=False),
}
