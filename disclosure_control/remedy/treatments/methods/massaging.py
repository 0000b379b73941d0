"""Fairness as a treatment: labels changed until two groups have the same rate, or a column of weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import code_of_value, encode_column, parse_numbers, value_text
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, COLUMNS, TEXT, VALUE, Place
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import EXACT, MASKED, NoteForReaders, Policy, count_text
from disclosure_control.basics.telling.words import four_digits
from disclosure_control.measures.group_fairness import TwoGroups
from disclosure_control.remedy.treatments.algorithms.label_changes import (
    label_changes,
    reweigh,
    score_by_logistic_regression,
    ties_by_content,
)
from disclosure_control.remedy.treatments.registry import (
    Treated,
    Treatment,
    TreatmentInput,
    register,
    with_columns,
)


@dataclass(frozen=True)
class MassagingSettings(SettingsGroup):
    """The labels, the groups, and the order in which labels are changed."""

    column: str = setting(COLUMN, "whose labels change")
    favourable: object = setting(VALUE, "the favourable label")
    unfavourable: object = setting(VALUE, "the unfavourable label")
    sensitive: str = setting(COLUMN, "the column of the groups")
    reference: object = setting(VALUE, "the group to compare with")
    group: object = setting(VALUE, "the other group", None, "everybody else")
    score: str | None = setting(COLUMN, "a column of numbers that ranks people", None)
    columns: tuple[str, ...] | None = setting(COLUMNS, "columns from which a rank is learnt", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Values that have to differ, and a ranker that is missing."""
        for name, other in (("favourable", "unfavourable"), ("reference", "group")):
            if other in given and value_text(given[name]) == value_text(given[other]):
                yield f"{place}: {name!r} and {other!r} are the same value; name two different ones"
        if (self.score is None) == (self.columns is None):
            yield f"{place}: found both or neither of score (a column of numbers) and columns (to learn a rank from)"


@dataclass(frozen=True)
class ReweighingSettings(SettingsGroup):
    """The label, the groups, and what the column of weights is called."""

    column: str = setting(COLUMN, "the column of the labels")
    sensitive: str = setting(COLUMN, "the column of the groups")
    weight_column: str = setting(TEXT.but("the name of a column"), "the column of weights", "fairness_weight")


def massage(given: TreatmentInput, settings: MassagingSettings) -> Treated:
    """Change labels in ``column`` between ``favourable`` and ``unfavourable`` until both groups have the same rate.

    A ranker chooses whose label changes: a column ``score``, higher being more deserving, or a logistic regression on
    ``columns``. ``group`` is everyone else by default. Other labels, and people of no group, are unchanged and counted.
    Source: see ``label_changes``.
    """
    column, group = settings.column, settings.group
    frame = given.frame
    labels, groups = encode_column(frame[column]), encode_column(frame[settings.sensitive])
    wanted = {
        "favourable": code_of_value(labels, settings.favourable),
        "unfavourable": code_of_value(labels, settings.unfavourable),
        "reference": code_of_value(groups, settings.reference),
        **({} if group is None else {"group": code_of_value(groups, group)}),
    }
    absent = [name for name, code in wanted.items() if code is None]
    if absent:
        return Treated(
            frame, {}, notes=(f"No label of {column} was changed, as nobody has the {' or '.join(absent)}.",)
        )
    is_favourable = labels.codes == wanted["favourable"]
    known = is_favourable | (labels.codes == wanted["unfavourable"])
    of_reference = groups.codes == wanted["reference"]
    of_group = (groups.codes >= 0) & ~of_reference if group is None else groups.codes == wanted["group"]
    if not (known & of_reference).any() or not (known & of_group).any():
        return Treated(frame, {}, notes=(f"No label of {column} was changed, as one of the groups has no labels.",))
    ranking = (
        parse_numbers(frame[settings.score])
        if settings.score is not None
        else score_by_logistic_regression(frame[list(settings.columns or ())], is_favourable, known)
    )
    changes = label_changes(is_favourable, known & of_reference, known & of_group, ranking, ties_by_content(frame))
    values = _relabelled(frame[column], labels.labels, wanted, changes.promoted, changes.demoted)
    n_apart = int((~(known & (of_reference | of_group))).sum())
    return with_columns(given, {column: values}, _notes(column, changes.before, int(changes.promoted.sum()), n_apart))


def _relabelled(
    column: pd.Series, labels: np.ndarray, wanted: Mapping[str, Any], promoted: np.ndarray, demoted: np.ndarray
) -> pd.Series:
    """The column with its own two labels put in; whole numbers stay whole."""
    up, down = labels[wanted["favourable"]], labels[wanted["unfavourable"]]
    if pd.api.types.is_integer_dtype(column.dtype):
        up, down = int(up), int(down)
    return column.mask(promoted, up).mask(demoted, down)


def _notes(column: str, before: TwoGroups, n_changes: int, n_apart: int) -> list[NoteForReaders]:
    sign = 1 if before.statistical_parity_difference >= 0 else -1
    after = TwoGroups(
        before.n_reference,
        before.n_reference_favourable - sign * n_changes,
        before.n_group,
        before.n_group_favourable + sign * n_changes,
    )
    differences = [four_digits(rates.statistical_parity_difference) for rates in (before, after)]
    n_people = before.n_reference + before.n_group

    def words(policy: Policy) -> str:
        is_small = min(before.n_reference, before.n_group) < policy.threshold
        rates = f"is not shown, because one group has fewer than {policy.threshold} people"
        rates = rates if is_small else "changed from {} to {}".format(*differences)
        n = count_text(policy.told(n_changes, n_people))
        return (
            f"In {column}, {n} labels became favourable and {n} unfavourable. They are no longer observed values. The "
            f"difference of rates {rates}."
        )

    notes = [NoteForReaders(words(MASKED), words(EXACT))]
    if n_apart:
        n_told = count_text(MASKED.told(n_apart, n_apart + n_people))
        why = "people were left unchanged: another label, no label, or neither group."
        notes.append(NoteForReaders.of(lambda n: f"In {column}, {n} {why}", n_apart, n_told))
    return notes


def add_weights(given: TreatmentInput, settings: ReweighingSettings) -> Treated:
    """A further column of weights that make label and group independent; no value is changed. Source: ``reweigh``."""
    weight_column = settings.weight_column
    frame = given.frame
    if weight_column in frame:
        raise FaultyInputError(
            f"reweighing['weight_column']: column {weight_column!r} already exists; choose another name"
        )
    found = reweigh(frame, settings.column, settings.sensitive)
    notes: list[str] = [
        f"Analyses weighted by {weight_column} see {settings.column} and {settings.sensitive} as independent."
    ]
    if found.n_empty:
        notes.append(f"Nobody has {found.n_empty} pairs of label and group, so {weight_column} leaves these dependent.")
    if found.n_incomplete:
        n_told = count_text(MASKED.told(found.n_incomplete, len(frame)))
        words = "people without label or group is 1."
        notes.append(NoteForReaders.of(lambda n: f"The {weight_column} of {n} {words}", found.n_incomplete, n_told))
    return Treated(
        frame.assign(**{weight_column: found.weights}),
        {weight_column: len(frame)},
        notes=tuple(notes),
    )


register(
    "massaging",
    Treatment(
        massage,
        MassagingSettings,
        words="changes labels until two groups have the same rate of the favourable one: see [`fairness`](fairness.md)",
        place=140,
    ),
)
register(
    "reweighing",
    Treatment(
        add_weights,
        ReweighingSettings,
        words="adds a column of weights that make label and group independent: see [`fairness`](fairness.md)",
        place=140,
    ),
)
