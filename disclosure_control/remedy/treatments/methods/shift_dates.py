"""Dates shifted by an offset of their subject: intervals between the dates of one person stay as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from disclosure_control.basics.column_names import is_variable
from disclosure_control.basics.encoding.columns import encode_column, labels_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, one_of, whole_number
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.small_counts import MASKED, NoteForReaders, count_text, people_on_screen
from disclosure_control.measures.moved_dates import NO_DAY, ColumnOfDates, days_known
from disclosure_control.remedy.treatments.algorithms.moved_columns import MovedColumn, moved_dates, other_end_of
from disclosure_control.remedy.treatments.algorithms.offsets_again import offsets_that_hold
from disclosure_control.remedy.treatments.keys import KEY_FROM, Release, offsets_of, read_key
from disclosure_control.remedy.treatments.registry import (
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)

SDTM_DATE = r"[A-Z0-9]{0,6}DTC"
REMOVE_TIMES, KEEP_TIMES = "remove", "keep"


def date_columns(columns: Sequence[str]) -> list[str]:
    """The columns whose variable ends as SDTM dates do: RFSTDTC, DM__BRTHDTC, LB__Cholesterol.LBDTC."""
    return [name for name in columns if is_variable(name, SDTM_DATE)]


@dataclass(frozen=True)
class ShiftDatesSettings(SettingsGroup):
    """Which dates move, by how much at most, under which key."""

    key_from: Mapping[str, str] = setting(KEY_FROM, "the secret key")
    days: int = setting(
        whole_number(1, 36_500),
        "the largest number of days by which dates move",
        365,
        "those of `release`, else 365",
    )
    columns: tuple[str, ...] | None = setting(COLUMNS, "columns of dates", None, "those with SDTM names")
    unreadable: str = setting(one_of("fault", "missing"), "how a text that is not a date is treated", "fault")
    times: str = setting(one_of(REMOVE_TIMES, KEEP_TIMES), "what is done with times of day", REMOVE_TIMES)


def shift_dates(given: TreatmentInput, settings: ShiftDatesSettings) -> Treated:
    """Move every date of a subject by the same number of days, from -``days`` to ``days`` and never 0, by the key.

    The offset is a function of key, release and original subject id: the same in every file of one release. Times of
    day are removed unless the settings keep them. A partial date is moved by its middle (the 15th of a month, the 1st
    of July), or by its first or last day where the other end of its span has another precision, and stays equally
    partial; a day without its month is removed; of an interval (from/to) both ends move. Without ``columns``, those
    with an SDTM name (--DTC). A text that is not a date is a fault, or missing if ``unreadable`` says so. Intervals and
    orders of complete dates of a person stay exact; the calendar (season, weekday) does not. To whom patterns of the
    calendar, such as one year of all dates, leave few offsets, another one is drawn (``offsets_that_hold``). Source:
    PHUSE De-identification Standard for SDTM 3.2, "offset".
    """
    names = date_columns(list(given.frame.columns)) if settings.columns is None else list(settings.columns)
    if not names:
        return Treated(given.frame, {}, notes=("No column has the name of an SDTM date, so no date was shifted.",))
    if given.subjects is None:
        raise FaultyInputError("shift_dates: no column USUBJID; its ids determine the offsets; add it")
    drawn = given.release, settings.days
    key = read_key(settings.key_from, given.folder)
    first = offsets_of_subjects(given.subjects, key, *drawn)
    moved = _moved(given, settings, names, first)
    whose = encode_column(given.subjects)
    of_person = np.zeros(whose.codes.max(initial=-1) + 1, dtype=np.int64)
    of_person[whose.codes] = first
    columns = [_column_of_dates(one.column, whose.codes) for one in moved.values()]
    again, hopeless = offsets_that_hold(columns, of_person, labels_of(whose), key, *drawn)
    if (again != of_person).any():
        moved = _moved(given, settings, names, again[whose.codes])
    undated = np.isin(whose.codes, hopeless)
    notes = [note for name, one in moved.items() for note in _notes(name, one, len(given.frame))]
    if undated.any():
        n, n_told = int(undated.sum()), count_text(MASKED.told(int(undated.sum()), len(given.frame)))
        notes.append(NoteForReaders.of(_without_dates, n, n_told))
    shifted = {name: one.column.mask(undated) for name, one in moved.items()}
    return with_columns(given, shifted, notes, {name: one.n_changed for name, one in moved.items()})


def _moved(
    given: TreatmentInput, settings: ShiftDatesSettings, names: Sequence[str], offsets: np.ndarray
) -> dict[str, MovedColumn]:
    """The columns moved by ``offsets`` (n_records,); raises ``FaultyInputError`` with the faults of all of them."""
    found: dict[str, MovedColumn] = {}
    faults: list[str] = []
    for name in names:
        other = other_end_of(name, given.frame.columns)
        other_end = None if other is None else given.frame[other]
        keeps_times = settings.times == KEEP_TIMES
        try:
            found[name] = moved_dates(given.frame[name], offsets, settings.unreadable, keeps_times, other_end)
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    return found


def _column_of_dates(moved: pd.Series, whose: np.ndarray) -> ColumnOfDates:
    """The moved dates that are known to the day, and whose they are."""
    days = days_known(moved)
    known = np.flatnonzero(days != NO_DAY)
    return ColumnOfDates(str(moved.name), whose[known], days[known])


def _without_dates(n: str) -> str:
    return f"People who leave without these dates, because the calendar leaves few offsets for them: {n}."


def _notes(name: str, moved: MovedColumn, n_records: int) -> Iterator[str]:
    """What the moving of a column did beside moving complete dates."""
    for n, what in (
        (moved.n_lost, "have no readable date and became missing"),
        (moved.n_times, "lost their time of day"),
        (moved.n_partial, "have a partial date, which moved as a whole month or year"),
    ):
        if n:
            n_told = count_text(MASKED.told(n, n_records, moved.n_changed))
            yield NoteForReaders.of(partial(_of_records, name, what), n, n_told)


def _of_records(name: str, what: str, n: str) -> str:
    return f"In {name}, records that {what}: {n}."


def offsets_of_subjects(subjects: pd.Series, key: bytes, release: Release, days: int) -> np.ndarray:
    """Days (n_records,) by which a subject's dates move, -days to -1 or 1 to days; one subject, one offset."""
    encoded = encode_column(subjects)
    if (encoded.codes < 0).any():
        n_without = int((encoded.codes < 0).sum())
        raise FaultyInputError(
            f"shift_dates: {people_on_screen(n_without)} records have no subject id; every row needs one"
        )
    return offsets_of(key, release, labels_of(encoded), days)[encoded.codes]


TREATMENTS = {
    "shift_dates": Treatment(
        shift_dates,
        ShiftDatesSettings,
        90,
        (
            "moves all dates of a subject by one number of days, which the key determines; both ends of an interval "
            "too; SDTM dates are found by name (`--DTC`, also carried ones such as `LB__Cholesterol.LBDTC`)"
        ),
    ),
}
