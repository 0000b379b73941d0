"""Three hospitals of invented people, whose every id and value is a marker, and a party that sums."""

import numpy as np
import pandas as pd

from tests.pool.nodes import FIVE, WHY

NODES = FIVE[:3]
CONFIG = {
    "categorical_qis": ["SEX"],
    "continuous_qis": ["AGE"],
    "binning_config": {"AGE": [0, 20, 40, 60]},
    "sensitive_feature": ["LAB"],
    "K": 3,
    "L": 2,
    "T": 0.6,
    "recommend": {"suppression_limit": 0.3},
    "pool": {
        **WHY,
        "nodes": list(NODES),
        "sums": "TRUSTEE",
        "categories": {"SEX": ["FMARKER", "MMARKER"]},
        "values": {"LAB": {"from": 1, "to": 3, "step": 0.5}},
    },
}


def frame(seed: int, n: int = 12) -> pd.DataFrame:
    chance = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "SEX": chance.choice(["FMARKER", "MMARKER", None], n, p=[0.5, 0.4, 0.1]),
            "AGE": chance.choice([5, 25, 45, 70], n),
            "LAB": chance.choice([1, 1.5, 2, np.nan], n),
        }
    )
