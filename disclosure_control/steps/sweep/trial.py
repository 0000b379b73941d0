"""Every point of a grid tried on the original: its risk, its utility, and what it is among all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.measures.reidentification import risk_profile
from disclosure_control.steps.sweep.grid import SweepPoint, faults_of_grid, points_of
from disclosure_control.treatments.evaluation import evaluate_treated
from disclosure_control.treatments.registry import TreatmentStep
from disclosure_control.treatments.seeds import DEFAULT_SEED
from disclosure_control.treatments.treat import treat
from disclosure_control.utility import Comparison, OriginalPilot, Utility, flat_figures, measure_utility
from disclosure_control.utility.analyses import fit_regression
from disclosure_control.utility.comparison import NO_ANALYSES, Analyses

BASELINE = "baseline"


@dataclass(frozen=True)
class Sweep:
    """Every point with its figures: ``rows`` are those of the summary, that of the untreated pilot first.

    ``pareto_front`` are the rows that no other row beats in both ``avg_linkage_risk_percent`` and ``IL1_mean``;
    ``mildest_that_meets_k`` is the row with the smallest IL1_mean of those where no evaluated record is below K, None
    where there is none, and ``mildest_that_meets_all`` the same for k, l and t together. ``inputs`` are the files that
    treatments read, with their SHA-256.
    """

    points: tuple[SweepPoint, ...]
    rows: tuple[dict[str, Any], ...]
    pareto_front: tuple[int, ...]
    mildest_that_meets_k: int | None
    mildest_that_meets_all: int | None
    inputs: Mapping[str, dict[str, object]] = field(default_factory=dict)


# ---------------------------------------------------------------- the sweep


def sweep(
    frame: pd.DataFrame,
    config: PilotConfig,
    grid: Sequence[SweepPoint | Mapping[str, object]],
    seed: int = DEFAULT_SEED,
    one_generator: bool = True,
    eigenvalue_columns: Sequence[str] | None = None,
    utility: Analyses = NO_ANALYSES,
    folder: Path | None = None,
    recommended: Sequence[TreatmentStep] | None = None,
) -> Sweep:
    """Try every point of ``grid`` on ``frame`` (n_records, one row per person) and measure risk and utility.

    Each point treats the original. ``grid`` holds points that were read, or entries as under the config key ``sweep``,
    which are checked. ``one_generator``: one generator, seeded once, runs on from point to point; else each point
    starts from the seed, and does not hang on those before it. ``eigenvalue_columns`` and ``utility`` are as under the
    key, ``folder`` and ``recommended`` as for ``treat``. Raises ``FaultyInputError`` with the faults of all points.
    """
    points = _checked_points(grid, config, list(frame.columns))
    original = OriginalPilot(frame, config, eigenvalue_columns, utility)
    untouched = frame.reset_index(drop=True)
    as_released = evaluate_treated(untouched, config, as_released=True)
    compared = original.compare(untouched, classes=as_released.classes)
    baseline = SweepPoint(BASELINE, "", None, ())
    rows = [_row(baseline, as_released, evaluate_treated(untouched, config), measure_utility(compared))]
    rows[0] |= _regression_figures(compared, released=False) | {"used_chance": False}
    generator = np.random.default_rng(seed)
    faults: list[str] = []
    inputs: dict[str, dict[str, object]] = {}
    with progress("Trying treatments", len(points)) as advance:
        for point in points:
            chance = generator if one_generator else seed
            try:
                treated = treat(frame, config, point.steps, chance, folder, recommended)
            except FaultyInputError as error:
                faults += [f"sweep, {_name_of(point)}: {fault}" for fault in error.faults]
                continue
            inputs |= treated.inputs
            compared = original.compare(treated.frame, treated.kept, treated.as_released.classes)
            row = _row(point, treated.as_released, treated.assessment, measure_utility(compared))
            used_chance = any(step.used_chance for step in treated.steps)
            rows.append(row | _regression_figures(compared, released=True) | {"used_chance": used_chance})
            advance(1)
    if faults:
        raise FaultyInputError(faults)
    return _judged(points, rows, inputs)


def _checked_points(
    grid: Sequence[SweepPoint | Mapping[str, object]], config: PilotConfig, columns: list[str]
) -> tuple[SweepPoint, ...]:
    read = tuple(point for point in grid if isinstance(point, SweepPoint))
    entries = [entry for entry in grid if not isinstance(entry, SweepPoint)]
    stop_at(faults_of_grid(entries, config, columns))
    return read + points_of(entries)


def _name_of(point: SweepPoint) -> str:
    return f"{point.method}, {point.param_name}" if point.param_name else point.method


def _row(point: SweepPoint, as_released: Assessment, as_configured: Assessment, utility: Utility) -> dict[str, Any]:
    """One row of the summary: the first columns as published, then whatever else is measured."""
    figures = {name: _finite(value) for name, value in flat_figures(utility).items()}
    row = {"method": point.method, "param_name": point.param_name, "param_value": point.param_value}
    row |= _risk_figures(as_released)
    row |= {
        "n_not_evaluated": as_released.k_anonymity.n_total - as_released.k_anonymity.n_evaluated,
        "n_records_compared": utility.n_compared,
        "n_records_removed": utility.n_removed,
        "percent_records_removed": 100 * utility.n_removed / utility.n_original if utility.n_original else 0.0,
        "n_values_lost": utility.n_values_lost,
        "n_values_unread": utility.n_values_unread,
        "smallest_k": as_released.k_anonymity.worst,
    }
    for result in as_released.results:
        feature = f": {result.sensitive}" if result.sensitive else ""
        row[f"percent_{result.model[0]}_risky{feature}"] = _percent(result.n_risky, result.n_evaluated)
    seen = as_configured.k_anonymity
    row["percent_k_risky_in_the_bins_of_the_config"] = _percent(seen.n_risky, seen.n_evaluated)
    row["meets_k"] = _is_met([as_released.k_anonymity])
    row["meets_all"] = _is_met(as_released.results)
    return row | figures


def _risk_figures(assessment: Assessment) -> dict[str, Any]:
    """The published risk columns. ``n_keys_evaluated``: the records whose quasi-identifiers were evaluated."""
    profile = risk_profile(assessment.classes, (5,), assessment.config.missing_qis)
    return {
        "percent_unique": _percent(profile.n_unique, profile.n_evaluated),
        "percent_k_le_5": _percent(profile.n_k_at_most[5], profile.n_evaluated),
        "avg_linkage_risk_percent": _percent(profile.expected_reidentifications, profile.n_evaluated),
        "expected_reids": profile.expected_reidentifications,
        "n_keys_evaluated": profile.n_evaluated,
    }


def _is_met(results: Sequence[ModelResult]) -> bool:
    """Nobody flagged, and somebody evaluated: where nobody could be looked at, nothing is shown."""
    return all(result.n_risky == 0 for result in results) and results[0].n_evaluated > 0


def _percent(part: float, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else value


def _regression_figures(comparison: Comparison, released: bool) -> dict[str, Any]:
    asked = comparison.analyses.regression
    if asked is None:
        return {}
    fit = fit_regression(comparison, asked, released)
    coefficients = {f"regression coefficient: {name}": value for name, value in fit.coefficients.items()}
    return {"regression_n_used": fit.n_used, "regression_r_squared": fit.r_squared, **coefficients}


def _judged(points: Sequence[SweepPoint], rows: list[dict[str, Any]], inputs: Mapping[str, dict[str, object]]) -> Sweep:
    """The rows with what they are among all: on the Pareto front, the mildest to meet k, or all models."""
    front = pareto_front([(row["avg_linkage_risk_percent"], row["IL1_mean"]) for row in rows])
    mildest = {key: _mildest(rows, key) for key in ("meets_k", "meets_all")}
    for i, row in enumerate(rows):
        row["pareto_front"] = i in front
        row["mildest_that_meets_k"] = i == mildest["meets_k"]
        row["mildest_that_meets_all"] = i == mildest["meets_all"]
    return Sweep(tuple(points), tuple(rows), tuple(front), mildest["meets_k"], mildest["meets_all"], inputs)


def pareto_front(figures: Sequence[tuple[float | None, float | None]]) -> list[int]:
    """Positions of the pairs (risk, loss) that no other pair beats: none is as small in both and smaller in one.

    Equal pairs stand or fall together; a pair with None is not on the front. Smaller is better in both.
    """
    known = [(risk, loss, i) for i, (risk, loss) in enumerate(figures) if risk is not None and loss is not None]
    front, least = [], float("inf")  # the smallest risk of those with a smaller loss
    place_of_last: tuple[float, float] | None = None
    for risk, loss, i in sorted(known, key=lambda entry: (entry[1], entry[0], entry[2])):
        if risk < least or (risk, loss) == place_of_last:
            front.append(i)
            least, place_of_last = risk, (risk, loss)
    return sorted(front)


def _mildest(rows: Sequence[dict[str, Any]], key: str) -> int | None:
    """The row that changed least of those that meet a model; of equals the one that removed fewer records."""
    fit = [i for i, row in enumerate(rows) if row[key]]
    return min(fit, key=lambda i: (rows[i]["IL1_mean"], rows[i]["n_records_removed"], i), default=None)
