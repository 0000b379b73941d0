"""The step ``recommend``: the recoding of least loss that meets the thresholds, and the few really different others.

It searches every allowed combination of the quasi-identifiers' levels for the one of least loss such that k, l and t
hold with at most a share of the records left out; with proof, if the search can finish in time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.remedy.treatments.recommendation import Recommendation
from disclosure_control.steps.recommend.by_threshold import by_thresholds
from disclosure_control.steps.recommend.pilot import PilotLattice, pilot_lattice
from disclosure_control.steps.recommend.report import recommend_sections, sections_outside
from disclosure_control.steps.recommend.settings import RecommendSettings
from disclosure_control.steps.recommend.short_list import (
    Trial,
    answers,
    holds_for_any_classes,
    other_questions,
    steps_of_level,
)
from disclosure_control.steps.recommend.told import ToldRecommendation, landscape_of, told_recommendation
from disclosure_control.steps.running import StepInput, StepResult, StepTold


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
    stop_at(faults)
    return {**pilot.lowest, **settings.fixed}, {**settings.max_level, **settings.fixed}


# ---------------------------------------------------------------- the step


def run_step(step: StepInput[RecommendSettings]) -> StepResult:
    """The best recoding and the short list, as figures, as a section of the report, and as a treatment to apply."""
    assessment, settings = step.assessment, step.settings
    pilot = pilot_lattice(assessment, settings.hierarchies, step.folder)
    pilot = replace(pilot, k=max(pilot.k, settings.at_least))
    lowest, highest = level_bounds(pilot, settings)
    trial = Trial(
        pilot=pilot,
        assessment=assessment,
        metric=settings.metric,
        weights=settings.weights,
        lowest=lowest,
        highest=highest,
        suppression_limit=0.0 if pilot.k > assessment.config.K else settings.suppression_limit,
        time_limit=settings.time_limit,
    )
    found, short_list = answers(trial, [] if step.is_trial else other_questions(trial))
    any_classes = holds_for_any_classes(trial, found)
    # Nobody reads more of a trial than its answer.
    driven_by = () if step.is_trial else by_thresholds(trial, found)
    places = None if step.is_trial else landscape_of(trial, short_list)
    treatment = short_list[0].treatment if found.best is not None else None

    def told(policy: Policy) -> ToldRecommendation:
        return told_recommendation(policy, trial, settings, found, short_list, any_classes, driven_by, places)

    return StepResult.told_by(
        lambda policy: StepTold(one := told(policy), recommend_sections(one)),
        outside=partial(sections_outside, told(MASKED)),
        inputs=pilot.inputs,
        outcome=Recommendation(
            treatment,
            {one.name: [steps_of_level(one, n) for n in range(one.n_levels)] for one in pilot.lattice.attributes},
        ),
    )
