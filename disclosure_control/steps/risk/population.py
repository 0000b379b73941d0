"""A table of the population, for the journalist's risk and for delta-presence: read, named and binned as the pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from Anonymization_Models import apply_feature_binning
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name, stop_at
from disclosure_control.measures.reidentification import count_population, too_small_for_the_pilot
from disclosure_control.steps.risk.common_settings import PopulationFile
from study.formats.files import read_domain_file

KEY = "risk['population']"


@dataclass(frozen=True)
class Population:
    """How many people of the population are in each class of the pilot, (n_classes,): larger is safer.

    ``size`` counts by the pilot's policy for missing values, ``exact_size`` takes a missing value as one of its own.
    ``n_in_classes`` of the ``n_people`` are in a class of the pilot.
    """

    file: str
    sha256: str
    notes: tuple[str, ...]
    size: np.ndarray
    exact_size: np.ndarray
    n_people: int
    n_in_classes: int


def read_population(folder: Path, settings: PopulationFile, assessment: Assessment, alpha: float) -> Population:
    """Count the people of a file in the pilot's ``folder``, in the pilot's classes.

    Raises ``FaultyInputError`` if it cannot be read, lacks a quasi-identifier, or does not contain the pilot.
    """
    source, _ = file_of_pilot(folder, settings.file, KEY)
    table = read_domain_file(source)
    frame = _named_as_the_pilot(table.frame, table.file_name, settings.columns, assessment)
    config, includes_sample = assessment.config, settings.includes_sample
    binned, _ = apply_feature_binning(frame, config.binning_config, config.out_of_range)
    exact_size = count_population(assessment.classes, binned, "category", includes_sample=includes_sample)
    size = count_population(assessment.classes, binned, config.missing_qis, alpha, includes_sample)
    n_in_classes = int(exact_size.sum()) - (0 if includes_sample else assessment.classes.n_records)
    _check_that_it_holds_the_pilot(settings.file, size, n_in_classes, assessment)
    return Population(settings.file, table.sha256, tuple(table.notes), size, exact_size, len(binned), n_in_classes)


def _check_that_it_holds_the_pilot(file: str, size: np.ndarray, n_in_classes: int, assessment: Assessment) -> None:
    classes, policy = assessment.classes, assessment.config.missing_qis
    short = too_small_for_the_pilot(classes, size, policy)
    if short.any():
        raise FaultyInputError(
            f"{KEY}: {file}: {int(short.sum())} of {int(classes.evaluated(policy).sum())} classes have fewer people "
            "there than in the pilot; the population must hold the pilot's people, coded as they are; if it is a table "
            'of other people, set "includes_sample": False'
        )
    if not n_in_classes:
        raise FaultyInputError(
            f"{KEY}: {file}: nobody there has the quasi-identifiers of anybody in the pilot; check that both are coded "
            "alike, and columns"
        )


def _named_as_the_pilot(table: pd.DataFrame, file: str, columns: Mapping, assessment: Assessment) -> pd.DataFrame:
    config, faults, found = assessment.config, [], {}
    for name in config.quasi_identifiers:
        theirs = columns.get(name, name)
        if theirs not in table:
            faults.append(
                f"{file}: no column {theirs!r} for the quasi-identifier {name!r}"
                f"{nearest_name(theirs, table.columns)}; name it in {KEY}['columns']"
            )
        elif name in config.continuous_qis:
            try:
                found[name] = numbers_of(table[theirs])
            except FaultyInputError as error:
                faults += [f"{file}: {fault}" for fault in error.faults]
        else:
            found[name] = table[theirs].to_numpy()
    known = config.quasi_identifiers
    strangers = [name for name in columns if name not in known]
    faults += [f"{KEY}['columns']: {name!r} is not a quasi-identifier{nearest_name(name, known)}" for name in strangers]
    stop_at(faults)
    return pd.DataFrame(found)
