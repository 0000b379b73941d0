"""The next config of a pilot: today's, with what the reasons of a run propose written into it, for one ``mv``."""

from __future__ import annotations

import dataclasses
import difflib
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config import REVIEW, parse_config
from disclosure_control.basics.settings.changes import (
    ConfigChange,
    applied,
    are_of_the_merge,
    dropped_by,
    python_text,
    treatment_steps,
)
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import DECIDE, MERGE_AGAIN, Reason, found_of
from disclosure_control.basics.telling.words import capitalised, counted
from disclosure_control.draft.edits import with_changes, with_choices, with_marks_decided
from disclosure_control.remedy.treatments.keys import command_to_set, names_of_keys
from disclosure_control.report.trials import Asks, Trials

# Raises ``FaultyInputError`` with the faults of a config.
Check = Callable[[Mapping[str, Any]], object]
MOST_TRIALS = 4
STEPS_OF_TREATMENT = ("treatment", "steps")


@dataclass(frozen=True)
class Proposal:
    """The ``text`` of the next config; what is ``left``: reasons that no line of a config answers.

    ``n_decided`` lines of a draft that were left to the controller are kept as they are; ``keys`` are the environment
    variables that it needs and that are not set. ``is_tried``: a run by it found what is left, and nothing else.
    """

    before: str
    text: str
    changes: tuple[ConfigChange, ...]
    n_decided: int
    left: tuple[Reason, ...]
    keys: tuple[str, ...]
    is_tried: bool = False

    @property
    def is_other(self) -> bool:
        """Whether it says anything else than today's config."""
        return self.text != self.before

    def difference(self) -> Iterator[str]:
        """The lines that are no longer there, and those that are new; lines that are only decided are neither."""
        before = with_marks_decided(self.before)[0]
        lines = difflib.unified_diff(before.splitlines(), self.text.splitlines(), n=0, lineterm="")
        return (line for line in list(lines)[2:] if not line.startswith("@@"))


def propose_tried(
    text: str,
    name: str,
    reasons: Sequence[Reason],
    check: Check,
    run: Callable[[Mapping[str, Any]], Iterable[Reason]],
    spared: Collection[str] = (),
) -> Proposal:
    """The proposal of ``reasons``, and of those that are left when it is tried, until none or no line is left.

    ``run`` gives the reasons to hold that a run by a config finds, and publishes nothing. What takes much away is
    proposed only once everything else was tried. ``spared``: columns that no change drops, as other ways are looked for
    first.
    """
    found = propose(text, name, reasons, check, spared)
    for _ in range(MOST_TRIALS):
        if not found.is_other:
            break
        try:
            left = tuple(run(parse_config(found.text, name)))
        except FaultyInputError:  # of the files by these settings: what was found before stands
            break
        step = propose(found.text, name, left, check, spared)
        found = dataclasses.replace(found, left=left, is_tried=True)
        if not step.changes:
            break
        changes = (*found.changes, *step.changes)
        found = dataclasses.replace(step, before=text, changes=changes, n_decided=found.n_decided)
    return found


def tried_whole(found: Proposal, name: str, trials: Trials) -> Proposal:
    """The proposal with what a whole run of it in place leaves: a first look does not ask everything.

    First looks have the pseudonyms, offsets and draws of today's config. Those of the proposal are others, unless the
    config names the release: "it may leave" is said of these alone, and not where the files refuse the run.
    """
    if not found.is_tried:
        return found
    try:
        return dataclasses.replace(
            found, left=trials.verdict(parse_config(found.text, name), "Trying it", Asks.AHEAD).reasons
        )
    except FaultyInputError:
        return dataclasses.replace(found, is_tried=False)


def with_open_choices(found: Proposal, name: str) -> Proposal:
    """The proposal with what only the controller can say of the reasons that are left, as comments marked for review.

    What the config decides itself is no choice.
    """
    literal = parse_config(found.text, name)
    choices = [
        choice
        for reason in found.left
        for choice in reason.choices
        if choice.path[-1] not in literal.get(choice.path[0], {})
    ]
    return dataclasses.replace(found, text=with_choices(found.text, choices))


def propose(text: str, name: str, reasons: Sequence[Reason], check: Check, spared: Collection[str] = ()) -> Proposal:
    """The next config of the ``reasons`` to hold, from the ``text`` of today's, called ``name`` in faults.

    ``check`` is asked whether a pilot would run by it, which is so: a change that it refuses is not made; neither is
    one that drops a ``spared`` column. Marks of a draft become those of the proposal: to put it in place is to decide.
    """
    literal = parse_config(text, name)
    made = lines_for(literal, reasons, check, spared)
    decided, words = with_marks_decided(text)
    after = applied(literal, made)
    left = tuple(one for one in reasons if not one.changes and not (words and one.remedy == DECIDE))
    proposed = with_changes(decided, made)
    assert parse_config(proposed, name) == after
    keys = tuple(name for name in names_of_keys(after) if not os.environ.get(name))
    return Proposal(text, proposed, made, len(words), left, keys)


def lines_for(
    literal: Mapping[str, Any], reasons: Iterable[Reason], check: Check, spared: Collection[str] = ()
) -> tuple[ConfigChange, ...]:
    """The changes of the ``reasons`` by which a pilot would run, and that drop no ``spared`` column.

    What is foreseen is so only if all lines are in place: where one is not made, only what was found is answered.
    """
    reasons = tuple(reasons)
    wanted = _wanted(literal, reasons, spared)
    made = tuple(_sound(literal, wanted, check))
    if len(made) < len(wanted) and len(found := found_of(reasons)) < len(reasons):
        return tuple(_sound(literal, _wanted(literal, found, spared), check))
    return made


def _wanted(literal: Mapping[str, Any], reasons: Iterable[Reason], spared: Collection[str]) -> list[ConfigChange]:
    """The changes of the ``reasons``, those of last resort only if there is no other, and steps that fit them."""
    wanted = [change for reason in reasons for change in reason.changes]
    wanted = [one for one in wanted if applied(literal, [one]) != literal and not dropped_by(one).intersection(spared)]
    first = [change for change in wanted if not change.is_last_resort]
    return list(_steps_fitted(literal, first or wanted))


def _steps_fitted(literal: Mapping[str, Any], wanted: Sequence[ConfigChange]) -> Iterator[ConfigChange]:
    """The changes, and before them the steps of the treatment without the columns that these drop: a later step has
    nothing to do with such a column, and no step with one that the next merge leaves out.
    """
    of_merge = {change.value for change in wanted if change.path == ("merge", "drop")}
    gone = of_merge.union(*map(dropped_by, wanted))
    steps = treatment_steps(literal)
    left = [one for one in (_without(step, gone) for step in steps) if one is not None]
    if left != steps:
        yield ConfigChange.to(STEPS_OF_TREATMENT, left, "without the columns that are dropped")
    for change in wanted:
        if change.path != STEPS_OF_TREATMENT or not change.is_added:
            yield change
        elif (step := _without(change.value, of_merge if dropped_by(change) else gone)) is not None:
            yield dataclasses.replace(change, text=python_text(step))


def _without(step: Mapping[str, Any], gone: Collection[str]) -> dict[str, Any] | None:
    """A step without the columns ``gone``; None if it has no other."""
    columns = [name for name in step.get("columns", ()) if name not in gone]
    if step.get("column") in gone or ("columns" in step and not columns):
        return None
    return {**step, "columns": columns} if len(columns) < len(step.get("columns", ())) else dict(step)


def _sound(literal: Mapping[str, Any], changes: Sequence[ConfigChange], check: Check) -> Iterator[ConfigChange]:
    """The changes that leave a config without a fault, in their order; those of one key go together first."""
    so_far = dict(literal)
    if _is_sound(applied(so_far, changes), check):
        yield from changes
        return
    for change in changes:
        after = applied(so_far, [change])
        if _is_sound(after, check):
            so_far = after
            yield change


def _is_sound(config: Mapping[str, Any], check: Check) -> bool:
    try:
        check(config)
    except FaultyInputError:
        return False
    return True


def proposal_in_words(proposal: Proposal, path: Path, config_file: Path, pilot: str) -> Iterable[str]:
    """What is proposed, as lines for the screen: the difference, the commands, and what no line answers."""
    n_lines = counted(len(proposal.changes), "change") if proposal.changes else "with all lines"
    yield f"Proposed: {path}, {n_lines} of {config_file.name}, which stays as it is."
    yield from (f"  {line}" for line in proposal.difference())
    if proposal.n_decided:
        kept = counted(proposal.n_decided, "line")
        yield f"  {kept} that the draft left to you {'is' if proposal.n_decided == 1 else 'are'} kept as drafted."
    if proposal.is_tried and not proposal.left:
        yield "  Tried: by it, the result may leave."
    for reason in proposal.left:
        what = "Left for the next round" if reason.changes else "No line answers"
        yield f"  {what}: {reason.sentence}{f' {capitalised(reason.otherwise)}' if reason.remedy else ''}"
        if reason.choices:
            yield f'  Only you can decide: "# {REVIEW}" in {path.name} marks the line to choose if what it says is so.'
    yield "Read it. To put it in place:"
    yield from (f"  {command_to_set(name)}" for name in proposal.keys)
    yield f"  {'move' if os.name == 'nt' else 'mv'} {shlex.quote(str(path))} {shlex.quote(str(config_file))}"
    if are_of_the_merge(proposal.changes):
        yield f"  python {MERGE_AGAIN} {pilot}"
    yield f"  python Main_Anonymization.py {pilot}"
