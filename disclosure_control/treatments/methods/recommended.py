"""The treatment that the step ``recommend`` found in the same run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.interval_labels import BINS_HOLD
from disclosure_control.basics.words import listed
from disclosure_control.treatments.registry import (
    Example,
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
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
    steps, gone = [], []
    for step in given.recommended:
        lacking = [
            name for key in COLUMN_SETTINGS for name in names_in(step.settings.get(key)) if name not in given.frame
        ]
        present = [name for name in names_in(step.settings.get("columns")) if name in given.frame]
        if not lacking:
            steps.append(step)
        elif present:
            steps.append(dataclasses.replace(step, settings={**step.settings, "columns": present}))
        gone += lacking
    treated = apply_steps(steps, given)
    notes = list(treated.notes)
    if gone:
        notes.append(f"Recommended for columns that were dropped before, and not needed any more: {listed(gone)}.")
    if not given.recommended:
        notes.append("Nothing had to be given up: the thresholds that can be met hold already.")
    return dataclasses.replace(treated, notes=tuple(notes))


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
