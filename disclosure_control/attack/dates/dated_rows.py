"""Every moved date of every released file, row by row, for the calendar; and offsets that are drawn again for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from disclosure_control.attack.dates.findings import EACH_LAST, DatedRows
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.measures.moved_dates import MOST_GROUPS, NO_DAY, ColumnOfDates, Span, days_known
from disclosure_control.release.accounts import Account
from disclosure_control.release.columns import LARGEST_DAY, SECONDS_PER_DAY
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.making import Making
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.stages import operations
from disclosure_control.release.study import Study
from disclosure_control.remedy.treatments.algorithms.offsets_again import offsets_that_hold
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.one_release import days_of_release
from study.models.roles import Role, TableModel
from study.models.study_model import StudyModel

SINCE_1970 = -3653  # 1960-01-01, from which SAS counts
# Columns whose values may say in which rows a date is the same for all.
_GROUPS = (Role.CODED_TERM, Role.CATEGORY, Role.VISIT, Role.FLAG, Role.ARM, Role.DEATH, Role.LABEL, Role.UNKNOWN)
PLANNED = "VISITDY"  # a day of the plan, which nobody has as a date


def dated_rows(
    released: ReleasedStudy,
    study: Study,
    people: ReleasePeople,
    position: np.ndarray,
    harmless: Collection[str],
    most_rows: int,
) -> DatedRows:
    """The dates of all rows that leave; ``position`` (n_kept,) has the place in the pilot of each record that leaves.

    A study day counts as the date that it gives with the person's start, if the release has no such date: who knows the
    true day of the end knows the start. Files of more than ``most_rows`` rows on disk are only named. Columns that
    the config declares ``harmless`` (``DS__DSSTDTC``) are not looked at.
    """
    place = np.full(len(people.ids) + 2, -1)  # of nobody and of strangers the last two
    place[position] = np.arange(len(position))
    offsets = people.offsets[position]
    accounts = {(one.file, one.variable): one for one in released.accounts if one.stays and not one.rows_of}
    starts = _starts(released, study, people)[position]
    began = np.where(starts == NO_DAY, NO_DAY, starts + offsets)
    columns: list[ColumnOfDates] = []
    named: dict[str, str] = {}
    too_many = []
    for name, file in released.files.items():
        if not file.has_people:
            continue
        if len(file.overview.lengths) > 1 and file.n_records > most_rows:
            too_many.append(name)
            continue
        columns += _of_file(name, file, accounts, place, began, released.model)
        study_days = _study_days(released.model.table(name), map(str, file.columns))
        named |= {f"{name}.{_date_of(one)}": f"{name}.{one}" for one in study_days}
    columns = [one for one in columns if one.name.replace(".", "__") not in harmless]
    span = _span(columns, starts, offsets)
    if span is not None:
        somebody = np.flatnonzero(span.known)
        columns.append(ColumnOfDates(EACH_LAST, somebody, span.lasts[somebody]))
    return DatedRows(columns, offsets, True, span, named, tuple(too_many))


def _of_file(
    name: str,
    file: ReleasedFile,
    accounts: Mapping[tuple[str, str], Account],
    place: np.ndarray,
    starts: np.ndarray,
    model: StudyModel,
) -> Iterator[ColumnOfDates]:
    table = model.table(name)
    names = list(map(str, file.columns))
    dates = [one for one in names if (name, one) in accounts and accounts[name, one].is_moved]
    study_days = [one for one in _study_days(table, names) if _date_of(one) not in dates]
    if not (dates or study_days):
        return
    in_groups = [] if table is None else table.of_role(*_GROUPS)
    groups = [one for one in names if one not in dates and one in in_groups]
    frame, whose = _rows_of(file, [*dates, *study_days, *groups])
    who = place[whose]
    codes = {one: _codes(frame[one]) for one in groups}
    of_groups = {one: found for one, found in codes.items() if 0 < found.max(initial=-1) < MOST_GROUPS}
    for column in (*dates, *study_days):
        if column in dates:
            day = released_days(frame[column])
        else:
            day = _days_by_start(frame[column], np.append(starts, NO_DAY)[who])
        known = np.flatnonzero((who >= 0) & (day != NO_DAY))
        if len(known):
            yield ColumnOfDates(
                f"{name}.{column}", who[known], day[known], {one: found[known] for one, found in of_groups.items()}
            )


def _rows_of(file: ReleasedFile, columns: list[str]) -> tuple[pd.DataFrame, np.ndarray]:
    """Some columns of all rows of a file, and whose each row is."""
    parts = [(part.frame[columns], part.people) for part in file.parts]
    if len(parts) == 1:
        return parts[0]
    return pd.concat([frame for frame, _ in parts], ignore_index=True), np.concatenate([each for _, each in parts])


def _study_days(table: TableModel | None, columns: Iterable[str]) -> list[str]:
    there = [] if table is None else table.of_role(Role.STUDY_DAY)
    return [one for one in columns if one in there and one != PLANNED]


def _date_of(study_day: str) -> str:
    """The date beside a study day of SDTM: AESTDTC of AESTDY."""
    return f"{study_day.removesuffix('DY')}DTC"


def _codes(column: pd.Series) -> np.ndarray:
    """The values of a column (n_rows,) as whole numbers, below 0 where it has none."""
    if isinstance(column.dtype, pd.StringDtype):
        return text_codes(column).codes.astype(np.int64)
    return pd.factorize(column)[0].astype(np.int64)


def released_days(column: pd.Series) -> np.ndarray:
    """The days (n_rows,) of complete dates since 1970, as text or as SAS counts them; ``NO_DAY`` of all others."""
    if not isinstance(column.dtype, pd.StringDtype):
        number = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
        with np.errstate(invalid="ignore"):
            days = np.floor(np.where(np.abs(number) > LARGEST_DAY, number / SECONDS_PER_DAY, number)) + SINCE_1970
        return np.where(np.isnan(number), NO_DAY, np.nan_to_num(days).astype(np.int64))
    known = text_codes(column)
    of_text = days_known(pd.Series(pd.array(known.texts, dtype="str")))
    found: np.ndarray = np.append(of_text, NO_DAY)[known.codes]
    return found


def _days_by_start(study_day: pd.Series, starts: np.ndarray) -> np.ndarray:
    """The days (n_rows,) that study days name: the first is the day of the start, and there is no day 0."""
    number = pd.to_numeric(study_day, errors="coerce").to_numpy(dtype=float)
    known = ~np.isnan(number) & (starts != NO_DAY)
    days = np.full(len(number), NO_DAY)
    whole = number[known].astype(np.int64)
    days[known] = starts[known] + whole - (whole > 0)
    return days


def _starts(released: ReleasedStudy, study: Study, people: ReleasePeople) -> np.ndarray:
    """The true first day of each person (n_people,) of the pilot, as the source has it; ``NO_DAY`` without."""
    found = np.full(len(people.ids), NO_DAY)
    wanted = released.model.starts
    files = [file for file in study.files if set(wanted) & set(map(str, file.table.frame))]
    base = [file for file in files if file.name == released.model.base]
    for file in base or files:
        columns = [one for one in wanted if one in file.table.frame]
        for part in file.parts(people):
            for column in columns:
                day = released_days(part.table.frame[column])
                known = (day != NO_DAY) & (part.people >= 0)
                found[part.people[known]] = day[known]
    return found


def _span(columns: Sequence[ColumnOfDates], starts: np.ndarray, offsets: np.ndarray) -> Span | None:
    """The first day on which anybody began and the last day of all dates; None of a study that names no starts."""
    began = starts != NO_DAY
    if not began.any() or not columns:
        return None
    lasts = np.full(len(starts), NO_DAY)
    for column in columns:
        np.maximum.at(lasts, column.people, column.days)
    known = began & (lasts != NO_DAY)
    if not known.any():
        return None
    true_last = (lasts[known] - offsets[known]).max()
    firsts, lasts = (np.where(known, one, 0) for one in (np.where(began, starts, 0) + offsets, lasts))
    return Span(int(starts[known].min()), int(true_last), firsts, lasts, known)


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
    rows = dated_rows(released, study, people, stays, harmless, most_rows)
    ids = list(people.ids.iloc[stays].astype(str))
    again, hopeless = offsets_that_hold(rows.columns, rows.offsets, ids, key, release, days)
    if (again == rows.offsets).all() and not len(hopeless):
        return people
    offsets = people.offsets.copy()
    offsets[stays] = again
    undated = np.zeros(len(people.ids), dtype=bool)
    undated[stays[hopeless]] = True
    return replace(people, offsets=offsets, undated=undated)
