"""Offsets drawn again for the few people to whom the calendar leaves few of them: so a verdict does not hang on luck.

Which offsets remain possible depends on where the window of all offsets lies: at its edge it may leave the year in
which all dates of a study lie. That number depends on the released dates alone, so an attacker who knows this rule
rules out none of the offsets that remain.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from disclosure_control.attack.dates.dated_rows import dated_rows
from disclosure_control.attack.dates.moved_dates import FEW, calendar_patterns, n_left_by_offset, n_offsets_left
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.making import Making
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.stages import operations
from disclosure_control.release.study import Study
from disclosure_control.remedy.treatments.keys import Release, digests
from disclosure_control.remedy.treatments.one_release import days_of_release

MOST_TRIED = 100_000_000  # people times offsets times patterns
MOST_UNDATED = 0.05  # of the people, who leave without dates; if more would, the dates of all are in question
AGAIN = "date again"


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
    """The people, of whom those with at most ``FEW`` possible offsets have another one, drawn by the key.

    It is drawn among all offsets, -``days`` to ``days``, that leave more. Where there is none, people leave without
    dates if they are few; if not, the first offset stays, and the calendar is a reason to hold. The same people are
    returned if nothing changes. ``released`` is the study with the first offsets.
    """
    stays = np.flatnonzero(people.stays)
    rows = dated_rows(released, study, people, stays, np.zeros(len(stays), dtype=np.int64), harmless, most_rows)
    patterns = [pattern for column in rows.columns for pattern in calendar_patterns(column, rows.offsets)]
    if not patterns or len(stays) * 2 * days * len(patterns) > MOST_TRIED:
        return people
    few = np.flatnonzero(n_offsets_left(patterns, np.arange(len(stays)), rows.offsets, days) <= FEW)
    possible, n_left = n_left_by_offset(patterns, few, rows.offsets, days)
    holds = n_left > FEW
    offsets = people.offsets.copy()
    drawn = digests(key, AGAIN, release, people.ids.iloc[stays[few]].astype(str))
    for person, number, of_person in zip(stays[few], drawn, holds, strict=True):
        if of_person.any():
            candidates = possible[of_person]
            offsets[person] = candidates[int.from_bytes(number) % len(candidates)]
    hopeless = stays[few[~holds.any(axis=1)]]
    if len(hopeless) and len(hopeless) <= MOST_UNDATED * len(stays):
        undated = np.zeros(len(people.ids), dtype=bool)
        undated[hopeless] = True
        return replace(people, offsets=offsets, undated=undated)
    return people if (offsets == people.offsets).all() else replace(people, offsets=offsets)
