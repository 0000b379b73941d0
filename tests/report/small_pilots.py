"""Small invented pilots for the tests of the page: any few people, assessed, with the steps that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.assess.assessment import Assessment, assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.sections import Section
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.report.page.files import sections_outside
from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.run_told import controller_sections, run_told
from disclosure_control.steps import READERS
from disclosure_control.steps.running import StepResult, for_reader, run_steps

RARE_TOWN = "ZZRARETOWN"  # of few people, whatever the pilot
CONFIG = {
    "categorical_qis": ["sex", "town"],
    "continuous_qis": ["age"],
    "binning_config": {"age": [0, 20, 40, 60, 80]},
    "sensitive_feature": "lab",
    "sensitive_binning_config_for_L": {"lab": [0, 10, 20, 30]},
    "K": 3,
    "L": 2,
    "T": 5,
}


@st.composite
def pilots(draw: st.DrawFn, most: int = 80) -> tuple[pd.DataFrame, dict]:
    """A frame of 1 to ``most`` people, up to three of them in the rare town, and a config with any thresholds."""
    n = draw(st.integers(1, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    towns = random.choice(["Alpha", "Beta", None], n, p=[0.6, 0.3, 0.1])
    towns[: draw(st.integers(0, 3))] = RARE_TOWN
    frame = pd.DataFrame({"sex": random.choice(["F", "M"], n), "town": towns})
    frame["age"] = random.choice(np.arange(1, 90, draw(st.sampled_from([3, 11, 25]))), n).astype(float)
    frame["lab"] = np.where(random.random(n) < 0.2, np.nan, random.integers(0, 30, n))
    config = CONFIG | {
        "K": draw(st.integers(2, 12)),
        "L": draw(st.integers(2, 4)),
        "T": draw(st.sampled_from([0.5, 2, 5.5, 12])),
        "missing_qis": draw(st.sampled_from(["category", "exclude", "wildcard"])),
    }
    return frame, config


def assessed(frame: pd.DataFrame, config: dict) -> Assessment:
    return assess(frame, validate_config(config, frame.columns, READERS))


@dataclass(frozen=True)
class SmallRun:
    """A pilot through door 2: its JSON summary for the controller, and what its pages are made of."""

    summary: dict
    assessment: Assessment
    steps: dict[str, StepResult]

    def page(self, beside: Sequence[Section] = ()) -> str:
        """The page of the house, with what no step makes ``beside``."""
        return privacy_page(
            "PILOT", [*controller_sections(EXACT, self.assessment, [], for_reader(self.steps, EXACT)), *beside]
        )

    def shareable_page(self) -> str:
        outside = sections_outside(self.assessment, self.steps)
        return privacy_page("PILOT", outside, is_shareable=True, withheld={*self.steps, "over_time"})


def run_of(frame: pd.DataFrame, config: dict, folder: Path) -> SmallRun:
    """Door 2 for these people, whose ids are markers; nothing is written."""
    assessment = assessed(frame, config)
    subjects = pd.Series([f"ZZSUBJ-{i:05d}" for i in range(len(frame))], index=frame.index, name="USUBJID")
    table = frame.astype("str").where(frame.notna(), None).assign(USUBJID=subjects)
    steps = run_steps("PILOT", folder, CombinedDataset.of(frame, subjects, table), assessment)
    return SmallRun(run_told(EXACT, "PILOT", assessment, steps, {}).summary, assessment, steps)
