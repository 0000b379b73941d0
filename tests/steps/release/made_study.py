"""A made study of 120 people in 8 classes of 15: who is alone in it is alone by what its dates tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tests.steps.release.conftest import Package, package, step_on

N = 120
IDS = [f"ST-{701 + i % 8}-{1000 + i * 7}" for i in range(N)]
BEGAN = np.datetime64("2013-03-01")
Rows = list[dict[str, object]]


def starts(seed: int = 24) -> np.ndarray:
    """The true first day of each person: any day of two years."""
    return BEGAN + np.random.default_rng(seed).integers(0, 730, N)


def demographics(start: np.ndarray) -> Rows:
    return [
        {"STUDYID": "ST", "DOMAIN": "DM", "USUBJID": one, "SUBJID": one[-4:], "SEX": "FM"[i % 2]}
        | {"AGE": float(30 + 10 * (i % 8 // 2)), "AGEU": "YEARS", "RFSTDTC": str(start[i])}
        for i, one in enumerate(IDS)
    ]


def visits(start: np.ndarray, every: int = 28, n_visits: int = 4) -> Rows:
    return [
        {"STUDYID": "ST", "DOMAIN": "SV", "USUBJID": one, "VISITNUM": float(number + 1), "VISIT": f"VISIT {number + 1}"}
        | {"SVSTDTC": str(start[i] + every * number), "SVSTDY": float(every * number + 1)}
        for i, one in enumerate(IDS)
        for number in range(n_visits)
    ]


def rows(domain: str, day: Callable[[int], object], **more: Callable[[int], object]) -> Rows:
    """One record of each person, with its day and what else it says; no record where the day is None."""
    return [
        {"STUDYID": "ST", "DOMAIN": domain, "USUBJID": one, f"{domain}SEQ": 1.0, f"{domain}STDTC": str(day(i))}
        | {name: of(i) for name, of in more.items()}
        for i, one in enumerate(IDS)
        if day(i) is not None
    ]


def made(files: Mapping[str, Rows], to: Path, release: dict | None = None, **keys: object) -> Package:
    """The study as it leaves, K = 5, sex and age as quasi-identifiers; of events outsiders know nothing."""
    source = to / "source"
    source.mkdir()
    for name, table in files.items():
        pd.DataFrame(table).to_csv(source / f"{name.lower()}.csv", index=False)
    literal = {"categorical_qis": ["DM__SEX"], "continuous_qis": ["DM__AGE"], "binning_config": {}, "K": 5}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}}
    settings = {"key_from": {"environment": "RELEASE_TEST_KEY"}, "outsiders_know": {"facts": 0}, **(release or {})}
    given, kept = step_on(source, to, {**literal, "release": settings, **keys}, None)
    return package(source, given, kept, to)
