"""The stage that holds people back whom this release and the earlier ones together would single out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from disclosure_control.attack.earlier import EarlierReleases, Inputs, read_earlier
from disclosure_control.attack.tells.merged import evaluated_package
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.measures.two_releases import people_to_hold_back, shared_codes
from disclosure_control.release.making import Asked, Making
from disclosure_control.release.package import merged_again
from disclosure_control.release.people import labels
from disclosure_control.remedy.treatments.keys import Release


def held_back(making: Making, earlier: EarlierReleases | None) -> Making:
    """Who would be in a part of fewer than K people, by this release and the earlier ones together, stays out of it.

    Nor does anybody stay whose sensitive value would follow. Joiners wait until K of their class have come; where fewer
    than K of a class left, others of it wait with them.
    Needs who stays, and in which class.
    """
    if earlier is None:
        return making
    people, n_people, is_left = making.people, len(making.people.ids), earlier.person < 0
    everybody = n_people + int(is_left.sum())
    of_earlier = np.where(is_left, n_people + is_left.cumsum() - 1, earlier.person)

    def by_person(values: np.ndarray, whose: np.ndarray) -> np.ndarray:
        found = np.full(everybody, -1, dtype=np.int64)
        found[whose] = values
        return found

    staying = np.flatnonzero(people.stays)
    now, before = by_person(making.classes[staying], staying), by_person(earlier.classes, of_earlier)
    sensitive = []
    for name, values in _sensitive_values(making.asked).items():
        there = earlier.text(name)
        encoded = None if there is None else encode_column(there)
        codes = shared_codes(encode_column(values), encoded, (len(values), len(of_earlier)))
        sensitive.append((by_person(codes[0], staying), by_person(codes[1], of_earlier)))
    order = np.append(making.drawn("held back"), np.zeros(everybody - n_people, dtype=np.int64))
    held = people_to_hold_back(now, before, making.asked.config.K, order, sensitive)[:n_people]
    kept = replace(people, stays=people.stays & ~held)
    return replace(making, people=kept, n_held_back=int((people.stays & held).sum()))


def _sensitive_values(asked: Asked) -> dict[str, pd.Series]:
    """The sensitive features of those who stay (n_kept,), as the treatment leaves them."""
    treated = asked.treated
    records = asked.original if treated is None else treated.records
    values = {name: one.values for name, one in records.columns.items()} if treated is None else treated.values
    names = [name for name in asked.config.sensitive_features if name in values]
    return {name: values[name].take(records.places(name)).reset_index(drop=True) for name in names}


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
