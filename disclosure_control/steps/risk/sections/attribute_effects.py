"""Section ``attribute_effects``: what does each quasi-identifier add to the risk?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from disclosure_control.basics.drawings import rows
from disclosure_control.basics.telling.sections import Figure, Part, Table, Where
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.key_sets import attribute_effects
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

MOST_BARS = 24  # nobody reads hundreds


def evaluate(scene: Scene) -> Finding:
    """What is measured with each quasi-identifier by itself, and without it; key sets that are there are used again."""
    settings = scene.settings
    known = scene.key_sets if "key_sets" in settings.sections else ()
    effects = attribute_effects(scene.classes, settings.k_at_most, scene.policy, known)
    figures = [
        {
            "quasi_identifier": effect.quasi_identifier,
            # Its groups are told by name elsewhere: that few are alone would tell those apart that are hidden there.
            "unique_rate_alone": HAND_TO_HAND.told_rate(effect.alone.unique_rate, effect.alone.n_evaluated),
            "unique_rate_without": effect.without.unique_rate,
            "unique_rate_added": effect.unique_rate_added,
            "average_risk_added": effect.average_risk_added,
            "k_at_most_rate_added": effect.k_at_most_rate_added,
        }
        for effect in effects
    ]
    return Finding({"attribute_effects": figures})


def words(figures: Mapping) -> Iterator[Part]:
    """A bar, or a row, for each quasi-identifier."""
    effects = [one for one in figures["attribute_effects"] if one["unique_rate_added"] is not None]
    drawn = sorted(effects, key=lambda one: -one["unique_rate_added"])[:MOST_BARS]
    if drawn:
        n_more = len(effects) - len(drawn)
        more = f" The JSON summary has {n_more:,} more, which add least." if n_more else ""
        bars = [rows.Bar(one["quasi_identifier"], one["unique_rate_added"], _added(one)) for one in drawn]
        described = "; ".join(f"{bar.label}: {bar.text} of people alone" for bar in bars)
        yield Figure(
            rows.row_chart("What each quasi-identifier adds", described, bars),
            f"Share of the people who are alone by each quasi-identifier: without it they would not be.{more}",
        )
    shown = ("unique_rate_alone", "unique_rate_without")
    cells = [[one["quasi_identifier"], *(share_text(one[name]) for name in shown), _added(one)] for one in effects]
    yield Table(
        "What each quasi-identifier adds: people who are alone by it, and without it",
        ("Quasi-identifier", "Unique by it alone", "Unique without it", "Added by it"),
        cells,
        range(1, 4),
        Where.TEXT,
    )


def _added(effect: Mapping) -> str:
    return share_text(effect["unique_rate_added"])


SECTION = RiskSection(
    place=100,
    answers="what each quasi-identifier adds: alone, and on top of all others",
    evaluate=evaluate,
    words=words,
    on_page="why",
)
