"""The drawing of groups' shares: the largest twelve, and none of a group whose figures are masked."""

from __future__ import annotations

import re

from disclosure_control.basics.drawings.group_shares import share_chart
from disclosure_control.basics.telling.small_counts import GroupShare


def drawn(groups: list[GroupShare]) -> list[str]:
    chart = share_chart("Shares", groups)
    return [] if chart is None else re.findall(r"(g\d+): ", chart.described)


def test_a_masked_group_is_not_drawn():
    masked = [GroupShare("g1", "hits", 40, None), GroupShare("g2", "hits", None, None, told=False)]
    assert drawn(masked) == []
    assert drawn([*masked, GroupShare("g3", "hits", 40, 0)]) == ["g3"]
