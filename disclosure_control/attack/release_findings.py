"""The findings about the release, each in a file of its own: figures, sentences, reasons to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

from disclosure_control.attack.alone.singling_out import singled_out
from disclosure_control.attack.attacked import Attacked
from disclosure_control.attack.dates.findings import DatedRows, moved_dates
from disclosure_control.attack.leaving import Leaving, ReleaseFinding
from disclosure_control.attack.search import attacked
from disclosure_control.attack.tells.hidden_columns import PeopleAsked
from disclosure_control.attack.tells.levels_asked import telling_of
from disclosure_control.attack.tells.telling import Telling
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import MASKED, Policy


@dataclass(frozen=True)
class ReleaseFindings:
    """All of them by their key in the JSON summary, in the order of the text."""

    singled_out: ReleaseFinding
    telling: ReleaseFinding
    attacked: ReleaseFinding
    moved_dates: ReleaseFinding

    @classmethod
    def of(
        cls,
        leaving: Leaving,
        dates: DatedRows | None = None,
        *,
        is_enough: Callable[[tuple[Reason, ...]], bool] = lambda _: False,
    ) -> Callable[[Policy], ReleaseFindings]:
        """Asked of what leaves, once for all readers; of a study, the calendar of the ``dates`` of all its rows.

        ``is_enough`` is asked of who is alone and what single facts tell: where that suffices, nothing is attacked.
        """
        asked = PeopleAsked.of(leaving)
        telling, shares = telling_of(leaving, asked)
        moved, alone = moved_dates(leaving, dates), singled_out(leaving)
        by_many = (
            (lambda _: ReleaseFinding())
            if is_enough((*alone(MASKED).reasons(), *telling(MASKED).reasons()))
            else attacked(leaving, asked, shares)
        )

        def told(policy: Policy) -> ReleaseFindings:
            of_dates = moved.for_reader(policy, leaving)
            return cls(alone(policy), telling(policy), by_many(policy), of_dates)

        return told

    @classmethod
    def first(cls, leaving: Leaving) -> Callable[[Policy], ReleaseFindings]:
        """Who is alone by what outsiders may know; nothing else is asked."""
        alone = singled_out(leaving)
        return lambda policy: replace(nothing_found(policy), singled_out=alone(policy))

    def _all(self) -> list[ReleaseFinding]:
        return [getattr(self, one.name) for one in fields(self)]

    @property
    def attempts(self) -> list[list[str]]:
        """One row for each hidden column and whatever gives it: how, for how many people, or why it was not asked."""
        alone = self.telling.told if isinstance(self.telling, Telling) else ()
        together = self.attacked.attempts if isinstance(self.attacked, Attacked) else ()
        return [*(one.row for one in alone), *(one.row for one in together)]

    def words(self) -> Iterator[str]:
        """The sentences of all."""
        return (sentence for one in self._all() for sentence in one.words())

    def reasons(self) -> tuple[Reason, ...]:
        """Why what leaves has to wait, gravest first."""
        return tuple(sorted(reason for one in self._all() for reason in one.reasons()))

    def not_looked_at(self) -> tuple[str, ...]:
        """Sentences on parts of the release that no finding examined."""
        return tuple(sentence for one in self._all() for sentence in one.not_looked_at())


def nothing_found(policy: Policy) -> ReleaseFindings:
    """Nothing was asked yet."""
    return ReleaseFindings(*(ReleaseFinding() for _ in fields(ReleaseFindings)))
