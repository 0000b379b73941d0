"""The requirements of the combined dataset, and the types of its columns: the same rules for every reader.

A column is judged by its distinct values and how many people have each, so that no reader needs all records at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, numbers_of, parse_numbers
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import in_one_line, listed
from disclosure_control.records.columns import ColumnOfRecords
from disclosure_control.records.subjects import Subjects


def faults_of_subjects(subjects: Subjects, file: str) -> list[str]:
    """The faults of the ids of a file: that some are empty, or that some repeat."""
    n_rows, n_blank, n_distinct = sum(subjects.lengths), subjects.n_blank, subjects.count_distinct()
    n_repeated = n_rows - n_blank - n_distinct
    faults = []
    if n_blank:
        faults.append(
            f"{file}: {SUBJECT_COLUMN} is empty in {people_on_screen(n_blank)} of {n_rows} rows; every row needs an id"
        )
    if n_repeated:
        faults.append(
            f"{file}: {people_on_screen(n_repeated)} of {n_rows} rows repeat the {SUBJECT_COLUMN} of another row; "
            "people are counted, so one row per subject is needed; run Create_Combined_Pilot_Dataset.py"
        )
    return faults


def faults_of_roles(config: PilotConfig) -> list[str]:
    """The roles in which a config names the subject's id, which can have none of them."""
    roles = {
        "categorical_qis": config.categorical_qis,
        "continuous_qis": config.continuous_qis,
        "sensitive_feature": config.sensitive_features,
    }
    return [
        f"{key}: {SUBJECT_COLUMN!r} names the subject and is neither a quasi-identifier nor sensitive; take it out"
        for key, names in roles.items()
        if SUBJECT_COLUMN in names
    ]


def faults_of_names(columns: Sequence[str]) -> list[str]:
    """A name of several lines would break the lines of a report."""
    places = [str(i) for i, name in enumerate(columns, start=1) if in_one_line(name) != name]
    return [f"columns {listed(places)}: line breaks or tabs in the name; rename them in one line"] if places else []


def typed_columns(
    columns: Mapping[str, ColumnOfRecords], config: PilotConfig, file: str, faults: Sequence[str]
) -> dict[str, ColumnOfRecords]:
    """The columns, typed. Raises ``FaultyInputError`` with the ``faults`` of the file so far and those of columns."""
    found, typed = list(faults), {}
    for name, column in columns.items():
        try:
            values = typed_column(column.values, config, column.people)
            typed[name] = dataclasses.replace(column, values=values)
        except FaultyInputError as error:
            found += [f"{file}: {fault}" for fault in error.faults]
    stop_at(found)
    return typed


def typed_column(column: pd.Series, config: PilotConfig, people: np.ndarray) -> pd.Series:
    """Categories stay text; continuous columns are numbers; the values or rules of a sensitive column decide its type.

    ``people`` (n_values,) have each value. Raises ``FaultyInputError`` if neither type fits.
    """
    name = str(column.name)
    if name in config.categorical_qis or config.t_distance.get(name) == "total_variation":
        return column
    if name in config.continuous_qis or name in config.sensitive_binning or config.t_distance.get(name):
        return pd.Series(numbers_of(column, people), column.index, name=name)
    has_value = column.notna().to_numpy()
    is_text = has_value & np.isnan(parse_numbers(column))
    n_values, n_texts = (int(people[which].sum()) for which in (has_value, is_text))
    in_units = config.T.get(name, 0) >= 1  # t of categories is a share: such a T was meant for numbers
    if n_texts == n_values or (2 * n_texts > n_values and not in_units):
        return column
    if n_texts:
        raise FaultyInputError(
            f"column {name!r}: {people_on_screen(n_texts)} of {n_values} values are not numbers and the others are; "
            'correct them in the source, choose by merge: {"text_results": ...}, or treat all as categories by '
            't_distance: "total_variation"'
        )
    # Codes such as 01 are names, not numbers.
    is_code = column.str.match(r"[+-]?0\d").any()
    return column if is_code else pd.Series(numbers_of(column, people), column.index, name=name)
