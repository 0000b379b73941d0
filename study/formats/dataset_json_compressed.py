"""Reading compressed Dataset-JSON 1.1 (.dsjc): the form in lines, packed as a zlib stream or, as some do, by gzip."""

from __future__ import annotations

from disclosure_control.basics.files import SourceFile
from study.formats.dataset_json import read_dataset_ndjson
from study.formats.packed import inflated
from study.formats.registry import Format
from study.formats.tables import FileContents, FileOptions


def read_dataset_json_compressed(source: SourceFile, options: FileOptions) -> FileContents:
    """Read compressed Dataset-JSON as its form in lines. Raises FaultyInputError where it is damaged or too large.

    Source: CDISC, Compressed Dataset-JSON 1.1.
    """
    return read_dataset_ndjson(SourceFile(source.path, inflated(source.path, source.content)), options)


FORMAT = Format(
    readers={".dsjc": read_dataset_json_compressed}, documentation="compressed Dataset-JSON (`.dsjc`)", place=3
)
