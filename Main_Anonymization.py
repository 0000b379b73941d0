"""Door 2: combined dataset and config -> how exposed the people of a pilot are: reports, and files of risky rows.

    python Main_Anonymization.py              the pilot that .env names
    python Main_Anonymization.py PENTELI ...  these pilots
    python Main_Anonymization.py --all        every pilot that has a config

``--fail-on-risk PERCENT`` ends with status 1 where k, l or t flags a larger share of the evaluated people.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from config import COMBINED_DATASET
from disclosure_control.run.doors import DONE, RISK_TOO_HIGH, Outcome, Pilot, run_door, say

if TYPE_CHECKING:
    from disclosure_control.assess.assessment import Assessment


def assess_pilot(pilot: Pilot, options: argparse.Namespace) -> Outcome:
    from cdisc import KEY_READERS
    from disclosure_control.assess.assessment import assess
    from disclosure_control.assess.combined_dataset import read_combined_dataset
    from disclosure_control.assess.risky_rows import risky_row_files
    from disclosure_control.assess.staleness import stale_merge_notices
    from disclosure_control.report.summary import privacy_summary
    from disclosure_control.report.text import generate_full_privacy_report
    from disclosure_control.run.results import staged
    from disclosure_control.steps import STEP_READERS
    from disclosure_control.steps.running import run_steps

    readers = KEY_READERS | STEP_READERS
    config, dataset = read_combined_dataset(pilot.results / COMBINED_DATASET, pilot.config, readers)
    assessment = assess(dataset.frame, config, announce=say)
    steps = run_steps(pilot.name, pilot.folder, dataset, assessment, announce=say)
    notices = stale_merge_notices(pilot.folder, pilot.results, dataset.sha256)
    notes = "".join(f"NOTE: {notice}\n" for notice in notices)
    first_lines = _joined([notes, *(result.first_lines for result in steps.values())])
    report = generate_full_privacy_report(pilot.name, assessment)
    inputs = {COMBINED_DATASET: {"sha256": dataset.sha256, "rows": len(dataset.frame)}}
    for result in steps.values():
        inputs |= result.inputs
    with staged(pilot.results, f"{pilot.name}_privacy_summary.json") as results:
        for name, rows in risky_row_files(assessment, dataset.subjects):
            results.write_table(name, rows, for_people=True)
        for result in steps.values():
            results.write_all(result.tables, result.datasets, result.files, result.hand_to_hand)
        sections = [first_lines, report, *(result.report for result in steps.values()), results.who_may_read]
        results.write_text(f"{pilot.name}_privacy_summary.txt", _joined(sections))
        figures = {name: result.figures for name, result in steps.items()}
        results.publish({**privacy_summary(pilot.name, assessment, inputs, notices), **figures})
    say(_joined([first_lines, report, *(result.on_screen for result in steps.values())]))
    return _outcome(assessment, options.fail_on_risk)


def _joined(sections: list[str]) -> str:
    return "\n".join(section for section in sections if section)


def _outcome(assessment: Assessment, limit: float | None) -> Outcome:
    shares = {
        f"{result.model[0]}{f' of {result.sensitive}' if result.sensitive else ''}": result.risky_rate
        for result in assessment.results
    }
    words = "; ".join(f"{name}: {share:.1%}" if share is not None else f"{name}: -" for name, share in shares.items())
    # Where nothing could be evaluated nothing was shown to be safe.
    if limit is not None and any(
        r.n_evaluated == 0 or 100 * r.n_risky > limit * r.n_evaluated for r in assessment.results
    ):
        return Outcome(RISK_TOO_HIGH, f"risky above {limit:g}% of the evaluated: {words}")
    return Outcome(DONE, f"risky share of the evaluated: {words}")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fail-on-risk", type=_percent, metavar="PERCENT", help="end with status 1 above this share")


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError("a number from 0 to 100 is needed")
    return value


if __name__ == "__main__":
    sys.exit(run_door(__doc__, assess_pilot, add_options=_add_options))
