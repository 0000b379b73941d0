"""Section ``small_levels``: values that few people have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pandas as pd

from disclosure_control.basics.settings import COUNT
from disclosure_control.measures.small_levels import small_levels
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, Section
from disclosure_control.steps.risk.setting_fields import setting


@dataclass(frozen=True)
class SmallLevelsSettings:
    """People who make a level small."""

    small_level: int = field(default=5, metadata=setting(COUNT, "how few people make a level small"))


def evaluate(scene: Scene) -> Finding:
    """Which values of the quasi-identifiers few people have, in a table, and how many they are."""
    most = scene.settings.of(SmallLevelsSettings).small_level
    levels = small_levels(scene.classes, most)
    columns = ("quasi_identifier", "label", "n_people")
    table = pd.DataFrame([[getattr(level, name) for name in columns] for level in levels], columns=columns)
    figures = {
        name: {"levels": int(chosen.sum()), "people": int(table["n_people"][chosen].sum())}
        for name in scene.classes.quasi_identifiers
        if (chosen := table["quasi_identifier"] == name).any()
    }
    at_most = {"at_most": most, "by_quasi_identifier": figures}
    return Finding({"small_levels": at_most}, tables={"small_levels.csv": table})


def words(figures: Mapping) -> Iterator[str]:
    """How many there are by quasi-identifier; the values themselves stand in the table alone."""
    levels = figures["small_levels"]
    counts = [
        f"{name}: values {one['levels']}, people {one['people']}" for name, one in levels["by_quasi_identifier"].items()
    ]
    yield f"Values that at most {levels['at_most']} people have (listed in small_levels.csv): " + (
        "; ".join(counts) or "none"
    )


SECTION = Section(
    place=120,
    answers="values that at most `small_level` people have, listed in `small_levels.csv`",
    evaluate=evaluate,
    words=words,
    settings=SmallLevelsSettings,
    wanted_with=("small_level",),
)
