"""The kinds of private question, and their settings with the checks of the config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column, number_text
from disclosure_control.basics.settings.fields import SettingsGroup, faults_of, setting, typed
from disclosure_control.basics.settings.kinds import FLAG, Kind, Place, as_tuple
from disclosure_control.basics.settings.unknown_keys import hint_of_value

# Below the least epsilon the noise of a count exceeds ten thousand people; above the largest nothing is private.
LEAST_EPSILON, LARGEST_EPSILON, EPSILON_DIGITS = Decimal("0.0001"), Decimal("100"), 12
LARGEST_BOUND = 1e15
MOST_CELLS = 100_000
OTHER = "(other or missing)"


@dataclass(frozen=True)
class Query:
    """One question, checked. ``by`` has (column, declared categories) of every grouping, in order.

    ``name`` and ``accept_noise`` are no part of the question: it is the same under another name.
    """

    kind: str
    epsilon: Decimal
    column: str | None = None
    bounds: tuple[float, float] | None = None
    categories: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    by: tuple[tuple[str, tuple[str, ...]], ...] = ()
    name: str = field(default="", compare=False)
    accept_noise: bool = field(default=False, compare=False)

    @property
    def n_groups(self) -> int:
        """Number of groups of the answer, one "(other or missing)" in each grouping; 1 without any."""
        n = 1
        for _, categories in self.by:
            n *= len(categories) + 1
        return n

    @property
    def cells_of_column(self) -> tuple[str, ...]:
        """Cells of a histogram within one group: the declared ones and, last, everything else."""
        between = [f"{number_text(low)}--{number_text(high)}" for low, high in pairwise(self.edges)]
        return (*self.categories, *between, OTHER)

    @property
    def n_cells(self) -> int:
        """Number of cells of the answer: of all groups together."""
        return self.n_groups * (len(self.cells_of_column) if self.kind == "histogram" else 1)

    @property
    def question(self) -> dict:
        """The question in its one canonical form for the ledger: plain values for JSON.

        Categories and groupings are in alphabetical order: answers are labelled, so the order makes no other question.
        """
        return {
            "kind": self.kind,
            "column": self.column,
            "bounds": None if self.bounds is None else list(self.bounds),
            "categories": sorted(self.categories),
            "edges": list(self.edges),
            "by": sorted([column, sorted(categories)] for column, categories in self.by),
            "probability": None,  # and candidates: of quantiles, which ledgers of version 3 may hold
            "candidates": None,
            "epsilon": decimal_text(self.epsilon),
        }


def decimal_text(number: Decimal) -> str:
    """A decimal with all its digits and no exponent: 0.30 is 0.3."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# ---------------------------------------------------------------- values


def exact_epsilon(value: object) -> Decimal | None:
    """The epsilon exactly as written, 0.1 being one tenth; None where it is not allowed."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        epsilon = Decimal(value if isinstance(value, str) else str(value))
    except InvalidOperation:
        return None
    if not epsilon.is_finite() or not LEAST_EPSILON <= epsilon <= LARGEST_EPSILON:
        return None
    epsilon = epsilon.normalize()
    exponent = int(epsilon.as_tuple().exponent)  # a number, as it is finite
    return epsilon if -exponent <= EPSILON_DIGITS else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_BOUND


def _is_bounds(value: object) -> bool:
    if not (isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value))):
        return False
    low, high = map(float, value)
    return low < low / 2 + high / 2 < high  # bounds without a number between them have no middle and no width


def _is_edges(value: object) -> bool:
    if not (isinstance(value, list | tuple) and len(value) >= 2 and all(map(_is_number, value))):
        return False
    rises = all(low < high for low, high in pairwise(value))
    return rises and len(set(map(number_text, value))) == len(value)


def _is_text(value: object) -> bool:
    """Whether this is text that a file can contain: half a UTF-16 pair is not."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_column(value: object) -> bool:
    return _is_text(value) and value != "" and value != SUBJECT_COLUMN


def _is_categories(value: object) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    if not all(_is_text(category) or isinstance(category, int | float) for category in value):
        return False
    labels = canonical_categories(value)
    return "" not in labels and OTHER not in labels and len(set(labels)) == len(labels)


def canonical_categories(values: Iterable[object]) -> tuple[str, ...]:
    """Declared categories as the dataset spells them: trimmed, in Unicode NFC, ``1.0`` as ``1``."""
    column = encode_column(pd.Series(list(values), dtype=object))
    return tuple(str(column.labels[code]) if code >= 0 else "" for code in column.codes)


def _is_by(value: object) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_is_column(column) and _is_categories(categories) for column, categories in value.items())
    )


def _numbers(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) + 0.0 for value in values)  # adding zero turns -0.0 into 0.0


# ---------------------------------------------------------------- kinds of question and their settings

EPSILON = Kind(
    lambda value: exact_epsilon(value) is not None,
    f"a number from {LEAST_EPSILON} to {LARGEST_EPSILON} with at most {EPSILON_DIGITS} digits after the point",
    exact_epsilon,
)
BY = Kind(
    _is_by,
    "a dictionary, column -> the list of its categories",
    lambda value: tuple((column, canonical_categories(categories)) for column, categories in value.items()),
    list,
)
COLUMN = Kind(_is_column, f"a column of the combined dataset, other than {SUBJECT_COLUMN}", columns=as_tuple)
CATEGORIES = Kind(
    _is_categories,
    "a list of different values, text (whole letters) or numbers, none of them empty",
    lambda value: canonical_categories(value),
)
BOUNDS = Kind(
    _is_bounds,
    f"[lowest, highest], two numbers up to {LARGEST_BOUND:g} in size, the second one larger by more than rounding",
    _numbers,
)
EDGES = Kind(_is_edges, f"at least two numbers up to {LARGEST_BOUND:g} in size, each larger than the last", _numbers)
NAME = Kind(lambda value: _is_text(value) and 0 < len(value) <= 100, "a text of up to 100 letters")


@dataclass(frozen=True, kw_only=True)
class AnyQuestion(SettingsGroup):
    """The settings of every question."""

    name: str = setting(NAME, "what the report calls it; not a part of the question", "", "needed")
    kind: str = setting(Kind(lambda value: value in KINDS, "the kind of the question"), "what is asked")
    epsilon: Decimal = setting(EPSILON, "what it may cost, taken as written (0.1 is one tenth)")
    by: tuple[tuple[str, tuple[str, ...]], ...] = setting(
        BY, 'groups: `{"DM__SEX": ["F", "M"]}`; all groups together cost what one costs', ()
    )
    accept_noise: bool = setting(FLAG, "asks although the groups are too many, or too small, for the noise", False)

    def query(self) -> Query:
        """The question in its one form for the ledger."""
        return Query(**vars(self))

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Too many cells."""
        if (n_cells := self.query().n_cells) > MOST_CELLS:
            yield f"{place}: asks for {n_cells} cells; allowed: up to {MOST_CELLS}; declare fewer categories"


@dataclass(frozen=True, kw_only=True)
class CountQuestion(AnyQuestion):
    """How many people there are."""

    column: str | None = setting(COLUMN, "those who have a value in it, or one of the categories", None, "everybody")
    categories: tuple[str, ...] = setting(CATEGORIES, "declared values", ())

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Categories of no column."""
        if self.categories and self.column is None:
            yield f"{place['column']}: missing; categories are those of a column"
        yield from super().check(place, given)


@dataclass(frozen=True, kw_only=True)
class SumQuestion(AnyQuestion):
    """The sum, or the mean, of a column."""

    column: str = setting(COLUMN, "of the combined dataset")
    bounds: tuple[float, float] = setting(
        BOUNDS, "from what you know and not from the data; values outside are cut to them"
    )


@dataclass(frozen=True, kw_only=True)
class HistogramQuestion(AnyQuestion):
    """How many people are in each of the categories, or between each two edges."""

    column: str = setting(COLUMN, "of the combined dataset")
    categories: tuple[str, ...] = setting(
        CATEGORIES, "declared values; everybody else is counted as `(other or missing)`", ()
    )
    edges: tuple[float, ...] = setting(
        EDGES,
        "edges as in `binning_config`; everybody else is counted as `(other or missing)`, also a value that is no "
        "number, infinite, or too large to calculate with",
        (),
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Two kinds of cells, or none, and groups by what is counted."""
        if bool(self.categories) == bool(self.edges):
            yield f"{place}: a histogram needs either categories or edges"
        if self.column in dict(self.by):
            yield f"{place['by']}: holds {self.column!r}, which is what is counted; name another column"
        yield from super().check(place, given)


KINDS: dict[str, type[AnyQuestion]] = {
    "count": CountQuestion,
    "sum": SumQuestion,
    "mean": SumQuestion,
    "histogram": HistogramQuestion,
}


# ---------------------------------------------------------------- checks


def faults_of_query(value: object, place: Place) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: found {type(value).__name__}; allowed: a dictionary with name, kind, epsilon, column, ..."]
    name = value.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        hint = hint_of_value("private_release['kind']", name)
        return [f"{place['kind']}: found {name!r}{hint}; allowed: one of {', '.join(KINDS)}"]
    return faults_of(kind, value, place)


def read_query(value: Mapping) -> Query:
    """The query of a dictionary that ``faults_of_query`` has passed."""
    return typed(KINDS[value["kind"]], value).query()
