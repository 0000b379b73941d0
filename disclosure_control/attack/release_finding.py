"""The interface of every finding about the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import Policy


@dataclass(frozen=True)
class ReleaseFinding:
    """Something found out about what leaves: its fields are plain numbers and names. This one found nothing."""

    def words(self) -> Iterable[str]:
        """Sentences of the report."""
        return ()

    def reasons(self) -> Iterable[Reason]:
        """Why what leaves has to wait."""
        return ()

    def not_looked_at(self) -> Iterable[str]:
        """Sentences on what was not searched in the released data, for readers of the verdict only."""
        return ()


# What was found, once, as the reader of a policy may see it.
FindingTold = Callable[[Policy], ReleaseFinding]
