"""Reading SPSS data sets (.sav, .zsav)."""

from __future__ import annotations

from disclosure_control.basics.files import SourceFile
from study.formats.registry import Format
from study.formats.statistics_files import SPSS_FORMATS, read_statistics_file
from study.formats.tables import FileContents, FileOptions


def read_spss(source: SourceFile, options: FileOptions) -> FileContents:
    """Read an SPSS data set; what it declares as missing by its user is missing."""
    return read_statistics_file(source, options, "sav", SPSS_FORMATS)


FORMAT = Format(readers={".sav": read_spss, ".zsav": read_spss}, documentation="SPSS (`.sav`, `.zsav`)", place=6)
