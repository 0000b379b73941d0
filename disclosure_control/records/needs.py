"""What a part of a run needs all records at once for, as it declares before the run: only memory has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Needed:
    """``what`` of a config needs all records at once, and ``otherwise``, in words: how to do without it.

    ``why`` gives a further reason, where there is one.
    """

    what: str
    otherwise: str = "take the key out of the config for this run"
    why: str = "needs all records in memory"


def no_records(settings: object, config: object) -> list[Needed]:
    """What a step needs that uses classes and their counts alone, or no data."""
    return []


def faults_of_needs(needed: Iterable[Needed]) -> list[str]:
    """A fault for each need where a run has not all records in memory, with the remedy."""
    return [
        f"{one.what}: {one.why}, and this run works from disk; {one.otherwise}, or use --engine memory on a machine "
        "with enough memory"
        for one in needed
    ]
