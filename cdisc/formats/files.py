"""Finding the domain files of a pilot and reading each of them into one table of text and numbers.

One file is one domain, named by the file. What can be read is what is registered in ``cdisc.formats.registry``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cdisc.formats.foreign_content import foreign_content_faults
from cdisc.formats.messages import empty_file_fault, reason_of
from cdisc.formats.registry import readers_by_suffix
from cdisc.formats.tables import NOTHING_DECLARED, FileOptions, SourceTable, domain_of
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.files import SourceFile, link_fault, read_file
from disclosure_control.basics.words import counted, listed

# What lies beside the data of a release and is no domain.
DESCRIPTIONS = ("CODEBOOK", "README")


@dataclass(frozen=True)
class FoundFiles:
    """The files of a pilot folder: those to read by domain, sorted, and those left out with the reason."""

    by_domain: dict[str, Path]
    left_out: dict[str, str]


def find_domain_files(folder: Path) -> FoundFiles:
    """Return the domain files of a pilot folder and the files that no reader knows.

    Sub-folders and hidden files are passed over. Raises FaultyInputError when the folder cannot be listed,
    holds no domain file, holds two files for one domain, or a domain file is a link that leads out of it.
    """
    folder = Path(folder)
    readers = readers_by_suffix()
    by_domain: dict[str, list[Path]] = {}
    left_out: dict[str, str] = {}
    for path in _visible_files(folder):
        if domain_of(path) in DESCRIPTIONS:
            left_out[path.name] = "describes the data"
        elif path.suffix.lower() in readers:
            by_domain.setdefault(domain_of(path), []).append(path)
        else:
            left_out[path.name] = f"not a data format this tool reads: {path.suffix or 'no suffix'}"
    if not by_domain:
        others = f" ({counted(len(left_out), 'file')} of other formats)" if left_out else ""
        raise FaultyInputError(
            f"{folder}: no data file found{others}. Put the pilot's domain files there, one file per domain, "
            f"as {', '.join(readers)}."
        )
    faults = [
        fault for paths in by_domain.values() for path in paths if (fault := link_fault(path, folder)) is not None
    ]
    faults += [
        f"{folder}: {counted(len(paths), 'file')} for the domain {domain} "
        f"({listed(sorted(path.name for path in paths), at_most=8)}); one file per domain is allowed. "
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


def read_domain_file(file: Path | SourceFile, options: FileOptions = NOTHING_DECLARED) -> SourceTable:
    """Read one domain file of any registered format: at a path, or as it was read already.

    The file is opened once; the table's ``sha256`` is of the bytes that were parsed. Raises FaultyInputError with all
    faults that could be told apart; messages name the file, columns, kinds and counts, never a value of a cell.
    """
    from cdisc.formats.values import frame_of

    path = file if isinstance(file, Path) else file.path
    readers = readers_by_suffix()
    if path.suffix.lower() not in readers:
        raise FaultyInputError(
            f"{path.name}: not a data format this tool reads ({path.suffix or 'no suffix'}); "
            f"allowed are {', '.join(readers)}."
        )
    try:
        source = read_file(file) if isinstance(file, Path) else file
    except OSError as error:
        raise FaultyInputError(f"{path.name}: the file cannot be read: {reason_of(error)}.") from None
    if not source.content:
        raise FaultyInputError(empty_file_fault(path))
    faults = foreign_content_faults(path, source.content)
    if faults:
        raise FaultyInputError(faults)
    found = readers[path.suffix.lower()](source, options)
    return SourceTable(
        domain_of(path), path.name, source.sha256, frame_of(found.columns), found.labels, tuple(found.notes)
    )


def _visible_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and _is_file(path))
    except OSError as error:
        raise FaultyInputError(f"{folder}: the pilot's folder cannot be listed: {reason_of(error)}.") from None


def _is_file(path: Path) -> bool:
    # A link to nowhere or to a device counts: passed over, a domain would be missing without a word.
    return path.is_file() or (path.is_symlink() and not path.is_dir())
