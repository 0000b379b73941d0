"""Section ``key_sets``: the risk for somebody who knows only some of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from disclosure_control.basics.telling.sections import Part, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import MASKED_CELL, Policy
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.key_sets import KeySet, key_set
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection
from disclosure_control.steps.risk.words import figure_text

MOST_KEY_SETS = 8


@dataclass(frozen=True)
class FactsTogether:
    """What somebody singles out who knows these quasi-identifiers and no others."""

    quasi_identifiers: Sequence[str]
    evaluated: int | None
    unique_rate: float | None
    median_k: float | None
    k_at_most_rate: Mapping[str, float | None]


@dataclass(frozen=True)
class SetsOfFacts:
    """The ``sets``, and the ``step`` to which their numbers of people are rounded; 1 for exact ones."""

    sets: Sequence[FactsTogether]
    step: int

    def in_summary(self) -> Sequence[FactsTogether]:
        """The sets alone."""
        return self.sets

    def share_text(self, rate: float | None) -> str:
        """A share, of exact ones with two digits: sets that single few people out differ in the second one."""
        if rate is None:
            return MASKED_CELL
        return f"{rate:.2%}" if self.step == 1 else share_text(rate)


def evaluate(scene: Scene) -> Finding:
    """Every combination of a few quasi-identifiers, and all of them together."""
    names, n_people = scene.classes.quasi_identifiers, scene.classes.n_records
    smaller = [keys for keys in scene.key_sets if len(keys.quasi_identifiers) < len(names)]
    together = key_set(scene.classes, names, scene.settings.k_at_most, scene.policy)

    def told(policy: Policy) -> SetsOfFacts:
        found = [facts_together(policy, keys, n_people) for keys in smaller]
        return SetsOfFacts([*found, all_together(together)], policy.step)

    return Finding(told)


def facts_together(policy: Policy, keys: KeySet, n_people: int) -> FactsTogether:
    """A set as told: to others in steps, or the sets together would disclose masked groups of a column."""
    n, is_pair = keys.n_evaluated, len(keys.quasi_identifiers) > 1
    is_large = keys.median_k is not None and keys.median_k >= policy.threshold
    return FactsTogether(
        list(keys.quasi_identifiers),
        policy.in_steps(n, n_people),
        policy.rate_in_steps(keys.unique_rate, n, n_people),
        keys.median_k if is_large or is_pair else None,
        {str(k): policy.rate_in_steps(rate, n, n_people) for k, rate in keys.k_at_most_rate.items()},
    )


def all_together(keys: KeySet) -> FactsTogether:
    """The set of all quasi-identifiers: totals of the pilot, exact."""
    rates = {str(k): rate for k, rate in keys.k_at_most_rate.items()}
    return FactsTogether(list(keys.quasi_identifiers), keys.n_evaluated, keys.unique_rate, keys.median_k, rates)


def words(found: SetsOfFacts) -> Iterator[Part]:
    """A row for each of the combinations that single out most people."""
    singling = sorted(
        (one for one in found.sets if one.unique_rate),
        key=lambda one: (-(one.unique_rate or 0), len(one.quasi_identifiers)),
    )
    if singling:
        thresholds = list(singling[0].k_at_most_rate)
        in_steps = f", rounded down to steps of {found.step} but for all quasi-identifiers together"
        in_steps = "" if found.step == 1 else in_steps
        yield Sentence("Sets of facts that single out most people", Style.HEADING, Where.EVERYWHERE)
        yield Sentence(
            "An attacker who knows these facts about a person, and nothing else, finds the record of so many people"
            f"{in_steps}. The median k is how many people look alike to such an attacker, for half of the people.",
            Style.DEFINITION,
            Where.EVERYWHERE,
        )
        rows = [
            [
                ", ".join(one.quasi_identifiers),
                found.share_text(one.unique_rate),
                MASKED_CELL if one.median_k is None else figure_text(one.median_k),
                *(found.share_text(one.k_at_most_rate[k]) for k in thresholds),
            ]
            for one in singling[:MOST_KEY_SETS]
        ]
        columns = ("Facts together", "People alone", "Median k", *(f"k <= {k}" for k in thresholds))
        yield Table("Sets of quasi-identifiers", columns, rows, range(1, len(columns)), Where.EVERYWHERE)
    n_more = len(singling) - MOST_KEY_SETS
    if n_more > 0:
        more = f"{n_more:,} more sets, which single out fewer, are in the JSON summary."
        yield Sentence(more, Style.SMALL, Where.EVERYWHERE)
    n_few = sum(one.unique_rate is None for one in found.sets)
    if n_few:
        sets = "set of facts leaves" if n_few == 1 else "sets of facts leave"
        yield Sentence(
            f"{n_few:,} {sets} fewer than {found.step} of the evaluated people alone, or nobody.",
            where=Where.EVERYWHERE,
        )


def outside(found: SetsOfFacts, counts: ToldCounts) -> SetsOfFacts:
    """The sets with the shares that may be shared."""
    told = []
    for one in found.sets:
        evaluated = counts.tell(one.evaluated)
        unique_rate = counts.tell_rate(one.unique_rate, evaluated)
        told.append(replace(one, evaluated=evaluated, unique_rate=unique_rate, median_k=None, k_at_most_rate={}))
    return SetsOfFacts(told, found.step)


SECTION = RiskSection(
    place=90,
    answers="the risk from an attacker who knows only some of the quasi-identifiers, for every combination of up to "
    "`max_key_set`; to others shares in steps of 20 people, fewer are masked, but for all quasi-identifiers together",
    evaluate=evaluate,
    words=words,
    on_page="why",
    wanted_with=("max_key_set",),
)
