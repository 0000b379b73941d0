"""The step ``treatment``: treat a pilot as its config says, evaluate it again, set before beside after."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.steps.running import StepInput, StepResult
from disclosure_control.steps.treatment.findings import reasons_to_hold
from disclosure_control.steps.treatment.joined_releases import read_earlier_release
from disclosure_control.steps.treatment.report import summary_files, treatment_figures, treatment_report
from disclosure_control.steps.treatment.settings import TreatmentSettings
from disclosure_control.treatments.recommendation import Recommendation
from disclosure_control.treatments.registry import TreatmentStep
from disclosure_control.treatments.seeds import DEFAULT_WARNING
from disclosure_control.treatments.treat import treat

DATASET = "anonymised_dataset.csv"


def run_step(step: StepInput) -> StepResult:
    """Treat the pilot: ``anonymised_dataset.csv``, the summary as text and JSON, and the figures before and after."""
    settings = step.settings
    assert isinstance(settings, TreatmentSettings)
    earlier, inputs = read_earlier_release(settings.join, step.folder)
    unnamed = _name_of_what_has_none(step)
    seed = settings.seed.read(step.folder, settings.own_release(step.pilot, unnamed))
    release = settings.release_of_ids(step.pilot, unnamed)
    table = step.dataset.typed_table
    recommended = _recommended(step, settings.steps)
    if recommended is not None and not recommended:
        return StepResult(
            {"released": False, "reason": NOTHING_FOUND}, f"{NOTHING_FOUND}\n", f"NOTE: {NOTHING_FOUND}\n"
        )
    treated = treat(table, step.assessment.config, settings.steps, seed, step.folder, recommended, release)
    figures = treatment_figures(step.assessment, treated, table, settings, earlier)
    report = treatment_report(step.pilot, figures)
    summaries = summary_files(step.pilot, figures, report)
    is_loud = DEFAULT_WARNING in figures["notes"]
    return StepResult(
        figures,
        report,
        first_lines=f"{DEFAULT_WARNING}\n" if is_loud else "",
        inputs={**treated.inputs, **inputs},
        datasets={DATASET: treated.released},
        files=summaries,
        hand_to_hand=frozenset(summaries),
        reasons_to_hold=reasons_to_hold(figures),
        outcome=treated,
    )


NOTHING_FOUND = (
    'Treatment: the step recommend found nothing that meets the thresholds, so nobody is treated as "recommended", and '
    f"no {DATASET} is written."
)


def _name_of_what_has_none(step: StepInput) -> str:
    """A name for a release that the config does not name: one that another dataset or another config never has.

    So two releases do not join by pseudonym unless their config says that they shall.
    """
    content = f"{step.dataset.sha256} {step.assessment.config.literal!r}"
    return hashlib.sha256(content.encode()).hexdigest()


def _recommended(step: StepInput, steps: Sequence[TreatmentStep]) -> Sequence[TreatmentStep] | None:
    """The steps that ``recommend`` found earlier in this run; None where no step asks for them."""
    if all(treatment.method != "recommended" for treatment in steps):
        return None
    if "recommend" not in step.earlier:
        raise FaultyInputError(
            'treatment: the method "recommended" needs the result of the step recommend; '
            'add "recommend": {} to the config, or write the treatments out'
        )
    outcome = step.earlier["recommend"].outcome
    assert isinstance(outcome, Recommendation)
    return outcome.treatment or ()
