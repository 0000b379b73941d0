"""This release beside the earlier ones of the same pilot: what a reader of all finds out, in counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.attack.earlier import EarlierReleases
from disclosure_control.attack.joined_releases import ToldByBoth, told_by_both
from disclosure_control.attack.tells.merged import MergedPackage
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column
from disclosure_control.basics.telling.plain import INLINE
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Part, Sentence, Style
from disclosure_control.basics.telling.small_counts import Policy, count_text, people_told
from disclosure_control.basics.telling.words import listed
from disclosure_control.measures.two_releases import TwoReleases, compare_releases, shared_codes
from disclosure_control.release.people import ReleasePeople


@dataclass(frozen=True)
class BesideEarlier:
    """What all releases disclose together; ``stands_there``: per column, values gone now that an earlier one has.

    ``k`` is that of the config, ``inputs`` are the files that were read, with their SHA-256. ``n_held_back`` people
    wait for others of their class.
    """

    found: TwoReleases
    stands_there: Mapping[str, int]
    k: int
    inputs: Mapping[str, dict[str, object]]
    n_held_back: int = 0


def beside_earlier(
    now: MergedPackage, earlier: EarlierReleases, people: ReleasePeople, n_held_back: int = 0
) -> BesideEarlier:
    """Compare this release with all earlier ones together, person by person."""
    where = np.full(len(people.ids), -1, dtype=np.int64)
    where[earlier.person[earlier.person >= 0]] = np.flatnonzero(earlier.person >= 0)
    place = where[pd.Index(people.pseudonyms).get_indexer(pd.Index(now.records.ids()))]
    config, sizes = now.assessment.config, (now.records.n_people, len(earlier.person))
    sensitive = {
        name: shared_codes(encode_column(values), _encoded(earlier.text(name)), sizes)
        for name in config.sensitive_features
        if (values := now.text(name)) is not None
    }
    found = compare_releases(now.classes, earlier.classes, place, sensitive, config.K)
    return BesideEarlier(found, _standing_there(now, earlier, place), config.K, earlier.inputs, n_held_back)


def _encoded(column: pd.Series | None) -> EncodedColumn | None:
    return None if column is None else encode_column(column)


def _standing_there(now: MergedPackage, earlier: EarlierReleases, place: np.ndarray) -> dict[str, int]:
    """Per column with a role, how many people in both have no value now and one in an earlier release."""
    there = np.flatnonzero(place >= 0)
    config = now.assessment.config
    found = {}
    for name in (*config.quasi_identifiers, *config.sensitive_features):
        released, before = now.text(name), earlier.text(name)
        if released is not None and before is not None:
            is_gone, stood = released.isna().to_numpy()[there], before.notna().to_numpy()[place[there]]
            found[name] = int((is_gone & stood).sum())
    return {name: n for name, n in found.items() if n}


@dataclass(frozen=True)
class ToldBesideEarlier:
    """The part ``earlier_release`` of the JSON summary: counts of few people are null."""

    k: int
    told: ToldByBoth = field(metadata=INLINE)
    values_that_stand_in_the_earlier: Mapping[str, int | None]
    people_held_back: int | None = 0

    def parts(self) -> Iterator[Part]:
        """What both releases disclose together."""
        yield Sentence("Disclosed to anyone who also has the earlier releases", Style.HEADING)
        if self.people_held_back != 0:
            n_held = people_told(self.people_held_back)
            yield Sentence(f"Held back until {self.k} of their class can leave together: {n_held}.")
        for line in self.told.lines(str(self.k)):
            yield Sentence(line)
        there = self.values_that_stand_in_the_earlier
        if there:
            columns = listed(f"{column} {count_text(n)}" for column, n in there.items())
            yield Sentence(f"Values removed here that are in the earlier release: {columns}.")


def told_beside_earlier(policy: Policy, beside: BesideEarlier) -> ToldBesideEarlier:
    """The counts as the reader may see them."""
    found = beside.found
    totals = (found.in_both, found.in_both + found.only_now, found.in_both + found.only_earlier)
    there = {name: policy.told(n, *totals) for name, n in beside.stands_there.items()}
    n_held_back = policy.told(beside.n_held_back, *totals)
    return ToldBesideEarlier(beside.k, told_by_both(policy, found), there, n_held_back)


def reasons_of_earlier(policy: Policy, beside: BesideEarlier) -> list[Reason]:
    """A reason if both releases together disclose more than each alone."""
    parts = told_by_both(policy, beside.found).found_out(str(beside.k))
    if beside.stands_there:
        parts.append(f"values removed here are in the earlier release ({listed(beside.stands_there)})")
    if not parts:
        return []
    return [
        Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"Anyone who also has the earlier release learns from both together: {'; '.join(parts)}.",
            "recode as the earlier releases did, by fixed edges and for the same people; or see that nobody gets both",
        )
    ]
