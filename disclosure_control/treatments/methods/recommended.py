"""The treatment that the step ``recommend`` found in the same run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import listed
from disclosure_control.treatments.registry import (
    Example,
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    TreatmentStep,
    names_in,
    register,
)
from disclosure_control.treatments.steps import COLUMN_SETTINGS
from disclosure_control.treatments.treat import apply_steps

ADVICE = 'add "recommend": {} to the config, or write the treatments out'


def apply_recommended(given: TreatmentInput) -> Treated:
    """Every step that ``recommend`` found, one after the other; none where nothing has to be given up.

    A step on columns that an earlier treatment has dropped has nothing left to do, and is passed over aloud. Raises
    ``FaultyInputError`` where ``recommend`` did not run.
    """
    if given.recommended is None:
        raise FaultyInputError(f'treatment: "recommended" needs the result of the step recommend; {ADVICE}')
    steps, gone = steps_that_are_left(given.recommended, list(map(str, given.frame)))
    treated = apply_steps(steps, given)
    return dataclasses.replace(treated, notes=(*treated.notes, *notes_on_recommended(given.recommended, gone)))


def steps_that_are_left(
    recommended: Sequence[TreatmentStep], columns: Sequence[str]
) -> tuple[list[TreatmentStep], list[str]]:
    """Those of the steps that have something left to do in these columns, and the columns that are gone."""
    steps, gone = [], []
    for step in recommended:
        lacking = [name for key in COLUMN_SETTINGS for name in names_in(step.settings.get(key)) if name not in columns]
        present = [name for name in names_in(step.settings.get("columns")) if name in columns]
        if not lacking:
            steps.append(step)
        elif present:
            steps.append(dataclasses.replace(step, settings={**step.settings, "columns": present}))
        gone += lacking
    return steps, gone


def notes_on_recommended(recommended: Sequence[TreatmentStep], gone: Sequence[str]) -> list[str]:
    """What of the steps was not needed any more, and where there were none."""
    notes = []
    if gone:
        notes.append(f"Recommended for columns that were dropped before, and not needed any more: {listed(gone)}.")
    if not recommended:
        notes.append("Nothing had to be given up: the thresholds that can be met hold already.")
    return notes


def _check(settings: Mapping[str, object], config: PilotConfig) -> list[str]:
    return [] if config.has("recommend") else [f"needs the step recommend; {ADVICE}"]


register(
    "recommended",
    Treatment(
        apply_recommended,
        {},
        words="what the step `recommend` found in the same run",
        example=Example(touches=("DM__ZIP",)),
        place=150,
        promises=("ids",),
        check=_check,
        reading=Reading.AS_LABEL,
        intervals=BINS_HOLD,
    ),
)
