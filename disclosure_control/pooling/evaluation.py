"""What door 2 says of a pilot, said of the pool: k, l, t, ``risk`` and ``recommend`` on the sum of the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.encoding.columns import EncodedColumn, canonical_labels_of, encode_column
from disclosure_control.basics.telling.faults import RecordsNotAtHandError
from disclosure_control.pooling.cells import CellSpace
from disclosure_control.pooling.invitation import Invitation
from disclosure_control.pooling.pooled_people import bits, check_sum, pooled_people
from disclosure_control.records.counted import CountedPeople
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.limits import NO_LIMITS
from disclosure_control.records.people import DistinctValues, People
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.subjects import SubjectsInMemory
from disclosure_control.records.text_columns import TextColumn
from disclosure_control.records.text_table import TextTable
from disclosure_control.run.logs import Log
from disclosure_control.steps import STEPS
from disclosure_control.steps.running import StepResult, run_steps
from disclosure_control.treatments.recommendation import Recommendation
from disclosure_control.treatments.treat_counted import treat_counted

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
    people = pooled_people(space, cells, config)
    assessment = evaluate(people, config)
    left_out = [name for name in STEPS if name not in RUN_ON_COUNTS]
    steps = run_steps(invitation.study, folder, _dataset_of(people), assessment, log, left_out)
    gone, recoding = _advised(space, people, assessment, steps["recommend"].outcome, folder)
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
    space: CellSpace, people: People, assessment: Assessment, advice: Recommendation, folder: Path
) -> tuple[np.ndarray, dict[str, dict[str, str]] | None]:
    """Which classes (n_classes,) of the people the advice leaves out, and what it makes of each declared value."""
    if advice.treatment is None:
        return np.zeros(people.classes.n_classes, dtype=bool), None
    config = assessment.config
    treated = treat_counted(CountedPeople.of(people, config), config, advice.treatment, folder)
    released = [name for name in config.quasi_identifiers if name in treated.people.config.quasi_identifiers]
    labels = dict(zip(config.quasi_identifiers, people.classes.labels, strict=True))
    recoding = {
        name: _released(people.distinct(name), labels[name], treated.people.distinct_values[name]) for name in released
    }
    return treated.people.class_of_first < 0, recoding


def _released(before: DistinctValues, labels: np.ndarray, after: DistinctValues) -> dict[str, str]:
    """By the label of a value before the recoding what it is released as, "" where that is missing."""
    encoded = encode_column(after.values)
    texts = np.append(canonical_labels_of(encoded), "")[encoded.codes]
    names = np.append(canonical_labels_of(EncodedColumn(before.codes, labels)), "")[before.codes]
    return dict(zip(map(str, names), map(str, texts), strict=True))
