"""Numbers as intervals: the bin of each value, the treatment of values outside, and the number of their people."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, numbers_of
from disclosure_control.basics.settings.kinds import is_number
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at

OUT_OF_RANGE_POLICIES = ("tail", "missing")


@dataclass(frozen=True)
class Binning:
    """How a column was binned, and how many people are below the edges, above them, or have no value at all.

    ``policy``: the treatment of those outside: kept in a tail, or made missing.
    """

    edges: tuple[float, ...]
    n_below: int
    n_above: int
    n_missing: int
    policy: str


def _bin_numbers(numbers: np.ndarray, edges: Sequence[float]) -> np.ndarray:
    """Bin of each number: 0..n_bins-1, -1 below the first edge, n_bins above the last; missing is n_bins + 1."""
    bins: np.ndarray = np.searchsorted(edges[:-1], numbers, side="right").astype(np.int32) - 1
    bins += numbers > edges[-1]
    bins[np.isnan(numbers)] = len(edges)
    return bins


def bin_labels(edges: Sequence[float]) -> list[str]:
    """The label ``a--b`` of each bin, (n_edges - 1,); tails are not among them."""
    return [f"{number_text(low)}--{number_text(high)}" for low, high in itertools.pairwise(edges)]


def are_edges(value: object) -> bool:
    """Whether bins can have these edges: at least two finite numbers that rise, with labels that differ."""
    if not isinstance(value, list | tuple) or len(value) < 2 or not all(is_number(edge) for edge in value):
        return False
    rising = all(low < high for low, high in itertools.pairwise(value))
    return rising and len(set(bin_labels(value))) == len(value) - 1


def bin_values(
    values: pd.Series, edges: Sequence[float], out_of_range: str = "tail", people: np.ndarray | None = None
) -> tuple[pd.Series, Binning]:
    """Values as intervals, as by ``bin_feature_column``, and the people outside.

    ``people`` (n_values,) have each value; by default one.
    """
    if out_of_range not in OUT_OF_RANGE_POLICIES:
        raise FaultyInputError(f"out_of_range is {out_of_range!r}; allowed: {', '.join(OUT_OF_RANGE_POLICIES)}")
    if not are_edges(list(edges)):
        raise FaultyInputError(f"bin edges of {values.name!r}: at least two finite, rising numbers are needed")
    bins, n_bins = _bin_numbers(numbers_of(values, people), edges), len(edges) - 1
    n_below, n_above, n_missing = (
        int(where.sum() if people is None else people[where].sum())
        for where in (bins == -1, bins == n_bins, bins == n_bins + 1)
    )
    labels = bin_labels(edges)
    if out_of_range == "missing":
        bins[bins >= n_bins] = -1
    else:
        # The tails are in the order of the values, so that sorting by code sorts by size.
        labels = [f"<{number_text(edges[0])}", *labels, f">{number_text(edges[-1])}"]
        bins += 1
        bins[bins == n_bins + 2] = -1
    binned = pd.Categorical.from_codes(bins, categories=pd.Index(labels), ordered=True)
    binning = Binning(tuple(edges), n_below, n_above, n_missing, out_of_range)
    return pd.Series(binned, index=values.index, name=values.name), binning


def bin_columns(
    columns: Mapping[str, pd.Series] | pd.DataFrame,
    binning_config: Mapping[str, Sequence[float]],
    out_of_range: str = "tail",
    people: Mapping[str, np.ndarray] | None = None,
) -> tuple[dict[str, pd.Series], dict[str, Binning]]:
    """Each column of ``binning_config`` binned, and who fell outside; ``people`` (n_values,) have each value, or one.

    Raises ``FaultyInputError`` with the faults of all columns.
    """
    binned, binnings = {}, {}
    faults: list[str] = []
    for name, edges in binning_config.items():
        try:
            of_column = None if people is None else people[name]
            binned[name], binnings[name] = bin_values(columns[name], edges, out_of_range, of_column)
        except FaultyInputError as error:
            faults.extend(error.faults)
    stop_at(faults)
    return binned, binnings
