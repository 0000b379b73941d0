"""The findings of the step ``linkage_attack`` as in the JSON summary: counts and rates, no person and no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from disclosure_control.analyses.linkage_attack.linkage import KnowledgeLevel
from disclosure_control.analyses.linkage_attack.rates import AttackRates, MaskedRate, Rate
from disclosure_control.basics.telling.plain import INLINE, WHERE_FOUND


@dataclass(frozen=True)
class AttackTold:
    """What came of one attack, and ``further`` figures and settings that it has."""

    rates: AttackRates = field(metadata=INLINE)
    further: Mapping[str, object] = field(default_factory=dict, metadata=INLINE)


@dataclass(frozen=True)
class MethodTold:
    """What linkage by one method came to; without the truth there are claims alone."""

    claims: Rate
    below_threshold: int
    pairs: AttackRates | None
    guesses: AttackRates | None
    by_knowledge: Sequence[KnowledgeLevel]


@dataclass(frozen=True)
class LinkageTold:
    """Linkage with one release by the columns that are ``known``, by method."""

    known: Sequence[str]
    methods: Mapping[str, MethodTold]


@dataclass(frozen=True)
class ReleaseAttacked:
    """The results of every attack on one release; interval disclosure by the columns that it is about."""

    records: int
    removed: int
    linkage: LinkageTold | None = field(metadata=WHERE_FOUND)
    interval_disclosure: Mapping[str, AttackTold] | None = field(default=None, metadata=WHERE_FOUND)


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
    identified: PeopleTold | None = field(default=None, metadata=WHERE_FOUND)

    def masked(self) -> AttacksTold:
        """The same as it leaves the controller: few hits are masked, and sets of columns are not there."""
        return replace(self, releases={name: _masked(found) for name, found in self.releases.items()})


def _masked(found: ReleaseAttacked) -> ReleaseAttacked:
    intervals = found.interval_disclosure and {
        name: replace(one, rates=one.rates.masked()) for name, one in found.interval_disclosure.items()
    }
    linkage = found.linkage
    if linkage is not None:
        linkage = replace(linkage, methods={name: _masked_method(one) for name, one in linkage.methods.items()})
    return replace(found, interval_disclosure=intervals, linkage=linkage)


def _masked_method(found: MethodTold) -> MethodTold:
    """Without ``by_knowledge``: rates of many overlapping sets would give small counts."""
    return replace(
        found,
        claims=MaskedRate(found.claims.n_hits, found.claims.n),
        pairs=found.pairs and found.pairs.masked(),
        by_knowledge=(),
    )
