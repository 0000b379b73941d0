"""Random configs of a pool, and data of five hospitals that fit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tests.pool.nodes import FIVE, WHY

POLICIES = ("category", "exclude", "wildcard")
NUMBERS = ("wasserstein", "ordered", "mean_difference", None)


@dataclass(frozen=True)
class RandomRound:
    """A config, and by hospital its records."""

    config: dict[str, Any]
    frames: dict[str, pd.DataFrame]

    @property
    def pooled(self) -> pd.DataFrame:
        """All records together, with the ids that ``Parties`` gives them."""
        with_ids = [
            frame.assign(USUBJID=[f"{node}-{i:05}" for i in range(len(frame))]) for node, frame in self.frames.items()
        ]
        return pd.concat(with_ids, ignore_index=True)


def random_round(seed: int) -> RandomRound:
    """The round of a seed: each policy for missing values in turn, one to four quasi-identifiers, up to three sensitive
    features, hospitals of one person to sixty, the first of which has people in few cells.
    """
    chance = np.random.default_rng(seed)
    declared: dict[str, dict] = {"categories": {}, "values": {}}
    values: dict[str, list] = {}
    categorical = [f"C{i}" for i in range(chance.integers(1, 4))]
    for name in categorical:
        values[name] = [f"{name.lower()}{i}" for i in range(chance.integers(2, 6))]
        declared["categories"][name] = [*values[name], "nobody has it"]
    continuous, edges = [f"N{i}" for i in range(chance.integers(0, 3))], {}
    for name in continuous:
        values[name] = [float(value) for value in np.arange(-5, 65, 2.5)]
        if chance.random() < 0.75:
            edges[name] = [0, 10, 20, 40, 50] if chance.random() < 0.5 else [0, 30, 60]
        else:
            values[name] = [0.5, 1.0, 1.5, 2.0]
            declared["values"][name] = {"from": 0.5, "to": 3, "step": 0.5}
    sensitive = [f"S{i}" for i in range(chance.integers(0, 4))]
    thresholds: dict[str, dict] = {"L": {}, "T": {}, "t_distance": {}, "sensitive_binning_config_for_L": {}}
    for name in sensitive:
        if chance.random() < 0.6:
            values[name] = [round(0.1 * i, 1) for i in range(chance.integers(2, 30))]
            declared["values"][name] = {"from": 0, "to": 3, "step": 0.1}
            distance = NUMBERS[chance.integers(len(NUMBERS))]
            if chance.random() < 0.5:
                thresholds["sensitive_binning_config_for_L"][name] = [0, 1, 2.5]
        else:
            values[name] = [f"s{i}" for i in range(chance.integers(1, 6))]
            declared["categories"][name] = values[name]
            distance = None
        thresholds["L"][name] = int(chance.integers(1, 4))
        thresholds["T"][name] = round(float(chance.uniform(0.05, 0.9)), 2)
        thresholds["t_distance"] |= {name: distance} if distance else {}
    config = {
        "categorical_qis": categorical,
        "continuous_qis": continuous,
        "binning_config": edges,
        "sensitive_feature": sensitive,
        "K": int(chance.integers(2, 7)),
        **thresholds,
        "missing_qis": POLICIES[seed % 3],
        "out_of_range": "tail" if chance.random() < 0.7 else "missing",
        "recommend": {"suppression_limit": round(float(chance.uniform(0, 0.3)), 2)},
        "pool": {**WHY, "nodes": list(FIVE), "sums": "TRUSTEE" if seed % 2 else FIVE[0], **declared},
    }
    if seed % 4 == 1:
        config["risk"] = "all"
    gaps = float(chance.choice([0.0, 0.1, 0.4]))
    frames = {}
    for i, node in enumerate(FIVE):
        n = int(chance.integers(1, 60))
        frames[node] = pd.DataFrame(
            {
                name: pd.Series(chance.choice(some[:1] if i == 0 and name in categorical else some, n)).where(
                    chance.random(n) >= gaps
                )
                for name, some in values.items()
            }
        )
    return RandomRound(config, frames)
