"""The step ``release``: the whole study, file by file, and the proof on the files as a recipient has them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time

import numpy as np
import pandas as pd

from cdisc.merge.settings import MergeSettings
from cdisc.merge.subject_ids import SubjectIdRule
from config import RESULTS_FOLDER
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import numbers_of
from disclosure_control.basics.reasons import Reason
from disclosure_control.findings.findings import FINDINGS
from disclosure_control.findings.questions import three_questions
from disclosure_control.identifiers.findings import ColumnFinding
from disclosure_control.identifiers.outcome import IdentifierOutcome
from disclosure_control.identifiers.scan import scan_tables
from disclosure_control.release.codebook import codebook, codebook_files, levels_of, readme
from disclosure_control.release.define import define_file, what_it_does_not_say
from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.merged import leaving_of
from disclosure_control.release.package import data_files, merged_again, opened_again
from disclosure_control.release.people import People, people_of
from disclosure_control.release.rare_terms import RaisedTerms, without_rare_terms
from disclosure_control.release.study import DEFINITION, Study, read_study
from disclosure_control.release.traces import find_traces
from disclosure_control.run.progress import progress
from disclosure_control.run.results import written_aside
from disclosure_control.steps.release.course import course_risk
from disclosure_control.steps.release.earlier import BesideEarlier, Merged, beside_earlier, read_earlier
from disclosure_control.steps.release.report import (
    PackageChecked,
    reasons_of,
    release_figures,
    release_report,
)
from disclosure_control.steps.release.settings import ReleaseSettings
from disclosure_control.steps.running import StepInput, StepResult
from disclosure_control.treatments.evaluation import evaluate_treated, holds_numbers
from disclosure_control.treatments.keys import Release, name_of_unnamed, read_key
from disclosure_control.treatments.seeds import seed_reasons
from disclosure_control.treatments.treated_pilot import TreatedPilot

FOLDER = "released"


def run_step(step: StepInput) -> StepResult:
    """Write every domain file of the pilot as it leaves into ``released/``, open it again, evaluate and search it."""
    settings = step.settings
    assert isinstance(settings, ReleaseSettings)
    treated, refusal = _treated(step)
    if refusal:
        return StepResult({"released": False, "reason": refusal}, f"Release: {refusal}\n")
    rule, merge = _rules(step.assessment.config)
    study = read_study(step.folder, step.dataset.subjects, rule, merge, settings.leave_out, step.files)
    people, release = _people(step, treated)
    key = read_key(settings.key_from, step.folder)
    promised = _promised(step, treated)
    released = deidentify(study, people, settings.lines, key, release, rule.column)
    raised: tuple[RaisedTerms, ...] = ()
    if settings.rare_terms is not None:
        released, raised = without_rare_terms(
            released, settings.rare_terms, _class_of_person(people, treated, promised)
        )
    created = datetime.combine(datetime.fromisoformat(step.started), time())
    files = data_files(released, settings.format, created)
    names = dict(zip(released.files, files, strict=True))
    levels = levels_of(released)
    files |= codebook_files(codebook(released, names, levels, {} if treated is None else treated.intervals))
    definition, no_definition = define_file(step.folder, released, names, levels, created)
    if definition is not None:
        files[DEFINITION] = definition
    files["README.txt"] = readme(step.pilot, released, names, created, definition is not None).encode()
    checked = _checked(step, files, study, released, people, promised, release)
    if checked.no_definition:
        no_definition = checked.no_definition
        del files[DEFINITION]
        files["README.txt"] = readme(step.pilot, released, names, created).encode()
    figures = release_figures(released, names, checked, people, raised) | {"no_define_xml": no_definition}
    return StepResult(
        figures,
        release_report(step.pilot, figures),
        files={f"{FOLDER}/{name}": content for name, content in files.items()},
        inputs={file.table.file_name: {"sha256": file.table.sha256} for file in study.files}
        | ({} if checked.earlier is None else dict(checked.earlier.inputs)),
        reasons_to_hold=(*reasons_of(released, checked), *_reasons_of_chance(treated)),
        answers=checked.answers,
        outcome=checked,
    )


def _treated(step: StepInput) -> tuple[TreatedPilot | None, str]:
    """What the treatment made of the pilot, None without one; and why nothing is released, where that is so."""
    config, n_people = step.assessment.config, len(step.dataset.subjects)
    treated = None
    if "treatment" in step.earlier:
        treated = step.earlier["treatment"].outcome
        if treated is None:
            return None, "the treatment made nothing that could leave, so no file is written."
        assert isinstance(treated, TreatedPilot)
        n_people = len(treated.frame)
    if n_people < config.K:
        return None, f"fewer people than K = {config.K} are left, and such a pilot never leaves; no file is written."
    return treated, ""


def _reasons_of_chance(treated: TreatedPilot | None) -> list[Reason]:
    if treated is None or not any(step.used_chance for step in treated.steps):
        return []
    return seed_reasons(treated.seed, f"{FOLDER}/")


def _rules(config: PilotConfig) -> tuple[SubjectIdRule, MergeSettings]:
    return config.settings.get("subject_id", SubjectIdRule()), config.settings.get("merge", MergeSettings())


def _people(step: StepInput, treated: TreatedPilot | None) -> tuple[People, Release]:
    settings, table = step.settings, step.dataset.typed_table
    after = table if treated is None else treated.frame
    kept = after.reset_index(drop=True).index.to_numpy() if treated is None else treated.kept
    if treated is not None:
        release = treated.release
    else:
        release = Release(step.pilot, settings.name or name_of_unnamed(step.dataset.sha256, step.assessment.config))
    config = step.assessment.config
    roles = config.quasi_identifiers + config.sensitive_features
    key = read_key(settings.key_from, step.folder)
    people = people_of(step.dataset.subjects, kept, table, after, roles, key, release, settings.days)
    return people, release


def _promised(step: StepInput, treated: TreatedPilot | None) -> Assessment:
    """k, l and t of what the treatment made, or of the pilot as it is where there is none."""
    if treated is None:
        return evaluate_treated(step.dataset.typed_table, step.assessment.config, as_released=True)
    return treated.as_released


def _class_of_person(people: People, treated: TreatedPilot | None, promised: Assessment) -> np.ndarray:
    """The equivalence class of each person (n_people,) of the pilot; 0 of those who do not stay."""
    classes = np.zeros(len(people.ids), dtype=np.int64)
    classes[slice(None) if treated is None else treated.kept] = promised.classes.class_of_record
    return classes


def _checked(
    step: StepInput,
    files: dict[str, bytes],
    study: Study,
    released: ReleasedStudy,
    people: People,
    promised: Assessment,
    release: Release,
) -> PackageChecked:
    """What a recipient finds: the package from disk, merged by door 1, evaluated, and searched for the originals."""
    rule, merge = _rules(step.assessment.config)
    with written_aside(step.folder / RESULTS_FOLDER, files) as folder:
        tables = opened_again(folder)
        texts = [name for name in ("README.txt", "codebook.json", DEFINITION) if name in files]
        beside = {name: (folder / name).read_text(encoding="utf-8") for name in texts}
    no_definition = what_it_does_not_say(files[DEFINITION], tables) if DEFINITION in files else ""
    opened = {name: table.frame for name, table in tables.items()}
    with progress("Merging the package"):
        as_merged = merged_again(rule, merge, tables).frame
    merged = _typed(as_merged, step)
    traces = find_traces(study, released, opened, people, beside, rule.column)
    identifiers = _identifiers_in(opened, released, step)
    found = evaluate_treated(merged, promised.config, as_released=True)
    answers = three_questions(found, identified=IdentifierOutcome(identifiers, assessed=found.config.quasi_identifiers))
    leaving = leaving_of(
        merged,
        found,
        step.assessment,
        step.dataset.typed_table,
        released,
        people,
        release,
        step.settings.days,
        _declared_harmless(step),
        rule.column,
    )
    findings = {name: finding.figures(leaving) for name, finding in FINDINGS.items()}
    course = course_risk(
        opened,
        merged[SUBJECT_COLUMN],
        found.classes.class_of_record,
        found.config.K,
        SubjectIdRule(column=rule.column),
        step.settings.outsiders_know,
        step.settings.rare_terms,
    )
    with_earlier = _beside_earlier(step, Merged(as_merged, found), people, release)
    return PackageChecked(found, promised, traces, identifiers, answers, findings, no_definition, course, with_earlier)


def _declared_harmless(step: StepInput) -> dict[str, str]:
    """Columns that the config declares to tell outsiders nothing, and why: under ``treatment`` or ``identifiers``."""
    found: dict[str, str] = {}
    for name in ("treatment", "identifiers"):
        found |= getattr(step.assessment.config.settings.get(name), "harmless", {})
    return found


def _beside_earlier(step: StepInput, now: Merged, people: People, release: Release) -> BesideEarlier | None:
    """What the package tells together with the earlier release that the config names, None where it names none."""
    named = step.settings.earlier
    if named is None:
        return None
    rule, merge = _rules(step.assessment.config)
    earlier, inputs = read_earlier(named, step.folder, rule, merge, lambda frame: _evaluated(frame, step))
    before = Release(release.pilot, named.name or release.name)
    return beside_earlier(now, earlier, people, read_key(step.settings.key_from, step.folder), before, inputs)


def _identifiers_in(
    opened: Mapping[str, pd.DataFrame], released: ReleasedStudy, step: StepInput
) -> tuple[ColumnFinding, ...]:
    """What the scan of identifiers finds in the files of people, and the config does not answer for.

    Pseudonyms and moved dates look like what they stand for, and are not looked at.
    """
    disguised = {(account.file, account.variable) for account in released.accounts if account.is_disguised}
    tables = {
        name: frame.drop(
            columns=[column for column in frame if (name, column) in disguised and column != SUBJECT_COLUMN]
        )
        for name, frame in opened.items()
        if (released.files[name].people >= 0).any()
    }
    declared = step.earlier["identifiers"].outcome if "identifiers" in step.earlier else IdentifierOutcome()
    found = scan_tables(tables, SUBJECT_COLUMN).findings
    return tuple(finding for finding in found if finding.vetoes and not declared.is_answered(finding))


def _evaluated(merged: pd.DataFrame, step: StepInput) -> Assessment:
    """k, l and t of a merged package, by the config as it stands."""
    return evaluate_treated(_typed(merged, step), step.assessment.config, as_released=True)


def _typed(merged: pd.DataFrame, step: StepInput) -> pd.DataFrame:
    """The merged package with columns typed as those of the pilot are, as far as they still can be."""
    typed = {
        str(name): numbers_of(merged[name])
        for name, column in step.dataset.frame.items()
        if name in merged and column.dtype.kind == "f" and holds_numbers(merged[str(name)])
    }
    return merged.assign(**typed)
