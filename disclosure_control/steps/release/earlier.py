"""This release beside the earlier ones of the same pilot: what a reader of all finds out, in counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.attack.earlier import EarlierReleases
from disclosure_control.attack.tells.merged import MergedPackage
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column
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
    """The part ``earlier_release`` of the JSON summary, what all releases disclose together: small counts are null."""

    k: int
    people_in_both: int | None
    people_only_now: int | None
    people_only_earlier: int | None
    alone_by_both_together: int | None
    fewer_than_k_by_both_together: int | None
    values_follow: Mapping[str, int | None]
    values_that_stand_in_the_earlier: Mapping[str, int | None]
    people_held_back: int | None = 0

    def parts(self) -> Iterator[Part]:
        """What both releases disclose together."""
        yield Sentence("Disclosed to anyone who also has the earlier releases", Style.HEADING)
        if self.people_held_back != 0:
            n_held = people_told(self.people_held_back)
            yield Sentence(f"Held back until {self.k} of their class can leave together: {n_held}.")
        counts = (self.people_in_both, self.people_only_now, self.people_only_earlier)
        in_both, only_now, only_earlier = map(count_text, counts)
        n_alone, n_below = map(count_text, (self.alone_by_both_together, self.fewer_than_k_by_both_together))
        yield Sentence(
            f"People in both: {in_both}; only in this one: {only_now}; only in the earlier one: {only_earlier}."
        )
        yield Sentence(
            f"Alone by both together, but not by the person's latest release: {n_alone}; in a class of fewer than "
            f"{self.k} by both together, but not by that release: {n_below}."
        )
        if self.values_follow:
            values = listed(f"{name} {count_text(n)}" for name, n in self.values_follow.items())
            yield Sentence(f"Values that follow from both together: {values}.")
        there = self.values_that_stand_in_the_earlier
        if there:
            columns = listed(f"{column} {count_text(n)}" for column, n in there.items())
            yield Sentence(f"Values removed here that are in the earlier release: {columns}.")

    def found_out(self) -> list[str]:
        """Sentences on the people about whom all releases disclose more than each; [] if there are none."""
        found = {"are alone": self.alone_by_both_together}
        found[f"are in a class of fewer than {self.k}"] = self.fewer_than_k_by_both_together
        parts = [f"{people_told(n)} {said}" for said, n in found.items() if n != 0]
        return parts + [f"the {name} of {people_told(n)} follows" for name, n in self.values_follow.items() if n != 0]


def told_beside_earlier(policy: Policy, beside: BesideEarlier) -> ToldBesideEarlier:
    """The counts as the reader may see them.

    The people of each release are known, so a difference discloses a part; if nobody is in both, these parts are the
    releases.
    """
    found = beside.found
    parts = (found.in_both, found.only_now, found.only_earlier)
    are_masked = found.in_both > 0 and bool(policy.are_small(np.array(parts)).any())
    in_both, only_now, only_earlier = (None if are_masked else n for n in parts)
    of_release = (found.in_both + found.only_now, found.in_both + found.only_earlier)
    everybody = (found.n_people, *of_release)
    below = policy.told(found.fewer_than_k, *everybody)
    return ToldBesideEarlier(
        k=beside.k,
        people_in_both=in_both,
        people_only_now=only_now,
        people_only_earlier=only_earlier,
        alone_by_both_together=policy.told(found.alone, *everybody, *([] if below is None else [below])),
        fewer_than_k_by_both_together=below,
        values_follow={name: policy.told(n, *everybody) for name, n in found.values_follow.items()},
        values_that_stand_in_the_earlier={
            name: policy.told(n, found.in_both, *of_release) for name, n in beside.stands_there.items()
        },
        people_held_back=policy.told(beside.n_held_back, found.in_both, *of_release),
    )


def reasons_of_earlier(policy: Policy, beside: BesideEarlier) -> list[Reason]:
    """A reason if both releases together disclose more than each alone."""
    parts = told_beside_earlier(policy, beside).found_out()
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
