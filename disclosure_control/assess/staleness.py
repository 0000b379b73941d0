"""Whether the combined dataset is still what the pilot's domain files would give, by the hashes of
merge_report.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config import MERGE_REPORT, TYPED_DATASET
from study.formats.files import files_of, is_there, sha256_of_input
from study.formats.registry import readers_by_suffix
from study.formats.tables import file_of, suffix_of

DECIDED = "decided"  # in the merge report: what was decided about columns
COLUMNS = "What is decided about columns"
REMEDY = "run Create_Combined_Pilot_Dataset.py again"


def decided_of_merge(literal: Mapping[str, Any]) -> dict[str, Any]:
    """What decisions about columns change in a merge, as its report remembers it: roles, and codes for missing."""
    columns = literal.get("merge", {}).get("columns", {})
    decided = {name: [one.get("role"), *one.get("missing", ())] for name, one in columns.items()}
    found = {name: one for name, one in decided.items() if one != [None]}
    return {DECIDED: found} if found else {}


def stale_merge_notices(
    folder: Path, results: Path, file: str, sha256: str, literal: Mapping[str, Any] | None = None
) -> list[str]:
    """Sentences on domain files that changed or were added since the merge, and on a combined dataset of another merge.

    ``file``, ``sha256``: of the combined dataset as it was read. ``literal``: the config of this run.

    Missing files are not reported: a node may have only the combined dataset. Without a readable merge report nothing
    is reported.
    """
    try:
        report = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))
        inputs, left_out = report["inputs"], report["left_out"]
        changed, added = _changed_since(inputs, folder), _added_since({*inputs, *left_out}, folder)
        hashes = {name: entry["sha256"] for name, entry in report["files"].items()}
        decided = report.get(DECIDED) != decided_of_merge(literal or {}).get(DECIDED)
        is_of_this_merge = report["pilot"] == folder.name and hashes.get(file) == sha256
        others = [*([] if is_of_this_merge else [file]), *changed_columns(results)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    of_another = "is not what the merge of this pilot wrote (changed by hand, or of another pilot)"
    return [
        *(f"{name} {of_another}; {REMEDY}." for name in others),
        *(
            f"{', '.join(files)} {words} after the merge, and what follows does not know it; {REMEDY}."
            for files, words in ((changed, "changed"), (added, "came"), ([COLUMNS] * decided, "changed"))
            if files
        ),
    ]


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


def _added_since(known: set[str], folder: Path) -> list[str]:
    suffixes, known_files = readers_by_suffix(), {path.name for name in known for path in files_of(folder / name)}
    names = (path.name for path in folder.iterdir() if path.is_file() and suffix_of(path) in suffixes)
    return sorted(name for name in names if name not in known_files and not name.startswith("."))
