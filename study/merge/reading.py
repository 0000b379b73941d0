"""Reading a pilot's domain files for the merge: which of them take part, and why others do not.

They are of one study, and one file of each domain unless the standard splits it. Two studies in one folder, or a domain
in two files, would be merged silently: a person of one study would get the measurements of another. So they are a fault
that names files, STUDYIDs and counts, until the config chooses among them or pools them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name
from disclosure_control.basics.telling.words import counted, listed
from study.columns.decisions import with_decisions
from study.define_xml import StudyDefinition, contradictions, find_definition, read_definition
from study.formats.files import Read, find_domain_files, read_domain_file
from study.formats.messages import NO_RECORDS, Note, all_files_setting, has_no_records, shown_name
from study.formats.tables import SourceTable
from study.merge.ages import with_ages
from study.merge.people import with_persons
from study.merge.settings import MergeSettings
from study.merge.state import MergeState
from study.merge.subject_ids import DEFAULT_COLUMN, SubjectIdRule
from study.models.registry import study_model
from study.models.sdtm import BASE_DOMAIN, LEFT_OUT, named_domain, only_value, supplemental_parent
from study.models.study_model import StudyModel


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
    return _belonging(tables, state)


def belonging_tables(tables: Sequence[SourceTable], state: MergeState) -> list[SourceTable]:
    """As ``tables_to_merge``, from tables of the folder's files that were read already."""
    tables = [table for table in tables if not _is_left_out(table.domain, table.file_name, state)]
    for table in tables:
        _note_input(table, table.notes, state)
    return _belonging(tables, state)


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
    for domain, path in found.by_domain.items():
        if _is_left_out(domain, path.name, state):
            continue
        try:
            table = read(path, state.settings.options_of(domain, state.rule.column))
        except FaultyInputError as error:
            if has_no_records(error, path):
                [state.without_records[path.name]] = error.faults
            else:
                state.faults.extend(error.faults)
            continue
        notes = [*table.notes, *(contradictions(definition, table) if definition else ())]
        _note_input(table, notes, state)
        tables.append(table)
    if state.faults or not tables:
        state.faults += state.without_records.values()
    if not tables and not state.faults:
        state.faults.append(f"{folder}: no file with data of subjects; put the pilot's domain files there")
    return tables


def _is_left_out(domain: str, file_name: str, state: MergeState) -> bool:
    """Whether a file takes no part, whatever is in it; the reason goes to ``state``."""
    reason = "ignored by the config" if domain in state.settings.ignore else LEFT_OUT.get(domain, "")
    if reason:
        state.left_out[file_name] = reason
    return bool(reason)


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


def _belonging(tables: Sequence[SourceTable], state: MergeState) -> list[SourceTable]:
    """The tables of the chosen files and study, with all their columns; several without a choice are a fault."""
    whole = _with_further_columns([with_sdtm_names(one, state.rule) for one in tables], state)
    found = _of_chosen_study(chosen_files(whole, state), state)
    _check_one_file_each(found, state)
    state.stop_at_faults()
    model = study_model(found, state.rule.column, state.settings.model)
    state.model = with_decisions(model, state.settings.columns)
    if state.model.has_empty_tables:
        state.left_out |= dict.fromkeys(state.without_records, NO_RECORDS)
    else:
        state.faults += state.without_records.values()
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


# ---------------------------------------------------------------- what belongs together

STUDY = "STUDYID"
ALL_STUDIES = "*"
# A column STUDYID with more values than this numbers the people, as in some hospitals, not studies.
MOST_STUDIES = 20


# ---------------------------------------------------------------- files


def chosen_files(tables: Sequence[SourceTable], state: MergeState) -> list[SourceTable]:
    """The tables of the chosen files, each under the domain that they were chosen for, and of all other domains."""
    found, names = list(tables), [table.file_name for table in tables]
    for domain, chosen in state.settings.chosen_files.items():
        absent = [name for name in chosen if name not in names]
        state.faults += [
            f"merge['files'][{domain!r}]['file']: there is no data file {name!r}{nearest_name(name, names)}"
            for name in absent
        ]
        if absent:
            continue
        others = [one.file_name for one in found if one.file_name not in chosen and _group_of(one) == domain]
        state.left_out |= dict.fromkeys(others, f"not chosen by merge['files'][{domain!r}]['file']")
        found = [
            dataclasses.replace(table, domain=domain) if table.file_name in chosen else table
            for table in found
            if table.file_name not in others
        ]
    return found


def _group_of(table: SourceTable) -> str:
    """The domain of a file, by its content; ``SUPPDM`` for a supplemental file of DM."""
    if supplemental_parent(table.domain) is None:
        return named_domain(table)
    named = only_value(table, "RDOMAIN")
    return f"SUPP{named}" if named else table.domain


def _is_split(table: SourceTable, domain: str) -> bool:
    """Whether a file's name is that of its domain, or of a part as SDTM splits domains: LBCH of LB."""
    may_be_split = domain.removeprefix("SUPP") != BASE_DOMAIN
    return table.domain == domain or (
        may_be_split and re.fullmatch(re.escape(domain) + "[A-Z0-9]{1,2}", table.domain) is not None
    )


def _check_one_file_each(tables: Sequence[SourceTable], state: MergeState) -> None:
    groups: dict[str, list[SourceTable]] = {}
    for table in tables:
        groups.setdefault(_group_of(table), []).append(table)
    for domain, members in groups.items():
        is_chosen = domain in state.settings.chosen_files
        if is_chosen or len(members) == 1 or all(_is_split(table, domain) for table in members):
            continue
        names = [table.file_name for table in members]
        state.faults.append(
            f"{len(members)} files of the domain {domain}: {listed(map(_described, members), at_most=8)}; allowed: one "
            "file, or the parts of a domain that SDTM splits (LBCH of LB). Choose one file by "
            f"{_file_setting(domain, names[0])}, or combine them by {_file_setting(domain, names)}"
        )


def _file_setting(domain: str, names: object) -> str:
    return all_files_setting("files", {domain: {"file": names}})


def _described(table: SourceTable) -> str:
    studies = _studies_of(table)
    of_study = f", {counted(len(studies), STUDY)}" if len(studies) != 1 else f", one {STUDY}"
    return f"{table.file_name} ({counted(table.n_rows, 'row')}{of_study})"


# ---------------------------------------------------------------- studies


def _studies_of(table: SourceTable) -> pd.Series:
    if STUDY not in table.frame:
        return pd.Series(dtype="int64")
    counts = table.counts_of(STUDY)
    return counts.set_axis(as_study_text(counts.index.to_series()))


def as_study_text(column: pd.Series) -> pd.Series:
    """A column of STUDYIDs as text, where the file holds them as numbers."""
    return column if column.dtype.kind != "f" else column.map(number_text, na_action="ignore")


def _of_chosen_study(tables: list[SourceTable], state: MergeState) -> list[SourceTable]:
    rows = {table.file_name: _studies_of(table) for table in tables}
    studies, study = sorted({str(name) for counts in rows.values() for name in counts.index}), state.settings.study
    if len(studies) > MOST_STUDIES:
        state.notes.append(
            f"{STUDY} has {len(studies):,} values: it seems to number people and was not used to choose a study"
        )
        return tables
    if study is None and len(studies) > 1:
        state.faults.append(_several_studies_fault(tables, rows, studies, state.rule.column))
    if study is None or study == ALL_STUDIES:
        return tables
    chosen = (study,) if isinstance(study, str) else study
    absent = [name for name in chosen if name not in studies]
    if absent:
        state.faults.append(
            f"merge['study']: {listed(map(repr, absent))} is not a {STUDY} in the pilot's files, which have "
            f"{len(studies)}; write it as in the files"
        )
        return tables
    return [kept for table in tables if (kept := _of_studies(table, chosen, state)) is not None]


def _of_studies(table: SourceTable, chosen: Sequence[str], state: MergeState) -> SourceTable | None:
    """The rows of the chosen studies, and those that name none; None if no row is left."""
    n_rows, n_others = table.n_rows, int(_studies_of(table)[lambda counts: ~counts.index.isin(chosen)].sum())
    if not n_others:
        return table
    if n_others == n_rows:
        state.left_out[table.file_name] = Note.of(
            lambda told: f"none of its {told(n_rows)} rows belongs to the chosen study"
        )
        return None
    state.inputs[table.file_name]["rows_of_other_studies"] = n_others
    return table.where(STUDY, lambda column: (as_study_text(column).isin(chosen) | column.isna()).to_numpy(dtype=bool))


def _several_studies_fault(
    tables: Sequence[SourceTable], rows: Mapping[str, pd.Series], studies: list[str], id_column: str | None
) -> str:
    shown = [name for name in studies if _may_be_shown(name, tables, id_column)]
    parts = []
    for name in studies:
        in_files = [f"{file} ({counts[name]:,})" for file, counts in rows.items() if name in counts.index]
        called = shown_name(name) if name in shown else "one that is not shown, as it may identify a person"
        parts.append(f"{called} in {listed(in_files, at_most=5)}")
    example: list[str] = [*shown, *(["..."] if len(shown) < 2 else [])]
    return (
        f"{len(studies)} {STUDY}s in the pilot's files, with their rows: {'; '.join(parts)}. Allowed: one study. "
        f"Choose it by {all_files_setting('study', example[0])}, or combine them by "
        f"{all_files_setting('study', example if len(shown) > 1 else ALL_STUDIES)}"
    )


def _may_be_shown(study: str, tables: Sequence[SourceTable], id_column: str | None) -> bool:
    """Whether at least two people have this STUDYID, so that it cannot be one person's number."""

    def is_meant(column: pd.Series) -> np.ndarray:
        return (as_study_text(column) == study).to_numpy(dtype=bool, na_value=False)

    return any(
        STUDY in table.frame
        and id_column is not None
        and id_column in table.frame
        and table.has_several(id_column, STUDY, is_meant)
        for table in tables
    )
