"""The policy for small counts, and a solver that tries to undo it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.small_counts import (
    EXACT,
    MASKED,
    SMALLER_GROUPS,
    TOO_FEW,
    hidden_groups,
    missing_told,
    people_on_screen,
    shares_by_group,
    told_parts,
)
from tests.basics.telling.undo_masks import Told
from tests.cases import each
from tests.examples import examples

PROMISED = MASKED.threshold - 2


def column_of(*sizes: int, n_missing: int = 0) -> EncodedColumn:
    """Groups ``g0``, ``g1``, ... of these sizes, one after the other, and people without a group at the end."""
    codes = np.repeat([*range(len(sizes)), -1], [*sizes, n_missing])
    return EncodedColumn(codes, np.array([f"g{i}" for i in range(len(sizes))], dtype=object))


def flags(*numbers: tuple[int, int]) -> np.ndarray:
    """Of each group of n people the first so many."""
    return np.concatenate([np.arange(n) < n_flagged for n, n_flagged in numbers])


def share_of(entries: list[dict], group: str) -> dict:
    return next(entry for entry in entries if entry["group"] == group)


# ---------------------------------------------------------------- by hand


def test_fifteen_without_a_country_and_one_from_another_are_not_told_apart():
    """The issue's case: "smaller groups together 16" less "missing in 15" left one person."""
    column = column_of(617, 1, n_missing=15)
    assert missing_told(MASKED, column) is None
    everybody = np.ones(633, dtype=bool)
    entries = plain(shares_by_group(MASKED, column, everybody, np.zeros(633, dtype=bool), "risky"))
    assert [(entry["group"], entry["people"]) for entry in entries] == [("g0", 617), (SMALLER_GROUPS, 16)]
    assert missing_told(MASKED, column_of(617, n_missing=16)) == 16
    assert missing_told(MASKED, column_of(617)) == 0


def test_one_of_ninety_five_who_is_not_at_risk_is_masked_with_his_share():
    sizes, hits = (95, 100, 120), (94, 50, 60)
    column, everybody = column_of(*sizes), np.ones(315, dtype=bool)
    entries = plain(shares_by_group(MASKED, column, everybody, flags(*zip(sizes, hits, strict=True)), "risky"))
    first = share_of(entries, "g0")
    assert (first["people"], first["risky"], first["risky_rate"], first["low"]) == (95, None, None, None)
    # 204 in all less what the others are would give him away: the smallest of them is masked too.
    assert [share_of(entries, group)["risky"] for group in ("g1", "g2")] == [None, 60]


def test_few_who_are_not_considered_are_not_found_by_subtraction():
    """Of 322 women 318 have a value: 322 in one table less 318 in the other are four."""
    column = column_of(322, 311, 300)
    considered = flags((322, 318), (311, 291), (300, 200))
    entries = plain(shares_by_group(MASKED, column, considered, flags((322, 100), (311, 100), (300, 100)), "risky"))
    assert [share_of(entries, f"g{i}")["people"] for i in range(3)] == [None, 291, None]
    assert [share_of(entries, f"g{i}")["risky"] for i in range(3)] == [None, 100, None]
    assert [share_of(entries, f"g{i}")["risky_rate"] for i in range(3)] == [None, 100 / 291, None]


def test_parts_of_a_whole():
    assert told_parts(MASKED, {"a": 600, "b": 0}) == {"a": 600, "b": 0}
    assert told_parts(MASKED, {"a": 600, "b": 3, "c": 0}) == {"a": None, "b": None, "c": 0}
    assert told_parts(MASKED, {"a": 600, "b": 3, "c": 12}) == {"a": 600, "b": None, "c": None}
    assert told_parts(MASKED, {"a": 600, "b": 4, "c": 6, "d": 12}) == {"a": 600, "b": None, "c": None, "d": 12}
    assert told_parts(MASKED, {"a": 600, "b": 3, "c": 4}) == {"a": None, "b": None, "c": None}  # seven leave too little
    assert told_parts(MASKED, {"a": 7}) == {"a": None}
    assert told_parts(MASKED, {"a": 3}, 100) == {"a": None}  # the other 97 are not told
    assert hidden_groups(MASKED, column_of(3, n_missing=0)).tolist() == [False, True]


def test_a_count_by_itself_and_its_complement():
    assert [MASKED.told(part, 100) for part in (0, 1, 9, 10, 90, 91, 99, 100)] == [
        0, None, None, 10, 90, None, None, 100,
    ]  # fmt: skip


def test_exact_masks_nothing():
    """Counts, parts, extremes and shares in steps are as they are."""
    assert [EXACT.told(n, 10) for n in (0, 1, 9, 10)] == [0, 1, 9, 10]
    assert not EXACT.hidden_parts(np.array([1, 2, 600])).any()
    assert [one.any() for one in EXACT.mask_table(np.array([[1, 2, 1], [9, 1, 0]]))] == [False, False]
    assert EXACT.extreme(77.08765, 1, 30) == 77.08765
    assert [EXACT.in_steps(n, 61) for n in (0, 1, 19, 60, 61)] == [0, 1, 19, 60, 61]
    assert EXACT.rate_in_steps(1 / 61, 61, 61) == 1 / 61
    assert told_parts(EXACT, {"a": 600, "b": 3}) == {"a": 600, "b": 3}


def test_an_extreme_of_few_people_is_an_interval():
    """77.0877 is the distance of a class of one child, and has one solution in whole mg/dL."""
    assert MASKED.extreme(77.0877, 1, unit=30) == (60, 120)
    assert MASKED.extreme(77.0877, 9, unit=30) == (60, 120)
    assert MASKED.extreme(77.0877, 10, unit=30) == 77.1
    assert MASKED.extreme(0.7, 1, unit=0.5, most=1) == (0.5, 1)
    assert MASKED.extreme(20, 1, unit=30) == (15, 30)
    assert MASKED.extreme(-20, 1, unit=30) == (-30, -15)
    assert MASKED.extreme(0, 1, unit=30) == 0


@each("value", [0.013, 1.0, 29.999, 30.0, 77.0877, 1e9])
def test_the_bounds_of_an_extreme_hold_it(value):
    low, high = MASKED.extreme(value, 1, unit=30)
    assert low <= value <= high
    assert high == 2 * low


# ---------------------------------------------------------------- a solver


def told_of(names: list[str], table: np.ndarray, entries: list[dict]) -> tuple[Told, Told]:
    """What an attacker knows: how many people each printed group has, all totals, and the entries.

    The second holds the totals alone, of people and of groups: no mask can leave more.
    """
    printed = {SMALLER_GROUPS if entry["group"] == TOO_FEW else entry["group"] for entry in entries}
    both = (Told(), Told())
    for told in both:
        for column in range(3):
            told.tell([(name, column) for name in names], table[:, column].sum())
        for name, row in zip(names, table, strict=True):
            told.tell([(name, column) for column in range(3)], row.sum())
            if name not in printed:
                told.tell([(name, 0), (name, 1)], 0)
    for entry in entries:
        if entry.get("people") is not None:
            both[0].tell([(entry["group"], 0), (entry["group"], 1)], entry["people"])
        if entry.get("risky") is not None:
            both[0].tell([(entry["group"], 0)], entry["risky"])
    return both


rows_of_people = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.sampled_from([0, 0, 0, 1, 3, 9, 10, 30])),
    min_size=1,
    max_size=6,
)


@pytest.mark.thorough("0.8 s")
@examples(300)
@given(rows_of_people, st.booleans())
def test_no_small_count_within_a_group_is_pinned_down(rows, all_are_considered):
    """Hits, those who are no hits, and who is not considered: each alone, and those considered together."""
    table = np.array([(hit, other, 0 if all_are_considered else rest) for hit, other, rest in rows])
    column = column_of(*table.sum(axis=1))
    kind = np.repeat(np.tile(range(3), len(rows)), table.ravel())
    entries = plain(shares_by_group(MASKED, column, kind < 2, kind == 0, "risky"))
    hidden = hidden_groups(MASKED, column)[1:]
    names = [f"g{i}" for i in np.flatnonzero(~hidden)]
    seen = table[~hidden]
    if hidden.any():
        together = table[hidden].sum(axis=0)
        assert together.sum() >= MASKED.threshold or entries in ([], [{"group": TOO_FEW}])
        names, seen = [*names, SMALLER_GROUPS], np.vstack([seen, together])
    told, totals = told_of(names, seen, entries)
    for name, row in zip(names, seen, strict=True):
        for cells in ((0,), (1,), (2,), (0, 1)):
            if MASKED.are_small(row[list(cells)].sum()):
                wanted = [(name, cell) for cell in cells]
                assert told.width(wanted) >= min(PROMISED, totals.width(wanted)) - 1e-6, (name, cells)


@pytest.mark.thorough("0.3 s")
@examples(300)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=7))
@example([0, 1])
def test_no_small_part_of_a_whole_is_pinned_down(sizes):
    parts = {f"p{i}": n for i, n in enumerate(sizes)}
    told, totals = Told(), Told()
    for one in (told, totals):
        one.tell(parts, sum(sizes))
    for name, n in told_parts(MASKED, parts).items():
        if n is not None:
            assert n == parts[name]
            told.tell([name], n)
    for name, n in parts.items():
        if 0 < n < MASKED.threshold:
            assert told.width([name]) >= min(PROMISED, totals.width([name]))


def test_a_number_of_people_in_a_sentence():
    assert [people_on_screen(n) for n in (0, 1, 9, 10)] == ["0", "fewer than 10", "fewer than 10", "10"]
