"""Reading Stata data sets (.dta)."""

from __future__ import annotations

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.registry import Format
from study.formats.statistics_files import STATA_FORMATS, damaged_fault, read_statistics_file
from study.formats.tables import FileContents, FileOptions

_BEGINNING, _END = b"<stata_dta>", b"</stata_dta>"


def read_stata(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a Stata data set. Raises FaultyInputError where it does not end as versions since 13 do."""
    if source.content.startswith(_BEGINNING) and not source.content.rstrip(b"\0\r\n").endswith(_END):
        raise FaultyInputError(damaged_fault(source))
    return read_statistics_file(source, options, "dta", STATA_FORMATS)


FORMAT = Format(readers={".dta": read_stata}, documentation="Stata (`.dta`)", place=7)
