"""Section ``attribute_effects``: what does each quasi-identifier add to the risk?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.basics.drawings import rows
from disclosure_control.basics.telling.sections import Figure, Part, Table, Where
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.key_sets import attribute_effects
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

MOST_BARS = 24  # nobody reads hundreds


@dataclass(frozen=True)
class EffectTold:
    """Who is alone by one quasi-identifier, without it, and by its addition; shares of the people."""

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
    found = [
        EffectTold(
            effect.quasi_identifier,
            # Its groups are published by name elsewhere: a small number of unique people would disclose hidden ones.
            unique_rate_alone=HAND_TO_HAND.told_rate(effect.alone.unique_rate, effect.alone.n_evaluated),
            unique_rate_without=effect.without.unique_rate,
            unique_rate_added=effect.unique_rate_added,
            average_risk_added=effect.average_risk_added,
            k_at_most_rate_added=effect.k_at_most_rate_added,
        )
        for effect in effects
    ]
    return Finding(found)


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
            f"Share of the people whom only this quasi-identifier makes unique.{more}",
        )
    cells = [
        [one.quasi_identifier, *map(share_text, (one.unique_rate_alone, one.unique_rate_without, rate))]
        for one, rate in added
    ]
    yield Table(
        "What each quasi-identifier adds: people who are alone by it, and without it",
        ("Quasi-identifier", "Unique by this alone", "Unique without it", "Added by it"),
        cells,
        range(1, 4),
        Where.TEXT,
    )


SECTION = RiskSection(
    place=100,
    answers="what each quasi-identifier adds: alone, and added to all others",
    evaluate=evaluate,
    words=words,
    on_page="why",
)
