"""Answers with noise, by OpenDP's core interface, which draws all noise and computes every epsilon.

Two datasets are neighbours if one has one person more (add or remove one; the number of people is itself private).
Every record is one person's, checked when the dataset is read. All processing before the library's own steps works
record by record: a column becomes numbers or categories, and records without a value are left out. So one person more
or less stays one record more or less, and the library's map of that distance, 1, to epsilon holds for the whole answer.

Every possible value of a record is counted somewhere: none leads to a refusal, which would be an answer without noise.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from math import inf, nextafter
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import bin_feature_column
from disclosure_control.analyses.private_release.questions import OTHER, Query
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, labels_of, parse_numbers
from disclosure_control.basics.telling.faults import FaultyInputError

INSTALL = "pip install -r requirements/private.txt"
ALPHA = 0.05  # confidence of accuracies
STEPS = 2**32  # numbers are summed in this many steps: whole numbers are exact, and two thousand million of them fit


def opendp() -> Any:
    """The library, imported where it is used. Raises ``FaultyInputError`` with the command that installs it."""
    try:
        import opendp.prelude as library
    except ImportError:
        raise FaultyInputError(f"private_release: needs the library OpenDP; install it: {INSTALL}") from None
    library.enable_features("contrib")
    return library


@dataclass
class Records:
    """The table of a pilot, one row per person, and its columns as codes or numbers, each worked out once."""

    table: pd.DataFrame = field(repr=False)
    _encoded: dict[str, EncodedColumn] = field(default_factory=dict)
    _numbers: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_records(self) -> int:
        return len(self.table)

    def encoded(self, column: str) -> EncodedColumn:
        """The column as codes and labels."""
        if column not in self._encoded:
            self._encoded[column] = encode_column(self.table[column])
        return self._encoded[column]

    def numbers(self, column: str) -> np.ndarray:
        """Floats (n_records,); NaN where a record has no number, because it is missing or text."""
        if column not in self._numbers:
            self._numbers[column] = parse_numbers(self.table[column])
        return self._numbers[column]

    def codes(self, column: str, categories: tuple[str, ...]) -> np.ndarray:
        """Position of each record's value among the declared categories; the number of them for any other."""
        encoded = self.encoded(column)
        position = {category: i for i, category in enumerate(categories)}
        place = [position.get(text, len(categories)) for text in labels_of(encoded)]
        # A missing value has the code -1: the last place, that of the others.
        return np.array([*place, len(categories)], dtype=np.int64)[encoded.codes]

    def bins(self, column: str, edges: tuple[float, ...]) -> np.ndarray:
        """Interval of each record's number as ``numpy.histogram`` counts; the number of intervals for any other."""
        numbers = self.numbers(column)
        # A number beyond the edges is "other", even one too large to calculate with.
        within = np.where((numbers >= edges[0]) & (numbers <= edges[-1]), numbers, np.nan)
        binned = bin_feature_column(pd.DataFrame({column: within}), column, edges, out_of_range="missing")
        codes = binned.cat.codes.to_numpy().astype(np.int64)
        return np.where(codes < 0, len(edges) - 1, codes)

    def groups(self, query: Query) -> np.ndarray:
        """Group of each record (n_records,), by its place in ``group_names``."""
        group = np.zeros(self.n_records, dtype=np.int64)
        for column, categories in query.by:
            group = group * (len(categories) + 1) + self.codes(column, categories)
        return group


def group_names(query: Query) -> Iterator[dict[str, str]]:
    """The groups of an answer in order, as column -> category."""
    columns = [column for column, _ in query.by]
    for categories in itertools.product(*((*declared, OTHER) for _, declared in query.by)):
        yield dict(zip(columns, categories, strict=True))


# ---------------------------------------------------------------- mechanisms


Draw = Callable[[], dict]


@dataclass(frozen=True)
class Mechanism:
    """The ``measurement`` that OpenDP built for a query, and the ``epsilon`` that its map gives for one person.

    ``prepared(records)`` does all processing of the data before the noise, and returns the function that draws the
    answer, as plain values for JSON. ``noise_in_people``: how many people the noise of a cell is worth, at 95%; if a
    cell contains fewer, its answer says little.
    """

    measurement: object
    epsilon: float
    noise_in_people: float
    prepared: Callable[[Records], Draw]


def _scaled(make: Callable[[float], object], epsilon) -> tuple[object, float]:
    """The measurement ``make(scale)`` with the least noise whose map, for one person, stays within ``epsilon``.

    The privacy loss falls as the scale grows, so the first map gives the scale. The map of the built measurement
    decides: it is compared exactly with the requested decimal.
    """
    scale = make(1.0).map(1) / float(epsilon)
    measurement = make(scale)
    widening = 2.0**-52
    while Fraction(measurement.map(1)) > Fraction(epsilon):
        widening *= 2
        scale = nextafter(scale * (1 + widening), inf)
        measurement = make(scale)
    return measurement, scale


def _of_counts(query: Query) -> Mechanism:
    """Counts and histograms: people per cell, with discrete Laplace noise."""
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
    counts = dp.t.make_count_by_categories(*space, categories=list(range(query.n_cells)), null_category=False)
    measurement, scale = _scaled(lambda scale: counts >> dp.m.then_laplace(scale=scale), query.epsilon)
    accuracy = dp.discrete_laplacian_scale_to_accuracy(scale, ALPHA)

    def drawn(cell: np.ndarray) -> dict:
        values = measurement(cell)
        answer = {"accuracy_95": accuracy}
        if query.n_cells == 1:
            return {"value": values[0], **answer}
        answer["accuracy_95_all_cells"] = dp.discrete_laplacian_scale_to_accuracy(scale, ALPHA / query.n_cells)
        return {
            "cells": [{**name, "value": value} for name, value in zip(_names(query), values, strict=True)],
            **answer,
        }

    def prepared(records: Records) -> Draw:
        return partial(drawn, _cells(query, records).astype(np.int32))

    return Mechanism(measurement, measurement.map(1), accuracy, prepared)


def _cells(query: Query, records: Records) -> np.ndarray:
    """Cell of each counted record: of the group, and within it of the column's category."""
    group = records.groups(query)
    if query.kind == "histogram":
        within = records.bins(query.column, query.edges) if query.edges else None
        within = records.codes(query.column, query.categories) if within is None else within
        return group * len(query.cells_of_column) + within
    if query.column is None:
        return group
    if query.categories:
        return group[records.codes(query.column, query.categories) < len(query.categories)]
    return group[records.encoded(query.column).codes >= 0]


def _names(query: Query) -> Iterator[dict]:
    for group in group_names(query):
        grouped = {"group": group} if query.by else {}
        if query.kind == "histogram":
            yield from ({**grouped, "category": category} for category in query.cells_of_column)
        else:
            yield grouped


def _sum_of_steps(dp, lowest: int, highest: int):
    """The sum of whole numbers cut to the bounds: exact for any order and number of records.

    Not a sum of floats: the library's silently reads no more than 2**20 records, and needs twice the noise.
    """
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    return dp.t.make_clamp(*space, bounds=(lowest, highest)) >> dp.t.then_sum()


def _in_steps(values: np.ndarray, zero: float, unit: float, bounds: tuple[float, float]) -> np.ndarray:
    """Numbers as whole steps of ``unit`` / STEPS from ``zero``, record by record."""
    return np.rint((np.clip(values, *bounds) - zero) / unit * STEPS).astype(np.int64)


def _of_sum(query: Query) -> Mechanism:
    """The sum of values cut to the bounds, with discrete Laplace noise."""
    dp = opendp()
    unit = max(map(abs, query.bounds))  # the largest change by one person
    total = _sum_of_steps(dp, *_in_steps(np.array(query.bounds), 0.0, unit, query.bounds).tolist())
    measurement, scale = _scaled(lambda scale: total >> dp.m.then_laplace(scale=scale * STEPS), query.epsilon)
    accuracy = dp.discrete_laplacian_scale_to_accuracy(scale * STEPS, ALPHA) / STEPS

    def in_steps(values: np.ndarray) -> np.ndarray:
        return _in_steps(values, 0.0, unit, query.bounds)

    def answer(steps: np.ndarray) -> dict:
        return {"value": measurement(steps) / STEPS * unit, "accuracy_95": accuracy * unit}

    return Mechanism(measurement, measurement.map(1), accuracy, _by_group(query, in_steps, answer))


def _of_mean(query: Query) -> Mechanism:
    """The mean as a noisy sum over a noisy count, together one measurement, as the number of people is private.

    The sum is of distances from the middle of the bounds, in halves of their width: one person changes the sum
    by one half at most, and the count by one, so that both get the same noise.
    """
    dp = opendp()
    low, high = query.bounds
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    total = _sum_of_steps(dp, -STEPS, STEPS)
    count = dp.t.make_count(total.input_domain, total.input_metric)

    def both(scale: float):
        noisy = dp.m.then_laplace
        return dp.c.make_composition([total >> noisy(scale=scale * STEPS), count >> noisy(scale=scale)])

    measurement, scale = _scaled(both, query.epsilon)
    # Both together hold with 95% if each holds with 97.5%.
    of_sum = dp.discrete_laplacian_scale_to_accuracy(scale * STEPS, ALPHA / 2) / STEPS
    of_count = dp.discrete_laplacian_scale_to_accuracy(scale, ALPHA / 2)

    def in_steps(values: np.ndarray) -> np.ndarray:
        return _in_steps(values, middle, half, query.bounds)

    def answer(steps: np.ndarray) -> dict:
        noisy_sum, noisy_count = measurement(steps)
        mean, accuracy = _mean_in_halves(noisy_sum / STEPS, noisy_count, of_sum, of_count)
        return {"value": middle + half * mean, "accuracy_95": half * accuracy}

    return Mechanism(measurement, measurement.map(1), of_count, _by_group(query, in_steps, answer))


def _mean_in_halves(noisy_sum: float, noisy_count: int, of_sum: float, of_count: float) -> tuple[float, float]:
    """Mean from -1 to 1 and its accuracy, from released numbers alone: the farthest mean that both errors allow."""

    def within(mean: float) -> float:
        return min(max(mean, -1.0), 1.0)

    mean = within(noisy_sum / max(noisy_count, 1))
    if noisy_count - of_count <= 0:  # there may be no people at all: every mean is possible
        return mean, 1.0 + abs(mean)
    corners = [within((noisy_sum + a) / (noisy_count + b)) for a in (-of_sum, of_sum) for b in (-of_count, of_count)]
    return mean, max(abs(corner - mean) for corner in corners)


def _by_group(
    query: Query, ready: Callable[[np.ndarray], np.ndarray], answer: Callable[[np.ndarray], dict]
) -> Callable[[Records], Draw]:
    """The answer for every group, from its prepared numbers. All cost as much as one: each person is in one of them.

    Source: parallel composition, McSherry 2009, theorem 4, doi:10.1145/1559845.1559850.
    """

    def of_groups(parts: list[np.ndarray]) -> dict:
        names = group_names(query)
        return {"cells": [{"group": name, **answer(part)} for name, part in zip(names, parts, strict=False)]}

    def prepared(records: Records) -> Draw:
        numbers = records.numbers(query.column)
        present = ~np.isnan(numbers)
        numbers = ready(numbers[present])
        if not query.by:
            return partial(answer, numbers)
        group = records.groups(query)[present]
        ends = np.cumsum(np.bincount(group, minlength=query.n_groups))
        parts = np.split(numbers[np.argsort(group, kind="stable")], ends)
        return partial(of_groups, [np.ascontiguousarray(part) for part in parts])

    return prepared


MECHANISMS: dict[str, Callable[[Query], Mechanism]] = {
    "count": _of_counts,
    "histogram": _of_counts,
    "sum": _of_sum,
    "mean": _of_mean,
}


@lru_cache(maxsize=256)
def mechanism_of(query: Query) -> Mechanism:
    """The mechanism that OpenDP builds for a query: it depends on the question alone, never on the data.

    Raises ``FaultyInputError`` where the library is missing, or refuses.
    """
    dp = opendp()
    try:
        return MECHANISMS[query.kind](query)
    except (dp.OpenDPException, OverflowError, ValueError, TypeError) as error:
        words = (str(error).strip().splitlines() or ["no reason given"])[-1].strip()
        raise FaultyInputError(f"private_release: OpenDP cannot build this {query.kind}: {words}") from None


def faults_of_mechanism(where: str, query: Query) -> list[str]:
    """OpenDP's faults of a query, before anything is spent."""
    try:
        mechanism_of(query)
    except FaultyInputError as error:
        return [f"{where}: {fault}" for fault in error.faults]
    return []


def is_mostly_noise(query: Query, n_people: int) -> bool:
    """Whether the noise of a cell is worth more than half of the average number of people in a cell."""
    return query.n_cells * mechanism_of(query).noise_in_people > n_people / 2


def prepared_answer(query: Query, records: Records) -> Draw:
    """The function that draws the noisy answer, after all steps that may fail on the data; it has drawn no noise yet.

    Raises ``RuntimeError`` without words of the library, as these may quote the data.
    """
    with _without_words():
        draw = mechanism_of(query).prepared(records)
    return _without_words()(draw)


@contextlib.contextmanager
def _without_words() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise RuntimeError(f"OpenDP could not answer ({type(error).__name__})") from None
