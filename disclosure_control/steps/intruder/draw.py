"""Which people an intruder tries: those with the fewest others alike, and as many drawn at random from the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN

HIGHEST, RANDOM = "fewest others alike", "at random"
COLUMNS = ("case", SUBJECT_COLUMN, "drawn", "people_alike")


def drawn_cases(people_alike: pd.Series, n_cases: int, seed: int) -> pd.DataFrame:
    """The cases: number, id in what leaves, how it was drawn, and how many people of the release are alike.

    ``people_alike`` (n_people,) is by id. Ties are broken, and people drawn, by a hash of the id that the ``seed``
    decides, so the order of the records decides nothing. Cases are numbered by that hash, too: their order does not
    tell how they were drawn.
    """
    ids = people_alike.index.to_numpy(dtype=object)
    order = pd.util.hash_array(ids, hash_key=f"{seed % 10**16:016d}", categorize=False)
    people = pd.DataFrame({SUBJECT_COLUMN: ids, "people_alike": people_alike.to_numpy(), "hash": order})
    fewest = people.sort_values(["people_alike", "hash"], kind="stable").head((n_cases + 1) // 2)
    others = people.drop(fewest.index).sort_values("hash", kind="stable").head(n_cases - len(fewest))
    drawn = pd.concat([fewest.assign(drawn=HIGHEST), others.assign(drawn=RANDOM)])
    drawn = drawn.sort_values("hash", kind="stable").reset_index(drop=True)
    drawn.insert(0, "case", np.arange(1, len(drawn) + 1))
    return drawn[list(COLUMNS)]
