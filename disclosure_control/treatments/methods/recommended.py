"""The treatment that the step ``recommend`` found in the same run."""

from __future__ import annotations

from collections.abc import Mapping

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.treatments.registry import Example, Reading, Treated, Treatment, TreatmentInput, register
from disclosure_control.treatments.treat import apply_steps

ADVICE = 'add "recommend": {} to the config, or write the treatments out'


def apply_recommended(given: TreatmentInput) -> Treated:
    """Every step that ``recommend`` found, one after the other.

    Raises ``FaultyInputError`` where it did not run, or found none: data that nobody treated are not released.
    """
    if given.recommended is None:
        raise FaultyInputError(f'treatment: "recommended" needs the result of the step recommend; {ADVICE}')
    if not given.recommended:
        raise FaultyInputError(
            'treatment: "recommended": nothing was found that meets the thresholds; write others out'
        )
    return apply_steps(given.recommended, given)


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
    ),
)
