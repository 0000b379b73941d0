"""The step ``release``: the whole study, file by file, and the checks on the files as a recipient gets them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import datetime, time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from config import RESULTS_FOLDER
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.basics.telling.words import listed
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.outcome import IdentifierOutcome
from disclosure_control.identifiers.scan import scan_columns
from disclosure_control.leaving.questions import Answer, three_questions, without_rows
from disclosure_control.leaving.release_findings import ReleaseFindings
from disclosure_control.records.records import EncodedRecords, places_of_all
from disclosure_control.release.before_and_after import CameIn
from disclosure_control.release.codebook import codebook, codebook_files, levels_of, readme
from disclosure_control.release.define import define_file, what_it_does_not_say
from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.dictionaries import with_used_entries
from disclosure_control.release.facts.facts import KINDS, kinds_to_count, rows_with_facts
from disclosure_control.release.facts.opened_rows import RowsOfTable
from disclosure_control.release.joins import KeyJoin, joins_of
from disclosure_control.release.lines_told import without_emptied_texts
from disclosure_control.release.merge_drop import rules_of_drop, tests_of_drop
from disclosure_control.release.numbering import in_an_order_of_their_own
from disclosure_control.release.originals.traces import find_traces
from disclosure_control.release.package import data_files, merged_again, opened_again, write_small_files
from disclosure_control.release.people import RecodedColumn, ReleasePeople, drawn_order, people_of, recoded_columns
from disclosure_control.release.study import DEFINITION, Study, is_divisible, read_study
from disclosure_control.release.summaries.dated_rows import dated_rows
from disclosure_control.release.summaries.merged import Made, MergedPackage, evaluated, evaluated_package, leaving_of
from disclosure_control.release.summaries.summarised import columns_of_source, dropped_of_source, summarised
from disclosure_control.release.terms.kept_terms import (
    alone_in_all,
    class_without_quasi_identifiers,
    facts_held,
    people_to_hide,
    terms_held,
    without_quasi_identifiers,
)
from disclosure_control.release.terms.raised_terms import RaisedTerms
from disclosure_control.release.terms.rare_terms import Drawn, RareTerms, without_rare_terms
from disclosure_control.release.texts.labels import judged_names, names_read, with_judged_labels
from disclosure_control.release.texts.rare_texts import without_rare_texts
from disclosure_control.release.undecided import proposed_by_values
from disclosure_control.remedy.treatments.keys import Release, read_key
from disclosure_control.remedy.treatments.one_release import days_of_release, name_of_release
from disclosure_control.remedy.treatments.seeds import seed_reasons
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from disclosure_control.steps.release.checked import PackageChecked, reasons_of
from disclosure_control.steps.release.course import CourseRisk, course_risk
from disclosure_control.steps.release.earlier import BesideEarlier, beside_earlier, read_earlier
from disclosure_control.steps.release.labels import LABELS, reasons_of_labels
from disclosure_control.steps.release.report import RARE_TEXTS, refusal_sections, release_sections
from disclosure_control.steps.release.settings import OutsidersKnow, ReleaseSettings
from disclosure_control.steps.release.told import release_told
from disclosure_control.steps.release.use import (
    STUDY_TABLES,
    lines_for_recipient,
    study_compared,
    use_sections,
)
from disclosure_control.steps.running import StepInput, StepResult, StepTold
from study.formats.tables import SourceTable
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.flat import FLAT
from study.models.study_model import StudyModel

FOLDER = "released"
MOST_LEFT_OUT = 0.05  # of the people, for a fact by which each is alone among all; as many as a recoding may leave out


def run_step(step: StepInput[ReleaseSettings]) -> StepResult:
    """Write every domain file of the pilot for release into ``released/``, open it again, evaluate and search it."""
    settings = step.settings
    treated, refusal = _treated(step)
    if refusal:
        return StepResult({"released": False, "reason": refusal}, sections=refusal_sections(refusal))
    rule, merge = _rules(step.assessment.config)
    original = step.dataset.records() if treated is None else treated.original
    key = read_key(settings.key_from, step.folder)
    read = step.files.read_to_release(step.folder, partial(is_divisible, rule=rule))
    ids, per_part = original.ids(), step.files.rows_per_part
    study = read_study(step.folder, ids, rule, merge, settings.leave_out, read, per_part)
    searched = study, original, rule, step.files.rows_to_search
    of_source = {**dropped_of_source(merge.drop, *searched), **columns_of_source(*searched)}
    people, release = _people(step, treated, original, key, study.model.ids_are_numbers)
    promised = _promised(step, original) if treated is None else treated.as_released
    tests = tests_of_drop(merge.drop, study.model, len(people.ids))
    people = dataclasses.replace(people, recoded={**tests, **people.recoded})
    of_names, names_gone = judged_names(study, step.assessment.config, rule.column, settings.declared_names)
    lines = (*of_names, *settings.lines, *rules_of_drop(merge.drop, study.model))
    came_in = _came_in(step, study, len(people.ids))
    released = deidentify(study, people, lines, key, release, settings.times)
    raised: tuple[RaisedTerms, ...] = ()
    drawn = partial(drawn_order, people, key, release)
    if settings.rare_terms is not None or settings.hide_terms:
        classes = _class_of_person(people, promised)
        people, classes, again = _with_kept_terms(step, released, people, classes, drawn, original)
        released = deidentify(study, people, lines, key, release, settings.times) if again else released
        released, raised = without_rare_terms(
            released, settings.rare_terms or RareTerms(at_least=1), classes, drawn, settings.hide_terms
        )
    released = with_used_entries(released, study.model)
    config = step.assessment.config
    released, texts = without_rare_texts(
        released, people, config.K, config.quasi_identifiers, settings.declared_texts, drawn
    )
    released, labels_gone, judge = with_judged_labels(released, study, settings.declared_names)
    released, of_all_names = names_read(released, names_gone, settings.declared_names)
    labels = of_all_names + labels_gone
    released = in_an_order_of_their_own(released, people, key, release)
    compared = None if came_in is None else study_compared(came_in, released, people, settings.fit_for_use)
    created = datetime.combine(datetime.fromisoformat(step.started), time())
    with step.files.package(step.folder / RESULTS_FOLDER) as folder:
        files = data_files(released, settings.format, created, folder)
        names = dict(zip(released.files, files, strict=True))
        levels = levels_of(released)
        hidden = (*texts.texts, *released.unnamed)
        use = () if compared is None else without_emptied_texts(compared.fit.for_recipient, hidden)
        intervals = {} if treated is None else treated.intervals
        files |= codebook_files(codebook(released, names, levels, intervals), use)
        definition, no_definition = define_file(step.folder, released, names, levels, created, judge)
        if definition is not None:
            files[DEFINITION] = definition
        write_small_files(files, folder)
        opened = opened_again(folder, step.files.read_package(partial(is_divisible, rule=rule)))
        joins = tuple(joins_of(study, people, opened, rule.column))
        rare = tuple(one.for_reader(MASKED) for one in raised)
        written = partial(readme, step.pilot, released, names, created, study.model.form, joins, rare)
        told = () if compared is None else without_emptied_texts(lines_for_recipient(compared.fit), hidden)
        told_to_recipient = partial(written, use=told)
        files["README.txt"] = told_to_recipient(is_defined=definition is not None).encode()
        write_small_files({"README.txt": files["README.txt"]}, folder)
        merge = dataclasses.replace(merge, model=study.model.model, ignore=(*merge.ignore, *_of_no_person(study)))
        made = Made(
            released, people, release, days_of_release(step.assessment.config), _declared_harmless(step), rule, merge
        )
        checked = _checked(step, files, folder, opened, joins, study, made, promised, original, of_source)
    if checked.no_definition:
        no_definition = checked.no_definition
        del files[DEFINITION]
        files["README.txt"] = told_to_recipient().encode()

    def tell(policy: Policy) -> StepTold:
        found = release_told(policy, released, names, checked, people, raised, no_definition, texts, labels, compared)
        return StepTold(
            found,
            (*release_sections(found), *(() if compared is None else use_sections(policy, compared))),
            (
                *reasons_of(policy, released, checked),
                *reasons_of_labels(labels, settings.declared_names),
                *_reasons_of_chance(treated),
            ),
            checked.answers(policy),
            checked.not_looked_at(policy),
            None if compared is None else compared.fit_for(policy),
        )

    return StepResult.told_by(
        tell,
        tables=({} if compared is None else {STUDY_TABLES: compared.rows})
        | ({RARE_TEXTS: texts.table} if texts.emptied else {})
        | ({LABELS: labels.table} if labels.any else {}),
        files={f"{FOLDER}/{name}": content for name, content in files.items()},
        inputs={name: {"sha256": sha256} for name, sha256 in study.inputs.items()}
        | ({} if checked.earlier is None else dict(checked.earlier.inputs)),
        outcome=checked,
    )


def _came_in(step: StepInput[ReleaseSettings], study: Study, n_people: int) -> CameIn | None:
    """The study's tables as they came in, made before large files are divided; None if the config wants none."""
    if not step.settings.study_tables:
        return None
    return CameIn.of(study, n_people, step.files.rows_to_search, step.settings.fit_for_use.outcome)


def _of_no_person(study: Study) -> list[str]:
    """Plain tables without a person: what made them so may have been removed, and the package would be at fault."""
    return list(study.model.left_out) if study.model.model == FLAT else []


def _treated(step: StepInput[ReleaseSettings]) -> tuple[TreatedPilot | None, str]:
    """The treatment's result, None without one; and the reason if nothing is released."""
    config, n_people = step.assessment.config, step.dataset.n_subjects
    treated = None
    if "treatment" in step.earlier:
        treated = step.earlier["treatment"].outcome
        if treated is None:
            return None, "the treatment made nothing that could leave, so no file is written."
        assert isinstance(treated, TreatedPilot)
        n_people = treated.n_people
    if n_people < config.K:
        return None, f"fewer people than K = {config.K} are left, and such a pilot never leaves; no file is written."
    return treated, ""


def _reasons_of_chance(treated: TreatedPilot | None) -> list[Reason]:
    if treated is None or not any(step.used_chance for step in treated.steps):
        return []
    return seed_reasons(treated.seed, f"{FOLDER}/")


def _rules(config: PilotConfig) -> tuple[SubjectIdRule, MergeSettings]:
    return config.of(SubjectIdRule), config.of(MergeSettings)


def _people(
    step: StepInput[ReleaseSettings],
    treated: TreatedPilot | None,
    original: EncodedRecords,
    key: bytes,
    as_numbers: bool,
) -> tuple[ReleasePeople, Release]:
    config = step.assessment.config
    kept, recoded = np.arange(original.n_people), dict[str, RecodedColumn]()
    if treated is not None:
        release, kept = treated.release, treated.kept
        recoded = recoded_columns(original, treated.records, treated.values, kept)
    else:
        release = Release(step.pilot, name_of_release(step.dataset.sha256, config))
    roles = config.quasi_identifiers + config.sensitive_features
    days = days_of_release(config)
    return people_of(original.ids(), kept, recoded, roles, key, release, days, as_numbers), release


def _promised(step: StepInput[ReleaseSettings], original: EncodedRecords) -> Assessment:
    """k, l and t of the untreated pilot, if nothing was treated."""
    values = {name: column.values for name, column in original.columns.items()}
    return evaluated(original, values, step.assessment.config)


def _class_of_person(people: ReleasePeople, promised: Assessment) -> np.ndarray:
    """The equivalence class of each person (n_people,) of the pilot; 0 for those who are removed."""
    classes = np.zeros(len(people.ids), dtype=np.int64)
    classes[people.stays] = places_of_all(promised.people.classes_of_blocks())
    return classes


def _with_kept_terms(
    step: StepInput[ReleaseSettings],
    released: ReleasedStudy,
    people: ReleasePeople,
    classes: np.ndarray,
    drawn: Drawn,
    original: EncodedRecords,
) -> tuple[ReleasePeople, np.ndarray, bool]:
    """The people and their classes, after some lost their quasi-identifiers so that terms stay; whether some did.

    A few people who are alone by a fact among all people are left out: no class would hide them.
    """
    rare, config = step.settings.rare_terms, step.assessment.config
    if rare is None or not rare.keep:
        return people, classes, False
    kinds = [kind for kind in KINDS if kind in rare.keep]
    domains = {released.model.domain(name) for name in released.files}
    if unknown := [one for one in rare.keep if one not in (*kinds, *domains)]:
        raise FaultyInputError(
            f"release['rare_terms']['keep']: {listed(unknown)} {'is' if len(unknown) == 1 else 'are'} neither a domain "
            f"of the release nor a kind of fact; allowed: {listed([*sorted(domains), *KINDS])}"
        )
    facts = facts_held(released, people, config.of(SubjectIdRule).column, kinds)
    alone = alone_in_all(facts, people.stays)
    if alone.sum() <= MOST_LEFT_OUT * people.stays.sum():
        people = dataclasses.replace(people, stays=people.stays & ~alone)
    held = terms_held(released, rare.keep, rare.at_least).and_also(facts)
    of_those_who_leave, numbers = np.where(people.stays, classes, -1), drawn("quasi-identifiers")
    hidden = people_to_hide(of_those_who_leave, held, max(rare.at_least, config.K), numbers)
    people = without_quasi_identifiers(people, hidden, original, config.quasi_identifiers)
    return people, class_without_quasi_identifiers(classes, hidden), bool(hidden.any() or alone.any())


def _checked(
    step: StepInput[ReleaseSettings],
    files: Mapping[str, bytes | Path],
    package: Path,
    tables: dict[str, SourceTable],
    joins: tuple[KeyJoin, ...],
    study: Study,
    made: Made,
    promised: Assessment,
    original: EncodedRecords,
    of_source: Mapping[str, pd.Series],
) -> PackageChecked:
    """What a recipient finds: the package from disk, merged by door 1, evaluated, and searched for the originals.

    ``tables`` are those of the package; they are given up as soon as they are merged. ``of_source``: columns of people
    that were not merged, which rows may disclose.
    """
    rule, released, people = made.rule, made.released, made.people
    texts = [name for name in ("README.txt", "codebook.json", DEFINITION) if name in files]
    beside = {name: (package / name).read_text(encoding="utf-8") for name in texts}
    definition = files.get(DEFINITION)
    no_definition = what_it_does_not_say(definition, tables) if isinstance(definition, bytes) else ""
    traces = find_traces(study, released, tables, people, beside, rule.column)
    identifiers, not_scanned = _identifiers_in(tables, released, step)
    known = step.settings.outsiders_know
    known = dataclasses.replace(known, kinds=kinds_to_count(known.kinds, released))
    telling = rows_with_facts(tables, study.model, rule, known.kinds, step.files.rows_to_search)
    stay = {f"{account.domain}__{account.variable}" for account in released.accounts if account.stays}
    dropped = {name: values for name, values in of_source.items() if name not in stay}
    summaries = summarised(tables, people, original, rule, study.model, dropped, step.files.rows_to_search)
    with progress("Merging the package"):
        config = step.assessment.config
        records = step.files.merged(partial(merged_again, rule, made.merge, tables))
        merged = evaluated_package(records, original, config, promised.config)
    tables.clear()  # the ids and texts of all people, which nothing needs again
    found = merged.assessment
    identified = IdentifierOutcome(identifiers, assessed=found.config.quasi_identifiers)
    leaving = leaving_of(merged, step.assessment, original, made, summaries)
    assert leaving.made_of is not None
    of_people = leaving.made_of.position, merged.classes
    dates = dated_rows(released, study, people, *of_people, made.harmless, step.files.rows_to_search)
    findings = ReleaseFindings.of(leaving, dates)
    course = _course(step, merged, telling, SubjectIdRule(column=rule.column), study.model, known)

    def answers(policy: Policy) -> dict[str, Answer]:
        by_classes = three_questions(policy, found, identified=identified)
        return without_rows(by_classes) if course is None else by_classes

    with_earlier = _beside_earlier(step, merged, people, made.release, original)
    return PackageChecked(
        found,
        promised,
        traces,
        identifiers,
        answers,
        findings,
        no_definition,
        course,
        with_earlier,
        not_scanned,
        joins,
        tuple(proposed_by_values(released, study, config.K)),
        times=step.settings.times,
    )


def _course(
    step: StepInput[ReleaseSettings],
    merged: MergedPackage,
    telling: Mapping[str, RowsOfTable | None],
    rule: SubjectIdRule,
    model: StudyModel,
    known: OutsidersKnow,
) -> CourseRisk | None:
    """The longitudinal risk; None if its rows are more than can be searched."""
    rows = {name: found for name, found in telling.items() if found is not None}
    if len(rows) < len(telling):
        return None
    k, settings = merged.assessment.config.K, step.settings
    ids, classes = merged.records.ids(), merged.classes
    texts = {name: merged.text(name) for name in merged.assessment.config.quasi_identifiers}
    columns = {name: pd.factorize(text)[0] for name, text in texts.items() if text is not None}
    return course_risk(rows, ids, classes, k, rule, known, model, settings.rare_terms, columns)


def _declared_harmless(step: StepInput[ReleaseSettings]) -> dict[str, str]:
    """Columns that the config declares harmless, and why: under ``treatment`` or ``identifiers``."""
    found: dict[str, str] = {}
    for name in ("treatment", "identifiers"):
        found |= getattr(step.assessment.config.settings.get(name), "harmless", {})
    return found


def _beside_earlier(
    step: StepInput[ReleaseSettings],
    package: MergedPackage,
    people: ReleasePeople,
    release: Release,
    original: EncodedRecords,
) -> BesideEarlier | None:
    """What the package discloses with the earlier release that the config names; None if it names none."""
    named = step.settings.earlier
    if named is None:
        return None
    rule, merge = _rules(step.assessment.config)
    tables, inputs = read_earlier(named, step.folder, step.files.read_package(partial(is_divisible, rule=rule)))
    config, before = step.assessment.config, Release(release.pilot, named.name or release.name)
    records = step.files.merged(partial(merged_again, rule, merge, tables))
    earlier = evaluated_package(records, original, config, config)
    return beside_earlier(package, earlier, people, read_key(step.settings.key_from, step.folder), before, inputs)


def _identifiers_in(
    opened: Mapping[str, SourceTable], released: ReleasedStudy, step: StepInput[ReleaseSettings]
) -> tuple[tuple[ColumnFinding, ...], tuple[str, ...]]:
    """What the scan of identifiers finds in the files of people, and the config does not explain.

    Pseudonyms and moved dates look like their originals, and are skipped; data sets of more rows than can be searched
    are only named.
    """
    disguised = {(account.file, account.variable) for account in released.accounts if account.is_disguised}
    found: list[ColumnFinding] = []
    too_many = []
    for name, table in opened.items():
        if not released.files[name].has_people:
            continue
        if not table.fits(step.files.rows_to_search):
            too_many.append(name)
            continue
        names = map(str, table.frame)
        columns = [column for column in names if (name, column) not in disguised and column != SUBJECT_COLUMN]
        ids = table.column(SUBJECT_COLUMN) if SUBJECT_COLUMN in table.frame else None
        found += scan_columns(table, columns, ids).findings
    declared = step.earlier["identifiers"].outcome if "identifiers" in step.earlier else IdentifierOutcome()
    left = tuple(finding for finding in found if finding.vetoes and not declared.is_answered(finding))
    return left, tuple(too_many)
