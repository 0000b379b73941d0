"""The keys of k, l and t of a drafted config, from the parts that its columns play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from disclosure_control.draft.bins import OLDEST_AGE, age_bins, body_mass_bins, quantile_bins
from disclosure_control.draft.columns import Column
from disclosure_control.draft.literal import DraftedValue, Group, Node
from disclosure_control.draft.roles import ConfigRole, Decision, order_of_sensitive
from disclosure_control.draft.thresholds import (
    SeenInLargeGroups,
    draft_l,
    draft_t,
    seen_in_large_groups,
    sensitive_bins,
)

MOST_SENSITIVE = 2  # each further one is a further requirement on every class
ADULT = 18


def draft_model_keys(
    columns: Sequence[Column],
    decisions: Mapping[str, Decision],
    sensitive: Sequence[Column],
    k: DraftedValue,
    frame: pd.DataFrame,
) -> dict[str, Node]:
    """The keys by name; ``frame`` is the combined dataset, as text."""
    categories, numbers = (
        [column for column in columns if decisions[column.name].role is role]
        for role in (ConfigRole.CATEGORY, ConfigRole.NUMBER)
    )
    least = k.value
    is_adult = _are_adults(columns)
    bins = {column.name: _bins(column, least, is_adult) for column in numbers}
    keys: dict[str, Node] = {
        "categorical_qis": Group(
            [_line(column, decisions) for column in categories],
            "What an outsider may know about a person: columns of combined_dataset.csv."
            if categories or numbers
            else "No column was recognised as one that outsiders know; name one.",
            review=not categories and not numbers,
        ),
        "continuous_qis": Group([_line(column, decisions) for column in numbers]),
        "binning_config": Group(
            bins,
            "Edges of the bins: [a,b), the last one closed; values outside fall into a tail." if bins else "",
        ),
        "sensitive_feature": Group(
            [_line(column, decisions) for column in sensitive],
            "What nobody should learn about a person."
            if sensitive
            else "No heading names a sensitive column; name one (a diagnosis, a laboratory result), with L and T.",
            review=not sensitive,
        ),
    }
    measured = {column.name: sensitive_bins(column, least) for column in sensitive if column.is_measured}
    if measured:
        keys["sensitive_binning_config_for_L"] = Group(measured, "For numbers, l counts these bins, not single values.")
    names, edges = [column.name for column in categories], {name: one.value for name, one in bins.items()}
    seen = {
        column.name: seen_in_large_groups(
            frame, names, edges, column.name, measured[column.name].value if column.name in measured else None
        )
        for column in sensitive
    }
    return keys | {"K": k, **_thresholds(sensitive, least, seen)}


def _thresholds(sensitive: Sequence[Column], k: int, seen: Mapping[str, SeenInLargeGroups]) -> dict[str, Node]:
    by_key = {
        "L": {column.name: draft_l(column, k, seen[column.name]) for column in sensitive},
        "T": {column.name: draft_t(column, k, seen[column.name]) for column in sensitive},
        # Otherwise the differences of codes would count, and a number among texts would be a fault.
        "t_distance": {
            column.name: DraftedValue("total_variation", "categories, also where their codes are numbers")
            for column in sensitive
            if not column.is_measured
        },
    }
    if len(sensitive) == 1:
        return {key: next(iter(lines.values())) for key, lines in by_key.items() if lines}
    return {key: Group(lines) for key, lines in by_key.items() if lines}


def _line(column: Column, decisions: Mapping[str, Decision]) -> DraftedValue:
    return DraftedValue(column.name, decisions[column.name].reason, decisions[column.name].review)


def chosen_sensitive(columns: Sequence[Column], decisions: Mapping[str, Decision]) -> list[Column]:
    """The sensitive columns of the config: the first candidates, of different concepts where possible."""
    candidates = [column for column in columns if decisions[column.name].role is ConfigRole.SENSITIVE]
    candidates = [column for column in sorted(candidates, key=order_of_sensitive) if column.n_distinct > 1]
    first_of_each: dict[object, Column] = {}
    for column in candidates:
        first_of_each.setdefault(column.concept if column.form == "wide" else column.domain, column)
    return list(first_of_each.values())[:MOST_SENSITIVE]


def _bins(column: Column, k: int, is_adult: bool) -> DraftedValue:
    assert column.numbers is not None  # otherwise it is a category
    name = column.concept.name if column.concept else ""
    is_in_years = column.unit in ("", "YEARS") and column.numbers.min() >= 0 and column.numbers.max() <= OLDEST_AGE
    if name == "age" and is_in_years:
        return age_bins(column.numbers, k)
    if name == "body mass index" and is_adult:
        return body_mass_bins(column.numbers, k)
    return quantile_bins(column.numbers, k)


def _are_adults(columns: Sequence[Column]) -> bool:
    """Whether most people are adults; also True where no column gives the age."""
    ages = [column.numbers for column in columns if column.concept and column.concept.name == "age"]
    known = [numbers for numbers in ages if numbers is not None]
    return not known or float(np.median(known[0])) >= ADULT
