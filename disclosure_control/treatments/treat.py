"""Treatments applied one after the other to a pilot, and what comes out evaluated again.

``treat`` works on any DataFrame with one row per person, from a notebook as well::

    treated = treat(df, config, [{"method": "band", "column": "AGE", "width": 10}])
    treated.assessment.k_anonymity.n_risky, treated.released
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, faults_of_names
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.subjects import SubjectsInMemory
from disclosure_control.treatments.evaluation import evaluate_treated, notes_on_roles
from disclosure_control.treatments.keys import UNNAMED, Release
from disclosure_control.treatments.record_order import natural_order
from disclosure_control.treatments.registry import Treated, TreatmentInput, TreatmentStep, methods
from disclosure_control.treatments.seeds import DEFAULT_SEED
from disclosure_control.treatments.steps import checked_steps, faults_of_columns_gone
from disclosure_control.treatments.treated_pilot import AppliedStep, TreatedPilot


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
    generator = np.random.default_rng(seed)
    start = frame.reset_index(drop=True)
    work = start.iloc[natural_order(start)]
    subjects = work.get(SUBJECT_COLUMN)
    applied = []
    for step in checked:
        given = TreatmentInput(work, config, generator, subjects, folder, to_recommend, release)
        treated, used_chance = _apply(step, given)
        work = treated.frame
        subjects = None if subjects is None else subjects.loc[work.index]
        n_removed = treated.n_records_removed
        applied.append(
            AppliedStep(
                step.method, treated.changed, n_removed, treated.notes, used_chance, treated.inputs, step.settings
            )
        )
    work = _without_unused_categories(work.sort_index())
    assessment, kept = evaluate_treated(work, config), work.index.to_numpy()
    return TreatedPilot(
        assessment,
        tuple(applied),
        original=EncodedRecords.in_memory(start),
        stay=lambda: EncodedRecords.in_memory(start.iloc[kept]),
        positions=lambda: kept,
        columns=tuple(map(str, work)),
        values={str(name): column for name, column in work.items() if name != SUBJECT_COLUMN},
        ids=SubjectsInMemory(work[SUBJECT_COLUMN], len(work)) if SUBJECT_COLUMN in work else None,
        seed=None if isinstance(seed, np.random.Generator) else seed,
        notes=tuple(notes_on_roles(start, assessment, config)),
        release=release,
        at_once=work,
    )


def _without_unused_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """The list of a column's categories must not name a value whose people are gone."""
    categories = frame.select_dtypes("category")
    return frame.assign(**{str(name): column.cat.remove_unused_categories() for name, column in categories.items()})


# ---------------------------------------------------------------- applying steps


def apply_steps(steps: Iterable[TreatmentStep], given: TreatmentInput) -> Treated:
    """Several treatments as one: what they changed in sum, with all their notes."""
    frame, subjects = given.frame, given.subjects
    changed: dict[str, int] = {}
    notes: list[str] = []
    inputs: dict[str, dict[str, object]] = {}
    for step in steps:
        treated, _ = _apply(step, dataclasses.replace(given, frame=frame, subjects=subjects))
        frame = treated.frame
        subjects = None if subjects is None else subjects.loc[frame.index]
        notes += treated.notes
        inputs |= treated.inputs
        for name, count in treated.changed.items():
            changed[name] = changed.get(name, 0) + count
    return Treated(frame, changed, len(given.frame) - len(frame), tuple(notes), inputs)


def _apply(step: TreatmentStep, given: TreatmentInput) -> tuple[Treated, bool]:
    """What one step gives, and whether it drew chance."""
    stop_at(faults_of_columns_gone(step, list(map(str, given.frame))))
    state = given.generator.bit_generator.state
    treated = methods()[step.method].apply(given, step.settings)
    return treated, given.generator.bit_generator.state != state
