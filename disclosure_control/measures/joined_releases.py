"""What two releases tell together of people who have one pseudonym in both: classes by the columns of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import EncodedColumn
from disclosure_control.basics.keys import number_rows


@dataclass(frozen=True)
class JoinedRisk:
    """``n_in_both`` of ``n_people`` are in the earlier release too.

    By the columns of both, and by whether somebody is in the earlier one, ``n_alone`` are alone and ``n_below_k`` in
    classes of fewer than k; ``n_alone_here`` and ``n_below_k_here`` by this release. More is riskier.
    """

    n_people: int
    n_in_both: int
    n_alone: int
    n_below_k: int
    n_alone_here: int
    n_below_k_here: int


def joined_risk(
    ids: Sequence[str],
    columns: Sequence[EncodedColumn],
    earlier_ids: Sequence[str],
    earlier_columns: Sequence[EncodedColumn],
    k: float,
) -> JoinedRisk:
    """Who is alone, and below ``k``, by two releases together.

    ``ids`` and ``columns`` (n_people,) are of this release, the others (n_earlier,) of an earlier one, in which no id
    stands twice. An intruder is taken to know all quasi-identifiers of a person, and whether the person took part in
    the earlier one; a missing value is a value. Source: the definition; composition attacks, Ganta, Kasiviswanathan
    and Smith 2008, doi:10.1145/1401890.1401926.
    """
    n = len(ids)
    place = pd.Index(list(earlier_ids), dtype=object).get_indexer(pd.Index(list(ids), dtype=object))
    # 0 is not in the earlier release, 1 a missing value there
    earlier = [np.append(column.codes + 2, 0)[place] for column in earlier_columns]
    here = [column.codes + 1 for column in columns]
    n_here = [len(column.labels) + 1 for column in columns]
    of_both = _sizes(
        [*here, *earlier, (place >= 0).astype(np.int64)],
        [*n_here, *(len(column.labels) + 2 for column in earlier_columns), 2],
        n,
    )
    of_this = _sizes(here, n_here, n)
    return JoinedRisk(
        n,
        int((place >= 0).sum()),
        int((of_both == 1).sum()),
        int((of_both < k).sum()),
        int((of_this == 1).sum()),
        int((of_this < k).sum()),
    )


def _sizes(codes: list[np.ndarray], n_codes: list[int], n: int) -> np.ndarray:
    group, size = number_rows(codes, n_codes, n)
    return size[group]
