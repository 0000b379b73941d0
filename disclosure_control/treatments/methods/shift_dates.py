"""Dates shifted by an offset of their subject: intervals between the dates of one person stay as they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, one_of, whole_number
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text
from disclosure_control.identifiers.variables import is_variable
from disclosure_control.treatments.algorithms.built_hierarchies import DATE, ends_of_interval, parts_of_date
from disclosure_control.treatments.keys import KEY_FROM, Release, offsets_of, read_key
from disclosure_control.treatments.registry import (
    Example,
    Treated,
    Treatment,
    TreatmentInput,
    register,
    with_columns,
)

SDTM_DATE = r"[A-Z0-9]{0,6}DTC"
PRECISIONS = ("Y", "M", "D")
NO_DATE = ("1970-01-01", "D", "")


def date_columns(columns: Sequence[str]) -> list[str]:
    """The columns whose variable ends as SDTM dates do: RFSTDTC, DM__BRTHDTC, LB__Cholesterol.LBDTC."""
    return [name for name in columns if is_variable(name, SDTM_DATE)]


def tells_the_day(column: pd.Series) -> bool:
    """Whether any value of a column of dates is known to the day."""
    return any(part[1] == "D" for text in labels_of(encode_column(column)) for part in _parts(text) or ())


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


def shift_dates(given: TreatmentInput, settings: ShiftDatesSettings) -> Treated:
    """Move every date of a subject by the same number of days, from -``days`` to ``days`` and never 0, by the key.

    The offset is a function of key, release and original subject id: the same in every file of one release. Times of
    day are kept. A partial date is moved by its middle (the 15th of a month, the 1st of July) and stays equally
    partial; a day without its month is removed; of an interval (from/to) both ends move. Without ``columns``, those
    with an SDTM name (--DTC). A text that is not a date is a fault, or missing if ``unreadable`` says so. Durations
    between complete dates of a person stay exact; the calendar (season, weekday) does not. Source: PHUSE
    De-identification Standard for SDTM 3.2, "offset".
    """
    names = date_columns(list(given.frame.columns)) if settings.columns is None else list(settings.columns)
    if not names:
        return Treated(given.frame, {}, notes=("No column has the name of an SDTM date, so no date was shifted.",))
    if given.subjects is None:
        raise FaultyInputError("shift_dates: no column USUBJID; its ids determine the offsets; add it")
    offsets = offsets_of_subjects(
        given.subjects, read_key(settings.key_from, given.folder), given.release, settings.days
    )
    shifted: dict[str, pd.Series] = {}
    changed: dict[str, int] = {}
    faults: list[str] = []
    notes: list[str] = []
    for name in names:
        try:
            shifted[name], changed[name], n_lost = moved_dates(given.frame[name], offsets, settings.unreadable)
        except FaultyInputError as error:
            faults += error.faults
            continue
        if n_lost:
            n_told = count_text(HAND_TO_HAND.told(n_lost, len(given.frame), changed[name]))
            notes.append(f"In {name}, {n_told} records have no readable date and became missing.")
    stop_at(faults)
    return with_columns(given, shifted, notes, changed)


def offsets_of_subjects(subjects: pd.Series, key: bytes, release: Release, days: int) -> np.ndarray:
    """Days (n_records,) by which a subject's dates move, -days to -1 or 1 to days; one subject, one offset."""
    encoded = encode_column(subjects)
    if (encoded.codes < 0).any():
        n_without = int((encoded.codes < 0).sum())
        raise FaultyInputError(f"shift_dates: {n_without} records have no subject id; every row needs one")
    return offsets_of(key, release, labels_of(encoded), days)[encoded.codes]


def moved_dates(column: pd.Series, offsets: np.ndarray, unreadable: str) -> tuple[pd.Series, int, int]:
    """The column of ISO 8601 dates (n_records,) moved by ``offsets`` (n_records,) days, record by record.

    Also how many of its texts changed, and how many were lost because they are no dates and ``unreadable`` is
    "missing"; where it is "fault" these raise ``FaultyInputError``.
    """
    encoded = encode_column(column)
    texts = labels_of(encoded)
    parts = [_parts(text) for text in texts]
    lost = np.array([part is None for part in parts], dtype=bool)
    present = encoded.codes >= 0
    n_lost = int(np.append(lost, False)[encoded.codes].sum())
    if n_lost and unreadable == "fault":
        raise FaultyInputError(
            f"column {column.name!r}: {n_lost} of {int(present.sum())} values are not ISO 8601 dates; "
            "allowed: 2012, 2012-04, 2012-04-30, 2012-04-30T08:15, and two of these with / between; correct them in "
            'the source, drop the column, or set "unreadable" to "missing"'
        )
    readable = present & ~np.append(lost, False)[encoded.codes]
    codes, moved_by = encoded.codes[readable], offsets[readable]
    is_interval = np.array([part is not None and len(part) == 2 for part in parts], dtype=bool)[codes]
    moved = _moved([part[0] if part else NO_DATE for part in parts], codes, moved_by)
    second = [part[1] if part and len(part) == 2 else NO_DATE for part in parts]
    moved[is_interval] += "/" + _moved(second, codes[is_interval], moved_by[is_interval])
    values = np.full(len(column), None, dtype=object)
    values[readable] = moved
    n_different = int((values != np.array([*texts, None], dtype=object)[encoded.codes]).sum())
    return pd.Series(values, index=column.index, name=column.name, dtype="str"), n_different, n_lost


def _moved(parts: Sequence[tuple[str, str, str]], codes: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Each of the dates (n,) that ``codes`` choose of ``parts``, moved by its offset in days, as text."""
    day = np.array([part[0] for part in parts], dtype="datetime64[D]")
    precision, time = (np.array([part[i] for part in parts], dtype=object) for i in (1, 2))
    moved = day[codes] + offsets.astype("timedelta64[D]")
    text = np.empty(len(codes), dtype=object)
    for unit in PRECISIONS:
        of_unit = precision[codes] == unit
        text[of_unit] = np.datetime_as_string(moved[of_unit].astype(f"datetime64[{unit}]"))
    return text + time[codes]


def _parts(text: str) -> list[tuple[str, str, str]] | None:
    """Of a date, or of both ends of an interval: the middle day, the precision (Y, M, D), the time; else None."""
    try:
        return [_parts_of_end(end) for end in ends_of_interval(text)]
    except ValueError:
        return None


def _parts_of_end(text: str) -> tuple[str, str, str]:
    year, month, day = parts_of_date(text)
    found = DATE.fullmatch(text)
    time = found[4] if found else None
    if day:
        return f"{year}-{month}-{day}", "D", f"T{time}" if time else ""
    return (f"{year}-{month}-15", "M", "") if month else (f"{year}-07-01", "Y", "")


register(
    "shift_dates",
    Treatment(
        shift_dates,
        ShiftDatesSettings,
        words=(
            "moves all dates of a subject by one number of days, which the key determines; both ends of an interval "
            "too; SDTM dates are found by name (`--DTC`, also carried ones such as `LB__Cholesterol.LBDTC`)"
        ),
        example=Example({"key_from": {"environment": "PILOT_KEY"}}, ("DM__RFSTDTC",)),
        place=90,
    ),
)
