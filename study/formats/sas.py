"""Reading SAS data sets (.sas7bdat)."""

from __future__ import annotations

from disclosure_control.basics.files import SourceFile
from study.formats.registry import Format
from study.formats.statistics_files import SAS_FORMATS, read_statistics_file
from study.formats.tables import FileContents, FileOptions


def read_sas(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a SAS data set. Its formats of values lie in another file, the catalogue, so that codes stay codes."""
    return read_statistics_file(source, options, "sas7bdat", SAS_FORMATS)


FORMAT = Format(readers={".sas7bdat": read_sas}, documentation="SAS data sets (`.sas7bdat`)", place=5)
