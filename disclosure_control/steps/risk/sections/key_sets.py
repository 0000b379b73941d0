"""Section ``key_sets``: the risk for somebody who knows only some of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.basics.telling.words import share_text, text_table
from disclosure_control.measures.key_sets import KeySet, key_set
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection
from disclosure_control.steps.risk.words import figure_text

MOST_KEY_SETS = 10


def evaluate(scene: Scene) -> Finding:
    """Every combination of a few quasi-identifiers, and all of them together."""
    settings, found = scene.settings, list(scene.key_sets)
    if settings.max_key_set < len(scene.classes.quasi_identifiers):
        names = scene.classes.quasi_identifiers
        found.append(key_set(scene.classes, names, settings.k_at_most, scene.policy))
    return Finding({"key_sets": [_key_set(keys) for keys in found]})


def _key_set(keys: KeySet) -> dict:
    rates = {"unique_rate": keys.unique_rate, **{str(k): rate for k, rate in keys.k_at_most_rate.items()}}
    if (
        len(keys.quasi_identifiers) == 1
    ):  # its groups are told by name: how small they are must not tell the hidden ones
        rates = {name: HAND_TO_HAND.told_rate(rate, keys.n_evaluated) for name, rate in rates.items()}
    return {
        "quasi_identifiers": list(keys.quasi_identifiers),
        "evaluated": keys.n_evaluated,
        "unique_rate": rates.pop("unique_rate"),
        "median_k": keys.median_k,
        "k_at_most_rate": rates,
    }


def words(figures: Mapping) -> Iterator[str]:
    """A row for each of the riskiest combinations."""
    found = figures["key_sets"]
    riskiest = sorted(found, key=_most_at_risk_first)[:MOST_KEY_SETS]
    yield f"Riskiest combinations of quasi-identifiers ({len(riskiest)} of {len(found)})"
    rows = []
    for keys in riskiest:
        at_most = [share_text(rate) for rate in keys["k_at_most_rate"].values()]
        names = " + ".join(keys["quasi_identifiers"])
        rows.append([names, share_text(keys["unique_rate"]), figure_text(keys["median_k"]), *at_most])
    thresholds = [f"k <= {k}" for k in (found[0]["k_at_most_rate"] if found else ())]
    yield text_table(["Known", "Unique", "Median k", *thresholds], rows)


def _most_at_risk_first(keys: Mapping) -> tuple:
    rates = (keys["unique_rate"], *keys["k_at_most_rate"].values())
    return (*(-(rate or 0.0) for rate in rates), keys["median_k"] or 0.0)


SECTION = RiskSection(
    place=90,
    answers="the risk for somebody who knows only some of the quasi-identifiers, for every combination of up to "
    "`max_key_set`",
    evaluate=evaluate,
    words=words,
    wanted_with=("max_key_set",),
)
