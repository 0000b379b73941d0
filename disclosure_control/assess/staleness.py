"""Whether the combined dataset is still what the pilot's domain files and its config would give: what door 1 saw is in
merge_report.json, and is compared with what there is now.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config import COMBINED_DATASET, MERGE_REPORT, TYPED_DATASET
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.words import listed
from disclosure_control.run.fingerprints import KIND, fingerprint
from study.formats.files import files_of, is_there, sha256_of_input
from study.formats.registry import readers_by_suffix
from study.formats.tables import file_of, suffix_of

DECIDED, SETTINGS = "decided", "settings"  # in the merge report: what was decided about columns, and the config's rules
COLUMNS = "What is decided about columns"
OF_MERGE = ("merge", "subject_id")
REMEDY = "run python Create_Combined_Pilot_Dataset.py {pilot}"
DIGITS = 16  # of the fingerprint of a dataset that was edited on purpose


@dataclass(frozen=True)
class Staleness:
    """``reasons`` to hold for inputs that changed since the merge; ``declared``: edits of the dataset, who and why."""

    reasons: tuple[Reason, ...] = ()
    declared: tuple[str, ...] = ()

    @property
    def notices(self) -> list[str]:
        """The same for the list of notices."""
        return [*(f"{one.sentence[:-1]}; {one.remedy}." for one in self.reasons), *self.declared]


def remembered_of_merge(literal: Mapping[str, Any]) -> dict[str, Any]:
    """What the merge report remembers of the config: decisions about columns, as far as they change a merge (roles, and
    codes for missing), and a hash of each key with rules of the merge.
    """
    merge = dict(literal.get("merge", {}))
    decided = {name: [one.get("role"), *one.get("missing", ())] for name, one in merge.pop("columns", {}).items()}
    found = {name: one for name, one in decided.items() if one not in ([None], ["unknown"])}
    rules = {"merge": merge, "subject_id": literal.get("subject_id", {})}
    hashes = {name: _hash_of(rules[name]) for name in OF_MERGE}
    return ({DECIDED: found} if found else {}) | {SETTINGS: hashes}


def _hash_of(rules: object) -> str:
    return hashlib.sha256(json.dumps(rules, sort_keys=True, default=repr).encode()).hexdigest()


def staleness(folder: Path, results: Path, sha256: str, literal: Mapping[str, Any], key: bytes = b"") -> Staleness:
    """What differs from what the merge saw: domain files, the rules of the merge, or the combined dataset itself.

    ``sha256``: of the combined dataset as it was read. ``literal``: the config of this run. ``key``: that of
    fingerprints, by which a config declares the edited dataset.

    Domain files that are all elsewhere are no reason: a node may have only the combined dataset. Nor is a dataset that
    came without a merge report, if no domain files lie there.
    """
    try:
        report = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))
        return _compared(report, folder, results, sha256, literal, key)
    except FileNotFoundError:
        if not _added_since(set(), folder):
            return Staleness()
        fault = f"{MERGE_REPORT} is missing, so nothing says of which domain files and rules {COMBINED_DATASET} is."
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        fault = f"{MERGE_REPORT} cannot be read, so nothing says of which domain files and rules {COMBINED_DATASET} is."
    return Staleness((_reason(folder, fault),))


def _compared(
    report: Mapping[str, Any],
    folder: Path,
    results: Path,
    sha256: str,
    literal: Mapping[str, Any],
    key: bytes,
) -> Staleness:
    remembered = remembered_of_merge(literal)
    inputs, before = report["inputs"], report.get(SETTINGS, remembered[SETTINGS])  # of earlier versions, nothing
    changed, missing = _changed_since(inputs, folder), _missing_since(inputs, folder)
    added = _added_since({*inputs, *report["left_out"]}, folder)
    rules = [f'"{name}"' for name in OF_MERGE if before[name] != remembered[SETTINGS][name]]
    columns = [COLUMNS] * (report.get(DECIDED) != remembered.get(DECIDED))
    found = [
        _reason(folder, f"{listed(names)} {words} after the merge, and what follows does not know it.")
        for names, words in (
            (changed, "changed"),
            (added, "came"),
            (missing, "vanished"),
            ([f"{listed(rules)} of the config"] if rules else [], "changed"),
            (columns, "changed"),
        )
        if names
    ]
    of_another = "is not what the merge of this pilot wrote (changed by hand, or of another pilot)."
    found += [_reason(folder, f"{name} {of_another}") for name in changed_columns(results)]
    if report["pilot"] == folder.name and report["files"][COMBINED_DATASET]["sha256"] == sha256:
        return Staleness(tuple(found))
    name = f"{COMBINED_DATASET} {fingerprint(key, sha256).removeprefix(KIND)[:DIGITS]}"
    if (said := literal.get("context", {}).get("rules", {}).get(name)) is None:
        declare = f'"context": {{"rules": {{"{name}": {{"by": "...", "on": "...", "says": "..."}}}}}}'
        words = f"; or, if it was edited on purpose, declare by whom, when and why: {declare}"
        return Staleness((*found, _reason(folder, f"{COMBINED_DATASET} {of_another}", words)))
    declared = f"{said['says']} ({said['by']}, {said['on']})"
    return Staleness(
        tuple(found), (f"{COMBINED_DATASET} was edited after the merge, as the config declares: {declared}.",)
    )


def _reason(folder: Path, sentence: str, otherwise: str = "") -> Reason:
    return Reason(Gravity.NOT_AS_MERGED, sentence, REMEDY.format(pilot=folder.name) + otherwise)


def changed_inputs(folder: Path, results: Path) -> list[str]:
    """The domain files that changed or vanished since the merge; only those newer than its report are read for it.

    Nothing where no merge report says what there was.
    """
    try:
        inputs = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))["inputs"]
        merged = (results / MERGE_REPORT).stat().st_mtime
        newer = {name: one for name, one in inputs.items() if _modified(file_of(folder / name)) > merged}
        return [*_changed_since(newer, folder), *_missing_since(inputs, folder)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _modified(path: Path) -> float:
    return path.stat().st_mtime if path.is_file() else 0.0


def changed_columns(results: Path) -> list[str]:
    """The name of the typed columns where they are not as the merge wrote them, by its report."""
    try:
        written = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))["files"][TYPED_DATASET]
        return _changed_since({TYPED_DATASET: written}, results)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def hash_of_input(folder: Path, name: str) -> str | None:
    """The SHA-256 of an input in a pilot's folder, None if it is not there; of a sheet, that of its workbook."""
    return sha256_of_input(folder / name)


def has_input(folder: Path, name: str) -> bool:
    """Whether an input is in a pilot's folder; a sheet is in its workbook."""
    return is_there(folder / name)


def _changed_since(inputs: Mapping[str, Mapping[str, str]], folder: Path) -> list[str]:
    files = {file_of(folder / name): (name, one["sha256"]) for name, one in inputs.items()}
    now = {path: hash_of_input(folder, name) for path, (name, _) in files.items()}
    return [path.name for path, (_, sha256) in files.items() if now[path] not in (None, sha256)]


def _missing_since(inputs: Mapping[str, object], folder: Path) -> list[str]:
    """The files that are not there, where others are; none of a node that has the combined dataset alone."""
    missing = [name for name in inputs if not has_input(folder, name)]
    return [] if len(missing) == len(inputs) else list(dict.fromkeys(file_of(folder / name).name for name in missing))


def _added_since(known: set[str], folder: Path) -> list[str]:
    suffixes, known_files = readers_by_suffix(), {path.name for name in known for path in files_of(folder / name)}
    names = (path.name for path in folder.iterdir() if path.is_file() and suffix_of(path) in suffixes)
    return sorted(name for name in names if name not in known_files and not name.startswith("."))
