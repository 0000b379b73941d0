"""The shares of groups of people with their intervals, as one drawing."""

from __future__ import annotations

from collections.abc import Sequence

from disclosure_control.basics.drawings import rows
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.telling.small_counts import GroupShare
from disclosure_control.basics.telling.words import share_text

MOST_GROUPS = 12  # drawn of one column; the table has all


def share_chart(title: str, groups: Sequence[GroupShare], overall: float | None = None) -> Drawing | None:
    """The published shares of the groups, largest first; None without any. ``overall`` is the share of all people."""
    drawn = []
    for one in sorted(groups, key=lambda group: -(group.rate or 0.0)):
        (low, high), rate = one.interval, one.rate
        if rate is not None and low is not None and high is not None:
            text = f"{share_text(rate)} of {one.people:,}"
            drawn.append(rows.RateWithInterval(one.group, rate, low, high, text))
    if not drawn:
        return None
    drawn = drawn[:MOST_GROUPS]
    return rows.interval_chart(title, "; ".join(f"{one.label}: {one.text}" for one in drawn), drawn, overall)
