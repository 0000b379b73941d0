"""Section ``reidentification``: what each intruder achieves, and how many people stand out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from disclosure_control.basics.telling.sections import Part, Sentence, Table
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.reidentification import INTRUDERS, ReidentificationRisk
from disclosure_control.steps.risk.population import Population
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Borne, Finding, RiskSection


def evaluate(scene: Scene) -> Finding:
    """The chances of the three intruders, the profile of the pilot and, where there is one, its population."""
    intruders, profile = scene.intruders, scene.profile
    figures = {name: _intruder(risk) for name, risk in intruders.items()} | {
        "expected_reidentifications": profile.expected_reidentifications,
        "global_risk": profile.global_risk,
        "unique_rate": profile.unique_rate,
        "k_at_most_rate": profile.k_at_most_rate,
    }
    if scene.population is not None:
        figures["population"] = _population(scene, scene.population)

    def per_class() -> dict[str, Borne]:
        return {f"{name}_risk": Borne(intruders[name].of_class) for name in ("prosecutor", "journalist")}

    return Finding(figures, per_class)


def _intruder(risk: ReidentificationRisk) -> dict:
    return {
        "highest": risk.highest,
        "average": risk.average,
        "lowest": risk.lowest,
        "at_risk_rate": risk.at_risk_rate,
        "threshold": risk.threshold,
    }


def _population(scene: Scene, population: Population) -> dict:
    short = scene.classes.evaluated(scene.policy) & (population.size < scene.classes.size)
    return {
        "file": population.file,
        "people": population.n_people,
        "in_a_class_of_the_pilot": population.n_in_classes,
        "counted_as_in_the_pilot": int(scene.classes.size[short].sum()),
        "notes": list(population.notes),
    }


def words(figures: Mapping) -> Iterator[Part]:
    """A row for each intruder, and how the pilot fits its population."""
    rows = [
        [name, *(share_text(risk[key]) for key in ("highest", "average", "at_risk_rate")), f"{risk['threshold']:g}"]
        for name, risk in ((name, figures[name]) for name in INTRUDERS)
    ]
    columns = ("Intruder", "Highest", "Average", "At risk", "Threshold")
    yield Table("Chance to find a person, by intruder", columns, rows, range(1, 5))
    if "population" in figures:
        population = figures["population"]
        yield Sentence(
            f"{population['in_a_class_of_the_pilot']:,} of {population['people']:,} people of the population "
            f"{population['file']} are in a class of the pilot. {population['counted_as_in_the_pilot']:,} people of "
            "the pilot have nobody like them there, for lack of a value, and count as if the pilot were the population."
        )
        for note in population["notes"]:
            yield Sentence(f"{population['file']}: {note}")


SECTION = RiskSection(
    place=10,
    answers="the chance of telling a record right for an intruder who knows that the person is in the data "
    "(prosecutor), who does not (journalist), and who matches everybody (marketer): highest, average, share above "
    "`threshold`; expected re-identifications; % unique and % with k at or below each of `k_at_most`",
    evaluate=evaluate,
    words=words,
    by_default=True,
)
