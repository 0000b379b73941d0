"""Who has the favourable outcome: the config's rule applied to the data."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
import pandas as pd

from disclosure_control.analyses.fairness.settings import KEY, FavourableRule
from disclosure_control.basics.encoding.columns import code_of_value, encode_column, parse_numbers
from disclosure_control.basics.telling.faults import FaultyInputError


@dataclass(frozen=True)
class FavourableOutcome:
    """Who has the ``favourable`` outcome, and whose outcome is ``known``: (n_records,) of bool each.

    ``n_values_of_nobody``: values under ``equals`` that nobody has, and that may be misspelt.
    """

    favourable: np.ndarray
    known: np.ndarray
    n_values_of_nobody: int = 0


def outcome_of(column: pd.Series, rule: FavourableRule) -> FavourableOutcome:
    """The outcome by a rule on a column (n_records,).

    "mean" is the mean of all numbers. A value that is not a number is not known under ``at_least`` and
    ``at_most``. Raises ``FaultyInputError`` where nobody's outcome is known.
    """
    found = _outcome_by_value(column, rule.value) if isinstance(rule.value, tuple) else _outcome_by_limit(column, rule)
    if not found.known.any():
        raise FaultyInputError(
            f"{KEY}['favourable']: column {rule.column!r} has no value that the rule can read in "
            f"{len(column)} records; name another column or rule"
        )
    return found


def _outcome_by_value(column: pd.Series, values: tuple[object, ...]) -> FavourableOutcome:
    encoded = encode_column(column)
    wanted = [code_of_value(encoded, value) for value in values]
    found = [code for code in wanted if code is not None]
    return FavourableOutcome(np.isin(encoded.codes, found), encoded.codes >= 0, len(wanted) - len(found))


def _outcome_by_limit(column: pd.Series, rule: FavourableRule) -> FavourableOutcome:
    numbers = parse_numbers(column)
    known = np.isfinite(numbers)
    limit = rule.value
    if limit == "mean":  # the exact sum, so that the order of records does not matter
        limit = fsum(numbers[known]) / max(int(known.sum()), 1)
    return FavourableOutcome(known & ((numbers >= limit) if rule.relation == "at_least" else (numbers <= limit)), known)
