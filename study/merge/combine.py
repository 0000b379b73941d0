"""Domain files of one pilot -> one row per subject; rows left out, collapsed or unmatched are counted."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.faults import nearest_name
from study.formats.files import read_domain_file
from study.formats.rows_of_people import rows_in_memory, starts_of_parts
from study.formats.tables import Pieces, SourceTable, domain_of
from study.merge.assembling import Assembly, Combined
from study.merge.domains import DividedDomain, divided_domains
from study.merge.findings import FINDINGS
from study.merge.parts import (
    ColumnOfPeople,
    CountedFaults,
    Domain,
    DomainPart,
    MergeState,
    Plan,
    Reduction,
    added,
    texts_of,
)
from study.merge.people import by_domain, people_of_tables
from study.merge.proof import RowsProof, SexesProof, prove_people, questions_of_tables
from study.merge.reading import Read, belonging_tables, tables_to_merge
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.merge.wide import EVENTS, ROWS, WIDE, columns_of_person
from study.models.roles import TableKind
from study.models.study_model import StudyModel

__all__ = ["IN_MEMORY", "Combined", "MergeResources", "combine_domains", "combine_tables"]


# Of words, a number and its unit: gives the function to call with the number of further ones done.
Progress = Callable[[str, int, str], AbstractContextManager[Callable[[int], None]]]


def _to_nobody(words: str, n_total: int, unit: str) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(lambda n: None)


@dataclass(frozen=True)
class MergeResources:
    """How a merge works: how files are ``read``, people divided, and where the pieces of the result are kept.

    People are merged in groups of about ``rows_per_part`` rows in all files; ``pieces`` keeps each group's result.
    ``progress``, of words, a number and its unit, gives the function to call with the number of further ones done.
    ``look`` is shown the tables and what they are, before they are merged.
    """

    read: Read = read_domain_file
    rows_per_part: int = sys.maxsize
    pieces: Callable[[], Pieces[pd.DataFrame]] = list
    progress: Progress = _to_nobody
    look: Callable[[Sequence[SourceTable], StudyModel], None] = lambda tables, model: None


IN_MEMORY = MergeResources()


def combine_domains(
    folder: Path, rule: SubjectIdRule, settings: MergeSettings, working: MergeResources = IN_MEMORY
) -> Combined:
    """Read every domain file of ``folder`` and put one row per subject together.

    ``rule`` and ``settings`` are the config's keys ``subject_id`` and ``merge``. Rows come in the order of the
    subject ids, columns by domain, DM first. Raises ``FaultyInputError`` with all faults of the files at once.
    """
    state = MergeState(rule, settings)
    return _combined(tables_to_merge(folder, state, working.read), state, working)


def combine_tables(
    tables: Sequence[SourceTable], rule: SubjectIdRule, settings: MergeSettings, working: MergeResources = IN_MEMORY
) -> Combined:
    """As ``combine_domains``, from tables of the folder's files that were read already."""
    state = MergeState(rule, settings)
    return _combined(belonging_tables(tables, state), state, working)


def _combined(tables: list[SourceTable], state: MergeState, working: MergeResources) -> Combined:
    working.look(tables, state.model)
    members, supplemental = by_domain(tables, state.model)
    ids, person = people_of_tables(tables, members, state)
    prove_people(members, person, ids, state)
    state.notes += questions_of_tables(members, ids, state)
    state.stop_at_faults()
    state.model = _with_people_of_one_row(state.model, members, person)
    starts = starts_of_parts(len(ids), sum(table.n_rows for table in tables), working.rows_per_part)
    rows = {
        domain: [table.of_people(person[table.file_name], starts, state.rule.column) for table in of_domain]
        for domain, of_domain in members.items()
    }
    to_fold = {table.file_name: rows_in_memory(table.frame, person[table.file_name]) for table in supplemental}
    domains = divided_domains(rows, supplemental, to_fold, starts, len(ids), state)
    state.stop_at_faults()
    state.notes.extend(_unknown_domains(state, [table.domain for table in tables], list(domains)))
    return _reduced(ids, domains, state, Assembly(state, working.pieces()), working.progress)


def _with_people_of_one_row(
    model: StudyModel, members: Mapping[str, list[SourceTable]], person: Mapping[str, np.ndarray]
) -> StudyModel:
    """The model, tables of rows in time where nobody has two rows being tables of people."""
    tables = dict(model.tables)
    for name, of_domain in members.items():
        if tables[name].kind is TableKind.ROWS and not _has_repeated(of_domain, person):
            tables[name] = dataclasses.replace(tables[name], kind=TableKind.PEOPLE)
    return dataclasses.replace(model, tables=tables)


def _has_repeated(of_domain: list[SourceTable], person: Mapping[str, np.ndarray]) -> bool:
    people = np.concatenate([person[table.file_name] for table in of_domain])
    # A file whose ids are read as distinct ones has more records than ids where somebody has several.
    n_records = sum(table.n_rows for table in of_domain)
    known = people[people >= 0]
    return n_records > len(people) or len(np.unique(known)) < len(known)


# How a domain becomes one row per subject, by what its rows are.
REDUCTIONS = {
    TableKind.FINDINGS: FINDINGS,
    TableKind.EVENTS: EVENTS,
    TableKind.TIMING: EVENTS,
    TableKind.ROWS: ROWS,
    TableKind.PEOPLE: WIDE,
}


def _reduction_of(domain: Domain) -> Reduction:
    """The form of a domain; where a setting says which of several rows counts, rows in time are wide."""
    is_one_row = domain.model.kind is TableKind.ROWS and domain.name in domain.settings.several_rows
    return WIDE if is_one_row else REDUCTIONS[domain.model.kind]


@dataclass(frozen=True)
class _Planned:
    rows: DividedDomain
    domain: Domain
    reduction: Reduction
    plan: Plan


@dataclass(frozen=True)
class _LookedAt:
    """The parts of a domain; iterating over them shows progress."""

    rows: DividedDomain
    progress: Progress

    def __iter__(self) -> Iterator[DomainPart]:
        with self.progress(f"Looking at {self.rows.name}", self.rows.ranges[-1][1], "people") as advance:
            for part in self.rows:
                yield part
                advance(part.n_subjects)


def _planned(domains: Mapping[str, DividedDomain], state: MergeState, progress: Progress) -> list[_Planned]:
    planned = []
    for name, rows in domains.items():
        model = state.model.tables[name]
        whole = Domain(name, rows.columns, state.settings, state.rule.column, model)
        reduction = _reduction_of(whole)
        planned.append(_Planned(rows, whole, reduction, reduction.plan(_LookedAt(rows, progress), whole)))
        state.faults.extend(planned[-1].plan.faults)
    return planned


def _reduced(
    ids: pd.Index, domains: Mapping[str, DividedDomain], state: MergeState, assembly: Assembly, progress: Progress
) -> Combined:
    """Plan every domain, then reduce the people part by part with all their domains."""
    planned = _planned(domains, state, progress)
    with progress("Merging", len(ids), "people") as advance:
        return _by_part(ids, planned, state, assembly, advance)


def _by_part(
    ids: pd.Index, planned: list[_Planned], state: MergeState, assembly: Assembly, advance: Callable[[int], None]
) -> Combined:
    faults: CountedFaults = {}
    proofs = [RowsProof(one.domain, len(ids)) for one in planned]
    sexes = SexesProof([one.domain for one in planned])
    counts: dict[str, dict[str, Any]] = {one.rows.name: {} for one in planned}
    for i, (start, stop) in enumerate(planned[0].rows.ranges):
        columns: dict[str, ColumnOfPeople] = {}
        for one, proof in zip(planned, proofs, strict=True):
            part = one.rows.part(i)
            proof.add(part)
            reduced = one.reduction.reduce(part, one.domain, one.plan.what)
            if one.domain.model.of_person:
                both = {**columns_of_person(part, one.domain), **reduced.columns}
                reduced = dataclasses.replace(reduced, columns=both)
            one.rows.forget(i)
            faults = added(faults, added(part.faults, reduced.faults))
            n_present = int(np.count_nonzero(np.bincount(part.subject, minlength=stop - start)))
            found = {**part.counts, "form": one.reduction.form, "rows": len(part.frame), **reduced.counts}
            found |= {"subjects": n_present, "subjects_without_record": stop - start - n_present}
            counts[one.rows.name] = added(counts[one.rows.name], found)
            columns |= assembly.named(reduced, is_first=i == 0)
        if i == 0:
            state.notes.extend(_unknown_columns(state.settings, list(columns)))
        sexes.add(columns)
        if not texts_of(faults) and not state.faults:
            assembly.add(ids[start:stop], columns)
        advance(stop - start)
    for proof in proofs:
        proof.report(state)
    state.notes.extend(sexes.notes())
    state.faults.extend(texts_of(faults))
    state.stop_at_faults()
    for name, found in counts.items():
        state.domains.setdefault(name, {}).update(found)
    return assembly.combined()


def _unknown_domains(state: MergeState, read: list[str], merged: list[str]) -> list[str]:
    """Domains that the settings name and the pilot does not have: such a rule has no effect."""
    settings = state.settings
    known = {*read, *merged, *(domain_of(Path(name)) for name in state.left_out)}
    named = {key: getattr(settings, key) for key in ("ignore", "files", "carry", "events", "several_rows")}
    named["unknown_subjects"] = settings.unknown_subjects
    for key in ("record", "text_results", "pool"):
        named[key] = [name.split("__")[0] for name in getattr(settings, key) if name]
    return [
        f"merge[{key!r}] has no effect: no domain {name!r} in this pilot{nearest_name(name, known)}"
        for key, names in named.items()
        for name in names
        if name not in known
    ]


def _unknown_columns(settings: MergeSettings, columns: list[str]) -> list[str]:
    """Columns that a rule names, with or without their ``[...]``, and the merge does not make."""
    known = {*columns, *(name.split(" [")[0] for name in columns)}
    return [
        f"merge[{key!r}] has no effect: no column {name!r} in this pilot{nearest_name(name, known)}"
        for key in ("record", "text_results", "pool")
        for name in getattr(settings, key)
        if "__" in name and name not in known
    ]
