"""The step ``risk``: measures of risk beyond k, l and t, why the risk is there, and who bears it.

Each section is a function of the assessment, which holds the classes and the count tables: nothing is grouped again.
A section is registered by name, and its figures go into the JSON summary under ``risk``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd

from Anonymization_Models import FaultyInputError, faults_of_settings, number_groups
from disclosure_control.assessment import Assessment
from disclosure_control.key_sets import key_sets
from disclosure_control.reidentification import INTRUDERS, ReidentificationRisk, risk_profile
from disclosure_control.special_uniques import special_uniques
from disclosure_control.steps import StepInput, StepResult

SMALLEST_PRINTED_GROUP = 10


@dataclass(frozen=True)
class RiskSettings:
    """The config key ``risk``: which sections, and what they compare with."""

    sections: tuple[str, ...]
    threshold: float = 0.2
    k_at_most: tuple[int, ...] = (1, 2, 3, 5, 10)
    max_key_set: int = 3
    sampling_fraction: float | None = None


# ---------------------------------------------------------------- sections


def _reidentification(assessment: Assessment, settings: RiskSettings) -> dict:
    policy, fraction = assessment.config.missing_qis, settings.sampling_fraction
    intruders = {}
    for name, risk in INTRUDERS.items():
        of_population = {} if name == "prosecutor" else {"sampling_fraction": fraction}
        intruders[name] = _intruder(risk(assessment.classes, settings.threshold, policy, **of_population))
    profile = risk_profile(assessment.classes, settings.k_at_most, policy)
    return {
        **intruders,
        "expected_reidentifications": profile.expected_reidentifications,
        "global_risk": profile.global_risk,
        "unique_rate": profile.unique_rate,
        "k_at_most_rate": profile.k_at_most_rate,
    }


def _intruder(risk: ReidentificationRisk) -> dict:
    return {
        "highest": risk.highest,
        "average": risk.average,
        "lowest": risk.lowest,
        "at_risk_rate": risk.at_risk_rate,
        "threshold": risk.threshold,
    }


def _models(assessment: Assessment, settings: RiskSettings) -> dict:
    from disclosure_control.syntactic_models import evaluate_syntactic_models  # with SciPy, which few runs need

    results = evaluate_syntactic_models(assessment.classes, assessment.counts, assessment.config.missing_qis)
    models: dict[str, dict] = {}
    for (name, sensitive), result in results.items():
        worst = result.worst if result.worst is None or np.isfinite(result.worst) else "infinite"
        figures = {"worst": worst, "evaluated": result.n_evaluated, "riskier": result.model.riskier}
        models.setdefault(name, {})[sensitive] = figures
    return {"models": models}


def _key_sets(assessment: Assessment, settings: RiskSettings) -> dict:
    found = key_sets(assessment.classes, settings.max_key_set, settings.k_at_most, assessment.config.missing_qis)
    return {
        "key_sets": [
            {
                "quasi_identifiers": list(keys.quasi_identifiers),
                "evaluated": keys.n_evaluated,
                "unique_rate": keys.unique_rate,
                "median_k": keys.median_k,
                "k_at_most_rate": keys.k_at_most_rate,
            }
            for keys in found
        ]
    }


def _suda2(assessment: Assessment, settings: RiskSettings) -> dict:
    uniques = special_uniques(assessment.classes, settings.max_key_set)
    return {
        "suda2": {
            "special_uniques": uniques.n_special_uniques,
            "total_score": uniques.total_score,
            "highest_score": float(uniques.score_of_class.max(initial=0.0)),
            "contribution_rates": uniques.contribution_rates,
        }
    }


def _determined_by(assessment: Assessment, settings: RiskSettings) -> dict:
    found = {}
    for sensitive in assessment.config.sensitive_features:
        rates = [determination(assessment, sensitive, i) for i in range(len(assessment.config.quasi_identifiers))]
        found[sensitive] = sorted(rates, key=lambda entry: -entry["predicted_rate"])
    return {"determined_by": found}


def determination(assessment: Assessment, sensitive: str, i: int) -> dict:
    """How well quasi-identifier ``i`` alone tells a sensitive value: share of people guessed right by the commonest.

    ``predicted_rate`` and ``baseline_rate`` (guessing everybody's commonest value) are in [0, 1]; a predicted rate of 1
    means that the attribute determines the sensitive one. Larger is riskier. A missing quasi-identifier is a level.
    Source: Goodman and Kruskal 1954, doi:10.1080/01621459.1954.10501231 (the share behind lambda).
    """
    classes, table = assessment.classes, assessment.counts[sensitive].table
    n_values = max(len(table.values), 1)
    level = classes.class_codes[i][table.class_of_cell] + 1
    n_levels = len(classes.columns[i].labels) + 1
    pair, _ = number_groups(level * n_values + table.value_of_cell, n_levels * n_values)
    people = np.bincount(pair, table.people)
    level_of_pair = np.zeros(len(people), dtype=np.int64)
    level_of_pair[pair] = level
    commonest = np.zeros(n_levels)
    np.maximum.at(commonest, level_of_pair, people)
    total = float(table.people.sum())
    predicted = float(commonest.sum()) / total if total else 0.0
    return {
        "quasi_identifier": classes.quasi_identifiers[i],
        "predicted_rate": predicted,
        "baseline_rate": float(table.people_of_value.max(initial=0)) / total if total else 0.0,
        "determines": bool(total and predicted == 1.0),
    }


def _by_group(assessment: Assessment, settings: RiskSettings) -> dict:
    result, groups = assessment.k_anonymity, {}
    for name, column in zip(assessment.config.quasi_identifiers, assessment.classes.columns, strict=True):
        n_levels = len(column.labels) + 1
        code = (column.codes.astype(np.int64) + 1)[result.evaluated]
        people = np.bincount(code, minlength=n_levels)
        risky = np.bincount(code, result.risky[result.evaluated], n_levels).astype(np.int64)
        small = (people > 0) & (people < SMALLEST_PRINTED_GROUP)
        shown = [("missing", *column.labels)[level] for level in range(n_levels)]
        entries = [
            _group(str(shown[level]), int(people[level]), int(risky[level]))
            for level in np.flatnonzero((people > 0) & ~small)
        ]
        n_small = int(people[small].sum())
        if n_small >= SMALLEST_PRINTED_GROUP:
            entries.append(_group("(smaller groups together)", n_small, int(risky[small].sum())))
        elif n_small:
            entries.append({"group": f"(fewer than {SMALLEST_PRINTED_GROUP} people)"})
        groups[name] = entries
    return {"by_group": groups}


def _group(name: str, n: int, n_risky: int) -> dict:
    low, high = wilson_interval(n_risky, n)
    return {"group": name, "people": n, "risky": n_risky, "risky_rate": n_risky / n, "low": low, "high": high}


def wilson_interval(n_hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval for a share from ``n_hits`` of ``n`` > 0 people, in [0, 1]. Source: Wilson 1927, doi:10.2307/2276774."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = n_hits / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z * np.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


SECTIONS: dict[str, Callable[[Assessment, RiskSettings], dict]] = {
    "reidentification": _reidentification,
    "models": _models,
    "determined_by": _determined_by,
    "by_group": _by_group,
    "key_sets": _key_sets,
    "suda2": _suda2,
}
DEFAULT_SECTIONS = ("reidentification", "determined_by", "by_group")

# ---------------------------------------------------------------- the config key


_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "sections": (
        lambda value: value == "all" or (isinstance(value, list | tuple) and set(value) <= set(SECTIONS)),
        f'"all" or a list of {", ".join(SECTIONS)}',
    ),
    "threshold": (lambda value: _is_share(value), "a number above 0 and up to 1"),
    "k_at_most": (
        lambda value: isinstance(value, list | tuple) and all(type(k) is int and k >= 1 for k in value),
        "a list of whole numbers from 1",
    ),
    "max_key_set": (lambda value: type(value) is int and value >= 1, "a whole number from 1"),
    "sampling_fraction": (lambda value: _is_share(value), "a number above 0 and up to 1"),
}


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``risk``."""
    if value == "all":
        return []
    if not isinstance(value, dict):
        return [f'risk: found {type(value).__name__}; allowed: "all", or a dictionary of {", ".join(_KEYS)}']
    return faults_of_settings("risk", value, _KEYS)


def read_risk_settings(value: object) -> RiskSettings:
    """The settings of a config's ``risk`` key; None is the small default. Raises ``FaultyInputError``."""
    if value is None:
        return RiskSettings(DEFAULT_SECTIONS)
    faults = check_settings(value, {}, None)
    if faults:
        raise FaultyInputError(faults)
    given = {"sections": "all"} if value == "all" else dict(value)
    sections = given.pop("sections", DEFAULT_SECTIONS)
    return RiskSettings(
        sections=tuple(SECTIONS) if sections == "all" else tuple(sections),
        **{name: tuple(setting) if isinstance(setting, list) else setting for name, setting in given.items()},
    )


# ---------------------------------------------------------------- the step


def evaluate_risk(assessment: Assessment, settings: RiskSettings) -> dict:
    """The figures of the sections that are asked for, as they stand in the JSON summary under ``risk``."""
    figures: dict = {}
    for name in settings.sections:
        figures |= SECTIONS[name](assessment, settings)
    return figures


def run_step(step: StepInput) -> StepResult:
    """The figures and the section of ``risk``; with the key in the config, also ``record_risk.csv``."""
    settings = read_risk_settings(step.settings)
    figures = evaluate_risk(step.assessment, settings)
    tables = {}
    if step.settings is not None:
        tables["record_risk.csv"] = risk_per_record(step.assessment, step.dataset.subjects, settings)
    return StepResult(figures, risk_report(figures), screen=risk_report(figures, for_screen=True), tables=tables)


def risk_per_record(assessment: Assessment, subjects: pd.Series, settings: RiskSettings) -> pd.DataFrame:
    """One row per subject for ``record_risk.csv``: k, the chance of each intruder, SUDA2 where asked for."""
    policy, fraction = assessment.config.missing_qis, settings.sampling_fraction
    columns = {"USUBJID": subjects.to_numpy(), "k_count": assessment.k_anonymity.measure}
    for name in ("prosecutor", "journalist"):
        of_population = {} if name == "prosecutor" else {"sampling_fraction": fraction}
        risk = INTRUDERS[name](assessment.classes, settings.threshold, policy, **of_population)
        columns[f"{name}_risk"] = risk.of_record
    if "suda2" in settings.sections:
        uniques = special_uniques(assessment.classes, settings.max_key_set)
        columns |= {"suda2_score": uniques.scores, "smallest_unique_set": uniques.smallest_sizes}
    return pd.DataFrame(columns).sort_values(["k_count", "USUBJID"], kind="stable", ignore_index=True)


def risk_report(figures: Mapping, for_screen: bool = False) -> str:
    """The section of the text report: singling out, linkability, inference, each with the figures behind it.

    ``for_screen`` leaves out who bears the risk: names of groups are values of people and belong into files alone.
    """
    from tabulate import tabulate

    def table(headers: list[str], rows: list[list]) -> str:
        return tabulate(rows, headers, tablefmt="simple_outline", disable_numparse=True)

    def share(rate: float | None) -> str:
        return "-" if rate is None else f"{rate:.1%}"

    lines = ["Risk beyond k, l and t"]
    if "prosecutor" in figures:
        lines += [
            f"  Singling out: {share(figures['unique_rate'])} of the evaluated people are alone in their class.",
            f"  Linkability: an intruder who matches everybody is right for {figures['expected_reidentifications']:g} "
            f"people, {share(figures['global_risk'])}.",
        ]
    for sensitive, entries in figures.get("determined_by", {}).items():
        if entries:
            best = entries[0]
            lines.append(
                f"  Inference: {best['quasi_identifier']} alone tells {sensitive} of {share(best['predicted_rate'])} "
                f"of the people; guessing without it tells {share(best['baseline_rate'])}."
            )
    if "prosecutor" in figures:
        rows = [
            [
                name,
                share(risk["highest"]),
                share(risk["average"]),
                share(risk["at_risk_rate"]),
                f"{risk['threshold']:g}",
            ]
            for name, risk in ((name, figures[name]) for name in INTRUDERS)
        ]
        lines += ["", table(["Intruder", "Highest", "Average", "At risk", "Threshold"], rows)]
    rows = [
        [name, group["group"], *(_figures_of(group) if "people" in group else "----")]
        for name, groups in figures.get("by_group", {}).items()
        for group in groups
    ]
    if rows and for_screen:
        lines += ["", "Who bears the risk, by group: see the summary."]
    elif rows:
        lines += ["", "Who bears the risk (k)", table(["Column", "Group", "People", "Risky", "Share", "95%"], rows)]
    return "\n".join(lines) + "\n"


def _figures_of(group: Mapping) -> list:
    interval = f"{group['low']:.1%} to {group['high']:.1%}"
    return [group["people"], group["risky"], f"{group['risky_rate']:.1%}", interval]
