"""Two releases of one pilot: who is alone by both together, and whose values follow from their difference.

Each release may be k-anonymous alone. Other bins divide the classes of the first, and other people are missing; an
attacker with both compares the parts. The worst case is assumed: the attacker knows which record of one release is
which of the other (unchanged values disclose it), and whether a person took part when each was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.encoding.columns import EncodedColumn, canonical_labels_of
from disclosure_control.basics.encoding.keys import number_groups

Codes = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class TwoReleases:
    """Counts of people, each from 0 to those who are in either release; more is riskier from ``alone`` on.

    ``in_both``, ``only_now`` and ``only_earlier`` are all people. ``fewer_than_k``: people whose part has fewer than k
    people and fewer than their present class, or their earlier class if they left. So it counts what this release adds
    about a person whom the earlier one had singled out. ``alone`` are those whose part is of one. ``values_follow``: by
    sensitive feature, the people whose value is the same in all of the part, and was disclosed by neither class.
    """

    in_both: int
    only_now: int
    only_earlier: int
    alone: int
    fewer_than_k: int
    values_follow: Mapping[str, int]

    @property
    def n_people(self) -> int:
        """All people, those of the earlier release alone among them."""
        return self.in_both + self.only_now + self.only_earlier


def compare_releases(
    now: np.ndarray,
    earlier: np.ndarray,
    place: np.ndarray,
    sensitive: Mapping[str, Codes],
    k: float,
) -> TwoReleases:
    """What two releases disclose together that neither discloses alone.

    ``now`` (n_now,) and ``earlier`` (n_earlier,) are the equivalence classes of each, whole numbers from 0; ``place``
    (n_now,) is a person's position in the earlier release, -1 if not in it. ``sensitive``: codes of each feature now
    and earlier, the same for the same value, -1 if missing, or not in that release. A part is a class now and a class
    earlier, or a class of those who are in one release alone. Source: the intersection attack, Ganta, Kasiviswanathan
    and Smith 2008, doi:10.1145/1401890.1401926, and correspondence attacks on releases of other people, Fung, Wang, Fu
    and Pei 2008, doi:10.1145/1353343.1353371.
    """
    gone = np.ones(len(earlier), dtype=bool)
    gone[place[place >= 0]] = False
    left = np.flatnonzero(gone)
    # Each person once: present people, then those who left; -1 for a person who is not in a release.
    class_now = np.concatenate([now, np.full(len(left), -1)])
    class_earlier = np.concatenate([np.append(earlier, -1)[place], earlier[left]])
    size_of_part = _sizes_of_parts(class_now, class_earlier)
    size_of_class = np.concatenate(
        [np.bincount(now, minlength=1)[now], np.bincount(earlier, minlength=1)[earlier[left]]]
    )
    where_earlier = np.concatenate([place, left])
    follows = {
        name: int(_follows(class_now, class_earlier, by_person).sum())
        for name, (codes_now, codes_earlier) in sensitive.items()
        for by_person in [(np.append(codes_now, np.full(len(left), -1)), np.append(codes_earlier, -1)[where_earlier])]
    }
    return TwoReleases(
        in_both=int((place >= 0).sum()),
        only_now=int((place < 0).sum()),
        only_earlier=len(left),
        alone=int(((size_of_part == 1) & (size_of_class > 1)).sum()),
        fewer_than_k=int(((size_of_part < k) & (size_of_part < size_of_class)).sum()),
        values_follow=follows,
    )


def people_to_hold_back(
    now: np.ndarray, before: np.ndarray, k: int, order: np.ndarray, sensitive: Sequence[Codes] = ()
) -> np.ndarray:
    """Who (n,) is held back from a release, so that no part of this one and of those before discloses more than each.

    ``now`` and ``before`` (n,) are the classes of each person in this release, and in all before together, -1 of who is
    in none; ``sensitive``: codes (n,) of each feature now and before. Held back are parts of fewer than k people, such
    as joiners, until k of their class have come, and parts of which a value follows. Where fewer than k of a class
    left, or people of one value, others of it are held back with them, the least of ``order`` (n,) first. Those who
    were few in their class of one release already are left as they are: holding others back would hide nobody. So a
    class of k people or more in this release keeps k or more, or nobody.
    """
    held = np.zeros(len(now), dtype=bool)
    of_now = np.bincount(now + 1)[now + 1]
    while True:
        here = np.where(held, -1, now)
        size = _sizes_of_parts(here, before)
        of_before = np.bincount(before + 1)[before + 1]
        stands_out = (size < k) & (size < np.where(here < 0, of_before, of_now))
        for codes in sensitive:
            stands_out |= _follows(here, before, codes, now)
        if (out := stands_out & (here >= 0)).any():
            held |= out
            continue
        more = np.zeros(len(now), dtype=bool)
        for left in np.unique(before[stands_out & (before >= 0)]):
            gone = (before == left) & (here < 0)
            candidates = np.flatnonzero((before == left) & (here >= 0))
            ordered = candidates[np.argsort(order[candidates])]
            is_other = [np.isin(codes[1][ordered], codes[1][gone], invert=True) for codes in sensitive]
            n_to_another = max((int(other.argmax()) + 1 for other in is_other if other.any()), default=1)
            n_missing = k - int(gone.sum())
            more[ordered[: n_missing if n_missing > 0 else n_to_another]] = True
        if not more.any():
            return held
        held |= more


def _sizes_of_parts(now: np.ndarray, before: np.ndarray) -> np.ndarray:
    part, size = _parts(now, before)
    return size[part]


def _parts(now: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part (n,) of each person, and how many each has: a class now and one before, -1 of who is in none."""
    n_now, n_before = int(now.max(initial=-1)) + 2, int(before.max(initial=-1)) + 2
    return number_groups((now + 1) * n_before + before + 1, n_now * n_before)


def _follows(here: np.ndarray, before: np.ndarray, codes: Codes, now: np.ndarray | None = None) -> np.ndarray:
    """Whether (n,) a person's value is the same in all of the part, and was disclosed by neither class alone.

    ``now`` are the classes before anybody was held back, if they are others than those ``here``.
    """
    now = here if now is None else now
    value_now, value_before = codes
    value = np.where(here >= 0, value_now, value_before)
    disclosed_before = _is_certain(before + 1, value_before) & (value_before == value)
    disclosed_now = _is_certain(now + 1, value_now) & (here >= 0)
    follows: np.ndarray = _is_certain(_parts(here, before)[0], value) & ~disclosed_before & ~disclosed_now
    return follows


def shared_codes(now: EncodedColumn | None, earlier: EncodedColumn | None, n: tuple[int, int]) -> Codes:
    """Codes of a feature now and earlier, (n_now,) and (n_earlier,), by one list of the values of both.

    ``None`` is a feature that a release does not have: it discloses nobody's value.
    """
    labels = [[] if column is None else canonical_labels_of(column).tolist() for column in (now, earlier)]
    code = {label: i for i, label in enumerate(dict.fromkeys([*labels[0], *labels[1]]))}
    found = []
    for column, of_column, n_people in zip((now, earlier), labels, n, strict=True):
        codes = np.full(n_people, -1) if column is None else column.codes
        found.append(np.array([*(code[label] for label in of_column), -1], dtype=np.int64)[codes])
    return found[0], found[1]


def _is_certain(classes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether all of a person's class have one value (n_people,); a missing value is none."""
    n_classes = int(classes.max(initial=-1)) + 1
    low = np.full(n_classes, np.iinfo(np.int64).max)
    high = np.full(n_classes, -1, dtype=np.int64)
    np.minimum.at(low, classes, values)
    np.maximum.at(high, classes, values)
    return ((low == high) & (low >= 0))[classes]
