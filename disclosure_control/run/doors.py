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
from disclosure_control.basics.telling.faults import FaultElsewhereError, FaultyInputError
from disclosure_control.basics.telling.words import counted, in_one_line, text_table
from disclosure_control.run import clock
from disclosure_control.run.logs import FORMATS, Log
from disclosure_control.run.packages import missing_package
from disclosure_control.run.results import PilotIsLockedError, held

if TYPE_CHECKING:
    from study.columns.sheet import ColumnSheet

DONE, RISK_TOO_HIGH, INPUT_AT_FAULT, OUR_FAULT, LOCKED = range(5)
STOPPED = 130  # as shells report Ctrl-C
MOST_FAULTS = 200  # that are named; a wrong config of thousands of columns has as many
# With several pilots the status is that of the gravest outcome, in this order.
GRAVITY = (OUR_FAULT, INPUT_AT_FAULT, LOCKED, RISK_TOO_HIGH, DONE)


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
    status: int
    words: str


def run_door(
    description: str,
    process: Callable[[Pilot, argparse.Namespace], Outcome],
    arguments: Sequence[str] | None = None,
    add_options: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    needs_config: bool = True,
) -> int:
    """Process the pilots that the command line or ``BIOSTREAMS_PILOT`` names; returns the exit status.

    A pilot without a config is a fault, unless the door does without (``needs_config``) and there is a folder of files.

    One pilot's fault does not stop the others. 0 done; 1 done, and a risk above what was to be enforced; 2 config
    or input at fault; 3 a fault of ours; 4 another run holds the pilot.
    """
    prepare_screen()
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=description.replace("``", ""), formatter_class=as_written, usage="%(prog)s [options] [PILOT ...]"
    )
    parser.add_argument(
        "pilots", nargs="*", metavar="PILOT", help="pilots to process; default: that of BIOSTREAMS_PILOT"
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--all", action="store_true", help="every pilot that has a config")
    parser.add_argument("--log-format", choices=FORMATS, default="text", help="text for people, or JSON line by line")
    add_options(parser)
    options = parser.parse_args(arguments)
    log = Log(options.log_format == "json")
    try:
        settings = read_settings()
        names = _pilots_of(options, settings)
    except FaultyInputError as error:
        _say_faults(error.faults, log)
        return INPUT_AT_FAULT
    outcomes = {}
    try:
        for name in names:
            of_pilot = log.of_pilot(_shown(name))
            work = functools.partial(_process_one, name, settings, process, options, needs_config, of_pilot)
            outcomes[name] = guarded(work, of_pilot)
    except KeyboardInterrupt:
        _say_faults(
            ["Stopped by the user. The current pilot has its complete earlier results or its complete new ones."],
            log,
        )
        return STOPPED
    finally:
        _say_outcomes(outcomes, log)
    return gravest({outcome.status for outcome in outcomes.values()})


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
    process: Callable[[Pilot, argparse.Namespace], Outcome],
    options: argparse.Namespace,
    needs_config: bool,
    log: Log,
) -> Outcome:
    path, folder = config_file_of(settings, name), settings.data_folder / name
    # A misspelt name or folder is a fault as before: nothing is drafted without files.
    is_new = not needs_config and not path.exists() and folder.is_dir() and path.parent.is_dir()
    file = SourceFile(path, b"") if is_new else read_config_file(settings, name)
    sheet = sheet_beside(file)
    literal = {} if is_new else parse_config_file(file)
    config = literal if sheet is None else sheet.below(literal)
    if not folder.is_dir():
        raise FaultyInputError(f"{folder}: there is no such folder; put the pilot's domain files there")
    results = folder / RESULTS_FOLDER
    started = clock.utc_now()
    pilot = Pilot(
        *(name, folder, results, config, file, not is_new, started, settings.keep_runs, log),
        cluster=settings.cluster,
        sheet=sheet,
    )
    log.say(f"Pilot {name}")
    with held(pilot.results):
        return process(pilot, options)


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
        return work()
    except FaultyInputError as error:
        _say_faults(error.faults, log)
        return Outcome(INPUT_AT_FAULT, f"{counted(len(error.faults), 'fault')} in the config or the input, see above")
    except PilotIsLockedError:
        return Outcome(LOCKED, "another run is working on this pilot; try again when it has finished")
    except OSError as error:
        # Disk full, folder read-only, file in use: the system's own words and a path of ours, no data.
        where = f" ({Path(error.filename).name})" if isinstance(error.filename, str) else ""
        _say_faults([f"{error.strerror or type(error).__name__}{where}: the results were not changed"], log)
        return Outcome(INPUT_AT_FAULT, f"could not read or write: {error.strerror or type(error).__name__}")
    except Exception as error:  # the message may contain data, so only its kind and place are shown
        if missing := missing_package(error):
            _say_faults([missing], log)
            return Outcome(INPUT_AT_FAULT, "a package is not installed, see above")
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(PROJECT_FOLDER)]
        place = (ours or frames)[-1]
        fault = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        fault = str(error) if isinstance(error, FaultElsewhereError) else fault
        _say_faults([f"An error in this program, not in your data: {fault}. Please report it."], log)
        return Outcome(OUR_FAULT, f"error in this program: {fault}")


def _say_faults(faults: Sequence[str], log: Log) -> None:
    for fault in faults[:MOST_FAULTS]:
        log.fault(fault)
    if len(faults) > MOST_FAULTS:
        log.fault(f"and {len(faults) - MOST_FAULTS:,} more faults")


def _shown(pilot: str) -> str:
    return pilot if PILOT_NAME.fullmatch(pilot) else f"{pilot[:40]!r}"


def _say_outcomes(outcomes: dict[str, Outcome], log: Log) -> None:
    rows = [[_shown(name), outcome.status, outcome.words] for name, outcome in outcomes.items()]
    log.say(text_table(["Pilot", "Status", "Outcome"], rows))
    for name, outcome in outcomes.items():
        log.of_pilot(_shown(name)).event("outcome", status=outcome.status, words=outcome.words)
