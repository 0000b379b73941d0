"""Syntactic privacy models: what a person's equivalence class discloses about a sensitive attribute.

``SYNTACTIC_MODELS`` has each model with its measure, range, riskier direction, comparison with a threshold and
source, as registered in ``syntactic_measures``; ``evaluate_syntactic_models`` runs all that fit the data on count
tables that exist already:

    results = evaluate_syntactic_models(classes, counts, parameters={"entropy_l": {"threshold": 3}})
    results["entropy_l", "diagnosis"].worst

Models that need no sensitive attribute, functions of the sizes of the classes, are in ``class_sizes``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from Anonymization_Models import CountTable, EquivalenceClasses, SensitiveCounts
from disclosure_control.basics.encoding.columns import LARGEST_NUMBER
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.settings.kinds import POSITIVE, Kind, is_number
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS, SharedCells, SyntacticModel


@dataclass(frozen=True)
class SyntacticResult:
    """What one model finds for one sensitive attribute.

    ``measure`` (n_classes,), NaN if a class is not evaluated or nobody in it has a value. ``people`` (n_classes,)
    counts the people it judges; ``n_not_evaluated`` people are left out, for lack of a quasi-identifier or of a value.
    ``satisfied`` (n_classes,) of bool: which classes meet ``threshold``; without one it is None, as are ``n_risky`` and
    ``risky_rate``. ``judged``: the counts of people who have the value that the model needs; None if all do.
    """

    model: SyntacticModel
    sensitive: str
    parameters: Mapping[str, object]
    threshold: float | None
    measure: np.ndarray
    people: np.ndarray = field(repr=False)
    satisfied: np.ndarray | None = field(repr=False)
    classes: EquivalenceClasses = field(repr=False)
    judged: SensitiveCounts | None = field(repr=False)

    @cached_property
    def n_evaluated(self) -> int:
        return int(self.people.sum())

    @property
    def n_not_evaluated(self) -> int:
        """The number of people whom the model leaves out."""
        return self.classes.n_records - self.n_evaluated

    @cached_property
    def worst(self) -> float | None:
        """The riskiest measure of an evaluated record; None where nobody is evaluated."""
        return self.model.worst_of(self.measure[self.people > 0])

    @cached_property
    def n_risky(self) -> int | None:
        """Evaluated people whose class does not meet the threshold; None without a threshold."""
        return None if self.satisfied is None else int(self.people[~self.satisfied].sum())

    @property
    def risky_rate(self) -> float | None:
        """Risky among evaluated people, in [0, 1]; None without a threshold or where nobody is evaluated."""
        return self.n_risky / self.n_evaluated if self.n_risky is not None and self.n_evaluated else None

    def per_record(self) -> np.ndarray:
        """The measure of each record's class: (n_records,), NaN where the record is not evaluated."""
        of_record = self.measure[self.classes.class_of_record]
        return of_record if self.judged is None else np.where(self.judged.has_value, of_record, np.nan)


def evaluate_syntactic_models(
    classes: EquivalenceClasses,
    counts: Mapping[str, SensitiveCounts],
    missing_qis: str = "category",
    names: Iterable[str] | None = None,
    parameters: Mapping[object, Mapping[str, object]] | None = None,
) -> dict[tuple[str, str], SyntacticResult]:
    """Every model of every sensitive attribute, from the classes and the count tables alone: no record is looked at.

    ``counts``: sensitive attribute -> its count table (binned or not). ``names``: models to run; by default all that
    fit an attribute (those that need numbers, an order or a hierarchy run where there is one). ``parameters``: by
    model name, or by (model name, attribute), which wins: parameters of the measure, and ``threshold``. Under
    "wildcard" a missing quasi-identifier is a value of its own here, as in ``run_l_diversity``.

    Returns (model name, attribute) -> result. Raises ``FaultyInputError`` with all faults: unknown attributes or
    parameters, values of parameters that are not allowed, models that an attribute does not fit.
    """
    chosen = list(SYNTACTIC_MODELS if names is None else dict.fromkeys(names))
    parameters = parameters or {}
    faults = faults_of_parameters(list(counts), parameters)
    stop_at(faults)
    results = {}
    for sensitive, counted in counts.items():
        evaluated = classes.evaluated(missing_qis)
        table = counted.table.within(evaluated)
        cells = SharedCells.of(table, table.people_of_value)
        for name in chosen:
            model = SYNTACTIC_MODELS[name]
            given = _parameters_of(model, sensitive, parameters)
            lacks = _what_is_lacking(model, cells, given)
            if lacks and names is not None:
                faults.append(f"{name}: does not fit {sensitive!r}: {lacks}")
            elif not lacks:
                try:
                    results[name, sensitive] = _evaluate(model, sensitive, cells, given, classes, counted, evaluated)
                except FaultyInputError as error:
                    faults += [f"{sensitive!r}: {fault}" for fault in error.faults]
    stop_at(faults)
    return results


def _evaluate(
    model: SyntacticModel,
    sensitive: str,
    cells: SharedCells,
    given: dict[str, Any],
    classes: EquivalenceClasses,
    counted: SensitiveCounts,
    evaluated: np.ndarray,
) -> SyntacticResult:
    if model.needs == "numbers" and (beyond := np.abs(cells.values) > LARGEST_NUMBER).any():
        n_people = int(cells.people_of_value[beyond].sum())
        raise FaultyInputError(
            f"{people_on_screen(n_people)} values are infinite or beyond {LARGEST_NUMBER:g}; correct them in the source"
        )
    measure = model.function(cells, cells.reference, given)
    people = cells.people_of_class.astype(np.int64) if model.needs_own_value else classes.size
    people = np.where(np.isnan(measure), 0, people)
    threshold, satisfied = given.get("threshold"), None
    if threshold is not None:
        satisfied = model.satisfies(measure, threshold, model.scale(cells))
    judged = counted if model.needs_own_value and counted.n_without_value else None
    return SyntacticResult(model, sensitive, given, threshold, measure, people, satisfied, classes, judged)


def _parameters_of(model: SyntacticModel, sensitive: str, parameters: Mapping) -> dict[str, object]:
    return {**model.defaults, **parameters.get(model.name, {}), **parameters.get((model.name, sensitive), {})}


def _what_is_lacking(model: SyntacticModel, table: CountTable, given: Mapping) -> str:
    """What an attribute lacks for a model, in words; empty where the model fits."""
    if model.needs == "numbers" and not table.is_numeric:
        return "its values are text; allowed: numbers; leave the model out, or correct the source"
    if model.needs == "order" and not table.is_numeric and given["order"] is None:
        return 'its values are text without an order; set parameter "order" to the values from low to high'
    if model.needs == "hierarchy" and given["hierarchy"] is None:
        return 'no hierarchy is given; set parameter "hierarchy" to a ValueHierarchy'
    return ""


# ---------------------------------------------------------------- what may be asked


def _is_list(value: object) -> bool:
    return value is None or (isinstance(value, list | tuple) and len(value) > 0)


PARAMETERS: dict[str, Kind] = {
    "threshold": Kind(lambda value: value is None or (is_number(value) and value >= 0), "a number from 0 up"),
    "c": POSITIVE,
    "values": Kind(_is_list, "a list of values of the sensitive feature"),
    "order": Kind(_is_list, "a list of the values of the sensitive feature from low to high"),
    "hierarchy": Kind(lambda value: value is None or isinstance(value, ValueHierarchy), "a ValueHierarchy"),
}


def faults_of_parameters(features: Sequence[str], parameters: Mapping[object, Mapping[str, object]]) -> list[str]:
    """Faults of the ``parameters`` of ``evaluate_syntactic_models``, for sensitive ``features`` of these names."""
    faults = []
    for key, given in parameters.items():
        name, sensitive = key if isinstance(key, tuple) else (key, None)
        if name not in SYNTACTIC_MODELS:
            faults.append(_unknown("model in parameters", name, SYNTACTIC_MODELS))
            continue
        if sensitive is not None and sensitive not in features:
            faults.append(_unknown(f"sensitive feature in parameters of {name}", sensitive, features))
        known = [*SYNTACTIC_MODELS[name].defaults, "threshold"]
        for parameter, value in given.items():
            if parameter not in known:
                faults.append(_unknown(f"parameter of {name}", parameter, known))
            elif not PARAMETERS[parameter].is_valid(value):
                allowed = PARAMETERS[parameter].allowed
                faults.append(f"{name}: {parameter} is a {type(value).__name__}; allowed: {allowed}")
    return faults


def _unknown(what: str, name: object, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"allowed: {', '.join(known)}"
    return f"{what} {name!r} is unknown; {hint}"
