"""The people of a merge: the subject of each row by the pilot's rule, and the subjects whom the base lists.

Of rows that name a stay, a visit or a sample, the person is found through the table that says whose that is. The join
is made as soon as the files are read, for the merge and for a release alike, as a further column of the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.encoding.text_codes import are_rising
from disclosure_control.basics.telling.faults import nearest_name, stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.messages import Note, all_files_setting
from study.formats.tables import FileOptions, SourceTable, Through
from study.merge.state import MergeState
from study.merge.subject_ids import ReadSubjects, SubjectIdRule, read_subjects
from study.models.role_words import is_key, role_of_heading
from study.models.roles import TableKind
from study.models.study_model import StudyModel
from study.models.values_seen import ValuesSeen
from study.models.words_of_codes import text_of_code

LEAST_KEYS = 5  # that show that a column is a key of another table
KNOWN = 0.8  # of the keys of a table are in the other one


def with_persons(
    tables: Sequence[SourceTable],
    files: Mapping[str, FileOptions],
    rule: SubjectIdRule,
    unknown_subjects: Collection[str] = (),
) -> list[SourceTable]:
    """The ``tables``, those whose config says so with the person of each row, by the key of another table.

    Rows whose key the other table does not have are a fault, unless their domain is among ``unknown_subjects``: then
    they are left out and noted. Raises ``FaultyInputError`` with all faults of these settings.
    """
    found = {table.domain: table for table in tables}
    ways = {name: one.person for name, one in files.items() if isinstance(one.person, Through) and name in found}
    faults: list[str] = []
    while ways:
        name = next((one for one, way in ways.items() if way.through not in ways), None)
        if name is None:
            faults.append(f"merge['files']: {', '.join(sorted(ways))} name their person through each other in a circle")
            break
        way = ways.pop(name)
        place = f"merge['files'][{name!r}]['person']"
        own = list(_faults(found[name], way, found, rule, place))
        if not own:
            found[name], own = _joined(found[name], found[way.through], way, rule, name in unknown_subjects)
        faults += own
    stop_at(faults)
    return [found[table.domain] for table in tables]


def _faults(
    table: SourceTable, way: Through, tables: Mapping[str, SourceTable], rule: SubjectIdRule, place: str
) -> Iterator[str]:
    other = tables.get(way.through)
    if rule.column is None:
        yield f"{place}: subject_id names no column, so no row has a person"
    elif other is None:
        yield f"{place}: no file of the domain {way.through!r}{nearest_name(way.through, tables)}"
    elif rule.column in table.frame:
        yield f"{place}: {table.file_name} has the column {rule.column!r} itself; delete this line"
    else:
        for one, column in ((table, way.key), (other, way.key), (other, rule.column)):
            if column not in one.frame:
                yield f"{place}: no column {column!r} in {one.file_name}{nearest_name(column, map(str, one.frame))}"


def _joined(
    table: SourceTable, other: SourceTable, way: Through, rule: SubjectIdRule, is_left_out: bool
) -> tuple[SourceTable, list[str]]:
    """The table with the person of each row, and the faults of its keys."""
    person = str(rule.column)
    pairs = other.combinations([way.key, person], None)
    assert pairs is not None  # no limit
    people = _person_of_keys(pairs[way.key], pairs[person])
    n_shared = int(people.index.duplicated(keep="first").sum())
    if n_shared:
        return table, [
            f"{other.file_name}: {people_on_screen(n_shared)} of {people.index.nunique()} values of {way.key!r} belong "
            "to several people; a key through which rows get their person belongs to one"
        ]
    known = people.index
    counts = table.counts_of(way.key)
    n_without = table.n_rows - int(counts[np.isin(_texts(counts.index.to_series()), known)].sum())
    if n_without and not is_left_out:
        return table, [
            f"{table.file_name}: {people_on_screen(n_without)} of {table.n_rows} rows have no person, as "
            f"{other.file_name} does not have their {way.key!r}; correct the files, or leave these rows out by "
            f"{all_files_setting('unknown_subjects', [table.domain])}"
        ]
    if n_without:
        table = table.where(way.key, lambda values: np.isin(_texts(values), known))
    made = table.with_column_of_ids(way.key, person, lambda keys: _persons(keys, people))
    note = Note.of(
        lambda told: (
            f"the person of each row is that of its {way.key!r} in {other.file_name}"
            + (f"; {told(n_without)} rows whose {way.key!r} it does not have were left out" if n_without else "")
        )
    )
    return replace(made, notes=(*made.notes, note)), []


def _person_of_keys(keys: pd.Series, people: pd.Series) -> pd.Series:
    """The person of each key, once for each person that it has."""
    pairs = pd.DataFrame({"key": _texts(keys), "person": _texts(people)})
    pairs = pairs[(keys.notna() & people.notna()).to_numpy()].drop_duplicates()
    return pd.Series(pairs["person"].to_numpy(), index=pairs["key"])


def _persons(keys: pd.Series, people: pd.Series) -> pd.Series:
    return people.reindex(_texts(keys)).astype("str").set_axis(keys.index)


def _texts(values: pd.Series) -> np.ndarray:
    """Keys as text (n,), numbers without decimals: one table may hold them as text, another one as numbers."""
    codes, distinct = pd.factorize(values)
    return np.array([*map(text_of_code, distinct), ""], dtype=object)[codes]


# ---------------------------------------------------------------- which key it is


@dataclass(frozen=True)
class KnownPeople:
    """The rows of a table whose column ``person`` names the person of each."""

    frame: pd.DataFrame = field(repr=False)
    person: str


def way_to_person(frame: pd.DataFrame, known: Mapping[str, KnownPeople]) -> Through | None:
    """The key of a table by which another one, of ``known`` people by domain, says whose its rows are; None for none.

    A key is a column of both under one name, each of its values belongs to one person there, and at least ``KNOWN`` of
    those that the table has are among them. A person's own number is no key.
    """
    found = []
    for domain, other in known.items():
        for name in map(str, frame):
            if name == other.person or name not in other.frame or (role_of_heading(name) and not is_key(name)):
                continue
            keys = _person_of_keys(other.frame[name], other.frame[other.person])
            own = pd.Series(frame[name].dropna().unique())
            if len(own) < LEAST_KEYS or keys.index.has_duplicates or 10 * frame[name].isna().sum() > len(frame):
                continue
            share = float(np.isin(_texts(own), keys.index).mean())
            if share >= KNOWN and ValuesSeen.of_counts(frame[name].value_counts(sort=False)).are_codes:
                found.append((share, is_key(name), -len(keys), domain, name))
    return Through(*max(found)[-2:]) if found else None


def why_through(way: Through) -> str:
    """Why rows get their person by a key."""
    return f"at least {KNOWN:.0%} of its {way.key!r} are in {way.through}, where each belongs to one person"


def how_to_join(domain: str, way: Through) -> str:
    """Why rows of a table get their person by a key, and the setting by which they do."""
    setting = all_files_setting("files", {domain: {"person": {"through": way.through, "key": way.key}}})
    return f"{why_through(way)}: join them by {setting}"


def with_person_of_key(frame: pd.DataFrame, other: KnownPeople, key: str) -> pd.DataFrame:
    """The rows that have a person by a key, with the person in a further column, called as in the other table."""
    people = _person_of_keys(other.frame[key], other.frame[other.person])
    rows = frame[np.isin(_texts(frame[key]), people.index)]
    return rows.assign(**{other.person: _persons(rows[key], people)})


# ---------------------------------------------------------------- people


def people_of_tables(
    tables: Sequence[SourceTable], members: Mapping[str, Sequence[SourceTable]], state: MergeState
) -> tuple[pd.Index, dict[str, np.ndarray]]:
    """The ids of all people in a stable order, and by file the place of each row's person among them, -1 for nobody.

    ``members`` are the files by domain, that of the base first. Beside the ids of the base only one file's are in
    memory. Raises ``FaultyInputError`` with the faults of all files.
    """
    bases = list(members.values())[:1] if state.model.base else list(members.values())
    of_base = [table.file_name for of_domain in bases for table in of_domain]
    subjects = {one.file_name: subjects_of(one, state, tables) for one in tables if one.file_name in of_base}
    ids = base_subjects(members, subjects, len(tables), state) if not state.faults else pd.Index([])
    person, are_known = {}, not state.faults
    for table in tables:
        name = table.file_name
        read = subjects.pop(name) if name in subjects else subjects_of(table, state, tables)
        if read is not None and are_known:
            person[name] = people_of(table, read, ids, state)
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
    n_source = subjects.n_merged + len(subjects.ids)
    counted = (
        (subjects.n_blank, f"{rule.column} is empty in", f"{of_rows}; every row needs an id"),
        (
            subjects.n_emptied,
            "the subject_id pattern leaves nothing of the id in",
            f"{of_rows}; every row needs an id: change the pattern",
        ),
        (
            subjects.n_merged,
            "the subject_id rule makes",
            f"of {n_source} source ids equal to another one; different ids must stay different: change the pattern or "
            "the case",
        ),
    )
    state.faults += [f"{name}: {before} {people_on_screen(n)} {after}" for n, before, after in counted if n]
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
    supplemental = [table for table in tables if is_supplemental(table, model)]
    for table in tables:
        if not is_supplemental(table, model):
            parts.setdefault(model.domain(table.domain), []).append(table)
    return dict(sorted(parts.items(), key=lambda item: (item[0] != model.base, item[0]))), supplemental


def is_supplemental(table: SourceTable, model: StudyModel) -> bool:
    """Whether the rows of a file are further variables of the rows of another one."""
    known = model.table(table.domain)
    return known is not None and known.kind is TableKind.SUPPLEMENTAL


def base_subjects(
    parts: Mapping[str, Sequence[SourceTable]],
    subjects: Mapping[str, ReadSubjects | None],
    n_files: int,
    state: MergeState,
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
    of_base = [one for one in subjects.values() if one is not None]
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
