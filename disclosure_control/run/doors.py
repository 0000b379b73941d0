"""What both doors share: pilots from the command line, one after the other, and a table of their outcomes."""

from __future__ import annotations

import argparse
import functools
import io
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import (
    KEEP_RUNS,
    PILOT_NAME,
    PROJECT_FOLDER,
    RESULTS_FOLDER,
    ClusterSettings,
    Settings,
    check_pilot_name,
    config_file_of,
    list_pilots,
    parse_config_file,
    read_config_file,
    read_settings,
    sheet_of,
)
from disclosure_control import __version__
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted, in_one_line, text_table
from disclosure_control.run import clock
from disclosure_control.run.attempts import Attempt, keep_attempt, last_attempt
from disclosure_control.run.logs import FORMATS, Log
from disclosure_control.run.memory import is_out_of_memory, out_of_memory
from disclosure_control.run.packages import missing_package
from disclosure_control.run.results import PilotIsLockedError, held
from disclosure_control.run.stopping import stop_if_asked, stopped_by_signals, stopped_of

if TYPE_CHECKING:
    from study.columns.sheet import ColumnSheet

DONE, RISK_TOO_HIGH, INPUT_AT_FAULT, OUR_FAULT, LOCKED, OTHER_BUILD = range(6)
MOST_FAULTS = 200  # that are named; a wrong config of thousands of columns has as many
# With several pilots the status is that of the gravest outcome, in this order.
GRAVITY = (OUR_FAULT, INPUT_AT_FAULT, LOCKED, RISK_TOO_HIGH, OTHER_BUILD, DONE)


@dataclass(frozen=True)
class Pilot:
    """One pilot of a run: its name, its domain folder, its results folder, its config's literal and file.

    The literal includes what the ``sheet`` of columns decides, if there is one. A pilot that is not ``is_configured``
    has no other settings, and its file is where a config would be. ``started``: when this run began, UTC, ISO 8601.
    ``keep_runs``: how many runs its history keeps. ``left_out``: steps that this run must not run, though the config
    has their key. ``cluster``: the workers, for an engine that has some.
    """

    name: str
    folder: Path
    results: Path
    config: dict
    config_file: SourceFile
    is_configured: bool = True
    started: str = field(default_factory=lambda: clock.utc_now())
    keep_runs: int = KEEP_RUNS
    log: Log = field(default_factory=Log)
    left_out: frozenset[str] = frozenset()
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    sheet: ColumnSheet | None = None

    def by(self, literal: Mapping[str, Any]) -> dict[str, Any]:
        """Another config of the pilot, with what the sheet of columns decides."""
        return dict(literal) if self.sheet is None else self.sheet.below(literal)


@dataclass(frozen=True)
class Outcome:
    """What came of a pilot: its exit ``status``, ``words`` for the table, its ``faults`` and ``verdict``, if any."""

    status: int
    words: str
    faults: Sequence[str] = ()
    verdict: str = ""

    @property
    def with_fault(self) -> str:
        """The words, and the first of the faults."""
        return ": ".join([self.words, *self.faults[:1]])


Process = Callable[[Pilot, argparse.Namespace], Outcome]


@dataclass(frozen=True)
class Door:
    """A program that works on pilots: its ``name``, and what it does with one; "" of one that leaves no attempt.

    ``needs_config``: a pilot without a config is a fault even where there is a folder of files.
    """

    name: str
    process: Process
    needs_config: bool = True


def run_door(
    description: str,
    process: Process,
    arguments: Sequence[str] | None = None,
    add_options: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    needs_config: bool = True,
    name: str = "",
) -> int:
    """Process the pilots that the command line or ``BIOSTREAMS_PILOT`` names; returns the exit status.

    A pilot without a config is a fault, unless the door does without (``needs_config``) and there is a folder of files.

    One pilot's fault does not stop the others. 0 done; 1 done, and a risk above what was to be enforced; 2 config
    or input at fault; 3 a fault of ours; 4 another run holds the pilot; 128 and its number after a signal.
    """
    prepare_screen()
    parser = parser_of_pilots(description)
    add_options(parser)
    options, door = parser.parse_args(arguments), Door(name, process, needs_config)
    log = Log(options.log_format == "json")

    def work(pilot: str, settings: Settings) -> Outcome:
        return attempted(door, pilot, settings, options, log.of_pilot(shown_name(pilot)))

    return over_pilots(options, work, log, functools.partial(_say_outcomes, log))


def parser_of_pilots(description: str, program: str | None = None) -> argparse.ArgumentParser:
    """The command line of a program that works on pilots."""
    parser = argparse.ArgumentParser(
        program,
        description=description.replace("``", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [options] [PILOT ...]",
    )
    parser.add_argument(
        "pilots", nargs="*", metavar="PILOT", help="pilots to process; default: that of BIOSTREAMS_PILOT"
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--all", action="store_true", help="every pilot that has a config")
    parser.add_argument("--log-format", choices=FORMATS, default="text", help="text for people, or JSON line by line")
    return parser


def over_pilots(
    options: argparse.Namespace,
    work: Callable[[str, Settings], Outcome],
    log: Log,
    say_outcomes: Callable[[Mapping[str, Outcome]], None],
) -> int:
    """Work on one pilot after the other, and tell the outcomes of all; the status of the gravest.

    After a signal the pilots that are not finished are among the outcomes, and the status is that of the signal.
    """
    names: list[str] = []
    outcomes: dict[str, Outcome] = {}
    with stopped_by_signals():
        try:
            settings = read_settings()
            names = _pilots_of(options, settings)
            for name in names:
                outcomes[name] = work(name, settings)
        except FaultyInputError as error:
            _say_faults(error.faults, log)
            return INPUT_AT_FAULT
        except KeyboardInterrupt as error:
            stopped = stopped_of(error)
            kept = "The current pilot has its complete earlier results or its complete new ones."
            _say_faults([f"Stopped by {stopped.by}. {kept}"], log)
            not_finished = Outcome(stopped.status, f"not finished: stopped by {stopped.by}")
            say_outcomes({**dict.fromkeys(names, not_finished), **outcomes})
            return stopped.status
    say_outcomes(outcomes)
    return gravest({outcome.status for outcome in outcomes.values()})


def attempted(door: Door, name: str, settings: Settings, options: argparse.Namespace, log: Log) -> Outcome:
    """The outcome of a door for a pilot; what came of it is kept as the last attempt, also where it was stopped."""
    started, is_pilot = clock.utc_now(), bool(door.name and PILOT_NAME.fullmatch(name))
    results = settings.data_folder / name / RESULTS_FOLDER
    before = last_attempt(results) if is_pilot else None

    def keep(status: int | None, words: str = "", verdict: str = "") -> None:
        if is_pilot and status != LOCKED:
            last = verdict or (before.verdict if before else "")
            keep_attempt(results, Attempt(started, door.name, status, words, last))

    try:
        begun = functools.partial(keep, None)
        outcome = guarded(functools.partial(_process_one, name, settings, door, options, log, started, begun), log)
    except KeyboardInterrupt as error:
        stopped = stopped_of(error)
        keep(stopped.status, f"stopped by {stopped.by}")
        raise
    keep(outcome.status, outcome.with_fault, outcome.verdict)
    return outcome


def said(text: str) -> str:
    """What a person says on a command line, in one line: the type of such an option. Blanks alone say nothing."""
    if not in_one_line(text).strip():
        raise argparse.ArgumentTypeError("found blanks alone; allowed: a text that is not blank")
    return in_one_line(text).strip()


def prepare_screen() -> None:
    """Make the console one that neither stops a run nor shows data: for every program that people start."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that lacks a letter must not stop a run
    warnings.simplefilter("ignore")  # libraries quote data in their warnings


def gravest(statuses: Collection[int]) -> int:
    """The exit status of several outcomes."""
    return next(status for status in GRAVITY if status in statuses)


def _pilots_of(options: argparse.Namespace, settings: Settings) -> list[str]:
    if options.pilots and options.all:
        raise FaultyInputError("Name pilots, or give --all, not both.")
    if options.all:
        names = list_pilots(settings)
        if not names:
            raise FaultyInputError(f"--all: no config in {settings.config_folder}")
        return names
    names = list(dict.fromkeys(options.pilots)) or ([settings.pilot] if settings.pilot else [])
    if not names:
        found = f"{settings.env_file} does not set it" if settings.env_file else "there is no .env"
        raise FaultyInputError(
            f"BIOSTREAMS_PILOT: no pilot is named, {found}; copy .env.example to .env and set it, "
            "or name pilots on the command line"
        )
    if not options.pilots:
        check_pilot_name(names[0])
    return names


def _process_one(
    name: str,
    settings: Settings,
    door: Door,
    options: argparse.Namespace,
    log: Log,
    started: str,
    begun: Callable[[], None],
) -> Outcome:
    path, folder = config_file_of(settings, name), settings.data_folder / name
    # A misspelt name or folder is a fault as before: nothing is drafted without files.
    is_new = not door.needs_config and not path.exists() and folder.is_dir() and path.parent.is_dir()
    file = SourceFile(path, b"") if is_new else read_config_file(settings, name)
    sheet = sheet_beside(file)
    literal = {} if is_new else parse_config_file(file)
    config = literal if sheet is None else sheet.below(literal)
    if not folder.is_dir():
        raise FaultyInputError(f"{folder}: there is no such folder; put the pilot's domain files there")
    results = folder / RESULTS_FOLDER
    pilot = Pilot(
        *(name, folder, results, config, file, not is_new, started, settings.keep_runs, log),
        cluster=settings.cluster,
        sheet=sheet,
    )
    log.say(f"Pilot {name}")
    with held(pilot.results):
        begun()
        try:
            return door.process(pilot, options)
        except Exception as error:
            if is_out_of_memory(error):
                raise FaultyInputError(out_of_memory(folder)) from None
            raise


def sheet_beside(config_file: SourceFile) -> ColumnSheet | None:
    """The sheet of columns beside a config; None without one. Raises ``FaultyInputError`` with all its faults."""
    path = sheet_of(config_file.path)
    if not path.is_file():
        return None
    from study.columns.sheet import read_sheet

    return read_sheet(path)


def guarded(work: Callable[[], Outcome], log: Log) -> Outcome:
    """Run some work on a pilot; what stops it is reported, without any data, and becomes a status."""
    try:
        outcome = work()
        stop_if_asked()
        return outcome
    except FaultyInputError as error:
        faults, words = error.faults, f"{counted(len(error.faults), 'fault')} in the config or the input"
        return _at_fault(INPUT_AT_FAULT, words, faults, log)
    except PilotIsLockedError:
        return Outcome(LOCKED, "another run is working on this pilot; try again when it has finished")
    except OSError as error:
        # Disk full, folder read-only, file in use: the system's own words and a path of ours, no data.
        where = f" ({Path(error.filename).name})" if isinstance(error.filename, str) else ""
        fault = f"{error.strerror or type(error).__name__}{where}: the results were not changed"
        return _at_fault(INPUT_AT_FAULT, "could not read or write", [fault], log)
    except Exception as error:  # the message may contain data, so only its kind and place are shown
        stop_if_asked()
        if missing := missing_package(error):
            return _at_fault(INPUT_AT_FAULT, "a package is not installed", [missing], log)
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(PROJECT_FOLDER)]
        place = (ours or frames)[-1]
        fault = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        _say_faults([f"An error in this program, not in your data: {fault}. Please report it."], log)
        return Outcome(OUR_FAULT, f"error in this program: {fault}")


def _at_fault(status: int, words: str, faults: Sequence[str], log: Log) -> Outcome:
    _say_faults(faults, log)
    return Outcome(status, words, faults)


def _say_faults(faults: Sequence[str], log: Log) -> None:
    for fault in faults[:MOST_FAULTS]:
        log.fault(fault)
    if len(faults) > MOST_FAULTS:
        log.fault(f"and {len(faults) - MOST_FAULTS:,} more faults")


def shown_name(pilot: str) -> str:
    """The name of a pilot as messages give it; what is no name is quoted."""
    return pilot if PILOT_NAME.fullmatch(pilot) else f"{pilot[:40]!r}"


def _say_outcomes(log: Log, outcomes: Mapping[str, Outcome]) -> None:
    rows = [[shown_name(name), outcome.status, outcome.words] for name, outcome in outcomes.items()]
    log.say(text_table(["Pilot", "Status", "Outcome"], rows))
    for name, outcome in outcomes.items():
        log.of_pilot(shown_name(name)).event("outcome", status=outcome.status, words=outcome.words)
