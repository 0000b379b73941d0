"""Every point of a grid tried on the original: its risk, its utility, and its rank among all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from config.model_settings import PilotConfig
from disclosure_control.analyses.sweep.grid import SweepPoint
from disclosure_control.analyses.sweep.utility import Comparison, OriginalPilot, measure_utility
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.kinds import are_names
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.plain import INLINE
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.measures.reidentification import risk_profile
from disclosure_control.remedy.treatments.evaluation import evaluate_treated
from disclosure_control.remedy.treatments.registry import TreatmentStep
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED
from disclosure_control.remedy.treatments.treat import treat

BASELINE = "baseline"


@dataclass(frozen=True)
class SweepRow:
    """One point with its figures; its fields are the columns of the summary, in their order, percents of the people.

    ``n_keys_evaluated``: the records whose quasi-identifiers were evaluated. ``n_records_touched``: those that
    were removed, or lost the value of a quasi-identifier; each record is a person. ``by_model`` and ``utility`` have
    columns of their own. The last three fields compare the row with all others: on the Pareto front is a row that no
    other one beats in both ``avg_linkage_risk_percent`` and ``IL1_mean``; mildest is the smallest IL1_mean of those
    where no evaluated record is below K, or where k, l and t hold.
    """

    method: str
    param_name: str
    param_value: object
    percent_unique: float | None
    percent_k_le_5: float | None
    avg_linkage_risk_percent: float | None
    expected_reids: float | None
    n_keys_evaluated: int
    n_not_evaluated: int
    n_records_compared: int
    n_records_removed: int
    percent_records_removed: float
    n_records_touched: int | None
    percent_records_touched: float | None
    n_values_lost: int | None
    n_values_unread: int | None
    smallest_k: float | None
    by_model: Mapping[str, float | None] = field(metadata=INLINE)
    percent_k_risky_in_the_bins_of_the_config: float | None
    meets_k: bool
    meets_all: bool
    utility: Mapping[str, float | None] = field(metadata=INLINE)
    used_chance: bool
    pareto_front: bool = False
    mildest_that_meets_k: bool = False
    mildest_that_meets_all: bool = False

    @property
    def is_baseline(self) -> bool:
        return self.method == BASELINE

    @property
    def stands_out(self) -> bool:
        """Whether it is on the front, or the mildest that meets k or all models."""
        return self.pareto_front or self.mildest_that_meets_k or self.mildest_that_meets_all

    @property
    def loss(self) -> float:
        """The mean loss of the columns."""
        return self.utility["IL1_mean"] or 0.0

    def told(self, policy: Policy) -> SweepRow:
        """The row as a reader may see it: to others small counts are None, and figures on values have five digits.

        From all digits one could calculate the value of a person whose record was removed.
        """
        if policy.is_exact:
            return self
        lost, unread = (None if n is None else policy.told(n) for n in (self.n_values_lost, self.n_values_unread))
        n_all = self.n_records_compared + self.n_records_removed
        touched = policy.told(self.n_records_touched or 0, n_all, self.n_records_removed)
        return replace(
            self,
            utility={name: _five_digits(value) for name, value in self.utility.items()},
            n_values_lost=lost,
            n_values_unread=unread,
            n_records_touched=touched,
            percent_records_touched=None if touched is None else self.percent_records_touched,
        )


def _five_digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


@dataclass(frozen=True)
class Sweep:
    """``rows`` are those of the summary, that of the untreated pilot first; ``inputs`` the files that treatments read,
    with their SHA-256.
    """

    rows: list[SweepRow]
    inputs: Mapping[str, dict[str, object]] = field(default_factory=dict)


# ---------------------------------------------------------------- the sweep


def sweep(
    frame: pd.DataFrame,
    config: PilotConfig,
    points: Sequence[SweepPoint],
    seed: int = DEFAULT_SEED,
    eigenvalue_columns: Sequence[str] | None = None,
    folder: Path | None = None,
    recommended: Sequence[TreatmentStep] | None = None,
) -> Sweep:
    """Try every one of the ``points`` on ``frame`` (n_records, one row per person) and measure risk and utility.

    Each point treats the original; one random generator, seeded once, serves all of them in turn.
    ``eigenvalue_columns`` are as under the key, ``folder`` and ``recommended`` as for ``treat``. Raises
    ``FaultyInputError`` with the faults of all points.
    """
    original = OriginalPilot(frame, config, eigenvalue_columns)
    untouched = frame.reset_index(drop=True)
    as_released = evaluate_treated(untouched, config, as_released=True)
    compared = original.compare(untouched)
    baseline = SweepPoint(BASELINE, "", None, ())
    seen = evaluate_treated(untouched, config)
    rows = [_row(baseline, as_released, seen, compared, False)]
    generator = np.random.default_rng(seed)
    faults: list[str] = []
    inputs: dict[str, dict[str, object]] = {}
    with progress("Trying treatments", len(points)) as advance:
        for point in points:
            try:
                treated = treat(frame, config, point.steps, generator, folder, recommended)
            except FaultyInputError as error:
                name = f"{point.method}, {point.param_name}" if point.param_name else point.method
                faults += [f"sweep, {name}: {fault}" for fault in error.faults]
                continue
            inputs |= treated.inputs
            compared = original.compare(treated.frame, treated.kept)
            used_chance = any(step.used_chance for step in treated.steps)
            rows.append(_row(point, treated.as_released, treated.assessment, compared, used_chance))
            advance(1)
    stop_at(faults)
    return Sweep(_judged(rows), inputs)


def _row(
    point: SweepPoint, as_released: Assessment, as_configured: Assessment, compared: Comparison, used_chance: bool
) -> SweepRow:
    profile = risk_profile(as_released.classes, (5,), as_released.config.missing_qis)
    k, seen = as_released.k_anonymity, as_configured.k_anonymity
    by_model = {
        f"percent_{result.model[0]}_risky{f': {result.sensitive}' if result.sensitive else ''}": _percent(
            result.n_risky, result.n_evaluated
        )
        for result in as_released.results
    }
    return SweepRow(
        method=point.method,
        param_name=point.param_name,
        param_value=point.param_value,
        percent_unique=_percent(profile.n_unique, profile.n_evaluated),
        percent_k_le_5=_percent(profile.n_k_at_most[5], profile.n_evaluated),
        avg_linkage_risk_percent=_percent(profile.expected_reidentifications, profile.n_evaluated),
        expected_reids=profile.expected_reidentifications,
        n_keys_evaluated=profile.n_evaluated,
        n_not_evaluated=k.n_total - k.n_evaluated,
        n_records_compared=compared.n_compared,
        n_records_removed=compared.n_removed,
        percent_records_removed=_percent(compared.n_removed, compared.n_original) or 0.0,
        n_records_touched=compared.n_touched,
        percent_records_touched=_percent(compared.n_touched, compared.n_original),
        n_values_lost=compared.n_values_lost,
        n_values_unread=compared.n_values_unread,
        smallest_k=k.worst,
        by_model=by_model,
        percent_k_risky_in_the_bins_of_the_config=_percent(seen.n_risky, seen.n_evaluated),
        meets_k=_is_met([k]),
        meets_all=_is_met(as_released.results),
        utility={name: _finite(value) for name, value in measure_utility(compared).items()},
        used_chance=used_chance,
    )


def _is_met(results: Sequence[ModelResult]) -> bool:
    """Whether nobody is flagged and somebody was evaluated: without anybody evaluated nothing is shown."""
    return all(result.n_risky == 0 for result in results) and results[0].n_evaluated > 0


def _percent(part: float, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else value


def _judged(rows: list[SweepRow]) -> list[SweepRow]:
    """The rows with their rank: on the Pareto front, the mildest to meet k, or all models."""
    front = pareto_front([(row.avg_linkage_risk_percent, row.utility["IL1_mean"]) for row in rows])
    meets_k = _mildest(rows, [row.meets_k for row in rows])
    meets_all = _mildest(rows, [row.meets_all for row in rows])
    return [
        replace(row, pareto_front=i in front, mildest_that_meets_k=i == meets_k, mildest_that_meets_all=i == meets_all)
        for i, row in enumerate(rows)
    ]


def pareto_front(figures: Sequence[tuple[float | None, float | None]]) -> list[int]:
    """Positions of the pairs (risk, loss) that no other pair beats: none is as small in both and smaller in one.

    Equal pairs are on the front together or not at all; a pair with None is not. Smaller is better in both.
    """
    known = [(risk, loss, i) for i, (risk, loss) in enumerate(figures) if risk is not None and loss is not None]
    front, least = [], float("inf")  # the smallest risk of those with a smaller loss
    place_of_last: tuple[float, float] | None = None
    for risk, loss, i in sorted(known, key=lambda entry: (entry[1], entry[0], entry[2])):
        if risk < least or (risk, loss) == place_of_last:
            front.append(i)
            least, place_of_last = risk, (risk, loss)
    return sorted(front)


def _mildest(rows: Sequence[SweepRow], meets: Sequence[bool]) -> int | None:
    """The row of least loss among those that meet a model; of equals the one that removed fewer records."""
    fit = [i for i, is_met in enumerate(meets) if is_met]
    return min(fit, key=lambda i: (rows[i].loss, rows[i].n_records_removed, i), default=None)


UNTREATED = "untreated"


def row_name(row: SweepRow) -> str:
    """A row's name in a report: ``band AGE, width 10``."""
    if row.is_baseline:
        return UNTREATED
    if row.param_value is None:
        return row.method
    return f"{row.method}, {row.param_name} {shown_value(row.param_value)}"


def shown_value(value: Any, n_letters: int = 40) -> str:
    """A parameter for a report: numbers short, long lists and dictionaries cut."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    text = ", ".join(value) if are_names(value) else value_text(value)
    return text if len(text) <= n_letters else f"{text[: n_letters - 1]}…"


def value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
