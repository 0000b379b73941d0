"""A table of the population, for the journalist's risk and for delta-presence: read, named and binned as the pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from Anonymization_Models import FaultyInputError, apply_feature_binning, nearest_name, numbers_of
from cdisc.files import read_domain_file
from disclosure_control.assessment import Assessment
from disclosure_control.reidentification import count_population


@dataclass(frozen=True)
class Population:
    """``size`` (n_classes,): people of the population in each class of the pilot; ``is_covered``: all are in one."""

    size: np.ndarray
    is_covered: bool


def read_population(folder: Path, settings: Mapping, assessment: Assessment, alpha: float) -> Population:
    """Count the people of the file ``settings["file"]`` in the pilot's classes. Raises ``FaultyInputError``."""
    path = folder / settings["file"]
    if not path.is_file():
        raise FaultyInputError(f"risk['population']: {settings['file']!r} is not in the pilot's folder; put it there")
    table = _named_as_the_pilot(read_domain_file(path).frame, path.name, settings.get("columns", {}), assessment)
    config = assessment.config
    includes_sample = settings.get("includes_sample", True)
    binned, _ = apply_feature_binning(table, config.binning_config, config.out_of_range)
    size = count_population(assessment.classes, binned, config.missing_qis, alpha, includes_sample)
    exact = count_population(assessment.classes, binned, "category", includes_sample=True)
    return Population(size, is_covered=int(exact.sum()) == len(binned))


def _named_as_the_pilot(table: pd.DataFrame, file: str, columns: Mapping, assessment: Assessment) -> pd.DataFrame:
    config, faults, found = assessment.config, [], {}
    for name in config.quasi_identifiers:
        theirs = columns.get(name, name)
        if theirs not in table:
            faults.append(
                f"{file}: no column {theirs!r} for the quasi-identifier {name!r}"
                f"{nearest_name(theirs, table.columns)}; name it in risk['population']['columns']"
            )
        elif name in config.continuous_qis:
            try:
                found[name] = numbers_of(table[theirs])
            except FaultyInputError as error:
                faults += [f"{file}: {fault}" for fault in error.faults]
        else:
            found[name] = table[theirs].to_numpy()
    strangers = [name for name in columns if name not in config.quasi_identifiers]
    faults += [f"risk['population']['columns']: {name!r} is not a quasi-identifier" for name in strangers]
    if faults:
        raise FaultyInputError(faults)
    return pd.DataFrame(found)
