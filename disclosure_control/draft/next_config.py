"""What ``--propose`` does after a run: the next config, found by trials and written beside today's."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from config import parse_config, text_of_config
from disclosure_control.basics.telling.reasons import Reason, found_of
from disclosure_control.draft.proposal import (
    Proposal,
    proposal_in_words,
    propose_tried,
    tried_whole,
    with_open_choices,
)
from disclosure_control.draft.way import NO_USE, RecodingLevels
from disclosure_control.draft.ways import proposed_by_ways
from disclosure_control.report.trials import Asks, Trials
from disclosure_control.report.verdict import Verdict


def propose_next(trials: Trials, verdict: Verdict, steps: Mapping[str, Any], write: Callable[[str], Path]) -> None:
    """Have the text of the next config written beside the pilot's, and say what it changes and how to use it."""
    pilot = trials.pilot
    proposal, said = next_config(trials, verdict, steps)
    lines: Iterable[str] = [
        f"Nothing to propose: {'it may leave' if verdict.may_leave else 'no line answers a reason'}."
    ]
    if proposal.is_other:
        lines = proposal_in_words(proposal, write(proposal.text), pilot.config_file.path, pilot.name)
    pilot.log.say("\n".join([*said, *lines]))


def next_config(trials: Trials, verdict: Verdict, steps: Mapping[str, Any]) -> tuple[Proposal, list[str]]:
    """The config that is proposed after a run by today's, tried to its end, and what is said of other ways to hold.

    ``verdict`` and ``steps`` are those of the run by today's config. Where ``recommend`` weighs tables of the study, or
    what leaves by the proposal is of no use or held, other ways to hold are tried, too, and the best one is proposed.
    """
    file, asked = trials.pilot.config_file, trials.config.settings.get("recommend")
    text, name, looked, said = text_of_config(file), file.name, [verdict], list[str]()

    def reasons_at_first(literal: Mapping[str, Any]) -> tuple[Reason, ...]:
        looked.append(trials.verdict(literal, "Looking at the proposal", Asks.NAMES))
        return looked[-1].reasons

    def reasons_of(literal: Mapping[str, Any]) -> tuple[Reason, ...]:
        return trials.verdict(literal, "Trying the proposal", Asks.UNTIL_HELD).reasons

    def is_of_no_use(proposal: Proposal) -> bool:
        use, is_tried = verdict.use, proposal.is_other and proposal.is_tried
        if is_tried and (weighed := trials.weigh(parse_config(proposal.text, name), "Weighing the proposal")):
            use = weighed.use
        return use is not None and use.answer == NO_USE

    spared = () if asked is None else asked.stay_fine
    proposal = propose_tried(text, name, verdict.reasons, trials.check, reasons_at_first, spared)
    is_of_all_ways = any(one.is_of_all_ways for one in proposal.left)
    if (
        asked is not None
        and "recommend" in steps
        and not is_of_all_ways
        and (proposal.left or asked.weigh is not None or is_of_no_use(proposal))
    ):
        figures, by_level = steps["recommend"].figures, steps["recommend"].outcome.by_level
        taken = figures["levels"]
        recoding = None if taken is None else RecodingLevels(taken, figures["landscape"]["levels"], by_level)
        as_it_is = looked[-1] if proposal.is_tried or not proposal.is_other else None
        proposal, said = proposed_by_ways(proposal, name, recoding, trials, as_it_is, asked.tables_weighed)
    else:
        proposal = tried_whole(proposal, name, trials)
    for spared_still in dict.fromkeys((spared, ())):  # what lines answer; then, if nothing else holds, what is spared
        further = propose_tried(proposal.text, name, proposal.left, trials.check, reasons_of, spared_still)
        if further.changes:
            changes = (*proposal.changes, *further.changes)
            proposal = dataclasses.replace(further, before=text, changes=changes, n_decided=proposal.n_decided)
    return with_open_choices(dataclasses.replace(proposal, left=found_of(proposal.left)), name), said
