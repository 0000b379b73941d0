"""The step ``recommend``: the mildest recoding that meets the thresholds, and the few really different other ones.

Over every combination of the levels that the quasi-identifiers may be recoded to, the one with the least loss such that
k, l and t hold with at most a share of the records left out; with proof, where the search can end in time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text, people_on_screen
from disclosure_control.basics.telling.words import counted, many_text
from disclosure_control.generalisation.landscape import landscape
from disclosure_control.generalisation.losses import METRICS
from disclosure_control.generalisation.search import SearchResult
from disclosure_control.steps.recommend.pilot import PilotLattice, pilot_lattice
from disclosure_control.steps.recommend.settings import RecommendSettings
from disclosure_control.steps.recommend.short_list import RecodingAnswer, Trial, answers, levels_in_words
from disclosure_control.steps.running import StepInput, StepResult
from disclosure_control.treatments.recommendation import Recommendation

NOT_ANONYMOUS = "What meets the thresholds is still data of pseudonymised people: no finding of anonymity."


def level_bounds(pilot: PilotLattice, settings: RecommendSettings) -> tuple[dict[str, int], dict[str, int]]:
    """Lowest and highest level of each column that has one. Raises ``FaultyInputError`` on levels that do not exist."""
    heights = {attribute.name: attribute.height for attribute in pilot.lattice.attributes}
    faults = []
    for key, bounds in (("fixed", settings.fixed), ("max_level", settings.max_level)):
        for name, level in bounds.items():
            least = pilot.lowest.get(name, 0)
            if not least <= level <= heights[name]:
                why = ", as the config looks at it in bins and level 0 is its exact values" if level < least else ""
                faults.append(f"recommend[{key!r}][{name!r}]: found {level}; allowed: {least} to {heights[name]}{why}")
    if faults:
        raise FaultyInputError(faults)
    return {**pilot.lowest, **settings.fixed}, {**settings.max_level, **settings.fixed}


# ---------------------------------------------------------------- the step


def run_step(step: StepInput) -> StepResult:
    """The best recoding and the short list, as figures, as a section of the report, and as a treatment to apply."""
    assessment, settings = step.assessment, step.settings
    assert isinstance(settings, RecommendSettings)
    pilot = pilot_lattice(assessment, settings.hierarchies, step.folder)
    lowest, highest = level_bounds(pilot, settings)
    trial = Trial(
        pilot=pilot,
        assessment=assessment,
        folder=step.folder,
        metric=settings.metric,
        weights=settings.weights,
        lowest=lowest,
        highest=highest,
        suppression_limit=settings.suppression_limit,
        time_limit=settings.time_limit,
    )
    found, short_list = answers(trial)
    figures = _figures(trial, settings, found, short_list)
    best = short_list[0] if found.best is not None else None
    treatment = best.treatment if best is not None and best.holds else None
    return StepResult(
        figures,
        recommend_report(figures),
        said_short=next_step(figures),
        inputs=pilot.inputs,
        outcome=Recommendation(treatment),
    )


def _figures(
    trial: Trial, settings: RecommendSettings, found: SearchResult, short_list: Sequence[RecodingAnswer]
) -> dict[str, Any]:
    pilot, assessment = trial.pilot, trial.assessment
    n_at_risk = trial.n_at_risk
    best = short_list[0] if found.best is not None else None
    return {
        "metric": settings.metric,
        "counted_from": "the config's bins" if pilot.begins_in_bins else "exact values",
        "suppression_limit": settings.suppression_limit,
        "models": list(pilot.models),
        "left_out": list(pilot.left_out),
        "records": assessment.classes.n_records,
        "not_evaluated": assessment.classes.n_records - pilot.n_evaluated,
        "missing_qis": assessment.config.missing_qis,
        "at_risk": n_at_risk,
        "optimal": found.is_optimal,
        "levels": best.levels if best else None,
        "loss": _told_loss(best.loss, best.n_suppressed, trial) if best else None,
        "suppressed": _told(best.n_suppressed, trial) if best else None,
        "checked": found.n_checked,
        "lattice_size": found.lattice_size,
        "short_list": [_answer_figures(answer, trial, n_at_risk) for answer in short_list],
        "landscape": _landscape_figures(trial, short_list),
    }


def _landscape_figures(trial: Trial, short_list: Sequence[RecodingAnswer]) -> dict[str, Any]:
    """Other recodings beside the answers: what each costs, and how many people it leaves at risk if nobody goes.

    Of one column alone these are those in its rare groups: None where they are few.
    """
    pilot, names = trial.pilot, [attribute.name for attribute in trial.pilot.lattice.attributes]
    if not pilot.n_evaluated or not names:
        return {"levels": {}, "places": [], "whole": True}
    first = [tuple(answer.levels[name] for name in names) for answer in short_list]
    requirements, n = pilot.requirements(trial.suppression_limit), pilot.n_evaluated
    found = landscape(pilot.lattice, requirements, trial.metric, trial.weights, trial.lowest, trial.highest, first)
    return {
        "levels": {attribute.name: levels_in_words(attribute) for attribute in pilot.lattice.attributes},
        "places": [
            [list(place.levels), float(f"{loss:.4g}"), HAND_TO_HAND.told(place.n_at_risk, n)]
            for place in found.places
            for loss in [_told_loss(place.loss, place.n_at_risk, trial)]
        ],
        "whole": found.is_whole,
    }


def _told(n: int, trial: Trial) -> int | None:
    """How many records a recoding leaves out, or at risk: of one column alone these are those in its rare groups."""
    return HAND_TO_HAND.told(n, trial.assessment.classes.n_records, trial.pilot.n_evaluated)


def _told_loss(loss: float, n_left_out: int, trial: Trial) -> float:
    """A loss as it may be told: who is left out counts as lost, so from all digits their masked number follows.

    Then losses of values are rounded to what some twenty people weigh, and those of class sizes to one digit.
    """
    if _told(n_left_out, trial) is not None:
        return loss
    if not METRICS[trial.metric].is_of_values:
        return float(f"{loss:.1g}")
    unit = 2 * HAND_TO_HAND.threshold / max(trial.assessment.classes.n_records, 1) * max(1.0, abs(loss))
    return round(loss / unit) * unit


def _answer_figures(answer: RecodingAnswer, trial: Trial, n_at_risk: int) -> dict[str, Any]:
    return {
        "titles": list(answer.titles),
        "words": answer.words,
        "levels": answer.levels,
        "loss": _told_loss(answer.loss, answer.n_suppressed, trial),
        "suppressed": _told(answer.n_suppressed, trial),
        "suppressed_few": bool(HAND_TO_HAND.are_small(np.array(answer.n_suppressed))),
        "rescued": n_at_risk if answer.n_rescued == n_at_risk else HAND_TO_HAND.told(answer.n_rescued, n_at_risk),
        "at_risk_after": {name: _told(n, trial) for name, n in answer.at_risk.items()},
        "holds": answer.holds,
        "optimal": answer.is_optimal,
        "treatment": [step.literal for step in answer.treatment],
    }


# ---------------------------------------------------------------- the report


def recommend_report(figures: Mapping[str, Any]) -> str:
    """The section "Next best step": what to give up, what that does, what to paste. No value of a person is in it."""
    lines = ["Next best step"]
    lines += [f"  {sentence}" for sentence in figures["left_out"]]
    if figures["not_evaluated"]:
        lines.append(
            f"  {figures['not_evaluated']} of {figures['records']} records are not evaluated, for lack of a "
            "quasi-identifier. Where a column is dropped, those who lack only it are; who still is not stays in the "
            "data. At most a share of those who are evaluated then is left out; the loss is of all records."
        )
    if not figures["models"]:
        lines.append("  No threshold can be met by any recoding.")
    lines += _first_words(figures)
    for number, answer in enumerate(figures["short_list"], start=1):
        lines += ["", *_answer_lines(number, answer, figures)]
    if figures["short_list"]:
        lines += [
            "",
            '  To apply answer 1: "treatment": [{"method": "recommended"}]. To apply another one, paste its list.',
            f"  {NOT_ANONYMOUS}",
        ]
    return "\n".join(lines) + "\n"


def next_step(figures: Mapping[str, Any]) -> str:
    """The same in a few lines: how sure it is, the first answer, and what to paste for it."""
    lines = ["Next best step", *_first_words(figures)]
    if figures["short_list"]:
        others = len(figures["short_list"]) - 1
        more = f" {counted(others, 'other answer')} in the details." if others else ""
        lines.append(f"  1. {_in_short(figures['short_list'][0], figures)}")
        lines.append(f'     To apply it: "treatment": [{{"method": "recommended"}}].{more}')
    return "\n".join(lines) + "\n"


def _in_short(answer: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    """What to give up, who is left out, and whether that holds."""
    n_out = people_on_screen(1) if answer["suppressed_few"] else count_text(answer["suppressed"])
    still = ", ".join(f"{count_text(n)} by {name}" for name, n in answer["at_risk_after"].items() if n != 0)
    holds = "all thresholds that can be met hold" if figures["left_out"] else "all thresholds hold"
    outcome = f"still at risk: {still}" if still else holds
    return f"{answer['words']}; {n_out} of {figures['records']} records left out: {outcome}."


def _first_words(figures: Mapping[str, Any]) -> list[str]:
    size, checked = many_text(figures["lattice_size"]), figures["checked"]
    if figures["not_evaluated"] == figures["records"]:
        return ["  No record is evaluated: there is nothing to recommend."]
    if figures["at_risk"] == 0 and figures["models"]:
        if figures["left_out"]:
            return ["  By the thresholds that can be met nothing has to be given up; the others are not met."]
        return ["  Nobody is at risk by the thresholds: nothing has to be given up."]
    limit = f"{100 * figures['suppression_limit']:g}%"
    if figures["levels"] is not None and figures["optimal"]:
        return [
            f"  Proven: of the {size} recodings none meets the thresholds with less loss than answer 1, with "
            f"at most {limit} left out ({checked:,} had to be counted out)."
        ]
    if figures["levels"] is not None:
        return [
            f"  Answer 1 is the best of {checked:,} recodings that were tried, of {size}; a better one may exist: "
            "raise time_limit, or limit levels."
        ]
    if figures["optimal"]:
        return [
            f"  None of the {size} allowed recodings meets the thresholds with at most {limit} of the records left "
            "out: allow more, or higher levels."
        ]
    return [f"  No answer in time, after {checked:,} of {size} recodings: raise time_limit, or limit levels."]


def _loss_in_words(figures: Mapping[str, Any]) -> str:
    """What the metric measures, and from where: losses of ``sweep`` start from exact values, whatever the config."""
    metric = METRICS[figures["metric"]]
    return f"{metric.words}, counted from {figures['counted_from']}" if metric.is_of_values else metric.words


def _answer_lines(number: int, answer: Mapping[str, Any], figures: Mapping[str, Any]) -> list[str]:
    n_left = "the others" if answer["suppressed"] is None else str(figures["records"] - answer["suppressed"])
    about = "about " if answer["suppressed"] is None else ""
    rescued = f"{count_text(answer['rescued'])} of {figures['at_risk']} records at risk are rescued"
    lines = [
        f"  {number}. {'; '.join(answer['titles'])}",
        f"     {_in_short(answer, figures)}",
        f"     {rescued}; {n_left} records are released; {_loss_in_words(figures)}: {about}{answer['loss']:.4g}.",
    ]
    if not answer["treatment"]:
        return lines
    steps = [f"         {json.dumps(step, ensure_ascii=False)}," for step in answer["treatment"]]
    return [*lines, '     "treatment": [', *steps, "     ],"]
