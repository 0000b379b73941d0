"""Values that stand for "unknown", "not yet" or "never": 9999-12-31, 1900-01-01, 999, -99.

They are known by what is impossible for their column, by standing apart from all its other values, and by habit. A date
among them must not move: what it became, less what it was, is the offset of its person.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

_YEAR = 365.25
# Ends and beginnings that programs and people write, as days since 1970: of years that end in 00 or 99, of epochs.
_OF_PROGRAMS = (
    *("1582-10-14", "1582-10-15", "1677-09-21", "1753-01-01", "1858-11-17", "1899-12-30", "1899-12-31", "1900-01-01"),
    *("1901-01-01", "1904-01-01", "1960-01-01", "1970-01-01", "2038-01-19", "2079-06-06", "2262-04-11", "4712-12-31"),
)
_REPEATED = tuple(f"{digit * 4}-{digit.zfill(2)}-{digit.zfill(2)}" for digit in "123456789")
_OF_CENTURIES = tuple(
    f"{century * 100 + year:04d}-{day}"
    for century in range(100)
    for year, day in ((0, "01-01"), (0, "12-31"), (99, "12-31"), (99, "01-01"), (98, "12-31"))
    if century * 100 + year and not 1900 < century * 100 + year < 2050
)
_FURTHER = ("0001-01-01", "0001-12-31", "1111-11-11", "2222-12-22", "1800-12-28", "9999-09-09")
_DATES = np.unique(
    np.array([*_OF_PROGRAMS, *_REPEATED, *_OF_CENTURIES, *_FURTHER], dtype="datetime64[D]").astype(np.int64)
)
_YEAR_1000 = np.datetime64("1000-01-01").astype(np.int64)
_FEWEST, _NEARLY_ALL = 20, 0.9  # records whose dates make a life
_LONGEST_LIFE = 110 * _YEAR
_GAP, _FAR, _VERY_FAR = 10 * _YEAR, 40 * _YEAR, 60 * _YEAR  # between the dates of a column and one that stands apart


@dataclass(frozen=True)
class Apart:
    """Which distinct values (n_values,) of a column are codes for missing: those ``sure``, others that ``may_be``."""

    sure: np.ndarray
    may_be: np.ndarray


def is_usual(days: np.ndarray) -> np.ndarray:
    """Which days (n,), counted from 1970, people and programs write for what they do not know."""
    nearest = np.searchsorted(_DATES, days).clip(max=len(_DATES) - 1)
    return (_DATES[nearest] == days) | (days >= np.datetime64("9000-01-01").astype(np.int64))


def life_of(days: np.ndarray, n_records: np.ndarray) -> tuple[int, int] | None:
    """The first and last of the days (n_values,) of a column that lie close together; None where all are placeholders.

    From the middle one on, the next is at most ten years away. All count where these are few, or less than nine in ten.
    """
    ours = ~is_usual(days)
    if not ours.any():
        return None
    order = np.argsort(days[ours], kind="stable")
    found, ends = days[ours][order], np.cumsum(n_records[ours][order])
    middle = int(np.searchsorted(ends, (ends[-1] + 1) // 2))
    is_gap = np.diff(found) > _GAP
    before, after = np.flatnonzero(is_gap[:middle]), np.flatnonzero(is_gap[middle:])
    first = int(before[-1]) + 1 if len(before) else 0
    last = middle + int(after[0]) if len(after) else len(found) - 1
    n_within = ends[last] - (ends[first - 1] if first else 0)
    if n_within < max(_FEWEST, _NEARLY_ALL * ends[-1]):
        first, last = int(np.searchsorted(found, _YEAR_1000)), len(found) - 1
    return (int(found[first]), int(found[last])) if first <= last else None


def life_of_file(columns: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[int, int] | None:
    """The first and last day of several columns, of which each has its days and their counts (n_values,)."""
    lives = [life for days, n_records in columns if (life := life_of(days, n_records)) is not None]
    return (min(first for first, _ in lives), max(last for _, last in lives)) if lives else None


def dates_apart(days: np.ndarray, n_records: np.ndarray, of_file: tuple[int, int] | None) -> Apart:
    """Which distinct days (n_values,), since 1970, are placeholders; ``of_file`` is the life of all dates of the file.

    Sure is what no living person had, or nobody can have yet, far from all other dates of the column; so a birth of
    1900 in an old cohort is a birth. What only stands apart, or is far commoner than any other day, may be one.
    """
    life = life_of(days, n_records) or of_file
    if life is None:
        sure = is_usual(days) & ((days > 200 * _YEAR) | (days < -_LONGEST_LIFE))
        return Apart(sure, np.zeros_like(sure))
    (first, last), usual = life, is_usual(days)
    end = max(last, of_file[1]) if of_file else last
    too_late = (days - end > _GAP) & (usual | (days - end > _FAR))
    is_far = (usual & (first - days > _GAP)) | (first - days > _VERY_FAR)
    sure = too_late | (days < _YEAR_1000) | ((end - days > _LONGEST_LIFE) & is_far)
    stands_apart = (days - end > _GAP) | (usual & (first - days > _GAP))
    most = n_records[~usual].max(initial=1)
    is_common = usual & (n_records >= 5) & (n_records >= 10 * most)
    return Apart(sure, (stands_apart | is_common) & ~sure)


# ---------------------------------------------------------------- numbers

_OLDEST = 130
_FAR_FOR_A_GAP = 5  # times the widest gap between the others
_LOWEST_SCORE = -10
_FEW_CODES, _MANY_CODES, _NEAR_MOST = 5, 10, 0.3
_OF_SURVEYS = (-1.0, -3.0, -10.0)  # not known, not said, less than one
_REPEATS = {float(f"{sign}{digit * n}") for digit in "789" for n in (2, 3, 4, 5) for sign in ("", "-")}
_DECIMALS = {
    sign * float(text)
    for text in ("77.7", "777.7", "88.8", "99.9", "888.8", "999.9", "99.99", "999.99")
    for sign in (1, -1)
}
_OF_A_SCALE = {7.0, 8.0, 9.0, -7.0, -8.0, -9.0}
_BESIDE = {99.0: (96, 97, 98), 999.0: (996, 997, 998)}  # 97 refused, 98 not known, 99 not asked
_BELOW = [-float(most - less) for most in (99, 999) for less in range(1, 5)]  # -95 could not be measured
CODES = frozenset((*_REPEATS, *_DECIMALS, *_OF_A_SCALE, *_BELOW))
# Where a placeholder is the end, the days from an ordinary date to it; of those that are close, only under such a name.
_FROM, _TO = (np.datetime64(day).astype(np.int64) for day in ("1980-01-01", "2035-01-01"))
COUNTS_DAYS = (
    r"(?i)(?:^|[_ .]|[a-z]{2}(?:ST|EN)?)dy$|days?(?![a-z])|(?<![a-z])(?:tage|jours|d[ií]as|giorni|dni|dagen|dagar|dias|"
    r"zile|ημέρες|дни|fu|tte|time)(?![a-z])|dauer|duration|dur[ée]e|durata|los$|follow|tage$|_d$"
)
# Of such, 0 is a value whatever the others are; of changes and of some others, what is below 0 is one, too.
_CHANGES = r"chang|chg|delta|diff|excess|z.?score|änder|aender|zmian|cambi|variaz|variation|μεταβολ|διαφορ|промян"
MAY_BE_0 = rf"(?i){_CHANGES}|dos[ei]|dosage|doza|δόση|доза|adhere|complian|pct|percent|prozent|%"
MAY_BE_BELOW_0 = rf"(?i){_CHANGES}|temp|θερμοκρ|темпер"


def numbers_apart(
    numbers: np.ndarray,
    n_records: np.ndarray,
    is_age: bool,
    counts_days: bool,
    may_be_0: bool = False,
    may_be_below_0: bool = False,
) -> Apart:
    """Which distinct numbers (n_values,) of a column are codes for missing; NaN is none.

    Sure: an age that nobody reaches; -99 where nothing else is below 0; 999, of several people, farther from all others
    than three times their range; days that lead from an ordinary date to a placeholder. Less clear ones may be codes.
    ``may_be_0`` and ``may_be_below_0``: by its heading, such numbers are values.
    """
    is_there = ~np.isnan(numbers) & (n_records > 0)
    found = Apart(np.zeros_like(is_there), np.zeros_like(is_there))
    candidates = is_there & np.isin(numbers, list(CODES))
    if counts_days:  # a visit seven days before the start has a day of its own
        candidates &= (numbers < -500) | (numbers > 9)
    if is_age:
        candidates |= is_there & ((numbers > _OLDEST) | (numbers < 0))
    if candidates.any():
        for code, beside in _BESIDE.items():
            candidates |= is_there & np.isin(numbers, beside) & bool((numbers == code).any())
        found = _codes(numbers, n_records, is_there, candidates, is_age)
    if not counts_days:
        asked = _zeros_apart(numbers, n_records, is_there) & (not may_be_0)
        asked |= _below_all(numbers, n_records, is_there) & (not may_be_below_0)
        found = Apart(found.sure, found.may_be | (asked & ~found.sure))
    days = is_there & _leads_to_placeholder(numbers, counts_days)
    rest = is_there & ~days
    is_far = days.any() and rest.any() and np.abs(numbers[days]).min() > 4 * np.abs(numbers[rest]).max()
    if is_far and n_records[days].sum() <= n_records[rest].sum():
        found = Apart(found.sure | days, found.may_be & ~days)
    return found


def _codes(
    numbers: np.ndarray, n_records: np.ndarray, is_there: np.ndarray, candidates: np.ndarray, is_age: bool
) -> Apart:
    others = numbers[is_there & ~candidates]
    sure, may_be = np.zeros(len(numbers), dtype=bool), np.zeros(len(numbers), dtype=bool)
    impossible = candidates & ((numbers < 0) | ((numbers > _OLDEST) & _is_apart(numbers, is_there)))
    if is_age and n_records[impossible].sum() <= n_records[is_there & ~impossible].sum():
        sure |= impossible
    if len(others) < 2:
        return Apart(sure, may_be)
    low, high, n_others = others.min(), others.max(), n_records[is_there & ~candidates].sum()
    spread, of_scale = high - low, np.isin(np.abs(numbers), (7.0, 8.0, 9.0))
    below = candidates & (numbers < 0) & (low >= 0)
    is_lone = is_there & np.isin(numbers, _BELOW)  # one -97 without -99 may be a balance
    is_lone &= n_records[is_lone].sum() < 2 and not np.isin(numbers[is_there], (-99, -999)).any()
    sure |= below & ~is_lone & np.where(of_scale, (n_records >= 2) & (n_others >= 20), numbers < _LOWEST_SCORE)
    above = candidates & (numbers > high) & ~of_scale
    gap, several = numbers - high, n_records >= 2
    # Of few codes of categories, a code for missing is one beside 0 or 1: 999 may be a room beside 101 and 102.
    are_many = len(others) >= _FEW_CODES or low <= 1 or bool((others % 1).any())
    sure |= above & several & (gap >= 3 * spread) & are_many
    may_be |= above & ((gap >= 3 * spread) | ((gap >= spread) & (n_records >= 3)))
    # Several people, far away for values that lie as close together as these: six of 99 years, and the next of 70.
    of_others = np.diff(np.sort(others))
    may_be |= above & (n_records >= 3) & (gap >= spread / 4) & (gap >= _FAR_FOR_A_GAP * of_others.max(initial=0))
    on_scale = candidates & of_scale & (numbers > high)
    is_off = bool((others == np.trunc(others)).all()) and bool((gap[on_scale] > spread).all())
    may_be |= on_scale & several & (n_others >= 20) & is_off
    return Apart(sure, (may_be | below) & ~sure)


def _is_apart(numbers: np.ndarray, is_there: np.ndarray) -> bool:
    """Whether what is too much for an age in years stands apart: ages of children in months go on from 130."""
    ages = np.sort(numbers[is_there & (numbers >= 0) & (numbers <= _OLDEST)])
    above = numbers[is_there & (numbers > _OLDEST)]
    return not len(above) or not len(ages) or bool(above.min() - ages[-1] > max(20, *(2 * np.diff(ages)), 0))


def _zeros_apart(numbers: np.ndarray, n_records: np.ndarray, is_there: np.ndarray) -> np.ndarray:
    """Where 0 is, of several people, if all others are many that lie close together far from it: blood pressures."""
    is_zero = is_there & (numbers == 0)
    others = is_there & ~is_zero & ~np.isin(numbers, list(CODES))
    n_others = n_records[others].sum()
    are_many = others.sum() >= _MANY_CODES and n_others >= max(_FEWEST, 4 * n_records[is_zero].sum())
    is_one = are_many and numbers[is_there & ~is_zero].min() >= _NEAR_MOST * numbers[others].max()
    return is_zero & (n_records >= 2) & bool(is_one)


def _below_all(numbers: np.ndarray, n_records: np.ndarray, is_there: np.ndarray) -> np.ndarray:
    """Which numbers are the few codes of surveys below 0, where counts or scores are many: -1 not known, -3 not said.

    -99 may stand beside them; a scale that goes below 0 has other numbers there.
    """
    is_below = is_there & (numbers < 0)
    rest, own = is_there & ~is_below, numbers[is_below & ~(np.isin(numbers, list(CODES)) & (numbers < _LOWEST_SCORE))]
    n_below, n_rest = n_records[is_below].sum(), n_records[rest].sum()
    are_few = 0 < 2 * len(own) <= rest.sum() and 4 * n_below <= n_rest and n_rest >= _FEWEST
    return is_below & bool(are_few and np.isin(own, _OF_SURVEYS).all() and not (numbers[is_there] % 1).any())


def _leads_to_placeholder(numbers: np.ndarray, counts_days: bool) -> np.ndarray:
    """Which numbers of days lead from an ordinary date to a placeholder: 2,915,131 to the end of the year 9999."""
    ends: Sequence[int] = _DATES.tolist() if counts_days else [int(np.datetime64("9999-12-31").astype(np.int64))]
    far = np.abs(numbers) >= 20 * _YEAR
    far &= numbers == np.trunc(numbers)
    leads = [(numbers >= end - _TO) & (numbers <= end - _FROM + 1) for end in ends if end < _FROM or end > _TO]
    return far & np.any(leads, axis=0)


# What a unit is of another one: metres and centimetres, grams in a litre and in a decilitre; degrees of temperature.
_OF_UNITS = (0.001, 0.01, 0.1, 10.0, 100.0, 1000.0)
_FAR_APART, _MOST_APART, _MOSTLY = 2, 0.35, 0.8  # times the range of the others, both as ratios; shares


def n_in_another_unit(numbers: np.ndarray, n_records: np.ndarray | None) -> int:
    """How many records of a measurement (n_values,), NaN where missing, seem to be in another unit than most.

    They are far from all others, and lie among these in units of a power of ten, or in the other degrees.
    """
    is_there = numbers > 0
    weights = np.ones(is_there.sum()) if n_records is None else n_records[is_there]
    order = np.argsort(numbers[is_there], kind="stable")
    values, ends = numbers[is_there][order], np.cumsum(weights[order])
    if len(values) < 2 or ends[-1] < _FEWEST:
        return 0
    steps = np.diff(np.log(values))
    widest = int(np.argmax(steps))
    n_below, n_above = ends[widest], ends[-1] - ends[widest]
    few, others = (values[: widest + 1], values[widest + 1 :])[:: 1 if n_below < n_above else -1]
    is_far = steps[widest] >= _FAR_APART * np.log(others[-1] / others[0])
    if not is_far or len(np.unique(others)) < _FEW_CODES or min(n_below, n_above) > _MOST_APART * ends[-1]:
        return 0
    converted = np.array([*(few * factor for factor in _OF_UNITS), (few - 32) / 1.8, few * 1.8 + 32])
    are_among = ((converted >= others[0]) & (converted <= others[-1])).any(axis=0).mean() >= _MOSTLY
    return int(min(n_below, n_above)) if are_among else 0
