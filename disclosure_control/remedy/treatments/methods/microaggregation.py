"""Microaggregation: records form small groups of near ones, and each number becomes its group's mean or median.

``mdav`` groups by several columns together, ``microaggregation`` by each column separately. Both decide ties by values
and then by the records' content, so the result does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, numbers_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, one_of, whole_number
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.small_counts import NoteForReaders, people_on_screen
from disclosure_control.remedy.treatments.algorithms.mdav import mdav_groups
from disclosure_control.remedy.treatments.record_order import record_ranks
from disclosure_control.remedy.treatments.registry import (
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)

# ---------------------------------------------------------------- single columns


def optimal_groups(values: np.ndarray, group_size: int) -> np.ndarray:
    """Group of each number (n,) so that the sum of squared distances from the group's mean is the least possible.

    ``values`` (n,) in rising order, n at least ``group_size``; groups are neighbours, of ``group_size`` to twice that
    less one. Shortest path through the sorted values, O(n * group_size), a block of ``group_size`` values at a time.
    Source: Hansen and Mukherjee 2003, doi:10.1109/TKDE.2003.1209020.
    """
    n, lengths = len(values), np.arange(group_size, 2 * group_size)
    error = _errors_of_windows(values, group_size)
    cost, length = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0.0
    for start in range(group_size, n + 1, group_size):  # costs of a block rest on those before it alone
        ends = np.arange(start, min(start + group_size, n + 1))
        begins = ends - lengths[:, np.newaxis]
        costs = cost[begins] + error[lengths[:, np.newaxis] - group_size, begins]
        costs[begins < 0] = np.inf
        best = costs.argmin(axis=0)
        cost[ends], length[ends] = costs[best, np.arange(len(ends))], lengths[best]
    return _groups_of_lengths(length, n)


def _errors_of_windows(values: np.ndarray, group_size: int) -> np.ndarray:
    """Sum of squares about the mean of every window: (group_size, n), row i for windows of ``group_size`` + i values.

    Each length is one step of Welford's update from the length before, so large numbers lose no digits.
    """
    n = len(values)
    error = np.full((group_size, n), np.inf)
    mean, squares = values.astype(float), np.zeros(n)
    for length in range(1, 2 * group_size):
        if length > 1:
            n_windows = n - length + 1
            if n_windows <= 0:
                break
            step = values[length - 1 :] - mean[:n_windows]
            mean = mean[:n_windows] + step / length
            squares = squares[:n_windows] + step * step * ((length - 1) / length)
        if length >= group_size:
            error[length - group_size, : len(squares)] = squares
    return error


def _groups_of_lengths(length: np.ndarray, n: int) -> np.ndarray:
    lengths = []
    while n:
        lengths.append(length[n])
        n -= length[n]
    lengths.reverse()
    return np.repeat(np.arange(len(lengths)), lengths)


def fixed_groups(values: np.ndarray, group_size: int) -> np.ndarray:
    """Group of each number (n,) of ``values`` in rising order: ``group_size`` neighbours each, the rest in the last."""
    return np.minimum(np.arange(len(values)) // group_size, max(len(values) // group_size - 1, 0))


HAVE_ALL, LACK_SOME = "with a value of each column", "without a value of some column"
PARTITIONS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {"optimal": optimal_groups, "fixed": fixed_groups}


# ---------------------------------------------------------------- a value for each group


def group_means(numbers: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Mean of each group (n_groups,), within its values; ``numbers`` (n,) by group and rising within it."""
    first, last = numbers[start], numbers[start + size - 1]
    sums = np.add.reduceat(numbers - np.repeat(first, size), start)  # differences keep large numbers exact
    return np.clip(first + sums / size, first, last)


def group_medians(numbers: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Median of each group (n_groups,), of an even number the middle of two; ``numbers`` as in ``group_means``."""
    low, high = numbers[start + (size - 1) // 2], numbers[start + size // 2]
    return low + (high - low) / 2


AGGREGATES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "mean": group_means,
    "median": group_medians,
}


def aggregate_by_group(numbers: np.ndarray, group: np.ndarray, aggregate: str = "mean") -> np.ndarray:
    """Each number (n,) replaced by the mean or median of its group; summed in the order of the values."""
    order = np.lexsort((numbers, group))
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    size = np.diff(start, append=len(order))
    aggregated = np.empty(len(numbers))
    if len(numbers):
        aggregated[order] = np.repeat(AGGREGATES[aggregate](numbers[order], start, size), size)
    return aggregated


# ---------------------------------------------------------------- the treatments


@dataclass(frozen=True)
class MdavSettings(SettingsGroup):
    """The columns, the size of a group, and the value that replaces its numbers."""

    columns: tuple[str, ...] | None = setting(COLUMNS, "columns of numbers", None, "continuous quasi-identifiers")
    group_size: int | None = setting(
        whole_number(2, 2**31), "the least number of people in a group", None, "the config's `K`"
    )
    aggregate: str = setting(one_of(*AGGREGATES), "the value that replaces those of a group", "mean")


@dataclass(frozen=True)
class MicroaggregationSettings(MdavSettings):
    """Beside these how a column is cut into groups."""

    partition: str = setting(one_of(*PARTITIONS), "groups of the least loss, or of equal size", "optimal")


def apply_mdav(given: TreatmentInput, settings: MdavSettings) -> Treated:
    """Numbers of several columns become those of groups of at least ``group_size`` people who are near in all of them.

    Distances are those of ``mdav_groups``. People who lack values are grouped among those who lack the same ones;
    fewer than ``group_size`` of them lose the values they have, and the notes give their number. Raises
    ``FaultyInputError`` on columns that are not numbers.
    """
    columns, group_size = chosen_columns(given, settings.columns, settings.group_size)
    ranks = record_ranks(given)
    numbers = numbers_of_columns(given, columns)
    present = ~np.isnan(numbers)
    patterns, pattern_of_record = np.unique(present, axis=0, return_inverse=True)
    aggregated = np.full(numbers.shape, np.nan)
    n_lost = dict.fromkeys((HAVE_ALL, LACK_SOME), 0)
    with progress("Grouping records", len(given.frame)) as advance:
        for i, pattern in enumerate(patterns):
            records = np.flatnonzero(pattern_of_record.reshape(-1) == i)
            if not pattern.any():
                continue
            if len(records) < group_size:
                n_lost[HAVE_ALL if pattern.all() else LACK_SOME] += len(records)
                continue
            part = numbers[np.ix_(records, pattern)]
            group = mdav_groups(part, group_size, ranks[records], advance)
            aggregated[np.ix_(records, pattern)] = np.stack(
                [aggregate_by_group(one, group, settings.aggregate) for one in part.T], axis=1
            )
    notes = [note for who, n in n_lost.items() for note in note_of_lost(n, who, group_size)]
    return with_aggregated(given, columns, aggregated, notes)


def apply_microaggregation(given: TreatmentInput, settings: MicroaggregationSettings) -> Treated:
    """Replace the numbers of each column by those of groups of at least ``group_size`` neighbours in its order.

    ``partition``: "optimal" (least loss) or "fixed" (equal sizes). Missing stays missing. A column with fewer than
    ``group_size`` values loses them; the notes count them. Raises ``FaultyInputError`` on columns that are not numbers.
    Records do not become alike: each column has groups of its own.
    """
    columns, group_size = chosen_columns(given, settings.columns, settings.group_size)
    numbers, ranks = numbers_of_columns(given, columns), record_ranks(given)
    aggregated, notes = np.full(numbers.shape, np.nan), []
    for i, name in enumerate(columns):
        records = np.flatnonzero(~np.isnan(numbers[:, i]))
        if len(records) < group_size:
            notes += note_of_lost(len(records), f"with a value of {name!r}", group_size)
            continue
        records = records[np.lexsort((ranks[records], numbers[records, i]))]
        rising = numbers[records, i]
        group = PARTITIONS[settings.partition](rising, group_size)
        aggregated[records, i] = aggregate_by_group(rising, group, settings.aggregate)
    return with_aggregated(given, columns, aggregated, notes)


def chosen_columns(
    given: TreatmentInput, columns: Sequence[str] | None, group_size: int | None
) -> tuple[tuple[str, ...], int]:
    """The columns and the size of a group, by default the continuous quasi-identifiers still there, and K."""
    chosen = given.config.continuous_qis if columns is None else columns
    still_there = tuple(name for name in chosen if columns is not None or name in given.frame)
    return still_there, given.config.K if group_size is None else group_size


def numbers_of_columns(given: TreatmentInput, columns: Sequence[str]) -> np.ndarray:
    """The columns as floats (n_records, n_columns). Raises ``FaultyInputError`` with all that are not numbers."""
    numbers: list[np.ndarray] = []
    faults: list[str] = []
    for name in columns:
        try:
            numbers.append(numbers_of(given.frame[name]))
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    # Adding zero turns -0.0 into 0.0: the same value is the same text.
    return np.array(numbers, dtype=float).reshape(len(columns), len(given.frame)).T + 0.0


def with_aggregated(
    given: TreatmentInput, columns: Sequence[str], aggregated: np.ndarray, notes: Sequence[str] = ()
) -> Treated:
    """The frame with ``aggregated`` (n_records, n_columns) in place of the columns, text where they were text."""
    new = {}
    for i, name in enumerate(columns):
        old = given.frame[name]
        column = pd.Series(aggregated[:, i], index=old.index, name=name)
        if not pd.api.types.is_numeric_dtype(old.dtype):
            column = column.map(number_text, na_action="ignore").astype("str")
        new[name] = column
    return with_columns(given, new, notes)


def note_of_lost(n_lost: int, who: str, group_size: int) -> list[str]:
    """A note on people too few for a group; empty without any."""
    if not n_lost:
        return []
    why = f"were made missing, because they are too few for a group of {group_size}."
    return [NoteForReaders.of(lambda n: f"The values of {n} people {who} {why}", n_lost, people_on_screen(n_lost))]


TREATMENTS = {
    "mdav": Treatment(
        apply_mdav,
        MdavSettings,
        130,
        "replaces numbers of several columns by the means of groups of people similar in all of them: see below",
    ),
    "microaggregation": Treatment(
        apply_microaggregation,
        MicroaggregationSettings,
        130,
        "replaces the numbers of each column, one by one, by the means of neighbours in its order: see below",
    ),
}
