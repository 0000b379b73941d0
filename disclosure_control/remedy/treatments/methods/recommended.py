"""The treatment that the step ``recommend`` found in the same run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.settings.fields import SettingsGroup, columns_named
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.words import listed
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treatment,
    TreatmentStep,
)

ADVICE = 'add "recommend": {} to the config, or name the treatments'


@dataclass(frozen=True)
class RecommendedSettings(SettingsGroup):
    """No settings: ``recommend`` finds the treatment."""

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """A step that will not run."""
        if not place.pilot.has("recommend"):
            yield f"{place}: needs the step recommend; {ADVICE}"


def steps_that_are_left(
    recommended: Sequence[TreatmentStep], columns: Sequence[str]
) -> tuple[list[TreatmentStep], list[str]]:
    """The steps that still have something to do in these columns, and the columns that were dropped."""
    steps, gone = [], []
    for step in recommended:
        named = columns_named(step.settings)
        lacking = [name for names in named.values() for name in names if name not in columns]
        present = [name for name in named.get("columns", ()) if name in columns]
        if not lacking:
            steps.append(step)
        elif present:
            steps.append(TreatmentStep.of({**step.literal, "columns": present}))
        gone += lacking
    return steps, gone


def notes_on_recommended(recommended: Sequence[TreatmentStep], gone: Sequence[str]) -> list[str]:
    """Which steps were no longer needed, and whether there were none."""
    notes = []
    if gone:
        notes.append(f"Recommended for columns that were already dropped, so no longer needed: {listed(gone)}.")
    if not recommended:
        notes.append("Nothing had to be changed: the data already meet all thresholds that can be met.")
    return notes


TREATMENTS = {
    "recommended": Treatment(
        None,
        RecommendedSettings,
        150,
        "applies the recoding that the step `recommend` found in the same run",
        Reading.AS_LABEL,
        is_of_steps=True,
        intervals=BINS_HOLD,
    ),
}
