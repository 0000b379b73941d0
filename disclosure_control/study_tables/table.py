"""A table of a study: rows of what is counted or measured, a column per arm, and in each cell its people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import NormalDist
from typing import Any

import numpy as np

ANY = "Any record"  # of a data set that not everybody has
Z = NormalDist().inv_cdf(0.975)  # of intervals of 95%


About = tuple[str, str, str, tuple[str, ...]]  # the name, source, title and columns of a table


class CellKind(StrEnum):
    """What the values of a table are."""

    SHARE = "share"  # of people, in [0, 1]
    MEAN = "mean"  # of one number per person
    SURVIVAL = "survival"  # share of people without the event until a day, by Kaplan and Meier
    ESTIMATE = "estimate"  # a correlation or a coefficient


@dataclass(frozen=True)
class Cells:
    """People with a value, the value, and its standard error, all of one shape; NaN of nobody, or without error."""

    n: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)
    error: np.ndarray = field(repr=False)

    @classmethod
    def of_shares(cls, n: np.ndarray, of: np.ndarray) -> Cells:
        """The shares ``n`` of ``of`` people."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = n / of
            return cls(n, share, np.sqrt(share * (1 - share) / of))


@dataclass(frozen=True, eq=False)
class StudyTable:
    """A table made of a study: ``name`` is that of its definition, ``source`` the domain that it was made of.

    Arrays are (n_rows, n_columns). ``columns`` are the arms, which share no person; a study without arms has one
    column. ``n``: people of the cell: those who have what the row says, or who have a number, or are still at risk.
    ``of``: the people among whom they are counted, its margin. ``value``: the share ``n / of``, the mean, ...; NaN
    where it cannot be made. ``error``: its standard error, NaN where it is not known. ``events``: records, where people
    may have several. ``groups`` (n_rows,): what a row is a category of; rows of one group may be of the same people.
    ``bands``: of numbers that are released as intervals, by group, how many intervals there are.
    ``is_main``: few rows that the study is read by. ``p_value`` of a test over all columns, None without one.
    ``deaths``: groups of which no loss is small.
    """

    name: str
    source: str
    title: str
    kind: CellKind
    columns: tuple[str, ...]
    rows: tuple[str, ...] = field(repr=False)
    groups: tuple[str, ...] = field(repr=False)
    n: np.ndarray = field(repr=False)
    of: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)
    error: np.ndarray = field(repr=False)
    events: np.ndarray | None = field(default=None, repr=False)
    bands: Mapping[str, int] = field(default_factory=dict)
    is_main: bool = False
    p_value: float | None = field(default=None, repr=False)
    deaths: tuple[str, ...] = ()

    @classmethod
    def of_cells(
        cls, kind: CellKind, about: About, rows: Sequence[str], cells: Cells, of: np.ndarray, **further: Any
    ) -> StudyTable:
        """A table of cells, whose rows are groups of their own where no others are given."""
        name, source, title, columns = about
        groups, margin = tuple(further.pop("groups", rows)), np.broadcast_to(of, cells.n.shape)
        figures = cells.n, margin, cells.value, cells.error
        return cls(name, source, title, kind, columns, tuple(rows), groups, *figures, **further)

    @property
    def key(self) -> str:
        """What tells it from other tables of the study."""
        return f"{self.name}.{self.source}"

    @property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the 95% confidence interval of each value: of shares that of Wilson, else normal."""
        if self.kind is CellKind.SHARE:
            return wilson_intervals(self.n, self.of)
        return self.value - Z * self.error, self.value + Z * self.error

    def aligned(self, other: StudyTable) -> StudyTable:
        """The table with the rows and columns of an ``other`` one.

        A row that is not there counts nobody if its group is there, or if the table is one of shares of terms; its
        value is NaN otherwise, as that of a column that is not there.
        """
        row = _places(list(zip(self.groups, self.rows, strict=True)), list(zip(other.groups, other.rows, strict=True)))
        column, beside = _places(self.columns, other.columns), _places(self.groups, other.groups)

        def placed(array: np.ndarray, absent: float, places: np.ndarray = row) -> np.ndarray:
            padded = np.pad(array.astype(float), ((0, 1), (0, 1)), constant_values=absent)
            return padded[np.ix_(places, column)]

        of = placed(self.of, 0, np.where(row < 0, beside, row))
        is_empty = ((row < 0) & (beside >= 0))[:, None] & (of > 0) & (self.kind is CellKind.SHARE)
        value = np.where(is_empty, 0.0, placed(self.value, np.nan))
        return replace(
            self,
            columns=other.columns,
            rows=other.rows,
            groups=other.groups,
            n=placed(self.n, 0),
            of=of,
            value=value,
            error=np.where(is_empty, 0.0, placed(self.error, np.nan)),
            events=None if self.events is None else placed(self.events, 0),
        )


def _places(known: Sequence[object], wanted: Sequence[object]) -> np.ndarray:
    """The place of each of the wanted among the known, -1 of what is not there, which is the padding."""
    place = {one: at for at, one in enumerate(known)}
    return np.array([place.get(one, -1) for one in wanted], dtype=np.int64)


def wilson_intervals(n: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The Wilson intervals of shares, arrays of any shape; NaN of nobody."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share, weight = n / of, Z * Z / of
        middle = (share + weight / 2) / (1 + weight)
        half = Z * np.sqrt(np.maximum(share * (1 - share), 0) / of + weight / (4 * of)) / (1 + weight)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
