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
from disclosure_control.basics.small_counts import SMALLEST_PRINTED_GROUP
from disclosure_control.basics.words import listed
from disclosure_control.measures.two_releases import TwoReleases, compare_releases
from disclosure_control.release.package import merged_again, opened_again
from disclosure_control.release.people import People, labels
from disclosure_control.steps.release.course import in_words, told_rising
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
    are_told = all(n == 0 or n >= SMALLEST_PRINTED_GROUP for n in parts.values())

    def told(n: int) -> int | None:
        return told_rising([n], whole)[0]

    return {
        **{name: n if are_told else None for name, n in parts.items()},
        "alone_by_both_together": told(found.alone),
        f"fewer_than_{beside.k}_by_both_together": told(found.fewer_than_k),
        "values_follow": {name: told(n) for name, n in found.values_follow.items()},
        "values_that_stand_in_the_earlier": {name: told(n) for name, n in beside.stands_there.items()},
    }


def earlier_report(figures: Mapping[str, Any]) -> list[str]:
    """The lines of the text: what both releases tell together."""
    below = next(name for name in figures if name.startswith("fewer_than_"))
    k = below.split("_")[2]
    lines = [
        "Beside the earlier release, for whoever has both",
        f"  people in both: {_text(figures['people_in_both'])}; only in this one: {_text(figures['people_only_now'])}; "
        f"only in the earlier one: {_text(figures['people_only_earlier'])}.",
        f"  alone by both together, and by neither: {_text(figures['alone_by_both_together'])}; fewer than {k} alike "
        f"by both together, and by neither: {_text(figures[below])}.",
    ]
    for words, name in (
        ("values that follow from both together", "values_follow"),
        ("values taken out here that stand in the earlier one", "values_that_stand_in_the_earlier"),
    ):
        if figures[name]:
            lines.append(f"  {words}: {listed(f'{column} {_text(n)}' for column, n in figures[name].items())}.")
    return lines


def _text(n: int | None) -> str:
    return "masked" if n is None else str(n)


def reasons_of_earlier(beside: BesideEarlier) -> list[Reason]:
    """A reason where both releases together tell more than each alone."""
    found = beside.found
    whole = found.in_both + found.only_now + found.only_earlier
    counts = {"are alone": found.alone, f"are in classes below K = {beside.k}": found.fewer_than_k}
    parts = [f"{in_words(n, whole)} people {words}" for words, n in counts.items() if n]
    parts += [f"the {name} of {in_words(n, whole)} people follows" for name, n in found.values_follow.items() if n]
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
