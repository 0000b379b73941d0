"""A person signs off a published run, or sees who did.

    python -m disclosure_control.sign pilot_report/PENTELI/processed_for_anonym --by "A. Berger" --role "DPO"
    python -m disclosure_control.sign pilot_report/PENTELI/processed_for_anonym

The sign-off is over the hash of the run's manifest, which names every input and result: a set that changed, or that was
run again, is no longer signed.
Without --by nothing is signed: every file of the set is compared with its fingerprint, and the sign-offs are listed.
Exit status: 0 signed, or the set is as it was signed; 1 not signed, or changed since; 2 nothing to sign, or at fault.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted
from disclosure_control.report.evidence.pack import MANIFEST
from disclosure_control.report.verdict import HOLD, MAY_LEAVE
from disclosure_control.report.verification import PublishedSet, Verification, check_results
from disclosure_control.run import clock
from disclosure_control.run.doors import DONE, RISK_TOO_HIGH, Outcome, guarded, prepare_screen, said
from disclosure_control.run.logs import Log, say
from disclosure_control.run.results import held
from disclosure_control.run.sign_offs import (
    SignOff,
    add_sign_off,
    manifest_hash,
    read_sign_offs,
    sign_offs_in_words,
)

NOT_SIGNED = RISK_TOO_HIGH  # the same status: done, and not well


def changed_files(results: Path) -> list[str]:
    """What in the set is not as the run wrote it, in sentences. Raises ``FaultyInputError`` where there is no run."""
    made, found = PublishedSet.of(results), Verification()
    with made.as_written():
        check_results(found, made)
    return [words for changed in found.changed.values() for words in changed]


def against_release(results: Path) -> str:
    """A sentence if the verdict of the set is to hold it; "" if it may leave."""
    pilot = results.parent.name
    verdict = json.loads((results / f"{pilot}_privacy_summary.json").read_text(encoding="utf-8")).get("verdict", {})
    if verdict.get("verdict") == MAY_LEAVE:
        return ""
    n_reasons = len(verdict.get("reasons", ())) + verdict.get("further_reasons", 0)
    return f"The verdict is {HOLD}, for {counted(n_reasons, 'reason')}: see {pilot}_privacy_summary.txt."


def signed_off(results: Path, by: str, role: str, says: str = "") -> SignOff:
    """Sign a set as it is. Raises ``FaultyInputError`` where a file of it changed since the run."""
    with held(results):
        changed = changed_files(results)
        if changed:
            raise FaultyInputError([*changed, "The set is not as the run wrote it: run Main_Anonymization.py again"])
        says = " ".join(filter(None, (against_release(results), says)))
        signed = SignOff(results.parent.name, manifest_hash(results / MANIFEST), by, role, clock.utc_now(), says)
        add_sign_off(results, signed)
    return signed


def main(arguments: Sequence[str] | None = None) -> int:
    """Sign, or list the sign-offs, as the command line asks; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m disclosure_control.sign",
        description=(__doc__ or "").replace("``", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", type=Path, metavar="FOLDER", help="the results of a run, processed_for_anonym")
    parser.add_argument("--by", type=said, metavar="NAME", help="who signs")
    parser.add_argument("--role", type=said, metavar="ROLE", help="as what, such as data protection officer")
    parser.add_argument("--says", type=said, metavar="TEXT", help="what is approved, and on which conditions")
    parser.add_argument("--key", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.key:
        parser.error("--key: gone since version 4.0.0; openssl signs the manifest, as docs/auditor.md says")
    if bool(options.by) != bool(options.role):
        parser.error("--by and --role are given together")
    prepare_screen()
    return guarded(functools.partial(_run, options), Log()).status


def _run(options: argparse.Namespace) -> Outcome:
    results = options.results.resolve()
    if options.by:
        signed = signed_off(results, options.by, options.role, options.says or "")
        say(f"{signed.pilot}: signed off by {signed.text}.")
        if against := against_release(results):
            say(f"{against} This is part of what was signed.")
        return Outcome(DONE, "")
    changed = changed_files(results)
    manifest = manifest_hash(results / MANIFEST)
    sign_offs = read_sign_offs(results)
    for words in sign_offs_in_words(sign_offs, manifest):
        say(words)
    if changed:
        say(f"Changed since the run, so no sign-off is about this set: {counted(len(changed), 'file')}.")
        for words in changed:
            say(f"  {words}")
    is_signed = any(one.manifest == manifest and not one.signature for one in sign_offs)
    return Outcome(DONE if is_signed and not changed else NOT_SIGNED, "")


if __name__ == "__main__":
    sys.exit(main())
