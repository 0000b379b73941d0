"""The rows of a package as summaries of people, for the search of what discloses a value that was taken out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from disclosure_control.attack.tells.hidden_columns import MOST_PEOPLE
from disclosure_control.attack.tells.row_summaries import RowsOfFile, summaries_of
from disclosure_control.attack.tells.summaries import SummariesOfFiles
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.study import people_of_rows
from study.formats.days import day_numbers, days_of
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.roles import Role
from study.models.study_model import StudyModel


def summarised(
    tables: Mapping[str, SourceTable],
    people: ReleasePeople,
    original: EncodedRecords,
    rule: SubjectIdRule,
    model: StudyModel,
    dropped: Mapping[str, pd.Series],
    most: int | None,
    drawn: Mapping[str, Sequence[str]],
) -> SummariesOfFiles | None:
    """What the rows of the package's ``tables`` say of its people; None where the rows are the people.

    ``dropped``: columns of the source that do not leave, for each person of the pilot. Of many people some are looked
    at, the same in any order of the records; a file with more than ``most`` rows that are not in memory is not read.
    ``drawn``: the columns of each file that the release filled, which say nothing that came in.
    """
    if rule.column is None:
        return None
    staying = np.flatnonzero(people.stays)
    chosen = staying[original.with_least_hashes(MOST_PEOPLE, staying)]
    place = np.full(len(people.ids) + 1, -1)
    place[chosen] = np.arange(len(chosen))
    files, not_read = [], []
    for name, table in tables.items():
        if rule.column not in table.frame:
            continue
        frame = table.combinations(list(map(str, table.frame)), most)
        if frame is None:
            not_read.append(name)
            continue
        person = place[people_of_rows(frame, SubjectIdRule(column=rule.column), people.known_pseudonyms)]
        known = person >= 0
        if not known.all():
            frame, person = frame[known].reset_index(drop=True), person[known]
        rows = frame.drop(columns=[rule.column, *drawn.get(name, ())])
        files.append(RowsOfFile(name, model.domain(name), rows, person, model.table(name)))
    kept = {name: values.iloc[chosen].reset_index(drop=True) for name, values in dropped.items()}
    return summaries_of(files, chosen, first_days(files, len(chosen), model.starts), not_read, kept)


def first_days(files: Sequence[RowsOfFile], n_people: int, starts: Sequence[str]) -> np.ndarray:
    """The released first day of each person (n_people,) as a number, NaN without one.

    Of a study that names no such day it is the middle one of all the person's dates: one early date does not move it.
    """
    found = np.full(n_people, np.nan)
    for name in reversed(starts):
        for file in files:
            if name in file.frame:
                days = day_numbers(days_of(file.frame[name]))
                tells = np.isfinite(days)
                tells[tells] = np.isnan(found[file.person[tells]])
                found[file.person[tells]] = days[tells]
    if not starts:
        dates = list(_dates(files))
        if dates:
            person, days = (np.concatenate(one) for one in zip(*dates, strict=True))
            order = np.lexsort((days, person))
            n_dates = np.bincount(person, minlength=n_people)
            middle = (np.cumsum(n_dates) - n_dates + n_dates // 2)[n_dates > 0]
            found[n_dates > 0] = days[order][middle]
    return found


def _dates(files: Sequence[RowsOfFile]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for file in files:
        for name in map(str, file.frame):
            if file.is_of(name, Role.DATE):
                days = day_numbers(days_of(file.frame[name]))
                yield file.person[np.isfinite(days)], days[np.isfinite(days)]
