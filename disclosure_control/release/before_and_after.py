"""The rows of a study as they came in and as they leave, by person: what the tables of the study are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.study import Study
from disclosure_control.study_tables.asked import OutcomeAsked
from disclosure_control.study_tables.side import PersonRows, StudySide
from study.models.roles import TableKind

_OF_PEOPLE = (TableKind.PEOPLE, TableKind.FINDINGS, TableKind.EVENTS, TableKind.ROWS)


@dataclass(frozen=True)
class BothSides:
    """The study ``before`` and ``after``; ``not_read``: data sets whose rows are not in memory, on neither side."""

    before: StudySide = field(repr=False)
    after: StudySide = field(repr=False)
    not_read: tuple[str, ...]


def both_sides(
    study: Study, released: ReleasedStudy, people: ReleasePeople, outcome: OutcomeAsked | None = None
) -> BothSides:
    """Both sides of a release, of its frames as they are written; rows of both have the positions of their people.

    ``outcome``: the analysis that the config asks for.
    """
    came = [file for file in study.files if (known := study.model.table(file.name)) and known.kind in _OF_PEOPLE]
    not_read = tuple(file.name for file in came if not file.table.fits(0))
    before = {file.name: PersonRows(file.table.frame, file.people) for file in came if file.name not in not_read}
    after = {name: PersonRows(one.frame, one.people) for name, one in released.files.items() if name in before}
    side = StudySide(before, study.model, np.ones(len(people.ids), dtype=bool), outcome=outcome)
    return BothSides(side, StudySide(after, study.model, people.stays, side), not_read)
