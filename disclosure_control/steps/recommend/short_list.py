"""The few really different answers to "what is the least I must give up?"."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.words import capitalised
from disclosure_control.remedy.recodings.generalisations import Generalisation
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.remedy.recodings.search import SearchResult, search
from disclosure_control.remedy.treatments.registry import TreatmentStep
from disclosure_control.steps.recommend.pilot import PilotLattice


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

    ``treatment`` is the list for the config. ``n_suppressed`` records are left out. ``loss`` is that of the metric in
    use.
    """

    titles: tuple[str, ...]
    levels: dict[str, int]
    words: str
    treatment: tuple[TreatmentStep, ...]
    loss: float
    n_suppressed: int
    is_optimal: bool


@dataclass(frozen=True)
class Trial:
    """The pilot on which answers are tried, and the settings of ``recommend`` that matter here.

    ``time_limit``: seconds for all searches together; the main question may take half of them.
    """

    pilot: PilotLattice
    assessment: Assessment
    metric: str
    weights: Mapping[str, float]
    lowest: Mapping[str, int]
    highest: Mapping[str, int]
    suppression_limit: float
    time_limit: float
    clock: Callable[[], float] = time.monotonic

    @property
    def asks_for_larger_classes(self) -> bool:
        """Whether classes of more people than K are asked for: then nobody is left out, as that is done by K."""
        return self.pilot.k > self.assessment.config.K

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


def answers(trial: Trial, others: Sequence[Sequence[SearchQuestion]]) -> tuple[SearchResult, list[RecodingAnswer]]:
    """The search result of the main question, and the short list with the ``others``, without repeated answers.

    The first answer is that to the main question, where there is one. A question without an answer in time is left
    out.
    """
    if not trial.pilot.n_evaluated:
        return SearchResult(None, True, 0, trial.pilot.lattice.size), []
    first, start = main_question(trial), trial.clock()
    found = trial.search(first, trial.time_limit / 2)
    searched: list[list[tuple[SearchQuestion, SearchResult]]] = []
    for questions in others:
        searched.append([])
        for question in questions:
            left = start + trial.time_limit - trial.clock()
            if left > 0:
                searched[-1].append((question, trial.search(question, left)))
    chosen: dict[tuple[int, ...], tuple[list[str], SearchResult]] = {}
    for several in [[(first, found)], *searched]:
        _choose(chosen, several)
    return found, [_answer(trial.pilot, tuple(titles), one) for titles, one in chosen.values()]


def holds_for_any_classes(trial: Trial, found: SearchResult) -> bool:
    """Whether ``found`` is proven whichever classes a recoding leaves out, not only for those that the rule chooses.

    t compares a class with those who are kept, so which classes fail depends on which others are left out: of many
    possible sets of classes the treatment ``suppress_records`` takes one (``failing_classes``). k and l alone need no
    such choice: classes that fail them have to be left out, and the others need not be.
    """
    if not found.is_optimal or trial.suppression_limit * trial.pilot.lattice.n_people + 1e-9 < 1:  # nobody may go
        return found.is_optimal
    depends_on_others = any(one.definition.needs_own_value for one in trial.pilot.criteria)
    return (
        not depends_on_others
        and METRICS[trial.metric].on(trial.pilot.lattice, weights_of(trial)).grows_with_suppression
    )


def _choose(
    chosen: dict[tuple[int, ...], tuple[list[str], SearchResult]], found: Sequence[tuple[SearchQuestion, SearchResult]]
) -> None:
    """Add the answer of least loss among the searched questions to ``chosen``, by its levels."""
    usable = [(question, one, one.best) for question, one in found if one.best is not None]
    if usable:
        question, one, best = min(usable, key=lambda entry: (entry[2].loss, entry[2].n_suppressed))
        chosen.setdefault(best.levels, ([], one))[0].append(question.title)


def _answer(pilot: PilotLattice, titles: tuple[str, ...], found: SearchResult) -> RecodingAnswer:
    assert found.best is not None
    levels = found.best.levels
    return RecodingAnswer(
        titles=titles,
        levels={attribute.name: level for attribute, level in zip(pilot.lattice.attributes, levels, strict=True)},
        words=in_words(pilot, levels),
        treatment=tuple(treatment_steps(pilot, levels, found.best.n_suppressed > 0)),
        loss=found.best.loss,
        n_suppressed=found.best.n_suppressed,
        is_optimal=found.is_optimal,
    )


def weights_of(trial: Trial) -> list[float]:
    """The weight of each attribute of the lattice."""
    return [trial.weights.get(attribute.name, 1.0) for attribute in trial.pilot.lattice.attributes]


# ---------------------------------------------------------------- recodings as config lines and in words


def treatment_steps(pilot: PilotLattice, levels: Sequence[int], suppresses: bool) -> list[TreatmentStep]:
    """The list under ``treatment`` in a config: recodings, then dropped columns, then suppression."""
    each = list(zip(pilot.lattice.attributes, levels, strict=True))
    steps = [step for attribute, level in each for step in steps_of_level(attribute, level)]
    dropped = dropped_at(pilot, levels)
    steps += [TreatmentStep.of({"method": "drop_column", "columns": dropped})] if dropped else []
    suppresses = suppresses and bool(pilot.models)
    return steps + suppresses * [TreatmentStep.of({"method": "suppress_records", "models": list(pilot.models)})]


def dropped_at(pilot: PilotLattice, levels: Sequence[int]) -> list[str]:
    """The columns that are not released at these levels."""
    each = zip(pilot.lattice.attributes, levels, strict=True)
    return [attribute.name for attribute, level in each if attribute.levels[level].recoding.kind == "drop"]


def steps_of_level(attribute: Generalisation, level: int) -> list[TreatmentStep]:
    """The steps that recode a column to one of its levels; none of one that is dropped, or stays."""
    recoding = attribute.levels[level].recoding
    steps = [] if recoding.after_bins is None else [("bins", recoding.after_bins)]
    steps += [(_METHODS[recoding.kind], recoding.settings)] if recoding.kind in _METHODS else []
    return [TreatmentStep.of({"method": method, "column": attribute.name, **further}) for method, further in steps]


_METHODS = {"bins": "bins", "hierarchy": "hierarchy", "rare": "group"}  # by kind of recoding; the others need no step


def in_words(pilot: PilotLattice, levels: Sequence[int]) -> str:
    """The recoding in a sentence without values of people: only edges, levels, and names of columns and files."""
    each = list(zip(pilot.lattice.attributes, levels, strict=True))
    changed = [_WORDS[attribute.levels[level].recoding.kind](attribute, level) for attribute, level in each]
    dropped = dropped_at(pilot, levels)
    changed += [f"drop {', '.join(dropped)}"] if dropped else []
    return capitalised("; ".join(words for words in changed if words) or "recode nothing")


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
