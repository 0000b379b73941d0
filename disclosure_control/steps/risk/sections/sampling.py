"""Section ``sampling``: individual and household risk under sampling weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, Place
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.sections import Part, Sentence, Style, Table
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.sampling_weights import (
    RISK_FORMULAS,
    SampleRisk,
    checked_weights,
    household_risk,
    risk_of_classes,
)
from disclosure_control.records.people import pairs_of_levels
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Borne, Finding, Need, RiskSection
from disclosure_control.steps.risk.words import figure_text

_COLUMN = COLUMN.but("a column of the combined dataset")


@dataclass(frozen=True)
class SamplingSettings(SettingsGroup):
    """Columns of the combined dataset."""

    weights: str | None = setting(
        _COLUMN, "the column with the number of people of the population that a record represents", None
    )
    household: str | None = setting(_COLUMN, "the column that names a record's household", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Households without weights."""
        if self.household is not None and self.weights is None:
            yield f"{place['household']}: needs weights too; name {WEIGHTS.words}"


@dataclass(frozen=True)
class WeightedRisk:
    """The risk of people, or of households, of the population that the weights represent."""

    evaluated: int
    expected_reidentifications: float | None
    global_risk: float | None
    highest: float | None

    @classmethod
    def of(cls, risk: SampleRisk) -> WeightedRisk:
        """The published form."""
        return cls(risk.n_evaluated, risk.expected_reidentifications, risk.global_risk, risk.highest)


@dataclass(frozen=True)
class Sampling:
    """The risk under sampling weights, by its formula, and that of households."""

    weights_below_one: int
    individual: Mapping[str, WeightedRisk]
    household: WeightedRisk | None = field(default=None, metadata=WHERE_FOUND)


WEIGHTS = Need("weights", "the column of the sampling weights")


def evaluate(scene: Scene) -> Finding:
    """The risk of each class by every formula, and of each record together with its household by the exact one."""
    settings = scene.settings.of(SamplingSettings)
    assert settings.weights is not None  # else the section is named and not evaluated
    weights, below_one = _weights_of_classes(scene, settings.weights)
    found = {
        method: risk_of_classes(scene.classes, weights, scene.policy, scene.settings.alpha, method)
        for method in RISK_FORMULAS
    }
    individual = {method: WeightedRisk.of(risk) for method, risk in found.items()}
    per_class = {"individual_risk": Borne(found["exact"].of_each)}
    if settings.household is None:
        return Finding(lambda policy: Sampling(below_one, individual), lambda: per_class)
    of_record = found["exact"].of_each[scene.classes.class_of_record]
    together = household_risk(of_record, scene.dataset.everybody.text[settings.household])
    told = Sampling(below_one, individual, WeightedRisk.of(together))
    return Finding(lambda policy: told, lambda: per_class, lambda: {"household_risk": together.of_each})


def _weights_of_classes(scene: Scene, name: str) -> tuple[np.ndarray, int]:
    """The sum of the weights in each class, and how many people have a weight below 1."""
    column = scene.dataset.table.in_full([name])[name]
    numbers = checked_weights(column.values, column.people)
    number_of_level = np.append(np.nan, parse_numbers(pd.Series(column.labels(), dtype="str")))
    pairs = pairs_of_levels(column, scene.assessment.people.classes_of_blocks(), scene.classes.n_classes)
    order = np.argsort(number_of_level[pairs.level], kind="stable")  # the same sum whatever the levels are called
    weights = (pairs.people * number_of_level[pairs.level])[order]
    sums = np.bincount(pairs.value[order], weights, scene.classes.n_classes)
    return sums, int(column.people[numbers < 1].sum())


def words(found: Sampling) -> Iterator[Part]:
    """A row for each formula, and a warning of weights that cannot be weights."""
    risks = {f"individual, {method} form": risk for method, risk in found.individual.items()}
    risks |= {"household": found.household} if found.household else {}
    rows = [
        [name, figure_text(risk.expected_reidentifications), share_text(risk.global_risk), share_text(risk.highest)]
        for name, risk in risks.items()
    ]
    columns = ("Risk", "Expected re-identifications", "Average", "Highest")
    yield Table("Risk under the sampling weights", columns, rows, range(1, 4))
    if found.weights_below_one:
        yield Sentence(
            f"{found.weights_below_one:,} records have a weight below 1, so they represent less than one person; "
            "a class counts at least its own people. Are these weights normalised?",
            Style.NOTICE,
        )


SECTION = RiskSection(
    place=20,
    answers="individual risk under sampling weights, in the form of sdcMicro and mu-Argus (series) and exact; "
    "household risk",
    evaluate=evaluate,
    words=words,
    needs_records_with=("household",),
    settings=SamplingSettings,
    needs=WEIGHTS,
    wanted_with=("weights",),
)
