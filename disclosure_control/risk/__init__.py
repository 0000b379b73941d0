"""The step ``risk``: measures of risk beyond k, l and t, why the risk is there, and who bears it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd

from Anonymization_Models import FaultyInputError
from disclosure_control.assessment import Assessment
from disclosure_control.hierarchies import read_hierarchy
from disclosure_control.risk.population import read_population
from disclosure_control.risk.questions import three_questions
from disclosure_control.risk.report import first_lines, risk_report
from disclosure_control.risk.scene import Scene, Section
from disclosure_control.risk.sections import evaluate_sections
from disclosure_control.risk.settings import RiskSettings, check_settings, read_risk_settings
from disclosure_control.steps import StepInput, StepResult

__all__ = ["check_settings", "run_step"]


def run_step(step: StepInput) -> StepResult:
    """The three questions and the sections of ``risk``; with the key in the config, also what each record bears."""
    settings = read_risk_settings(step.settings)
    scene = set_scene(step.assessment, settings, step.dataset.table, step.folder)
    sections, answers = evaluate_sections(scene), three_questions(scene)
    figures: dict = {"three_questions": {name: dataclasses.asdict(answer) for name, answer in answers.items()}}
    tables: dict[str, pd.DataFrame] = {}
    for section in sections.values():
        figures |= section.figures
        tables |= section.tables
    if step.settings is not None:
        tables["record_risk.csv"] = risk_per_record(scene, sections, step.dataset.subjects)
    return StepResult(
        figures,
        risk_report(figures),
        first_lines=first_lines(answers),
        screen=risk_report(figures, for_screen=True),
        tables=tables,
    )


def set_scene(assessment: Assessment, settings: RiskSettings, table: pd.DataFrame, folder: Path) -> Scene:
    """What the sections look at, with the files that the settings name, which stand in the pilot's ``folder``."""
    settings = dataclasses.replace(settings, models=_with_hierarchies(settings.models, folder))
    if settings.population is None:
        return Scene(assessment, settings, table)
    population = read_population(folder, settings.population, assessment, settings.alpha)
    return Scene(assessment, settings, table, population.size, population.is_covered)


def _with_hierarchies(models: dict, folder: Path) -> dict:
    """The models' parameters, with each hierarchy read from its file. Raises ``FaultyInputError``."""
    faults, read = [], {}
    for name, given in models.items():
        read[name] = dict(given)
        if isinstance(given.get("hierarchy"), str):
            faults.append(
                f"risk['models'][{name!r}]['hierarchy']: found one file; allowed: {{sensitive feature: file}}"
            )
            continue
        for feature, file in dict(given.get("hierarchy") or {}).items():
            if not (folder / file).is_file():
                faults.append(
                    f"risk['models'][{name!r}]: hierarchy {file!r} is not in the pilot's folder; put it there"
                )
                continue
            try:
                read[name]["hierarchy"] = {**read[name]["hierarchy"], feature: read_hierarchy(folder / file)}
            except FaultyInputError as error:
                faults += error.faults
    if faults:
        raise FaultyInputError(faults)
    return read


def risk_per_record(scene: Scene, sections: dict[str, Section], subjects: pd.Series) -> pd.DataFrame:
    """One row per subject for ``record_risk.csv``, riskiest first: k and what every section says of the record."""
    columns: dict[str, np.ndarray] = {
        "USUBJID": subjects.to_numpy(),
        "k_count": scene.assessment.k_anonymity.measure,
    }
    for section in sections.values():
        columns |= section.per_record()
    return pd.DataFrame(columns).sort_values(["k_count", "USUBJID"], kind="stable", ignore_index=True)
