"""Linkability: two parts of what is known of a person, put together through the release.

One attacker knows some attributes of a person, another one knows others. Where the released record nearest by the first
set is also the nearest by the second, the release links the two parts. Source: Giomi et al. 2023,
doi:10.56553/popets-2023-0055, section 4.2, with one neighbour.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.codebook import Codebook
from disclosure_control.analyses.linkage_attack.kinds import (
    DEFAULT_ATTACKS,
    N_ATTACKS,
    AttackKind,
    AttackPart,
    AttackScene,
)
from disclosure_control.analyses.linkage_attack.nearest import (
    ReleasedKinds,
    nearest_kinds,
    released_kinds,
    unread_columns,
)
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.analyses.linkage_attack.told import AttackTold
from disclosure_control.basics.settings.fields import setting
from disclosure_control.basics.settings.kinds import COLUMNS, Place

CELLS_AT_ONCE = 20_000_000


def link_parts(
    released: pd.DataFrame,
    people: pd.DataFrame,
    one: Sequence[str],
    other: Sequence[str],
    control: pd.DataFrame | None = None,
    codebook: Codebook | None = None,
) -> AttackRates:
    """Chance that the nearest record by the attributes ``one`` and that by ``other`` are the same, over the people.

    Where several records are equally near, each side picks one evenly, and the chance that both pick the same counts.
    ``codebook``: what is known of the treatment. The baseline picks two records at random. Rates are in [0, 1], larger
    is riskier.
    """
    attack = _linked(released, people, one, other, codebook)
    against = None if control is None else _linked(released, control, one, other, codebook)
    guess = Rate(len(people) / max(len(released), 1), len(people))
    kinds = released_kinds(released, [*one, *other], codebook)
    unread = tuple(unread_columns(kinds, people)) if len(released) else ()
    return AttackRates(attack, guess, against, True, n_unread=len(people) if unread else 0, unread=unread)


def _linked(
    released: pd.DataFrame,
    people: pd.DataFrame,
    one: Sequence[str],
    other: Sequence[str],
    codebook: Codebook | None,
) -> Rate:
    if not len(released) or not len(people):
        return Rate(0, len(people))
    sides = [released_kinds(released, names, codebook) for names in (one, other)]
    near = [nearest_kinds(kinds, people) for kinds in sides]
    n_near = [
        np.bincount(person, kinds.classes.size[kind], len(people))
        for (person, kind), kinds in zip(near, sides, strict=True)
    ]
    common = np.zeros(len(people))
    for person, record in _records_of(*near[0], sides[0]):
        # Records near by the one set that are near by the other one, too.
        n_kinds = sides[1].classes.n_classes
        wanted = person * np.int64(n_kinds) + sides[1].classes.class_of_record[record]
        held = near[1][0] * np.int64(n_kinds) + near[1][1]  # rising, as the pairs come by person and kind
        place = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
        common += np.bincount(person[held[place] == wanted], minlength=len(people))
    return Rate(math.fsum(common / (n_near[0] * n_near[1])), len(people))


def _records_of(person: np.ndarray, kind: np.ndarray, kinds: ReleasedKinds) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of a person and a record from pairs of a person and a kind of record, some at a time."""
    size = kinds.classes.size
    order = np.argsort(kinds.classes.class_of_record, kind="stable")
    first = np.cumsum(size) - size
    ends = np.cumsum(size[kind])
    part = (ends - 1) // CELLS_AT_ONCE
    for start, stop in itertools.pairwise([0, *(np.flatnonzero(np.diff(part)) + 1), len(kind)]):
        n = size[kind[start:stop]]
        within = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        yield np.repeat(person[start:stop], n), order[np.repeat(first[kind[start:stop]], n) + within]


# ---------------------------------------------------------------- the kind of attack


@dataclass(frozen=True)
class LinkabilitySettings(AttackPart):
    """The two parts of what is known of a person: columns that ``one`` attacker knows, and those of the ``other``."""

    one: tuple[str, ...] = setting(COLUMNS, "what one attacker knows")
    other: tuple[str, ...] = setting(COLUMNS, "what another one knows")
    n_attacks: int = setting(N_ATTACKS, "people who are attacked", DEFAULT_ATTACKS)

    @property
    def columns_used(self) -> tuple[str, ...]:
        return self.one + self.other

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Columns that both know."""
        for name in sorted(set(self.one) & set(self.other)):
            yield f"{place}: column {name!r} is in both one and other; leave it in one of them"


def _attack(scene: AttackScene, settings: LinkabilitySettings) -> tuple[dict[str, AttackTold], list[str]]:
    one, notes = scene.released(settings.one, "Linkability")
    other, more = scene.released(settings.other, "Linkability")
    if not one or not other:
        return {}, notes + more
    people = scene.people(settings.n_attacks)
    notes = notes + more
    rates = link_parts(scene.release.frame, people, one, other, scene.control, scene.codebook)
    told = {f"{', '.join(one)} with {', '.join(other)}": AttackTold(rates)}
    return told, notes + rates.notes("Linkability")


LINKABILITY = AttackKind("Linkability: people of whom two parts are put together", _attack)
