"""The step ``risk``: measures of risk beyond k, l and t, why the risk is there, and who bears it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.hierarchies import read_hierarchy
from disclosure_control.steps.risk.population import read_population
from disclosure_control.steps.risk.questions import three_questions
from disclosure_control.steps.risk.report import first_lines, risk_report
from disclosure_control.steps.risk.scene import Scene, Section
from disclosure_control.steps.risk.sections import evaluate_sections
from disclosure_control.steps.risk.settings import RiskSettings
from disclosure_control.steps.running import StepInput, StepResult

__all__ = ["run_step"]


def run_step(step: StepInput) -> StepResult:
    """The three questions and the sections of ``risk``; with the key in the config, also what each record bears."""
    settings = step.settings or RiskSettings()
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
        inputs=scene.inputs,
    )


def set_scene(assessment: Assessment, settings: RiskSettings, table: pd.DataFrame, folder: Path) -> Scene:
    """What the sections look at, with the files that the settings name, which stand in the pilot's ``folder``."""
    models, inputs = _with_hierarchies(settings.models, folder)
    settings = dataclasses.replace(settings, models=models)
    if settings.population is None:
        return Scene(assessment, settings, table, inputs=inputs)
    population = read_population(folder, settings.population, assessment, settings.alpha)
    inputs[population.file] = {"sha256": population.sha256, "rows": population.n_people}
    return Scene(assessment, settings, table, population, inputs)


def _with_hierarchies(models: Mapping[str, Mapping], folder: Path) -> tuple[dict, dict[str, dict]]:
    """The models' parameters with each hierarchy read from its file, and these files. Raises ``FaultyInputError``."""
    faults, read, inputs = [], {name: dict(given) for name, given in models.items()}, {}
    for name, given in models.items():
        for feature, file in dict(given.get("hierarchy") or {}).items():
            key = f"risk['models'][{name!r}]['hierarchy']"
            try:
                source, inputs[file] = file_of_pilot(folder, file, key)
                read[name]["hierarchy"] = {**read[name]["hierarchy"], feature: read_hierarchy(source)}
            except FaultyInputError as error:
                faults += error.faults
    if faults:
        raise FaultyInputError(faults)
    return read, inputs


def risk_per_record(scene: Scene, sections: dict[str, Section], subjects: pd.Series) -> pd.DataFrame:
    """One row per subject for ``record_risk.csv``, riskiest first: k and what every section says of the record."""
    columns: dict[str, np.ndarray] = {
        "USUBJID": subjects.to_numpy(),
        "k_count": scene.assessment.k_anonymity.measure,
    }
    for section in sections.values():
        columns |= section.per_record()
    return pd.DataFrame(columns).sort_values(["k_count", "USUBJID"], kind="stable", ignore_index=True)
