"""The JSON summary of a run: plain numbers and names, no record and no subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disclosure_control import __version__
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.told_models import told_assessment
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.small_counts import FOR_CONTROLLER, WHAT_MASKED_MEANS, Policy


def privacy_summary(
    policy: Policy,
    pilot: str,
    assessment: Assessment,
    inputs: Mapping[str, dict],
    notices: Sequence[str] = (),
) -> dict[str, Any]:
    """The assessment as plain numbers; ``{PILOT}_privacy_summary.json`` has them exactly.

    For others, small counts are masked, which is None. ``notices`` are sentences about the inputs, besides those of the
    assessment.
    """
    return {
        "schema": 2,
        **({"for": FOR_CONTROLLER} if policy.is_exact else {"masked": WHAT_MASKED_MEANS}),
        "version": __version__,
        "pilot": pilot,
        "config": assessment.config.literal,
        "inputs": inputs,
        **plain(told_assessment(policy, assessment, notices)),
    }
