"""The formats of files: each module of this folder that defines a ``FORMAT`` is one.

Such a module is imported when the suffixes are requested, so it imports its own libraries inside the
functions that need them: a pilot of CSV files never loads the reader of SAS files.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from disclosure_control.basics.files import SourceFile, read_file
from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.outgoing import FileWriter
from study.formats.tables import GZIP_SUFFIX, FileContents, FileOptions, suffix_of

# As much of a file as says what it is.
BEGINNING_BYTES = 1 << 16

# A reader gets the bytes and never opens the file: what is hashed is what is parsed. It raises FaultyInputError
# with all faults that can be distinguished; its messages name the file, columns, kinds and counts, never a value.
Reader = Callable[[SourceFile, FileOptions], FileContents]


@dataclass(frozen=True)
class Recognised:
    """What the first bytes of a file say of it: the ``domain`` in it, or else why it is ``left_out``.

    ``is_together``: the file is one of several that contain the tables together.
    """

    domain: str = ""
    left_out: str = ""
    is_together: bool = False


@dataclass(frozen=True)
class TablesTogether:
    """What several files contain together: the ``contents`` and ``notes`` of each table, and their ``hash_of_all``.

    ``left_out``: what else is in them, with the reason.
    """

    contents: Mapping[str, bytes] = field(repr=False)
    notes: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]
    sha256: str


@dataclass(frozen=True)
class FoundSheets:
    """The sheets of a workbook that contain data, by name, and those that do not, each with the reason."""

    with_data: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Format:
    """One file format: a reader for each suffix (small letters, with the dot), and its words in the README's list.

    ``recognised``: of a format with a suffix that other files have as well, what the first bytes of a file say; None if
    these say nothing, or that it is another one's.
    ``is_text``: its files may also be packed by gzip (``.csv.gz``). ``sheets``: of a format whose files may contain
    several tables, which ones these are. ``together`` reads files that contain tables together. ``writers`` are keyed
    by the name that a config gives to what is written; a format without one is released as another. ``place`` orders
    the formats in lists, smaller ones first; those without one come last, by their words.
    """

    readers: Mapping[str, Reader]
    documentation: str
    place: int = 100
    is_text: bool = False
    recognised: Callable[[Path, bytes], Recognised | None] | None = None
    sheets: Callable[[SourceFile, str | None], FoundSheets] | None = None
    together: Callable[[Sequence[Path]], TablesTogether] | None = None
    writers: Mapping[str, FileWriter] = field(default_factory=dict)


@cache
def registered_formats() -> tuple[Format, ...]:
    """Return every format there is, in the order in which they are listed."""
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    modules = [importlib.import_module(f"study.formats.{name}") for name in names if name != "__main__"]
    formats: list[Format] = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return tuple(sorted(formats, key=lambda one: (one.place, one.documentation)))


def readers_by_suffix() -> dict[str, Reader]:
    """Return the reader of each suffix, in the order of the list; packed text comes last.

    The reader of a packed text receives the unpacked text. Of several formats with one suffix, the reader is that of
    the one that recognises the file.
    """
    formats = registered_formats()
    plain: dict[str, Reader] = {}
    for one in formats:
        for suffix, reader in one.readers.items():
            plain[suffix] = _either(one, reader, plain[suffix]) if suffix in plain else reader
    packed = {suffix + GZIP_SUFFIX: plain[suffix] for one in formats if one.is_text for suffix in one.readers}
    return plain | packed


def _either(form: Format, reader: Reader, other: Reader) -> Reader:
    def read(source: SourceFile, options: FileOptions) -> FileContents:
        is_own = form.recognised is not None and form.recognised(source.path, source.content[:BEGINNING_BYTES])
        return (reader if is_own else other)(source, options)

    return read


def recognised(path: Path, beginning: bytes) -> Recognised | None:
    """What the first bytes of a file, unpacked ones, say of it, where its suffix alone does not."""
    suffix = suffix_of(path).removesuffix(GZIP_SUFFIX)
    asked = [one.recognised for one in registered_formats() if one.recognised is not None and suffix in one.readers]
    return next((found for ask in asked if (found := ask(path, beginning)) is not None), None)


def tables_together(paths: Sequence[Path]) -> TablesTogether:
    """The tables of files that contain them together. Raises ``FaultyInputError`` and ``OSError``."""
    read = next(one.together for one in registered_formats() if one.together is not None)
    return read(paths)


def hash_of_all(hashes: Iterable[str]) -> str:
    """One SHA-256 of those of several files, whatever their names and order."""
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def sheets_in(path: Path, id_column: str | None) -> FoundSheets:
    """The sheets of a workbook that are tables of their own, if these are several, and those left out with the reason.

    ``id_column`` names the person in them. None if a file is no workbook, or cannot be read: that is the fault of
    reading it.
    """
    found = FoundSheets()
    with contextlib.suppress(OSError, FaultyInputError):
        for one in registered_formats():
            if one.sheets and suffix_of(path) in one.readers:
                found = one.sheets(read_file(path), id_column)
    several = found.with_data if len(found.with_data) > 1 else ()
    return FoundSheets(several, found.left_out if found.with_data else {})


def writers_by_name() -> dict[str, FileWriter]:
    """Return the writer of each name that a config may give, in the order in which the formats are listed."""
    return {name: writer for one in registered_formats() for name, writer in one.writers.items()}
