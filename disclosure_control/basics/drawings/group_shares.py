"""The shares of groups of people with their intervals, as one drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disclosure_control.basics.drawings import rows
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.telling.words import share_text

MOST_GROUPS = 12  # drawn of one column; the table has all


def share_chart(
    title: str, groups: Sequence[Mapping[str, Any]], word: str, overall: float | None = None
) -> Drawing | None:
    """The published shares of the groups, largest first; None without any.

    ``groups`` are entries of ``shares_by_group`` whose hits are called ``word``; ``overall`` is the share of all
    people.
    """
    told = [group for group in groups if group.get(f"{word}_rate") is not None]
    told = sorted(told, key=lambda group: -group[f"{word}_rate"])[:MOST_GROUPS]
    if not told:
        return None
    drawn = []
    for group in told:
        rate = group[f"{word}_rate"]
        text = f"{share_text(rate)} of {group['people']:,}"
        drawn.append(rows.RateWithInterval(group["group"], rate, group["low"], group["high"], text))
    return rows.interval_chart(title, "; ".join(f"{one.label}: {one.text}" for one in drawn), drawn, overall)
