"""What the readers of all formats say in the same words."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from cdisc.formats.tables import domain_of
from disclosure_control.basics.words import listed


def shown_name(name: str) -> str:
    """Return a column name for a message, quoted, shortened, and without control characters."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return repr(printable if len(printable) <= 60 else printable[:57] + "...")


def setting_of(path: Path, key: str, value: object) -> str:
    """Return the config setting that declares ``key`` of a file, ready to be copied."""
    return "merge: " + json.dumps({"files": {domain_of(path): {key: value}}}, ensure_ascii=False)


def leave_out_setting(path: Path) -> str:
    """Return the config setting that leaves a domain out, ready to be copied."""
    return "merge: " + json.dumps({"ignore": [domain_of(path)]}, ensure_ascii=False)


def reason_of(error: OSError) -> str:
    """Return why the system could not do something, in its own words and without a path."""
    return os.strerror(error.errno) if error.errno else "the system refused"


def empty_file_fault(path: Path) -> str:
    """Return the fault of a file that holds nothing."""
    return f"{path.name}: the file is empty. Remove it, or leave the domain out by {leave_out_setting(path)}."


def no_record_fault(path: Path) -> str:
    """Return the fault of a file that names columns and holds no record."""
    return (
        f"{path.name}: the file has column names and no record. Remove it, or leave the domain out by "
        f"{leave_out_setting(path)}."
    )


def several_datasets_fault(path: Path, n_datasets: int) -> str:
    """Return the fault of a file that holds more than one dataset."""
    return (
        f"{path.name}: the file holds {n_datasets} datasets; one dataset per file is allowed. Export each "
        "dataset into a file of its own."
    )


def all_files_setting(key: str, value: object) -> str:
    """Return the config setting that declares something of all files, ready to be copied."""
    return "merge: " + json.dumps({key: value}, ensure_ascii=False)


def counted_note(words: str, counts: Mapping[str, int], *more: str) -> list[str]:
    """Return the note with the columns that have such records, and how many; none where no column has."""
    where = [f"{shown_name(name)} ({number:,})" for name, number in counts.items() if number]
    return [words.format(listed(where, at_most=8), *more)] if where else []
