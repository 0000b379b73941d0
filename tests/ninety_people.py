"""Ninety people for tests that keep whole outcomes: values on edges, gaps, rare towns, days of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.steps import step_module
from disclosure_control.steps.running import StepInput, StepResult
from tests.remedy.treatments.test_treatment_properties import a_pilot
from tests.remedy.treatments.treatment_frames import config_for

TYPED = ["DM__SEX", "DM__ZIP", "DM__AGE", "LB__X"]


def ninety_people() -> pd.DataFrame:
    """Ages on the edges of bins, gaps in every column but the ids, rare towns, and days of each kind."""
    draw, frame = np.random.default_rng(11), a_pilot(90)
    days = ["2012-01-31", "2012-02-29", "2010-04", "2013", "2013-07-01T08:15"]
    towns = draw.choice(["11527", "11528", "45110", "4511", "90210"], 90, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    frame = frame.assign(DM__AGE=draw.integers(3, 17, 90) * 5.0, DM__ZIP=towns, DM__RFSTDTC=draw.choice(days, 90))
    gaps = draw.random(frame.shape) < 0.04
    return frame.mask(gaps & [not name.endswith("SUBJID") for name in frame])


def config_of_ninety(**keys: object) -> PilotConfig:
    """Three quasi-identifiers and a sensitive number; ``keys`` replace those of the config, or are further ones."""
    edges = {"DM__AGE": [20, 40, 60, 80]}
    return config_for(TYPED[:2], ["DM__AGE"], ["LB__X"], **{"binning_config": edges, "T": 0.5, **keys})


def step_on_ninety(
    settings: object, earlier: Mapping[str, StepResult] | None = None, folder: Path = Path(), **keys: object
) -> StepInput:
    """What a step of door 2 is given."""
    frame = ninety_people()
    dataset = CombinedDataset.of(frame[TYPED], frame["USUBJID"], sha256="0" * 64, text=frame.astype("str"))
    return StepInput(
        "P", folder, settings, dataset, assess(dataset.everybody.frame, config_of_ninety(**keys)), {**(earlier or {})}
    )


def outcome_of(key: str, value: object, earlier: Mapping[str, StepResult] | None = None, folder: Path = Path()) -> dict:
    """What a step finds of them by the value of its key: its tables, and figures and sections for both readers."""
    config = {**(value.pop("config", {}) if isinstance(value, dict) else {}), key: value}
    settings = config_of_ninety(**config).settings[key]
    result = step_module(key).run_step(step_on_ninety(settings, earlier, folder, **config))
    told = {"exact": result.for_reader(EXACT), "masked": result}
    return {"tables": result.tables} | {
        reader: {"figures": one.figures, "sections": one.sections, "held": [r.gravity for r in one.reasons_to_hold]}
        for reader, one in told.items()
    }
