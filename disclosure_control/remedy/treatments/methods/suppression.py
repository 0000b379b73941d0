"""Suppression of failing classes: of whole records, or of the quasi-identifiers of a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses, SensitiveCounts, run_k_anonymity, run_t_closeness
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import encode_column, labels_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COUNT, one_of, some_of
from disclosure_control.basics.telling.small_counts import MASKED, NoteForReaders, count_text
from disclosure_control.basics.telling.words import share_of_text
from disclosure_control.remedy.treatments.evaluation import evaluate_treated
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    relabelled,
    with_columns,
)

STAR = "*"
MODELS = ("k", "l", "t")


@dataclass(frozen=True)
class SuppressRecordsSettings(SettingsGroup):
    """Which models a class has to meet."""

    models: tuple[str, ...] = setting(
        some_of(*MODELS).but('a list of "k", "l" and "t"'),
        "the models that a class has to meet",
        ("k",),
    )


@dataclass(frozen=True)
class SuppressCellsSettings(SettingsGroup):
    """How small a class has to be, and the value that replaces its quasi-identifiers."""

    k: int | None = setting(COUNT, "the least size of a class that is kept", None, "the config's `K`")
    replacement: str = setting(one_of("missing", STAR), "the value that replaces a suppressed one", "missing")


def notes_on_suppressed(assessment: Assessment, failing: np.ndarray) -> list[str]:
    """How many people stay unevaluated, and whether anyone stays without these classes (n_classes,) of bool."""
    classes, notes = assessment.classes, []
    n_unevaluated = int(classes.size[~classes.evaluated(assessment.config.missing_qis)].sum())
    if n_unevaluated:
        notes.append(f"Records without a quasi-identifier, which are not evaluated and were kept: {n_unevaluated}.")
    if len(failing) and failing.all():
        notes.append("No record is left: no class meets the thresholds.")
    return notes


def failing_classes(assessment: Assessment, models: Sequence[str], k: int | None = None) -> np.ndarray:
    """Classes (n_classes,) of bool to remove until no other one fails; works on counts of classes only.

    Removing records changes the overall distribution (t), and who matches a missing value (k under "wildcard"), so
    classes are removed until none fails. Whole classes are removed, with their people without a sensitive value.
    Records that the policy "exclude" does not evaluate are kept and counted. ``k`` replaces the config's K.
    """
    classes, config = assessment.classes, assessment.config
    k = config.K if k is None else k
    failing = np.zeros(classes.n_classes, dtype=bool)
    if "l" in models:  # which does not depend on any other class
        for result in assessment.l_diversity.values():
            failing |= result.risky_classes
    while not failing.all():
        rest = np.flatnonzero(~failing)
        of_rest = classes.within(rest)
        found = np.zeros(len(rest), dtype=bool)
        if "k" in models:
            found |= run_k_anonymity(None, (), k, config.missing_qis, of_rest).risky_classes
        if "t" in models:
            for name, counted in assessment.counts.items():
                counts = _counts_of(counted, rest, classes.n_classes)
                distance, policy = config.t_distance.get(name), config.missing_qis
                of_t = run_t_closeness(None, (), name, config.T[name], distance, policy, of_rest, counts)
                found |= of_t.risky_classes
        if not found.any():
            break
        failing[rest[found]] = True
    return failing


def _counts_of(counted: SensitiveCounts, kept: np.ndarray, n_classes: int) -> SensitiveCounts:
    is_kept, position = np.zeros(n_classes, dtype=bool), np.full(n_classes, -1)
    is_kept[kept], position[kept] = True, np.arange(len(kept))
    table = counted.table.within(is_kept)
    table = type(table)(position[table.class_of_cell], table.value_of_cell, table.people, table.values, len(kept))
    return SensitiveCounts.of(table, counted.n_without_value)


def suppress_cells(given: TreatmentInput, settings: SuppressCellsSettings) -> Treated:
    """Make the quasi-identifiers of every record missing, or stars, if its class is smaller than ``k`` (default: K).

    All of them, so that these people form one class. If they are fewer than k, the smallest other classes join them
    until they are not: otherwise the suppressed ones would be noticeable. "missing" keeps numbers numbers; the star
    ("*") makes a column of numbers a text column. No result of the treated pilot contains the original values.
    """
    assessment = evaluate_treated(given.frame, given.config)
    classes = assessment.classes
    suppressed, n_joined = _classes_to_star(
        classes, assessment.config.K if settings.k is None else settings.k, assessment, settings.replacement
    )
    records = suppressed[classes.class_of_record]
    notes: list[str] = []
    if n_joined:
        n_told = count_text(MASKED.told(n_joined, len(records), int(records.sum())))
        why = "more records were suppressed, so that the suppressed ones do not stand out."
        notes.append(NoteForReaders.of(lambda n: f"{n} {why}", n_joined, n_told))
    if records.all() and len(records):
        notes.append("Every record is suppressed: no class is large enough.")
    columns = {name: _starred(given.frame[name], records, settings.replacement) for name in classes.quasi_identifiers}
    treated = with_columns(given, columns, notes)
    n, n_all = int(records.sum()), len(records)
    note = NoteForReaders(*(_suppressed(told, n_all) for told in (MASKED.told(n, n_all, *treated.changed.values()), n)))
    return Treated(treated.frame, treated.changed, notes=(note, *treated.notes))


def _suppressed(n: int | None, n_all: int) -> str:
    share = "" if n is None else f" ({share_of_text(n, n_all)})"
    return f"{count_text(n)} of {n_all} records suppressed{share}; each record is one person."


def _classes_to_star(
    classes: EquivalenceClasses, k: int, assessment: Assessment, replacement: str
) -> tuple[np.ndarray, int]:
    """Classes (n_classes,) of bool below k, and with others where they are too few; how many people joined."""
    policy = assessment.config.missing_qis
    if replacement == STAR:  # a star matches no missing value, so the rest loses these people
        small = failing_classes(assessment, ("k",), k)
    else:
        small = classes.evaluated(policy) & (classes.frequency(policy) < k)
    n_suppressed = int(classes.size[small].sum())
    already = (classes.class_codes < 0).all(axis=0) if replacement == "missing" else np.zeros(len(small), dtype=bool)
    n_together = int(classes.size[small | already].sum())
    if n_suppressed == 0 or n_together >= k or (policy != "category" and replacement == "missing"):
        return small, 0
    smallest_first = np.lexsort((np.arange(len(small)), classes.size, small | already | ~classes.evaluated(policy)))
    candidates = smallest_first[: int((~(small | already) & classes.evaluated(policy)).sum())]
    n_needed = int(np.searchsorted(n_together + np.cumsum(classes.size[candidates]), k)) + 1
    joined = candidates[:n_needed]
    small[joined] = True
    return small, int(classes.size[joined].sum())


def _starred(column: pd.Series, records: np.ndarray, replacement: str) -> pd.Series:
    if not records.any():
        return column
    if replacement == "missing":
        return column.mask(records)
    starred = relabelled(column, labels_of(encode_column(column)))
    if STAR not in starred.cat.categories:
        starred = starred.cat.add_categories([STAR])
    return starred.mask(records, STAR)


TREATMENTS = {
    "suppress_records": Treatment(
        None,
        SuppressRecordsSettings,
        50,
        'removes whole classes that fail `"k"` (default), `"l"` or `"t"`, until none fails',
        Reading.AS_LABEL,
        leaves_out=lambda assessment, settings: failing_classes(assessment, settings.models),
    ),
    "suppress_cells": Treatment(
        suppress_cells,
        SuppressCellsSettings,
        50,
        (
            'makes all quasi-identifiers of records below k missing, or `"*"`; where these people are fewer than k, '
            "the smallest other classes join them"
        ),
        Reading.AS_LABEL,
    ),
}
