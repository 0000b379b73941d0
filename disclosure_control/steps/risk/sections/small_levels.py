"""Section ``small_levels``: values that few people have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COUNT
from disclosure_control.basics.telling.sections import Part, Sentence
from disclosure_control.basics.telling.small_counts import Policy, count_text
from disclosure_control.measures.small_levels import small_levels
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection


@dataclass(frozen=True)
class SmallLevelsSettings(SettingsGroup):
    """People who make a level small."""

    small_level: int = setting(COUNT, "how few people make a level small", 5)


@dataclass(frozen=True)
class LevelsOfFew:
    """How many values ``at_most`` so many people have; None where that is masked."""

    at_most: int
    values: int | None


def evaluate(scene: Scene) -> Finding:
    """Which values of the quasi-identifiers few people have, in a table, and how many values they are in all."""
    most = scene.settings.of(SmallLevelsSettings).small_level
    levels = small_levels(scene.classes, most)
    columns = ("quasi_identifier", "label", "n_people")
    table = pd.DataFrame([[getattr(level, name) for name in columns] for level in levels], columns=columns)
    n_people, n_all = int(table["n_people"].sum()), scene.classes.n_records * len(scene.classes.labels)

    def told(policy: Policy) -> LevelsOfFew:
        return LevelsOfFew(most, None if policy.told(n_people, n_all) is None else len(table))

    return Finding(told, tables={"small_levels.csv": table})


def words(found: LevelsOfFew) -> Iterator[Part]:
    """How many there are in all; counts by quasi-identifier would disclose groups that are hidden elsewhere."""
    n_values = "none" if found.values == 0 else count_text(found.values)
    yield Sentence(f"Values that at most {found.at_most} people have: {n_values}. small_levels.csv lists them.")


SECTION = RiskSection(
    place=120,
    answers="values that at most `small_level` people have, listed in `small_levels.csv`",
    evaluate=evaluate,
    words=words,
    settings=SmallLevelsSettings,
    wanted_with=("small_level",),
)
