"""One way to hold: what it changes in the config, what the study loses by it, and what a trial of it found."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from disclosure_control.basics.settings.changes import ConfigChange, dropped_by
from disclosure_control.basics.telling.reasons import Reason, found_of
from disclosure_control.basics.telling.words import counted
from disclosure_control.remedy.treatments.registry import TreatmentStep
from disclosure_control.report.trials import Weighed

NO_USE = "no"  # the answer whether it is fit for use
LEAST_GAIN = 0.01  # of the share lost: who gives up more of a column has to keep so much more of the tables


@dataclass(frozen=True)
class RecodingLevels:
    """The recommended recoding: by column its level, and the words of all its levels from the finest on."""

    taken: Mapping[str, int]
    words: Mapping[str, Sequence[str]] = field(repr=False)
    by_level: Mapping[str, Sequence[Sequence[TreatmentStep]]] = field(default_factory=dict, repr=False)

    def in_words(self) -> str:
        """The columns that leave coarser than they are."""
        told = [f"{name}: {self.words[name][level]}" for name, level in self.taken.items() if level]
        return "; ".join(told) or "nothing recoded"

    def neighbours(self, stays: Mapping[str, Any], fine: Collection[str] = ()) -> Iterator[RecodingLevels]:
        """The recodings that differ by one level of one column, which is none of those that stay as they are. None
        drops one that should stay ``fine``.
        """
        for name, level in self.taken.items():
            for other in (level + 1, level - 1):
                n_levels = len(self.words[name]) - (name in fine and other > level)
                if name not in stays and 0 <= other < n_levels:
                    yield dataclasses.replace(self, taken={**self.taken, name: other})

    def dropped(self, taken: Mapping[str, int]) -> list[str]:
        """The columns that are not released at these levels."""
        return [
            name for name, level in taken.items() if len(self.words[name]) > 1 and level + 1 == len(self.words[name])
        ]


@dataclass(frozen=True)
class Way:
    """A way to hold in ``words``; by its ``changes`` of the config, none of the one that is proposed."""

    words: str
    changes: tuple[ConfigChange, ...]
    taken: Mapping[str, int] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class WayWeighed:
    """A way as it was ``weighed``: ``lost`` of the tables that matter, ``n_given_up`` columns that should stay fine.

    ``reasons`` to hold are those of its trial, None without
    one: of a run if it ``is_whole``, else of a first look.
    """

    way: Way
    weighed: Weighed
    lost: float
    n_given_up: int = 0
    reasons: tuple[Reason, ...] | None = None
    stay_fine: tuple[str, ...] = ()
    is_whole: bool = False

    @property
    def is_tried(self) -> bool:
        """Whether its verdict is known: a first look alone finds reasons, but does not say that it may leave."""
        return self.is_whole or bool(self.reasons)

    @property
    def losses(self) -> tuple[int, int, int, float]:
        """Ways that keep the columns which should stay fine come first, then those that are fitter for use, keep more
        categories of the main tables, and lose less.
        """
        return self.n_given_up, self.weighed.use.rank, self.weighed.use.n_vanished, self.lost

    @property
    def rank(self) -> tuple[bool, bool, bool, int, bool, tuple[int, int, int, float]]:
        """Of ways that were tried: what may leave comes first, then what lines of the config answer, then what holds
        for fewer reasons; of these, the config as it is.
        """
        reasons = found_of(self.reasons or ())
        is_bent = bool(reasons) and bool(self.way.changes)
        return not self.is_tried, bool(reasons), not self.is_answered, len(reasons), is_bent, self.losses

    def loses_less_than(self, other: WayWeighed) -> bool:
        """Whether it is fitter for use, or keeps clearly more of the tables."""
        *first, lost = self.losses
        *of_other, lost_by_other = other.losses
        return first < of_other or (first == of_other and lost + LEAST_GAIN <= lost_by_other)

    @property
    def is_answered(self) -> bool:
        """Whether it may leave, or lines that give up no column which should stay fine answer every reason of its run.

        Lines that answer a first look would make another way of it.
        """
        return self.is_whole and self.has_lines

    @property
    def has_lines(self) -> bool:
        """Whether lines that drop no column which should stay fine answer every reason."""
        return all(
            any(not dropped_by(one).intersection(self.stay_fine) for one in reason.changes)
            for reason in self.reasons or ()
        )

    def with_lines(self, lines: Sequence[ConfigChange]) -> WayWeighed:
        """The way with further lines, by which nobody looked at it."""
        words = f"{self.way.words}, with {counted(len(lines), 'further line')}"
        way = dataclasses.replace(self.way, words=words, changes=(*self.way.changes, *lines))
        return dataclasses.replace(self, way=way, reasons=None)

    def is_better_by(self, other: WayWeighed) -> str:
        """What makes it better than another one."""
        lost = f"they lose {self.lost:.0%}, without this line {other.lost:.0%}"
        if len(found_of(self.reasons or ())) < len(found_of(other.reasons or ())):
            return f"this one has the fewest reasons to hold; the tables of the study: {lost}"
        if self.n_given_up < other.n_given_up:
            return f"this one keeps the columns that weigh most; the tables of the study: {lost}"
        if self.weighed.use.rank < other.weighed.use.rank:
            return f"by this one the result is fit for use: {self.weighed.use.answer}; the tables of the study: {lost}"
        return f"this one keeps the tables of the study best: {lost}"

    @property
    def verdict(self) -> str:
        """The verdict in a word, with the gravest reason."""
        if not self.is_tried:
            return "Not tried: whether it may leave is found by a run."
        return next((f"Hold: {one.sentence}" for one in found_of(self.reasons or ())), "May leave.")
