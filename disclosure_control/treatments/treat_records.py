"""Treatments of records that are not in memory: columns by their distinct values, whole classes, ids block by block.

The result is that of ``treat`` for every treatment that does not need everyone at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import evaluate
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.settings.fields import SettingsGroup, columns_named
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError, stop_at
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.records.needs import AtOnce
from disclosure_control.records.records import EncodedRecords, occurring
from disclosure_control.records.subjects import Subjects
from disclosure_control.treatments.evaluation import config_of, notes_on_roles
from disclosure_control.treatments.keys import UNNAMED, Release
from disclosure_control.treatments.methods.recommended import notes_on_recommended, steps_that_are_left
from disclosure_control.treatments.methods.suppression import notes_on_suppressed
from disclosure_control.treatments.registry import TreatmentInput, TreatmentStep, at_once_of, methods
from disclosure_control.treatments.seeds import DEFAULT_SEED
from disclosure_control.treatments.steps import faults_of_columns_gone
from disclosure_control.treatments.treat import treat
from disclosure_control.treatments.treated_pilot import AppliedStep, TreatedPilot, scanned_column


@dataclass(frozen=True)
class _Work:
    """People between two steps: their ``records``, and the released form of each value (n_texts,).

    ``original`` are the ids before any treatment, ``released`` the released ones, None if there are none.
    """

    records: EncodedRecords
    columns: tuple[str, ...]
    values: Mapping[str, pd.Series] = field(repr=False)
    released: Subjects | None

    def without_columns(self, gone: Collection[str]) -> _Work:
        left = tuple(name for name in self.columns if name not in gone)
        values = {name: one for name, one in self.values.items() if name in left}
        released = self.released if SUBJECT_COLUMN in left else None
        return dataclasses.replace(self, columns=left, values=values, released=released)

    def scanned(self, names: Iterable[str]) -> Iterator[ColumnFinding]:
        """Findings of values that name a person, in the columns at this step."""
        for name in names:
            if name != SUBJECT_COLUMN:
                yield from scanned_column(self.records, self.values[name])

    def distinct(self, name: str) -> tuple[pd.Series, np.ndarray]:
        """The values of a column that somebody has, and how many people have each."""
        column = self.records.columns[name]
        return self.values[name].iloc[column.occurs].reset_index(drop=True), column.people[column.occurs]

    def n_present(self, name: str) -> int:
        if name == SUBJECT_COLUMN:
            return self.records.n_people
        values, people = self.distinct(name)
        return int(people[values.notna().to_numpy()].sum())


@dataclass(frozen=True)
class _Given:
    """What steps are given beside the people: see ``TreatmentInput``."""

    config: PilotConfig
    folder: Path | None
    recommended: Sequence[TreatmentStep] | None
    release: Release

    def frame(self, frame: pd.DataFrame, people: np.ndarray | None = None) -> TreatmentInput:
        chance = np.random.default_rng(DEFAULT_SEED)  # of which no treatment without records makes use
        return TreatmentInput(frame, self.config, chance, None, self.folder, None, self.release, people)


def treat_records(
    records: EncodedRecords,
    columns: Sequence[str],
    config: PilotConfig,
    steps: Sequence[TreatmentStep],
    seed: int,
    folder: Path | None = None,
    recommended: Sequence[TreatmentStep] | None = None,
    release: Release = UNNAMED,
) -> TreatedPilot:
    """Apply treatments one after the other and evaluate what comes out: see ``treat``.

    ``columns`` are those of the file, in its order. Where all records are at hand a treatment gets them at once, else
    no more of them than it needs. Raises ``FaultyInputError`` as the treatments do, and ``RecordsNotAtHandError`` where
    one of them needs all records and they are not there.
    """
    if records.at_once is not None:
        return treat(records.at_once, config, steps, seed, folder, recommended, release)
    given = _Given(config, folder, recommended, release)
    values = {name: column.values for name, column in records.columns.items()}
    work = _Work(records, tuple(columns), values, records.subjects if SUBJECT_COLUMN in columns else None)
    applied = []
    for step in steps:
        work, done = _apply(step, work, given)
        applied.append(done)
    left = {name: occurring(work.values[name], work.records.columns[name].people) for name in work.values}
    work = dataclasses.replace(work, values=left)
    adapted = config_of(left, config)
    assessment = evaluate(work.records.counted_as(adapted, left), adapted)
    before = {name: column.values for name, column in records.columns.items()}
    notes = notes_on_roles(before, assessment, config)
    stay = work.records
    return TreatedPilot(
        assessment,
        tuple(applied),
        original=records,
        stay=lambda: stay,
        positions=lambda: Dictionary(records.ids()).positions(stay.ids()),
        columns=work.columns,
        values=work.values,
        ids=work.released,
        seed=seed,
        notes=tuple(notes),
        release=release,
    )


# ---------------------------------------------------------------- one step


def _apply(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    treatment = methods()[step.method]
    if at_once_of(step) > AtOnce.BLOCKS:
        raise RecordsNotAtHandError(f"treatment: {step.method}")
    stop_at(faults_of_columns_gone(step, work.columns))
    if treatment.is_of_steps:
        return _recommended(step, work, given)
    if treatment.by_value:
        return _by_value(step, work, given)
    if treatment.by_id:
        return _by_id(step, work, given)
    if treatment.drops_by_values is not None:
        return _drop_by_values(step, work, given)
    if treatment.drops is not None:
        gone = treatment.drops(step.settings, work.columns)
        return work.without_columns(gone), _done(step, {name: work.n_present(name) for name in gone})
    return _leave_out(step, work, given)


def _done(
    step: TreatmentStep,
    changed: Mapping[str, int],
    n_removed: int = 0,
    notes: Sequence[str] = (),
    inputs: Mapping[str, dict[str, object]] | None = None,
) -> AppliedStep:
    return AppliedStep(step.method, changed, n_removed, tuple(notes), False, inputs or {}, step.settings)


def _by_value(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    (name,) = columns_named(step.settings)["column"]
    distinct, people = work.distinct(name)
    treated = methods()[step.method].apply(given.frame(distinct.to_frame(name), people), step.settings)
    work = _with_values(work, {name: treated.frame[name]})
    return work, _done(step, treated.changed, 0, treated.notes, treated.inputs)


def _with_values(work: _Work, distinct: Mapping[str, pd.Series]) -> _Work:
    """Other values in place of those that somebody has."""
    values = dict(work.values)
    for name, one in distinct.items():
        people = work.records.columns[name].people
        place = np.where(people > 0, np.cumsum(people > 0) - 1, -1)
        values[name] = one.reset_index(drop=True).reindex(place).reset_index(drop=True)
    return dataclasses.replace(work, values=values)


def _by_id(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """A treatment of single values: the ids block by block, other columns by distinct values."""
    apply = methods()[step.method].apply
    columns = columns_named(step.settings)["columns"]
    changed: dict[str, int] = {}
    notes: Sequence[str] = ()
    for name in columns:
        settings = TreatmentStep.of({**step.literal, "columns": [name]}).settings
        if name == SUBJECT_COLUMN:
            assert work.released is not None  # a step on a column that is gone is a fault before the run

            def recoded(ids: pd.Series, settings: SettingsGroup = settings) -> pd.Series:
                block: pd.Series = apply(given.frame(ids.to_frame()), settings).frame[SUBJECT_COLUMN]
                return block

            ids = dataclasses.replace(work.records, subjects=work.released).with_ids(recoded)
            n_people, n_distinct = work.records.n_people, ids.count_distinct()
            if n_distinct < n_people:
                raise FaultyInputError(
                    f"{step.method}: {n_people - n_distinct} of {n_people} ids of {name!r} would get the pseudonym "
                    "of another id; allowed: a length up to 64; choose a larger length"
                )
            work, changed[name] = dataclasses.replace(work, released=ids), n_people
            continue
        distinct, people = work.distinct(name)
        treated = apply(given.frame(distinct.to_frame(name), people), settings)
        work, notes = _with_values(work, {name: treated.frame[name]}), treated.notes
        changed |= treated.changed
    nobody = pd.DataFrame({name: pd.Series(dtype="str") for name in columns})
    notes = notes or apply(given.frame(nobody), step.settings).notes
    return work, _done(step, changed, 0, notes)


def _leave_out(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    leaves_out = methods()[step.method].leaves_out
    assert leaves_out is not None
    adapted = config_of(work.values, given.config)
    people = work.records.counted_as(adapted, work.values)
    assessment = evaluate(people, adapted)
    gone = leaves_out(assessment, step.settings)
    n_removed = int(assessment.classes.size[gone].sum())
    notes = notes_on_suppressed(assessment, gone)
    if n_removed:
        records, released = work.records.without(people, gone), work.released
        if released is work.records.subjects:
            released = records.subjects
        elif released is not None:
            released = dataclasses.replace(work.records, subjects=released, columns={}).without(people, gone).subjects
        work = dataclasses.replace(work, records=records, released=released)
    return work, _done(step, {}, n_removed, notes)


def _recommended(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """Several steps as one: see ``apply_recommended``."""
    recommended = given.recommended or ()
    steps, gone = steps_that_are_left(recommended, work.columns)
    changed: dict[str, int] = {}
    notes: list[str] = []
    inputs: dict[str, dict[str, object]] = {}
    n_before = work.records.n_people
    for one in steps:
        work, done = _apply(one, work, given)
        notes += done.notes
        inputs |= done.inputs
        for name, n in done.changed.items():
            changed[name] = changed.get(name, 0) + n
    notes += notes_on_recommended(recommended, gone)
    return work, _done(step, changed, n_before - work.records.n_people, notes, inputs)


def _drop_by_values(step: TreatmentStep, work: _Work, given: _Given) -> tuple[_Work, AppliedStep]:
    """A treatment that drops columns because of their values."""
    drops = methods()[step.method].drops_by_values
    assert drops is not None
    why, notes = drops(step.settings, work.columns, given.config, lambda names: work.scanned(names))
    changed = {name: work.n_present(name) for name in why}
    return work.without_columns(list(why)), _done(step, changed, 0, notes)
