"""The formats of files: each module of this folder that defines a ``FORMAT`` is one.

Such a module is imported when the suffixes are requested, so it imports its own libraries inside the
functions that need them: a pilot of CSV files never loads the reader of SAS files.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from disclosure_control.basics.files import SourceFile
from study.formats.outgoing import FileWriter
from study.formats.tables import GZIP_SUFFIX, FileContents, FileOptions

# A reader gets the bytes and never opens the file: what is hashed is what is parsed. It raises FaultyInputError
# with all faults that can be distinguished; its messages name the file, columns, kinds and counts, never a value.
Reader = Callable[[SourceFile, FileOptions], FileContents]


@dataclass(frozen=True)
class Format:
    """One file format: a reader for each suffix (small letters, with the dot), and its words in the README's list.

    ``doubtful``: suffixes that other files have as well, with a check of the first bytes for data. ``is_text``: its
    files may also be packed by gzip (``.csv.gz``). ``writers`` are keyed by the name that a config gives to what is
    written; a format without one is released as another. ``place`` orders the formats in lists, smaller ones first;
    those without one come last, by their words.
    """

    readers: Mapping[str, Reader]
    documentation: str
    place: int = 100
    is_text: bool = False
    doubtful: Mapping[str, Callable[[bytes], bool]] = field(default_factory=dict)
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

    The reader of a packed text receives the unpacked text.
    """
    formats = registered_formats()
    plain = {suffix: reader for one in formats for suffix, reader in one.readers.items()}
    packed = {suffix + GZIP_SUFFIX: plain[suffix] for one in formats if one.is_text for suffix in one.readers}
    return plain | packed


def holds_data(suffix: str, beginning: bytes) -> bool:
    """Whether the first bytes of a file of a known suffix are data: a .txt may be a letter to the reader."""
    checks = {one: check for form in registered_formats() for one, check in form.doubtful.items()}
    return suffix not in checks or checks[suffix](beginning)


def writers_by_name() -> dict[str, FileWriter]:
    """Return the writer of each name that a config may give, in the order in which the formats are listed."""
    return {name: writer for one in registered_formats() for name, writer in one.writers.items()}
