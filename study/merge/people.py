"""The people of a merge: the subject of each row by the pilot's rule, and the subjects whom the base lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import are_rising
from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.messages import Note, all_files_setting
from study.formats.tables import SourceTable
from study.merge.state import MergeState
from study.merge.subject_ids import ReadSubjects, read_subjects
from study.merge.through import KnownPeople, how_to_join, way_to_person
from study.models.roles import TableKind
from study.models.study_model import StudyModel


def people_of_tables(
    tables: Sequence[SourceTable], members: Mapping[str, Sequence[SourceTable]], state: MergeState
) -> tuple[pd.Index, dict[str, np.ndarray]]:
    """The ids of all people in a stable order, and by file the place of each row's person among them, -1 for nobody.

    ``members`` are the files by domain, that of the base first. Beside the ids of the base only one file's are in
    memory. Raises ``FaultyInputError`` with the faults of all files.
    """
    bases = list(members.values())[:1] if state.model.base else list(members.values())
    of_base = [table.file_name for of_domain in bases for table in of_domain]
    subjects: dict[str, ReadSubjects] = {}
    for table in tables:
        if table.file_name in of_base and (found := subjects_of(table, state, tables)) is not None:
            subjects[table.file_name] = found
    ids = base_subjects(members, subjects, len(tables), state) if not state.faults else pd.Index([])
    person, are_known = {}, not state.faults
    for table in tables:
        is_read = table.file_name in of_base  # its faults are among those above
        read = subjects.pop(table.file_name, None) if is_read else subjects_of(table, state, tables)
        if read is not None and are_known:
            person[table.file_name] = people_of(table, read, ids, state)
        del read
    state.stop_at_faults()
    return ids, person


def subjects_of(table: SourceTable, state: MergeState, tables: Sequence[SourceTable] = ()) -> ReadSubjects | None:
    """The subject of each row by the pilot's rule; an id that is absent, empty or merged is a fault.

    ``tables``: all that may say whose the rows are.
    """
    frame, rule, name = table.frame, state.rule, table.file_name
    if rule.column is not None and rule.column not in frame:
        state.faults.append(
            f"{name}: no column {rule.column!r} for the subject id among {len(frame.columns)} columns; "
            + _way_to_subjects(table, state, tables)
        )
        return None
    source_ids, n_records = table.source_ids(rule.column)
    subjects = read_subjects(source_ids.to_frame(), rule, n_records)
    of_rows = f"of {table.n_rows} rows"
    if subjects.n_blank:
        state.faults.append(
            f"{name}: {rule.column} is empty in {people_on_screen(subjects.n_blank)} {of_rows}; every row needs an id"
        )
    if subjects.n_emptied:
        state.faults.append(
            f"{name}: the subject_id pattern leaves nothing of the id in "
            f"{people_on_screen(subjects.n_emptied)} {of_rows}; "
            "every row needs an id: change the pattern"
        )
    if subjects.n_merged:
        state.faults.append(
            f"{name}: the subject_id rule makes {people_on_screen(subjects.n_merged)} of "
            f"{subjects.n_merged + len(subjects.ids)} source ids equal to another one; "
            "different ids must stay different: change the pattern or the case"
        )
    if subjects.n_unmatched:
        n = subjects.n_unmatched
        state.inputs[name]["notes"].append(Note.of(lambda told: f"{told(n)} ids do not match the subject_id pattern"))
    return subjects


def _way_to_subjects(table: SourceTable, state: MergeState, tables: Sequence[SourceTable]) -> str:
    """What helps where a table has no column with the ids: the key of another one, or the name of the column."""
    column = state.rule.column or ""
    have_it = {one.domain: KnownPeople(one.frame, column) for one in tables if column in one.frame}
    way = way_to_person(table.frame, have_it)
    if way is not None:
        return how_to_join(table.domain, way)
    if have_it:
        setting = all_files_setting("files", {table.domain: {"person": "..."}})
        return (
            f"if another column names the same people, write its name into {setting}; else leave the file out by "
            f"{all_files_setting('ignore', [table.domain])}"
        )
    person = state.model.person if state.model.person != column else None  # that one was looked for
    return f'name it by subject_id: {{"column": "{person or "..."}"}}, or {{"column": None}} for one file without an id'


def by_domain(tables: list[SourceTable], model: StudyModel) -> tuple[dict[str, list[SourceTable]], list[SourceTable]]:
    """Files by domain, parts such as LBCH and LBHE under LB, the base first; and the supplemental files."""
    parts: dict[str, list[SourceTable]] = {}
    supplemental = []
    for table in tables:
        if is_supplemental(table, model):
            supplemental.append(table)
        else:
            parts.setdefault(model.domain(table.domain), []).append(table)
    return dict(sorted(parts.items(), key=lambda item: (item[0] != model.base, item[0]))), supplemental


def is_supplemental(table: SourceTable, model: StudyModel) -> bool:
    """Whether the rows of a file are further variables of the rows of another one."""
    known = model.table(table.domain)
    return known is not None and known.kind is TableKind.SUPPLEMENTAL


def base_subjects(
    parts: Mapping[str, Sequence[SourceTable]], subjects: Mapping[str, ReadSubjects], n_files: int, state: MergeState
) -> pd.Index:
    """The subjects of the combined dataset, in a stable order: those of the base (DM), or whom any domain names."""
    needed = state.model.base_needed
    if state.rule.column is None and n_files > 1:
        state.faults.append(
            f'subject_id: {{"column": None}} numbers the rows of one file, but there are {n_files} files; '
            "name the column that contains the id"
        )
    elif needed and state.model.base is None and len(parts) > 1:
        state.faults.append(
            f"No {needed} file beside {', '.join(parts)}: {needed} lists the subjects; add it, or keep one file only"
        )
    elif not parts:
        state.faults.append("Only supplemental files: the domains that they supplement are missing; add them")
    if state.faults:
        return pd.Index([])
    of_base = list(subjects.values())
    ids = of_base[0].ids
    for other in of_base[1:]:
        ids = ids.union(other.ids, sort=False)
    texts = as_texts(ids)
    if state.rule.column is None or are_rising(texts):
        return ids
    # Arrow sorts as pandas does, which would make an object of each id: half a gigabyte for five million.
    return ids.take(pc.array_sort_indices(texts).to_numpy())


def people_of(table: SourceTable, subjects: ReadSubjects, ids: pd.Index, state: MergeState) -> np.ndarray:
    """The place in ``ids`` of each row's subject; -1 if the base does not have it: a fault, unless left out."""
    position = np.arange(len(ids)) if subjects.ids is ids else Dictionary(ids).positions(subjects.ids)
    person = position[subjects.code]
    known = person >= 0
    if known.all():
        return person
    n_rows, n_unknown = subjects.n_rows_of(~known), int((position < 0).sum())
    domain = table.domain if is_supplemental(table, state.model) else state.model.domain(table.domain)
    if domain in state.settings.unknown_subjects or table.domain in state.settings.unknown_subjects:
        unknown = state.unknown.setdefault(domain, set())
        unknown.update(subjects.ids[position < 0])  # parts of a domain may name the same person
        if not is_supplemental(table, state.model):
            state.count(domain, rows_of_unknown_subjects=n_rows)
            state.domains[domain]["unknown_subjects_left_out"] = len(unknown)
        else:
            counts = {"unknown_subjects_left_out": len(unknown), "rows_of_unknown_subjects": n_rows}
            state.inputs[table.file_name] |= counts
    else:
        hint = " (no id in common: the ids are written differently; add a subject_id rule)"
        state.faults.append(
            f"{table.file_name}: {people_on_screen(n_unknown)} of {len(subjects.ids)} subjects are not in "
            f"{state.model.base}{hint if n_unknown == len(subjects.ids) else ''}, by {state.rule.column}; correct the "
            f'files, or leave them out by merge: {{"unknown_subjects": ["{domain}"]}}'
        )
    return person
