"""Section ``reidentification``: the success of each intruder, and how many people are exposed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from disclosure_control.basics.telling.plain import INLINE, WHERE_FOUND
from disclosure_control.basics.telling.sections import Part, Sentence, Table
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.reidentification import ReidentificationRisk
from disclosure_control.steps.risk.population import Population
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Borne, Finding, RiskSection


@dataclass(frozen=True)
class IntruderTold:
    """The chances of one intruder, and the share of records above the ``threshold``."""

    highest: float | None
    average: float | None
    lowest: float | None
    at_risk_rate: float | None
    threshold: float

    @classmethod
    def of(cls, risk: ReidentificationRisk) -> IntruderTold:
        """The published form."""
        return cls(risk.highest, risk.average, risk.lowest, risk.at_risk_rate, risk.threshold)


@dataclass(frozen=True)
class PopulationTold:
    """How the pilot fits its population, in counts of people of either."""

    file: str
    people: int
    in_a_class_of_the_pilot: int
    counted_as_in_the_pilot: int
    notes: Sequence[str]


@dataclass(frozen=True)
class Reidentification:
    """The success of each intruder, by name, and how many people are exposed."""

    intruders: Mapping[str, IntruderTold] = field(metadata=INLINE)
    expected_reidentifications: float | None
    global_risk: float | None
    unique_rate: float | None
    k_at_most_rate: Mapping[int, float | None]
    population: PopulationTold | None = field(metadata=WHERE_FOUND)


def evaluate(scene: Scene) -> Finding:
    """The chances of the three intruders, the profile of the pilot and, where there is one, its population."""
    intruders, profile = scene.intruders, scene.profile
    found = Reidentification(
        {name: IntruderTold.of(risk) for name, risk in intruders.items()},
        expected_reidentifications=profile.expected_reidentifications,
        global_risk=profile.global_risk,
        unique_rate=profile.unique_rate,
        k_at_most_rate=profile.k_at_most_rate,
        population=None if scene.population is None else _population(scene, scene.population),
    )

    def per_class() -> dict[str, Borne]:
        return {f"{name}_risk": Borne(intruders[name].of_class) for name in ("prosecutor", "journalist")}

    return Finding(lambda policy: found, per_class)


def _population(scene: Scene, population: Population) -> PopulationTold:
    short = scene.classes.evaluated(scene.policy) & (population.size < scene.classes.size)
    return PopulationTold(
        file=population.file,
        people=population.n_people,
        in_a_class_of_the_pilot=population.n_in_classes,
        counted_as_in_the_pilot=int(scene.classes.size[short].sum()),
        notes=list(population.notes),
    )


def words(found: Reidentification) -> Iterator[Part]:
    """A row for each intruder, and how the pilot fits its population."""
    rows = [
        [name, *map(share_text, (risk.highest, risk.average, risk.at_risk_rate)), f"{risk.threshold:g}"]
        for name, risk in found.intruders.items()
    ]
    columns = ("Intruder", "Highest", "Average", "At risk", "Threshold")
    yield Table("Chance to find a person, by intruder", columns, rows, range(1, 5))
    population = found.population
    if population is not None:
        yield Sentence(
            f"{population.in_a_class_of_the_pilot:,} of {population.people:,} people of the population "
            f"{population.file} are in a class of the pilot. {population.counted_as_in_the_pilot:,} people of "
            "the pilot have nobody like them there, for lack of a value, and count as if the pilot were the population."
        )
        for note in population.notes:
            yield Sentence(f"{population.file}: {note}")


SECTION = RiskSection(
    place=10,
    answers="the chance of a right match for an intruder who knows that the person is in the data (prosecutor), "
    "who does not (journalist), and who matches everyone (marketer): highest, average, share above "
    "`threshold`; expected re-identifications; % unique and % with k at or below each of `k_at_most`",
    evaluate=evaluate,
    words=words,
    is_inline=True,
    by_default=True,
)
