"""Who is behind one pseudonym? For a finding that has to go back to a patient, and for nothing else.

    python -m disclosure_control.reidentify PENTELI --by "A. Berger" --role "custodian" --reason "ethics vote 12/2026"

The pseudonym is asked for, one person per call. It needs the config, the key of the release, and a custodian in the
config ("context": {"custodian": ...}). Who left the pilot is found in the releases before. The answer is written to
reidentified.csv in the hidden folder beside the results, in mode 0600, and never shown; the call is logged beside it,
found or not. Exit status: 0 found; 1 nobody has it; 2 config or input at fault; 3 a fault of ours; 4 another run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence

from config import COMBINED_DATASET
from config.model_settings import PilotConfig
from disclosure_control.assess.opening import read_texts
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted
from disclosure_control.release.people import texts_of
from disclosure_control.remedy.treatments.keys import Release, pseudonyms_of, read_key
from disclosure_control.remedy.treatments.one_release import (
    is_named,
    key_of_release,
    length_of_pseudonyms,
    name_of_release,
)
from disclosure_control.run import clock
from disclosure_control.run.beside import beside, put_beside
from disclosure_control.run.custody import KeptRelease, kept_releases
from disclosure_control.run.doors import DONE, RISK_TOO_HIGH, Outcome, Pilot, run_door, said
from disclosure_control.run.fingerprints import fingerprint, fingerprint_of_json, key_of
from disclosure_control.run.reidentifications import PseudonymLookup, log_reidentification
from disclosure_control.steps import READERS

ANSWERS = "reidentified.csv"
NOBODY = RISK_TOO_HIGH  # the same status: done, and not well
PSEUDONYM = "Pseudonym: "


def reidentify(pilot: Pilot, options: argparse.Namespace) -> Outcome:
    """Look one pseudonym up, write the answer where only the custodian reads it, and log the call."""
    if options.all or len(options.pilots) > 1:
        raise FaultyInputError("a pseudonym is of one release; allowed: one pilot in each call")
    pseudonym = _one_pseudonym((sys.stdin.read() if not sys.stdin.isatty() else input(PSEUDONYM)).split())
    path = pilot.results / COMBINED_DATASET
    config, frame, sha256 = read_texts(path, pilot.config, READERS)
    stop_at(_faults(config))
    key = read_key(key_of_release(config), pilot.folder)
    print_of_key = fingerprint(key_of(pilot.results), hashlib.sha256(key).hexdigest())
    present = tuple(texts_of(frame[SUBJECT_COLUMN]).to_pylist())
    length, name = length_of_pseudonyms(config), name_of_release(sha256, config)
    of_today = (name, "", print_of_key, length, is_named(config), present)
    kept = kept_releases(pilot.results)
    for release in (KeptRelease(*of_today), *reversed(kept)):
        if found := [one for one, made in _made(key, pilot.name, release) if pseudonym in made]:
            _keep(pilot, options, pseudonym, found)
            of = f" in the release of {release.when[:10]}" if release.when else ""
            who = "" if set(found) <= set(present) else "; the person has left the pilot"
            said = f"found{of}{who}; see {ANSWERS} in {beside(pilot.results).name}, for the custodian alone; logged"
            return Outcome(DONE, said)
    _keep(pilot, options, pseudonym, ())
    others = sorted({one.when[:10] for one in kept if one.key != print_of_key})
    by_others = f"; releases of {', '.join(others)} had another key: set that one, and ask again" if others else ""
    searched = f"nobody has this pseudonym in the release of today or in {counted(len(kept), 'release')} before"
    return Outcome(NOBODY, f"{searched}{by_others}; logged")


def _one_pseudonym(given: Sequence[str]) -> str:
    if len(given) != 1:
        found = f"{len(given)} pseudonyms were given" if given else "no pseudonym was given"
        raise FaultyInputError(f"{found}; allowed: one in each call, so that each person has a reason of their own")
    return given[0].strip("\"'")  # as it is copied from a CSV file


def _made(key: bytes, pilot: str, of: KeptRelease) -> Iterator[tuple[str, set[str]]]:
    """Each id of a release with its pseudonyms: those of files, of a database of numbers, and of the treated table."""
    release = Release(pilot, of.name)
    kinds = (
        pseudonyms_of(key, release, of.ids),
        pseudonyms_of(key, release, of.ids, as_numbers=True),
        pseudonyms_of(key, release, of.ids, of.length),
    )
    return ((one, set(made)) for one, *made in zip(of.ids, *kinds, strict=True))


def _faults(config: PilotConfig) -> list[str]:
    faults = []
    if not getattr(config.settings.get("context"), "custodian", None):
        faults.append('context: nobody may re-identify; name who may, and how: "context": {"custodian": "..."}')
    if key_of_release(config) is None:
        faults.append('release: the config makes no pseudonyms; allowed: a "release", or a treatment with recode_ids')
    return faults


def _keep(pilot: Pilot, options: argparse.Namespace, pseudonym: str, found: Sequence[str]) -> None:
    folder, when = beside(pilot.results), clock.utc_now()
    of = fingerprint_of_json(pseudonym, key_of(pilot.results))
    call = PseudonymLookup(when, options.by, options.role, options.reason, of, bool(found))
    log_reidentification(pilot.results, call)
    if found:
        answers = folder / ANSWERS
        earlier = answers.read_bytes() if answers.is_file() else b"when,pseudonym,USUBJID\n"
        lines = "".join(f"{when},{pseudonym},{json.dumps(one, ensure_ascii=False)}\n" for one in found)
        put_beside(pilot.results, ANSWERS, earlier + lines.encode())


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by", type=said, required=True, metavar="NAME", help="who asks")
    parser.add_argument("--role", type=said, required=True, metavar="ROLE", help="as what, such as custodian")
    parser.add_argument("--reason", type=said, required=True, metavar="TEXT", help="why: the vote that allows it")


def main(arguments: Sequence[str] | None = None) -> int:
    """Look up the pseudonym that is asked for; the exit status."""
    return run_door(__doc__ or "", reidentify, arguments, _add_options)


if __name__ == "__main__":
    sys.exit(main())
