"""Other ways to hold than the proposed one, each tried whole and ranked by what the study's own tables lose.

A way is a recoding of the quasi-identifiers, and where rare terms are counted: within classes or in the whole study.
Recodings are searched from the recommended one on, one column up at a time: within larger classes, fewer terms, visits
and outcomes are those of few people.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from config import parse_config
from disclosure_control.basics.settings.changes import ConfigChange, applied, lines_to_paste
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.words import capitalised, counted, listed
from disclosure_control.draft.edits import with_changes
from disclosure_control.draft.proposal import Proposal

MOST_TRIED, MOST_SHOWN = 12, 3
NO_USE = "no"  # the answer whether it is fit for use
LEAST_GAIN = 0.01  # of the share lost: who gives up more of a column has to keep so much more of the tables
AS_PROPOSED = "As proposed"
_RECOMMENDED = {"method": "recommended"}
_FIXED = ("recommend", "fixed")
_LIMIT = ("recommend", "suppression_limit")
_WITHIN = {"class": "rare terms counted within each class", "study": "rare terms counted in the whole study"}


class StudyLosses(Protocol):
    """What a recipient loses, by the tables of the study: ``fit_for_use`` finds it."""

    @property
    def answer(self) -> str:
        """Whether it is fit for use."""

    @property
    def rank(self) -> int:
        """The place of the answer, the best one first."""

    @property
    def n_vanished(self) -> int:
        """Categories of the main tables of which nothing is left."""

    @property
    def loses(self) -> str:
        """The sentence on it."""

    def lost_of(self, names: Sequence[str]) -> float:
        """The share that is lost of the tables of these names; () for all tables."""


class Tried(Protocol):
    """What a run by a config finds: the reasons to hold, and whether what leaves is fit for use."""

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The reasons to hold; none where it may leave."""

    @property
    def use(self) -> StudyLosses | None:
        """Whether it is fit for use; None where nothing was compared."""


@dataclass(frozen=True)
class RecodingLevels:
    """The recommended recoding: by column its level, and the words of all its levels from the finest on."""

    taken: Mapping[str, int]
    words: Mapping[str, Sequence[str]] = field(repr=False)

    @classmethod
    def of(cls, figures: Mapping[str, Any]) -> RecodingLevels | None:
        """The recommended recoding of the figures of the step ``recommend``; None where there is none."""
        taken = figures["levels"]
        return None if taken is None else cls(taken, figures["landscape"]["levels"])

    def in_words(self) -> str:
        """The columns that leave coarser than they are."""
        told = [f"{name}: {self.words[name][level]}" for name, level in self.taken.items() if level]
        return "; ".join(told) or "nothing recoded"

    def one_up(self, stays: Mapping[str, Any]) -> Iterator[RecodingLevels]:
        """The recodings that are coarser by one level of one column, which is none of those that stay as they are."""
        for name, level in self.taken.items():
            if name not in stays and level + 1 < len(self.words[name]):
                yield dataclasses.replace(self, taken={**self.taken, name: level + 1})


@dataclass(frozen=True)
class Way:
    """A way to hold in ``words``; by its ``changes`` of the config, none of the one that is proposed."""

    words: str
    changes: tuple[ConfigChange, ...]


@dataclass(frozen=True)
class WayTried:
    """A way after its run: the ``reasons`` to hold that are left, and how much of the weighed tables is ``lost``."""

    way: Way
    reasons: tuple[Reason, ...]
    use: StudyLosses
    lost: float

    @property
    def rank(self) -> tuple[int, int, int, int, float]:
        """Ways with fewer reasons to hold come first, then those that are fitter for use, keep more categories of the
        main tables, and lose less.

        A reason that lines of the config answer counts more: by these lines the way would not stay what it is.
        """
        n_answered = sum(bool(reason.changes) for reason in self.reasons)
        return len(self.reasons), n_answered, self.use.rank, self.use.n_vanished, self.lost

    def is_better_than(self, other: WayTried) -> bool:
        """Whether it holds with fewer reasons, is fitter for use, or keeps clearly more of the tables."""
        *first, lost = self.rank
        *of_other, lost_by_other = other.rank
        return first < of_other or (first == of_other and lost + LEAST_GAIN <= lost_by_other)

    def is_better_by(self, other: WayTried) -> str:
        """What makes it better than another one."""
        lost = f"they lose {self.lost:.0%}, without this line {other.lost:.0%}"
        if len(self.reasons) < len(other.reasons):
            return f"this one has the fewest reasons to hold; the tables of the study: {lost}"
        if self.use.rank < other.use.rank:
            return f"by this one the result is fit for use: {self.use.answer}; the tables of the study: {lost}"
        return f"this one keeps the tables of the study best: {lost}"

    @property
    def verdict(self) -> str:
        """The verdict in a word, with the gravest reason."""
        return f"Hold: {self.reasons[0].sentence}" if self.reasons else "May leave."


# The verdict of a run by a config, which publishes nothing; the words say what is tried.
Run = Callable[[Mapping[str, Any], str], Tried]


@dataclass
class _Trials:
    """The ways that were tried so far, up to a number of them; one that the files refuse counts as tried."""

    literal: Mapping[str, Any]
    run: Run
    tables: Sequence[str]
    n_tried: int = 0
    found: list[WayTried] = field(default_factory=list)

    def of(self, way: Way) -> WayTried | None:
        """The way tried; None if the files refuse it, if nothing leaves by it, or if enough were tried."""
        if self.n_tried == MOST_TRIED:
            return None
        self.n_tried += 1
        try:
            tried = self.run(applied(self.literal, way.changes), f"Trying a way to hold: {way.words}")
        except FaultyInputError:
            return None
        if tried.use is None:
            return None
        self.found.append(WayTried(way, tried.reasons, tried.use, tried.use.lost_of(self.tables)))
        return self.found[-1]


def ways_tried(
    literal: Mapping[str, Any], recoding: RecodingLevels | None, run: Run, tables: Sequence[str]
) -> list[WayTried]:
    """The ways, best first, by the ``tables`` that matter; () for all of them. What the files refuse is left out.

    First comes the config as it is, then the other ways to count rare terms, and a recoding that leaves nobody out.
    From the first one on, each column of the ``recoding`` that the config applies goes a level up; the best of these
    ways is the next to start from, until none is better.
    """
    trials = _Trials(literal, run, tables)
    here = trials.of(Way(AS_PROPOSED, ()))
    for other in _other_counts(literal) if here is not None else ():
        trials.of(other)
    stays = {**literal.get("recommend", {}).get("fixed", {}), **literal.get("recommend", {}).get("max_level", {})}
    recoding = recoding if _RECOMMENDED in _steps_of(literal) else None
    if here is not None and recoding is not None and literal.get("recommend", {}).get(_LIMIT[1]) != 0:
        trials.of(Way("nobody left out by the recoding", (ConfigChange.to(_LIMIT, 0),)))
    while here is not None and recoding is not None:
        tried = [(one, trials.of(_way_of(one, stays))) for one in recoding.one_up(stays)]
        better = [(found, one) for one, found in tried if found is not None and found.is_better_than(here)]
        if not better:
            break
        here, recoding = min(better, key=lambda pair: pair[0].rank)
    return sorted(trials.found, key=lambda one: one.rank)


def _steps_of(literal: Mapping[str, Any]) -> list[Any]:
    treatment = literal.get("treatment", [])
    return list(treatment.get("steps", []) if isinstance(treatment, Mapping) else treatment)


def _other_counts(literal: Mapping[str, Any]) -> Iterator[Way]:
    """The ways that count rare terms otherwise than the config: elsewhere, and so that nobody's quasi-identifiers are
    hidden for them; none for a config that leaves them.
    """
    rare, place = literal.get("release", {}).get("rare_terms"), ("release", "rare_terms")
    if not isinstance(rare, Mapping):
        return
    alone = {name: value for name, value in rare.items() if name != "keep"}
    within = "study" if rare.get("within", "study") == "class" else "class"
    yield Way(_WITHIN[within], (ConfigChange.to(place, {**alone, "within": within}),))
    if "keep" in rare:
        yield Way("nobody's quasi-identifiers hidden", (ConfigChange.to(place, alone),))


def _way_of(recoding: RecodingLevels, stays: Mapping[str, Any]) -> Way:
    fixed = {name: level for name, level in recoding.taken.items() if name not in stays or level == stays[name]}
    return Way(recoding.in_words(), (ConfigChange.to(_FIXED, fixed),))


def best_way(found: Sequence[WayTried]) -> WayTried | None:
    """The best of the ways that were tried, if it is better than the config as it is; else None."""
    as_it_is = [one for one in found if not one.way.changes]
    return found[0] if as_it_is and found[0].is_better_than(as_it_is[0]) else None


def proposed_by_ways(
    proposal: Proposal, name: str, recoding: RecodingLevels | None, run: Run, tables: Sequence[str]
) -> tuple[Proposal, list[str]]:
    """The ``proposal`` with the lines of the best way, and what is said of all ways; ``name`` of the config's file."""
    literal = parse_config(proposal.text, name)
    found = ways_tried(literal, recoding, run, tables)
    if (best := best_way(found)) is not None:
        as_it_is = next(one for one in found if not one.way.changes)
        why = f"of {counted(len(found), 'way')} tried, {best.is_better_by(as_it_is)}"
        changes = tuple(dataclasses.replace(change, why=why) for change in best.way.changes)
        proposal = dataclasses.replace(
            proposal,
            text=with_changes(proposal.text, changes),
            changes=(*proposal.changes, *changes),
            left=tuple(reason for reason in best.reasons if not reason.changes),
            is_tried=True,
        )
    return proposal, list(ways_in_words(literal, parse_config(proposal.text, name), found, tables))


def ways_in_words(
    literal: Mapping[str, Any], proposed: Mapping[str, Any], found: Sequence[WayTried], tables: Sequence[str]
) -> Iterator[str]:
    """The best ways as lines for the screen: what each loses, and the lines that choose it in place of the ``proposed``
    config. ``literal``: the config from which the ways start.
    """
    of = listed(tables) if tables else "all tables of the study"
    yield f"Ways to hold, by what {of} lose; {counted(len(found), 'way')} tried:"
    for number, one in enumerate(found[:MOST_SHOWN], start=1):
        way = applied(literal, one.way.changes)
        is_proposed = way == proposed
        words = "As it stands without that" if not one.way.changes and not is_proposed else one.way.words
        yield f"  {number}. {capitalised(words)}. Fit for use: {one.use.answer}; tables lose {one.lost:.0%}."
        yield f"     {one.use.loses}"
        yield f"     {one.verdict}{' This one is proposed.' if is_proposed else ''}"
        if not is_proposed:
            changes = [ConfigChange.to((key,), value) for key, value in way.items()]
            yield f"     To choose it: {lines_to_paste(proposed, changes)}"
