"""Section ``sampling``: individual and household risk under sampling weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from disclosure_control.basics.columns import parse_numbers
from disclosure_control.basics.words import share_text, text_table
from disclosure_control.measures.sampling_weights import RISK_FORMULAS, RecordRisk, household_risk, individual_risk
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, Section
from disclosure_control.steps.risk.setting_fields import COLUMN, Need, setting
from disclosure_control.steps.risk.words import figure_text

WEIGHTS = Need("weights", "the column of the sampling weights")


@dataclass(frozen=True)
class SamplingSettings:
    """Columns of the combined dataset."""

    weights: str | None = field(
        default=None,
        metadata=setting(
            COLUMN,
            "the column that says how many people of the population a record stands for",
            names_columns=True,
        ),
    )
    household: str | None = field(
        default=None,
        metadata=setting(COLUMN, "the column that names a record's household", names_columns=True, needs=WEIGHTS),
    )


def evaluate(scene: Scene) -> Finding:
    """The risk of each record by every formula, and together with its household by the exact one."""
    settings = scene.settings.of(SamplingSettings)
    weights = scene.table[settings.weights]
    found = {
        method: individual_risk(scene.classes, weights, scene.policy, scene.settings.alpha, method)
        for method in RISK_FORMULAS
    }
    below_one = int((parse_numbers(weights) < 1).sum())
    figures: dict = {"weights_below_one": below_one}
    figures["individual"] = {method: _of_records(risk) for method, risk in found.items()}
    columns = {"individual_risk": found["exact"].of_record}
    if settings.household is not None:
        together = household_risk(found["exact"], scene.table[settings.household])
        figures["household"] = _of_records(together)
        columns["household_risk"] = together.of_record
    return Finding({"sampling": figures}, lambda: columns)


def _of_records(risk: RecordRisk) -> dict:
    return {
        "evaluated": risk.n_evaluated,
        "expected_reidentifications": risk.expected_reidentifications,
        "global_risk": risk.global_risk,
        "highest": risk.highest,
    }


def words(figures: Mapping) -> Iterator[str]:
    """A row for each formula, and a warning of weights that cannot be weights."""
    sampling = figures["sampling"]
    risks = {f"individual, {method} form": risk for method, risk in sampling["individual"].items()}
    risks |= {"household": sampling["household"]} if "household" in sampling else {}
    rows = [
        [
            name,
            figure_text(risk["expected_reidentifications"]),
            share_text(risk["global_risk"]),
            share_text(risk["highest"]),
        ]
        for name, risk in risks.items()
    ]
    yield "Risk under the sampling weights"
    yield text_table(["Risk", "Expected re-identifications", "Average", "Highest"], rows)
    if sampling["weights_below_one"]:
        yield (
            f"  {sampling['weights_below_one']:,} records have a weight below 1, which stands for less than the person "
            "itself; a class counts at least its own people. Are these weights normalised?"
        )


SECTION = Section(
    place=20,
    answers="individual risk under sampling weights, in the form of sdcMicro and mu-Argus (series) and exact; "
    "household risk",
    evaluate=evaluate,
    words=words,
    needs_records=True,
    settings=SamplingSettings,
    needs=WEIGHTS,
    wanted_with=("weights",),
)
