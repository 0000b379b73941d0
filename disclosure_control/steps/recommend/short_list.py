"""The few really different answers to "what is the least I must give up?", each applied to the people of the pilot.

The search chooses the recodings to try; every figure of an answer comes from the treatments themselves, see
``tried_out``.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.words import capitalised
from disclosure_control.records.counted import CountedPeople
from disclosure_control.remedy.recodings.generalisations import Generalisation, Recoding
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.remedy.recodings.nodes import RollUp
from disclosure_control.remedy.recodings.search import SearchResult, Transformation, search
from disclosure_control.remedy.treatments.registry import TreatmentStep
from disclosure_control.remedy.treatments.treat_counted import TreatedCounts, treat_counted
from disclosure_control.steps.recommend.pilot import PilotLattice
from disclosure_control.steps.recommend.tried_out import AlikePeople, outcome_of


@dataclass(frozen=True)
class SearchQuestion:
    """The limits of a search: the share of records that may be left out, and the levels that are allowed."""

    title: str
    suppression_limit: float
    lowest: Mapping[str, int]
    highest: Mapping[str, int]


@dataclass(frozen=True)
class RecodingAnswer:
    """One way to meet the thresholds, with its results.

    ``treatment`` is the list for the config. ``n_suppressed`` records are left out; ``n_rescued`` were at risk
    before and are released without being at risk. ``at_risk`` counts, by model, the records that are still at risk
    (of the models that can be met), and ``holds`` says that there are none. ``loss`` is that of the metric in use.
    """

    titles: tuple[str, ...]
    levels: dict[str, int]
    words: str
    treatment: tuple[TreatmentStep, ...]
    loss: float
    n_suppressed: int
    n_rescued: int
    at_risk: dict[str, int]
    is_optimal: bool

    @property
    def holds(self) -> bool:
        """Whether nobody is still at risk."""
        return not any(self.at_risk.values())


@dataclass(frozen=True)
class Trial:
    """The pilot on which answers are tried, and the settings of ``recommend`` that matter here.

    ``time_limit``: seconds for all searches together; the main question may take half of them.
    """

    pilot: PilotLattice
    assessment: Assessment
    folder: Path
    metric: str
    weights: Mapping[str, float]
    lowest: Mapping[str, int]
    highest: Mapping[str, int]
    suppression_limit: float
    time_limit: float
    clock: Callable[[], float] = time.monotonic

    @cached_property
    def alike(self) -> AlikePeople:
        """The people in groups with the same outcome under every recoding."""
        return AlikePeople.of(self.pilot.people)

    @cached_property
    def counted(self) -> CountedPeople:
        """The people in the finest classes, to be recoded."""
        return CountedPeople.of(self.pilot.people, self.assessment.config)

    @cached_property
    def as_it_is(self) -> TreatedCounts:
        return self.treated([])

    def treated(self, steps: Sequence[TreatmentStep]) -> TreatedCounts:
        return treat_counted(self.counted, self.assessment.config, steps, self.folder)

    @property
    def asks_for_larger_classes(self) -> bool:
        """Whether classes of more people than K are asked for: then nobody is left out, as that is done by K."""
        return self.pilot.k > self.assessment.config.K

    @property
    def n_at_risk(self) -> int:
        """How many people are at risk without treatment, by the models that can be met."""
        flags = self.alike.at_risk(self.as_it_is, self.pilot.models).values()
        nobody = np.zeros(len(self.alike.people), dtype=bool)
        return int(self.alike.people[np.logical_or.reduce([nobody, *flags])].sum())

    def search(self, question: SearchQuestion, time_limit: float) -> SearchResult:
        """The answer of least loss; if that leaves out everybody, the best of those that keep somebody."""
        start = self.clock()
        found = self._search(question, time_limit, keeps_somebody=False)
        if found.best is None or found.best.n_suppressed < found.best.n_evaluated:
            return found
        return self._search(question, time_limit - (self.clock() - start), keeps_somebody=True)

    def _search(self, question: SearchQuestion, time_limit: float, keeps_somebody: bool) -> SearchResult:
        return search(
            self.pilot.lattice,
            self.pilot.requirements(question.suppression_limit, keeps_somebody),
            self.metric,
            self.weights,
            question.lowest,
            question.highest,
            time_limit,
            self.clock,
        )


def main_question(trial: Trial) -> SearchQuestion:
    """The least loss within the limit of records that may be left out."""
    limit = f"{100 * trial.suppression_limit:g}%"
    title = "Least loss, nobody left out" if trial.suppression_limit == 0 else f"Least loss, up to {limit} left out"
    return SearchQuestion(title, trial.suppression_limit, trial.lowest, trial.highest)


def other_questions(trial: Trial) -> list[list[SearchQuestion]]:
    """Further questions; from each list the answer of least loss is taken."""
    names = [attribute.name for attribute in trial.pilot.lattice.attributes]
    limit, bounds = trial.suppression_limit, (trial.lowest, trial.highest)
    lowest = {name: trial.lowest.get(name, 0) for name in names}
    heights = {attribute.name: attribute.height for attribute in trial.pilot.lattice.attributes}
    one_only = [
        SearchQuestion(
            "Change one attribute only", limit, lowest, {**lowest, name: trial.highest.get(name, heights[name])}
        )
        for name in names
        if trial.highest.get(name, heights[name]) > lowest[name]
    ]
    if trial.asks_for_larger_classes:
        return [one_only]
    return [
        [SearchQuestion("Nobody left out", 0.0, *bounds)],
        one_only,
        [SearchQuestion("Recode as little as possible, leave out what is at risk", 1.0, lowest, lowest)],
        [SearchQuestion("Least loss, however many are left out", 1.0, *bounds)],
    ]


def answers(trial: Trial) -> tuple[SearchResult, list[RecodingAnswer]]:
    """The search result of the main question, and the short list without repeated answers.

    The first answer is that to the main question, where there is one. A question without an answer in time is left
    out.
    """
    if not trial.pilot.n_evaluated:
        return SearchResult(None, True, 0, trial.pilot.lattice.size), []
    first, start = main_question(trial), trial.clock()
    found = trial.search(first, trial.time_limit / 2)
    searched: list[list[tuple[SearchQuestion, SearchResult]]] = []
    for questions in other_questions(trial):
        searched.append([])
        for question in questions:
            left = start + trial.time_limit - trial.clock()
            if left > 0:
                searched[-1].append((question, trial.search(question, left)))
    found = _best_of_all(trial, found, [one for several in searched for _, one in several])
    chosen: dict[tuple[int, ...], tuple[list[str], SearchResult]] = {}
    for several in [[(first, found)], *searched]:
        _choose(chosen, several)
    tried_out = [_tried_out(trial, tuple(titles), one) for titles, one in chosen.values()]
    if found.best is not None and not _is_as_predicted(found.best, tried_out[0]):
        found = dataclasses.replace(found, is_optimal=False)
    return found, tried_out


def _best_of_all(trial: Trial, found: SearchResult, others: Sequence[SearchResult]) -> SearchResult:
    """``found``; if unproven, any better result of the others, within the same levels, that the main question
    allows.
    """
    if found.is_optimal:
        return found
    requirements, roll_up = trial.pilot.requirements(trial.suppression_limit), RollUp(trial.pilot.lattice)
    best, n_checked = found.best, found.n_checked + sum(one.n_checked for one in others)
    for other in (one.best for one in others if one.best is not None):
        is_allowed = other.n_suppressed <= requirements.most_suppressed(roll_up.node(other.levels))
        if is_allowed and (best is None or other.loss < best.loss):
            best = other
    return (
        found
        if best is found.best
        else SearchResult(best, False, min(n_checked, found.lattice_size), found.lattice_size)
    )


def holds_for_any_classes(trial: Trial, found: SearchResult, time_limit: float) -> bool:
    """Whether ``found`` is proven whichever classes a recoding leaves out, not only for those that the rule chooses.

    t compares a class with those who are kept, so which classes fail depends on which others are left out: of many
    possible sets of classes the treatment ``suppress_records`` takes one (``failing_classes``). k and l alone need no
    such choice: classes that fail them have to be left out, and the others need not be. So the least loss without t
    is a lower bound for every set of classes, where a loss only grows with the records left out.
    """
    pilot = trial.pilot
    if not found.is_optimal or trial.suppression_limit * pilot.lattice.n_people + 1e-9 < 1:  # nobody may be left out
        return found.is_optimal
    if not METRICS[trial.metric].on(pilot.lattice, weights_of(trial)).grows_with_suppression:
        return False
    without_t = [one for one in pilot.criteria if not one.definition.needs_own_value]
    if len(without_t) == len(pilot.criteria):
        return True
    relaxed = dataclasses.replace(trial, pilot=dataclasses.replace(pilot, criteria=tuple(without_t)))
    bound = relaxed.search(main_question(relaxed), time_limit)
    if bound.best is None or found.best is None:
        return bound.is_optimal and bound.best is None
    return bound.is_optimal and bound.best.loss >= found.best.loss - 1e-9 * max(1.0, abs(found.best.loss))


def _is_as_predicted(best: Transformation, answer: RecodingAnswer) -> bool:
    """Whether the treatments had the effect on the records that the search predicted; otherwise it proves nothing."""
    is_near = np.isclose(answer.loss, best.loss, rtol=1e-9, atol=1e-9)
    return answer.holds and answer.n_suppressed == best.n_suppressed and bool(is_near)


def _choose(
    chosen: dict[tuple[int, ...], tuple[list[str], SearchResult]], found: Sequence[tuple[SearchQuestion, SearchResult]]
) -> None:
    """Add the answer of least loss among the searched questions to ``chosen``, by its levels."""
    usable = [(question, one, one.best) for question, one in found if one.best is not None]
    if usable:
        question, one, best = min(usable, key=lambda entry: (entry[2].loss, entry[2].n_suppressed))
        chosen.setdefault(best.levels, ([], one))[0].append(question.title)


# ---------------------------------------------------------------- an answer, tried out


def _tried_out(trial: Trial, titles: tuple[str, ...], found: SearchResult) -> RecodingAnswer:
    assert found.best is not None
    pilot, levels = trial.pilot, found.best.levels
    steps = treatment_steps(pilot, levels, found.best.n_suppressed > 0)
    outcome = outcome_of(trial.alike, trial.as_it_is, trial.treated(steps), pilot.models)
    return RecodingAnswer(
        titles=titles,
        levels={attribute.name: level for attribute, level in zip(pilot.lattice.attributes, levels, strict=True)},
        words=in_words(pilot, levels),
        treatment=tuple(steps),
        loss=_loss(trial, levels, outcome.gone),
        n_suppressed=outcome.n_suppressed,
        n_rescued=outcome.n_rescued,
        at_risk=outcome.at_risk,
        is_optimal=found.is_optimal,
    )


def _loss(trial: Trial, levels: tuple[int, ...], gone: np.ndarray) -> float:
    """The loss of all people, evaluated or not, where those of the finest classes that are ``gone`` lose everything."""
    pilot = trial.pilot
    node = RollUp(pilot.lattice).node(levels)
    suppressed = np.zeros(node.n_classes, dtype=bool)
    suppressed[node.class_of_combination[gone]] = True
    return METRICS[trial.metric].on(pilot.lattice, weights_of(trial)).loss(node, suppressed)


def weights_of(trial: Trial) -> list[float]:
    """The weight of each attribute of the lattice."""
    return [trial.weights.get(attribute.name, 1.0) for attribute in trial.pilot.lattice.attributes]


# ---------------------------------------------------------------- recodings as config lines and in words


def treatment_steps(pilot: PilotLattice, levels: Sequence[int], suppresses: bool) -> list[TreatmentStep]:
    """The list under ``treatment`` in a config: recodings, then dropped columns, then suppression."""
    steps: list[TreatmentStep] = []
    dropped: list[str] = []
    for attribute, level in zip(pilot.lattice.attributes, levels, strict=True):
        recoding = attribute.levels[level].recoding
        if recoding.kind == "drop":
            dropped.append(attribute.name)
        else:
            steps += _RECODINGS[recoding.kind](attribute.name, recoding)
    if dropped:
        steps.append(TreatmentStep.of({"method": "drop_column", "columns": dropped}))
    if suppresses and pilot.models:
        steps.append(TreatmentStep.of({"method": "suppress_records", "models": list(pilot.models)}))
    return steps


def _bins(name: str, recoding: Recoding) -> list[TreatmentStep]:
    return [TreatmentStep.of({"method": "bins", "column": name, **recoding.settings})]


def _hierarchy(name: str, recoding: Recoding) -> list[TreatmentStep]:
    first = (
        []
        if recoding.after_bins is None
        else [TreatmentStep.of({"method": "bins", "column": name, **recoding.after_bins})]
    )
    return [*first, TreatmentStep.of({"method": "hierarchy", "column": name, **recoding.settings})]


_RECODINGS: dict[str, Callable[[str, Recoding], list[TreatmentStep]]] = {
    "none": lambda name, recoding: [],
    "bins": _bins,
    "hierarchy": _hierarchy,
    "rare": lambda name, recoding: [TreatmentStep.of({"method": "group", "column": name, **recoding.settings})],
}


def in_words(pilot: PilotLattice, levels: Sequence[int]) -> str:
    """The recoding in a sentence without values of people: only edges, levels, and names of columns and files."""
    changed = [
        _WORDS[attribute.levels[level].recoding.kind](attribute, level)
        for attribute, level in zip(pilot.lattice.attributes, levels, strict=True)
    ]
    dropped = [
        attribute.name
        for attribute, level in zip(pilot.lattice.attributes, levels, strict=True)
        if attribute.levels[level].recoding.kind == "drop"
    ]
    if dropped:
        changed.append(f"drop {', '.join(dropped)}")
    sentence = "; ".join(words for words in changed if words)
    return capitalised(sentence) if sentence else "Recode nothing"


def levels_in_words(attribute: Generalisation) -> list[str]:
    """The name of each level of a quasi-identifier, from the finest, for a reader who chooses one."""
    return [_LEVELS[level.recoding.kind](attribute, number) for number, level in enumerate(attribute.levels)]


def _bins_in_words(attribute: Generalisation, level: int) -> str:
    verb = "release" if level == 0 else "recode"
    return f"{verb} {attribute.name} in {_intervals(attribute, level)}"


def _intervals(attribute: Generalisation, level: int) -> str:
    edges: Any = attribute.levels[level].recoding.settings["edges"]
    return ", ".join(f"{number_text(low)}--{number_text(high)}" for low, high in pairwise(edges))


def _hierarchy_in_words(attribute: Generalisation, level: int) -> str:
    source = attribute.levels[level].recoding.settings.get("file") or "its built hierarchy"
    return f"recode {attribute.name} to level {level} of {source}"


def _rare_in_words(attribute: Generalisation, level: int) -> str:
    fewer_than = attribute.levels[level].recoding.settings["rarer_than"]
    return f"join values of {attribute.name} with fewer than {fewer_than} people"


_WORDS: dict[str, Callable[[Generalisation, int], str]] = {
    "none": lambda attribute, level: "",
    "bins": _bins_in_words,
    "hierarchy": _hierarchy_in_words,
    "rare": _rare_in_words,
    "drop": lambda attribute, level: "",  # named together at the end
}

_LEVELS: dict[str, Callable[[Generalisation, int], str]] = {
    "none": lambda attribute, level: "as it is",
    "bins": _intervals,
    "hierarchy": lambda attribute, level: f"level {level} of its hierarchy",
    "rare": lambda attribute, level: (
        f"values of fewer than {attribute.levels[level].recoding.settings['rarer_than']} people joined"
    ),
    "drop": lambda attribute, level: "not released",
}
