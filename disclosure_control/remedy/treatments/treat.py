"""Treatments applied one after the other to a pilot, and the evaluation of the result.

``treat`` works on any DataFrame with one row per person, from a notebook as well::

    treated = treat(df, config, [{"method": "band", "column": "AGE", "width": 10}])
    treated.assessment.k_anonymity.n_risky, treated.released

A treatment is given as much of the records as it needs: a column by its distinct values, whole classes, ids block by
block, or everybody at once where the store has them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, faults_of_names
from disclosure_control.basics.kept import Kept
from disclosure_control.basics.settings.fields import columns_named
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.records.columns import ColumnOfRecords, occurring
from disclosure_control.records.people import counted_as
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.subjects import Subjects, SubjectsInMemory
from disclosure_control.remedy.treatments.evaluation import config_of, notes_on_roles
from disclosure_control.remedy.treatments.keys import UNNAMED, Release
from disclosure_control.remedy.treatments.methods.recommended import ADVICE, notes_on_recommended, steps_that_are_left
from disclosure_control.remedy.treatments.methods.suppression import notes_on_suppressed
from disclosure_control.remedy.treatments.record_order import natural_order
from disclosure_control.remedy.treatments.registry import (
    TreatmentInput,
    TreatmentStep,
    applied,
    methods,
    step_needs_everybody,
)
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED
from disclosure_control.remedy.treatments.steps import checked_steps, faults_of_columns_gone
from disclosure_control.remedy.treatments.treated_pilot import AppliedStep, TreatedPilot, scanned_column


def treat(
    frame: pd.DataFrame,
    config: PilotConfig,
    steps: Sequence[TreatmentStep | Mapping[str, object]],
    seed: int | np.random.Generator = DEFAULT_SEED,
    folder: Path | None = None,
    recommended: Sequence[TreatmentStep | Mapping[str, object]] | None = None,
    release: Release = UNNAMED,
) -> TreatedPilot:
    """Apply treatments in order and evaluate the result.

    ``frame`` (n_records, n_columns) has one row per person and is not changed; ``steps`` are dictionaries of a
    ``method`` and its settings, which are checked, or checked ``TreatmentStep``s. ``recommended`` are the steps that
    replace the method of that name. A ``seed`` that is a generator is used and advanced. Random numbers are assigned to
    records in the order of their subject ids (column USUBJID), so the order of rows does not matter; without ids, the
    order of rows decides. Files are searched in ``folder``, the pilot's. ``release`` is that within which ids keep
    their pseudonyms and people the offsets of their dates. Raises ``FaultyInputError`` with every fault of the steps.
    """
    stop_at(faults_of_names(frame))
    columns = list(frame.columns)
    known = config if recommended is None else dataclasses.replace(config, literal={**config.literal, "recommend": {}})
    checked = checked_steps(steps, known, columns)
    to_recommend = None if recommended is None else checked_steps(recommended, known, columns)
    records = EncodedRecords.in_memory(frame.reset_index(drop=True))
    return treat_records(records, columns, config, checked, seed, folder, to_recommend, release)


def treat_records(
    records: EncodedRecords,
    columns: Sequence[str],
    config: PilotConfig,
    steps: Sequence[TreatmentStep],
    seed: int | np.random.Generator = DEFAULT_SEED,
    folder: Path | None = None,
    recommended: Sequence[TreatmentStep] | None = None,
    release: Release = UNNAMED,
    kept: Kept | None = None,
) -> TreatedPilot:
    """Apply treatments one after the other to a pilot's ``records`` and evaluate the result: see ``treat``.

    ``columns`` are those of the file, in its order; ``kept`` is what earlier ways found in them. Raises
    ``FaultyInputError`` as the treatments do, and ``RecordsNotAtHandError`` where one of them needs all records at once
    and the store does not give them.
    """
    given = _Given(records, config, np.random.default_rng(seed), folder, recommended, release, kept)
    before = {name: column.values for name, column in records.columns.items()}
    work = _Work(records, tuple(columns), before, records.subjects if SUBJECT_COLUMN in columns else None)
    all_done = []
    for step in steps:
        work, what = _apply(step, work, given)
        all_done.append(what)
    work = dataclasses.replace(
        work, values={name: occurring(one, work.column(name).people) for name, one in work.values.items()}
    )
    assessment = work.assessed(config)
    return TreatedPilot(
        assessment,
        tuple(all_done),
        original=records,
        records=work.records,
        columns=work.columns,
        values=work.values,
        ids=work.released,
        seed=None if isinstance(seed, np.random.Generator) else seed,
        notes=tuple(notes_on_roles(before, assessment, config)),
        release=release,
    )


@dataclass(frozen=True)
class _Work:
    """The people between two steps: their ``records``, and the released form of each value (n_texts,).

    ``released`` are the released ids, None without any.
    """

    records: EncodedRecords
    columns: tuple[str, ...]
    values: Mapping[str, pd.Series] = field(repr=False)
    released: Subjects | None

    def column(self, name: str) -> ColumnOfRecords:
        """The column of the records, with its present values."""
        return self.records.column(name, self.values[name])

    def distinct(self, name: str) -> tuple[pd.Series, np.ndarray | None]:
        column = self.column(name)
        values, people = self.values[name].iloc[column.occurs].reset_index(drop=True), column.people[column.occurs]
        return values, None if len(people) == self.records.n_people else people

    def with_values(self, name: str, distinct: pd.Series) -> _Work:
        people = self.column(name).people
        place = np.where(people > 0, np.cumsum(people > 0) - 1, -1)
        values = distinct.reset_index(drop=True).reindex(place).reset_index(drop=True)
        return dataclasses.replace(self, values={**self.values, name: values})

    def without_columns(self, gone: Collection[str]) -> _Work:
        left = tuple(name for name in self.columns if name not in gone)
        values = {name: one for name, one in self.values.items() if name in left}
        released = self.released if SUBJECT_COLUMN in left else None
        return dataclasses.replace(self, columns=left, values=values, released=released)

    def n_present(self, name: str) -> int:
        if name == SUBJECT_COLUMN:
            return self.records.n_people
        return self.records.n_people - self.column(name).n_missing(self.values[name])

    def assessed(self, config: PilotConfig) -> Assessment:
        adapted = config_of(self.values, config)
        return evaluate(counted_as(self.records, adapted, self.values), adapted)

    def without(self, assessment: Assessment, gone: np.ndarray) -> _Work:
        people, released = assessment.people, self.released
        records, values = self.records.without(people.classes_of_blocks(), gone, self.values)
        if released is self.records.subjects:
            released = records.subjects
        elif released is not None:
            of_released = dataclasses.replace(self.records, subjects=released, columns={})
            released = of_released.without(people.classes_of_blocks(), gone, {})[0].subjects
        return dataclasses.replace(self, records=records, values=values, released=released)

    def scanned(self, names: Iterable[str], kept: Kept | None) -> Iterator[ColumnFinding]:
        """Findings of columns whose present values name a person."""
        for name in names:
            if name != SUBJECT_COLUMN:
                yield from scanned_column(self.records, self.values[name], kept)


@dataclass(frozen=True)
class _Given:
    """What steps are given besides the people: see ``TreatmentInput``."""

    original: EncodedRecords
    config: PilotConfig
    generator: np.random.Generator
    folder: Path | None
    recommended: Sequence[TreatmentStep] | None
    release: Release
    kept: Kept | None = None

    def input(
        self, frame: pd.DataFrame, people: np.ndarray | None = None, subjects: pd.Series | None = None
    ) -> TreatmentInput:
        return TreatmentInput(frame, self.config, self.generator, subjects, self.folder, self.release, people)

    @cached_property
    def ids(self) -> pd.DataFrame:
        """The ids (n_people, 1) before any treatment, or no column where there are none."""
        names = [SUBJECT_COLUMN] if self.original.subjects.has_ids else []
        return self.original.frame("the list of all subjects", names, {}, self.original.subjects if names else None)

    @cached_property
    def order(self) -> np.ndarray:
        """The numbers (n_people,) of all records in the order in which random numbers are assigned."""
        return natural_order(self.ids)


# ---------------------------------------------------------------- one step


def _apply(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    stop_at(faults_of_columns_gone(step, work.columns))
    treatment = methods()[step.method]
    if treatment.is_of_steps:
        return _recommended(step, work, given)
    if step_needs_everybody(step):
        return _everybody(step, work, given)
    if treatment.by_id:
        return _by_id(step, work, given)
    if treatment.drops_by_values is not None:
        why, notes = treatment.drops_by_values(
            step.settings, work.columns, given.config, partial(work.scanned, kept=given.kept)
        )
        return work.without_columns(list(why)), AppliedStep(
            step.method, step.settings, {name: work.n_present(name) for name in why}, 0, tuple(notes)
        )
    return _by_counts(step, work, given)


def _by_counts(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """One step that is ``by_value``, drops columns, or ``leaves_out`` whole classes."""
    treatment = methods()[step.method]
    if treatment.by_value:
        (name,) = columns_named(step.settings)["column"]
        distinct, people = work.distinct(name)
        treated = applied(step, given.input(distinct.to_frame(name), people))
        work = work.with_values(name, treated.frame[name])
        return work, AppliedStep(step.method, step.settings, treated.changed, 0, treated.notes, treated.inputs)
    if treatment.drops is not None:
        gone = treatment.drops(step.settings, work.columns)
        return work.without_columns(gone), AppliedStep(
            step.method, step.settings, {name: work.n_present(name) for name in gone}
        )
    assert treatment.leaves_out is not None, step.method
    assessment = work.assessed(given.config)
    leaving = treatment.leaves_out(assessment, step.settings)
    n_removed = int(assessment.classes.size[leaving].sum())
    work = work.without(assessment, leaving) if n_removed else work
    return work, AppliedStep(step.method, step.settings, {}, n_removed, tuple(notes_on_suppressed(assessment, leaving)))


def _everybody(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """A treatment that is given all records at once, in an order that does not hang on that of the rows."""
    frame = work.records.frame(f"treatment: {step.method}", work.columns, work.values, work.released)
    stays = np.zeros(given.original.n_people, dtype=bool)
    stays[frame.index] = True
    order = given.order[stays[given.order]]
    subjects = given.ids[SUBJECT_COLUMN].iloc[order] if SUBJECT_COLUMN in given.ids else None
    state = given.generator.bit_generator.state
    treated = applied(step, given.input(frame.iloc[np.searchsorted(frame.index, order)], None, subjects))
    used_chance = given.generator.bit_generator.state != state
    left = treated.frame.sort_index()
    values = {str(name): left[name].reset_index(drop=True) for name in left if name != SUBJECT_COLUMN}
    ids = SubjectsInMemory(left[SUBJECT_COLUMN], len(left)) if SUBJECT_COLUMN in left else None
    work = _Work(work.records.at(left.index.to_numpy()), tuple(map(str, left)), values, ids)
    how = treated.changed, treated.n_records_removed, treated.notes, treated.inputs
    return work, AppliedStep(step.method, step.settings, *how, used_chance)


def _by_id(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """A treatment of single values: the ids block by block, other columns by distinct values."""
    columns = columns_named(step.settings)["columns"]
    changed: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    for name in columns:
        one = TreatmentStep.of({**step.literal, "columns": [name]})
        if name == SUBJECT_COLUMN:
            work, changed[name] = _ids_recoded(one, work, given)
            continue
        distinct, people = work.distinct(name)
        treated = applied(one, given.input(distinct.to_frame(name), people))
        work, notes = work.with_values(name, treated.frame[name]), treated.notes
        changed |= treated.changed
    nobody = pd.DataFrame({name: pd.Series(dtype="str") for name in columns})
    return work, AppliedStep(step.method, step.settings, changed, 0, notes or applied(step, given.input(nobody)).notes)


def _ids_recoded(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, int]:
    """Other ids, and how many there are. Raises ``FaultyInputError`` where two people would share one."""
    assert work.released is not None  # a step on a dropped column is a fault before the run
    n_changed = 0

    def recoded(ids: pd.Series) -> pd.Series:
        nonlocal n_changed
        treated = applied(step, given.input(ids.to_frame(SUBJECT_COLUMN)))
        n_changed += treated.changed[SUBJECT_COLUMN]
        block: pd.Series = treated.frame[SUBJECT_COLUMN]
        return block

    ids, n_shared = dataclasses.replace(work.records, subjects=work.released).with_ids(recoded)
    if n_shared:
        raise FaultyInputError(
            f"{step.method}: {people_on_screen(n_shared)} of {work.records.n_people} ids of {SUBJECT_COLUMN!r} would "
            "get the pseudonym of another id; allowed: a length up to 64; choose a larger length"
        )
    return dataclasses.replace(work, released=ids), n_changed


def _recommended(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """Apply every step that ``recommend`` found, in order, as one; none if nothing has to be changed.

    A step on columns that an earlier treatment dropped is skipped, with a note. Raises ``FaultyInputError`` if
    ``recommend`` did not run.
    """
    if given.recommended is None:
        raise FaultyInputError(f'treatment: "recommended" needs the result of the step recommend; {ADVICE}')
    steps, gone = steps_that_are_left(given.recommended, work.columns)
    changed: dict[str, int] = {}
    notes: list[str] = []
    inputs: dict[str, dict[str, object]] = {}
    n_before, used_chance = work.records.n_people, False
    for one in steps:
        work, what = _apply(one, work, given)
        notes += what.notes
        inputs |= what.inputs
        used_chance |= what.used_chance
        for name, n in what.changed.items():
            changed[name] = changed.get(name, 0) + n
    notes += notes_on_recommended(given.recommended, gone)
    return work, AppliedStep(
        step.method, step.settings, changed, n_before - work.records.n_people, tuple(notes), inputs, used_chance
    )
