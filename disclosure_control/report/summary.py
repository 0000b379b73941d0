"""The JSON summary of a run: plain numbers and names, no record and no subject."""

from __future__ import annotations

from collections.abc import Sequence

from Anonymization_Models import ModelResult
from disclosure_control import __version__
from disclosure_control.assess.assessment import Assessment


def privacy_summary(pilot: str, assessment: Assessment, inputs: dict[str, dict], notices: Sequence[str] = ()) -> dict:
    """The assessment as plain numbers for ``{PILOT}_privacy_summary.json``; no record and no subject in it.

    ``notices`` are sentences about the inputs, beside those of the assessment.
    """
    config = assessment.config
    return {
        "schema": 1,
        "version": __version__,
        "pilot": pilot,
        "config": config.literal,
        "inputs": inputs,
        "k_anonymity": _figures(assessment.k_anonymity),
        "l_diversity": {name: _figures(result) for name, result in assessment.l_diversity.items()},
        "t_closeness": {
            name: {**_figures(result), "not_assessable": assessment.k_anonymity.n_evaluated - result.n_evaluated}
            for name, result in assessment.t_closeness.items()
        },
        "missing_qis": config.missing_qis,
        "missing_policies": assessment.missing_policies,
        "out_of_range": {
            name: {"below": binning.n_below, "above": binning.n_above, "policy": binning.policy}
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
    if result.model != "t_closeness":
        return {**figures, "minimum": result.worst}
    return {
        **figures,
        "maximum": result.worst,
        "distance": result.distance,
        "value_range": result.value_range,
        "threshold_share_of_range": result.share_of_range(result.threshold),
        "maximum_share_of_range": result.share_of_range(result.worst),
    }
