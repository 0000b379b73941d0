"""Syntactic privacy models: what a person's equivalence class gives away about a sensitive attribute.

``SYNTACTIC_MODELS`` names each model with its measure, range, riskier direction, comparison with a threshold and
source; ``evaluate_syntactic_models`` runs all that fit the data on count tables that exist already:

    results = evaluate_syntactic_models(classes, counts, parameters={"entropy_l": {"threshold": 3}})
    results["entropy_l", "diagnosis"].worst

``CLASS_SIZE_MODELS`` need no sensitive attribute: they are functions of the sizes of the classes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from Anonymization_Models import MISSING_POLICIES, CountTable, EquivalenceClasses, SensitiveCounts
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.hierarchies import ValueHierarchy
from disclosure_control.measures import syntactic_measures as measures
from disclosure_control.measures.syntactic_measures import (
    TOLERANCE,
    SharedCells,
    average_class_size,
    delta_presence,
    discernibility,
)

COMPARISONS = {
    "at_least": (lambda measure, threshold, slack: measure >= threshold - slack, "at least the threshold"),
    "at_most": (lambda measure, threshold, slack: measure <= threshold + slack, "at most the threshold"),
    "below": (lambda measure, threshold, slack: measure < threshold - slack, "below the threshold"),
}

MACHANAVAJJHALA = "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007, doi:10.1145/1217299.1217302"
STAMMLER = "Stammler, Katzenbeisser and Hamacher 2016, doi:10.1007/978-3-319-45381-1_11"
GRASSBERGER = "Grassberger 2003, doi:10.48550/arXiv.physics/0307138"
WONG = "Wong, Li, Fu and Wang 2006, doi:10.1145/1150402.1150499"
LI = "Li, Li and Venkatasubramanian 2007, doi:10.1109/ICDE.2007.367856"
RUBNER = "Rubner, Tomasi and Guibas 2000, doi:10.1023/A:1026543900054"
CAO = "Cao and Karras 2012, doi:10.48550/arXiv.1208.0220"
BRICKELL = "Brickell and Shmatikov 2008, doi:10.1145/1401890.1401904"
NERGIZ = "Nergiz, Atzori and Clifton 2007, doi:10.1145/1247480.1247554"
LEFEVRE = "LeFevre, DeWitt and Ramakrishnan 2006, doi:10.1109/ICDE.2006.101"
BAYARDO = "Bayardo and Agrawal 2005, doi:10.1109/ICDE.2005.42"


@dataclass(frozen=True)
class SyntacticModel:
    """One model: its measure and how to read it.

    ``riskier`` is "smaller" or "larger"; ``value_range`` the range in words; ``comparison`` a name of ``COMPARISONS``:
    a class satisfies the model where its measure is so, ties within rounding being equal. ``defaults`` are all
    parameters that the measure knows. ``needs`` is "" (any values), "order", "numbers" or "hierarchy".
    ``needs_own_value``: whether a record without a sensitive value is left out, as t-closeness does, because the
    model compares people with a value; the l models judge every member by the class. ``in_units``: the measure is in
    the unit of the value.
    """

    name: str
    function: Callable[[CountTable, np.ndarray, Mapping], np.ndarray]
    value_range: str
    source: str
    riskier: str
    comparison: str
    needs: str = ""
    needs_own_value: bool = True
    in_units: bool = False
    defaults: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def satisfies(self, measure: np.ndarray, threshold: float, scale: float = 1.0) -> np.ndarray:
        """Whether measures meet a threshold, False where NaN; ``scale``: the size of figures that were summed."""
        with np.errstate(invalid="ignore"):
            return COMPARISONS[self.comparison][0](measure, threshold, TOLERANCE * max(scale, abs(threshold)))

    def worst_of(self, measure: np.ndarray) -> float | None:
        """The riskiest of some measures, None where there is none."""
        if not len(measure):
            return None
        return float(measure.min() if self.riskier == "smaller" else measure.max())


def _registry(*models) -> dict:
    return {model.name: model for model in models}


def _l_model(name: str, value_range: str, source: str, **defaults) -> SyntacticModel:
    function = getattr(measures, name)
    return SyntacticModel(
        name, function, value_range, source, "smaller", "at_least", needs_own_value=False, defaults=_fixed(defaults)
    )


def _distance_model(
    name: str, value_range: str, source: str, comparison: str = "at_most", needs: str = "", **more
) -> SyntacticModel:
    defaults = {needs: None} if needs in ("order", "hierarchy") else {}
    function = getattr(measures, name)
    return SyntacticModel(
        name, function, value_range, source, "larger", comparison, needs, defaults=_fixed(defaults), **more
    )


def _fixed(defaults: dict) -> Mapping[str, object]:
    return MappingProxyType(defaults)


_OF_CLASS = "1 to the number of distinct values of the class"
_GAIN = "from 0 up to 1 / the share of the rarest value - 1"

SYNTACTIC_MODELS: dict[str, SyntacticModel] = _registry(
    _l_model("distinct_l", "a count from 1 to the number of values", MACHANAVAJJHALA),
    _l_model("entropy_l", f"from {_OF_CLASS}", f"{MACHANAVAJJHALA}, entropy l-diversity"),
    _l_model("grassberger_l", f"from {_OF_CLASS}", f"{STAMMLER}; {GRASSBERGER}"),
    _l_model("recursive_l", f"a count from {_OF_CLASS}", f"{MACHANAVAJJHALA}, recursive (c, l)-diversity", c=2.0),
    SyntacticModel(
        "alpha_k",
        measures.alpha_k,
        "a share from 1 / the number of values to 1, or from 0 where values are listed",
        WONG,
        "larger",
        "at_most",
        needs_own_value=False,
        defaults=_fixed({"values": None}),
    ),
    _distance_model("total_variation_t", "a share from 0 to 1", f"{LI}, section 5.2"),
    _distance_model("ordered_t", "from 0 to 1", f"{LI}, section 5.1", needs="order"),
    _distance_model(
        "wasserstein_t",
        "from 0 to the range of the values, in their unit",
        f"{LI}; {RUBNER}",
        needs="numbers",
        in_units=True,
    ),
    _distance_model("hierarchical_t", "from 0 to 1", f"{LI}, section 5.2", needs="hierarchy"),
    _distance_model("basic_beta", _GAIN, f"{CAO}, basic beta-likeness"),
    _distance_model("enhanced_beta", f"{_GAIN}; infinite where no beta will do", f"{CAO}, enhanced beta-likeness"),
    _distance_model("delta_disclosure", "from 0 up, in bits", BRICKELL, comparison="below"),
)


# ---------------------------------------------------------------- models of class sizes


@dataclass(frozen=True)
class ClassSizeModel:
    """A model of the sizes of the classes: ``function(size, ...)``, per class or one figure for all of them."""

    name: str
    function: Callable
    riskier: str
    value_range: str
    source: str


CLASS_SIZE_MODELS: dict[str, ClassSizeModel] = _registry(
    ClassSizeModel("delta_presence", delta_presence, "larger", "per class, a share from 0 to 1", NERGIZ),
    ClassSizeModel("average_class_size", average_class_size, "smaller", "from 1 to the number of records", LEFEVRE),
    ClassSizeModel("discernibility", discernibility, "smaller", "from n, the number of records, to n^2", BAYARDO),
)


# ---------------------------------------------------------------- evaluation


@dataclass(frozen=True)
class SyntacticResult:
    """What one model says of one sensitive attribute.

    ``measure`` (n_classes,), NaN where a class is not evaluated or nobody in it has a value. ``people`` (n_classes,)
    counts who is judged by it; ``n_not_evaluated`` people are left out, for lack of a quasi-identifier or of a value.
    ``satisfied`` (n_classes,) of bool tells which classes meet ``threshold``; without one it is None, as are
    ``n_risky`` and ``risky_rate``. ``judged`` (n_records,) of bool: who has the value that the model asks for; None
    where all do.
    """

    model: SyntacticModel
    sensitive: str
    parameters: Mapping[str, object]
    threshold: float | None
    measure: np.ndarray
    people: np.ndarray = field(repr=False)
    satisfied: np.ndarray | None = field(repr=False)
    classes: EquivalenceClasses = field(repr=False)
    judged: np.ndarray | None = field(repr=False)

    @cached_property
    def n_evaluated(self) -> int:
        return int(self.people.sum())

    @property
    def n_not_evaluated(self) -> int:
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
        return self.n_risky / self.n_evaluated if self.satisfied is not None and self.n_evaluated else None

    def per_record(self) -> np.ndarray:
        """The measure of each record's class: (n_records,), NaN where the record is not evaluated."""
        of_record = self.measure[self.classes.class_of_record]
        return of_record if self.judged is None else np.where(self.judged, of_record, np.nan)

    def risky_per_record(self) -> np.ndarray:
        """Which records are evaluated and do not meet the threshold: (n_records,) of bool.

        Raises ``FaultyInputError`` without a threshold.
        """
        if self.satisfied is None:
            raise FaultyInputError(f"{self.model.name} of {self.sensitive!r}: no threshold; set one in its parameters")
        evaluated = ~np.isnan(self.per_record())
        return evaluated & ~self.satisfied[self.classes.class_of_record]


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

    Returns (model name, attribute) -> result. Raises ``FaultyInputError`` with all faults: unknown models, attributes,
    parameters or policy, values of parameters that are not allowed, models that an attribute does not fit.
    """
    chosen = list(SYNTACTIC_MODELS if names is None else dict.fromkeys(names))
    parameters = parameters or {}
    faults = _faults_of_request(counts, missing_qis, chosen, parameters)
    if faults:
        raise FaultyInputError(faults)
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
    if faults:
        raise FaultyInputError(faults)
    return results


def _evaluate(
    model: SyntacticModel,
    sensitive: str,
    cells: SharedCells,
    given: dict[str, object],
    classes: EquivalenceClasses,
    counted: SensitiveCounts,
    evaluated: np.ndarray,
) -> SyntacticResult:
    measure = model.function(cells, cells.reference, given)
    people = cells.people_of_class.astype(np.int64) if model.needs_own_value else classes.size
    people = np.where(np.isnan(measure), 0, people)
    threshold, satisfied = given.get("threshold"), None
    if threshold is not None:
        satisfied = model.satisfies(measure, threshold, _scale(model, cells))
    judged = counted.has_value if model.needs_own_value and not counted.has_value.all() else None
    return SyntacticResult(model, sensitive, given, threshold, measure, people, satisfied, classes, judged)


def _scale(model: SyntacticModel, cells: SharedCells) -> float:
    """The range of the values for a measure in their unit, else 1: what rounding errors are relative to."""
    present = cells.values[cells.reference > 0] if model.in_units else np.empty(0)
    return float(np.ptp(present) or 1.0) if len(present) else 1.0


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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def _is_list(value: object) -> bool:
    return value is None or (isinstance(value, list | tuple) and len(value) > 0)


PARAMETERS = {
    "threshold": (lambda value: value is None or (_is_number(value) and value >= 0), "a number from 0 up"),
    "c": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    "values": (_is_list, "a list of values of the sensitive feature"),
    "order": (_is_list, "a list of the values of the sensitive feature from low to high"),
    "hierarchy": (lambda value: value is None or isinstance(value, ValueHierarchy), "a ValueHierarchy"),
}


def _faults_of_request(counts: Mapping, missing_qis: str, chosen: list[str], parameters: Mapping) -> list[str]:
    faults = []
    if missing_qis not in MISSING_POLICIES:
        faults.append(f"missing_qis is {missing_qis!r}; allowed: {', '.join(MISSING_POLICIES)}")
    faults += [_unknown("model", name, SYNTACTIC_MODELS) for name in chosen if name not in SYNTACTIC_MODELS]
    return faults + faults_of_parameters(list(counts), parameters)


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
            elif not PARAMETERS[parameter][0](value):
                faults.append(f"{name}: {parameter} is a {type(value).__name__}; allowed: {PARAMETERS[parameter][1]}")
    return faults


def _unknown(what: str, name: object, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"allowed: {', '.join(known)}"
    return f"{what} {name!r} is unknown; {hint}"
