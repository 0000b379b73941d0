"""A solver reads all that the summaries of a treatment tell, and tries to undo the masks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.steps import READERS
from disclosure_control.steps.running import run_steps
from tests.basics.telling.undo_masks import Told
from tests.examples import some_of

PROMISED = MASKED.threshold - 2
KEY_NAME = "TREATMENT_TEST_KEY"
Pair = tuple[str, str]  # names of counts, the first of people among those of the second


def a_treated_pilot(seed: int) -> tuple[pd.DataFrame, dict]:
    """Ages, towns, heights and dates, some of few people, and a treatment that touches few or many of them."""
    chance = np.random.default_rng(seed)
    n = int(chance.integers(30, 120))
    town = np.where(chance.random(n) < 0.15, chance.choice([*"BCDEFGH"], n), "A").astype(object)
    height = chance.choice(np.arange(150, 150 + int(chance.integers(3, 60))), n).astype(float)
    date = (pd.Timestamp("2020-01-01") + pd.to_timedelta(chance.integers(0, 300, n), "D")).strftime("%Y-%m-%d")
    date = date.to_numpy(dtype=object)
    date[chance.random(n) < 0.04] = "2020"
    date[chance.random(n) < 0.6] = "2020-06-30"
    for column, rate in ((town, 0.05), (height, 0.05), (date, 0.03)):
        column[chance.random(n) < rate * chance.integers(0, 3)] = None
    frame = pd.DataFrame(
        {
            "SEX": chance.choice(["F", "M"], n),
            "TOWN": town,
            "AGE": chance.integers(18, 80, n).astype(float),
            "LB": chance.integers(1, 9, n).astype(float),
            "HEIGHT": height,
            "XX__XXDTC": date,
        }
    )
    steps: list[dict] = [
        {"method": "bins", "column": "AGE", "edges": [20, 40, 60, 78]},
        {"method": "shift_dates", "key_from": {"environment": KEY_NAME}, "days": int(chance.choice([10, 60]))},
        {"method": str(chance.choice(["suppress_cells", "suppress_records"]))},
    ]
    if chance.random() < 0.5:
        steps.insert(0, {"method": "top_code", "column": "HEIGHT", "limit": float(np.nanmax(height) - 2)})
    config = {
        "categorical_qis": ["SEX", "TOWN"],
        "continuous_qis": ["AGE"],
        "binning_config": {"AGE": [20, 40, 60, 78]},
        "sensitive_feature": "LB",
        "sensitive_binning_config_for_L": {},
        "K": int(chance.integers(2, 6)),
        "L": 1,
        "T": 20,
        "treatment": steps,
    }
    return frame, config


def figures_of(frame: pd.DataFrame, literal: dict) -> dict:
    config = validate_config(literal, frame.columns, READERS)
    ids = pd.Series([f"S{i}" for i in range(len(frame))])
    text = frame.astype("str").where(frame.notna()).assign(USUBJID=ids)
    dataset = CombinedDataset.of(frame, ids, text)
    result = run_steps("P", Path(), dataset, assess(frame, config))["treatment"]
    return json.loads(json.dumps(result.figures))


def counts_of(figures: dict, n_missing: dict[str, int]) -> tuple[dict[str, int | None], list[Pair]]:
    """Every count of people by a name, and which of them are among which others."""
    found = figures["singled_out"]
    outsiders = found["outsiders"]
    everybody, kept = "everybody", "kept"
    counts: dict[str, int | None] = {everybody: figures["before"]["records"], kept: found["people"]}
    pairs = [(kept, everybody)]

    def add(name: str, n: int | None, *among: str) -> None:
        counts[name] = n
        pairs.extend((name, other) for other in among)

    add("by quasi-identifiers", outsiders["people_alone_by_quasi_identifiers"], "together")
    add("together", outsiders["people_alone"], "with treated")
    add("with treated", outsiders["people_alone_with_treated"], kept)
    for i, one in enumerate(outsiders["smallest_sets"]):
        add(f"smallest set {i}", one["people_alone"], "together")
    for i, step in enumerate(figures["steps"]):
        for column, n in step["changed"].items():
            add(f"{column} changed by {i}", n, everybody if column not in n_missing else f"has {column}")
    for column, n in n_missing.items():
        add(f"has {column}", None, everybody)
        add(f"lacks {column}", n if n == 0 or n >= 10 else None, everybody)
    for step in figures["moved_dates"]["steps"]:
        add("looked at", step["people_looked_at"], kept)
        add("nearly undone", step["people_nearly_undone"], "looked at")
        add("undone", step["people_undone"], "nearly undone")
        for i, pattern in enumerate(step["patterns"]):
            add(f"dates of {i}", pattern["dates"], kept)
            add(f"holding {i}", pattern["holding"], f"dates of {i}")
    return counts, pairs


def told_by(counts: dict[str, int | None], pairs: list[Pair]) -> Told:
    told = Told()
    told.count(*counts)
    for name, n in counts.items():
        if n is not None:
            told.tell([name], n)
    for one, other in pairs:
        told.same([other], [one, (one, other)])
    return told


def columns_add_up(told: Told, n_missing: dict[str, int]) -> Iterator[None]:
    for column in n_missing:
        told.same(["everybody"], [f"has {column}", f"lacks {column}"])
        yield


@pytest.mark.thorough("1 s: a whole run with every step")
@pytest.mark.parametrize("seed", some_of(range(20)))
def test_no_mask_of_a_treatment_is_undone(seed, monkeypatch):
    monkeypatch.setenv(KEY_NAME, "k3y-0f-th3-t3st-w1th-v4r13ty-9x")
    frame, literal = a_treated_pilot(seed)
    n_missing = {str(name): int(n) for name, n in frame.isna().sum().items()}
    masked, pairs = counts_of(figures_of(frame, literal), n_missing)
    with monkeypatch.context() as unmasked:
        unmasked.setattr(type(MASKED), "are_small", lambda self, counts: np.zeros(np.shape(counts), dtype=bool))
        true, _ = counts_of(figures_of(frame, literal), n_missing)
    for column, n in n_missing.items():
        true[f"lacks {column}"], true[f"has {column}"] = n, len(frame) - n
    totals = {"everybody", "kept", "by quasi-identifiers"}
    told = told_by(masked, pairs)
    by_totals = told_by({name: n if name in totals else None for name, n in masked.items()}, pairs)
    for one in (told, by_totals):
        list(columns_add_up(one, n_missing))
    assert all(n is None or n == true[name] for name, n in masked.items())
    small = [([name], n) for name, n in true.items()] + [
        ([pair], true[pair[1]] - true[pair[0]]) for pair in pairs if pair[0] != "kept"
    ]
    for wanted, n in small:
        if 0 < n < MASKED.threshold:
            low, high = told.interval(wanted)
            assert low - 1e-6 <= n <= high + 1e-6
            assert high - low >= min(PROMISED, by_totals.width(wanted)) - 1e-6, f"{wanted}: {low} to {high}"
