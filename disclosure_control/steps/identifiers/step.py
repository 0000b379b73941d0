"""The step ``identifiers``: scan the combined dataset and the further columns of domain files, in counts by column."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from config.model_settings import PilotConfig
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.identifiers.column_findings import ColumnFinding, Scan, joined
from disclosure_control.identifiers.outcome import IdentifierOutcome, reasons_of
from disclosure_control.identifiers.scan import scan_dataset, scan_source
from disclosure_control.records.domains import DomainReader
from disclosure_control.steps.identifiers.report import identifier_sections, told_identifiers
from disclosure_control.steps.identifiers.settings import IdentifierSettings
from disclosure_control.steps.running import StepInput, StepResult, StepTold
from study.formats.files import find_domain_files
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.sdtm import TRIAL_DESIGN

NOT_OF_SUBJECTS = (*TRIAL_DESIGN, "DEFINE")


def run_step(step: StepInput[IdentifierSettings]) -> StepResult:
    """The findings, the config's declarations on them, and the reasons against releasing the dataset."""
    config = step.assessment.config
    columns = list(step.dataset.table.columns)
    of_dataset = step.kept.of(("identifiers", step.dataset.sha256, *columns), lambda: scan_dataset(step.dataset))
    of_merge = repr((config.of(MergeSettings), config.of(SubjectIdRule)))
    look_beside = partial(scan_beside, step.folder, config, columns, step.files)
    beside, not_looked_at = step.kept.of(("beside", of_merge, *columns), look_beside)
    outcome = IdentifierOutcome(
        of_dataset.findings,
        beside.findings,
        step.settings.harmless,
        config.quasi_identifiers,
        planned_drops(config, of_dataset, columns),
    )
    is_treated = config.has("treatment")  # then the step treatment judges what leaves

    def tell(policy: Policy) -> StepTold:
        told = told_identifiers(policy, outcome, of_dataset, beside, not_looked_at)
        reasons = () if is_treated else reasons_of(policy, outcome.open, "the combined dataset")
        return StepTold(told, identifier_sections(told), reasons)

    return StepResult.told_by(tell, outcome=outcome)


def scan_beside(
    folder: Path,
    config: PilotConfig,
    columns: list[str],
    reading: DomainReader | None = None,
) -> tuple[Scan, list[str]]:
    """The scan of what only the domain files contain, and the files that could not be read."""
    merge, rule = config.of(MergeSettings), config.of(SubjectIdRule)
    try:
        found = find_domain_files(folder, merge.files, rule.column).by_domain
    except FaultyInputError:
        return Scan(), ["the domain files: they are not there, or not as the merge takes them"]
    reading = reading or DomainReader()
    scans, unread = [], []
    for domain, path in found.items():
        if domain in NOT_OF_SUBJECTS:
            continue
        if not reading.fits(path):
            unread.append(f"{path.name}: it is read whole, which needs more memory than this run may take")
            continue
        try:
            table = reading.read(path, merge.options_of(domain, rule.column))
        except FaultyInputError:
            unread.append(f"{path.name}: it cannot be read")
            continue
        joined_columns = [name for name in table.frame.columns if f"{domain}__{name}" in columns]
        if table.fits(reading.most_rows):
            scans.append(scan_source(table, rule.column, joined_columns))
        else:
            most = f"{reading.most_rows:,} records"
            unread.append(f"{path.name}: it has more than {most}, of which columns are looked at in memory alone")
        table.give_back()
    return joined(scans), unread


def planned_drops(config: PilotConfig, scan: Scan, columns: list[str]) -> tuple[str, ...]:
    """The columns that the treatments of the config will drop, in the order of the treatments."""
    if not config.has("treatment"):
        return ()
    from disclosure_control.remedy.treatments.steps import dropped_columns

    def findings_in(names: Sequence[str]) -> list[ColumnFinding]:
        return [finding for finding in scan.findings if finding.name in names]

    return dropped_columns(config.settings["treatment"].steps, columns, config, findings_in)
