"""Section ``attribute_effects``: what does each quasi-identifier add to the risk?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.basics.drawings import rows
from disclosure_control.basics.telling.sections import Figure, Part, Table, Where
from disclosure_control.basics.telling.small_counts import MASKED_CELL, Policy
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.key_sets import AttributeEffect, KeySet, attribute_effects
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

MOST_BARS = 24  # nobody reads hundreds


@dataclass(frozen=True)
class EffectTold:
    """Who is alone by one quasi-identifier, without it, and by its addition at most; shares of the people, in steps."""

    quasi_identifier: str
    unique_rate_alone: float | None
    unique_rate_without: float | None
    unique_rate_added: float | None
    average_risk_added: float | None
    k_at_most_rate_added: Mapping[int, float | None]


def evaluate(scene: Scene) -> Finding:
    """The measures with each quasi-identifier alone, and without it; existing key sets are used again."""
    settings = scene.settings
    known = scene.key_sets if "key_sets" in settings.sections else ()
    effects = attribute_effects(scene.classes, settings.k_at_most, scene.policy, known)
    return Finding(lambda policy: [effect_told(policy, effect, scene.classes.n_records) for effect in effects])


def effect_told(policy: Policy, effect: AttributeEffect, n_people: int) -> EffectTold:
    """The effect as told: to others, numbers of a set of some quasi-identifiers in steps, as in ``key_sets``."""
    alone, without, together = effect.alone, effect.without, effect.together

    def in_steps(rate: float | None, keys: KeySet) -> float | None:
        is_whole = len(keys.quasi_identifiers) == len(together.quasi_identifiers)
        return rate if is_whole else policy.rate_in_steps(rate, keys.n_evaluated, n_people)

    def added(rate: float | None, rate_without: float | None) -> float | None:
        return None if rate is None else rate - (in_steps(rate_without, without) or 0)

    risk_added = effect.average_risk_added
    return EffectTold(
        effect.quasi_identifier,
        unique_rate_alone=in_steps(alone.unique_rate, alone),
        unique_rate_without=in_steps(without.unique_rate, without),
        unique_rate_added=added(together.unique_rate, without.unique_rate),
        average_risk_added=risk_added if risk_added is None or policy.is_exact else round(risk_added, 2),
        k_at_most_rate_added={k: added(rate, without.k_at_most_rate[k]) for k, rate in together.k_at_most_rate.items()},
    )


def words(found: Sequence[EffectTold]) -> Iterator[Part]:
    """A bar, or a row, for each quasi-identifier."""
    added = [(one, one.unique_rate_added) for one in found if one.unique_rate_added is not None]
    drawn = sorted(added, key=lambda one: -one[1])[:MOST_BARS]
    if drawn:
        n_more = len(added) - len(drawn)
        more = f" The JSON summary has {n_more:,} more, which add least." if n_more else ""
        bars = [rows.Bar(one.quasi_identifier, rate, share_text(rate)) for one, rate in drawn]
        described = "; ".join(f"{bar.label}: {bar.text} of people alone" for bar in bars)
        yield Figure(
            rows.row_chart("What each quasi-identifier adds", described, bars),
            f"Share of the people whom only this quasi-identifier makes unique, at most.{more}",
        )
    cells = [
        [one.quasi_identifier, *map(_told_share, (one.unique_rate_alone, one.unique_rate_without)), share_text(rate)]
        for one, rate in added
    ]
    yield Table(
        "What each quasi-identifier adds: people who are alone by it, and without it",
        ("Quasi-identifier", "Unique by this alone", "Unique without it", "Added by it, at most"),
        cells,
        range(1, 4),
        Where.TEXT,
    )


def _told_share(rate: float | None) -> str:
    return MASKED_CELL if rate is None else share_text(rate)


SECTION = RiskSection(
    place=100,
    answers="what each quasi-identifier adds: alone, and added to all others",
    evaluate=evaluate,
    words=words,
    on_page="why",
)
