"""Section ``by_group``: who bears the risk?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from disclosure_control.assess.told import gaps_of
from disclosure_control.basics.encoding.nested_groups import hidden_beside_each_other
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, list_of
from disclosure_control.basics.telling.small_counts import MissingShown, figures_of_group, shares_by_group
from disclosure_control.basics.telling.words import text_table
from disclosure_control.records.columns_of_file import people_by_kind
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection


@dataclass(frozen=True)
class ByGroupSettings(SettingsGroup):
    """Columns of the combined dataset; None for the quasi-identifiers."""

    groups: tuple[str, ...] | None = setting(
        list_of(COLUMN, "a list of columns of the combined dataset"),
        "columns whose groups are compared",
        None,
        "the quasi-identifiers",
    )


def evaluate(scene: Scene) -> Finding:
    """People at risk by k in each group, the small ones together."""
    assessment, groups = scene.assessment, {}
    result, names, classes = assessment.k_anonymity, assessment.config.quasi_identifiers, scene.classes
    gaps, chosen = gaps_of(assessment), scene.settings.of(ByGroupSettings).groups
    hidden = _hidden_quasi_identifiers(scene, gaps)
    for name in names if chosen is None else chosen:
        kept = gaps.get(name, MissingShown.LIKE_ANY_GROUP)
        if name in names:  # its people are counted already
            column, flags = (
                classes.columns_of_classes[names.index(name)],
                (result.evaluated_classes, result.risky_classes),
            )
            groups[name] = shares_by_group(column, *flags, "risky", gaps=kept, people=classes.size, also=hidden[name])
        else:
            kind = result.evaluated_classes + 2 * result.risky_classes
            column, of_entry, people = people_by_kind(scene.table, assessment.people, name, kind, 4)
            flags = (of_entry % 2 > 0, of_entry >= 2)
            groups[name] = shares_by_group(column, *flags, "risky", gaps=kept, people=people)
    return Finding({"by_group": groups})


def _hidden_quasi_identifiers(scene: Scene, gaps: Mapping[str, MissingShown]) -> dict[str, np.ndarray]:
    """Which groups of each quasi-identifier are hidden, as all of them stand beside each other."""
    result, names, classes = scene.assessment.k_anonymity, scene.assessment.config.quasi_identifiers, scene.classes
    flags = (result.evaluated_classes, result.risky_classes)
    kept = [gaps.get(name, MissingShown.LIKE_ANY_GROUP) for name in names]
    columns = [classes.columns_of_classes[i] for i in range(len(names))]
    return dict(zip(names, hidden_beside_each_other(columns, *flags, kept, classes.size), strict=True))


def words(figures: Mapping) -> Iterator[str]:
    """A row for each group."""
    if not figures["by_group"]:
        return
    yield "Who bears the risk (k)"
    rows = [
        [name, group["group"], *figures_of_group(group, "risky")]
        for name, entries in figures["by_group"].items()
        for group in entries
    ]
    yield text_table(["Column", "Group", "People", "Risky", "Share", "95%"], rows)


def words_on_screen(figures: Mapping) -> Iterator[str]:
    """Names of groups are values of people, and belong into files alone."""
    if figures["by_group"]:
        yield "Who bears the risk, by group: see the summary."


SECTION = RiskSection(
    place=80,
    place_in_report=150,
    answers="the share of people at risk by group, with a 95% interval; groups below ten people are not named, and "
    "counts below ten, or that would give such a count away, are masked",
    evaluate=evaluate,
    words=words,
    words_on_screen=words_on_screen,
    settings=ByGroupSettings,
    by_default=True,
)
