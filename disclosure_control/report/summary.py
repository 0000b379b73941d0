"""The JSON summary of a run: plain numbers and names, no record and no subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from disclosure_control import __version__
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.report import told_assessment
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.small_counts import WHAT_MASKED_MEANS


def privacy_summary(
    pilot: str, assessment: Assessment, inputs: dict[str, dict], notices: Sequence[str] = ()
) -> dict[str, Any]:
    """The assessment as plain numbers for ``{PILOT}_privacy_summary.json``.

    It may be handed on: small counts are masked, which is None. ``notices`` are sentences about the inputs, besides
    those of the assessment.
    """
    return {
        "schema": 1,
        "version": __version__,
        "pilot": pilot,
        "masked": WHAT_MASKED_MEANS,
        "config": assessment.config.literal,
        "inputs": inputs,
        **plain(told_assessment(assessment, notices)),
    }
