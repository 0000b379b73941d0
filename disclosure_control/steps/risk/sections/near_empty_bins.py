"""Section ``near_empty_bins``: bins of the config that hold few people, or nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from disclosure_control.basics.columns import EncodedColumn
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, Section


def evaluate(scene: Scene) -> Finding:
    """Bins that hold fewer than K people, or none: the edges are the config's, so they may be named."""
    assessment, found = scene.assessment, []
    for name in assessment.binnings:
        if name in assessment.config.quasi_identifiers:
            i = assessment.config.quasi_identifiers.index(name)
            column, codes = scene.classes.columns[i], scene.classes.class_codes[i]
            labels = column.labels
            people_of = dict(zip(labels, _people_of_codes(codes, scene.classes.size, column), strict=True))
        else:
            edges = assessment.config.sensitive_binning[name]
            counts, _ = assessment.counts[name].binned(name, edges, assessment.config.out_of_range)
            labels, people_of = counts.values, dict(zip(counts.values, counts.people_of_value(), strict=True))
        for label in labels:
            n_people = int(people_of.get(label, 0))
            is_tail = str(label)[:1] in "<>"  # nobody outside the edges is no bin that is empty
            if n_people < assessment.config.K and (n_people or not is_tail):
                found.append({"column": name, "bin": str(label), "empty": n_people == 0})
    return Finding({"near_empty_bins": {"fewer_than": assessment.config.K, "bins": found}})


def _people_of_codes(codes: np.ndarray, size: np.ndarray, column: EncodedColumn) -> np.ndarray:
    present = codes >= 0
    return np.bincount(codes[present], size[present], len(column.labels))


def words(figures: Mapping) -> Iterator[str]:
    """Every such bin by name."""
    found = figures["near_empty_bins"]
    bins = [f"{one['column']} {one['bin']}{' (empty)' if one['empty'] else ''}" for one in found["bins"]]
    yield f"Bins with fewer than {found['fewer_than']} people: " + (", ".join(bins) or "none")


def words_on_screen(figures: Mapping) -> Iterator[str]:
    """How many there are: a bin of few people is a value of theirs."""
    found = figures["near_empty_bins"]
    yield f"Bins with fewer than {found['fewer_than']} people: {len(found['bins'])}, see the summary."


SECTION = Section(
    place=130,
    answers="bins of the config with fewer than K people",
    evaluate=evaluate,
    words=words,
    words_on_screen=words_on_screen,
)
