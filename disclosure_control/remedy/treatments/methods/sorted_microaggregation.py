"""Microaggregation in one order: people are sorted, and neighbours share the mean of every column.

Faster than ``mdav`` and worse: neighbours may be far apart in a column. The order is that of the first principal
component, of one column, or of the subject ids (a benchmark: the cost of groups formed without any value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, COLUMNS, Place, one_of, whole_number
from disclosure_control.remedy.treatments.methods.microaggregation import (
    AGGREGATES,
    aggregated_together,
    chosen_columns,
    fixed_groups,
)
from disclosure_control.remedy.treatments.record_order import record_ranks
from disclosure_control.remedy.treatments.registry import (
    Example,
    Treated,
    Treatment,
    TreatmentInput,
    register,
)


def first_component(numbers: np.ndarray, by: int | None = None) -> np.ndarray:
    """Score of each record (n,) on the first principal component of the columns (n, n_columns), each standardised.

    The component's first loading that is not 0 is positive, as in R's ``princomp``. A column that
    does not vary has no weight.
    """
    centred = numbers - numbers.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    standard = centred / np.where(deviation > 0, deviation, 1.0)
    loadings = np.linalg.eigh(standard.T @ standard)[1][:, -1]
    pointing = loadings[np.abs(loadings) > 1e-9]
    # Column by column: a matrix product may round equal records differently.
    sign = np.sign(pointing[0]) if len(pointing) else 1.0
    parts = (column * loading * sign for column, loading in zip(standard.T, loadings, strict=True))
    return sum(parts, np.zeros(len(numbers)))


def one_column(numbers: np.ndarray, by: int | None = None) -> np.ndarray:
    """The column at position ``by``, or the first one where the records lack that."""
    return numbers[:, by or 0]


def no_column(numbers: np.ndarray, by: int | None = None) -> np.ndarray:
    """The same for everyone, so that the order of ties decides."""
    return np.zeros(len(numbers))


ORDERS: dict[str, Callable[[np.ndarray, int | None], np.ndarray]] = {
    "first_component": first_component,
    "column": one_column,
    "subject": no_column,
}


@dataclass(frozen=True)
class SortedMicroaggregationSettings(SettingsGroup):
    """The columns, the size of a group, and the order of the people."""

    columns: tuple[str, ...] | None = setting(COLUMNS, "columns of numbers", None, "continuous quasi-identifiers")
    group_size: int | None = setting(
        whole_number(2, 2**31), "the least number of people in a group", None, "the config's `K`"
    )
    order: str = setting(one_of(*ORDERS), "the order of the people", "first_component")
    by: str | None = setting(COLUMN, "the column that gives the order", None)
    aggregate: str = setting(one_of(*AGGREGATES), "the value that replaces those of a group", "mean")

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """A column of the order without use, or one that is not treated."""
        if self.by is None:
            return
        columns = self.columns or place.pilot.continuous_qis
        if self.order != "column":
            yield f'{place["by"]}: has no effect without "order": "column"; add it, or remove by'
        elif self.by not in columns:
            allowed = ", ".join(columns)
            yield f"{place['by']}: {self.by!r} is not one of the treated columns; allowed: {allowed}"


def apply_sorted_microaggregation(given: TreatmentInput, settings: SortedMicroaggregationSettings) -> Treated:
    """Replace numbers of several columns by those of ``group_size`` neighbours in one order; the last group takes the
    rest.

    ``order``: "first_component", "column" (``by`` names it, the first one by default), or "subject": the order of the
    subject ids, or of rows without ids. Ties are ordered by subject id. People with missing values are grouped with
    those who lack the same; if they are too few, they lose their values, and the notes count them. Every combination of
    the columns is then shared by ``group_size`` people. Source: sdcMicro ``microaggregation``, methods "pca", "single"
    and "simple"; Defays and Anwar 1998, Masking microdata using micro-aggregation.
    """
    columns, group_size = chosen_columns(given, settings.columns, settings.group_size)
    ranks = np.arange(len(given.frame)) if given.subjects is None else record_ranks(given)
    size, sort_column = group_size, settings.by

    def neighbours(part: np.ndarray, held: np.ndarray, records: np.ndarray) -> np.ndarray:
        names = [name for name, is_held in zip(columns, held, strict=True) if is_held]
        place = names.index(sort_column) if sort_column in names else None
        in_order = np.lexsort((ranks[records], ORDERS[settings.order](part, place)))
        group = np.empty(len(part), dtype=np.int64)
        group[in_order] = fixed_groups(part, size)
        return group

    return aggregated_together(given, columns, group_size, settings.aggregate, neighbours)


register(
    "sorted_microaggregation",
    Treatment(
        apply_sorted_microaggregation,
        SortedMicroaggregationSettings,
        words="replaces numbers of several columns by the means of neighbours in one `order` of the people: see below",
        example=Example({"columns": ["LB__X", "DM__AGE"]}, ("LB__X", "DM__AGE")),
        place=130,
        promises=("rows", "ids", "types", "columns"),
    ),
)
