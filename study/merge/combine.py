"""Domain files of one pilot -> one row per subject; rows left out, collapsed or unmatched are counted."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import codes_of_few_texts
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name
from disclosure_control.basics.telling.words import in_one_line, listed
from study.formats.files import Read, read_domain_file
from study.formats.hand_over import PLAIN_NUMBER
from study.formats.messages import Note
from study.formats.rows_of_people import rows_in_memory, starts_of_parts
from study.formats.tables import Pieces, SourceTable, domain_of
from study.formats.values import NUMBER_PATTERN, n_records_of
from study.merge.domains import DividedDomain, divided_domains
from study.merge.findings import FINDINGS
from study.merge.parts import ColumnOfPeople, CountedFaults, Plan, Progress, Reduced, Reduction, added, texts_of
from study.merge.people import by_domain, people_of_tables
from study.merge.proof import ColumnsProof, RowsProof, prove_people, questions_of_tables
from study.merge.reading import belonging_tables, tables_to_merge
from study.merge.settings import MergeSettings
from study.merge.state import MergeState
from study.merge.subject_ids import DEFAULT_COLUMN, SubjectIdRule
from study.merge.wide import EVENTS, ROWS, WIDE, columns_of_person
from study.models.roles import TableKind
from study.models.study_model import StudyModel


@dataclass(frozen=True)
class Combined:
    """The combined dataset, all text, ``USUBJID`` first, in ``pieces``; ``report`` for ``merge_report.json``.

    ``numbers`` are the columns of numbers, and whether all of a column are plain, see ``study.formats.hand_over``.
    """

    columns: list[str]
    n_subjects: int
    kept: Iterable[pd.DataFrame] = field(repr=False)
    report: dict[str, Any]
    numbers: Mapping[str, bool] = field(default_factory=dict)

    @property
    def pieces(self) -> Iterator[pd.DataFrame]:
        """The dataset in pieces of some subjects each."""
        return (piece if list(piece.columns) == self.columns else piece[self.columns] for piece in self.kept)

    @property
    def frame(self) -> pd.DataFrame:
        pieces = list(self.pieces)
        return pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)


class Assembly:
    """Collects columns batch by batch, and counts of each its values, the texts among them, and plain numbers."""

    def __init__(self, state: MergeState, pieces: Pieces[pd.DataFrame]):
        self._state, self._pieces = state, pieces
        self._columns: dict[str, Counter[str]] = {}
        self._units: dict[str, str] = {}
        self._n_subjects = 0

    def named(self, reduced: Reduced, is_first: bool) -> Mapping[str, ColumnOfPeople]:
        """Columns by their names without line breaks and tabs, which would break the lines of every report."""
        named = {in_one_line(name): values for name, values in reduced.columns.items()}
        self._units |= {in_one_line(name): unit for name, unit in reduced.units.items()}
        if is_first and len(named) < len(reduced.columns):
            self._state.faults.append(
                f"{len(reduced.columns) - len(named)} of {len(reduced.columns)} column names differ from another one "
                "only by line breaks or tabs; rename these columns in the source"
            )
        n_changed = len(reduced.columns.keys() - named.keys())
        if is_first and n_changed:
            self._state.notes.append(f"Line breaks or tabs in the names of {n_changed} columns were replaced by blanks")
        return named

    def add(self, ids: pd.Index, columns: Mapping[str, ColumnOfPeople]) -> None:
        """Append the columns of some subjects: (n_subjects,) of text each."""
        if not self._n_subjects:
            absent = [name for name in self._state.settings.drop if name not in columns]
            if absent:
                raise FaultyInputError(
                    f"merge['drop']: no column {', '.join(map(repr, absent))} in the combined dataset"
                )
        frame = pd.DataFrame({DEFAULT_COLUMN: ids.array, **columns}, dtype="str")
        for name in columns:
            self._look_at(name, frame[name])
        self._n_subjects += len(frame)
        self._pieces.append(frame)

    def _look_at(self, name: str, column: pd.Series) -> None:
        few = codes_of_few_texts(column)
        values, people = (pa.array(column), None) if few is None else (few.texts, few.people[:-1])
        self._columns.setdefault(name, Counter()).update(
            values=n_records_of(pc.is_valid(values), people),
            texts=n_records_of(pc.invert(pc.match_substring_regex(values, NUMBER_PATTERN)), people),
            plain=n_records_of(pc.match_substring_regex(values, PLAIN_NUMBER), people),
        )

    def combined(self) -> Combined:
        """The dataset with its report, after all subjects were added."""
        state = self._state
        kept = {name: column for name, column in self._columns.items() if name not in state.settings.drop}
        state.notes.extend(_text_among_numbers(kept))
        report = {
            "subjects": self._n_subjects,
            "inputs": state.inputs,
            "left_out": state.left_out,
            "notes": state.notes,
            "domains": state.domains,
            "dropped_columns": sorted(state.settings.drop),
            "columns": {name: {"subjects_with_value": column["values"]} for name, column in kept.items()},
            "units": {name: self._units[name] for name in kept if name in self._units},
        }
        of_numbers = {name: column for name, column in kept.items() if column["values"] and not column["texts"]}
        numbers = {name: column["plain"] == column["values"] for name, column in of_numbers.items()}
        return Combined([DEFAULT_COLUMN, *kept], self._n_subjects, self._pieces, report, numbers)


def _text_among_numbers(columns: Mapping[str, Counter[str]]) -> list[str]:
    """Columns of which most values are numbers and some are not: read as numbers, they would lose the others."""
    found = {name: column for name, column in columns.items() if 0 < 2 * column["texts"] < column["values"]}
    note = Note.of(
        lambda told: (
            "Texts in columns of numbers: "
            + listed(f"{name} ({told(one['texts'], whole=one['values'])})" for name, one in found.items())
        )
    )
    return [note] if found else []


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
    progress: Progress = lambda words, n_total, unit: nullcontext(lambda n: None)
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
        domain: [table.of_people(person[table.file_name], state.rule.column) for table in of_domain]
        for domain, of_domain in members.items()
    }
    to_fold = {table.file_name: rows_in_memory(table.frame, person[table.file_name]) for table in supplemental}
    ranges = list(zip(starts.tolist(), [*starts[1:].tolist(), len(ids)], strict=True))
    domains = divided_domains(rows, supplemental, to_fold, ranges, working.progress, state)
    state.stop_at_faults()
    state.notes.extend(_unknown_domains(state, [table.domain for table in tables], list(domains)))
    planned = [_planned(domain) for domain in domains.values()]
    state.faults.extend(fault for one in planned for fault in one.plan.faults)
    with working.progress("Merging", len(ids), "people") as advance:
        return _by_part(ids, planned, state, Assembly(state, working.pieces()), advance)


def _with_people_of_one_row(
    model: StudyModel, members: Mapping[str, list[SourceTable]], person: Mapping[str, np.ndarray]
) -> StudyModel:
    """The model, tables of rows in time where nobody has two rows being tables of people."""
    of_people = {
        name: dataclasses.replace(model.tables[name], kind=TableKind.PEOPLE)
        for name, of_domain in members.items()
        if model.tables[name].kind is TableKind.ROWS and not _has_repeated(of_domain, person)
    }
    return dataclasses.replace(model, tables={**model.tables, **of_people})


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


@dataclass(frozen=True)
class _Planned:
    domain: DividedDomain
    reduction: Reduction
    plan: Plan


def _planned(domain: DividedDomain) -> _Planned:
    """The form of a domain, planned; where a setting says which of several rows counts, rows in time are wide."""
    is_one_row = domain.model.kind is TableKind.ROWS and domain.name in domain.settings.several_rows
    reduction = WIDE if is_one_row else REDUCTIONS[domain.model.kind]
    return _Planned(domain, reduction, reduction.plan(domain, domain))


def _by_part(
    ids: pd.Index, planned: list[_Planned], state: MergeState, assembly: Assembly, advance: Callable[[int], None]
) -> Combined:
    faults: CountedFaults = {}
    proofs = [RowsProof(one.domain, len(ids)) for one in planned]
    between = ColumnsProof([one.domain for one in planned])
    counts: dict[str, dict[str, Any]] = {one.domain.name: {} for one in planned}
    for i, (start, stop) in enumerate(planned[0].domain.ranges):
        columns: dict[str, ColumnOfPeople] = {}
        for one, proof in zip(planned, proofs, strict=True):
            part = one.domain.part(i)
            proof.add(part)
            reduced = one.reduction.reduce(part, one.domain, one.plan.what)
            if one.domain.model.of_person:
                both = {**columns_of_person(part, one.domain), **reduced.columns}
                reduced = dataclasses.replace(reduced, columns=both)
            one.domain.forget(i)
            faults = added(faults, added(part.faults, reduced.faults))
            n_present = int(np.count_nonzero(np.bincount(part.subject, minlength=stop - start)))
            found = {**part.counts, "form": one.reduction.form, "rows": len(part.frame), **reduced.counts}
            found |= {"subjects": n_present, "subjects_without_record": stop - start - n_present}
            counts[one.domain.name] = added(counts[one.domain.name], found)
            columns |= assembly.named(reduced, is_first=i == 0)
        if i == 0:
            state.notes.extend(_unknown_columns(state.settings, list(columns)))
        between.add(columns)
        if not texts_of(faults) and not state.faults:
            assembly.add(ids[start:stop], columns)
        advance(stop - start)
    for proof in proofs:
        proof.report(state)
    state.notes.extend(between.notes())
    state.faults.extend(texts_of(faults))
    state.stop_at_faults()
    for name, found in counts.items():
        state.domains.setdefault(name, {}).update(found)
    return assembly.combined()


def _unknown_domains(state: MergeState, read: list[str], merged: list[str]) -> list[str]:
    """Domains that the settings name and the pilot does not have: such a rule has no effect."""
    settings = state.settings
    known = {*read, *merged, *(domain_of(Path(name)) for name in state.left_out)}
    keyed = ("ignore", "files", "carry", "events", "several_rows", "unknown_subjects")
    named = {key: getattr(settings, key) for key in keyed}
    named |= {
        key: [name.split("__")[0] for name in getattr(settings, key) if name]
        for key in ("record", "text_results", "pool")
    }
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
