"""The findings about the release, each in a file of its own: figures, sentences, reasons to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.leaving.files_that_tell import files_that_tell
from disclosure_control.leaving.joined_releases import joined_releases
from disclosure_control.leaving.leaving import Leaving
from disclosure_control.leaving.moved_dates import DatedRows, moved_dates
from disclosure_control.leaving.release_finding import ReleaseFinding
from disclosure_control.leaving.singling_out import singled_out
from disclosure_control.leaving.telling import columns_that_tell


@dataclass(frozen=True)
class ReleaseFindings:
    """All of them by their key in the JSON summary, in the order of the text."""

    singled_out: ReleaseFinding
    telling: ReleaseFinding
    rows_telling: ReleaseFinding
    moved_dates: ReleaseFinding
    joined: ReleaseFinding

    @classmethod
    def of(cls, leaving: Leaving, dates: DatedRows | None = None) -> Callable[[Policy], ReleaseFindings]:
        """Asked of what leaves, once for all readers; of a study, the calendar of the ``dates`` of all its rows."""
        telling = columns_that_tell(leaving)
        rows_telling = files_that_tell(leaving, telling.told)
        moved, joined = moved_dates(leaving, dates), joined_releases(leaving)
        alone = singled_out(leaving)

        def told(policy: Policy) -> ReleaseFindings:
            found = (telling.for_reader(policy, leaving), rows_telling(policy), moved.for_reader(policy, leaving))
            return cls(alone(policy), *found, joined(policy))

        return told

    def _all(self) -> list[ReleaseFinding]:
        return [getattr(self, one.name) for one in fields(self)]

    def words(self) -> Iterator[str]:
        """The sentences of all."""
        return (sentence for one in self._all() for sentence in one.words())

    def reasons(self) -> tuple[Reason, ...]:
        """Why what leaves has to wait, gravest first."""
        return tuple(sorted(reason for one in self._all() for reason in one.reasons()))

    def not_looked_at(self) -> tuple[str, ...]:
        """Sentences on parts of the release that no finding examined."""
        return tuple(sentence for one in self._all() for sentence in one.not_looked_at())
