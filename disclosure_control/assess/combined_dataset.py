"""Reading the combined dataset: the columns that the config names, categories as text, numbers as numbers."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cdisc.formats.files import read_domain_file
from cdisc.formats.tables import FileOptions
from config.model_settings import KeyReader, PilotConfig, validate_config
from disclosure_control.assess.absent_columns import known_columns
from disclosure_control.basics.columns import numbers_of, parse_numbers
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.words import in_one_line, listed

SUBJECT_COLUMN = "USUBJID"
# As the merge writes the file: nothing is guessed, and NA is the country Namibia.
AS_WRITTEN = FileOptions(delimiter=",", decimal=".", missing=(), dates="keep")


@dataclass(frozen=True)
class CombinedDataset:
    """``frame`` (n_subjects,) of the config's columns, the ``subjects``' ids, and the file's SHA-256.

    ``table`` is the whole file as text; in ``typed_table`` the config's columns are typed as in ``frame``.
    """

    frame: pd.DataFrame
    subjects: pd.Series
    sha256: str
    table: pd.DataFrame

    @property
    def typed_table(self) -> pd.DataFrame:
        """The whole file, the config's columns typed and the others as text."""
        return self.table.assign(**self.frame)


def read_combined_dataset(
    path: Path, literal: Mapping, readers: Mapping[str, KeyReader], is_assessed: bool = True
) -> tuple[PilotConfig, CombinedDataset]:
    """The config, checked and typed, and the dataset as it says that the columns are; no subject may have two rows.

    ``literal`` is the config as it was written, ``readers`` what understands its further keys. The config is checked
    before the file is read whole, against the columns of its header. Where the pilot is not ``is_assessed``, no column
    is typed and ``frame`` has none: what stands in a column that nobody asks for is no fault then. Raises
    ``FaultyInputError``; its messages hold counts and no value.
    """
    columns = header_of(path)
    known = None if columns is None else known_columns(columns, path.parent)
    config = validate_config(literal, known, readers)
    if not path.is_file():
        raise FaultyInputError(f"{path.name}: not there; run Create_Combined_Pilot_Dataset.py for this pilot first")
    source = read_domain_file(path, AS_WRITTEN)
    table = source.frame
    if SUBJECT_COLUMN not in table:
        raise FaultyInputError(
            f"{path.name}: no column {SUBJECT_COLUMN!r}; the file is not as Create_Combined_Pilot_Dataset.py writes it"
        )
    faults = _faults_of_roles(config) + _faults_of_names(table)
    if faults:
        raise FaultyInputError(faults)
    if list(table.columns) != columns:  # not as this tool writes it: only now the columns are known
        config = validate_config(literal, known_columns(list(table.columns), path.parent), readers)
    faults = _faults_of_subjects(table[SUBJECT_COLUMN], path.name)
    typed = {}
    for name in config.quasi_identifiers + config.sensitive_features if is_assessed else ():
        try:
            typed[name] = _typed(table[name], config)
        except FaultyInputError as error:
            faults += [f"{path.name}: {fault}" for fault in error.faults]
    if faults:
        raise FaultyInputError(faults)
    return config, CombinedDataset(pd.DataFrame(typed), table[SUBJECT_COLUMN], source.sha256, table)


def header_of(path: Path) -> list[str] | None:
    """The columns of the combined dataset; None where there is none yet, or none that can be read as it was written."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    return header if SUBJECT_COLUMN in header and len(set(header)) == len(header) else None


def _faults_of_roles(config: PilotConfig) -> list[str]:
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


def _faults_of_names(table: pd.DataFrame) -> list[str]:
    """A name of several lines would stand in a report as lines of its own."""
    places = [str(i) for i, name in enumerate(table.columns, start=1) if in_one_line(name) != name]
    return [f"columns {listed(places)}: line breaks or tabs in the name; rename them in one line"] if places else []


def _faults_of_subjects(subjects: pd.Series, name: str) -> list[str]:
    n_blank, n_distinct = int(subjects.isna().sum()), _n_distinct(subjects)
    n_repeated = len(subjects) - n_blank - n_distinct
    faults = []
    if n_blank:
        faults.append(f"{name}: {SUBJECT_COLUMN} is empty in {n_blank} of {len(subjects)} rows; every row needs an id")
    if n_repeated:
        faults.append(
            f"{name}: {n_repeated} rows repeat the {SUBJECT_COLUMN} of another row ({len(subjects)} rows, {n_distinct} "
            "subjects); people are counted, so one row per subject is needed; run Create_Combined_Pilot_Dataset.py"
        )
    return faults


def _n_distinct(subjects: pd.Series) -> int:
    """Number of different ids; a file of this tool has them in rising order, where neighbours tell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = pa.array(subjects)
    rising = len(ids) and not ids.null_count and pc.all(pc.greater(ids[1:], ids[:-1])).as_py()
    return len(ids) if rising else subjects.nunique()


def _typed(column: pd.Series, config: PilotConfig) -> pd.Series:
    """Categories stay text; continuous columns are numbers; a sensitive one is what its values or its rules say."""
    name = column.name
    if name in config.categorical_qis or config.t_distance.get(name) == "total_variation":
        return column
    if name in config.continuous_qis or name in config.sensitive_binning or config.t_distance.get(name):
        return pd.Series(numbers_of(column), column.index, name=name)
    n_values = int(column.notna().sum())
    n_texts = int((column.notna() & np.isnan(parse_numbers(column))).sum())
    in_units = config.T.get(name, 0) >= 1  # t of categories is a share: such a T was meant for numbers
    if n_texts == n_values or (2 * n_texts > n_values and not in_units):
        return column
    if n_texts:
        raise FaultyInputError(
            f"column {name!r}: {n_texts} of {n_values} values are not numbers and the others are; correct "
            'them in the source, choose by merge: {"text_results": ...}, or treat all as categories by '
            't_distance: "total_variation"'
        )
    # Codes such as 01 are names, not numbers.
    is_code = column.str.match(r"[+-]?0\d").any()
    return column if is_code else pd.Series(numbers_of(column), column.index, name=name)
