"""The findings of the step ``linkage_attack`` as a reader may see them: counts and rates, no person and no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.basics.telling.plain import WHERE_FOUND


@dataclass(frozen=True)
class MethodTold:
    """What linkage by one method came to; without the truth there are claims alone."""

    claims: Rate
    pairs: AttackRates | None
    guesses: AttackRates | None


@dataclass(frozen=True)
class ReleaseAttacked:
    """The result of linkage with one release of so many ``records`` by the columns that are ``known``, by method."""

    records: int
    removed: int
    known: Sequence[str]
    methods: Mapping[str, MethodTold]


@dataclass(frozen=True)
class PeopleTold:
    """How many people the identified table names, and how many of them are in the pilot; None where masked."""

    people: int
    in_pilot: int | None = field(default=None, metadata=WHERE_FOUND)
    control: int | None = field(default=None, metadata=WHERE_FOUND)
    truth_known: bool = False


@dataclass(frozen=True)
class AttacksTold:
    """All attacks, by release."""

    releases: Mapping[str, ReleaseAttacked]
    notes: Sequence[str]
    identified: PeopleTold
