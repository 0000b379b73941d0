"""What door 2 says of a pilot, said of the pool: k, l, t, ``risk`` and ``recommend`` on the sum of the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.encoding.columns import canonical_labels_of, encode_column
from disclosure_control.basics.settings.fields import columns_named
from disclosure_control.basics.telling.faults import RecordsNotAtHandError
from disclosure_control.pooling.cells import DeclaredColumn
from disclosure_control.pooling.invitation import Invitation
from disclosure_control.pooling.pooled_people import PooledPeople, bits, check_sum
from disclosure_control.records.counted import CountedPeople
from disclosure_control.records.dataset_rules import typed_column
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.limits import NO_LIMITS
from disclosure_control.records.people import People
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.subjects import SubjectsInMemory
from disclosure_control.records.text_columns import TextColumn
from disclosure_control.records.text_table import TextTable
from disclosure_control.remedy.treatments.recommendation import Recommendation
from disclosure_control.remedy.treatments.registry import TreatmentInput, TreatmentStep, applied, methods
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED
from disclosure_control.remedy.treatments.treat_counted import treat_counted
from disclosure_control.run.logs import Log
from disclosure_control.steps import STEPS
from disclosure_control.steps.running import StepResult, run_steps

RUN_ON_COUNTS = ("risk", "recommend")


@dataclass(frozen=True)
class EvaluatedPool:
    """The pool's ``assessment`` and ``steps``; the ``flags`` (n_classes, n_bytes) of every declared class.

    The bits of a flag: k, l of each sensitive feature, t of each, and whether the advice leaves the class out.
    ``recoding``: what the advice makes of each value, by quasi-identifier that is released; None without an advice.
    """

    assessment: Assessment
    steps: Mapping[str, StepResult]
    flags: np.ndarray = field(repr=False)
    recoding: Mapping[str, Mapping[str, str]] | None = field(repr=False)


def evaluated_pool(invitation: Invitation, cells: np.ndarray, folder: Path, log: Log | None = None) -> EvaluatedPool:
    """Everything that is said of the sum of all cells (n_classes, width). Raises ``FaultyInputError``."""
    space, config = invitation.space, invitation.config
    check_sum(space, cells)
    people = PooledPeople(space, cells, config)
    assessment = evaluate(people, config)
    left_out = [name for name in STEPS if name not in RUN_ON_COUNTS]
    steps = run_steps(invitation.study, folder, _dataset_of(people), assessment, log, left_out)
    gone, recoding = _advised(people, config, steps["recommend"].outcome, folder)
    of_classes = [*(one.risky_classes for one in assessment.results), gone]
    places = space.places_of(people.classes)
    of_pool = bits(iter(of_classes), people.classes.n_classes)
    flags = np.zeros((space.n_classes, of_pool.shape[1]), dtype=np.uint8)
    flags[places] = of_pool
    return EvaluatedPool(assessment, steps, flags, recoding)


def _no_records() -> EncodedRecords:
    raise RecordsNotAtHandError("the pool")


def _no_column(name: str) -> TextColumn:
    raise KeyError(name)


def _dataset_of(people: People) -> CombinedDataset:
    """A dataset without columns beside those that are counted: whatever asks for records is refused."""
    n_people = people.classes.n_records
    table = TextTable([], _no_column, SubjectsInMemory(None, n_people), NO_LIMITS.few_texts)
    return CombinedDataset("", n_people, table, DomainReader(), _no_records)


def _advised(
    people: PooledPeople, config: PilotConfig, advice: Recommendation, folder: Path
) -> tuple[np.ndarray, dict[str, dict[str, str]] | None]:
    """Which classes (n_classes,) of the people the advice leaves out, and what it makes of each declared value."""
    if advice.treatment is None:
        return np.zeros(people.classes.n_classes, dtype=bool), None
    treated = treat_counted(CountedPeople.of(people, config), config, advice.treatment, folder)
    released = treated.people.config.quasi_identifiers
    recoding = {
        column.name: _released(column, people.people_of_code[column.name], config, advice.treatment)
        for column in people.space.quasi_identifiers
        if column.name in released
    }
    return treated.people.class_of_first < 0, recoding


def _released(
    column: DeclaredColumn, people: np.ndarray, config: PilotConfig, steps: Sequence[TreatmentStep]
) -> dict[str, str]:
    """By the label of every declared value what it is released as, "" where that is missing.

    ``people`` (n_codes,), missing first. A value that nobody has is recoded as a rare one is, so that nobody learns
    which values do not occur.
    """
    values = typed_column(pd.Series([*column.texts, None], dtype="str", name=column.name), config)
    frame, of_each = values.to_frame(), np.maximum(np.append(people[1:], people[0]), 1)
    for step in steps:
        if methods()[step.method].by_value and column.name in columns_named(step.settings)["column"]:
            given = TreatmentInput(frame, config, np.random.default_rng(DEFAULT_SEED), people=of_each)
            frame = applied(step, given).frame
    encoded = encode_column(frame[column.name])
    texts = np.append(canonical_labels_of(encoded), "")[encoded.codes]
    return dict(zip([*column.labels, ""], map(str, texts), strict=True))
