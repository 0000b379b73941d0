"""Is a published report still true? Runs everything again from the inputs, and says figure by figure whether it holds.

    python -m disclosure_control.verify pilot_report/PENTELI/processed_for_anonym [FOLDER ...]

Nothing in the folder of results is changed. Of a pilot whose folder is read-only, as an archive is, verify a copy. The
config is looked for where the two scripts look. Exit status: 0 all holds; 1 something changed; 2 nothing to compare, or
it could not be read; 4 another run holds the pilot; 5 another build of this program made the results, and only what is
made again differs; 128 and its number after a signal. Questions of private_release are not asked again, as answers are
paid for.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from config import (
    COMBINED_DATASET,
    FILES_OF_MERGE,
    MERGE_REPORT,
    TYPED_DATASET,
    parse_config_file,
    read_config_file,
    read_settings,
)
from disclosure_control.basics.files import SourceFile, read_file
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.report.evidence.pack import MANIFEST
from disclosure_control.report.history import Memory, read_memory
from disclosure_control.report.verification import (
    PublishedSet,
    Verification,
    are_there,
    check_figures_again,
    check_files_again,
    check_manifest,
    check_results,
    last_line,
    parsed,
)
from disclosure_control.run.beside import VERIFIED, beside, put_beside, work_folder
from disclosure_control.run.doors import (
    DONE,
    OTHER_BUILD,
    RISK_TOO_HIGH,
    Outcome,
    Pilot,
    gravest,
    guarded,
    prepare_screen,
    sheet_beside,
)
from disclosure_control.run.fingerprints import KEY_FILE
from disclosure_control.run.logs import Log, SilentLog, say
from disclosure_control.run.results import held
from disclosure_control.run.sign_offs import manifest_hash, read_sign_offs, sign_offs_in_words
from disclosure_control.run.stopping import stopped_by_signals, stopped_of

CHANGED = RISK_TOO_HIGH  # the same status: done, and not well
PAID_FOR = "private_release"
# Parts about the paid answers, or about a file with them: compared by fingerprint alone.
_HOLDS_ANSWERS = (
    "private_release.json",
    "_privacy_summary.txt",
    "_privacy_details.txt",
    "_privacy_report.html",
    "_privacy_report_shareable.html",
)
# Parts that depend on versions, or that name files that are compared themselves.
_NOT_OF_THE_DATA = ("versions", "version", "build", "results", "merge_report")


def verify(results: Path) -> Verification:
    """Compare a folder of results with its manifest, with the present inputs, and with a repeated run.

    Raises ``FaultyInputError`` where there is nothing to compare, ``PilotIsLockedError`` while a run is at work.
    """
    results = results.resolve()
    places = [one for one in (results.parent, results, beside(results)) if one.exists()]
    if results.is_dir() and not all(os.access(place, os.W_OK) for place in places):
        raise FaultyInputError(
            f"{results.parent.name}: read-only, and the run is made again beside the results; allowed: a folder that "
            "you may write into; copy the pilot's folder to such a place, and verify the copy"
        )
    return _verified(results)


def _verified(results: Path) -> Verification:
    made, found = PublishedSet.of(results), Verification()
    with held(results):
        config = read_config_file(read_settings(), results.parent.name)
        with made.as_written():
            check_results(found, made)
            check_manifest(found, made, config)
        with _run_again(found, made, config) as again:
            _compare(found, made, again)
        sign_offs = read_sign_offs(results)
        if sign_offs:
            found.notes += sign_offs_in_words(sign_offs, manifest_hash(results / MANIFEST))
    return found


@contextlib.contextmanager
def _run_again(found: Verification, made: PublishedSet, config: SourceFile) -> Iterator[Path]:
    """A folder of results that both scripts made anew, with the clock of the first run; removed afterwards."""
    from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
    from Main_Anonymization import add_options, assess_pilot

    results, folder = made.results, made.results.parent
    place = work_folder(results, VERIFIED)
    again = place / results.name
    again.mkdir(mode=0o700)
    try:
        put_beside(again, KEY_FILE, made.key)
        literal, sheet = parse_config_file(config), sheet_beside(config)
        memory = _memory(found, results)
        memory.before_the_last_run.keep_beside(again)
        pilot = Pilot(
            name=folder.name,
            folder=folder,
            results=again,
            config=literal if sheet is None else sheet.below(literal),
            config_file=config,
            sheet=sheet,
            started=str(made.manifest["started"]),
            keep_runs=max(len(memory.lines), 1),
            log=SilentLog(),
            left_out=frozenset({PAID_FOR}),
        )
        try:
            _merge_again(found, pilot, results, functools.partial(combine_pilot, pilot, _options(add_merge_options)))
            shareable = (results / f"{folder.name}_privacy_report_shareable.html").is_file()
            assess_pilot(pilot, _options(add_options, *(["--shareable"] if shareable else [])))
        except FaultyInputError as error:
            for fault in error.faults:
                found.check("run again", False, f"it stops: {fault}")
        yield again
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _memory(found: Verification, results: Path) -> Memory:
    try:
        return read_memory(results)
    except FaultyInputError as error:
        for fault in error.faults:
            found.check("run again", False, fault)
        return Memory.empty()


def _options(add_options: Callable[[argparse.ArgumentParser], None], *given: str) -> argparse.Namespace:
    """The options of a script where these are given, the others at their defaults."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(given)


def _merge_again(found: Verification, pilot: Pilot, results: Path, merge: Callable[[], object]) -> None:
    """Merge the domain files again; if they are missing, the combined dataset replaces them."""
    read = list(_merge_report(results).get("inputs", ()))
    if read and are_there(pilot.folder, read):
        merge()
        return
    found.notes.append(f"The domain files are not all here: {COMBINED_DATASET} was used without merging them again.")
    for name in FILES_OF_MERGE:
        if (results / name).is_file():
            shutil.copyfile(results / name, pilot.results / name)


def _merge_report(results: Path) -> dict[str, Any]:
    """What the merge reported, but for the typed columns, whose bytes depend on versions; empty without a report."""
    try:
        found = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))
        return {**found, "files": {name: one for name, one in found["files"].items() if name != TYPED_DATASET}}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _compare(found: Verification, before: PublishedSet, again: Path) -> None:
    if not (again / MANIFEST).is_file():
        return  # it stopped, and that was counted
    results, summary = before.results, before.summary
    made = parsed(read_file(again / before.file.name))
    paid = PAID_FOR in summary
    names = {name for name in summary["files"] if not (paid and name.endswith(_HOLDS_ANSWERS))}
    check_files_again(found, results, again, {*names, COMBINED_DATASET} - {MANIFEST})
    same = _merge_report(results) == _merge_report(again)
    found.check("manifest", same, f"{MERGE_REPORT}: the run again makes another one")
    check_figures_again(found, summary, made, ("files", *((PAID_FOR,) if paid else ())))
    # Files were compared themselves; here is the summary's part about them.
    check_figures_again(found, {"files": _said_of(summary, names)}, {"files": _said_of(made, names)})
    aside = (*_NOT_OF_THE_DATA, *(("figures",) if paid else ()))
    check_figures_again(
        found,
        {"manifest": _without(before.manifest, aside)},
        {"manifest": _without(parsed(read_file(again / MANIFEST)), aside)},
    )
    if paid:
        found.notes.append(f"{PAID_FOR} was not asked again, as answers are paid for; compared as recorded.")


def _said_of(summary: dict[str, Any], names: set[str]) -> dict[str, Any]:
    entries = {name: entry for name, entry in summary["files"].items() if name in names}
    return {name: {key: value for key, value in entry.items() if key != "sha256"} for name, entry in entries.items()}


def _without(manifest: dict[str, Any], aside: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in manifest.items() if name not in aside}


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify the folders that the command line names; the gravest exit status of them."""
    parser = argparse.ArgumentParser(
        prog="python -m disclosure_control.verify",
        description=(__doc__ or "").replace("``", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a folder of results")
    prepare_screen()
    folders, log, outcomes = parser.parse_args(arguments).folders, Log(), list[Outcome]()
    with stopped_by_signals():
        try:
            for folder in folders:
                outcomes.append(guarded(functools.partial(_verify_one, folder), log))
        except KeyboardInterrupt as error:
            stopped, names = stopped_of(error), [folder.resolve().parent.name for folder in folders[len(outcomes) :]]
            log.fault(f"Stopped by {stopped.by}. Not verified: {', '.join(names)}.")
            return stopped.status
    return gravest({outcome.status for outcome in outcomes})


def _verify_one(folder: Path) -> Outcome:
    say(f"Verify {folder.resolve().parent.name}")
    found = verify(folder)
    say(f"{found.text}\n{last_line(found)}")
    if found.is_of_another_build:
        return Outcome(OTHER_BUILD, last_line(found))
    return Outcome(CHANGED if found.n_changed else DONE, last_line(found))


if __name__ == "__main__":
    sys.exit(main())
