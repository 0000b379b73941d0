"""Reading compressed Dataset-JSON 1.1 (.dsjc): the form in lines, packed as a zlib stream or, as some do, by gzip."""

from __future__ import annotations

from cdisc.formats.dataset_json import read_dataset_ndjson
from cdisc.formats.packed import inflated
from cdisc.formats.registry import Format
from cdisc.formats.tables import FileContents, FileOptions
from disclosure_control.basics.files import SourceFile


def read_dataset_json_compressed(source: SourceFile, options: FileOptions) -> FileContents:
    """Read compressed Dataset-JSON as its form in lines. Raises FaultyInputError where it is damaged or too large.

    Source: CDISC, Compressed Dataset-JSON 1.1.
    """
    return read_dataset_ndjson(SourceFile(source.path, inflated(source.path, source.content)), options)


FORMAT = Format(
    readers={".dsjc": read_dataset_json_compressed}, documentation="compressed Dataset-JSON (`.dsjc`)", place=3
)
