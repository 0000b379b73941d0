"""The figures of a treated pilot, before and after. They contain no person's data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.told import ToldCloseness, ToldModel, ToldSizes, told_outside
from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.release_findings import ReleaseFindings
from disclosure_control.basics.telling.plain import INLINE, WHERE_FOUND
from disclosure_control.basics.telling.small_counts import EXACT, Policy, notes_told
from disclosure_control.basics.telling.words import listed
from disclosure_control.measures.reidentification import prosecutor_risk, risk_profile
from disclosure_control.remedy.treatments.seeds import whose_seed
from disclosure_control.remedy.treatments.treated_pilot import AppliedStep, MissingCounts, TreatedPilot
from disclosure_control.steps.treatment.release_warnings import columns_of_ids, release_warnings
from disclosure_control.steps.treatment.settings import TreatmentSettings

NOT_MASKED = {"missing": 0}


@dataclass(frozen=True)
class PilotView:
    """One view of a pilot; larger rates are riskier, smaller k and l are, larger t is."""

    records: int | None
    quasi_identifiers: Sequence[str]
    unique_rate: float | None
    expected_reidentifications: float | None
    marketer_risk: float | None
    prosecutor_highest_risk: float | None
    k_anonymity: ToldModel
    l_diversity: Mapping[str, ToldModel]
    t_closeness: Mapping[str, ToldModel]
    missing_policies: Mapping[str, Mapping[str, int]]
    notices: Sequence[str]


@dataclass(frozen=True)
class StepApplied:
    """What a step changed per column, the ``records_removed``, both None where masked; and its ``notes``.

    How many records all steps removed is a total of the pilot; how many one of several steps did is masked if small.
    """

    method: str
    changed: Mapping[str, int | None]
    records_removed: int | None
    used_chance: bool
    notes: Sequence[str]


@dataclass(frozen=True)
class TreatmentFindings:
    """A treated pilot, before and after: the part ``treatment`` of the JSON summary.

    ``missing_of_kept``: how many of the kept people lack a value before and after. ``untouched_but_for``: in how many
    records a step changed a column that is otherwise unchanged. ``released``, the name of the ``dataset`` and
    ``identifiers_left_in``: in a run.
    """

    seed: str | None
    missing_qis: str
    records_removed: int
    steps: Sequence[StepApplied]
    before: PilotView
    after: PilotView
    as_released: PilotView
    missing_of_kept: Mapping[str, Sequence[int | None]]
    columns_dropped: Sequence[str]
    finer_than_assessed: Sequence[str]
    untouched: Sequence[str]
    untouched_but_for: Mapping[str, int | None]
    leaving: ReleaseFindings = field(metadata=INLINE)
    notes: Sequence[str]
    released: bool | None = field(default=None, metadata=WHERE_FOUND)
    dataset: str | None = field(default=None, metadata=WHERE_FOUND)
    identifiers_left_in: Sequence[str] | None = field(default=None, metadata=WHERE_FOUND)

    @property
    def views(self) -> tuple[PilotView, PilotView, PilotView]:
        """Before, after, and as released."""
        return self.before, self.after, self.as_released


def view_of(policy: Policy, assessment: Assessment, n_records: int) -> PilotView:
    """One view of a pilot in plain numbers."""
    profile = risk_profile(assessment.classes, (), assessment.config.missing_qis)
    prosecutor = prosecutor_risk(assessment.classes, missing_qis=assessment.config.missing_qis)
    return PilotView(
        records=n_records,
        quasi_identifiers=list(assessment.config.quasi_identifiers),
        unique_rate=profile.unique_rate,
        expected_reidentifications=profile.expected_reidentifications,
        marketer_risk=profile.global_risk,
        prosecutor_highest_risk=prosecutor.highest,
        k_anonymity=ToldSizes.of(assessment.k_anonymity),
        l_diversity={name: ToldSizes.of(result) for name, result in assessment.l_diversity.items()},
        t_closeness={name: ToldCloseness.of(policy, result) for name, result in assessment.t_closeness.items()},
        missing_policies=assessment.missing_policies,
        notices=list(assessment.notices),
    )


def treatment_findings(
    before: Assessment,
    treated: TreatedPilot,
    names: Sequence[str],
    settings: TreatmentSettings | None = None,
    of_ids: Mapping[str, int] | None = None,
) -> Callable[[Policy], TreatmentFindings]:
    """The effect of the treatment on a pilot, for each reader; ``names`` are the columns that were treated.

    ``settings`` are those of the config key, None in a notebook; ``of_ids``: the ``columns_of_ids``, computed
    here if not given.
    """
    released = set(treated.columns)
    settings = settings or TreatmentSettings(())
    gaps = treated.gaps()

    def of_columns(policy: Policy) -> tuple[_NumbersOfColumns, list[StepApplied], dict[str, list[int | None]]]:
        numbers = _NumbersOfColumns(policy, before, treated, gaps)
        removed = removed_by(policy, [step.n_records_removed for step in treated.steps])
        steps = [_applied(policy, step, n, numbers) for step, n in zip(treated.steps, removed, strict=True)]
        return numbers, steps, {name: numbers.missing_of_kept(name) for name in names if name in released}

    leaving = Leaving.of(before, treated, settings.harmless, of_columns(EXACT)[0].numbers)
    findings = ReleaseFindings.of(leaving, is_enough=lambda _: "release" in before.config.settings)
    if of_ids is None:
        of_ids = columns_of_ids(treated)
    notes = [*treated.notes, *_interval_notes(treated), *release_warnings(treated, of_ids)]
    finer = finer_than_assessed(treated)

    def told(policy: Policy) -> TreatmentFindings:
        _, steps, missing_of_kept = of_columns(policy)
        return TreatmentFindings(
            seed=whose_seed(treated.seed),
            missing_qis=treated.config.missing_qis,
            records_removed=treated.n_records_removed,
            steps=steps,
            before=view_of(policy, before, treated.n_records_before),
            after=view_of(policy, treated.assessment, treated.n_people),
            as_released=view_of(policy, treated.as_released, treated.n_people),
            missing_of_kept=missing_of_kept,
            columns_dropped=[name for name in names if name not in released],
            finer_than_assessed=finer,
            untouched=list(leaving.as_they_were),
            untouched_but_for={name: leaving.told_of(policy, name, n) for name, n in leaving.as_they_were.items() if n},
            leaving=findings(policy),
            notes=notes_told(policy, notes),
        )

    return told


class _NumbersOfColumns:
    """The ``numbers`` of people reported about each column: a further one may not differ from any by few people.

    So no differences of what a step changed, who lacks a value and who lacked one give small counts.
    """

    def __init__(self, policy: Policy, before: Assessment, treated: TreatedPilot, gaps: MissingCounts):
        self.policy = policy
        self.n_before, self.n_kept = treated.n_records_before, treated.n_people
        self.missing = gaps.released
        self.outside = told_outside(policy, before)
        self.numbers: defaultdict[str, list[int]] = defaultdict(lambda: [self.n_before, self.n_kept])
        for name, n in {**{name: n for name, (n, _, _) in gaps.released.items()}, **gaps.dropped}.items():
            self.numbers[name] += [n, self.n_before - n]

    def changed(self, name: str, n: int) -> int | None:
        """In how many records a step changed the column."""
        told = self.policy.told(n, *self.numbers[name])
        self.numbers[name].append(n)
        return told

    def missing_of_kept(self, name: str) -> list[int | None]:
        """How many of the kept people lack a value before and after; both None if one would give a small count."""
        all_before, before, after = self.missing[name]
        told = [self.policy.told(before, self.n_kept, all_before), self.policy.told(after, self.n_kept, before)]
        self.numbers[name] += [before, after, self.n_kept - before, self.n_kept - after]
        is_hidden = self.outside.get(name, NOT_MASKED)["missing"] is None
        return [None, None] if is_hidden or None in told else [before, after]


def removed_by(policy: Policy, removed: Sequence[int]) -> list[int | None]:
    """Records that each step removed, as published beside the number that all of them did."""
    if np.count_nonzero(removed) < 2:
        return [*removed]
    hidden = policy.hidden_parts(np.array(removed))
    return [None if hides else n for n, hides in zip(removed, hidden, strict=True)]


def _applied(policy: Policy, step: AppliedStep, removed: int | None, told: _NumbersOfColumns) -> StepApplied:
    changed = {name: told.changed(name, int(count)) for name, count in step.changed.items()}
    return StepApplied(step.method, changed, removed, step.used_chance, notes_told(policy, step.notes))


def finer_than_assessed(treated: TreatedPilot) -> list[str]:
    """Quasi-identifiers that the config puts in bins and that are released in finer values."""
    exact, binned = (_n_present(one.classes) for one in (treated.as_released, treated.assessment))
    return [name for name in treated.assessment.config.binning_config if exact[name] > binned[name]]


def _n_present(classes: EquivalenceClasses) -> dict[str, int]:
    return {
        name: int(np.count_nonzero(np.bincount(codes[codes >= 0])))
        for name, codes in zip(classes.quasi_identifiers, classes.class_codes, strict=True)
    }


def _interval_notes(treated: TreatedPilot) -> list[str]:
    """How to read released intervals: bins and parts of Mondrian look alike and are not."""
    names_by_words: dict[str, list[str]] = {}
    for name, words in treated.intervals.items():
        names_by_words.setdefault(words, []).append(name)
    return [f"Released as intervals, of which {words}: {listed(names)}." for words, names in names_by_words.items()]
