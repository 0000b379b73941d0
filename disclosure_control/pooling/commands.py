"""The commands of a pool: invite, contribute, sum, read, each as one party runs it."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from config import RESULTS_FOLDER, combined_dataset_in, load_pilot_config, read_settings
from disclosure_control.assess.assessment import evaluate
from disclosure_control.assess.opening import OpenedPilot, opened
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Section, Where
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.pooling import contribution
from disclosure_control.pooling.answer import PoolAnswer, published_again, read_answer, write_answer
from disclosure_control.pooling.cells import CellSpace, UndeclaredValuesError
from disclosure_control.pooling.evaluation import evaluated_pool
from disclosure_control.pooling.invitation import INVITATION, Invitation
from disclosure_control.pooling.parties import (
    NEW_ROUND,
    RESULTS,
    RoundMembers,
    SecretsAtHome,
    join,
    joined_so_far,
    members_of,
)
from disclosure_control.pooling.receipts import check_of, same_answer
from disclosure_control.pooling.report import OwnPeopleInPool, PoolAlone
from disclosure_control.records.choice import AUTO, choose_engine
from disclosure_control.records.people import People
from disclosure_control.report.page.files import controller_sections
from disclosure_control.report.page.page import privacy_page
from disclosure_control.run.beside import beside, put_beside
from disclosure_control.run.doors import DONE, Outcome
from disclosure_control.run.logs import Log, say
from disclosure_control.run.results import ResultSet, held, staged
from disclosure_control.run.tables import csv_bytes, harmless
from disclosure_control.steps import READERS

EXCHANGE, UNDECLARED = "pool_exchange", "undeclared_values.csv"


@dataclass(frozen=True)
class PoolRun:
    """One command at one party: the study's config as written, its folder, and the folder that all share."""

    study: str
    literal: dict
    folder: Path
    shared: Path
    log: Log

    @property
    def home(self) -> SecretsAtHome:
        return SecretsAtHome(self.folder / RESULTS)

    def invitation(self) -> Invitation:
        """That of the shared folder, equal to this party's config. Raises ``FaultyInputError``."""
        found = Invitation.read(self.shared / INVITATION)
        if note := found.check_program():
            self.log.notice(note)
        found.check_config(self.study, self.literal)
        return found

    def party(self, invitation: Invitation, named: str | None = None) -> str:
        """Who this is, as named on the command line once and remembered. Raises ``FaultyInputError``."""
        parties, known = invitation.settings.parties, (self.home.read("party") or b"").decode("ascii")
        if named and known and named != known:
            raise FaultyInputError(f"--node: found {named!r}; this folder is that of {known}")
        if (named or known) not in parties:
            raise FaultyInputError(
                f"--node: found {named or known or 'nothing'}; say which party this is: {listed(parties)}"
            )
        return named or known

    def members(self, invitation: Invitation, party: str) -> RoundMembers:
        return members_of(self.home, invitation, party, self.shared)

    @contextlib.contextmanager
    def opened(self) -> Iterator[OpenedPilot]:
        """This node's people, by the engine that its dataset calls for. Raises ``FaultyInputError``."""
        path = combined_dataset_in(self.folder / RESULTS_FOLDER)
        with opened(choose_engine(AUTO, path).name, path, self.literal, READERS) as found:
            yield found

    def counted(self, space: CellSpace, people: People) -> np.ndarray:
        """This node's people in the cells. Raises ``FaultyInputError``; a file at home has the undeclared values."""
        path = beside(self.home.results) / UNDECLARED
        path.unlink(missing_ok=True)
        try:
            return space.count(people)
        except UndeclaredValuesError as error:
            rows = [(name, value) for name, values in error.by_column.items() for value in values]
            table = pd.DataFrame(rows, columns=["column", "undeclared value"])
            put_beside(self.home.results, UNDECLARED, csv_bytes(harmless(table), has_header=True))
            where = path.relative_to(self.folder).as_posix()
            raise FaultyInputError(
                [*error.faults, f"{where} in the pilot's folder lists these values; it contains people's data"]
            ) from None


def invite(run: PoolRun, options: argparse.Namespace) -> Outcome:
    """Begin a round or join one, once the invitation fits this party's config and data."""
    path = run.shared / INVITATION
    is_new = not path.exists()
    invitation = Invitation.of(run.study, run.literal) if is_new else run.invitation()
    party = run.party(invitation, options.node)
    if party in invitation.settings.nodes:
        with run.opened() as found:
            run.counted(invitation.space, found.people)
    run.shared.mkdir(parents=True, exist_ok=True)
    if is_new:
        invitation.write(run.shared)
    run.home.keep("party", party.encode("ascii"))
    join(run.home, invitation, party, run.shared)
    joined = joined_so_far(invitation, run.shared)
    space, parties = invitation.space, invitation.settings.parties
    say(f"{party} {'began' if is_new else 'joined'} the round of {run.study} in {run.shared}.")
    say(f"{space.n_cells:,} cells: {space.n_classes:,} classes, {space.width} counts each.")
    if waiting := [name for name in parties if name not in joined]:
        say(f"{len(joined)} of {len(parties)} parties joined; not yet: {listed(waiting)}.")
    else:
        say(f"All {len(parties)} parties joined. {_how_to_check(RoundMembers(invitation, joined), options)}")
    return Outcome(DONE, "")


def _how_to_check(members: RoundMembers, options: argparse.Namespace) -> str:
    line = _line("contribute", members.invitation.study, options, "--check", members.check)
    return (
        f"The check of this round is {members.check}. Compare it with the other parties by telephone; if all read the "
        f"same: {line}"
    )


def _line(command: str, study: str, options: argparse.Namespace, *more: str) -> str:
    """A command line as it is pasted, with the folder of this one."""
    folder = ["--folder", str(options.folder)] if options.folder else []
    words = ["python", "-m", "disclosure_control.pool", command, study, *folder, *more]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def contribute(run: PoolRun, options: argparse.Namespace) -> Outcome:
    """Send this node's counts, masked; the same file again where they were sent before."""
    invitation = run.invitation()
    party = run.party(invitation)
    if party not in invitation.settings.nodes:
        raise FaultyInputError(f"{party} sums and has no people of its own; the nodes contribute")
    members = run.members(invitation, party)
    if options.check is None and run.home.read(f"{invitation.number}_sent") is None:
        raise FaultyInputError(f"--check: not given, nothing was sent. {_how_to_check(members, options)}")
    if options.check not in (None, members.check):
        raise FaultyInputError(
            f"--check: found {options.check!r}, the keys here give {members.check}; nothing was sent. Somebody may "
            "have exchanged keys on the way: compare with every party, and begin a new round by another way"
        )
    with run.opened() as found:
        cells, n_people = run.counted(invitation.space, found.people), found.people.classes.n_records
    is_first = contribution.contribute(run.home, members, party, cells, run.shared)
    again = "" if is_first else " again, the same file"
    say(f"{party} contributed{again}: {counted(n_people, 'record')} counted, and no record and no count sent openly.")
    return Outcome(DONE, "")


def sum_up(run: PoolRun, options: argparse.Namespace) -> Outcome:
    """Add the contributions of all nodes, evaluate the pool, and write the answer."""
    invitation = run.invitation()
    party = run.party(invitation)
    if party != invitation.settings.sums:
        raise FaultyInputError(f"{party} does not sum; {invitation.settings.sums} does, as the invitation says")
    members = run.members(invitation, party)
    files = contribution.contributions_of(members, run.shared)
    if not published_again(run.home, members, files, run.shared):
        cells, pads = contribution.summed(run.home, members, files)
        try:
            pool = evaluated_pool(invitation, cells, run.folder, run.log)
        except FaultyInputError as error:
            raise FaultyInputError(
                [*error.faults, f"Nothing was written. Once this is settled with all parties, {NEW_ROUND}"]
            ) from None
        write_answer(run.home, members, pool, pads, files, run.shared)
    answer = read_answer(members, run.shared)
    say(f"{answer.figures['text']}\nThe answer for all parties is in {run.shared}. Each of them reads it with")
    say(_line("read", run.study, options))
    return Outcome(DONE, "")


def read(run: PoolRun, options: argparse.Namespace) -> Outcome:
    """Write this party's report: a node's from the answer and its own data, another one's from the answer alone."""
    invitation = run.invitation()
    party = run.party(invitation)
    members = run.members(invitation, party)
    contribution.check_keys_are_as_sent(run.home, members)
    answer = read_answer(members, run.shared)
    is_node = party in invitation.settings.nodes
    with run.opened() if is_node else contextlib.nullcontext() as found:
        if found is not None:
            counts = run.counted(invitation.space, found.people)
            contribution.check_counts_are_as_sent(run.home, invitation.number, counts)
        receipts = same_answer(run.home, members, party, answer.file, run.shared)
        sections = (
            _pool_alone(run, members, answer) if found is None else _pool_of_node(run, members, party, answer, found)
        )
    say(f"{as_text(sections, Where.SCREEN)}\nThe files are in {run.home.results}.\n{_who_read(answer, receipts)}")
    return Outcome(DONE, "")


def _pool_alone(run: PoolRun, members: RoundMembers, answer: PoolAnswer) -> tuple[Section, ...]:
    alone = PoolAlone(answer.figures, members.invitation.settings)
    sections = alone.sections()
    with _report(run) as results:
        _write_report(run, results, sections, sections, answer, is_public=True)
        results.publish(alone.summary())
    return sections


def _who_read(answer: PoolAnswer, receipts: Mapping[str, bool]) -> str:
    check = f"The check of this answer is {check_of(answer.file.sha512)}; compare it by telephone."
    if waiting := [name for name, is_there in receipts.items() if not is_there]:
        return f"{check} No receipt here yet of {listed(waiting)}."
    return f"{check} All {len(receipts)} parties left a receipt of this same answer."


def _pool_of_node(
    run: PoolRun, members: RoundMembers, party: str, answer: PoolAnswer, found: OpenedPilot
) -> tuple[Section, ...]:
    invitation = members.invitation
    flags = answer.flags_of(run.home, members, party, invitation.space.places_of(found.people.classes))
    own = OwnPeopleInPool.of(evaluate(found.people, found.config), flags, answer.figures, invitation.settings)
    with _report(run) as results:
        results.write_table("pool_people.csv", own.people(), for_people=True)
        if answer.figures["recoding"] is not None:
            results.write_table("pool_recoded.csv", own.recoded(), for_people=False)
            results.write_text("pool_treatment.txt", own.treatment(), hand_to_hand=True)
        on_page = [*controller_sections(own.home, (), {}), *own.sections()]
        _write_report(run, results, on_page, own.sections(), answer, is_public=False)
        results.publish(own.summary())
    return own.sections()


def _report(run: PoolRun) -> contextlib.AbstractContextManager[ResultSet]:
    return staged(run.home.results, f"{run.study}_pool_summary.json")


def _write_report(
    run: PoolRun,
    results: ResultSet,
    on_page: Sequence[Section],
    sections: Sequence[Section],
    answer: PoolAnswer,
    is_public: bool,
) -> None:
    """The page and the text; the histogram, which is the last section, is in the text of the answer."""
    page = privacy_page(run.study, on_page, summary=results.summary_name)
    results.write_text(f"{run.study}_pool_report.html", page, hand_to_hand=is_public)
    text = f"{as_text(sections[:-1], Where.FILE)}\nThe pool\n\n{answer.figures['text']}"
    results.write_text(f"{run.study}_pool_report.txt", f"{text}\n{results.who_may_read}")


COMMANDS = {"invite": invite, "contribute": contribute, "sum": sum_up, "read": read}


def run_command(options: argparse.Namespace, log: Log) -> Outcome:
    """Run the command that the command line names, alone in the pilot's folder. Raises ``FaultyInputError``."""
    settings = read_settings()
    literal = load_pilot_config(settings, options.study)
    folder = settings.data_folder / options.study
    run = PoolRun(options.study, literal, folder, options.folder or folder / EXCHANGE, log)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with held(run.home.results):
        return COMMANDS[options.command](run, options)
