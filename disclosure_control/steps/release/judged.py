"""The stage after the last one: what a recipient finds in a package, merged as door 1 merges it, and searched."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.attack.dates.dated_rows import dated_rows
from disclosure_control.attack.earlier import EarlierReleases
from disclosure_control.attack.release_findings import ReleaseFindings, nothing_found
from disclosure_control.attack.tells.merged import MergedPackage, evaluated_package, leaving_of
from disclosure_control.attack.tells.summaries import SummariesOfFiles
from disclosure_control.attack.tells.summarised import summarised
from disclosure_control.attack.traces.traces import find_traces
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.outcome import IdentifierOutcome
from disclosure_control.identifiers.scan import scan_columns
from disclosure_control.release.facts.facts import kinds_to_count, rows_with_facts
from disclosure_control.release.facts.opened_rows import RowsOfTable
from disclosure_control.release.making import Making
from disclosure_control.release.numbering import numbered_columns
from disclosure_control.release.package import merged_again
from disclosure_control.release.settings import OutsidersKnow, ReleaseSettings
from disclosure_control.release.undecided import staying_here
from disclosure_control.remedy.treatments.one_release import days_of_release
from disclosure_control.steps.release.checked import PackageChecked, reasons_of
from disclosure_control.steps.release.course import CourseRisk, course_risk
from disclosure_control.steps.release.earlier import beside_earlier
from disclosure_control.steps.release.foreseen import foreseen
from disclosure_control.steps.running import Asks, StepInput
from study.formats.tables import SourceTable
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.flat import FLAT


def judged(making: Making, step: StepInput[ReleaseSettings], earlier: EarlierReleases | None = None) -> PackageChecked:
    """What a recipient finds in the package, searched for the originals, merged by door 1, and evaluated.

    Needs the package as it is read. A first look searches for no originals and no identifiers, and attacks nothing; a
    trial may end with it, if it finds a reason that no line of a config answers.
    """
    asked, study, released, people = making.asked, making.study, making.released, making.people
    tables, rule, most = making.package.tables, asked.rule, asked.files.rows_to_search
    known = asked.settings.outsiders_know
    known = dataclasses.replace(known, kinds=kinds_to_count(known.kinds, released))
    telling = rows_with_facts(tables, study.model, rule, known.kinds, most)
    # A merge from disk gives up the rows, so these are searched before it; others only if they are not held by then.
    is_from_disk = not all(table.fits(0) for table in tables.values())
    searched = _searched(making, step) if is_from_disk and step.asks >= Asks.UNTIL_HELD else None
    with progress("Merging the package"):
        merged = _merged(making, _merge_of(making), tables, asked.promised.config)
    whose, harmless, days = _whose(making, merged), asked.harmless, days_of_release(asked.config)
    leaving = leaving_of(merged, step.assessment, asked.original, released, whose, days, harmless)
    checked = PackageChecked(
        making,
        merged.assessment,
        ReleaseFindings.first(leaving) if step.asks <= Asks.UNTIL_HELD else nothing_found,
        _course(making, merged, telling, known),
        None if earlier is None else beside_earlier(merged, earlier, people, making.n_held_back),
        tuple(staying_here(released, study)),
    )
    if step.asks < Asks.UNTIL_HELD or _is_held(step, reasons_of(MASKED, checked)):
        return checked
    found, summaries = searched or _searched(making, step)
    tables.clear()  # the ids and texts of all people, which nothing needs again
    checked = dataclasses.replace(checked, **found)
    leaving = dataclasses.replace(leaving, files=summaries)
    findings = ReleaseFindings.of(
        leaving,
        dated_rows(released, study, people, whose, harmless, most),
        is_enough=lambda found: step.asks is Asks.UNTIL_HELD and bool((*found, *reasons_of(MASKED, checked))),
    )
    checked = dataclasses.replace(checked, findings=findings)
    if step.asks in (Asks.UNTIL_HELD, Asks.AHEAD) and not _is_held(step, reasons := reasons_of(MASKED, checked)):
        spared = getattr(asked.config.settings.get("recommend"), "stay_fine", ())
        checked = dataclasses.replace(checked, foreseen=tuple(foreseen(leaving, reasons, spared)))
    return checked


def _is_held(step: StepInput[ReleaseSettings], reasons: Iterable[Reason]) -> bool:
    """Whether a trial that ends where it is held has a reason that no line answers: what lines answer is found whole,
    so that one more run is enough.
    """
    return step.asks is Asks.UNTIL_HELD and not all(one.changes for one in reasons)


def _searched(making: Making, step: StepInput[ReleaseSettings]) -> tuple[dict[str, Any], SummariesOfFiles | None]:
    """What the tables of the package have of originals and identifiers, and what their rows say of people."""
    asked, study, released, people = making.asked, making.study, making.released, making.people
    tables = making.package.tables
    column, most = asked.rule.column, asked.files.rows_to_search
    traces = find_traces(study, released, tables, people, making.package.texts, column, asked.kept)
    identifiers, not_scanned = _identifiers_in(tables, making, step)
    stay = {f"{account.domain}__{account.variable}" for account in released.accounts if account.stays}
    dropped = {name: values for name, values in making.of_source.items() if name not in stay}
    # Numbers made anew count rows, which the rows do, in an order that hangs on the key: an attack would find it by one
    # key, and not by another.
    drawn = {name: numbered_columns(file) for name, file in released.files.items()}
    summaries = summarised(tables, people, asked.original, asked.rule, study.model, dropped, most, drawn)
    return {"traces": traces, "identifiers": identifiers, "not_scanned": not_scanned}, summaries


def _merge_of(making: Making) -> MergeSettings:
    """How the package is merged: as the data model of the study has it.

    Plain tables without a person stay out: what made them so may have been removed, and the package would be at fault.
    """
    model, merge = making.study.model, making.asked.merge
    of_no_person = model.left_out if model.model == FLAT else ()
    return dataclasses.replace(merge, model=model.model, ignore=(*merge.ignore, *of_no_person))


def _merged(
    making: Making, merge: MergeSettings, tables: Mapping[str, SourceTable], config: PilotConfig
) -> MergedPackage:
    asked = making.asked
    records = asked.files.merged(partial(merged_again, asked.rule, merge, tables))
    return evaluated_package(records, asked.original, asked.config, config)


def _whose(making: Making, merged: MergedPackage) -> np.ndarray:
    """Whose record each one of the package is (n_kept,), as positions in the pilot."""
    if making.asked.rule.column is None:  # the rows of a single file keep their order
        (file,) = making.released.files.values()
        return file.people
    return making.people.known_pseudonyms.positions(merged.records.ids())


def _course(
    making: Making, merged: MergedPackage, telling: Mapping[str, RowsOfTable | None], known: OutsidersKnow
) -> CourseRisk | None:
    """The longitudinal risk; None if its rows are more than can be searched."""
    rows = {name: found for name, found in telling.items() if found is not None}
    if len(rows) < len(telling):
        return None
    rule, rare_terms = SubjectIdRule(column=making.asked.rule.column), making.asked.settings.rare_terms
    config, ids, classes = merged.assessment.config, merged.records.ids(), merged.classes
    texts = {name: merged.text(name) for name in config.quasi_identifiers}
    columns = {name: pd.factorize(text)[0] for name, text in texts.items() if text is not None}
    return course_risk(rows, ids, classes, config.K, rule, known, making.study.model, rare_terms, columns)


def _identifiers_in(
    opened: Mapping[str, SourceTable], making: Making, step: StepInput[ReleaseSettings]
) -> tuple[tuple[ColumnFinding, ...], tuple[str, ...]]:
    """What the scan of identifiers finds in the files of people, and the config does not explain.

    Pseudonyms and moved dates look like their originals, and are skipped; data sets of more rows than can be searched
    are only named.
    """
    released = making.released
    disguised = {(account.file, account.variable) for account in released.accounts if account.is_disguised}
    found: list[ColumnFinding] = []
    too_many = []
    for name, table in opened.items():
        if not released.files[name].has_people:
            continue
        if not table.fits(making.asked.files.rows_to_search):
            too_many.append(name)
            continue
        names = map(str, table.frame)
        columns = [column for column in names if (name, column) not in disguised and column != SUBJECT_COLUMN]
        ids = table.column(SUBJECT_COLUMN) if SUBJECT_COLUMN in table.frame else None
        found += scan_columns(table, columns, ids, making.asked.kept).findings
    declared = step.earlier["identifiers"].outcome if "identifiers" in step.earlier else IdentifierOutcome()
    left = tuple(finding for finding in found if finding.vetoes and not declared.is_answered(finding))
    return left, tuple(too_many)
