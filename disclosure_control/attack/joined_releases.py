"""What an earlier release adds: who is alone by both together.

Asked here where people keep its pseudonyms, by the config; the masks and the words are those of any two releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.attack.leaving import EarlierRelease, FindingTold, Join, Leaving, ReleaseFinding
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn, encode_column, number_text
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.plain import INLINE
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_text, people_told
from disclosure_control.basics.telling.words import listed
from disclosure_control.measures.two_releases import TwoReleases, compare_releases, shared_codes
from disclosure_control.records.store import read_as_written

KEY = "treatment['join']"


@dataclass(frozen=True)
class ToldByBoth:
    """What two releases disclose together, as published: counts of few people are None."""

    people_in_both: int | None
    people_only_now: int | None
    people_only_earlier: int | None
    alone_by_both_together: int | None
    fewer_than_k_by_both_together: int | None
    values_follow: Mapping[str, int | None]

    def lines(self, k: str) -> list[str]:
        """The figures in sentences."""
        counts = (self.people_in_both, self.people_only_now, self.people_only_earlier)
        in_both, only_now, only_earlier = map(count_text, counts)
        n_alone, n_below = map(count_text, (self.alone_by_both_together, self.fewer_than_k_by_both_together))
        values = listed(f"{name} {count_text(n)}" for name, n in self.values_follow.items())
        return [
            f"People in both: {in_both}; only in this one: {only_now}; only in the earlier one: {only_earlier}.",
            f"Alone by both together, but not by the person's latest release: {n_alone}; in a class of fewer than {k} "
            f"by both together, but not by that release: {n_below}.",
            *([f"Values that follow from both together: {values}."] if self.values_follow else []),
        ]

    def found_out(self, k: str) -> list[str]:
        """Sentences on the people about whom both releases disclose more than each; [] if there are none."""
        found = {"are alone": self.alone_by_both_together}
        found[f"are in a class of fewer than {k}"] = self.fewer_than_k_by_both_together
        parts = [f"{people_told(n)} {said}" for said, n in found.items() if n != 0]
        return parts + [f"the {name} of {people_told(n)} follows" for name, n in self.values_follow.items() if n != 0]


def told_by_both(policy: Policy, found: TwoReleases) -> ToldByBoth:
    """What two releases disclose together, as published.

    The people of each release are known, so a difference discloses a part; if nobody is in both, these parts are the
    releases.
    """
    parts = (found.in_both, found.only_now, found.only_earlier)
    are_masked = found.in_both > 0 and bool(policy.are_small(np.array(parts)).any())
    in_both, only_now, only_earlier = (None if are_masked else n for n in parts)
    totals = (found.n_people, found.in_both + found.only_now, found.in_both + found.only_earlier)
    below = policy.told(found.fewer_than_k, *totals)
    return ToldByBoth(
        in_both,
        only_now,
        only_earlier,
        alone_by_both_together=policy.told(found.alone, *totals, *([] if below is None else [below])),
        fewer_than_k_by_both_together=below,
        values_follow={name: policy.told(n, *totals) for name, n in found.values_follow.items()},
    )


@dataclass(frozen=True)
class JoinedRelease(ReleaseFinding):
    """What this release and the one that it joins by pseudonym disclose together of the people of either."""

    release: str
    pilot: str | None
    quasi_identifiers_of_earlier: Sequence[str]
    k: float
    told: ToldByBoth = field(metadata=INLINE)

    def words(self) -> Iterator[str]:
        """Sentences on what both releases disclose together."""
        yield f"Disclosed to anyone who also has the earlier release {self.release}, which this one joins by pseudonym:"
        yield from self.told.lines(number_text(self.k))

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold where both together leave people below k, and one where nobody joins."""
        if self.told.people_in_both == 0:
            yield Reason(
                Gravity.NOT_DECIDED,
                f"This release should join {self.release}, but no pseudonym is in both.",
                'check the key, the name of the earlier release and the length of the pseudonyms, or remove "join"',
            )
        found = self.told.found_out(number_text(self.k))
        if found:
            yield Reason(
                Gravity.THRESHOLD_NOT_MET,
                f"Together with the release {self.release}, which it joins by pseudonym: {'; '.join(found)}.",
                'remove "join", so that the pseudonyms differ, or treat the quasi-identifiers as in that release',
            )


def read_earlier_release(join: Join | None, folder: Path) -> tuple[EarlierRelease | None, dict[str, dict[str, str]]]:
    """The earlier release and its file for the run's inputs; None where the config names none.

    Raises ``FaultyInputError`` where the file is not there, or no release of this tool: one row per pseudonym.
    """
    if join is None:
        return None, {}
    source, read = file_of_pilot(folder, join.file, KEY)
    table = read_as_written(source).frame
    if SUBJECT_COLUMN not in table:
        raise FaultyInputError(f"{KEY}: {join.file!r} has no column {SUBJECT_COLUMN}; name the file that was released")
    n_rows, n_ids = len(table), table[SUBJECT_COLUMN].nunique()
    if n_ids < n_rows:
        raise FaultyInputError(
            f"{KEY}: {join.file!r} has {n_rows} rows and {n_ids} distinct {SUBJECT_COLUMN}; allowed: one row per person"
        )
    return EarlierRelease(join, table), {join.file: read}


def joined_releases(leaving: Leaving) -> FindingTold:
    """What this release and the one that it joins disclose together of the people of either; None without a join."""
    if leaving.earlier is None:
        return lambda policy: ReleaseFinding()
    join, table = leaving.earlier.join, leaving.earlier.table
    if leaving.ids is None:
        raise FaultyInputError(f"{KEY}: {SUBJECT_COLUMN} is not released, so nothing joins; take the setting out")
    config = leaving.config
    people, people_earlier = (pd.Index(ids.astype("str")) for ids in (leaving.ids, table[SUBJECT_COLUMN]))
    names = [name for name in leaving.before.config.quasi_identifiers if name in table]
    sensitive = [name for name in config.sensitive_features if name in leaving.released]
    sizes = (leaving.n_people, len(table))
    found = compare_releases(
        _classes([leaving.released[name] for name in leaving.quasi_identifiers], leaving.n_people),
        _classes([encode_column(table[name]) for name in names], len(table)),
        people_earlier.get_indexer(people),
        {
            name: shared_codes(leaving.released[name], encode_column(table[name]) if name in table else None, sizes)
            for name in sensitive
        },
        config.K,
    )
    return lambda policy: JoinedRelease(join.release, join.pilot, names, config.K, told_by_both(policy, found))


def _classes(columns: Sequence[EncodedColumn], n: int) -> np.ndarray:
    """The equivalence class of each person (n,); a missing value is a value."""
    return number_rows([column.codes + 1 for column in columns], [len(column.labels) + 1 for column in columns], n)[0]
