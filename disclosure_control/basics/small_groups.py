"""Groups too small to be told of by name, in files that go from hand to hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disclosure_control.basics.columns import EncodedColumn, labels_of
from disclosure_control.basics.confidence_intervals import wilson_interval

SMALLEST_PRINTED_GROUP = 10
SMALLER_GROUPS = "(smaller groups together)"
TOO_FEW = f"(fewer than {SMALLEST_PRINTED_GROUP} people)"


def shares_by_group(
    groups: EncodedColumn, considered: np.ndarray, hit: np.ndarray, word: str, people: np.ndarray | None = None
) -> list[dict]:
    """Who of each group is hit, among those considered, as ``printable_groups`` may tell it; missing is a group.

    ``groups`` is a column (n_records,); ``considered`` and ``hit`` (n_records,) of bool; ``word`` says what a hit is.
    ``people`` (n_records,) is how many each entry stands for, one each if not given.
    """
    names, group = ["missing", *labels_of(groups)], groups.codes + 1
    each = np.ones(len(group), dtype=np.int64) if people is None else people
    in_group, hits = (
        np.bincount(group[which], each[which], len(names)).astype(np.int64) for which in (considered, considered & hit)
    )
    return printable_groups(names, in_group, hits, word)


def printable_groups(names: Sequence[str], people: np.ndarray, hits: np.ndarray, word: str) -> list[dict]:
    """Groups of at least ten people by name; smaller ones together, with as many larger ones as make them ten.

    So nobody finds a small group by taking the others from the total. ``names``, ``people`` and ``hits`` (n_groups,):
    people of each group, and how many of them are what ``word`` says. Groups without people are left out; those that
    are hidden come last, without figures where even all of them are fewer than ten.
    """
    present = np.flatnonzero(people > 0)
    by_size = present[np.argsort(people[present], kind="stable")]
    together = int((people[by_size] < SMALLEST_PRINTED_GROUP).sum())
    while 0 < together < len(by_size) and people[by_size[:together]].sum() < SMALLEST_PRINTED_GROUP:
        together += 1
    hidden = by_size[:together]
    entries = [_group(names[i], int(people[i]), int(hits[i]), word) for i in present.tolist() if i not in hidden]
    n_hidden = int(people[hidden].sum())
    if n_hidden >= SMALLEST_PRINTED_GROUP:
        entries.append(_group(SMALLER_GROUPS, n_hidden, int(hits[hidden].sum()), word))
    elif n_hidden:
        entries.append({"group": TOO_FEW})
    return entries


def _group(name: str, n: int, n_hits: int, word: str) -> dict:
    low, high = wilson_interval(n_hits, n)
    return {"group": name, "people": n, word: n_hits, f"{word}_rate": n_hits / n, "low": low, "high": high}


def people_on_screen(n: int) -> str:
    """A number of people as it may stand on the screen: one from 1 to 9 is not told."""
    return f"fewer than {SMALLEST_PRINTED_GROUP}" if 0 < n < SMALLEST_PRINTED_GROUP else str(n)
