"""Other ways to hold than the proposed one, each tried whole and ranked by what the study's own tables lose.

A way is a recoding of ``recommend``, and where rare terms are counted: within the classes or in the whole study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from disclosure_control.basics.settings.changes import ConfigChange, applied, lines_to_paste
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.words import capitalised, counted, listed

MOST_RECODINGS, MOST_SHOWN = 3, 3
_RECOMMENDED = {"method": "recommended"}
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
class RecodingTaken:
    """A recoding that meets the thresholds: what it gives up in ``words``, and its ``steps`` for the config."""

    words: str
    steps: Sequence[Mapping[str, Any]] = field(repr=False)


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
    def rank(self) -> tuple[int, int, int, float]:
        """Ways with fewer reasons to hold come first, then those that are fitter for use and lose less.

        A reason that lines of the config answer counts more: by these lines the way would not stay what it is.
        """
        n_answered = sum(bool(reason.changes) for reason in self.reasons)
        return len(self.reasons), n_answered, self.use.rank, self.lost

    @property
    def verdict(self) -> str:
        """The verdict in a word, with the gravest reason."""
        return f"Hold: {self.reasons[0].sentence}" if self.reasons else "May leave."


def ways_of(literal: Mapping[str, Any], recodings: Sequence[RecodingTaken]) -> Iterator[Way]:
    """The config as it is, then its other ways: six at most. The first of the ``recodings`` is the recommended one."""
    yield Way("As proposed", ())
    rare = literal.get("release", {}).get("rare_terms")
    today = rare.get("within", "study") if isinstance(rare, Mapping) else None
    treatment = literal.get("treatment", [])
    steps = list(treatment.get("steps", []) if isinstance(treatment, Mapping) else treatment)
    taken = list(recodings[:MOST_RECODINGS]) if _RECOMMENDED in steps else []
    for number, recoding in enumerate(taken or [None]):
        for within in _WITHIN if today else [None]:
            words, changes = [], []
            if recoding is not None and number:
                words.append(recoding.words)
                own = [new for step in steps for new in (recoding.steps if step == _RECOMMENDED else [step])]
                changes.append(ConfigChange.to(("treatment", "steps"), [dict(step) for step in own]))
            if within is not None and within != today:
                words.append(_WITHIN[within])
                changes.append(ConfigChange.to(("release", "rare_terms", "within"), within))
            if changes:
                yield Way("; ".join(words), tuple(changes))


def ways_tried(
    literal: Mapping[str, Any], ways: Iterable[Way], run: Callable[[Mapping[str, Any]], Tried], tables: Sequence[str]
) -> list[WayTried]:
    """The ways, best first, by the ``tables`` that matter; () for all of them. What the files refuse is left out.

    ``run`` publishes nothing. A way by which nothing can leave has no tables, and is left out, too.
    """
    found = []
    for way in ways:
        try:
            tried = run(applied(literal, way.changes))
        except FaultyInputError:
            continue
        if tried.use is not None:
            found.append(WayTried(way, tried.reasons, tried.use, tried.use.lost_of(tables)))
    return sorted(found, key=lambda one: one.rank)


def ways_in_words(literal: Mapping[str, Any], found: Sequence[WayTried], tables: Sequence[str]) -> Iterator[str]:
    """The best ways as lines for the screen: what each loses, and the lines that choose it."""
    of = listed(tables) if tables else "all tables of the study"
    yield f"Ways to hold, by what {of} lose; {counted(len(found), 'way')} tried:"
    for number, one in enumerate(found[:MOST_SHOWN], start=1):
        yield f"  {number}. {capitalised(one.way.words)}. Fit for use: {one.use.answer}; tables lose {one.lost:.0%}."
        yield f"     {one.use.loses}"
        yield f"     {one.verdict}"
        if one.way.changes:
            yield f"     To choose it: {lines_to_paste(literal, one.way.changes)}"
