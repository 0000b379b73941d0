"""The config key ``fairness``: which outcome is favourable, and whose rates are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import code_of_value, encode_column, parse_numbers
from disclosure_control.basics.faults import FaultyInputError, nearest_name, stop_at
from disclosure_control.basics.settings import IS_VALUE, faults_of_settings, is_value

_IS_NAME = (lambda value: isinstance(value, str) and value not in ("", SUBJECT_COLUMN), "the name of a column")


_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "at_least": (lambda value: value == "mean" or _is_number(value), 'a number, or "mean"'),
    "at_most": (lambda value: value == "mean" or _is_number(value), 'a number, or "mean"'),
    "equals": (
        lambda value: isinstance(value, list | tuple) and bool(value) and all(map(is_value, value)),
        "a list of values",
    ),
}
_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "favourable": (lambda value: isinstance(value, dict), '{"column": ..., "at_least": "mean"} or another rule'),
    "sensitive": _IS_NAME,
    "reference": IS_VALUE,
    "group": IS_VALUE,
    "strata": (
        lambda value: isinstance(value, list | tuple) and bool(value) and all(map(_IS_NAME[0], value)),
        "a list of columns",
    ),
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``fairness``."""
    faults = faults_of_settings("fairness", value, _KEYS)
    if not isinstance(value, dict):
        return faults
    faults += [f"fairness[{key!r}]: missing" for key in ("favourable", "sensitive", "reference") if key not in value]
    rule = value.get("favourable")
    if isinstance(rule, dict):
        faults += faults_of_rule("fairness['favourable']", rule)
    if faults or columns is None:
        return faults
    columns = list(columns)
    named = [rule["column"], value["sensitive"], *value.get("strata", ())]
    faults = [
        f"fairness: no column {name!r} in the combined dataset{nearest_name(name, columns)}"
        for name in dict.fromkeys(named)
        if name not in columns
    ]
    if value["sensitive"] in value.get("strata", ()):
        faults.append(f"fairness['strata']: holds {value['sensitive']!r}, whose groups are compared; take it out")
    return faults


def faults_of_rule(where: str, rule: Mapping) -> list[str]:
    """Faults of a rule of which outcome is favourable: a column, and one of ``at_least``, ``at_most``, ``equals``."""
    faults = faults_of_settings(where, rule, {"column": _IS_NAME, **_RULES})
    if "column" not in rule:
        faults.append(f"{where}['column']: missing")
    if sum(name in rule for name in _RULES) != 1:
        faults.append(f"{where}: allowed: exactly one of {', '.join(_RULES)}")
    return faults


# ---------------------------------------------------------------- what the settings mean on the data


@dataclass(frozen=True)
class Outcome:
    """Who has the ``favourable`` outcome, and of whom it is ``known``: (n_records,) of bool each.

    ``n_values_of_nobody``: values under ``equals`` that nobody has, and that may be misspelt.
    """

    favourable: np.ndarray
    known: np.ndarray
    n_values_of_nobody: int = 0


def outcome_of(column: pd.Series, rule: Mapping) -> Outcome:
    """The outcome that a rule reads from a column.

    "mean" is that of everybody with a number. A value that is not a number is not known under ``at_least`` and
    ``at_most``. Raises ``FaultyInputError`` where nobody's outcome is known.
    """
    found = _outcome_by_value(column, rule) if "equals" in rule else _outcome_by_limit(column, rule)
    if not found.known.any():
        raise FaultyInputError(
            f"fairness['favourable']: column {rule['column']!r} has no value that the rule can read in "
            f"{len(column)} records; name another column or rule"
        )
    return found


def _outcome_by_value(column: pd.Series, rule: Mapping) -> Outcome:
    encoded = encode_column(column)
    wanted = [code_of_value(encoded, value) for value in rule["equals"]]
    found = [code for code in wanted if code is not None]
    return Outcome(np.isin(encoded.codes, found), encoded.codes >= 0, len(wanted) - len(found))


def _outcome_by_limit(column: pd.Series, rule: Mapping) -> Outcome:
    numbers = parse_numbers(column)
    known = np.isfinite(numbers)
    name = "at_least" if "at_least" in rule else "at_most"
    limit = rule[name]
    if limit == "mean":  # the exact sum, so that the order of records does not matter
        limit = fsum(numbers[known]) / max(int(known.sum()), 1)
    return Outcome(known & ((numbers >= limit) if name == "at_least" else (numbers <= limit)), known)


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> Mapping:
    """The settings of the config key ``fairness``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_settings(value, config.literal, columns))
    return value
