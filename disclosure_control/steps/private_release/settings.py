"""What may be asked privately: the config key ``private_release``, its queries, and the check of every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import encode_column, number_text
from disclosure_control.basics.faults import FaultyInputError, nearest_name, stop_at
from disclosure_control.basics.settings import faults_of_settings
from disclosure_control.steps.private_release.query import OTHER, Query

# Below the least epsilon the noise of a count is above ten thousand people; above the largest nothing is private.
LEAST_EPSILON, LARGEST_EPSILON, EPSILON_DIGITS = Decimal("0.0001"), Decimal("100"), 12
LARGEST_BOUND = 1e15
MOST_CELLS = 100_000


@dataclass(frozen=True)
class PrivateReleaseSettings:
    """The config key ``private_release``: the pilot's whole budget, and what is asked of it.

    ``people``: about how many people the pilot has, as the public may know; None where the config does not say.
    """

    budget: Decimal
    queries: tuple[Query, ...]
    people: int | None = None

    @property
    def asked(self) -> Decimal:
        """The epsilon of all queries together, each question once."""
        epsilons = {json.dumps(query.question): query.epsilon for query in self.queries}
        return sum(epsilons.values(), Decimal(0))


# ---------------------------------------------------------------- numbers to the last digit


def exact_epsilon(value: object) -> Decimal | None:
    """The epsilon as it is written, 0.1 being one tenth; None where it is not one that is allowed."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        epsilon = Decimal(value if isinstance(value, str) else str(value))
    except InvalidOperation:
        return None
    if not epsilon.is_finite() or not LEAST_EPSILON <= epsilon <= LARGEST_EPSILON:
        return None
    epsilon = epsilon.normalize()
    return epsilon if -epsilon.as_tuple().exponent <= EPSILON_DIGITS else None


# ---------------------------------------------------------------- checks


def _is_bounds(value: object) -> bool:
    if not (isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_plain_number, value))):
        return False
    low, high = map(float, value)
    return low < low / 2 + high / 2 < high  # bounds without a number between them have no middle and no width


def _is_edges(value: object) -> bool:
    numbers = isinstance(value, list | tuple) and len(value) >= 2 and all(map(_is_plain_number, value))
    rises = numbers and all(low < high for low, high in pairwise(value))
    return rises and len(set(map(number_text, value))) == len(value)


def _is_plain_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_BOUND


def is_text(value: object) -> bool:
    """Whether this is text that a file can hold: half of a pair of UTF-16 is none."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_name(value: object) -> bool:
    return is_text(value) and value != "" and value != SUBJECT_COLUMN


def _is_categories(value: object) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    if not all(is_text(category) or isinstance(category, int | float) for category in value):
        return False
    labels = canonical_categories(value)
    return "" not in labels and OTHER not in labels and len(set(labels)) == len(labels)


def canonical_categories(values: Iterable) -> tuple[str, ...]:
    """Declared categories as the dataset spells them: trimmed, in Unicode NFC, ``1.0`` as ``1``."""
    column = encode_column(pd.Series(list(values), dtype=object))
    return tuple(str(column.labels[code]) if code >= 0 else "" for code in column.codes)


def _is_by(value: object) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_is_name(column) and _is_categories(categories) for column, categories in value.items())
    )


_NAME = (_is_name, f"a column of the combined dataset, other than {SUBJECT_COLUMN}")
_CATEGORIES = (_is_categories, "a list of different values, text (whole letters) or numbers, none of them empty")
_EPSILON = (
    lambda value: exact_epsilon(value) is not None,
    f"a number from {LEAST_EPSILON} to {LARGEST_EPSILON} with at most {EPSILON_DIGITS} digits after the point",
)
_COMMON = {
    "name": (lambda value: is_text(value) and 0 < len(value) <= 100, "a text of up to 100 letters"),
    "kind": (lambda value: value in KINDS, "one of count, sum, mean, histogram, quantile"),
    "epsilon": _EPSILON,
    "by": (_is_by, "a dictionary, column -> the list of its categories"),
    "accept_noise": (lambda value: isinstance(value, bool), "True or False"),
}
_OF_NUMBERS = {
    "column": _NAME,
    "bounds": (
        _is_bounds,
        f"[lowest, highest], two numbers up to {LARGEST_BOUND:g} in size, the second one larger by more than rounding",
    ),
}
_HISTOGRAM = {
    "column": _NAME,
    "categories": _CATEGORIES,
    "edges": (_is_edges, f"at least two numbers up to {LARGEST_BOUND:g} in size, each larger than the last"),
}
_QUANTILE = {
    **_OF_NUMBERS,
    "probability": (lambda value: _is_plain_number(value) and 0 < value < 1, "a number above 0 and below 1"),
    "candidates": (lambda value: type(value) is int and 2 <= value <= 10_001, "a whole number from 2 to 10001"),
}


@dataclass(frozen=True)
class Kind:
    """A kind of question: its settings beside those of all, and which of them it cannot do without."""

    settings: Mapping[str, tuple[Callable[[object], bool], str]]
    required: tuple[str, ...]


KINDS = {
    "count": Kind({"column": _NAME, "categories": _CATEGORIES}, ()),
    "sum": Kind(_OF_NUMBERS, ("column", "bounds")),
    "mean": Kind(_OF_NUMBERS, ("column", "bounds")),
    "histogram": Kind(_HISTOGRAM, ("column",)),
    "quantile": Kind(_QUANTILE, ("column", "bounds")),
}


def faults_of_query(where: str, value: object, columns: Iterable[str] | None) -> list[str]:
    """Faults of one query, ``where`` naming its place. ``columns``: those of the dataset, None if unknown."""
    if not isinstance(value, dict):
        return [f"{where}: found {type(value).__name__}; allowed: a dictionary with name, kind, epsilon, column, ..."]
    kind = KINDS.get(value.get("kind")) if isinstance(value.get("kind"), str) else None
    if kind is None:
        return [f"{where}['kind']: found {value.get('kind')!r}; allowed: {_COMMON['kind'][1]}"]
    faults = faults_of_settings(where, value, {**_COMMON, **kind.settings})
    faults += [f"{where}[{key!r}]: missing" for key in ("epsilon", *kind.required) if key not in value]
    if value["kind"] == "histogram" and ("categories" in value) == ("edges" in value):
        faults.append(f"{where}: a histogram needs either categories or edges")
    if value["kind"] == "count" and "categories" in value and "column" not in value:
        faults.append(f"{where}['column']: missing; categories are those of a column")
    if not faults and columns is not None:
        faults += _faults_of_columns(where, value, list(columns))
    if not faults and (n_cells := read_query(value).n_cells) > MOST_CELLS:
        faults.append(f"{where}: asks for {n_cells} cells; allowed: up to {MOST_CELLS}; declare fewer categories")
    return faults


def _faults_of_columns(where: str, value: Mapping, columns: list[str]) -> list[str]:
    named = ([value["column"]] if "column" in value else []) + list(value.get("by", {}))
    faults = [
        f"{where}: no column {name!r} in the combined dataset{nearest_name(name, columns)}"
        for name in named
        if name not in columns
    ]
    if value["kind"] == "histogram" and value["column"] in value.get("by", {}):
        faults.append(f"{where}['by']: holds {value['column']!r}, which is what is counted; name another column")
    return faults


def read_query(value: Mapping) -> Query:
    """The query of a dictionary that ``faults_of_query`` has passed."""
    is_quantile = value["kind"] == "quantile"
    return Query(
        kind=value["kind"],
        epsilon=exact_epsilon(value["epsilon"]),
        column=value.get("column"),
        bounds=_numbers(value["bounds"]) if "bounds" in value else None,
        categories=canonical_categories(value["categories"]) if "categories" in value else (),
        edges=_numbers(value.get("edges", ())),
        by=tuple((column, canonical_categories(categories)) for column, categories in value.get("by", {}).items()),
        probability=float(value.get("probability", 0.5)) if is_quantile else None,
        candidates=value.get("candidates", 101) if is_quantile else None,
        name=value.get("name", ""),
        accept_noise=value.get("accept_noise", False),
    )


def _numbers(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) + 0.0 for value in values)  # adding zero turns -0.0 into 0.0


def faults_of_budget(value: object) -> list[str]:
    faults = faults_of_settings("private_release['budget']", value, {"epsilon": _EPSILON})
    if not faults and "epsilon" not in value:
        faults.append(f"private_release['budget']['epsilon']: missing; allowed: {_EPSILON[1]}")
    return faults


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``private_release``; a missing library is one."""
    from disclosure_control.steps.private_release.queries import faults_of_mechanism, opendp

    try:
        opendp()
    except FaultyInputError as error:
        return list(error.faults)
    keys = {
        "budget": (lambda budget: isinstance(budget, dict), 'a dictionary, {"epsilon": 1.0}'),
        "people": (
            lambda people: type(people) is int and 1 <= people <= 10**10,
            "a whole number from 1, about how many people the pilot has, as the public may know",
        ),
        "queries": (lambda queries: isinstance(queries, list | tuple), "a list of queries"),
    }
    faults = faults_of_settings("private_release", value, keys)
    if faults:
        return faults
    faults = faults_of_budget(value["budget"]) if "budget" in value else ["private_release['budget']: missing"]
    columns = None if columns is None else list(columns)
    queries = []
    for i, query in enumerate(value.get("queries", ())):
        where = f"private_release['queries'][{i}]"
        faults_here = faults_of_query(where, query, columns)
        if not faults_here and not query.get("name"):
            faults_here = [f"{where}['name']: missing; the report shows the answer under it"]
        faults_here = faults_here or faults_of_mechanism(where, read_query(query))
        if not faults_here:
            queries.append(read_query(query))
        faults += faults_here
    names = [query.name for query in queries]
    return faults + [
        f"private_release['queries']: {names.count(name)} queries have the name {name!r}; give each its own"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> PrivateReleaseSettings:
    """The settings of the config key ``private_release``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_settings(value, config.literal, columns))
    return _typed(value)


def _typed(value: Mapping) -> PrivateReleaseSettings:
    queries = tuple(read_query(query) for query in value.get("queries", ()))
    return PrivateReleaseSettings(exact_epsilon(value["budget"]["epsilon"]), queries, value.get("people"))
