"""The step ``risk``: measures of risk beyond k, l and t, the causes of risk, and the people at risk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.attack.questions import three_questions
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.records.people import ListedPeople
from disclosure_control.steps.risk.common_settings import RiskSettings
from disclosure_control.steps.risk.population import read_population
from disclosure_control.steps.risk.report import risk_sections, sections_outside
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Borne, Finding
from disclosure_control.steps.risk.sections import SECTIONS
from disclosure_control.steps.running import StepInput, StepResult, StepTold

__all__ = ["run_step"]


def run_step(step: StepInput[RiskSettings]) -> StepResult:
    """The three questions and the sections of ``risk``; with the key in the config, also the risk of each record."""
    settings = step.settings
    scene = set_scene(step.assessment, settings, step.dataset, step.folder)
    findings, not_computed = evaluate_sections(scene)
    identified = step.earlier["identifiers"].outcome if "identifiers" in step.earlier else None
    tables: dict[str, pd.DataFrame | Iterator[pd.DataFrame]] = {}
    for finding in findings.values():
        tables |= finding.tables
    if settings.records and step.assessment.config.has("risk"):
        tables["record_risk.csv"] = risk_per_record(scene, findings)

    def tell(policy: Policy) -> StepTold:
        answers = three_questions(policy, scene.assessment, scene.profile, scene.intruders["prosecutor"], identified)
        found = {name: finding.told(policy) for name, finding in findings.items()}
        in_summary: dict[str, object] = {"three_questions": answers}
        for name, one in found.items():
            in_summary |= plain(one) if SECTIONS[name].is_inline else {name: one}
        if not_computed:
            in_summary["not_computed"] = not_computed
        return StepTold(in_summary, risk_sections(found, answers, not_computed), answers=answers)

    masked = {name: finding.told(MASKED) for name, finding in findings.items()}
    return StepResult.told_by(tell, outside=partial(sections_outside, masked), tables=tables, inputs=scene.inputs)


def set_scene(assessment: Assessment, settings: RiskSettings, dataset: CombinedDataset, folder: Path) -> Scene:
    """The input of the sections, with the files that the settings name, in the pilot's ``folder``."""
    inputs: dict[str, dict] = {}
    for section in SECTIONS.values():
        if section.read_files is not None:
            settings, files = section.read_files(settings, folder)
            inputs |= files
    if settings.population is None:
        return Scene(assessment, settings, dataset, inputs=inputs)
    population = read_population(folder, settings.population, assessment, settings.alpha)
    inputs[population.file] = {"sha256": population.sha256, "rows": population.n_people}
    return Scene(assessment, settings, dataset, population, inputs)


def evaluate_sections(scene: Scene) -> tuple[dict[str, Finding], dict[str, str]]:
    """What the wanted sections found, by name; and of those that lack a setting what they need."""
    findings, not_computed = {}, {}
    for name in scene.settings.sections:
        need = SECTIONS[name].needs
        if need is not None and getattr(scene.settings, need.setting) is None:
            not_computed[name] = f"needs {need.setting}, {need.words}"
        else:
            findings[name] = SECTIONS[name].evaluate(scene)
    return findings, not_computed


def risk_per_record(scene: Scene, findings: Mapping[str, Finding]) -> Iterator[pd.DataFrame]:
    """One row per subject for ``record_risk.csv``, riskiest first: k and the figures of every section for the record.

    It comes in pieces; people with the same k are sorted by id.
    """
    result, people = scene.assessment.k_anonymity, scene.assessment.people
    k = np.where(result.evaluated_classes, result.of_class.astype(float), np.nan)
    riskiest_first = np.unique(k, return_inverse=True)[1]  # people who are not evaluated come last
    borne: dict[str, Borne | np.ndarray] = {"k_count": Borne(k)}
    for finding in findings.values():
        borne |= finding.per_class()
        borne |= finding.per_record()
    for part in people.everybody(riskiest_first):
        columns = {name: _of_people(one, part) for name, one in borne.items()}
        table = pd.DataFrame({"USUBJID": part.subjects.to_numpy(), **columns})
        yield table.sort_values(["k_count", "USUBJID"], kind="stable", ignore_index=True)


def _of_people(borne: Borne | np.ndarray, people: ListedPeople) -> np.ndarray:
    """The figures of each of the people (n,); those that need records only if all these people are in one part."""
    if isinstance(borne, np.ndarray):
        return borne
    found: np.ndarray = borne.of_class[people.classes]
    return found if borne.sensitive is None else np.where(people.has_value[borne.sensitive], found, np.nan)
