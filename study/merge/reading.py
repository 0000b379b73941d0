"""Reading a pilot's domain files for the merge: which of them take part, and why others do not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from study.columns.decisions import with_decisions
from study.define_xml import StudyDefinition, contradictions, find_definition, read_definition
from study.formats.files import find_domain_files, read_domain_file
from study.formats.messages import NO_RECORDS, has_no_records
from study.formats.tables import FileOptions, SourceTable
from study.merge.ages import with_ages
from study.merge.belonging import what_belongs
from study.merge.parts import MergeState
from study.merge.people import with_persons
from study.merge.settings import MergeSettings
from study.merge.subject_ids import DEFAULT_COLUMN, SubjectIdRule
from study.models.sdtm import LEFT_OUT
from study.models.study_model import StudyModel, study_model

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


def read_tables_to_merge(
    folder: Path, rule: SubjectIdRule, settings: MergeSettings, read: Read = read_domain_file
) -> tuple[list[SourceTable], StudyModel]:
    """The tables that ``combine_domains`` would merge, before the subjects are read, and what they are.

    SDTM names are in capitals. Raises ``FaultyInputError`` with all faults of the files at once.
    """
    state = MergeState(rule, settings)
    return tables_to_merge(folder, state, read), state.model


def tables_to_merge(folder: Path, state: MergeState, read: Read = read_domain_file) -> list[SourceTable]:
    """Every domain file of ``folder`` that takes part, SDTM names in capitals, what is left out noted in ``state``.

    Raises ``FaultyInputError`` with all faults of the files at once.
    """
    tables = _read_tables(folder, state, read)
    state.stop_at_faults()
    return _belonging(_with_further_columns([with_sdtm_names(table, state.rule) for table in tables], state), state)


def belonging_tables(tables: Sequence[SourceTable], state: MergeState) -> list[SourceTable]:
    """As ``tables_to_merge``, from tables of the folder's files that were read already."""
    merged = []
    for table in tables:
        reason = _why_left_out(table.domain, state)
        if reason:
            state.left_out[table.file_name] = reason
        else:
            _note_input(table, table.notes, state)
            merged.append(with_sdtm_names(table, state.rule))
    return _belonging(_with_further_columns(merged, state), state)


def _with_further_columns(tables: list[SourceTable], state: MergeState) -> list[SourceTable]:
    """The tables with the persons and ages that the config asks for, each noted."""
    settings = state.settings
    with_them = with_ages(
        with_persons(tables, settings.files, state.rule, settings.unknown_subjects), settings.age, state.rule
    )
    for table, before in zip(with_them, tables, strict=True):
        _note_input(table, [*state.inputs[table.file_name]["notes"], *table.notes[len(before.notes) :]], state)
    return with_them


def _read_tables(folder: Path, state: MergeState, read: Read) -> list[SourceTable]:
    found = find_domain_files(folder, state.settings.files, state.rule.column)
    state.left_out.update(found.left_out)
    definition = _definition(folder, state)
    tables = []
    without_records: dict[str, Sequence[str]] = {}
    for domain, path in found.by_domain.items():
        reason = _why_left_out(domain, state)
        if reason:
            state.left_out[path.name] = reason
            continue
        try:
            table = read(path, state.settings.options_of(domain, state.rule.column))
        except FaultyInputError as error:
            if has_no_records(error, path):
                without_records[path.name] = error.faults
            else:
                state.faults.extend(error.faults)
            continue
        notes = [*table.notes, *(contradictions(definition, table) if definition else ())]
        _note_input(table, notes, state)
        tables.append(table)
    if state.faults or not tables:
        state.faults.extend(fault for faults in without_records.values() for fault in faults)
    state.without_records = without_records
    if not tables and not state.faults:
        state.faults.append(f"{folder}: no file with data of subjects; put the pilot's domain files there")
    return tables


def _why_left_out(domain: str, state: MergeState) -> str | None:
    return "ignored by the config" if domain in state.settings.ignore else LEFT_OUT.get(domain)


def _note_input(table: SourceTable, notes: Sequence[str], state: MergeState) -> None:
    state.inputs[table.file_name] = {"sha256": table.sha256, "rows": table.n_rows, "notes": list(notes)}


def _definition(folder: Path, state: MergeState) -> StudyDefinition | None:
    """The define.xml beside the files; one that cannot be read is reported, and stops nothing."""
    path = find_definition(folder)
    if path is None:
        return None
    state.left_out[path.name] = "a description of the data, which was compared with the data"
    try:
        return read_definition(path)
    except FaultyInputError as error:
        state.left_out[path.name] = "a description of the data that could not be used"
        state.notes.extend(error.faults)
    except OSError:
        state.left_out[path.name] = "a description of the data that could not be read"
    return None


def _belonging(tables: list[SourceTable], state: MergeState) -> list[SourceTable]:
    """The tables of the chosen files and study; several without a choice are a fault."""
    found = what_belongs(tables, state)
    state.stop_at_faults()
    model = study_model(found, state.rule.column, state.settings.model)
    state.model = with_decisions(model, state.settings.columns)
    if state.model.has_empty_tables:
        state.left_out |= dict.fromkeys(state.without_records, NO_RECORDS)
    else:
        state.faults.extend(fault for faults in state.without_records.values() for fault in faults)
        state.stop_at_faults()
    left_out, domain_of = state.model.left_out, state.model.domain
    reasons = {one.file_name: left_out[name] for one in found if (name := domain_of(one.domain)) in left_out}
    state.left_out |= reasons
    for name in state.left_out:
        state.inputs.pop(name, None)
    return [table for table in found if table.file_name not in reasons]


def with_sdtm_names(table: SourceTable, rule: SubjectIdRule) -> SourceTable:
    """The table with SDTM names in capitals where the file writes them small."""
    columns = table.frame.columns
    if rule.column != DEFAULT_COLUMN or DEFAULT_COLUMN in columns or DEFAULT_COLUMN not in columns.str.upper():
        return table
    return dataclasses.replace(table, frame=table.frame.set_axis(columns.str.upper(), axis="columns"))
