"""Section ``population_uniqueness``: how many people of the population are alone, estimated from the pilot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from disclosure_control.basics.telling.sections import Part, Table
from disclosure_control.basics.telling.words import share_text
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, Need, RiskSection
from disclosure_control.steps.risk.words import figure_text


@dataclass(frozen=True)
class UniquesTold:
    """How many people of the population are unique by an ``estimator``, or the ``reason`` why it has no figure."""

    estimator: str
    population_uniques: float | None
    rate: float | None
    reason: str | None


def evaluate(scene: Scene) -> Finding:
    """The estimate of every estimator, or the reason why it has none."""
    from disclosure_control.measures.population_uniqueness import population_uniques, size_histogram  # with SciPy

    fraction = cast(float, scene.settings.sampling_fraction)  # without it, the section is not evaluated
    estimates = population_uniques(size_histogram(scene.classes, scene.policy), fraction)
    return Finding(
        lambda policy: {
            name: UniquesTold(one.estimator, one.n_uniques, one.rate, one.reason) for name, one in estimates.items()
        }
    )


def words(found: Mapping[str, UniquesTold]) -> Iterator[Part]:
    """A row for each estimator."""
    rows = []
    for name, one in found.items():
        taken = f"dankar (takes {one.estimator})" if name == "dankar" else name
        rows.append([taken, figure_text(one.population_uniques), share_text(one.rate), one.reason or ""])
    yield Table("Estimated population uniques", ("Estimator", "People", "Share of the population", ""), rows, (1, 2))


SECTION = RiskSection(
    place=30,
    answers="how many people of the population are alone: Zayatz, Pitman, slide negative binomial, and the one "
    "chosen by Dankar's rule",
    evaluate=evaluate,
    words=words,
    needs=Need("sampling_fraction", "the share of the population that the pilot is"),
    wanted_with=("sampling_fraction",),
)
