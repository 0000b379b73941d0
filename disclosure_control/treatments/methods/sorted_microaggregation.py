"""Microaggregation in one order: people are put into a row, and neighbours in it share the mean of every column.

Faster than ``mdav`` and worse: people next to each other in the row may lie far apart in a column. The row is that of
the first principal component, of one column, or of the subject ids (a benchmark: what grouping costs that looks at no
value at all).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import COLUMN, COLUMNS, one_of, whole_number
from disclosure_control.treatments.methods.microaggregation import (
    AGGREGATES,
    aggregated_together,
    chosen_columns,
    fixed_groups,
)
from disclosure_control.treatments.record_order import record_ranks
from disclosure_control.treatments.registry import (
    Example,
    Treated,
    Treatment,
    TreatmentInput,
    names_in,
    register,
)


def first_component(numbers: np.ndarray, by: int | None = None) -> np.ndarray:
    """Score of each record (n,) on the first principal component of the columns (n, n_columns), each standardised.

    The component points to where its first loading that is not 0 is positive, as in R's ``princomp``. A column that
    does not vary has no say.
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
    """The same for everybody: what decides is the order that decides ties."""
    return np.zeros(len(numbers))


ORDERS: dict[str, Callable[[np.ndarray, int | None], np.ndarray]] = {
    "first_component": first_component,
    "column": one_column,
    "subject": no_column,
}


def apply_sorted_microaggregation(
    given: TreatmentInput,
    columns: Sequence[str] | None = None,
    group_size: int | None = None,
    order: str = "first_component",
    by: str | None = None,
    aggregate: str = "mean",
) -> Treated:
    """Numbers of several columns become those of ``group_size`` neighbours in one order; the last group takes the rest.

    ``order``: "first_component", "column" (``by`` names it, the first one by default), or "subject": the order of the
    subject ids, of rows where there are none. Equals in it go by subject id. People who lack values are grouped among
    those who lack the same; too few of them lose the values they have, and the notes say how many. Every combination
    of the columns is then shared by ``group_size`` people. Source: sdcMicro ``microaggregation``, methods "pca",
    "single" and "simple"; Defays and Anwar 1998, Masking microdata using micro-aggregation.
    """
    columns, group_size = chosen_columns(given, columns, group_size)
    ranks = np.arange(len(given.frame)) if given.subjects is None else record_ranks(given)
    size, sort_column = group_size, by

    def neighbours(part: np.ndarray, held: np.ndarray, records: np.ndarray) -> np.ndarray:
        names = [name for name, is_held in zip(columns, held, strict=True) if is_held]
        place = names.index(sort_column) if sort_column in names else None
        in_order = np.lexsort((ranks[records], ORDERS[order](part, place)))
        group = np.empty(len(part), dtype=np.int64)
        group[in_order] = fixed_groups(part, size)
        return group

    return aggregated_together(given, columns, group_size, aggregate, neighbours)


def _check(settings: Mapping[str, object], config: PilotConfig) -> list[str]:
    if "by" not in settings:
        return []
    if settings.get("order") != "column":
        return ['by: no use without "order": "column"; add it, or take by out']
    columns = names_in(settings.get("columns")) or config.continuous_qis
    if settings["by"] not in columns:
        return [f"by: {settings['by']!r} is none of the columns that are treated; allowed: {', '.join(columns)}"]
    return []


register(
    "sorted_microaggregation",
    Treatment(
        apply_sorted_microaggregation,
        {
            "columns": COLUMNS,
            "group_size": whole_number(2, 2**31),
            "order": one_of(*ORDERS),
            "by": COLUMN,
            "aggregate": one_of(*AGGREGATES),
        },
        words="numbers of several columns become the means of neighbours in one `order` of the people: see below",
        example=Example({"columns": ["LB__X", "DM__AGE"]}, ("LB__X", "DM__AGE")),
        place=130,
        promises=("rows", "ids", "types", "columns"),
        check=_check,
    ),
)
