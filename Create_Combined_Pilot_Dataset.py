"""Door 1: a pilot's domain files -> one row per subject, ``processed_for_anonym/combined_dataset.csv``.

python Create_Combined_Pilot_Dataset.py              the pilot that .env names
python Create_Combined_Pilot_Dataset.py PENTELI ...  these pilots
python Create_Combined_Pilot_Dataset.py --all        every pilot that has a config

A pilot without a config is merged with the defaults, and gets a drafted one, to be reviewed.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import Any

from disclosure_control.run.starting import begin

if __name__ == "__main__":
    begin(arrow_from="jemalloc")

from tabulate import tabulate

from config import (
    COMBINED_DATASET,
    MERGE_REPORT,
    REVIEW,
    TYPED_DATASET,
    lines_to_review,
    parse_config,
    parse_config_file,
    sheet_of,
)
from config.model_settings import read_further_keys
from disclosure_control.assess.staleness import remembered_of_merge
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.merged_domains import NOTES_SHOWN, ToldDomain, notes_shown, shown
from disclosure_control.basics.telling.small_counts import MASKED, count_text, people_on_screen
from disclosure_control.basics.telling.words import counted
from disclosure_control.draft.sheet import SheetUpdate, said_of_closed
from disclosure_control.records.choice import AUTO, MERGING, Choice, engine_of_merge
from disclosure_control.records.merging import choose_merging, working_on
from disclosure_control.run.config_files import DRAFTED, stop_if_closed, write_draft, write_sheet
from disclosure_control.run.doors import DONE, Door, Outcome, Pilot, run_door, sheet_beside
from disclosure_control.run.memory import give_freed_memory_back
from disclosure_control.run.results import files_of_set, staged
from disclosure_control.steps import READERS
from study import KEY_READERS
from study.columns.sheet import ColumnSheet
from study.formats.hand_over import about_text, typed_bytes
from study.merge.combine import Combined, combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule

_NOTHING_DRAFTED_FROM_DISK = (
    "{name}: a draft needs all records in memory, but {reason}; write config = {{}} into it to merge the files, or "
    "draft it from the files of some people"
)


def combine_pilot(pilot: Pilot, options: argparse.Namespace) -> Outcome:
    """Merge the domain files of one pilot and publish the combined dataset with its report.

    Raises ``FaultyInputError`` with all faults of the config's keys, or of the files, at once.
    """

    return _combine_by(choose_merging(options.engine, pilot.folder), pilot)


def _combine_by(choice: Choice, pilot: Pilot, update: SheetUpdate | None = None) -> Outcome:

    rule, settings = merge_settings(pilot.config)
    if choice.reason:
        pilot.log.notice(choice.reason)
    if not choice.engine.has_all:
        give_freed_memory_back()
    with working_on(choice.name, pilot.folder, pilot.results) as working:
        working = working if update is None else dataclasses.replace(working, look=update.look)
        with pilot.log.step("merge") as counts:
            combined = combine_domains(pilot.folder, rule, settings, working)
            counts |= {"subjects": combined.n_subjects, "columns": len(combined.columns) - 1}
        outcome = _published(pilot, combined)
    if update is not None:
        for line in update.merged(combined):
            pilot.log.say(line)
        if update.is_other:
            stop_if_closed(update.sheet.file.path.parent, f"{update.sheet.file.name}, which has new columns")
            write_sheet(update.rows, update.sheet.file.path, pilot.sheet)
    return outcome


def _update_of_sheet(pilot: Pilot) -> SheetUpdate:
    """What this export brings to the sheet of columns; to an empty one, where there is none."""

    sheet = pilot.sheet or ColumnSheet(SourceFile(sheet_of(pilot.config_file.path), b""))
    return SheetUpdate(sheet, parse_config_file(pilot.config_file), is_first=pilot.sheet is None)


def combine_or_draft(pilot: Pilot, options: argparse.Namespace) -> Outcome:
    """The same; of a pilot without a config, or where ``--draft-config`` asks for it, a config is drafted as well.

    The draft never takes the place of a config: beside one it gets a name that no run reads.
    """

    choice = choose_merging(options.engine, pilot.folder)
    if pilot.is_configured and not options.draft_config:
        return _combine_by(choice, pilot, _update_of_sheet(pilot))
    if not choice.engine.has_all:
        reason = choice.reason.rstrip(".") or f"--engine {choice.name} was asked for"
        raise FaultyInputError(_NOTHING_DRAFTED_FROM_DISK.format(name=pilot.config_file.name, reason=reason))

    stop_if_closed(pilot.config_file.path.parent, pilot.config_file.name)
    from disclosure_control.draft.draft import draft_config  # most runs need none of it

    outcome, fault = None, None
    if pilot.is_configured:
        try:
            outcome = _combine_by(choice, pilot, _update_of_sheet(pilot))
        except FaultyInputError as error:  # the draft may have the lines that it lacks
            fault = error
    try:
        given = parse_config_file(pilot.config_file) if pilot.is_configured else {}
        draft = draft_config(pilot.name, pilot.folder, given, pilot.sheet)
    except FaultyInputError as error:
        if pilot.is_configured:
            raise (fault or error) from None
        raise FaultyInputError([*error.faults, _nothing_drafted(pilot.config_file.name)]) from None
    path = write_draft(draft.text, pilot.config_file.path.parent, pilot.name, DRAFTED if pilot.is_configured else "")
    if draft.rows:
        write_sheet(draft.rows, sheet_of(path), pilot.sheet)
    if fault is not None:
        raise FaultyInputError(
            [*fault.faults, f"{path.name}: drafted beside it, with the settings that the files need"]
        )
    n_to_review = lines_to_review(draft.text)
    if outcome is None:
        sheet, literal = sheet_beside(pilot.config_file), parse_config(draft.text, path.name)
        as_drafted = dataclasses.replace(pilot, config=literal if sheet is None else sheet.below(literal))
        outcome = _published(as_drafted, draft.combined)
    for line in said_of_closed(dict(enumerate(draft.rows, start=2)), sheet_of(path).name):
        pilot.log.say(line)
    to_decide = f'{n_to_review} lines marked "# {REVIEW}"'
    pilot.log.say(f"  drafted {path}: decide the {to_decide}, then run Main_Anonymization.py")
    return Outcome(outcome.status, f"{outcome.words}; drafted {path.name}, {n_to_review} lines to review")


def _nothing_drafted(name: str) -> str:
    return (
        f"{name}: not drafted, because the files cannot be merged yet; correct them, or write the settings named above "
        "into it as config = {...}; --draft-config then drafts the other settings beside it"
    )


def _published(pilot: Pilot, combined: Combined) -> Outcome:
    report = combined.report
    of_files = [note for file in report["inputs"].values() for note in file["notes"]]
    notes = [*report["notes"], *of_files, *report["left_out"].values()]
    of_door_2 = files_of_set(pilot.results / f"{pilot.name}_privacy_summary.json")
    with pilot.log.step("write"), staged(pilot.results, MERGE_REPORT, is_restricted=True, carried=of_door_2) as results:
        results.write_table(COMBINED_DATASET, combined.pieces, for_people=False)
        n_bytes = (results.staging / COMBINED_DATASET).stat().st_size
        about = about_text(n_bytes, results.files[COMBINED_DATASET]["sha256"])
        results.write_bytes(TYPED_DATASET, typed_bytes(combined.pieces, combined.numbers, about), hand_to_hand=False)
        said = {**combined.report, NOTES_SHOWN: notes_shown(notes), **remembered_of_merge(pilot.config)}
        results.publish({"schema": 1, "pilot": pilot.name, **said})
    for notice in results.notices:
        pilot.log.notice(notice)
    pilot.log.say(merge_table(combined.report))
    n_columns = len(combined.columns) - 1
    return Outcome(
        DONE, f"{counted(combined.n_subjects, 'subject')}, {counted(n_columns, 'column')} in {COMBINED_DATASET}"
    )


def merge_settings(literal: dict[str, Any]) -> tuple[SubjectIdRule, MergeSettings]:
    """The config's rule for subject ids and its rules of the merge.

    Raises ``FaultyInputError`` with the faults of these keys, and with unknown keys. The keys of the models
    and of the steps are not checked: before the first merge the columns that they name are unknown.
    """

    settings: dict[str, Any] = read_further_keys(literal, KEY_READERS, READERS)
    return settings.get("subject_id", SubjectIdRule()), settings.get("merge", MergeSettings())


def merge_table(report: dict[str, Any]) -> str:
    """What was done with each domain, in counts: dropped, kept, collapsed, unmatched, left out, guessed.

    For screens and logs: a count from 1 to 9, of people or of records, is masked, and so is any from which it could be
    calculated with the number of all subjects. The merge report, which is restricted, has all of them.
    """

    headers = ["Domain", "Form", "Rows", "Subjects", "Without record"]
    headers += ["Columns", "Collapsed", "Not done", "Columns dropped"]
    rows, n_all = [], report["subjects"]
    for domain, counts in report["domains"].items():
        n_columns = sum(name.startswith(f"{domain}__") for name in report["columns"])
        dropped = len(counts.get("dropped_columns", ()))
        told = ToldDomain.of(MASKED, counts, n_all)
        of_people = map(count_text, (told.rows, told.subjects, told.without_record))
        few = map(count_text, (told.collapsed, told.not_done))
        rows.append([domain, counts["form"], *of_people, n_columns, *few, dropped])
    lines = [tabulate(rows, headers, tablefmt="simple_outline")]
    reported = {
        "unknown_subjects_left_out": "subjects that are not in DM were left out",
        "people_only_here": "people are in no other table",
        "rows_of_other_studies": "rows of other studies were left out",
        "supplemental_without_parent": "supplemental records belong to no record of the domain",
        "undecided_ties": "ties between values of the same time were decided by the value",
        "without_value": "records have no result",
        "without_test": "records name no test",
        "text_left_out_of_summaries": "text results were left out of a mean, minimum or maximum",
    }
    for domain, counts in (report["domains"] | report["inputs"]).items():
        told_of = {words: people_on_screen(counts[key]) for key, words in reported.items() if counts.get(key)}
        lines += [f"  {domain}: {number} {words}" for words, number in told_of.items()]
    lines += [f"  {name}: {shown(note)}" for name, file in report["inputs"].items() for note in file["notes"]]
    lines += [f"  left out: {name}, {shown(reason)}" for name, reason in report["left_out"].items()]
    lines += [f"  {shown(note)}" for note in report["notes"]]
    if report["dropped_columns"]:
        lines.append(f"  dropped by the config: {', '.join(report['dropped_columns'])}")
    return "\n".join(lines)


def add_merge_options(parser: argparse.ArgumentParser) -> None:
    """The options of this door beside those that both have."""
    parser.add_argument("--draft-config", action="store_true", help="draft a config beside the pilot's own, to compare")
    parser.add_argument(
        "--engine",
        type=engine_of_merge,
        choices=(AUTO, *MERGING),
        default=AUTO,
        help="where to keep the records: in memory, on disk if they do not fit, or chosen by the files (default)",
    )


DOOR = Door("Create_Combined_Pilot_Dataset.py", combine_or_draft, needs_config=False)


if __name__ == "__main__":
    sys.exit(run_door(__doc__, DOOR.process, None, add_merge_options, DOOR.needs_config, DOOR.name))
