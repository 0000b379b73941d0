"""The treatment that the step ``recommend`` found in the same run."""

from __future__ import annotations

from collections.abc import Mapping

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.treatments.registry import Treated, Treatment, TreatmentInput, register

ADVICE = 'add "recommend": {} to the config, or write the treatments out'


def apply_recommended(given: TreatmentInput) -> Treated:
    """Every step that ``recommend`` found, one after the other.

    Raises ``FaultyInputError`` where it did not run, or found none: data that nobody treated are not released.
    """
    from disclosure_control.treatments.treated_pilot import apply_steps  # which looks treatments up

    if given.recommended is None:
        raise FaultyInputError(f'treatment: "recommended" needs the result of the step recommend; {ADVICE}')
    if not given.recommended:
        raise FaultyInputError(
            'treatment: "recommended": nothing was found that meets the thresholds; write others out'
        )
    return apply_steps(given.recommended, given)


def _check(settings: Mapping, config: Mapping) -> list[str]:
    return [] if "recommend" in config else [f"needs the step recommend; {ADVICE}"]


register("recommended", Treatment(apply_recommended, {}, promises=("ids",), check=_check))
