"""Section ``suda2``: special uniques, people whom few attributes single out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import SHARE_ABOVE_ZERO
from disclosure_control.basics.telling.sections import Part, Sentence, Table
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.special_uniques import special_uniques
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Borne, Finding, RiskSection
from disclosure_control.steps.risk.words import figure_text

DIS_FRACTION = 0.01


@dataclass(frozen=True)
class Suda2Settings(SettingsGroup):
    """The sampling fraction of the DIS scores; None for the pilot's own, or else ``DIS_FRACTION``."""

    dis_fraction: float | None = setting(
        SHARE_ABOVE_ZERO,
        "the sampling fraction that the DIS scores assume",
        None,
        f"`sampling_fraction`, else {DIS_FRACTION}",
    )


@dataclass(frozen=True)
class Suda2Told:
    """Special uniques, None where masked, their highest scores, and the share of each quasi-identifier in the score."""

    special_uniques: int | None
    total_score: float
    highest_score: float
    highest_dis_score: float | None
    dis_fraction: float
    contribution_rates: Mapping[str, float | None]


def evaluate(scene: Scene) -> Finding:
    """SUDA2 and DIS scores of all people, and the share of each quasi-identifier in them."""
    settings = scene.settings
    fraction = settings.of(Suda2Settings).dis_fraction or settings.sampling_fraction or DIS_FRACTION
    uniques = special_uniques(scene.classes, settings.max_key_set, dis_fraction=fraction)
    highest_dis = float(uniques.dis_score_of_class.max(initial=0.0))  # NaN from 28 quasi-identifiers up

    def told(policy: Policy) -> Suda2Told:
        return Suda2Told(
            special_uniques=policy.told(uniques.n_special_uniques, scene.classes.n_records),
            total_score=uniques.total_score,
            highest_score=float(uniques.score_of_class.max(initial=0.0)),
            highest_dis_score=None if np.isnan(highest_dis) else highest_dis,
            dis_fraction=fraction,
            contribution_rates=uniques.contribution_rates,
        )

    def per_class() -> dict[str, Borne]:
        contributions = dict(zip(uniques.quasi_identifiers, uniques.contribution_of_class.T, strict=True))
        return {
            "suda2_score": Borne(uniques.score_of_class),
            "dis_score": Borne(uniques.dis_score_of_class),
            "minimal_unique_sets": Borne(uniques.n_of_class),
            "smallest_unique_set": Borne(uniques.smallest_size_of_class),
            **{f"suda2 share of {name}": Borne(share) for name, share in contributions.items()},
        }

    return Finding(told, per_class)


def words(found: Suda2Told) -> Iterator[Part]:
    """How many there are, and a row for each quasi-identifier."""
    rows = [[name, share_text(rate)] for name, rate in found.contribution_rates.items()]
    yield Table("Special uniques (SUDA2)", ("Quasi-identifier", "Share of the score"), rows, (1,))
    yield Sentence(
        f"Few attributes single out {count_in_sentence(found.special_uniques)} of the people. The highest DIS score is "
        f"{figure_text(found.highest_dis_score)}, where the pilot is {share_text(found.dis_fraction)} of the "
        "population."
    )


SECTION = RiskSection(
    place=140,
    answers="special uniques: people whom few attributes already single out, with SUDA2 and DIS scores, and which "
    "attributes those are. A missing value singles nobody out, whatever `missing_qis` says",
    evaluate=evaluate,
    words=words,
    settings=Suda2Settings,
    wanted_with=("dis_fraction",),
)
