"""The stage that holds people back whom this release and the earlier ones together would single out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from disclosure_control.attack.earlier import EarlierReleases, Inputs, read_earlier
from disclosure_control.attack.tells.merged import evaluated_package
from disclosure_control.measures.two_releases import people_to_hold_back
from disclosure_control.release.making import Making
from disclosure_control.release.package import merged_again
from disclosure_control.release.people import labels
from disclosure_control.remedy.treatments.keys import Release


def held_back(making: Making, earlier: EarlierReleases | None) -> Making:
    """Who would be in a part of fewer than K people, by this release and the earlier ones together, stays out of it.

    Joiners wait until K of their class have come; where fewer than K of a class left, others of it wait with them.
    Needs who stays, and in which class.
    """
    if earlier is None:
        return making
    people, n_people, is_left = making.people, len(making.people.ids), earlier.person < 0
    before = np.full(n_people, -1)
    before[earlier.person[~is_left]] = earlier.classes[~is_left]
    now = np.where(people.stays, making.classes, -1)
    order = making.drawn("held back")
    with_left = [
        np.concatenate([one, other])
        for one, other in (
            (now, np.full(is_left.sum(), -1)),
            (before, earlier.classes[is_left]),
            (order, np.zeros(is_left.sum(), dtype=order.dtype)),
        )
    ]
    held = people_to_hold_back(with_left[0], with_left[1], making.asked.config.K, with_left[2])[:n_people]
    kept = replace(people, stays=people.stays & ~held)
    return replace(making, people=kept, n_held_back=int((people.stays & held).sum()))


def earlier_releases(making: Making, left: Iterable[str]) -> EarlierReleases | None:
    """All that the config names, merged as this pilot is; None if it names none. ``left``: ids of people before."""
    asked, inputs = making.asked, Inputs()
    packages = []
    for named in asked.settings.earlier:
        tables, of_release = read_earlier(named, asked.folder, asked.read_package)
        inputs |= of_release
        records = asked.files.merged(partial(merged_again, asked.rule, asked.merge, tables))
        merged = evaluated_package(records, asked.original, asked.config, asked.config)
        packages.append((merged, Release(asked.pilot, named.name or asked.release.name)))
    if not packages:
        return None
    own = [str(label) for label in labels(making.people.ids)]
    ids = list(dict.fromkeys([*own, *left]))
    return EarlierReleases.of(packages, ids, len(own), asked.key, making.people.are_numbers, inputs)
