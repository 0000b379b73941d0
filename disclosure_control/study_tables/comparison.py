"""The tables of what came in beside those of what leaves: cells, confidence intervals, and differences between arms."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np

from disclosure_control.basics.telling.small_counts import SMALLEST_PRINTED_GROUP
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable, Z

LEAST = SMALLEST_PRINTED_GROUP  # people of a cell whose difference from another one is read
CONTROL = re.compile(r"(?i)placebo|\bpbo\b|control|sham|vehicle|standard of care|usual care|no treatment|untreated")
_SAME = 1e-9


class State(IntEnum):
    """What became of a comparison between two arms, or of a figure of a study without arms."""

    NOT_COMPARED = -1
    HELD = 0
    SIGNIFICANCE = 1  # an interval that excluded 0 contains it now, or the other way round
    SIGN = 2  # the difference, significant before or now, has the other sign
    MOVED = 3  # what leaves shows a value outside the confidence interval of what came in
    LOST = 4  # what leaves shows none


@dataclass(frozen=True, eq=False)
class Differences:
    """The difference of each cell from the arm of reference (n_rows, n_columns), with its 95% interval; NaN without."""

    value: np.ndarray = field(repr=False)
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)

    @property
    def is_significant(self) -> np.ndarray:
        """Where the interval excludes 0."""
        found: np.ndarray = (self.low > 0) | (self.high < 0)
        return found


def differences(table: StudyTable, reference: int | None) -> Differences:
    """The differences of all cells of a table from those of the column ``reference``; without one the cells.

    Of shares the interval is that of Agresti and Caffo 2000, doi:10.1080/00031305.2000.10474560; of other values it is
    normal, by both standard errors.
    """
    if reference is None:
        return Differences(table.value, *table.interval)
    value = table.value - table.value[:, [reference]]
    middle, variance = value, table.error**2
    if table.kind is CellKind.SHARE:
        share = (table.n + 1) / (table.of + 2)
        middle, variance = share - share[:, [reference]], share * (1 - share) / (table.of + 2)
    half = Z * np.sqrt(variance + variance[:, [reference]])
    return Differences(value, middle - half, middle + half)


@dataclass(frozen=True, eq=False)
class ComparedTable:
    """A table ``before`` and ``after``, both with the rows and columns of what came in.

    ``reference``: the column of the arm with which others are compared, None where there is one column alone.
    ``coarser``: groups of rows that leave in other, mostly fewer, categories, and how many; they are not compared.
    ``gone``: groups of rows of which nothing leaves, ``excused`` those that their role removes, which are not read.
    ``fresh``: of a table of events, the terms in place of others, by their people.
    """

    before: StudyTable
    after: StudyTable
    reference: int | None
    coarser: Mapping[str, int]
    gone: tuple[str, ...]
    fresh: Mapping[str, int] = field(default_factory=dict)
    excused: tuple[str, ...] = ()

    @cached_property
    def is_compared(self) -> np.ndarray:
        """Which cells (n_rows, n_columns) have a value before and are comparable."""
        is_other = np.isin(self.before.groups, list(self.coarser))
        return ~np.isnan(self.before.value) & ~is_other[:, None]

    @cached_property
    def change(self) -> np.ndarray:
        """The value after less that before (n_rows, n_columns), NaN if lost: of means in standard deviations, of
        correlations and coefficients in standard errors.
        """
        change = np.where(self.is_compared, self.after.value - self.before.value, np.nan)
        if self.before.kind not in (CellKind.MEAN, CellKind.ESTIMATE):
            return change
        deviation = self.before.error * (np.sqrt(self.before.n) if self.before.kind is CellKind.MEAN else 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(np.abs(change) <= _SAME * np.maximum(1, np.abs(self.before.value)), 0, change / deviation)

    @cached_property
    def is_changed(self) -> np.ndarray:
        """Which cells are not as they were."""
        return self.is_compared & ~(np.abs(self.change) <= _SAME)

    @cached_property
    def overlap(self) -> np.ndarray:
        """The overlap of both confidence intervals (n_rows, n_columns), in [0, 1]; NaN where one is not known.

        The mean of the shares of either interval that lie in the other one. Source: Karr et al. 2006,
        doi:10.1198/000313006X124640.
        """
        (low, high), (low_now, high_now) = self.before.interval, self.after.interval
        common = np.maximum(np.minimum(high, high_now) - np.maximum(low, low_now), 0)
        wide, wide_now = high - low, high_now - low_now
        with np.errstate(invalid="ignore", divide="ignore"):
            overlap = (common / wide + common / wide_now) / 2
        same = (np.abs(high - high_now) <= _SAME) & (np.abs(low - low_now) <= _SAME)
        return np.where(self.is_compared, np.where(same, 1.0, overlap), np.nan)

    @property
    def lost(self) -> float:
        """The share of the table that is lost, in [0, 1]: of each cell what its intervals do not have in common.

        All of a cell that does not leave; nothing of one without interval that is the same. Of a group that leaves in
        n bands one part in n, which is what a value is spread over where bands are alike (Iyengar 2002,
        doi:10.1145/775047.775089).
        """
        had = ~np.isnan(self.before.value)
        kept = np.where(np.isnan(self.overlap), self.is_compared & ~self.is_changed, self.overlap)
        in_bands = np.array([1 - 1 / max(self.coarser.get(group, 1), 1) for group in self.before.groups])
        kept = np.where(np.isin(self.before.groups, list(self.coarser))[:, None], in_bands[:, None], kept)
        return float((1 - kept[had]).mean()) if had.any() else 0.0

    @cached_property
    def before_differences(self) -> Differences:
        """Differences between arms in what came in; without arms the values themselves."""
        return differences(self.before, self.reference)

    @cached_property
    def after_differences(self) -> Differences:
        """Differences between arms in what leaves; without arms the values themselves."""
        return differences(self.after, self.reference)

    @cached_property
    def is_read(self) -> np.ndarray:
        """Which comparisons (n_rows, n_columns) a reader draws: those of cells with enough people, by figure.

        A share is compared if enough people have it, in all arms together; a curve after enough events.
        """
        n, of, events = self.before.n, self.before.of, self.before.events
        enough = n >= LEAST
        if self.before.kind is CellKind.SHARE:
            together = np.minimum(n.sum(axis=1), (of - n).sum(axis=1)) if self.reference is None else n.sum(axis=1)
            enough = (of >= LEAST) & (together >= LEAST)[:, None]
        elif self.before.kind is CellKind.SURVIVAL and events is not None:
            enough &= (events.sum(axis=1) >= LEAST)[:, None]
        known = self.is_compared & enough & ~np.isnan(self.before_differences.low)
        known &= ~np.isin(self.before.groups, self.excused)[:, None]
        if self.reference is None:
            return known
        is_other = np.arange(n.shape[1]) != self.reference
        return known & known[:, [self.reference]] & is_other[None, :]

    @cached_property
    def states(self) -> np.ndarray:
        """The ``State`` of each comparison (n_rows, n_columns)."""
        before, after = self.before_differences, self.after_differences
        states = np.full(before.value.shape, int(State.HELD))
        if self.reference is not None:
            was, now = before.is_significant, after.is_significant
            states[was != now] = State.SIGNIFICANCE
            states[(before.value * after.value < 0) & (was | now)] = State.SIGN
        moved = (after.value < before.low - _SAME) | (after.value > before.high + _SAME)
        states[moved] = State.MOVED
        states[np.isnan(after.value)] = State.LOST
        states[np.abs(after.value - before.value) <= _SAME * np.maximum(1, np.abs(before.value))] = State.HELD
        states[self.vanished] = State.LOST  # also of a difference that was 0
        return np.where(self.is_read, states, int(State.NOT_COMPARED))

    @property
    def test_changed(self) -> bool:
        """Whether the test over all arms was significant and is no more, or the other way round."""
        was, now = self.before.p_value, self.after.p_value
        return was is not None and (now is None or (was < 0.05) != (now < 0.05))

    @cached_property
    def vanished(self) -> np.ndarray:
        """Which rows (n_rows,) had people and have none now, though others of their group do: categories and visits."""
        is_other = np.isin(self.before.groups, [*self.coarser, *self.gone])
        had, has_rows = self.before.n.sum(axis=1) > 0, self.before.kind in (CellKind.SHARE, CellKind.MEAN)
        return has_rows & had & (self.after.n.sum(axis=1) == 0) & ~is_other


# Tables of which a category in other words is a coarser one, and not another event.
_OF_CATEGORIES = ("demographics", "demographics_means")


def compared(
    before: StudyTable, after: StudyTable | None, compare_with: str | None = None, by_role: Collection[str] = ()
) -> ComparedTable:
    """A table of what came in beside that of what leaves, None if there is none.

    ``compare_with``: the arm of reference; by default the one whose name says so, else the first. ``by_role``: columns
    that do not leave because of their role, with their data sets.
    """
    if after is None:
        none, about = np.zeros((0, len(before.columns))), (before.name, before.source, before.title, before.columns)
        after = StudyTable.of_cells(before.kind, about, (), Cells(none, none, none), none)
    rows = set(zip(before.groups, before.rows, strict=True))
    places = list(zip(after.groups, after.rows, after.n.sum(axis=1).tolist(), strict=True))
    fresh, coarser = dict[str, int](), dict[str, int]()
    if before.name in _OF_CATEGORIES:
        groups = dict.fromkeys(group for group, row, _ in places if (group, row) not in rows)
        coarser = {group: after.groups.count(group) for group in groups} | dict(after.bands)
    elif before.kind is CellKind.SHARE:
        fresh = {row: int(n) for group, row, n in places if (group, row) not in rows}
    gone = tuple(group for group in dict.fromkeys(before.groups) if group not in after.groups)
    excused = tuple(group for group in gone if f"{before.source}.{group}" in by_role)
    reference = reference_of(before.columns, compare_with)
    return ComparedTable(before, after.aligned(before), reference, coarser, gone, fresh, excused)


def reference_of(columns: tuple[str, ...], compare_with: str | None = None) -> int | None:
    """The place of the arm with which the others are compared; None if there is one column alone."""
    if len(columns) < 2:
        return None
    if compare_with in columns:
        return columns.index(compare_with)
    return next((place for place, name in enumerate(columns) if CONTROL.search(name)), 0)


def compared_tables(
    before: Mapping[str, StudyTable],
    after: Mapping[str, StudyTable],
    compare_with: str | None = None,
    by_role: Collection[str] = (),
) -> dict[str, ComparedTable]:
    """Every table of what came in, by its key, beside the same of what leaves."""
    return {key: compared(table, after.get(key), compare_with, by_role) for key, table in before.items()}
