"""Section ``riskiest_classes``: the classes below K, each with its quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.sections import Part, Sentence
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

MOST_LISTED_CLASSES = 10_000


@dataclass(frozen=True)
class ClassesBelowK:
    """How many classes are below the ``threshold``, with how many people, and how many of them the table lists."""

    threshold: int
    classes: int
    people: int
    listed: int


def evaluate(scene: Scene) -> Finding:
    """Evaluated classes below K, riskiest first; the table contains the first ``MOST_LISTED_CLASSES``."""
    classes, k = scene.classes, scene.classes.frequency(scene.policy)
    below = np.flatnonzero(classes.evaluated(scene.policy) & (k < scene.assessment.config.K))
    listed = below[np.argsort(k[below], kind="stable")][:MOST_LISTED_CLASSES]
    columns = {
        name: _labels_of(column, listed)
        for name, column in zip(classes.quasi_identifiers, classes.columns_of_classes, strict=True)
    }
    table = pd.DataFrame({**columns, "people": classes.size[listed], "k_count": k[listed]})
    found = ClassesBelowK(scene.assessment.config.K, len(below), int(classes.size[below].sum()), len(listed))
    return Finding(lambda policy: found, tables={"riskiest_classes.csv": table})


def _labels_of(column: EncodedColumn, classes: np.ndarray) -> np.ndarray:
    return np.append(column.labels.astype(object), np.array([None]))[column.codes[classes]]


def words(found: ClassesBelowK) -> Iterator[Part]:
    """How many there are; only the table names them."""
    yield Sentence(
        f"Riskiest classes: {found.classes} classes of fewer than {found.threshold} people hold "
        f"{found.people} people; riskiest_classes.csv lists {found.listed} of them."
    )


SECTION = RiskSection(
    place=110,
    answers="classes below K, listed in `riskiest_classes.csv`",
    evaluate=evaluate,
    words=words,
)
