"""K, L and T of a drafted config: usual values that can be met, each with its reason."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.telling.words import people_text
from disclosure_control.draft.bins import Bins, quantile_bins, round_number
from disclosure_control.draft.columns import Column
from disclosure_control.draft.literal import DraftedValue

USUAL_K, K_OF_FEW, FEW_PEOPLE = 5, 3, 100
USUAL_L = 3
USUAL_T = 0.2


def draft_k(n_people: int) -> DraftedValue:
    """People that a class needs: 5, the usual choice for health data, and 3 in a small pilot."""
    if n_people < FEW_PEOPLE:
        return DraftedValue(
            K_OF_FEW,
            f"for {people_text(n_people)}; {USUAL_K} is more usual, but often impossible for so few people",
            True,
        )
    return DraftedValue(
        USUAL_K,
        f"usual for health data: the chance to find a person's record is at most {1 / USUAL_K:g}",
        True,
    )


def draft_l(column: Column, k: int) -> DraftedValue:
    """Distinct sensitive values (bins of numbers) that a class needs: 3 where there are that many, never above K."""
    n_values = column.n_distinct if not column.is_measured else len(sensitive_bins(column, k).edges) + 1
    least = max(1, min(USUAL_L, k, n_values))
    what = "bins" if column.is_measured else "values"
    return DraftedValue(least, f"of {n_values} {what}; a class with fewer reveals too much about its people", True)


def draft_t(column: Column) -> DraftedValue:
    """Largest distance of a class to everyone: half the middle half of the numbers, 0.2 for categories."""
    if not column.is_measured or column.numbers is None:
        return DraftedValue(
            USUAL_T, "from the experiments of Li, Li and Venkatasubramanian (2007); a share of people", True
        )
    quarter, three_quarters = np.quantile(column.numbers, [0.25, 0.75])
    half = float(three_quarters - quarter) / 2 or float(column.numbers.std())
    return DraftedValue(
        round_number(half, 10.0 ** np.floor(np.log10(half) - 1)),
        "half the distance between the quartiles, in the unit of the value (Wasserstein distance)",
        True,
    )


def sensitive_bins(column: Column, k: int) -> Bins:
    """Bins of a sensitive number, for l alone."""
    assert column.numbers is not None  # only measured columns have bins
    return quantile_bins(column.numbers, k)
