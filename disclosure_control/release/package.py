"""A released study as files, and as a recipient finds it: written in a format each, opened again, merged by door 1."""

from __future__ import annotations

import dataclasses
import gzip
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.kept import Kept
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import going_through, progress
from disclosure_control.records.people import counted_as
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.remedy.treatments.evaluation import config_of
from disclosure_control.run.tables import harmless
from study.formats.files import Read, find_domain_files, read_domain_file, table_of_contents
from study.formats.outgoing import FileWriter, OutgoingTable
from study.formats.registry import writers_by_name
from study.formats.tables import GZIP_SUFFIX, NOTHING_DECLARED, ColumnFound, FileContents, SourceTable
from study.merge.combine import IN_MEMORY, Combined, MergeResources, combine_tables
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule


def file_names(released: ReleasedStudy, format_name: str | None) -> dict[str, str]:
    """The name of the file of each data set."""
    names = {}
    for name, file in released.files.items():
        packed = GZIP_SUFFIX if file.source.is_packed and format_name is None and not file.is_in_parts else ""
        names[name] = f"{file.source.stem}{_writer(file, format_name).suffix}{packed}"
    return names


def _writer(file: ReleasedFile, format_name: str | None) -> FileWriter:
    return writers_by_name()[format_name or file.source.written_as]


def data_files(
    released: ReleasedStudy, format_name: str | None, created: datetime, folder: Path
) -> dict[str, bytes | Path]:
    """The data sets as files by name, each in its original format, or all in one.

    One in several parts is written into the ``folder``, part by part. Raises ``FaultyInputError`` with everything that
    the format cannot represent.
    """
    files: dict[str, bytes | Path] = {}
    faults: list[str] = []
    names, each = file_names(released, format_name), list(released.files.items())
    for data_set, file in going_through("Writing the package", each, lambda one: one[1].n_records, "rows"):
        writer, name = _writer(file, format_name), names[data_set]
        if file.is_in_parts:
            files[name] = _written_by_parts(file, writer, folder / name)
            continue
        table = outgoing(file, created)
        if writer.opened_by_spreadsheets:
            table = dataclasses.replace(table, frame=harmless(table.frame))
        try:
            content = writer.write(table)
        except FaultyInputError as error:
            faults += [f"release: {fault}" for fault in error.faults]
            continue
        files[name] = gzip.compress(content, mtime=0) if name.endswith(GZIP_SUFFIX) else content
    stop_at(faults)
    return files


def write_small_files(files: Mapping[str, bytes | Path], folder: Path) -> None:
    """Put those into the ``folder`` that were not written there part by part."""
    for name, content in files.items():
        if isinstance(content, bytes):
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(content)


def _written_by_parts(file: ReleasedFile, writer: FileWriter, path: Path) -> Path:
    assert writer.write_rows is not None  # of delimited text alone the rows are not at hand
    path.touch(mode=0o600)
    with path.open("wb") as written, progress(f"Writing {path.name}", file.n_records, "rows") as advance:
        for number, part in enumerate(file.parts):
            frame = harmless(part.frame) if writer.opened_by_spreadsheets else part.frame
            written.write(writer.write_rows(frame, number == 0))
            advance(len(frame))
    return path


def outgoing(file: ReleasedFile, created: datetime) -> OutgoingTable:
    """One data set with the contents allowed in its header."""
    study = list(file.frame["STUDYID"].dropna().unique()) if "STUDYID" in file.frame else []
    return OutgoingTable(
        name=file.source.name,
        label=file.source.table.label,
        frame=file.frame,
        labels=file.source.table.labels,
        study=str(study[0]) if len(study) else "",
        created=created,
        types=file.source.table.types,
    )


def as_opened(released: ReleasedStudy, format_name: str | None, kept: Kept | None = None) -> dict[str, SourceTable]:
    """The data sets of a package by name, as they would be read, of files that are neither written nor opened.

    Text has no numbers: these are their shortest texts there. ``kept``: the same frames as they were read before.
    """
    names = file_names(released, format_name)
    before, found = (kept or Kept()).of_files, {}
    for name in sorted(names, key=names.__getitem__):
        file, writer = released.files[name], _writer(released.files[name], format_name)
        says = (
            {}
            if writer.opened_by_spreadsheets
            else {
                "labels": file.source.table.labels,
                "types": file.source.table.types,
                "label": file.source.table.label,
            }
        )
        read = partial(_as_opened, file.frame, Path(names[name]), writer.opened_by_spreadsheets, says)
        found[name], _ = before.of((id(file.frame), names[name], repr(says)), read)
    return found


def _as_opened(
    frame: pd.DataFrame, path: Path, is_text: bool, says: Mapping[str, Any]
) -> tuple[SourceTable, pd.DataFrame]:
    """A file as it would be read, and its frame, so that no other one gets its place in memory."""
    cells = {str(name): _cells(values, is_text) for name, values in (harmless(frame) if is_text else frame).items()}
    return table_of_contents(FileContents(cells, (), **says), path), frame


def _cells(values: pd.Series, is_text: bool) -> ColumnFound:
    if values.dtype.kind != "f":
        return as_texts(values)
    return pa.array(values, from_pandas=True).cast(pa.large_string()) if is_text else values.to_numpy()


def opened_again(folder: Path, read: Read = read_domain_file) -> dict[str, SourceTable]:
    """The data sets of a package, read from disk, by name."""
    found = list(find_domain_files(folder).by_domain.items())
    each = going_through("Reading the package", found, lambda one: one[1].stat().st_size, "bytes")
    return {domain: read(path, NOTHING_DECLARED) for domain, path in each}


def merged_again(
    rule: SubjectIdRule, settings: MergeSettings, tables: Mapping[str, SourceTable], working: MergeResources = IN_MEMORY
) -> Combined:
    """One row per subject, as door 1 makes it of the ``tables`` of the package.

    Settings of the pilot's merge for columns that were not released have no effect here.
    """
    opened = {name: table.frame for name, table in tables.items()}
    carry = {
        domain: tuple(name for name in names if any(name in frame for frame in opened.values()))
        for domain, names in settings.carry.items()
    }
    events = {
        domain: {name: codes for name, codes in variables.items() if any(name in frame for frame in opened.values())}
        for domain, variables in settings.events.items()
    }
    asked = {domain: codes for domain, codes in events.items() if codes}
    ours = dataclasses.replace(settings, files={}, age={}, drop=(), carry=carry, events=asked)
    return combine_tables(list(tables.values()), SubjectIdRule(column=rule.column), ours, working)


def evaluated(records: EncodedRecords, values: Mapping[str, pd.Series], config: PilotConfig) -> Assessment:
    """k, l and t of the released records: of exact values, without the config's bins of quasi-identifiers."""
    adapted = dataclasses.replace(config_of(values, config), binning_config={})
    return evaluate(counted_as(records, adapted, values), adapted)


def as_written(texts: pd.Series) -> pd.Series:
    """Texts as files of text have them, where a spreadsheet runs none of them."""
    return as_texts(harmless(pd.DataFrame({"text": texts}))["text"])
