"""The define.xml of a released study, and whether it describes the files correctly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.package import outgoing
from disclosure_control.release.study import DEFINITION
from disclosure_control.release.texts.labels import LabelJudge, judged_definition
from study.define_xml import (
    NEEDS,
    DescribedTable,
    StudyDefinition,
    contradictions,
    define_xml,
    find_definition,
    read_definition,
)
from study.formats.tables import SourceTable


def define_file(
    folder: Path,
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    levels: Mapping[str, Mapping[str, Sequence[str]]],
    created: datetime,
    judge: LabelJudge,
) -> tuple[bytes | None, str]:
    """The define.xml of the released files and "", or None and the reason why there is none.

    There is one if the study in the pilot's ``folder`` has one. ``levels`` may be listed, by data set and column;
    ``judge`` says which of its labels and meanings of codes leave.
    """
    path = find_definition(folder)
    if path is None:
        return None, "the study came without one"
    large = [file_names[name] for name, file in released.files.items() if file.is_in_parts]
    if large:
        return None, f"{listed(large)} was written part by part, and is described by the codebook alone"
    try:
        source = judged_definition(read_definition(path), judge)
    except FaultyInputError:
        return None, f"{path.name} of the study cannot be read"
    tables = [
        DescribedTable(outgoing(file, created), file_names[name], levels.get(name, {}), _derived(released, name))
        for name, file in released.files.items()
    ]
    content = define_xml(tables, source, created)
    return content, "" if content is not None else f"it needs {NEEDS}"


def _derived(released: ReleasedStudy, name: str) -> frozenset[str]:
    accounts = [one for one in released.accounts if one.file == name and not one.rows_of]
    return frozenset(one.variable for one in accounts if not one.is_as_it_came)


def what_it_does_not_say(content: bytes, tables: Mapping[str, SourceTable]) -> str:
    """Why the file, read again, is no description of the ``tables`` as they were opened; "" where it is one."""
    try:
        definition: StudyDefinition = read_definition(SourceFile(Path(DEFINITION), content))
    except FaultyInputError:
        return "what was written cannot be read"
    columns = {name: set(map(str, table.frame)) for name, table in tables.items()}
    if {name: {one.name for one in variables.values()} for name, variables in definition.datasets.items()} != columns:
        return "what was written has other data sets or variables than the files"
    notes = [note for table in tables.values() for note in contradictions(definition, table)]
    return f"what was written contradicts the files in {counted(len(notes), 'place')}" if notes else ""
