"""Treatments without records: columns recoded by their distinct values, classes left out by their counts.

They serve people of whom only the counts are known (``treat_counted``), and records; the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar, cast

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.settings.fields import columns_named
from disclosure_control.records.counted import CountedPeople
from disclosure_control.records.people import People
from disclosure_control.remedy.treatments.evaluation import config_of
from disclosure_control.remedy.treatments.methods.suppression import notes_on_suppressed
from disclosure_control.remedy.treatments.registry import TreatmentInput, TreatmentStep, applied, methods
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED
from disclosure_control.remedy.treatments.treated_pilot import AppliedStep


class _Standing(Protocol):
    """The people between two steps, with the remaining columns and their present values.

    ``distinct`` gives the values of a column that somebody has, and how many people have each, None for one each;
    ``without`` removes classes (n_classes,) of bool that were ``assessed``.
    """

    @property
    def columns(self) -> Sequence[str]: ...
    def distinct(self, name: str) -> tuple[pd.Series, np.ndarray | None]: ...
    def with_values(self: Work, name: str, distinct: pd.Series) -> Work: ...
    def without_columns(self: Work, gone: Collection[str]) -> Work: ...
    def n_present(self, name: str) -> int: ...
    def assessed(self, config: PilotConfig) -> Assessment: ...
    def without(self: Work, assessment: Assessment, gone: np.ndarray) -> Work: ...


Work = TypeVar("Work", bound=_Standing)
# Makes a step's input from some rows, and the number of people of each.
MakeInput = Callable[[pd.DataFrame, np.ndarray | None], TreatmentInput]


def apply_to_counts(step: TreatmentStep, work: Work, config: PilotConfig, made: MakeInput) -> tuple[Work, AppliedStep]:
    """One step that is ``by_value``, drops columns, or ``leaves_out`` whole classes."""
    treatment = methods()[step.method]
    if treatment.by_value:
        (name,) = columns_named(step.settings)["column"]
        distinct, people = work.distinct(name)
        treated = applied(step, made(distinct.to_frame(name), people))
        work = work.with_values(name, treated.frame[name])
        return work, done(step, treated.changed, 0, treated.notes, treated.inputs)
    if treatment.drops is not None:
        gone = treatment.drops(step.settings, work.columns)
        return work.without_columns(gone), done(step, {name: work.n_present(name) for name in gone})
    assert treatment.leaves_out is not None, step.method
    assessment = work.assessed(config)
    leaving = treatment.leaves_out(assessment, step.settings)
    n_removed = int(assessment.classes.size[leaving].sum())
    work = work.without(assessment, leaving) if n_removed else work
    return work, done(step, {}, n_removed, notes_on_suppressed(assessment, leaving))


def done(
    step: TreatmentStep,
    changed: Mapping[str, int],
    n_removed: int = 0,
    notes: Sequence[str] = (),
    inputs: Mapping[str, dict[str, object]] | None = None,
) -> AppliedStep:
    """What a step did, without chance."""
    return AppliedStep(step.method, changed, n_removed, tuple(notes), False, inputs or {}, step.settings)


@dataclass(frozen=True)
class TreatedCounts:
    """The remaining of some counted people, recoded, and their assessment."""

    people: CountedPeople
    assessment: Assessment


@dataclass(frozen=True)
class _CountedWork:
    """Counted people, and the released form of each of their values (n_values,); see ``_Standing``."""

    people: CountedPeople
    values: Mapping[str, pd.Series] = field(repr=False)

    @property
    def columns(self) -> Sequence[str]:
        return list(self.values)

    def distinct(self, name: str) -> tuple[pd.Series, np.ndarray]:
        return self.values[name], self.people.distinct(name).people

    def with_values(self, name: str, distinct: pd.Series) -> _CountedWork:
        return replace(self, values={**self.values, name: distinct})

    def without_columns(self, gone: Collection[str]) -> _CountedWork:
        return replace(self, values={name: one for name, one in self.values.items() if name not in gone})

    def n_present(self, name: str) -> int:
        values = self.values.get(name)
        return 0 if values is None else int(self.people.distinct_values[name].people[values.notna().to_numpy()].sum())

    def assessed(self, config: PilotConfig) -> Assessment:
        people = self.people
        if not (people.class_of_first < 0).any():  # else they are as they were when somebody was left out
            people = people.recoded(config_of(self.values, config), self.values)
        return evaluate(cast(People, people), people.config)

    def without(self, assessment: Assessment, gone: np.ndarray) -> _CountedWork:
        return replace(self, people=cast(CountedPeople, assessment.people).without(gone))


def treat_counted(
    people: CountedPeople, config: PilotConfig, steps: Sequence[TreatmentStep], folder: Path
) -> TreatedCounts:
    """Recode the classes and remove those that have to be removed; files are searched in ``folder``, the pilot's.

    ``config`` has the roles of the columns and the thresholds. Classes are removed after all recodings.
    """

    def made(frame: pd.DataFrame, of_each: np.ndarray | None) -> TreatmentInput:
        chance = np.random.default_rng(DEFAULT_SEED)  # which no treatment by value uses
        return TreatmentInput(frame, config, chance, folder=folder, people=of_each)

    work = _CountedWork(people, {name: one.values for name, one in people.distinct_values.items()})
    for step in steps:
        work, _ = apply_to_counts(step, work, config, made)
    assessment = work.assessed(config)
    return TreatedCounts(cast(CountedPeople, assessment.people), assessment)
