"""Sections of the step ``risk`` that say how likely a record is to be told: intruders, samples, presets, models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from disclosure_control.basics.columns import parse_numbers
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.measures.reidentification import ReidentificationRisk
from disclosure_control.measures.risk_presets import (
    check_safe_harbour_ages,
    check_safe_harbour_zip_codes,
    judge_by_preset,
)
from disclosure_control.measures.sampling_weights import RISK_FORMULAS, RecordRisk, household_risk, individual_risk
from disclosure_control.steps.risk.scene import Scene, Section
from disclosure_control.steps.risk.settings import parameters_by_feature

if TYPE_CHECKING:
    from disclosure_control.measures.syntactic_models import SyntacticResult


def reidentification(scene: Scene) -> Section:
    intruders, profile = scene.intruders, scene.profile
    figures = {name: _intruder(risk) for name, risk in intruders.items()} | {
        "expected_reidentifications": profile.expected_reidentifications,
        "global_risk": profile.global_risk,
        "unique_rate": profile.unique_rate,
        "k_at_most_rate": profile.k_at_most_rate,
    }

    if scene.population is not None:
        figures["population"] = _population(scene)

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


def _population(scene: Scene) -> dict:
    population, evaluated = scene.population, scene.classes.evaluated(scene.policy)
    short = evaluated & (population.size < scene.classes.size)
    return {
        "file": population.file,
        "people": population.n_people,
        "in_a_class_of_the_pilot": population.n_in_classes,
        "counted_as_in_the_pilot": int(scene.classes.size[short].sum()),
        "notes": list(population.notes),
    }


def sampling(scene: Scene) -> Section:
    settings = scene.settings
    weights = scene.table[settings.weights]
    found = {
        method: individual_risk(scene.classes, weights, scene.policy, settings.alpha, method)
        for method in RISK_FORMULAS
    }
    below_one = int((parse_numbers(weights) < 1).sum())
    figures: dict = {"weights_below_one": below_one}
    figures["individual"] = {method: _of_records(risk) for method, risk in found.items()}
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
    from disclosure_control.measures.population_uniqueness import population_uniques, size_histogram  # with SciPy

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
    knows_population = scene.population is not None or scene.settings.sampling_fraction is not None
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
            "texts": check.n_texts,
            "breaches": check.n_breaches,
            "by_kind": dict(check.breaches),
            "sentence": check.sentence,
            "source": check.source,
        }
        for name, check in checks.items()
    }
    return Section({"safe_harbour": figures})


def models(scene: Scene) -> Section:
    from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
    from disclosure_control.measures.syntactic_models import (
        evaluate_syntactic_models,  # with SciPy, which few runs need
    )

    parameters, counts = parameters_by_feature(scene.settings.models), scene.assessment.counts
    try:
        results = evaluate_syntactic_models(scene.classes, counts, scene.policy, parameters=parameters)
    except FaultyInputError as error:
        raise FaultyInputError([f"risk['models']: {fault}" for fault in error.faults]) from None
    figures: dict[str, dict] = _models_of_class_sizes(scene)
    for name, model in SYNTACTIC_MODELS.items():
        for sensitive in counts:
            result = results.get((name, sensitive))
            lacking = {"not_computed": f"{sensitive} lacks {LACKING[model.needs]}"} if result is None else None
            figures.setdefault(name, {})[sensitive] = lacking or _model(result)
    _check_that_all_wanted_ran(parameters, figures)

    def per_record() -> dict[str, np.ndarray]:
        return {f"{name} of {sensitive}": result.per_record() for (name, sensitive), result in results.items()}

    return Section({"models": figures}, per_record)


# What an attribute lacks that a model did not run on, by what the model needs.
LACKING = {
    "numbers": "numbers",
    "order": "an order: set order to its values from low to high",
    "hierarchy": "a hierarchy: set hierarchy to its file",
}


def _model(result: SyntacticResult) -> dict:
    hierarchy = result.parameters.get("hierarchy")
    named = {"hierarchy": hierarchy.name} if hierarchy is not None else {}
    return {
        "worst": _finite(result.worst),
        "evaluated": result.n_evaluated,
        "not_evaluated": result.n_not_evaluated,
        "riskier": result.model.riskier,
        "parameters": {**result.parameters, **named},
        "threshold": result.threshold,
        "risky": result.n_risky,
        "risky_rate": result.risky_rate,
    }


def _check_that_all_wanted_ran(parameters: Mapping, figures: Mapping[str, Mapping]) -> None:
    """A parameter for a model that could not run is a fault: whoever set it thinks that it was looked at."""
    faults = []
    for key in parameters:
        name, sensitive = key if isinstance(key, tuple) else (key, None)
        entries = figures[name] if sensitive is None else {sensitive: figures[name][sensitive]}
        if entries and all("not_computed" in entry for entry in entries.values()):
            faults += [f"risk['models'][{name!r}]: {entry['not_computed']}" for entry in entries.values()]
    if faults:
        raise FaultyInputError(list(dict.fromkeys(faults)))


def _models_of_class_sizes(scene: Scene) -> dict[str, dict]:
    from disclosure_control.measures.class_sizes import CLASS_SIZE_MODELS

    evaluated, k = scene.classes.evaluated(scene.policy), scene.assessment.k_anonymity
    size = scene.classes.size[evaluated]
    common = {"evaluated": k.n_evaluated, "not_evaluated": k.n_total - k.n_evaluated}
    figures = {"k": {"worst": k.worst, **common, "riskier": "smaller"}}
    for name in ("average_class_size", "discernibility"):
        model = CLASS_SIZE_MODELS[name]
        figures[name] = {"worst": float(model.function(size)) if len(size) else None, **common}
        figures[name]["riskier"] = model.riskier
    if scene.population is None:
        return {**figures, "delta_presence": {"not_computed": "there is no population: set population"}}
    # Missing values are values of their own here: shares of people who might be others would not be shares.
    presence = CLASS_SIZE_MODELS["delta_presence"].function(
        size, np.maximum(scene.population.exact_size[evaluated], size)
    )
    # Whoever is of the population and in no class of the pilot is known not to be in the data.
    everybody_is_like_the_pilot = scene.population.n_in_classes == scene.population.n_people
    highest = float(presence.max(initial=0.0))
    bounds = {
        "delta_min": float(presence.min(initial=1.0)) if everybody_is_like_the_pilot else 0.0,
        "delta_max": highest,
    }
    return {**figures, "delta_presence": {"worst": highest, **bounds, **common, "riskier": "larger"}}


def _finite(worst: float | None) -> float | str | None:
    return worst if worst is None or np.isfinite(worst) else "infinite"
