"""What a part of a run needs of the records, as it declares it before the run, and whether a store gives that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class AtOnce(IntEnum):
    """How much of the records is needed together; a store that gives one of these gives those before it as well."""

    COUNTS = 0  # classes, distinct values, and how many people have each
    BLOCKS = 1  # records in the order of the file, block by block
    PERSONS = 2  # all rows of one person in every domain
    EVERYBODY = 3  # all records at once


@dataclass(frozen=True)
class Needed:
    """``what`` of a config needs how much, and ``otherwise``, in words: how to do without it.

    ``why`` gives a further reason, where there is one.
    """

    what: str
    at_once: AtOnce = AtOnce.EVERYBODY
    otherwise: str = "take the key out of the config for this run"
    why: str = "needs all records in memory"


def faults_of_needs(needed: Iterable[Needed], given: AtOnce) -> list[str]:
    """A fault for each need beyond what a store has ``given``, with the remedy."""
    return [
        f"{one.what}: {one.why}, and this run works from disk; {one.otherwise}, or use --engine memory on a machine "
        "with enough memory"
        for one in needed
        if one.at_once > given
    ]
