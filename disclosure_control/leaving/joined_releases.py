"""What an earlier release adds: who is alone by both together.

Asked here where people keep its pseudonyms, by the config; the masks and the words are those of any two releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn, encode_column, number_text
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text, people_told
from disclosure_control.basics.telling.words import listed
from disclosure_control.leaving.leaving import EarlierRelease, Join, Leaving
from disclosure_control.measures.two_releases import TwoReleases, compare_releases, shared_codes
from disclosure_control.records.store import read_as_written

KEY = "treatment['join']"


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


def figures(leaving: Leaving) -> dict[str, Any]:
    """What this release and the one that it joins tell together of the people of either; {} where none joins."""
    if leaving.earlier is None:
        return {}
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
    return {
        "release": join.release,
        "pilot": join.pilot,
        "quasi_identifiers_of_earlier": names,
        "k": config.K,
        **told_of_both(found),
    }


def _classes(columns: Sequence[EncodedColumn], n: int) -> np.ndarray:
    """The equivalence class of each person (n,); a missing value is a value."""
    return number_rows([column.codes + 1 for column in columns], [len(column.labels) + 1 for column in columns], n)[0]


def told_of_both(found: TwoReleases) -> dict[str, Any]:
    """What two releases tell together, as it may be told: counts of few people are None.

    The people of each release are known, so one part tells the others; where nobody is in both, the parts are these.
    """
    parts = {"people_in_both": found.in_both, "people_only_now": found.only_now}
    parts["people_only_earlier"] = found.only_earlier
    are_masked = found.in_both > 0 and bool(HAND_TO_HAND.are_small(np.array(list(parts.values()))).any())
    totals = (found.n_people, found.in_both + found.only_now, found.in_both + found.only_earlier)
    below = HAND_TO_HAND.told(found.fewer_than_k, *totals)
    alone = HAND_TO_HAND.told(found.alone, *totals, *([] if below is None else [below]))
    return {
        **{name: None if are_masked else n for name, n in parts.items()},
        "alone_by_both_together": alone,
        "fewer_than_k_by_both_together": below,
        "values_follow": {name: HAND_TO_HAND.told(n, *totals) for name, n in found.values_follow.items()},
    }


def lines_on_both(told: Mapping[str, Any], k: str) -> list[str]:
    """The figures of ``told_of_both`` in sentences."""
    names = ("people_in_both", "people_only_now", "people_only_earlier", *COUNTED)
    in_both, only_now, only_earlier, n_alone, n_below = (count_text(told[name]) for name in names)
    follow = told["values_follow"]
    values = listed(f"{name} {count_text(n)}" for name, n in follow.items())
    return [
        f"people in both: {in_both}; only in this one: {only_now}; only in the earlier one: {only_earlier}.",
        f"alone by both together, and not by the one that a person is in last: {n_alone}; fewer than {k} alike by both "
        f"together, and more by that one: {n_below}.",
        *([f"values that follow from both together: {values}."] if follow else []),
    ]


def found_out(told: Mapping[str, Any], k: str) -> list[str]:
    """Of whom both tell more than each, in words; [] where that is nobody."""
    words = dict(zip(COUNTED, ("are alone", f"are fewer than {k} alike"), strict=True))
    parts = [f"{people_told(told[name])} {said}" for name, said in words.items() if told[name] != 0]
    follow = told["values_follow"]
    return parts + [f"the {name} of {people_told(n)} follows" for name, n in follow.items() if n != 0]


COUNTED = ("alone_by_both_together", "fewer_than_k_by_both_together")


def words(found: Mapping[str, Any]) -> Iterator[str]:
    """What both releases tell together."""
    if found:
        yield f"Joined by pseudonym with the earlier release {found['release']}, for whoever has both:"
        yield from (f"{line[0].upper()}{line[1:]}" for line in lines_on_both(found, number_text(found["k"])))


def reasons(found: Mapping[str, Any]) -> Iterator[Reason]:
    """A reason to hold where both together leave people below k, and one where nobody joins."""
    if not found:
        return
    if found["people_in_both"] == 0:
        yield Reason(
            Gravity.NOT_DECIDED,
            f"This release shall join {found['release']}, and nobody of it is in that file.",
            'check the key, the name of the earlier release and the length of the pseudonyms, or take "join" out',
        )
    told = found_out(found, number_text(found["k"]))
    if told:
        yield Reason(
            Gravity.THRESHOLD_NOT_MET,
            f"Together with the release {found['release']}, which it joins by pseudonym: {'; '.join(told)}.",
            'take "join" out, so that the pseudonyms are others, or treat the quasi-identifiers as in that release',
        )
