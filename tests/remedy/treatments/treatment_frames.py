"""Frames, configs and the oracles for the tests of treatments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.remedy.treatments.registry import Treated, methods
from disclosure_control.steps import READERS
from tests.places import SHARED

KEY_NAME, KEY = "TREATMENT_TEST_KEY", "KEYMARKER-7f1c93e0b85d4a26c1f70d9be3852a64"


def shared(*parts: str) -> Path:
    """A file of the oracles or the public data; the test skips where it is not beside the clone."""
    path = SHARED.joinpath(*parts)
    if not path.is_file():
        pytest.skip(f"{Path(*parts)} is not beside the clone")
    return path


def published(name: str) -> dict:
    return json.loads(shared("oracles", "published.json").read_text(encoding="utf-8"))[name]


def sdcmicro_cases(function: str) -> list[dict]:
    path = SHARED / "oracles" / "sdcmicro" / "cases.json"
    if not path.is_file():
        return []
    return [case for case in json.loads(path.read_text(encoding="utf-8"))["cases"] if case["fn"] == function]


def sdcmicro_data(name: str) -> pd.DataFrame:
    return pd.read_csv(shared("oracles", "sdcmicro", "data", f"{name}.csv"))


def config_for(categorical=(), continuous=(), sensitive=(), **settings):
    literal = {
        "categorical_qis": list(categorical),
        "continuous_qis": list(continuous),
        "binning_config": {},
        "sensitive_feature": list(sensitive),
        "K": 3,
        "L": 2,
        "T": 0.4,
        **settings,
    }
    return validate_config(literal, readers=READERS)


def applying(method: str) -> Callable[..., Treated]:
    """A treatment as a function of what it is given, and of its settings by name."""
    treatment = methods()[method]
    return lambda given, *values, **settings: treatment.apply(given, treatment.settings(*values, **settings))
