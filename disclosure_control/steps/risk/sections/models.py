"""Section ``models``: the syntactic models on every sensitive feature, and those of class sizes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from disclosure_control.basics.encoding.hierarchies import ValueHierarchy, read_hierarchy
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import DICTIONARY, Place, is_name
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.sections import Part, Sentence, Table
from disclosure_control.basics.telling.small_counts import EXACT, Policy
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.class_sizes import average_class_size, delta_presence, discernibility
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Borne, Finding, RiskSection
from disclosure_control.steps.risk.words import figure_text

if TYPE_CHECKING:
    from disclosure_control.measures.syntactic_models import SyntacticResult

# What an attribute lacks that a model did not run on, by what the model needs.
LACKING = {
    "numbers": "numbers",
    "order": "an order: set order to its values from low to high",
    "hierarchy": "a hierarchy: set hierarchy to its file",
}


@dataclass(frozen=True)
class ModelsSettings(SettingsGroup):
    """By model its parameters, each one value or {sensitive feature: value}; a hierarchy is a file until it is read."""

    models: Mapping[str, Mapping[str, Any]] = setting(
        DICTIONARY.but("a dictionary of models, each with a dictionary of its parameters").read_as(dict),
        "parameters by model, see below",
        {},
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterable[str]:
        """Models and parameters that there are not, and values that are none of theirs."""
        if not self.models:
            return []
        from disclosure_control.measures.syntactic_models import faults_of_parameters  # with SciPy, which few runs need

        faulty = _faults_of_form(self.models)
        if faulty:
            return faulty
        # The hierarchies are files that nobody has opened yet.
        by_feature = {
            key: {name: one for name, one in parameters.items() if not (name == "hierarchy" and is_name(one))}
            for key, parameters in parameters_by_feature(self.models).items()
        }
        faulty = faults_of_parameters(place.pilot.sensitive_features, by_feature)
        return [f"{place['models']}: {fault}" for fault in faulty]


# ---------------------------------------------------------------- settings


def _faults_of_form(models: Mapping[str, Any]) -> list[str]:
    faulty = [
        f"risk['models'][{name!r}]: found {type(parameters).__name__}; allowed: a dictionary of parameters"
        for name, parameters in models.items()
        if not isinstance(parameters, dict)
    ]
    return faulty or [
        f"risk['models'][{name!r}]['hierarchy']: allowed: a dictionary, sensitive feature -> file in the pilot's folder"
        for name, parameters in models.items()
        if "hierarchy" in parameters and not _are_files(parameters["hierarchy"])
    ]


def _are_files(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_name, value.values()))


def parameters_by_feature(models: Mapping[str, Mapping]) -> dict[object, dict[str, object]]:
    """``{model: {parameter: value or {feature: value}}}`` as ``evaluate_syntactic_models`` takes it."""
    by_key: dict[object, dict[str, object]] = {}
    for name, given in models.items():
        by_key[name] = {}
        for parameter, value in given.items():
            entries = value.items() if isinstance(value, dict) else [(None, value)]
            for feature, one in entries:
                by_key.setdefault(name if feature is None else (name, feature), {})[parameter] = one
    return by_key


def read_hierarchies(settings: ModelsSettings, folder: Path) -> tuple[ModelsSettings, dict[str, dict]]:
    """The parameters with each hierarchy read from its file, and these files. Raises ``FaultyInputError``."""
    faulty: list[str] = []
    read: dict[str, dict] = {name: dict(given) for name, given in settings.models.items()}
    inputs: dict[str, dict] = {}
    for name, given in settings.models.items():
        for feature, file in dict(given.get("hierarchy") or {}).items():
            key = f"risk['models'][{name!r}]['hierarchy']"
            try:
                source, inputs[file] = file_of_pilot(folder, file, key)
                read[name]["hierarchy"] = {**read[name]["hierarchy"], feature: read_hierarchy(source)}
            except FaultyInputError as error:
                faulty += error.faults
    stop_at(faulty)
    return dataclasses.replace(settings, models=read), inputs


# ---------------------------------------------------------------- figures


@dataclass(frozen=True)
class NotComputed:
    """A model that lacks something."""

    not_computed: str


@dataclass(frozen=True)
class WorstTold:
    """The ``worst`` measure of a model, or what it is between; ``delta_min`` and ``delta_max`` are delta-presence's."""

    worst: float | str | None
    worst_between: Sequence[float] | None = field(default=None, metadata=WHERE_FOUND, kw_only=True)
    delta_min: float | None = field(default=None, metadata=WHERE_FOUND, kw_only=True)
    delta_max: float | None = field(default=None, metadata=WHERE_FOUND, kw_only=True)
    evaluated: int
    not_evaluated: int
    riskier: str

    def cells(self) -> list[object]:
        """Its row of the table, after the model and the sensitive feature."""
        worst = "{:.4g} to {:.4g}".format(*self.worst_between) if self.worst_between else figure_text(self.worst)
        return [worst, self.riskier, *self.judged(), self.evaluated, self.not_evaluated]

    def judged(self) -> list[str]:
        """The threshold, and the share of people beyond it."""
        return ["-", "-"]


@dataclass(frozen=True)
class JudgedTold(WorstTold):
    """The published figures of a model on a sensitive feature, with its parameters and the people it flags."""

    parameters: Mapping[str, Any]
    threshold: float | None
    risky: int | None
    risky_rate: float | None

    def judged(self) -> list[str]:
        """The threshold, and the share of people beyond it."""
        return [figure_text(self.threshold), share_text(self.risky_rate)]


ByModel = Mapping[str, WorstTold | NotComputed | Mapping[str, JudgedTold | NotComputed]]


def evaluate(scene: Scene) -> Finding:
    """The worst class of each model and sensitive feature, or what the feature lacks for it."""
    from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
    from disclosure_control.measures.syntactic_models import (
        evaluate_syntactic_models,  # with SciPy, which few runs need
    )

    parameters, counts = parameters_by_feature(scene.settings.of(ModelsSettings).models), scene.assessment.counts
    try:
        results = evaluate_syntactic_models(scene.classes, counts, scene.policy, parameters=parameters)
    except FaultyInputError as error:
        raise FaultyInputError([f"risk['models']: {fault}" for fault in error.faults]) from None

    def judged(policy: Policy) -> dict[str, dict[str, JudgedTold | NotComputed]]:
        return {
            name: {
                sensitive: _told(
                    policy, results.get((name, sensitive)), f"{sensitive} lacks {LACKING.get(model.needs)}"
                )
                for sensitive in counts
            }
            for name, model in SYNTACTIC_MODELS.items()
            if counts
        }

    of_class_sizes = _models_of_class_sizes(scene)
    _check_that_all_wanted_ran(parameters, judged(EXACT))

    def per_class() -> dict[str, Borne]:
        return {
            f"{name} of {sensitive}": Borne(result.measure, None if result.judged is None else sensitive)
            for (name, sensitive), result in results.items()
        }

    return Finding(lambda policy: {**of_class_sizes, **judged(policy)}, per_class)


def _told(policy: Policy, result: SyntacticResult | None, lacking: str) -> JudgedTold | NotComputed:
    if result is None:
        return NotComputed(lacking)
    hierarchy = result.parameters.get("hierarchy")
    named = {"hierarchy": hierarchy.name} if isinstance(hierarchy, ValueHierarchy) else {}
    worst = _told_worst(policy, result)
    return JudgedTold(
        None if isinstance(worst, tuple) else worst,
        worst_between=list(worst) if isinstance(worst, tuple) else None,
        evaluated=result.n_evaluated,
        not_evaluated=result.n_not_evaluated,
        riskier=result.model.riskier,
        parameters={**result.parameters, **named},
        threshold=result.threshold,
        risky=result.n_risky,
        risky_rate=result.risky_rate,
    )


def _told_worst(policy: Policy, result: SyntacticResult) -> float | str | tuple[float, float] | None:
    """The worst measure, in bounds if it compares few people with all others: the exact figure would disclose their
    values.
    """
    worst = result.worst
    if worst is None or not np.isfinite(worst):
        return worst if worst is None else "infinite"
    if result.model.riskier == "smaller":  # counts of values within a class
        return worst
    n_people = int(result.people[(result.people > 0) & (result.measure == worst)].min())
    return policy.extreme(worst, n_people, result.threshold or 1.0)


def _check_that_all_wanted_ran(
    parameters: Mapping, judged: Mapping[str, Mapping[str, JudgedTold | NotComputed]]
) -> None:
    """Raise a fault for a parameter of a model that could not run, so that nobody assumes that it ran."""
    faulty: list[str] = []
    for key in parameters:
        name, sensitive = key if isinstance(key, tuple) else (key, None)
        entries = [one for feature, one in judged[name].items() if sensitive in (None, feature)]
        lacking = [one.not_computed for one in entries if isinstance(one, NotComputed)]
        if lacking and len(lacking) == len(entries):
            faulty += [f"risk['models'][{name!r}]: {why}" for why in lacking]
    if faulty:
        raise FaultyInputError(list(dict.fromkeys(faulty)))


def _models_of_class_sizes(scene: Scene) -> dict[str, WorstTold | NotComputed]:
    evaluated, k = scene.classes.evaluated(scene.policy), scene.assessment.k_anonymity
    size = scene.classes.size[evaluated]
    people = (k.n_evaluated, k.n_total - k.n_evaluated)
    found: dict[str, WorstTold | NotComputed] = {"k": WorstTold(k.worst, *people, "smaller")}
    for model in (average_class_size, discernibility):
        found[model.__name__] = WorstTold(model(size) if len(size) else None, *people, "smaller")
    return {**found, "delta_presence": _delta_presence(scene, people)}


def _delta_presence(scene: Scene, n_people: tuple[int, int]) -> WorstTold | NotComputed:
    if scene.population is None:
        return NotComputed("there is no population: set population")
    evaluated = scene.classes.evaluated(scene.policy)
    size = scene.classes.size[evaluated]
    # Missing values are values of their own here: shares of people who might be others would not be shares.
    people = np.maximum(scene.population.exact_size[evaluated], size)
    presence = delta_presence(size, people)
    # People of the population whose class is not in the pilot are known not to be in the data.
    everybody_is_like_the_pilot = scene.population.n_in_classes == scene.population.n_people
    lowest = float(presence.min(initial=1.0)) if everybody_is_like_the_pilot else 0.0
    highest = float(presence.max(initial=0.0))
    return WorstTold(highest, *n_people, "larger", delta_min=lowest, delta_max=highest)


# ---------------------------------------------------------------- words


def words(found: ByModel) -> Iterator[Part]:
    """A row for each model and sensitive feature, and then what could not be computed."""
    rows, lacking = [], []
    for name, entry in found.items():
        for sensitive, one in entry.items() if isinstance(entry, Mapping) else [("", entry)]:
            if isinstance(one, NotComputed):
                lacking.append(f"Not computed: {name}, {one.not_computed}.")
                continue
            c = one.parameters.get("c") if isinstance(one, JudgedTold) else None
            rows.append([name if c is None else f"{name} (c={c})", sensitive, *one.cells()])
    yield Table(
        "Models, on sensitive values without bins; people whose class has no value are not evaluated",
        ("Model", "Sensitive feature", "Worst", "Riskier if", "Threshold", "Risky", "Evaluated", "Not evaluated"),
        rows,
        (2, 4, 5, 6, 7),
    )
    for sentence in lacking:
        yield Sentence(sentence)


SECTION = RiskSection(
    place=60,
    answers="k; distinct, entropy and recursive l; (alpha,k); t by total variation, in order, Wasserstein, and by a "
    "hierarchy; basic and enhanced beta-likeness; delta-disclosure; delta-presence (with a population); average "
    "class size; discernibility",
    evaluate=evaluate,
    words=words,
    settings=ModelsSettings,
    wanted_with=("models",),
    read_files=read_hierarchies,
)
