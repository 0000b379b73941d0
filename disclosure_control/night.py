"""Every night: both scripts over the pilots in one process, and which of them need a look.

    python -m disclosure_control.night --all --fail-on-risk 5    every pilot that has a config
    python -m disclosure_control.night PENTELI SDTM_DEMO         these pilots

A pilot is assessed only if its merge succeeded, and a fault of one pilot does not stop the others. The options are
those of both scripts. Reports are in their files. The log has a line for each notice, fault and outcome, as soon as it
is known; then a table of all outcomes, gravest first; last, for a mail, how many pilots need a look, and why. A pilot
needs a look if it failed, if it may no longer leave, or if its risk is above what is enforced and was not at its last
attempt before this night.
Exit status: that of the gravest outcome. 0 done; 1 a risk above --fail-on-risk; 2 config or input at fault; 3 a fault
of ours; 4 another run holds a pilot; 128 and its number after a signal.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from disclosure_control.run.starting import begin

if __name__ == "__main__":
    begin(arrow_from="system")

import Create_Combined_Pilot_Dataset
import Main_Anonymization
from config import RESULTS_FOLDER, Settings
from disclosure_control.basics.telling.words import counted, listed, text_table
from disclosure_control.records.choice import AUTO, MERGING
from disclosure_control.report.verdict import MAY_LEAVE
from disclosure_control.run.attempts import Attempt, last_attempt
from disclosure_control.run.doors import (
    DONE,
    GRAVITY,
    INPUT_AT_FAULT,
    LOCKED,
    OUR_FAULT,
    RISK_TOO_HIGH,
    Outcome,
    attempted,
    over_pilots,
    parser_of_pilots,
    prepare_screen,
    shown_name,
)
from disclosure_control.run.logs import NightLog

FAILED = {
    OUR_FAULT: "an error in this program",
    INPUT_AT_FAULT: "a fault in the config or the input",
    LOCKED: "held by another run",
}
LONGEST_WORDS = 120  # of an outcome in the table, in characters; all of them are in the lines before it
NOT_FINISHED, NEWLY_ABOVE = "not finished", "newly above the risk that is enforced"
MAY_NO_LONGER = "may no longer leave"


@dataclass(frozen=True)
class PilotsNight:
    """What came of a pilot, and its attempt before this night, None without one."""

    outcome: Outcome
    before: Attempt | None

    @property
    def needs_a_look(self) -> str:
        """Why, in words; "" if the pilot is as it was: a risk that was there before is no news."""
        status = self.outcome.status
        if status not in (DONE, RISK_TOO_HIGH):
            return FAILED.get(status, NOT_FINISHED)
        if status == RISK_TOO_HIGH and (self.before is None or self.before.status != RISK_TOO_HIGH):
            return NEWLY_ABOVE
        may_no_longer = self.before is not None and self.before.verdict == MAY_LEAVE != self.outcome.verdict
        return MAY_NO_LONGER if may_no_longer else ""


def in_one_line(nights: Mapping[str, PilotsNight]) -> str:
    """How many pilots need a look, and why: for a mail."""
    why: dict[str, list[str]] = {}
    for name, night in nights.items():
        why.setdefault(night.needs_a_look, []).append(name)
    others = [nights[name].outcome for name in why.pop("", ())]
    order = [*FAILED.values(), NOT_FINISHED, NEWLY_ABOVE, MAY_NO_LONGER]
    reasons = [f"{words} ({listed(why[words])})" for words in order if words in why]
    n_above = sum(outcome.status == RISK_TOO_HIGH for outcome in others)
    above = f", {n_above} of them above the risk that is enforced" if n_above else ""
    need = f"{sum(map(len, why.values()))} of {counted(len(nights), 'pilot')}"
    return f"{need} need a look{': ' if reasons else ''}{'; '.join(reasons)}. {len(others)} as expected{above}."


def _both_doors(name: str, settings: Settings, options: argparse.Namespace, log: NightLog) -> Outcome:
    """Door 2 only where door 1 succeeded; the outcome of the last one that ran, which is logged at once."""
    merging = copy.copy(options)
    merging.engine = options.engine if options.engine in (AUTO, *MERGING) else MERGING[-1]
    start = log.clock()
    outcome = attempted(Create_Combined_Pilot_Dataset.DOOR, name, settings, merging, log)
    words = f"not merged: {outcome.with_fault}"
    if outcome.status == DONE:
        log.notice(f"merged: {outcome.words}")
        outcome = attempted(Main_Anonymization.DOOR, name, settings, options, log)
        words = outcome.with_fault
    log.outcome(outcome.status, words, round(log.clock() - start, 1))
    return replace(outcome, words=words)


def _say_night(nights: Mapping[str, PilotsNight], log: NightLog) -> None:
    """The table of all outcomes, gravest first, and the line for a mail."""

    def place(named: tuple[str, PilotsNight]) -> tuple[bool, int]:
        status = named[1].outcome.status
        return not named[1].needs_a_look, GRAVITY.index(status) if status in GRAVITY else -1

    ordered = sorted(nights.items(), key=place)
    rows = [[shown_name(name), night.outcome.status, night.outcome.words[:LONGEST_WORDS]] for name, night in ordered]
    line = in_one_line({shown_name(name): night for name, night in nights.items()})
    log.ending(f"{text_table(['Pilot', 'Status', 'Outcome'], rows)}\n{line}")
    log.event("night", pilots=len(nights), words=line)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both doors over the pilots that the command line names; the exit status."""
    prepare_screen()
    parser = parser_of_pilots(__doc__ or "", "python -m disclosure_control.night")
    Main_Anonymization.add_options(parser)
    parser.add_argument(
        "--draft-config", action="store_true", help="draft a config beside each pilot's own, to compare"
    )
    options = parser.parse_args(arguments)
    log, nights = NightLog(options.log_format == "json"), dict[str, PilotsNight]()

    def work(name: str, settings: Settings) -> Outcome:
        before = last_attempt(settings.data_folder / name / RESULTS_FOLDER)
        nights[name] = PilotsNight(_both_doors(name, settings, options, log.of_pilot(shown_name(name))), before)
        return nights[name].outcome

    def say_outcomes(outcomes: Mapping[str, Outcome]) -> None:
        found = {name: nights.get(name, PilotsNight(outcome, None)) for name, outcome in outcomes.items()}
        _say_night(found, log)

    return over_pilots(options, work, log, say_outcomes)


if __name__ == "__main__":
    sys.exit(main())
