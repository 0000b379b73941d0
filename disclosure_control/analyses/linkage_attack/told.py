"""The findings of the step ``linkage_attack`` as in the JSON summary: counts and rates, no person and no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from disclosure_control.analyses.linkage_attack.rates import AttackRates, MaskedRate, Rate
from disclosure_control.basics.telling.plain import WHERE_FOUND


@dataclass(frozen=True)
class MethodTold:
    """What linkage by one method came to; without the truth there are claims alone."""

    claims: Rate
    pairs: AttackRates | None
    guesses: AttackRates | None

    def masked(self) -> MethodTold:
        """The same as it leaves the controller: few hits are masked."""
        claims = MaskedRate(self.claims.n_hits, self.claims.n)
        return replace(self, claims=claims, pairs=self.pairs and self.pairs.masked())


@dataclass(frozen=True)
class LinkageTold:
    """Linkage with one release by the columns that are ``known``, by method."""

    known: Sequence[str]
    methods: Mapping[str, MethodTold]


@dataclass(frozen=True)
class ReleaseAttacked:
    """The result of linkage with one release."""

    records: int
    removed: int
    linkage: LinkageTold


@dataclass(frozen=True)
class PeopleTold:
    """How many people the identified table names, and how many of them are in the pilot."""

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

    def masked(self) -> AttacksTold:
        """The same as it leaves the controller."""
        return replace(self, releases={name: _masked(found) for name, found in self.releases.items()})


def _masked(found: ReleaseAttacked) -> ReleaseAttacked:
    methods = {name: one.masked() for name, one in found.linkage.methods.items()}
    return replace(found, linkage=replace(found.linkage, methods=methods))
