"""The manifest of a run: inputs, results, versions and time; enough to run it again and compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from config import MERGE_REPORT
from disclosure_control import __version__
from disclosure_control.basics.files import sha256_of_file
from disclosure_control.report.evidence.packages import build, versions
from disclosure_control.run.doors import Pilot
from disclosure_control.run.fingerprints import MEANING, fingerprint, fingerprint_of_json, key_of, with_fingerprints

# The summary's fingerprints of files are in the manifest by name; all else in it are figures.
NO_FIGURES = ("inputs", "files", "hashes")
WHAT_IT_IS = (
    "What one run read and made. No value, id or host is in it; it still discloses which data you work on, so pass it "
    "on to auditors only. python -m disclosure_control.verify compares all of it with the files as they are now."
)


def manifest(
    pilot: Pilot,
    inputs: Mapping[str, Mapping[str, Any]],
    figures: str,
    settings: Mapping[str, Any],
    results: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """The manifest as plain names, versions and fingerprints of files.

    ``inputs`` of the run, and the fingerprint of its ``figures``; ``settings``: the typed settings of the steps;
    ``results``: the files of the set so far, with their SHA-256.
    """
    key = key_of(pilot.results)
    merge = _merge_report(pilot)
    return {
        "schema": 1,
        "what": WHAT_IT_IS,
        "pilot": pilot.name,
        "version": __version__,
        "build": build(),
        "started": pilot.started,
        "versions": versions(),
        "hashes": MEANING,
        "config": {
            "file": pilot.config_file.name,
            "sha256": fingerprint(key, pilot.config_file.sha256),
            "settings": fingerprint_of_json(pilot.config, key),
        },
        **({"columns": {"sha256": fingerprint(key, pilot.sheet.file.sha256)}} if pilot.sheet is not None else {}),
        "seeds": seeds_of(settings),
        "domain_files": with_fingerprints(merge.get("inputs", {}), key),
        "merge_report": fingerprint(key, sha256_of_file(pilot.results / MERGE_REPORT)) if merge else None,
        "inputs": with_fingerprints(inputs, key),
        "results": with_fingerprints(dict(sorted(results.items())), key),
        "figures": figures,
    }


def figures_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a summary, without the part about files."""
    return {name: value for name, value in summary.items() if name not in NO_FIGURES}


def seeds_of(settings: Mapping[str, Any]) -> dict[str, object]:
    """Where chance started, by step: the number where it undoes nothing, in words where a released file hangs on it."""
    seeds: dict[str, object] = {name: one.seed for name, one in settings.items() if hasattr(one, "seed")}
    treatment = settings.get("treatment")
    if treatment is not None:
        seeds["treatment"] = treatment.chance.in_words
    return seeds


def _merge_report(pilot: Pilot) -> dict[str, Any]:
    """What the merge read, in its own words; nothing where the combined dataset came from elsewhere."""
    try:
        found = json.loads((pilot.results / MERGE_REPORT).read_text(encoding="utf-8"))
        hashes = {name: bytes.fromhex(one["sha256"]).hex() for name, one in found["inputs"].items()}
        return {"inputs": {name: {"sha256": sha256} for name, sha256 in hashes.items()}}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
