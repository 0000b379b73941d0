"""The stage that draws offsets again for the few people to whom the calendar of all files leaves few of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from disclosure_control.attack.dates.dated_rows import dated_rows
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.making import Making
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.stages import operations
from disclosure_control.release.study import Study
from disclosure_control.remedy.treatments.algorithms.offsets_again import offsets_that_hold
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.one_release import days_of_release


def offsets_drawn_again(making: Making) -> Making:
    """The stage: operations run again where somebody has another offset.

    Needs the operations. Promises that the calendar leaves as many offsets for everybody as it can.
    """
    asked = making.asked
    dated = (making.study, asked.harmless, asked.files.rows_to_search, asked.key, asked.release)
    people = with_offsets_that_hold(making.people, making.released, *dated, days_of_release(asked.config))
    return making if people is making.people else operations(replace(making, people=people))


def with_offsets_that_hold(
    people: ReleasePeople,
    released: ReleasedStudy,
    study: Study,
    harmless: Collection[str],
    most_rows: int,
    key: bytes,
    release: Release,
    days: int,
) -> ReleasePeople:
    """The people with ``offsets_that_hold``, those for whom there is none ``undated``.

    The same people are returned if nothing changes. ``released`` is the study with the first offsets.
    """
    stays = np.flatnonzero(people.stays)
    rows = dated_rows(released, study, people, stays, np.zeros(len(stays), dtype=np.int64), harmless, most_rows)
    ids = list(people.ids.iloc[stays].astype(str))
    again, hopeless = offsets_that_hold(rows.columns, rows.offsets, ids, key, release, days)
    if (again == rows.offsets).all() and not len(hopeless):
        return people
    offsets = people.offsets.copy()
    offsets[stays] = again
    undated = np.zeros(len(people.ids), dtype=bool)
    undated[stays[hopeless]] = True
    return replace(people, offsets=offsets, undated=undated)
