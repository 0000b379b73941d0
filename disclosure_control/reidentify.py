"""Who is behind one pseudonym? For a finding that has to go back to a patient, and for nothing else.

    python -m disclosure_control.reidentify PENTELI --by "A. Berger" --role "custodian" --reason "ethics vote 12/2026"

The pseudonym is asked for, one person per call. It needs what made the release: the config, the key, the combined
dataset and a custodian in the config ("context": {"custodian": ...}). The answer is written to reidentified.csv in the
hidden folder beside the results, in mode 0600, and never shown; the call is logged beside it, found or not.
Exit status: 0 found; 1 nobody of this release has it; 2 config or input at fault; 3 a fault of ours; 4 another run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from config import combined_dataset_in
from config.model_settings import PilotConfig
from disclosure_control.assess.opening import read_texts
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.release.people import texts_of
from disclosure_control.remedy.treatments.keys import Release, pseudonyms_of, read_key
from disclosure_control.remedy.treatments.one_release import GIVES_IDS, name_of_release
from disclosure_control.run import clock
from disclosure_control.run.beside import beside, put_beside
from disclosure_control.run.doors import DONE, RISK_TOO_HIGH, Outcome, Pilot, run_door, said
from disclosure_control.run.fingerprints import fingerprint_of_json, key_of
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
    path = combined_dataset_in(pilot.results)
    config, frame, sha256 = read_texts(path, pilot.config, READERS)
    stop_at(_faults(config))
    key = read_key(_key_of(config), pilot.folder)
    release = Release(pilot.name, name_of_release(sha256, config))
    ids = texts_of(frame[SUBJECT_COLUMN]).to_pylist()
    found = [one for one, made in zip(ids, _made(key, release, ids, config), strict=True) if pseudonym in made]
    _keep(pilot, options, pseudonym, found)
    if not found:
        return Outcome(NOBODY, "nobody has this pseudonym in the release that this config and dataset make; logged")
    return Outcome(DONE, f"found; see {ANSWERS} in {beside(pilot.results).name}, for the custodian alone; logged")


def _one_pseudonym(given: Sequence[str]) -> str:
    if len(given) != 1:
        found = f"{len(given)} pseudonyms were given" if given else "no pseudonym was given"
        raise FaultyInputError(f"{found}; allowed: one in each call, so that each person has a reason of their own")
    return given[0]


def _made(key: bytes, release: Release, ids: Sequence[str], config: PilotConfig) -> list[set[str]]:
    """Every pseudonym that a release makes of each id: of files, of a database of numbers, and of the treated table."""
    length = next((step.settings.length for step in _steps(config) if step.method == GIVES_IDS), 16)
    kinds = (
        pseudonyms_of(key, release, ids),
        pseudonyms_of(key, release, ids, as_numbers=True),
        pseudonyms_of(key, release, ids, length),
    )
    return [set(made) for made in zip(*kinds, strict=True)]


def _steps(config: PilotConfig) -> Sequence:
    return getattr(config.settings.get("treatment"), "steps", ())


def _key_of(config: PilotConfig) -> object:
    of_release = getattr(config.settings.get("release"), "key_from", None)
    return of_release or next((step.settings.key_from for step in _steps(config) if step.method == GIVES_IDS), None)


def _faults(config: PilotConfig) -> list[str]:
    faults = []
    if not getattr(config.settings.get("context"), "custodian", None):
        faults.append('context: nobody may re-identify; name who may, and how: "context": {"custodian": "..."}')
    if _key_of(config) is None:
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
