"""What each reader is told of counts, groups, shares and extremes: of many made ones, as it is kept."""

from __future__ import annotations

import numpy as np
import pytest

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.small_counts import (
    EXACT,
    MASKED,
    MissingShown,
    hidden_groups,
    missing_told,
    shares_by_group,
    told_parts,
)
from tests.kept import changed_since_kept

WHOLE = 60


def marks(hidden: np.ndarray) -> str:
    return "".join("-x"[one] for one in hidden.astype(int))


@pytest.mark.parametrize("policy", [EXACT, MASKED])
def test_what_a_reader_is_told(policy):
    draw, found = np.random.default_rng(4), {}
    found["told"] = [[policy.told(n, *beside) for n in range(0, WHOLE + 1, 3)] for beside in ((), (WHOLE,), (30, 48))]
    found["in steps"] = [policy.in_steps(n, WHOLE) for n in range(0, WHOLE + 1, 5)]
    found["rates"] = [policy.rate_in_steps(rate, 40, WHOLE) for rate in (None, 0, 0.3, 0.5, 0.51, 1)]
    extremes = [(0.0, 3, 2), (5.4321, 10, 2), (5.4321, 9, 2), (8, 9, 2), (-5, 9, -2), (7, 2, 1, 7.5)]
    found["extremes"] = [policy.extreme(*one) for one in extremes]
    for case in range(24):
        parts = draw.integers(0, (4, 15, 40)[case % 3], 1 + case % 6)
        rows = draw.integers(0, (4, 15, 40)[case % 3], (1 + case % 6, 3)) * draw.integers(0, 2, (1 + case % 6, 3))
        also, names = draw.random(len(parts)) < 0.2, [f"g{i}" for i in range(len(parts))]
        masks = [policy.hidden_parts(parts), policy.hidden_parts(parts, also), policy.hidden_rows(rows[:, :2])]
        told = told_parts(policy, dict(zip(names, parts.tolist(), strict=True)), int(parts.sum()) + case % 2 * case)
        column = EncodedColumn(np.repeat(np.arange(-1, len(parts) - 1), parts), np.array(names[1:], dtype=object))
        considered, hit, among = draw.random((3, len(column.codes))) < [[0.8], [0.4], [0.9]]
        gaps = list(MissingShown)[case % 3]
        shares = shares_by_group(policy, column, considered, hit, "hit", among if case % 2 else None, gaps)
        groups = [marks(hidden_groups(policy, column, among, one)) for one in MissingShown]
        found[f"{case} {parts.tolist()}"] = {
            "masks": [marks(one) for one in (*masks, *policy.mask_table(rows))],
            "rows": rows,
            "told": told,
            "missing": missing_told(policy, column),
            "groups": groups,
            "shares": [[one.group, one.people, one.hits, *one.cells()] for one in shares],
        }
    assert changed_since_kept(f"policy_{policy.threshold}", found) == {}
