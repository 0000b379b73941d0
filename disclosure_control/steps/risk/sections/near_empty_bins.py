"""Section ``near_empty_bins``: bins of the config that contain few people, or nobody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.sections import Part, Sentence
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection


@dataclass(frozen=True)
class BinsOfFew:
    """How many bins hold ``fewer_than`` so many people, and how many of these are empty."""

    fewer_than: int
    bins: int
    empty: int


def evaluate(scene: Scene) -> Finding:
    """A table of bins with fewer than K people, or none: their small number is itself a count."""
    assessment, found = scene.assessment, []
    for name in assessment.binnings:
        if name in assessment.config.quasi_identifiers:
            i = assessment.config.quasi_identifiers.index(name)
            column = scene.classes.columns_of_classes[i]
            labels = column.labels
            people_of = dict(zip(labels, _people_of_labels(column, scene.classes.size), strict=True))
        else:
            edges = assessment.config.sensitive_binning[name]
            counts, _ = assessment.counts[name].binned(name, edges, assessment.config.out_of_range)
            labels, people_of = counts.values, dict(zip(counts.values, counts.people_of_value(), strict=True))
        for label in labels:
            n_people = int(people_of.get(label, 0))
            is_tail = str(label)[:1] in "<>"  # nobody outside the edges is no bin that is empty
            if n_people < assessment.config.K and (n_people or not is_tail):
                found.append((name, str(label), n_people))
    listed = pd.DataFrame(found, columns=["column", "bin", "people"])
    told = BinsOfFew(assessment.config.K, len(listed), int((listed["people"] == 0).sum()))
    return Finding(lambda policy: told, tables={"near_empty_bins.csv": listed})


def _people_of_labels(column: EncodedColumn, size: np.ndarray) -> np.ndarray:
    present = column.codes >= 0
    return np.bincount(column.codes[present], size[present], len(column.labels))


def words(found: BinsOfFew) -> Iterator[Part]:
    """How many there are; only the table names them."""
    listed = f"{found.bins}, of which {found.empty} are empty. near_empty_bins.csv lists them" if found.bins else "none"
    yield Sentence(f"Bins with fewer than {found.fewer_than} people: {listed}.")


SECTION = RiskSection(
    place=130,
    answers="bins of the config with fewer than K people, listed in `near_empty_bins.csv`",
    evaluate=evaluate,
    words=words,
)
