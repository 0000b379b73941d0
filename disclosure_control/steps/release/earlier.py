"""This release beside an earlier one of the same pilot: what a reader of both finds out, in counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.attack.joined_releases import ToldByBoth, told_by_both
from disclosure_control.attack.tells.merged import MergedPackage
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.plain import INLINE
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Part, Sentence, Style
from disclosure_control.basics.telling.small_counts import Policy, count_text
from disclosure_control.basics.telling.words import listed
from disclosure_control.measures.two_releases import TwoReleases, compare_releases, shared_codes
from disclosure_control.release.package import opened_again
from disclosure_control.release.people import ReleasePeople, labels
from disclosure_control.release.settings import EarlierReleaseSettings
from disclosure_control.remedy.treatments.keys import Release, pseudonyms_of
from study.formats.files import find_domain_files
from study.formats.tables import SourceTable
from study.merge.reading import Read


@dataclass(frozen=True)
class BesideEarlier:
    """What both releases disclose together; ``stands_there``: per column, values gone now that the earlier one has.

    ``k`` is that of the config, ``inputs`` are the files that were read, with their SHA-256.
    """

    found: TwoReleases
    stands_there: Mapping[str, int]
    k: int
    inputs: Mapping[str, dict[str, object]]


def read_earlier(
    named: EarlierReleaseSettings, pilot_folder: Path, read: Read
) -> tuple[dict[str, SourceTable], dict[str, dict[str, object]]]:
    """The data sets of the earlier release, and its files. Raises ``FaultyInputError`` if there is none."""
    folder = pilot_folder / Path(named.folder).expanduser()
    paths = find_domain_files(folder).by_domain if folder.is_dir() else {}
    if not paths:
        raise FaultyInputError(
            "release['earlier']['folder']: found no domain file there; allowed: the folder released/ of an earlier "
            "run, as it was then"
        )
    tables = opened_again(folder, read)
    return tables, {f"earlier release: {table.file_name}": {"sha256": table.sha256} for table in tables.values()}


def beside_earlier(
    now: MergedPackage,
    earlier: MergedPackage,
    people: ReleasePeople,
    key: bytes,
    release: Release,
    inputs: Mapping[str, dict[str, object]],
) -> BesideEarlier:
    """Compare both releases person by person: the key and the name of the earlier ``release`` give its pseudonyms.

    Raises ``FaultyInputError`` where nobody of the earlier one is found among the people of the pilot.
    """
    of_earlier = pseudonyms_of(
        key, release, [str(label) for label in labels(people.ids)], as_numbers=people.are_numbers
    )
    person_now, person_earlier = (
        pd.Index(pseudonyms).get_indexer(pd.Index(merged.records.ids()))
        for pseudonyms, merged in ((people.pseudonyms, now), (of_earlier, earlier))
    )
    n_known = int((person_earlier >= 0).sum())
    if not n_known:
        raise FaultyInputError(
            f"release['earlier']: none of the {len(person_earlier)} people of the earlier release is one of this pilot "
            'under this key and the name of that release; give its name: {"folder": ..., "name": ...}. A release whose '
            "config named none cannot be compared: take earlier out, and name this release for the next one"
        )
    where = np.full(len(people.ids), -1, dtype=np.int64)
    where[person_earlier[person_earlier >= 0]] = np.flatnonzero(person_earlier >= 0)
    place = where[person_now]
    encoded = [
        {
            name: encode_column(values)
            for name in now.assessment.config.sensitive_features
            if (values := merged.text(name)) is not None
        }
        for merged in (now, earlier)
    ]
    sizes = (now.records.n_people, earlier.records.n_people)
    found = compare_releases(
        now.classes,
        earlier.classes,
        place,
        {name: shared_codes(encoded[0][name], encoded[1].get(name), sizes) for name in encoded[0]},
        now.assessment.config.K,
    )
    return BesideEarlier(found, _standing_there(now, earlier, place), now.assessment.config.K, inputs)


def _standing_there(now: MergedPackage, earlier: MergedPackage, place: np.ndarray) -> dict[str, int]:
    """Per column with a role, how many people in both have no value now and one in the earlier release."""
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

    def parts(self) -> Iterator[Part]:
        """What both releases disclose together."""
        yield Sentence("Disclosed to anyone who also has the earlier release", Style.HEADING)
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
    return ToldBesideEarlier(beside.k, told_by_both(policy, found), there)


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
            "recode as the earlier release did, for the same people; or see that nobody gets both",
        )
    ]
