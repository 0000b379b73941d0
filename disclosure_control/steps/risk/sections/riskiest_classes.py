"""Section ``riskiest_classes``: the classes below K, each with its quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.sections import Part, Sentence
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

MOST_LISTED_CLASSES = 10_000


def evaluate(scene: Scene) -> Finding:
    """Evaluated classes below K, riskiest first; the table holds the first ``MOST_LISTED_CLASSES``."""
    classes, k = scene.classes, scene.classes.frequency(scene.policy)
    below = np.flatnonzero(classes.evaluated(scene.policy) & (k < scene.assessment.config.K))
    listed = below[np.argsort(k[below], kind="stable")][:MOST_LISTED_CLASSES]
    columns = {
        name: _labels_of(column, listed)
        for name, column in zip(classes.quasi_identifiers, classes.columns_of_classes, strict=True)
    }
    table = pd.DataFrame({**columns, "people": classes.size[listed], "k_count": k[listed]})
    figures = {
        "threshold": scene.assessment.config.K,
        "classes": len(below),
        "people": int(classes.size[below].sum()),
        "listed": len(listed),
    }
    return Finding({"riskiest_classes": figures}, tables={"riskiest_classes.csv": table})


def _labels_of(column: EncodedColumn, classes: np.ndarray) -> np.ndarray:
    return np.append(column.labels.astype(object), np.array([None]))[column.codes[classes]]


def words(figures: Mapping) -> Iterator[Part]:
    """How many there are; who they are stands in the table alone."""
    riskiest = figures["riskiest_classes"]
    yield Sentence(
        f"Riskiest classes: {riskiest['classes']} classes of fewer than {riskiest['threshold']} people hold "
        f"{riskiest['people']} people; riskiest_classes.csv lists {riskiest['listed']} of them."
    )


SECTION = RiskSection(
    place=110,
    answers="classes below K, listed in `riskiest_classes.csv`",
    evaluate=evaluate,
    words=words,
)
