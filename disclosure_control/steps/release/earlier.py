"""This release beside an earlier one of the same pilot: what whoever has both finds out, in counts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdisc.formats.files import find_domain_files
from cdisc.merge.settings import MergeSettings
from cdisc.merge.subject_ids import SubjectIdRule
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import encode_column
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.reasons import Gravity, Reason
from disclosure_control.basics.small_counts import HAND_TO_HAND, count_text, people_told
from disclosure_control.basics.words import listed
from disclosure_control.measures.two_releases import TwoReleases, compare_releases
from disclosure_control.release.package import merged_again, opened_again
from disclosure_control.release.people import People, labels
from disclosure_control.steps.release.settings import EarlierRelease
from disclosure_control.treatments.keys import Release, pseudonyms_of


@dataclass(frozen=True)
class Merged:
    """A package as door 1 merges it: ``frame`` (n_people, n_columns), and k, l and t of it."""

    frame: pd.DataFrame
    assessment: Assessment


@dataclass(frozen=True)
class BesideEarlier:
    """What both releases tell together; ``stands_there``: per column, values gone now that stand in the earlier.

    ``k`` is that of the config, ``inputs`` are the files that were read, with their SHA-256.
    """

    found: TwoReleases
    stands_there: Mapping[str, int]
    k: int
    inputs: Mapping[str, dict[str, object]]


def read_earlier(
    named: EarlierRelease,
    pilot_folder: Path,
    rule: SubjectIdRule,
    merge: MergeSettings,
    evaluate: Callable[[pd.DataFrame], Assessment],
) -> tuple[Merged, dict[str, dict[str, object]]]:
    """The earlier release as a recipient merges it, and its files. Raises ``FaultyInputError`` if there is none."""
    folder = pilot_folder / Path(named.folder).expanduser()
    paths = find_domain_files(folder).by_domain if folder.is_dir() else {}
    if not paths:
        raise FaultyInputError(
            "release['earlier']['folder']: found no domain file there; allowed: the folder released/ of an earlier "
            "run, as it was then"
        )
    frame = merged_again(rule, merge, opened_again(folder)).frame
    inputs: dict[str, dict[str, object]] = {
        f"earlier release: {path.name}": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in paths.values()
    }
    return Merged(frame, evaluate(frame)), inputs


def beside_earlier(
    now: Merged,
    earlier: Merged,
    people: People,
    key: bytes,
    releases: tuple[Release, Release],
    inputs: Mapping[str, dict[str, object]],
) -> BesideEarlier:
    """Both releases person by person: the key and the names of the ``releases`` say whose pseudonym is whose.

    Raises ``FaultyInputError`` where nobody of the earlier one is found among the people of the pilot.
    """
    ids = [str(label) for label in labels(people.ids)]
    person_now, person_earlier = (
        pd.Index(pseudonyms_of(key, release, ids)).get_indexer(pd.Index(merged.frame[SUBJECT_COLUMN].astype("str")))
        for release, merged in zip(releases, (now, earlier), strict=True)
    )
    n_known = int((person_earlier >= 0).sum())
    if not n_known:
        raise FaultyInputError(
            f"release['earlier']: none of the {len(person_earlier)} people of the earlier release is one of this pilot "
            'under this key and the name of that release; give its name: {"folder": ..., "name": ...}'
        )
    where = np.full(len(ids), -1, dtype=np.int64)
    where[person_earlier[person_earlier >= 0]] = np.flatnonzero(person_earlier >= 0)
    place = where[person_now]
    features = [name for name in now.assessment.config.sensitive_features if name in earlier.frame]
    found = compare_releases(
        now.assessment.classes.class_of_record,
        earlier.assessment.classes.class_of_record,
        place,
        {name: (_codes(now.frame[name]), _codes(earlier.frame[name])) for name in features},
        now.assessment.config.K,
    )
    return BesideEarlier(found, _standing_there(now, earlier, place), now.assessment.config.K, inputs)


def _codes(column: pd.Series) -> np.ndarray:
    return encode_column(column).codes


def _standing_there(now: Merged, earlier: Merged, place: np.ndarray) -> dict[str, int]:
    """Per column with a role, of how many people in both the value is gone now and stands in the earlier release."""
    there = np.flatnonzero(place >= 0)
    config = now.assessment.config
    found = {}
    for name in (*config.quasi_identifiers, *config.sensitive_features):
        if name in now.frame and name in earlier.frame:
            is_gone = now.frame[name].isna().to_numpy()[there]
            stood = earlier.frame[name].notna().to_numpy()[place[there]]
            found[name] = int((is_gone & stood).sum())
    return {name: n for name, n in found.items() if n}


def earlier_figures(beside: BesideEarlier) -> dict[str, Any]:
    """The figures under ``earlier_release``: counts of few people are null."""
    found = beside.found
    whole = found.in_both + found.only_now + found.only_earlier
    parts = {"people_in_both": found.in_both, "people_only_now": found.only_now}
    parts["people_only_earlier"] = found.only_earlier
    # The people of each release are known: one part tells the others.
    are_masked = bool(HAND_TO_HAND.are_small(np.array(list(parts.values()))).any())
    n_alone = HAND_TO_HAND.told(found.alone, whole)
    return {
        **{name: None if are_masked else n for name, n in parts.items()},
        "alone_by_both_together": n_alone,
        _below(beside): HAND_TO_HAND.told(found.fewer_than_k, whole, *([] if n_alone is None else [n_alone])),
        "values_follow": {name: HAND_TO_HAND.told(n, whole) for name, n in found.values_follow.items()},
        "values_that_stand_in_the_earlier": {
            name: HAND_TO_HAND.told(n, found.in_both, whole) for name, n in beside.stands_there.items()
        },
    }


def _below(beside: BesideEarlier) -> str:
    return f"fewer_than_{beside.k}_by_both_together"


def earlier_report(figures: Mapping[str, Any]) -> list[str]:
    """The lines of the text: what both releases tell together."""
    below = next(name for name in figures if name.startswith("fewer_than_"))
    k = below.split("_")[2]
    names = ("people_in_both", "people_only_now", "people_only_earlier", "alone_by_both_together", below)
    in_both, only_now, only_earlier, n_alone, n_below = (count_text(figures[name]) for name in names)
    lines = [
        "Beside the earlier release, for whoever has both",
        f"  people in both: {in_both}; only in this one: {only_now}; only in the earlier one: {only_earlier}.",
        f"  alone by both together, and by neither: {n_alone}; fewer than {k} alike by both together, and by neither: "
        f"{n_below}.",
    ]
    for words, name in (
        ("values that follow from both together", "values_follow"),
        ("values taken out here that stand in the earlier one", "values_that_stand_in_the_earlier"),
    ):
        if figures[name]:
            lines.append(f"  {words}: {listed(f'{column} {count_text(n)}' for column, n in figures[name].items())}.")
    return lines


def reasons_of_earlier(beside: BesideEarlier) -> list[Reason]:
    """A reason where both releases together tell more than each alone."""
    figures = earlier_figures(beside)
    counts = {
        "are alone": figures["alone_by_both_together"],
        f"are in classes below K = {beside.k}": figures[_below(beside)],
    }
    parts = [f"{people_told(n)} {words}" for words, n in counts.items() if n != 0]
    follow = figures["values_follow"]
    parts += [f"the {name} of {people_told(n)} follows" for name, n in follow.items() if n != 0]
    if beside.stands_there:
        parts.append(f"values taken out here stand there ({listed(beside.stands_there)})")
    if not parts:
        return []
    return [
        Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"Whoever has the earlier release too, finds by both together: {'; '.join(parts)}.",
            "recode as the earlier release did, for the same people; or see that nobody gets both",
        )
    ]
