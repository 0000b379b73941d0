"""The kinds of question that may be asked privately, and their settings: one definition for the config and the service.

Each setting has its check, as the config has it, and its form in JSON, from which the service makes what it accepts and
its description. What the service lets through is then checked as the config's queries are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import pairwise

import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column, number_text
from disclosure_control.basics.settings.settings import FLAG, Check, faults_of_settings, whole_number
from disclosure_control.basics.telling.faults import faults_of_columns
from disclosure_control.steps.private_release.query import OTHER, Query

# Below the least epsilon the noise of a count is above ten thousand people; above the largest nothing is private.
LEAST_EPSILON, LARGEST_EPSILON, EPSILON_DIGITS = Decimal("0.0001"), Decimal("100"), 12
LARGEST_BOUND = 1e15
MOST_CELLS = 100_000


@dataclass(frozen=True)
class Form:
    """How a setting is sent to the service: a type of JSON, and its ``limits`` under the names that pydantic has.

    ``of`` is the form of a list's entries or of a dictionary's values, ``keys`` that of a dictionary's keys.
    """

    type: type
    limits: Mapping[str, object] = field(default_factory=dict)
    of: Form | None = None
    keys: Form | None = None


@dataclass(frozen=True)
class QuestionSetting:
    """One setting of a question: its check, and its form where the service takes it, too."""

    check: Check
    form: Form | None = None
    default: object = None


@dataclass(frozen=True)
class Route:
    """Where the service answers a kind of question: its path, and what its description says of it."""

    name: str
    asks: str
    answers: str


@dataclass(frozen=True)
class QuestionKind:
    """A kind of question: its settings beside those of all, which of them it cannot do without, and its route."""

    settings: Mapping[str, QuestionSetting]
    required: tuple[str, ...] = ()
    route: Route | None = None


# ---------------------------------------------------------------- values


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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_BOUND


def _is_bounds(value: object) -> bool:
    if not (isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value))):
        return False
    low, high = map(float, value)
    return low < low / 2 + high / 2 < high  # bounds without a number between them have no middle and no width


def _is_edges(value: object) -> bool:
    numbers = isinstance(value, list | tuple) and len(value) >= 2 and all(map(_is_number, value))
    rises = numbers and all(low < high for low, high in pairwise(value))
    return rises and len(set(map(number_text, value))) == len(value)


def _is_text(value: object) -> bool:
    """Whether this is text that a file can hold: half of a pair of UTF-16 is none."""
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


# ---------------------------------------------------------------- kinds of question and their settings

EPSILON: Check = (
    lambda value: exact_epsilon(value) is not None,
    f"a number from {LEAST_EPSILON} to {LARGEST_EPSILON} with at most {EPSILON_DIGITS} digits after the point",
)
_COLUMN = Form(str, {"min_length": 1, "max_length": 200, "description": "a column of the combined dataset"})
_CATEGORIES = Form(list, {"min_length": 1, "max_length": 2000}, Form(str, {"min_length": 1, "max_length": 200}))
_NUMBER = Form(float, {"ge": -LARGEST_BOUND, "le": LARGEST_BOUND, "allow_inf_nan": False})

NAME = QuestionSetting(
    (lambda value: _is_text(value) and 0 < len(value) <= 100, "a text of up to 100 letters"), default=""
)
COMMON: dict[str, QuestionSetting] = {
    "epsilon": QuestionSetting(
        EPSILON,
        Form(
            float,
            {
                "ge": float(LEAST_EPSILON),
                "le": float(LARGEST_EPSILON),
                "allow_inf_nan": False,
                "description": f"what the answer may cost; up to {EPSILON_DIGITS} digits after the point",
            },
        ),
    ),
    "by": QuestionSetting(
        (_is_by, "a dictionary, column -> the list of its categories"),
        Form(dict, {"min_length": 1, "max_length": 5}, of=_CATEGORIES, keys=_COLUMN),
    ),
    "accept_noise": QuestionSetting(
        FLAG,
        Form(bool, {"description": "answer although the groups are too many, or too small, for the noise"}),
        default=False,
    ),
}
COLUMN = QuestionSetting((_is_column, f"a column of the combined dataset, other than {SUBJECT_COLUMN}"), _COLUMN)
CATEGORIES = QuestionSetting(
    (_is_categories, "a list of different values, text (whole letters) or numbers, none of them empty"), _CATEGORIES
)
BOUNDS = QuestionSetting(
    (
        _is_bounds,
        f"[lowest, highest], two numbers up to {LARGEST_BOUND:g} in size, the second one larger by more than rounding",
    ),
    Form(list, {"min_length": 2, "max_length": 2, "description": "lowest and highest value"}, _NUMBER),
)
EDGES = QuestionSetting(
    (_is_edges, f"at least two numbers up to {LARGEST_BOUND:g} in size, each larger than the last"),
    Form(list, {"min_length": 2, "max_length": 1000}, _NUMBER),
)
PROBABILITY = QuestionSetting(
    (lambda value: _is_number(value) and 0 < value < 1, "a number above 0 and below 1"), default=0.5
)
CANDIDATES = QuestionSetting(whole_number(2, 10_001), default=101)

KINDS: dict[str, QuestionKind] = {
    "count": QuestionKind(
        {"column": COLUMN, "categories": CATEGORIES},
        route=Route(
            "count",
            "How many people there are; with a column, how many have a value in it, or one of the categories.",
            "People, in all or by group.",
        ),
    ),
    "sum": QuestionKind({"column": COLUMN, "bounds": BOUNDS}, ("column", "bounds")),
    "mean": QuestionKind(
        {"column": COLUMN, "bounds": BOUNDS},
        ("column", "bounds"),
        Route(
            "average",
            "The mean of a column; values outside the bounds are cut to them.",
            "The mean of a column, in all or by group.",
        ),
    ),
    "histogram": QuestionKind(
        {"column": COLUMN, "categories": CATEGORIES, "edges": EDGES},
        ("column",),
        Route(
            "histogram",
            "How many people are in each of the categories, or between each two edges.",
            "People by category or interval.",
        ),
    ),
    "quantile": QuestionKind(
        {"column": COLUMN, "bounds": BOUNDS, "probability": PROBABILITY, "candidates": CANDIDATES},
        ("column", "bounds"),
    ),
}
KIND = QuestionSetting((lambda value: value in KINDS, f"one of {', '.join(KINDS)}"))


# ---------------------------------------------------------------- checks


def faults_of_query(where: str, value: object, columns: Sequence[str] | None) -> list[str]:
    """Faults of one query, ``where`` naming its place. ``columns``: those of the dataset, None if unknown."""
    if not isinstance(value, dict):
        return [f"{where}: found {type(value).__name__}; allowed: a dictionary with name, kind, epsilon, column, ..."]
    kind = KINDS.get(value.get("kind")) if isinstance(value.get("kind"), str) else None
    if kind is None:
        return [f"{where}['kind']: found {value.get('kind')!r}; allowed: {KIND.check[1]}"]
    settings = {"name": NAME, "kind": KIND, **COMMON, **kind.settings}
    faults = faults_of_settings(where, value, {name: setting.check for name, setting in settings.items()})
    faults += [f"{where}[{key!r}]: missing" for key in ("epsilon", *kind.required) if key not in value]
    if value["kind"] == "histogram" and ("categories" in value) == ("edges" in value):
        faults.append(f"{where}: a histogram needs either categories or edges")
    if value["kind"] == "count" and "categories" in value and "column" not in value:
        faults.append(f"{where}['column']: missing; categories are those of a column")
    if not faults and columns is not None:
        faults += _faults_of_columns(where, value, columns)
    if not faults and (n_cells := read_query(value).n_cells) > MOST_CELLS:
        faults.append(f"{where}: asks for {n_cells} cells; allowed: up to {MOST_CELLS}; declare fewer categories")
    return faults


def _faults_of_columns(where: str, value: Mapping, columns: Sequence[str]) -> list[str]:
    named = ([value["column"]] if "column" in value else []) + list(value.get("by", {}))
    faults = faults_of_columns(where, named, columns)
    if value["kind"] == "histogram" and value["column"] in value.get("by", {}):
        faults.append(f"{where}['by']: holds {value['column']!r}, which is what is counted; name another column")
    return faults


def read_query(value: Mapping) -> Query:
    """The query of a dictionary that ``faults_of_query`` has passed."""
    settings = {"name": NAME, **COMMON, **KINDS[value["kind"]].settings}
    given = {name: setting.default for name, setting in settings.items()} | dict(value)
    return Query(
        kind=given["kind"],
        epsilon=exact_epsilon(given["epsilon"]),
        column=given.get("column"),
        bounds=_numbers(given["bounds"]) if given.get("bounds") else None,
        categories=canonical_categories(given["categories"]) if given.get("categories") else (),
        edges=_numbers(given.get("edges") or ()),
        by=tuple((column, canonical_categories(categories)) for column, categories in (given["by"] or {}).items()),
        probability=float(given["probability"]) if "probability" in given else None,
        candidates=given.get("candidates"),
        name=given["name"],
        accept_noise=given["accept_noise"],
    )


def _numbers(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) + 0.0 for value in values)  # adding zero turns -0.0 into 0.0
