"""Fairness of the anonymisation itself: who is flagged, removed or changed, by group, each share with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from disclosure_control.analyses.fairness.told import MeasureByGroup
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, labels_of
from disclosure_control.basics.telling.small_counts import GroupShare, MissingShown, Policy, shares_by_group
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot


def folded(
    policy: Policy,
    groups: EncodedColumn,
    considered: np.ndarray,
    hit: np.ndarray,
    word: str,
    among: np.ndarray | None = None,
    gaps: MissingShown = MissingShown.LIKE_ANY_GROUP,
) -> list[GroupShare]:
    """``shares_by_group``, sorted by share, then the groups that are hidden because they are small."""
    entries = shares_by_group(policy, groups, considered, hit, word, among, gaps)
    names = {"missing", *labels_of(groups)}
    n_named = sum(entry.group in names for entry in entries)
    return by_share(entries[:n_named]) + entries[n_named:]


def by_share(entries: list[GroupShare]) -> list[GroupShare]:
    """The entries by falling share; masked shares come last."""
    return sorted(entries, key=lambda entry: (entry.rate is None, -(entry.rate or 0.0)))


def burden_by_group(
    policy: Policy,
    groups: EncodedColumn,
    assessment: Assessment,
    treated: TreatedPilot | None,
    before: pd.DataFrame,
    gaps: MissingShown = MissingShown.LIKE_ANY_GROUP,
) -> list[MeasureByGroup]:
    """Per measure the shares of every group: flagged by k, l and t; with a ``treated`` pilot, removed and changed.

    ``treated`` is the result of the step ``treatment``, None without it; ``before`` is the table that it was given. A
    missing group is a group. People whom a measure does not evaluate are counted as ``not_considered``.
    """
    entries = [
        _measure(policy, _words(result), "flagged", result.evaluated, result.risky, groups, gaps)
        for result in assessment.results
    ]
    if treated is None:
        return entries
    everybody = np.ones(len(before), dtype=bool)
    kept = np.zeros(len(before), dtype=bool)
    kept[treated.kept] = True
    entries.append(_measure(policy, "records removed by the treatment", "removed", everybody, ~kept, groups, gaps))
    suppressed, changed = _changed_people(treated, before, assessment.config.quasi_identifiers)
    entries.append(_measure(policy, "a quasi-identifier suppressed", "suppressed", kept, suppressed, groups, gaps))
    entries.append(_measure(policy, "a quasi-identifier changed", "changed", kept, changed, groups, gaps))
    return entries


def _measure(
    policy: Policy,
    words: str,
    word: str,
    considered: np.ndarray,
    hit: np.ndarray,
    groups: EncodedColumn,
    gaps: MissingShown,
) -> MeasureByGroup:
    shares = folded(policy, groups, considered, hit, word, gaps=gaps)
    return MeasureByGroup(words, word, int((~considered).sum()), shares)


def _words(result: ModelResult) -> str:
    return f"flagged by {result.model[0]}{f' of {result.sensitive}' if result.sensitive else ''}"


def _changed_people(
    treated: TreatedPilot, before: pd.DataFrame, quasi_identifiers: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Who lost a quasi-identifier, and who has one that changed: (n_records,) of bool each."""
    suppressed, changed = np.zeros((2, len(before)), dtype=bool)
    for name in quasi_identifiers:
        old = encode_column(before[name])
        codes, labels = old.codes[treated.kept], labels_of(old)
        if name not in treated.frame:
            gone = other = codes >= 0  # a column that is not released is lost to everyone with a value
        else:
            new = encode_column(treated.frame[name])
            place = {label: i for i, label in enumerate(labels)}
            common = np.array([place.get(label, len(labels)) for label in labels_of(new)] + [-1])[new.codes]
            gone, other = (codes >= 0) & (common < 0), codes != common
        suppressed[treated.kept] |= gone
        changed[treated.kept] |= other
    return suppressed, changed
