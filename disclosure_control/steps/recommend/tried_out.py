"""A recoding applied to the people of a pilot: who is left out, who is still at risk, who is rescued.

Every figure comes from the treatments themselves, applied and evaluated as door 2 evaluates them. No record is read:
all people of one finest class with values of the same sensitive features have the same outcome under any recoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import ModelResult
from disclosure_control.records.class_keys import count_in_blocks
from disclosure_control.records.people import People
from disclosure_control.remedy.treatments.treat_counted import TreatedCounts


@dataclass(frozen=True)
class AlikePeople:
    """Groups of people with the same result in every model: ``first_class`` (n_groups,) is their finest class.

    ``has_value`` (n_groups,) of bool, by sensitive feature of which some have no value; ``people`` (n_groups,) counts.
    """

    first_class: np.ndarray
    has_value: Mapping[str, np.ndarray]
    people: np.ndarray

    @classmethod
    def of(cls, people: People) -> AlikePeople:
        """The groups of all people; one pass over the records if several features have gaps, else from the counts."""
        classes = people.classes
        with_gaps = [name for name, counted in people.counts.items() if counted.n_without_value]
        if not with_gaps:
            return cls(np.arange(classes.n_classes), {}, classes.size)
        if len(with_gaps) == 1:
            of_class = people.counts[with_gaps[0]].table.people_of_class.astype(np.int64)
            keys, n = np.arange(2 * classes.n_classes), np.stack([classes.size - of_class, of_class], axis=1).ravel()
            keys, n = keys[n > 0], n[n > 0]
        else:
            keys, n = _counted_by_gaps(people, with_gaps)
        first_class, gaps = np.divmod(keys, 1 << len(with_gaps))
        return cls(first_class, {name: (gaps >> i & 1).astype(bool) for i, name in enumerate(with_gaps)}, n)

    def are_kept(self, treated: TreatedCounts) -> np.ndarray:
        """Which groups (n_groups,) of bool remain after a treatment."""
        return treated.people.class_of_first[self.first_class] >= 0

    def at_risk(self, treated: TreatedCounts, models: Sequence[str]) -> dict[str, np.ndarray]:
        """Which groups (n_groups,) of bool are then at risk, by model ("k", "l", "t"), for any sensitive feature."""
        now = treated.people.class_of_first[self.first_class]
        assessment, nobody = treated.assessment, np.zeros(len(now), dtype=bool)
        of_model: dict[str, list[ModelResult]] = {
            "k": [assessment.k_anonymity],
            "l": list(assessment.l_diversity.values()),
            "t": list(assessment.t_closeness.values()),
        }
        flags = {name: [self._flagged(one, now) for one in of_model[name]] for name in models}
        return {name: np.logical_or.reduce([nobody, *several]) for name, several in flags.items()}

    def _flagged(self, result: ModelResult, now: np.ndarray) -> np.ndarray:
        flagged: np.ndarray = np.append(result.risky_classes, False)[now]
        if result.counts is None or result.sensitive is None:
            return flagged
        return flagged & self.has_value.get(result.sensitive, True)  # t evaluates those who have a value


def _counted_by_gaps(people: People, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """People by class and by the features that they have a value of, a bit for each."""

    def keys() -> Iterator[np.ndarray]:
        for blocks in zip(*(people.values_of(name) for name in names), strict=True):
            key = blocks[0][0].astype(np.int64) << len(names)
            for i, (_, value) in enumerate(blocks):
                key |= (value >= 0).astype(np.int64) << i
            yield key

    return count_in_blocks(keys(), people.classes.n_classes << len(names))


@dataclass(frozen=True)
class TreatmentOutcome:
    """How many people are left out, and how many who were at risk before are kept and no longer at risk.

    ``at_risk`` counts, by model, who still is; ``gone`` (n_first,) of bool are the finest classes that are left out.
    """

    n_suppressed: int
    n_rescued: int
    at_risk: dict[str, int]
    gone: np.ndarray


def outcome_of(
    alike: AlikePeople, before: TreatedCounts, after: TreatedCounts, models: Sequence[str]
) -> TreatmentOutcome:
    """The outcome of a treatment; ``before`` is the untreated pilot, of the same finest classes."""
    kept, still = alike.are_kept(after), alike.at_risk(after, models)
    nobody = np.zeros(len(kept), dtype=bool)
    was_at_risk = np.logical_or.reduce([nobody, *alike.at_risk(before, models).values()])
    is_rescued = was_at_risk & kept & ~np.logical_or.reduce([nobody, *still.values()])
    return TreatmentOutcome(
        n_suppressed=int(alike.people[~kept].sum()),
        n_rescued=int(alike.people[is_rescued].sum()),
        at_risk={name: int(alike.people[flags].sum()) for name, flags in still.items()},
        gone=after.people.class_of_first < 0,
    )
