"""What an earlier release adds, where the config says that people keep its pseudonyms: who is alone by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cdisc.formats.files import read_domain_file
from disclosure_control.assess.combined_dataset import AS_WRITTEN, SUBJECT_COLUMN
from disclosure_control.basics.columns import encode_column, number_text
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.reasons import Gravity, Reason
from disclosure_control.basics.small_counts import HAND_TO_HAND, count_text, people_on_screen
from disclosure_control.basics.words import people_text
from disclosure_control.findings.leaving import EarlierRelease, Join, Leaving
from disclosure_control.measures.joined_releases import JoinedRisk, joined_risk

KEY = "treatment['join']"


def read_earlier_release(join: Join | None, folder: Path) -> tuple[EarlierRelease | None, dict[str, dict[str, str]]]:
    """The earlier release and its file for the run's inputs; None where the config names none.

    Raises ``FaultyInputError`` where the file is not there, or no release of this tool: one row per pseudonym.
    """
    if join is None:
        return None, {}
    source, read = file_of_pilot(folder, join.file, KEY)
    table = read_domain_file(source, AS_WRITTEN).frame
    if SUBJECT_COLUMN not in table:
        raise FaultyInputError(f"{KEY}: {join.file!r} has no column {SUBJECT_COLUMN}; name the file that was released")
    n_rows, n_ids = len(table), table[SUBJECT_COLUMN].nunique()
    if n_ids < n_rows:
        raise FaultyInputError(
            f"{KEY}: {join.file!r} has {n_rows} rows and {n_ids} distinct {SUBJECT_COLUMN}; allowed: one row per person"
        )
    return EarlierRelease(join, table), {join.file: read}


def figures(leaving: Leaving) -> dict[str, Any]:
    """Who is alone and below k by the quasi-identifiers of both releases; {} where none joins."""
    if leaving.earlier is None:
        return {}
    join, table = leaving.earlier.join, leaving.earlier.table
    if SUBJECT_COLUMN not in leaving.treated.frame:
        raise FaultyInputError(f"{KEY}: {SUBJECT_COLUMN} is not released, so nothing joins; take the setting out")
    names = [name for name in leaving.before.config.quasi_identifiers if name in table]
    found = joined_risk(
        leaving.treated.frame[SUBJECT_COLUMN].astype("str").tolist(),
        [leaving.released[name] for name in leaving.quasi_identifiers],
        table[SUBJECT_COLUMN].astype("str").tolist(),
        [encode_column(table[name]) for name in names],
        leaving.treated.config.K,
    )
    return {
        "release": join.release,
        "pilot": join.pilot,
        "quasi_identifiers_of_earlier": names,
        "k": leaving.treated.config.K,
        **_told(found),
    }


def _told(found: JoinedRisk) -> dict[str, int | None]:
    """The counts as they may be told beside each other: who is below k here is so by both, which takes in who is alone.

    Those of this release by itself are totals of the pilot.
    """
    beside = found.n_people, found.n_below_k_here, found.n_alone_here
    return {
        "n_people": found.n_people,
        "n_in_both": HAND_TO_HAND.told(found.n_in_both, found.n_people),
        "n_alone": HAND_TO_HAND.told(found.n_alone, *beside, found.n_below_k),
        "n_below_k": HAND_TO_HAND.told(found.n_below_k, *beside),
        "n_alone_here": found.n_alone_here,
        "n_below_k_here": found.n_below_k_here,
    }


def words(found: Mapping[str, Any]) -> Iterator[str]:
    """What both releases tell together beside what this one tells."""
    if not found:
        return
    people, k = people_text(found["n_people"]), number_text(found["k"])
    n_in_both, n_below_k, n_alone = (count_text(found[name]) for name in ("n_in_both", "n_below_k", "n_alone"))
    yield (
        f"Joined by pseudonym with the earlier release {found['release']}: {n_in_both} of {people} are in it. "
        f"By the quasi-identifiers of both, and by who is in the earlier one, {n_below_k} are below k = {k} and "
        f"{n_alone} alone; by those of this release {found['n_below_k_here']} and {found['n_alone_here']}."
    )


def reasons(found: Mapping[str, Any]) -> Iterator[Reason]:
    """A reason to hold where both together leave people below k, and one where nobody joins."""
    if not found:
        return
    if found["n_in_both"] == 0:
        yield Reason(
            Gravity.NOT_DECIDED,
            f"This release shall join {found['release']}, and nobody of it is in that file.",
            'check the key, the name of the earlier release and the length of the pseudonyms, or take "join" out',
        )
    if found["n_below_k"] != 0:
        yield Reason(
            Gravity.THRESHOLD_NOT_MET,
            f"Together with the release {found['release']}, which it joins by pseudonym, "
            f"{people_on_screen(found['n_below_k'])} of {people_text(found['n_people'])} are below "
            f"k = {number_text(found['k'])}.",
            'take "join" out, so that the pseudonyms are others, or treat the quasi-identifiers as in that release',
        )
