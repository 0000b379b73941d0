"""Section ``attribute_effects``: what does each quasi-identifier add to the risk?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.basics.telling.words import share_text, text_table
from disclosure_control.measures.key_sets import attribute_effects
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection


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


def words(figures: Mapping) -> Iterator[str]:
    """A row for each quasi-identifier."""
    yield "What each quasi-identifier adds: people who are alone, with it by itself, and without it"
    shown = ("unique_rate_alone", "unique_rate_without", "unique_rate_added")
    effects = figures["attribute_effects"]
    rows = [[effect["quasi_identifier"], *(share_text(effect[name]) for name in shown)] for effect in effects]
    yield text_table(["Quasi-identifier", "Unique by it alone", "Unique without it", "Added by it"], rows)


SECTION = RiskSection(
    place=100,
    answers="what each quasi-identifier adds: alone, and on top of all others",
    evaluate=evaluate,
    words=words,
)
