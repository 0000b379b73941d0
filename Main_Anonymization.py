"""Door 2: from the combined dataset and the config to reports on the risk of a pilot, and files of records at risk.

    python Main_Anonymization.py              the pilot of .env
    python Main_Anonymization.py PENTELI ...  these pilots
    python Main_Anonymization.py --all        every pilot that has a config

``--fail-on-risk PERCENT`` ends with status 1 if k, l or t flags a larger share of the evaluated people, if a column
names people, or if what outsiders may know singles them out. It judges the data to be released if there is a treatment
or a release, else the untreated pilot.
``--shareable`` also writes a page to share, without small counts; ``--verbose`` prints every section in full.
``--propose`` also writes the next config, PILOT.proposed.py, with what the reasons of this run propose.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import sys

from disclosure_control.run.starting import begin

if __name__ == "__main__":
    begin(arrow_from="system")

from collections.abc import Mapping
from functools import partial

from config import COMBINED_DATASET, FILES_OF_MERGE, REVIEW, lines_to_review, text_of_config
from config.model_settings import notes_on_names
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.assess.came_in import merge_sections
from disclosure_control.assess.opening import OpenedPilot, opened
from disclosure_control.assess.risky_rows import risky_row_files
from disclosure_control.assess.staleness import staleness
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.kept import Kept
from disclosure_control.basics.telling.reasons import DECIDE, DECIDE_COLUMNS, Gravity, Reason
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.basics.telling.words import counted
from disclosure_control.records.choice import AUTO, ENGINES, choose_engine
from disclosure_control.remedy.treatments.keys import read_key
from disclosure_control.remedy.treatments.one_release import (
    is_named,
    key_of_release,
    length_of_pseudonyms,
    name_of_release,
)
from disclosure_control.report.evidence.manifest import figures_of
from disclosure_control.report.evidence.pack import EvidenceOf, write_evidence
from disclosure_control.report.history import history_sections, latest_memory, remember
from disclosure_control.report.page.files import page_inside, page_outside
from disclosure_control.report.run_texts import risky_shares, run_texts
from disclosure_control.report.run_told import told_to_both
from disclosure_control.report.trials import Trials
from disclosure_control.report.verdict import Verdict
from disclosure_control.run.config_files import PROPOSED_CONFIG, write_draft
from disclosure_control.run.custody import KeptRelease, keep_release, kept_releases, other_key_notice
from disclosure_control.run.doors import DONE, INPUT_AT_FAULT, RISK_TOO_HIGH, Door, Outcome, Pilot, run_door
from disclosure_control.run.fingerprints import fingerprint, fingerprint_of_json, key_of
from disclosure_control.run.memory import give_freed_memory_back
from disclosure_control.run.results import staged
from disclosure_control.steps import READERS
from disclosure_control.steps.running import records_needed, run_steps
from study.columns.sheet import ColumnSheet


def assess_pilot(pilot: Pilot, options: argparse.Namespace) -> Outcome:
    path = pilot.results / COMBINED_DATASET
    choice, kept = choose_engine(options.engine, path), Kept()
    if choice.reason:
        pilot.log.notice(choice.reason)
    if not choice.engine.has_all:
        give_freed_memory_back()
    with contextlib.ExitStack() as until_published:
        with pilot.log.step("read"):
            opening = opened(choice.name, path, pilot.config, READERS, records_needed, pilot.cluster)
            found = until_published.enter_context(opening)

        return _assess_opened(pilot, found, options, choice.name, kept)


def _assess_opened(pilot: Pilot, found: OpenedPilot, options: argparse.Namespace, engine: str, kept: Kept) -> Outcome:
    dataset = found.dataset
    with pilot.log.step("assess") as counts:
        assessment = evaluate(found.people, found.config)
        for sentence in assessment.notices:
            pilot.log.notice(sentence)
        counts["subjects"] = dataset.n_subjects
    how = pilot.log, pilot.left_out, pilot.started
    steps = run_steps(pilot.name, pilot.folder, dataset, assessment, *how, kept=kept)
    open_lines, key = undecided(pilot.config_file, pilot.sheet), key_of(pilot.results)
    stale = staleness(pilot.folder, pilot.results, dataset.sha256, pilot.config, key)
    notices = [
        *stale.notices,
        *notes_on_names(pilot.config),
        *(f"{reason.sentence} {reason.remedy}" for reason in open_lines),
    ]
    if pilot.sheet is not None:
        from disclosure_control.draft.sheet import said_of_closed

        notices += filter(None, ["\n".join(said_of_closed(pilot.sheet.rows, pilot.sheet.file.name)).strip()])
    inputs = {COMBINED_DATASET: {"sha256": dataset.sha256, "rows": dataset.n_subjects}}
    for result in steps.values():
        inputs |= result.inputs
    reasons = (*stale.reasons, *open_lines)
    run_of = (pilot.name, assessment, steps, inputs, notices, reasons, pilot.config, stale.declared)
    inside, outside = told_to_both(*run_of)
    texts, on_screen = run_texts(inside), run_texts(outside)
    memory = remember(latest_memory(pilot.results), pilot, inside.summary, assessment)
    summary = f"{pilot.name}_privacy_summary.json"
    with pilot.log.step("write"), staged(pilot.results, summary, carried=FILES_OF_MERGE) as results:
        for name, rows in risky_row_files(assessment):
            results.write_table(name, rows, for_people=True)
        for result in steps.values():
            results.write_all(result.tables, result.datasets, result.files, result.hand_to_hand)
        memory.write(results)
        of_sheet = [] if pilot.sheet is None else pilot.sheet.columns
        beside = [*history_sections(memory.lines), *merge_sections(EXACT, pilot.results, of_sheet)]
        results.write_text(f"{pilot.name}_privacy_report.html", page_inside(inside, beside), hand_to_hand=False)
        if options.shareable:
            shared = page_outside(outside, {section.key for section in beside})
            results.write_text(f"{pilot.name}_privacy_report_shareable.html", shared)
        results.write_text(f"{pilot.name}_privacy_summary.txt", texts.short, hand_to_hand=False)
        details = f"{texts.full}\n{results.who_may_read}"
        results.write_text(f"{pilot.name}_privacy_details.txt", details, hand_to_hand=False)
        figures = fingerprint_of_json(figures_of(inside.summary), key)
        write_evidence(results, EvidenceOf(pilot, outside, found.config, figures))
        results.publish(inside.summary)
        memory.keep_beside(pilot.results)
    if outside.leaving.assessment is not None:
        _into_custody(pilot, found)
    for notice in results.notices:
        pilot.log.notice(notice)
    pilot.log.say(on_screen.full_on_screen if options.verbose else on_screen.short)
    if options.propose:
        from disclosure_control.draft.next_config import propose_next  # most runs need none of it

        propose_next(
            Trials(pilot, engine, found.config, kept),
            outside.verdict,
            steps,
            partial(write_draft, folder=pilot.config_file.path.parent, pilot=pilot.name, beside=PROPOSED_CONFIG),
        )
    leaving = outside.leaving
    judged = (leaving.about, leaving.assessment) if leaving.assessment else (COMBINED_DATASET, assessment)
    return _outcome(*judged, outside.verdict, options.fail_on_risk)


def _into_custody(pilot: Pilot, found: OpenedPilot) -> None:
    """Keep whose pseudonyms this release has, so that they are found when the people are no longer in the pilot."""

    config = found.config
    if (place := key_of_release(config)) is None:
        return
    name = name_of_release(found.dataset.sha256, config)
    key = fingerprint(key_of(pilot.results), hashlib.sha256(read_key(place, pilot.folder)).hexdigest())
    if is_named(config) and (notice := other_key_notice(kept_releases(pilot.results), name, key)):
        pilot.log.notice(notice)
    ids = tuple(map(str, found.dataset.records().ids()))
    length = length_of_pseudonyms(config)
    keep_release(pilot.results, KeptRelease(name, pilot.started, key, length, is_named(config), ids))


def undecided(config_file: SourceFile, sheet: ColumnSheet | None = None) -> tuple[Reason, ...]:
    """Reasons to hold while a drafted config has undecided lines, or its sheet of columns undecided rows."""
    found, n_lines = [], lines_to_review(text_of_config(config_file))
    if n_lines:
        sentence = f'{config_file.name} has {counted(n_lines, "line")} marked "# {REVIEW}", which only you can decide.'
        found.append(Reason(Gravity.NOT_DECIDED, sentence, DECIDE))
    if sheet is not None and sheet.n_open:
        sentence = f"{sheet.file.name} has {counted(sheet.n_open, 'column')} with a status, which only you can decide."
        found.append(Reason(Gravity.NOT_DECIDED, sentence, DECIDE_COLUMNS))
    return tuple(found)


def _outcome(judged: str, assessment: Assessment, verdict: Verdict, limit: float | None) -> Outcome:
    """The line of a pilot in the table of outcomes: the verdict, and the shares of risk in the judged product."""

    words = risky_shares(assessment)
    said = str(verdict.figures["verdict"])

    def outcome(status: int, why: str) -> Outcome:
        return Outcome(status, f"{said}{why}, {words}", verdict=said)

    # Where nothing could be evaluated nothing was shown to be safe.
    if limit is not None and any(
        r.n_evaluated == 0 or 100 * r.n_risky > limit * r.n_evaluated for r in assessment.results
    ):
        return outcome(RISK_TOO_HIGH, f"; {judged}: risky above {limit:g}% of the evaluated")
    if limit is not None and verdict.vetoes:
        return outcome(RISK_TOO_HIGH, f": {min(verdict.vetoes).sentence} {judged}: risky share of the evaluated")
    return outcome(DONE, f"; {judged}: risky share of the evaluated")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this door beside those that both have."""
    parser.add_argument("--fail-on-risk", type=_percent, metavar="PERCENT", help="end with status 1 above this share")
    parser.add_argument("--shareable", action="store_true", help="also write a page to share, without small counts")
    parser.add_argument(
        "--propose", action="store_true", help="also write the next config beside the pilot's, PILOT.proposed.py"
    )
    parser.add_argument("--verbose", action="store_true", help="print every section in full")
    parser.add_argument(
        "--engine",
        choices=(AUTO, *ENGINES),
        default=AUTO,
        help="where to keep the records: in memory, on disk if they do not fit, on disk for several workers to count, "
        "or in memory or on disk, chosen by the file (default)",
    )


def _percent(text: str) -> float:
    value = -1.0
    with contextlib.suppress(ValueError):
        value = float(text)
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError("allowed: a number from 0 to 100")
    return value


def config_in_this_file(names: Mapping[str, object]) -> str | None:
    """What is wrong where a config was written into this file, as step 3 of the deliverable has it; None where not."""
    keys = {"categorical_qis", "continuous_qis", "sensitive_feature"}
    for name, value in names.items():
        if isinstance(value, dict) and keys & set(value):
            return (
                f"{name}: a config in Main_Anonymization.py is not read; write it into config/<PILOT>.py as "
                '"config = {...}", and the name of the pilot into .env as BIOSTREAMS_PILOT'
            )
    return None


DOOR = Door("Main_Anonymization.py", assess_pilot)


if __name__ == "__main__":
    if misplaced := config_in_this_file(globals()):
        print(misplaced, file=sys.stderr)
        sys.exit(INPUT_AT_FAULT)
    sys.exit(run_door(__doc__, DOOR.process, None, add_options, name=DOOR.name))
