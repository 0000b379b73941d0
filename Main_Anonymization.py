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
import sys
from typing import TYPE_CHECKING

from disclosure_control.run.memory import keep_freed_memory, look_for_cycles_rarely

if __name__ == "__main__":
    look_for_cycles_rarely()
    keep_freed_memory(arrow_from="system")

from config import FILES_OF_MERGE, REVIEW, combined_dataset_in, lines_to_review, text_of_config
from disclosure_control.basics.telling.reasons import DECIDE, Gravity, Reason
from disclosure_control.basics.telling.words import counted
from disclosure_control.records.choice import AUTO, ENGINES
from disclosure_control.run.doors import DONE, RISK_TOO_HIGH, Outcome, Pilot, run_door
from disclosure_control.run.memory import give_freed_memory_back

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from config.model_settings import PilotConfig
    from disclosure_control.assess.assessment import Assessment
    from disclosure_control.assess.opening import OpenedPilot
    from disclosure_control.basics.files import SourceFile
    from disclosure_control.report.verdict import Verdict
    from disclosure_control.run.logs import Log
    from disclosure_control.steps.running import StepResult

    Check = Callable[[Mapping[str, Any]], object]
    Run = Callable[[Mapping[str, Any], str], Verdict]


def assess_pilot(pilot: Pilot, options: argparse.Namespace) -> Outcome:
    from disclosure_control.assess.opening import opened
    from disclosure_control.records.choice import choose_engine
    from disclosure_control.steps import READERS
    from disclosure_control.steps.running import records_needed

    path = combined_dataset_in(pilot.results)
    choice = choose_engine(options.engine, path)
    if choice.reason:
        pilot.log.notice(choice.reason)
    if choice.engine.gives_memory_back:
        give_freed_memory_back()
    with contextlib.ExitStack() as until_published:
        with pilot.log.step("read"):
            opening = opened(choice.name, path, pilot.config, READERS, records_needed, pilot.cluster)
            found = until_published.enter_context(opening)

        def check(literal: Mapping[str, Any]) -> object:
            from disclosure_control.assess.combined_dataset import checked_config
            from disclosure_control.remedy.treatments.keys import with_keys_to_come

            with with_keys_to_come(literal):
                return checked_config(path, literal, READERS)

        def run(literal: Mapping[str, Any], words: str) -> Verdict:
            from disclosure_control.remedy.treatments.keys import with_keys_to_come

            engine, log = choice.name, pilot.log
            with with_keys_to_come(literal):
                check(literal)
                with opened(engine, path, literal, READERS, records_needed, pilot.cluster) as tried:
                    log.say(words)
                    return _verdict_of(pilot, tried, literal, log)

        return _assess_opened(pilot, found, options, check, run)


def _verdict_of(pilot: Pilot, found: OpenedPilot, literal: Mapping[str, Any], log: Log) -> Verdict:
    """The verdict of a run by another config; nothing is published."""
    from disclosure_control.assess.assessment import evaluate
    from disclosure_control.report.verdict import verdict_on, what_leaves
    from disclosure_control.steps.running import run_steps

    assessment = evaluate(found.people, found.config)
    steps = run_steps(pilot.name, pilot.folder, found.dataset, assessment, log, pilot.left_out, pilot.started)
    return verdict_on(what_leaves(steps), steps, (), literal)


def _assess_opened(pilot: Pilot, found: OpenedPilot, options: argparse.Namespace, check: Check, run: Run) -> Outcome:
    from disclosure_control.assess.assessment import evaluate
    from disclosure_control.assess.came_in import merge_sections
    from disclosure_control.assess.risky_rows import risky_row_files
    from disclosure_control.assess.staleness import stale_merge_notices
    from disclosure_control.report.evidence.pack import EvidenceOf, write_evidence
    from disclosure_control.report.evidence.rules import rules_figures, rules_line, rules_section
    from disclosure_control.report.history import history_sections, latest_memory, remember
    from disclosure_control.report.page.files import controller_sections, page_files
    from disclosure_control.report.run_texts import run_texts
    from disclosure_control.report.summary import privacy_summary
    from disclosure_control.report.verdict import verdict_on, what_leaves
    from disclosure_control.rules.judging import judged_books
    from disclosure_control.run.results import staged
    from disclosure_control.steps.running import run_steps

    dataset = found.dataset
    memory = latest_memory(pilot.results)
    with pilot.log.step("assess") as counts:
        assessment = evaluate(found.people, found.config, announce=pilot.log.notice)
        counts["subjects"] = dataset.n_subjects
    steps = run_steps(pilot.name, pilot.folder, dataset, assessment, pilot.log, pilot.left_out, pilot.started)
    leaving = what_leaves(steps)
    open_lines = undecided(pilot.config_file)
    verdict = verdict_on(leaving, steps, open_lines, pilot.config)
    notices = stale_merge_notices(pilot.folder, pilot.results, dataset.file, dataset.sha256)
    notices += [f"{reason.sentence} {reason.remedy}" for reason in open_lines]
    inputs = {dataset.file: {"sha256": dataset.sha256, "rows": dataset.n_subjects}}
    for result in steps.values():
        inputs |= result.inputs
    figures = {name: result.figures for name, result in steps.items()}
    summary = {"verdict": verdict.figures, **privacy_summary(pilot.name, assessment, inputs, notices), **figures}
    rules = judged_books(summary)
    summary |= {"rules": rules_figures(rules)}
    texts = run_texts(pilot.name, assessment, steps, notices, verdict.text + rules_line(rules))
    memory = remember(memory, pilot, summary, assessment)
    name, of_door_1 = f"{pilot.name}_privacy_summary.json", FILES_OF_MERGE
    with pilot.log.step("write"), staged(pilot.results, name, carried=of_door_1) as results:
        for name, rows in risky_row_files(assessment):
            results.write_table(name, rows, for_people=True)
        for result in steps.values():
            results.write_all(result.tables, result.datasets, result.files, result.hand_to_hand)
        memory.write(results)
        told = controller_sections(assessment, notices, steps)
        beside = [
            verdict.section,
            rules_section(rules),
            *history_sections(memory.lines),
            *merge_sections(pilot.results),
        ]
        for page in page_files(pilot.name, assessment, steps, told, beside, options.shareable):
            results.write_text(page.name, page.html, hand_to_hand=page.is_shareable)
        results.write_text(f"{pilot.name}_privacy_details.txt", f"{texts.full}\n{results.who_may_read}")
        results.write_text(f"{pilot.name}_privacy_summary.txt", texts.short)
        write_evidence(results, EvidenceOf(pilot, summary, found.config, [verdict.section, *told], rules))
        results.publish(summary)
        memory.keep_beside(pilot.results)
    for notice in results.notices:
        pilot.log.notice(notice)
    pilot.log.say(texts.full_on_screen if options.verbose else texts.short)
    if options.propose:
        _propose(pilot, verdict, found.config, steps, check, run)
    judged = leaving.about if leaving.assessment else dataset.file
    return _outcome(judged, leaving.assessment or assessment, verdict, options.fail_on_risk)


def _propose(
    pilot: Pilot, verdict: Verdict, config: PilotConfig, steps: Mapping[str, StepResult], check: Check, run: Run
) -> None:
    """Write the next config beside the pilot's, and say what it changes and how to put it in place.

    Where ``recommend`` weighs tables of the study, or what leaves by the proposal is of no use, other ways to hold are
    tried, too, and the best one is proposed.
    """
    from disclosure_control.draft.proposal import proposal_in_words, propose_tried, write_proposal
    from disclosure_control.draft.ways import NO_USE, RecodingLevels, proposed_by_ways

    file, recommended = pilot.config_file, steps.get("recommend")
    tried = [verdict]

    def reasons_of(literal: Mapping[str, Any]) -> tuple[Reason, ...]:
        tried.append(run(literal, "Trying the proposal"))
        return tried[-1].reasons

    proposal = propose_tried(text_of_config(file), file.name, verdict.reasons, check, reasons_of)
    asked, said = config.settings.get("recommend"), list[str]()
    is_of_no_use = (use := tried[-1].use) is not None and use.answer == NO_USE
    if asked is not None and recommended is not None and (asked.weigh is not None or is_of_no_use):
        recoding = RecodingLevels.of(recommended.figures)
        proposal, said = proposed_by_ways(proposal, file.name, recoding, run, asked.tables_weighed)
    if proposal.is_other:
        path = write_proposal(proposal, file.path.parent, pilot.name)
        said += proposal_in_words(proposal, path, file.path, f"python Main_Anonymization.py {pilot.name}")
    else:
        said.append("Nothing to propose: " + ("it may leave." if verdict.may_leave else "no line answers a reason."))
    pilot.log.say("\n".join(said))


def undecided(config_file: SourceFile) -> tuple[Reason, ...]:
    """A reason to hold while a drafted config has undecided lines."""
    n_lines = lines_to_review(text_of_config(config_file))
    if not n_lines:
        return ()
    sentence = f'{config_file.name} has {counted(n_lines, "line")} marked "# {REVIEW}", which only you can decide.'
    return (Reason(Gravity.NOT_DECIDED, sentence, DECIDE),)


def _outcome(judged: str, assessment: Assessment, verdict: Verdict, limit: float | None) -> Outcome:
    """The line of a pilot in the table of outcomes: the verdict, and the shares of risk in the judged product."""
    from disclosure_control.report.text import risky_shares

    words = risky_shares(assessment)
    said = str(verdict.figures["verdict"])
    # Where nothing could be evaluated nothing was shown to be safe.
    if limit is not None and any(
        r.n_evaluated == 0 or 100 * r.n_risky > limit * r.n_evaluated for r in assessment.results
    ):
        return Outcome(RISK_TOO_HIGH, f"{said}; {judged}: risky above {limit:g}% of the evaluated, {words}")
    if limit is not None and verdict.vetoes:
        against = min(verdict.vetoes).sentence
        return Outcome(RISK_TOO_HIGH, f"{said}: {against} {judged}: risky share of the evaluated, {words}")
    return Outcome(DONE, f"{said}; {judged}: risky share of the evaluated, {words}")


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
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError("allowed: a number from 0 to 100")
    return value


if __name__ == "__main__":
    sys.exit(run_door(__doc__, assess_pilot, add_options=add_options))
