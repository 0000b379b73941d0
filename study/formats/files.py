"""Finding the domain files of a pilot and reading each of them into one table of text and numbers.

One file is one domain, named by the file. Where a workbook has several sheets with data, each is one, named by the
sheet. ``study.formats.registry`` lists the readable formats.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from disclosure_control.basics.files import SourceFile, leads_out_of, link_fault, read_file, sha256_of_file
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.side_by_side import meanwhile
from disclosure_control.basics.telling.words import counted, listed
from study.formats.foreign_content import foreign_content_faults
from study.formats.meanings import columns_as_meant
from study.formats.messages import all_files_setting, empty_file_fault, reason_of
from study.formats.packed import beginning_unpacked, gunzipped
from study.formats.registry import (
    BEGINNING_BYTES,
    FoundSheets,
    Recognised,
    TablesTogether,
    hash_of_all,
    readers_by_suffix,
    recognised,
    sheets_in,
    tables_together,
)
from study.formats.row_numbers import may_be_row_numbers, without_row_numbers
from study.formats.rows_of_nobody import without_rows_of_nobody
from study.formats.tables import (
    BUNDLES,
    GZIP_SUFFIX,
    NOTHING_DECLARED,
    FileContents,
    FileOptions,
    SourceTable,
    domain_of,
    file_of,
    sheet_path,
    stem_of,
    suffix_of,
)
from study.formats.values import frame_of, name_faults

# What lies beside the data of a release and is no domain.
DESCRIPTIONS = ("CODEBOOK", "README")


@dataclass(frozen=True)
class FoundFiles:
    """The files of a pilot folder: those to read by domain, sorted, and those left out with the reason."""

    by_domain: dict[str, Path]
    left_out: dict[str, str]


def find_domain_files(
    folder: Path, declared: Mapping[str, FileOptions] | None = None, id_column: str | None = None
) -> FoundFiles:
    """Return the domain files of a pilot folder and the files that no reader knows.

    Of a workbook with several sheets of data each sheet is a domain, unless the config has ``declared`` one of them for
    the workbook; legends and empty sheets are left out. ``id_column`` names the person, as far as that is known. The
    config also declares which file of a domain to read, where several have it. Sub-folders and hidden files are
    skipped. Raises FaultyInputError when the folder cannot be listed, contains no domain file or two files for one
    domain, or a domain file is a link that leads out of it.
    """
    declared = declared or {}
    folder = Path(folder)
    readers = readers_by_suffix()
    by_domain: dict[str, list[Path]] = {}
    left_out: dict[str, str] = {}
    together: list[Path] = []
    for path in visible_files(folder):
        is_known = suffix_of(path) in readers and path == file_of(path)  # no file is called as a sheet is here
        content = _recognised(path) if is_known else Recognised()
        if domain_of(path) in DESCRIPTIONS:
            left_out[path.name] = "describes the data"
        elif content.is_together:
            together.append(path)
        elif content.left_out:
            left_out[path.name] = content.left_out
        elif is_known:
            is_one_declared = declared.get(domain_of(path), NOTHING_DECLARED).sheet is not None
            sheets = FoundSheets() if is_one_declared else sheets_in(path, id_column)
            left_out |= {sheet_path(path, name).name: reason for name, reason in sheets.left_out.items()}
            for one in [sheet_path(path, name) for name in sheets.with_data] or [path]:
                by_domain.setdefault(content.domain or domain_of(one), []).append(one)
        else:
            left_out[path.name] = f"not a data format this tool reads: {suffix_of(path) or 'no suffix'}"
    if together:
        found = _tables_together(folder, together)
        left_out |= {sheet_path(folder / BUNDLES, name).name: reason for name, reason in found.left_out.items()}
        for one in (sheet_path(folder / BUNDLES, name) for name in found.contents):
            by_domain.setdefault(domain_of(one), []).append(one)
    if not by_domain:
        others = f" ({counted(len(left_out), 'file')} of other formats)" if left_out else ""
        raise FaultyInputError(
            f"{folder}: no data file found{others}. Put the pilot's domain files there, one file per domain, "
            f"as {', '.join(readers)}."
        )
    files = dict.fromkeys(file_of(path) for paths in by_domain.values() for path in paths)
    files.pop(folder / BUNDLES, None)
    faults = [fault for path in files if (fault := link_fault(path, folder)) is not None]
    for domain, paths in sorted(by_domain.items()):
        if len(paths) > 1:
            named = [path for path in paths if path.name in declared.get(domain, NOTHING_DECLARED).file]
            if len(named) == 1:
                left_out |= {path.name: "another file of the domain was chosen" for path in paths if path != named[0]}
                by_domain[domain] = named
            else:
                faults.append(_several_files_fault(folder, domain, paths))
    stop_at(faults)
    return FoundFiles(
        by_domain={domain: by_domain[domain][0] for domain in sorted(by_domain)},
        left_out=dict(sorted(left_out.items())),
    )


def _tables_together(folder: Path, paths: Sequence[Path]) -> TablesTogether:
    n_outside = sum(leads_out_of(path, folder) for path in paths)
    if n_outside:
        raise FaultyInputError(
            f"{folder}: {counted(n_outside, 'Bundle')} behind links that lead out of the pilot's folder; put there "
            "what they lead to"
        )
    try:
        return tables_together(paths)
    except OSError as error:
        raise FaultyInputError(f"{folder}: a Bundle cannot be read: {reason_of(error)}.") from None


def files_of(path: Path) -> list[Path]:
    """The files in which a table is: itself or its workbook, and of FHIR Bundles all that are in the folder."""
    if file_of(path) == path or file_of(path).name != BUNDLES:
        return [file_of(path)]
    beside = (one for one in visible_files(path.parent) if suffix_of(one) in readers_by_suffix())
    return [one for one in beside if _recognised(one).is_together]


def is_there(path: Path) -> bool:
    """Whether the file or files of a table are there."""
    files = files_of(path)
    return bool(files) and all(one.is_file() for one in files)


def sha256_of_input(path: Path) -> str | None:
    """The SHA-256 of the file or files of a table, as ``SourceTable`` has it; None if one is not there."""
    if not is_there(path):
        return None
    files = files_of(path)
    hashes = [sha256_of_file(one) for one in files]
    return hashes[0] if files == [file_of(path)] else hash_of_all(hashes)


def _several_files_fault(folder: Path, domain: str, paths: Sequence[Path]) -> str:
    names = sorted(path.name for path in paths)
    workbooks = [file_of(path) for path in paths if file_of(path) != path]
    of_sheets = ""
    if workbooks:
        setting = all_files_setting("files", {domain_of(workbooks[0]): {"sheet": stem_of(paths[0])}})
        of_sheets = f" Of a workbook one sheet alone is read by {setting}, or rename the sheet."
    return (
        f"{folder}: {counted(len(paths), 'file')} for the domain {domain} ({listed(names, at_most=8)}); one file per "
        "domain is allowed. Keep one of them and move the others out of the folder, or choose one by "
        f"{all_files_setting('files', {domain: {'file': names[0]}})}.{of_sheets}"
    )


def read_domain_file(file: Path | SourceFile, options: FileOptions = NOTHING_DECLARED) -> SourceTable:
    """Read one domain file of any registered format: at a path, or already read.

    The file is opened once; the table's ``sha256`` is of the bytes that were parsed. Raises FaultyInputError with all
    faults that could be distinguished; messages name the file, columns, kinds and counts, never a value of a cell.
    """
    path = file if isinstance(file, Path) else file.path
    readers, suffix = readers_by_suffix(), suffix_of(path)
    if suffix not in readers:
        raise FaultyInputError(
            f"{path.name}: not a data format this tool reads ({suffix or 'no suffix'}); "
            f"allowed are {', '.join(readers)}."
        )
    if isinstance(file, Path) and file != file_of(file) and file_of(file).name == BUNDLES:
        return _read_together(file, options)
    found, sha256 = _contents_of(file, path, readers[suffix], options)
    return dataclasses.replace(table_of_contents(found, path, options), sha256=sha256)


def _contents_of(
    file: Path | SourceFile, path: Path, read: Callable[[SourceFile, FileOptions], FileContents], options: FileOptions
) -> tuple[FileContents, str]:
    """What is in a file, and its SHA-256: what it means is asked without its bytes, which are given up here."""
    suffix = suffix_of(path)
    try:
        source = dataclasses.replace(read_file(file_of(file)), path=file) if isinstance(file, Path) else file
    except OSError as error:
        raise FaultyInputError(f"{path.name}: the file cannot be read: {reason_of(error)}.") from None
    is_packed = source.content and suffix.endswith(GZIP_SUFFIX)
    unpacked = SourceFile(path, gunzipped(path, source.content)) if is_packed else source
    if not unpacked.content:
        raise FaultyInputError(empty_file_fault(path))
    stop_at(foreign_content_faults(path, unpacked.content))
    with meanwhile(lambda: source.sha256):
        found = read(unpacked, options)
    return found, source.sha256


def table_of_contents(found: FileContents, path: Path, options: FileOptions = NOTHING_DECLARED) -> SourceTable:
    """What the contents of a file mean, as a table without a hash; the ``path`` is not opened. Raises as
    ``read_domain_file`` does.
    """
    frame, notes = _read_as_declared(found, path, options)
    return SourceTable(
        found.domain or domain_of(path),
        path.name,
        "",
        frame,
        found.labels,
        tuple(notes),
        types=found.types,
        label=found.label,
        written_as=found.written_as,
        depends_on_keep=found.depends_on_keep or may_be_row_numbers(next(iter(found.columns), "x")),
    ).under_names(options.called)


def _read_together(path: Path, options: FileOptions) -> SourceTable:
    """One of the tables that several files contain together; read as one file with its contents."""
    together = _tables_together(path.parent, files_of(path))
    if stem_of(path) not in together.contents:
        raise FaultyInputError(f"{path.name}: not in the folder any more.")
    table = read_domain_file(SourceFile(path, together.contents[stem_of(path)]), options)
    notes = (*table.notes, *together.notes[stem_of(path)])
    return dataclasses.replace(table, sha256=together.sha256, notes=notes)


# Reads a file at a path as the options declare it.
Read = Callable[[Path, FileOptions], SourceTable]


@dataclass
class ReadOnce:
    """A reader that keeps what it read: a file is read again only under options by which it could be another table.

    Which column names the person is known only after a first look at the files, and changes nothing in most of them.
    """

    read: Read = read_domain_file
    tables: dict[Path, tuple[FileOptions, SourceTable]] = field(default_factory=dict, repr=False)

    def __call__(self, path: Path, options: FileOptions) -> SourceTable:
        """The table of a file, as from ``read``. Raises ``FaultyInputError`` as that does."""
        as_written = dataclasses.replace(options, called={})
        known = self.tables.get(path)
        if known is None or not _serves(*known, as_written):
            self.tables[path] = known = as_written, self.read(path, as_written)
        return known[1].under_names(options.called)


def _serves(read_by: FileOptions, table: SourceTable, options: FileOptions) -> bool:
    """Whether a table that was read by some options is the same by others."""
    kept = options.keep if table.depends_on_keep else read_by.keep
    return dataclasses.replace(options, keep=kept) == read_by


def _read_as_declared(found: FileContents, path: Path, options: FileOptions) -> tuple[pd.DataFrame, list[str]]:
    """What the columns of a file mean, in whatever format it is: row numbers, missing values, numbers and dates."""
    may_have_rows_of_nobody = found.is_typed_by_hand and not options.is_written_as_meant
    records, notes_on_records = (
        without_rows_of_nobody(found.columns) if may_have_rows_of_nobody else (found.columns, [])
    )
    columns, notes_on_rows = without_row_numbers(records, path, options)
    stop_at(name_faults(list(columns), path))
    meant, readings, notes = columns_as_meant(dataclasses.replace(found, columns=columns), path, options)
    frame = frame_of(meant, {name: reading.encoded for name, reading in readings.items()})
    return frame, [*found.notes, *notes_on_records, *notes_on_rows, *notes]


def visible_files(folder: Path) -> list[Path]:
    """The files of a folder by name, but for hidden ones.

    Raises FaultyInputError where it cannot be listed, and where it has a file that has no end (a device, a named pipe)
    or a name that is no text.
    """
    try:
        found = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise FaultyInputError(f"{folder}: the pilot's folder cannot be listed: {reason_of(error)}.") from None
    stop_at(fault for path in sorted(found) if (fault := _fault_of(path)))
    # A broken link or one to a device counts: if it were skipped, a domain would be missing silently.
    return sorted(path for path in found if path.is_file() or (path.is_symlink() and not path.is_dir()))


def _fault_of(path: Path) -> str:
    """Why no file of such a kind or name can be read, "" of others."""
    named = path.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if named != path.name:
        return f"{path.parent}: the name of the file {named} is no text in UTF-8; rename it"
    if path.exists() and not path.is_file() and not path.is_dir():
        return f"{path.parent}: {named} is a device, a named pipe or a socket, and no file; take it out of the folder"
    return ""


def _recognised(path: Path) -> Recognised:
    """What a file's first bytes say of it; the suffix says the rest."""
    beginning = b""
    with contextlib.suppress(OSError), path.open("rb") as file:
        beginning = file.read(BEGINNING_BYTES)
    is_packed = suffix_of(path).endswith(GZIP_SUFFIX)
    return recognised(path, beginning_unpacked(beginning) if is_packed else beginning) or Recognised()
