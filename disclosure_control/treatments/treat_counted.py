"""Treatments without records: columns recoded by their distinct values, classes left out by their counts.

What comes out is what ``treat`` gives of the records, for every treatment that is ``by_value``, that ``leaves_out``
whole classes, or that drops columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.settings.fields import columns_named
from disclosure_control.records.counted import CountedPeople
from disclosure_control.records.people import People
from disclosure_control.treatments.evaluation import config_of
from disclosure_control.treatments.registry import TreatmentInput, TreatmentStep, methods
from disclosure_control.treatments.seeds import DEFAULT_SEED


class TreatedCounts(NamedTuple):
    """The remaining of some counted people, recoded, and their assessment."""

    people: CountedPeople
    assessment: Assessment


def treat_counted(
    people: CountedPeople, config: PilotConfig, steps: Sequence[TreatmentStep], folder: Path
) -> TreatedCounts:
    """Recode the classes and remove those that have to be removed; files are searched in ``folder``, the pilot's.

    ``config`` has the roles of the columns and the thresholds. Classes are removed after all recodings.
    """
    values = {name: one.values for name, one in people.distinct_values.items()}
    for step in steps:
        treatment = methods()[step.method]
        if treatment.by_value:
            (column,) = columns_named(step.settings)["column"]
            values[column] = _recoded(step, values[column], people.distinct(column).people, config, folder)
        elif treatment.drops is not None:
            gone = set(treatment.drops(step.settings, list(values)))
            values = {name: one for name, one in values.items() if name not in gone}
        else:
            assert treatment.leaves_out is not None, step.method
            people = people.recoded(config_of(values, config), values)
            people = people.without(treatment.leaves_out(_assessed(people), step.settings))
    if not (people.class_of_first < 0).any():
        people = people.recoded(config_of(values, config), values)
    return TreatedCounts(people, _assessed(people))


def _assessed(people: CountedPeople) -> Assessment:
    return evaluate(cast(People, people), people.config)


def _recoded(
    step: TreatmentStep, values: pd.Series, people: np.ndarray, config: PilotConfig, folder: Path
) -> pd.Series:
    chance = np.random.default_rng(DEFAULT_SEED)  # of which no treatment by value makes use
    given = TreatmentInput(values.to_frame(), config, chance, folder=folder, people=people)
    recoded: pd.Series = methods()[step.method].apply(given, step.settings).frame[values.name]
    return recoded
