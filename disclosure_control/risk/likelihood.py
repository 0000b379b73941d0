"""Sections of the step ``risk`` that say how likely a record is to be told: intruders, samples, presets, models."""

from __future__ import annotations

import numpy as np

from disclosure_control.reidentification import ReidentificationRisk, risk_profile
from disclosure_control.risk.scene import Scene, Section
from disclosure_control.risk.settings import parameters_by_feature
from disclosure_control.risk_presets import check_safe_harbour_ages, check_safe_harbour_zip_codes, judge_by_preset
from disclosure_control.sampling_weights import RISK_FORMULAS, RecordRisk, household_risk, individual_risk


def reidentification(scene: Scene) -> Section:
    settings, intruders = scene.settings, scene.intruders
    profile = risk_profile(scene.classes, settings.k_at_most, scene.policy, settings.alpha)
    figures = {name: _intruder(risk) for name, risk in intruders.items()} | {
        "expected_reidentifications": profile.expected_reidentifications,
        "global_risk": profile.global_risk,
        "unique_rate": profile.unique_rate,
        "k_at_most_rate": profile.k_at_most_rate,
    }

    def per_record() -> dict[str, np.ndarray]:
        return {f"{name}_risk": intruders[name].of_record for name in ("prosecutor", "journalist")}

    return Section(figures, per_record)


def _intruder(risk: ReidentificationRisk) -> dict:
    return {
        "highest": risk.highest,
        "average": risk.average,
        "lowest": risk.lowest,
        "at_risk_rate": risk.at_risk_rate,
        "threshold": risk.threshold,
    }


def sampling(scene: Scene) -> Section:
    settings = scene.settings
    weights = scene.table[settings.weights]
    found = {
        method: individual_risk(scene.classes, weights, scene.policy, settings.alpha, method)
        for method in RISK_FORMULAS
    }
    figures = {"individual": {method: _of_records(risk) for method, risk in found.items()}}
    columns = {"individual_risk": found["exact"].of_record}
    if settings.household is not None:
        together = household_risk(found["exact"], scene.table[settings.household])
        figures["household"] = _of_records(together)
        columns["household_risk"] = together.of_record
    return Section({"sampling": figures}, lambda: columns)


def _of_records(risk: RecordRisk) -> dict:
    return {
        "evaluated": risk.n_evaluated,
        "expected_reidentifications": risk.expected_reidentifications,
        "global_risk": risk.global_risk,
        "highest": risk.highest,
    }


def population_uniqueness(scene: Scene) -> Section:
    from disclosure_control.population_uniqueness import population_uniques, size_histogram  # with SciPy

    estimates = population_uniques(size_histogram(scene.classes, scene.policy), scene.settings.sampling_fraction)
    figures = {
        name: {
            "estimator": found.estimator,
            "population_uniques": found.n_uniques,
            "rate": found.rate,
            "reason": found.reason,
        }
        for name, found in estimates.items()
    }
    return Section({"population_uniqueness": figures})


def presets(scene: Scene) -> Section:
    knows_population = scene.population_size is not None or scene.settings.sampling_fraction is not None
    risk = scene.intruders["journalist" if knows_population else "prosecutor"]
    verdicts = [judge_by_preset(name, risk) for name in scene.settings.presets]
    figures = {
        verdict.preset.name: {
            "met": verdict.met,
            "measured": verdict.measured,
            "compared_with": verdict.preset.compared_with,
            "intruder": risk.intruder,
            "threshold": verdict.preset.threshold,
            "sentence": verdict.sentence,
            "source": verdict.preset.source,
        }
        for verdict in verdicts
    }
    return Section({"presets": figures})


def safe_harbour(scene: Scene) -> Section:
    given, checks = scene.settings.safe_harbour, {}
    if "ages" in given:
        checks["ages"] = check_safe_harbour_ages(scene.table[given["ages"]], given.get("top_code"))
    if "zip_codes" in given:
        checks["zip_codes"] = check_safe_harbour_zip_codes(scene.table[given["zip_codes"]], given["people_of_area"])
    figures = {
        name: {
            "column": check.column,
            "checked": check.n_checked,
            "breaches": check.n_breaches,
            "by_kind": dict(check.breaches),
            "sentence": check.sentence,
            "source": check.source,
        }
        for name, check in checks.items()
    }
    return Section({"safe_harbour": figures})


def models(scene: Scene) -> Section:
    from disclosure_control.syntactic_models import (  # with SciPy, which few runs need
        CLASS_SIZE_MODELS,
        evaluate_syntactic_models,
    )

    parameters = parameters_by_feature(scene.settings.models)
    results = evaluate_syntactic_models(scene.classes, scene.assessment.counts, scene.policy, parameters=parameters)
    k = scene.assessment.k_anonymity
    models: dict[str, dict] = {"k": {"worst": k.worst, "evaluated": k.n_evaluated, "riskier": "smaller"}}
    for (name, sensitive), result in results.items():
        figures = {
            "worst": _finite(result.worst),
            "evaluated": result.n_evaluated,
            "not_evaluated": result.n_not_evaluated,
            "riskier": result.model.riskier,
            "threshold": result.threshold,
            "risky": result.n_risky,
            "risky_rate": result.risky_rate,
        }
        models.setdefault(name, {})[sensitive] = figures
    size = scene.classes.size[scene.classes.evaluated(scene.policy)]
    for name, model in CLASS_SIZE_MODELS.items():
        if name != "delta_presence":
            worst = float(model.function(size)) if len(size) else None
            models[name] = {"worst": worst, "evaluated": int(size.sum()), "riskier": model.riskier}
    if scene.population_size is not None:
        models["delta_presence"] = _delta_presence(scene)

    def per_record() -> dict[str, np.ndarray]:
        return {f"{name} of {sensitive}": result.per_record() for (name, sensitive), result in results.items()}

    return Section({"models": models}, per_record)


def _delta_presence(scene: Scene) -> dict:
    from disclosure_control.syntactic_measures import delta_presence

    evaluated = scene.classes.evaluated(scene.policy)
    presence = delta_presence(scene.classes.size[evaluated], scene.population_size[evaluated])
    # Whoever is of the population and in no class of the pilot is known not to be in the data.
    smallest = float(presence.min(initial=1.0)) if scene.population_is_covered else 0.0
    return {
        "worst": float(presence.max(initial=0.0)),
        "delta_min": smallest,
        "delta_max": float(presence.max(initial=0.0)),
        "evaluated": int(scene.classes.size[evaluated].sum()),
        "riskier": "larger",
    }


def _finite(worst: float | None) -> float | str | None:
    return worst if worst is None or np.isfinite(worst) else "infinite"
