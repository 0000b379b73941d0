"""The JSON summary of a run: plain numbers and names, no record and no subject."""

from __future__ import annotations

from collections.abc import Sequence

from Anonymization_Models import ModelResult
from disclosure_control import __version__
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.told import threshold_share_of_range, told_maximum, told_outside, told_range
from disclosure_control.basics.telling.small_counts import WHAT_MASKED_MEANS


def privacy_summary(pilot: str, assessment: Assessment, inputs: dict[str, dict], notices: Sequence[str] = ()) -> dict:
    """The assessment as plain numbers for ``{PILOT}_privacy_summary.json``; no record and no subject in it.

    It goes from hand to hand: small counts within it are masked, which is None.

    ``notices`` are sentences about the inputs, beside those of the assessment.
    """
    config, outside = assessment.config, told_outside(assessment)
    return {
        "schema": 1,
        "version": __version__,
        "pilot": pilot,
        "masked": WHAT_MASKED_MEANS,
        "config": config.literal,
        "inputs": inputs,
        "k_anonymity": _figures(assessment.k_anonymity),
        "l_diversity": {name: _figures(result) for name, result in assessment.l_diversity.items()},
        "t_closeness": {
            name: {
                **_figures(result),
                **_figures_of_distance(result, assessment),
                "not_assessable": assessment.k_anonymity.n_evaluated - result.n_evaluated,
            }
            for name, result in assessment.t_closeness.items()
        },
        "missing_qis": config.missing_qis,
        "missing_policies": assessment.missing_policies,
        "out_of_range": {
            name: {"below": outside[name]["below"], "above": outside[name]["above"], "policy": binning.policy}
            for name, binning in assessment.binnings.items()
        },
        "notices": [*notices, *assessment.notices],
    }


def _figures(result: ModelResult) -> dict:
    figures = {
        "threshold": result.threshold,
        "total": result.n_total,
        "evaluated": result.n_evaluated,
        "not_evaluated": result.n_total - result.n_evaluated,
        "risky": result.n_risky,
        "risky_rate": result.risky_rate,
    }
    return figures if result.model == "t_closeness" else {**figures, "minimum": result.worst}


def _figures_of_distance(result: ModelResult, assessment: Assessment) -> dict:
    counted = assessment.counts[str(result.sensitive)]
    maximum, value_range = told_maximum(result), told_range(result, counted)
    return {
        "maximum": None if isinstance(maximum, tuple) else maximum,
        "maximum_between": list(maximum) if isinstance(maximum, tuple) else None,
        "distance": result.distance,
        "value_range": value_range,
        "threshold_share_of_range": threshold_share_of_range(result, counted),
    }
