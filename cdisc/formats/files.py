"""Finding the domain files of a pilot and reading each of them into one table of text and numbers.

One file is one domain, named by the file. Each format has a reader in a module of its own, imported only when
a file of that format is read: a pilot of CSV files never loads the reader of SAS files.
"""

from __future__ import annotations

import importlib
import json
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from disclosure_control.basics.faults import FaultyInputError

if TYPE_CHECKING:
    import pandas as pd

# suffix -> module and function of its reader; a reader takes (path, options) and returns a SourceTable
READERS = {
    ".csv": ("cdisc.formats.delimited_text", "read_csv"),
    ".tsv": ("cdisc.formats.delimited_text", "read_csv"),
    ".xpt": ("cdisc.formats.xport", "read_xport"),
    ".json": ("cdisc.formats.dataset_json", "read_dataset_json"),
    ".ndjson": ("cdisc.formats.dataset_json", "read_dataset_ndjson"),
    ".parquet": ("cdisc.formats.parquet", "read_parquet"),
}

# How files that are often sent under a wrong name begin.
_FOREIGN_BEGINNINGS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook or Word document",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"{\\rtf": "a rich text document",
}
_MARKUP_BEGINNINGS = (b"<!doctype", b"<html", b"<head", b"<body", b"<meta", b"<script", b"<table", b"<!--")


@dataclass(frozen=True)
class FileOptions:
    """What the config declares about one file; None means: guess, and say so."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] | None = None


@dataclass(frozen=True)
class SourceTable:
    """One domain file as it was read.

    ``frame`` has a RangeIndex in the order of the file; text columns have pandas' default ``str`` dtype with
    missing as NaN and never ``''``, numeric columns are float64. Columns of CSV files are all text.
    ``labels`` maps columns to labels where the format has them. ``notes`` says what was guessed.
    """

    domain: str
    file_name: str
    frame: pd.DataFrame
    labels: dict[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class FoundFiles:
    """The files of a pilot folder: those to read by domain, sorted, and those left out with the reason."""

    by_domain: dict[str, Path]
    left_out: dict[str, str]


NOTHING_DECLARED = FileOptions()


def domain_of(path: Path) -> str:
    """Return the domain that a file holds: its stem in capitals."""
    return unicodedata.normalize("NFC", path.stem).strip().upper()


def find_domain_files(folder: Path) -> FoundFiles:
    """Return the domain files of a pilot folder and the files that no reader knows.

    Sub-folders and hidden files are passed over. Raises FaultyInputError when the folder cannot be listed,
    holds no domain file, or holds two files for one domain.
    """
    folder = Path(folder)
    by_domain: dict[str, list[Path]] = {}
    left_out: dict[str, str] = {}
    for path in _visible_files(folder):
        if path.suffix.lower() in READERS:
            by_domain.setdefault(domain_of(path), []).append(path)
        else:
            left_out[path.name] = f"not a data format this tool reads: {path.suffix or 'no suffix'}"
    if not by_domain:
        others = f" ({counted(len(left_out), 'file')} of other formats)" if left_out else ""
        raise FaultyInputError(
            f"{folder}: no data file found{others}. Put the pilot's domain files there, one file per domain, "
            f"as {', '.join(READERS)}."
        )
    faults = [
        f"{folder}: {counted(len(paths), 'file')} for the domain {domain} "
        f"({listed(sorted(path.name for path in paths))}); one file per domain is allowed. "
        "Keep one of them and move the others out of the folder."
        for domain, paths in sorted(by_domain.items())
        if len(paths) > 1
    ]
    if faults:
        raise FaultyInputError(faults)
    return FoundFiles(
        by_domain={domain: by_domain[domain][0] for domain in sorted(by_domain)},
        left_out=dict(sorted(left_out.items())),
    )


def read_domain_file(path: Path, options: FileOptions = NOTHING_DECLARED) -> SourceTable:
    """Read one domain file of any format in READERS.

    Raises FaultyInputError with all faults that could be told apart; messages name the file, columns, kinds
    and counts, never a value of a cell.
    """
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise FaultyInputError(
            f"{path.name}: not a data format this tool reads ({path.suffix or 'no suffix'}); "
            f"allowed are {', '.join(READERS)}."
        )
    module_name, function_name = READERS[path.suffix.lower()]
    try:
        if path.stat().st_size == 0:
            raise FaultyInputError(empty_file_fault(path))
        return getattr(importlib.import_module(module_name), function_name)(path, options)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the system refused"
        raise FaultyInputError(f"{path.name}: the file cannot be read: {reason}.") from None


def _visible_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and _is_file(path))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the system refused"
        raise FaultyInputError(f"{folder}: the pilot's folder cannot be listed: {reason}.") from None


def _is_file(path: Path) -> bool:
    # A link to nowhere counts: passed over, a domain would be missing without a word.
    return path.is_file() or (path.is_symlink() and not path.exists())


# What all readers say in the same words


def counted(number: int, noun: str) -> str:
    """Return '1 record', '2,000 records'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(items: Iterable[str], limit: int = 8) -> str:
    """Return 'a, b, c and 4 more': the first items in full, the others counted."""
    items = list(items)
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit:,} more"


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


def empty_file_fault(path: Path) -> str:
    """Return the fault of a file that holds nothing."""
    return f"{path.name}: the file is empty. Remove it, or leave the domain out by {leave_out_setting(path)}."


def no_record_fault(path: Path) -> str:
    """Return the fault of a file that names columns and holds no record."""
    return (
        f"{path.name}: the file has column names and no record. Remove it, or leave the domain out by "
        f"{leave_out_setting(path)}."
    )


def foreign_content(beginning: bytes) -> str | None:
    """Return what a file really is, judged by its first bytes, or None where nothing speaks against its name."""
    for signature, kind in _FOREIGN_BEGINNINGS.items():
        if beginning.startswith(signature):
            return kind
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(b"<?xml"):
        return "an HTML page" if b"<html" in text[:1000] else "an XML document"
    return "an HTML page" if text.startswith(_MARKUP_BEGINNINGS) else None


def foreign_content_fault(path: Path, kind: str) -> str:
    """Return the fault of a file that is something else than its suffix says."""
    return (
        f"{path.name}: this is {kind} saved as {path.suffix.lower()}. Export the data again as "
        f"{path.suffix.lower()}, or leave the domain out by {leave_out_setting(path)}."
    )
