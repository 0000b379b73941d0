"""The step ``treatment``: treat a pilot by its config, evaluate it again, and compare before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from disclosure_control.attack.questions import three_questions
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import EXACT, MASKED, Policy
from disclosure_control.basics.telling.words import listed
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.outcome import IdentifierOutcome, in_words, reasons_of
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.one_release import in_one_calendar, name_of_release
from disclosure_control.remedy.treatments.recommendation import Recommendation
from disclosure_control.remedy.treatments.registry import TreatmentStep
from disclosure_control.remedy.treatments.treat import treat_records
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from disclosure_control.steps.running import Asks, StepInput, StepResult, StepTold
from disclosure_control.steps.treatment import DATASET, WITH_ORIGINAL_IDS
from disclosure_control.steps.treatment.figures import TreatmentFindings, treatment_findings
from disclosure_control.steps.treatment.release_warnings import columns_of_ids, release_reasons, release_warnings
from disclosure_control.steps.treatment.report import (
    nothing_outside,
    refusal_sections,
    sections_outside,
    summary_files,
    treatment_sections,
)
from disclosure_control.steps.treatment.settings import TreatmentSettings
from study.columns.decisions import staying_here
from study.merge.settings import MergeSettings


def run_step(step: StepInput[TreatmentSettings]) -> StepResult:
    """Treat the pilot: the treated dataset, the summary as text and JSON, and the figures before and after."""
    settings = step.settings
    release = Release(step.pilot, name_of_release(step.dataset.sha256, step.release_config))
    seed = settings.chance.read(step.folder, release)
    recommendation = _recommendation(step, settings.steps)
    if recommendation is not None and recommendation.treatment is None:
        reason = {"released": False, "reason": NOTHING_FOUND}
        return StepResult(reason, sections=refusal_sections(NOTHING_FOUND), outside=nothing_outside)
    recommended = None if recommendation is None else recommendation.treatment
    records, columns = step.dataset.records(), step.dataset.table.columns
    config, steps = step.assessment.config, in_one_calendar(settings.steps, step.assessment.config)
    treated = treat_records(
        *(records, columns, config, steps, seed, step.folder, recommended, release),
        kept=step.kept if step.is_trial else None,
    )
    if step.asks < Asks.UNTIL_HELD:
        return StepResult({}, outcome=treated)
    left_in = _identifiers_left_in(step, treated)
    held = bool(left_in)  # while a column names people, the dataset is not written
    of_ids = columns_of_ids(treated)
    dataset = WITH_ORIGINAL_IDS if of_ids else DATASET
    decided = {*config.quasi_identifiers, *config.sensitive_features, *_changed_by(treated)}
    closed = [name for name in staying_here(config.of(MergeSettings).columns) if name not in decided]
    findings = treatment_findings(step.assessment, treated, columns, settings, of_ids)

    def told(policy: Policy) -> TreatmentFindings:
        found = findings(policy)
        return replace(
            found,
            notes=[*found.notes, *_notes_on_closed(closed), *_notes_on_identifiers(policy, left_in, dataset)],
            released=not held,
            dataset=None if held else dataset,
            identifiers_left_in=[finding.name for finding in left_in],
        )

    def tell(policy: Policy) -> StepTold:
        found, on_identifiers = told(policy), _notes_on_identifiers(policy, left_in, dataset)
        reasons = (
            *reasons_of(policy, left_in, "the treated dataset"),
            *release_reasons(treated, of_ids, "What the treatment made" if held else dataset),
            *found.leaving.reasons(),
        )
        return StepTold(
            found,
            treatment_sections(policy, found, _of_table_alone(treated, of_ids, on_identifiers)),
            tuple(sorted(reasons)),
            three_questions(
                policy, treated.as_released, identified=IdentifierOutcome(left_in), sensitive=config.sensitive_features
            ),
            found.leaving.not_looked_at(),
        )

    return StepResult.told_by(
        tell,
        outside=partial(sections_outside, told(MASKED)),
        inputs=treated.inputs,
        datasets={} if held else {dataset: treated.written(without=closed)},
        files=summary_files(step.pilot, told(EXACT)),
        outcome=treated,
    )


def _identifiers_left_in(step: StepInput[TreatmentSettings], treated: TreatedPilot) -> tuple[ColumnFinding, ...]:
    """Columns of the treated dataset that still name people."""
    if "identifiers" not in step.earlier:
        return ()
    identified = step.earlier["identifiers"].outcome
    assert isinstance(identified, IdentifierOutcome)
    treated_by = {
        name: [applied.method for applied in treated.steps if applied.changed.get(name)] for name in treated.columns
    }
    return identified.left_in_columns(treated.columns, treated_by, treated.scanned)


def _changed_by(treated: TreatedPilot) -> Iterator[str]:
    """The columns that a step of the treatment changed in somebody."""
    return (name for applied in treated.steps for name, n in applied.changed.items() if n)


def _notes_on_closed(closed: Sequence[str]) -> list[str]:
    if not closed:
        return []
    return [f"Not in it, for nobody understood them yet: {listed(closed, 20)}. See docs/columns.md."]


def _notes_on_identifiers(policy: Policy, left_in: Sequence[ColumnFinding], dataset: str) -> list[str]:
    notes = [f"{in_words(policy, finding)}: {finding.what_to_do}." for finding in left_in]
    if left_in:
        notes.append(
            f"{dataset} is not written, for the columns above: drop or treat them, or declare them harmless "
            '("identifiers": {"harmless": {column: reason}}).'
        )
    return notes


def _of_table_alone(treated: TreatedPilot, of_ids: Mapping[str, int], on_identifiers: Sequence[str]) -> set[str] | None:
    """Notes on ids, dates and identifiers of the treated table; None where that table is what leaves."""
    if "release" not in treated.config.settings:
        return None
    dropping = (note for step in treated.steps if step.method == "drop_identifiers" for note in step.notes)
    return {*dropping, *release_warnings(treated, of_ids), *on_identifiers}


NOTHING_FOUND = (
    'Treatment: the step recommend found nothing that meets the thresholds, so nobody is treated as "recommended", and '
    "no treated dataset is written."
)


def _recommendation(step: StepInput[TreatmentSettings], steps: Sequence[TreatmentStep]) -> Recommendation | None:
    """The findings of ``recommend`` earlier in this run; None if no step needs them.

    An empty list of steps is an answer, too: for a pilot that has to give up nothing.
    """
    if all(treatment.method != "recommended" for treatment in steps):
        return None
    if "recommend" not in step.earlier:
        raise FaultyInputError(
            'treatment: the method "recommended" needs the result of the step recommend; '
            'add "recommend": {} to the config, or write the treatments out'
        )
    outcome = step.earlier["recommend"].outcome
    assert isinstance(outcome, Recommendation)
    return outcome
