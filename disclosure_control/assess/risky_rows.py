"""The files that name the records at risk; they hold people and are for the controller alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import number_text
from disclosure_control.run.results import file_name_part


def risky_row_files(assessment: Assessment, subjects: pd.Series) -> Iterator[tuple[str, pd.DataFrame]]:
    """File name and rows for k, and for l and t of each sensitive feature; a file without risky rows has its header."""
    yield f"risky_rows_k{assessment.config.K}_anonymity.csv", risky_rows(assessment, assessment.k_anonymity, subjects)
    taken = set()
    for sensitive, result in (*assessment.l_diversity.items(), *assessment.t_closeness.items()):
        name = f"risky_rows_{result.model[0]}{number_text(result.threshold)}_{file_name_part(sensitive)}"
        while name.lower() in taken:  # two features whose names differ only in what a file name cannot hold
            name += "_"
        taken.add(name.lower())
        yield f"{name}.csv", risky_rows(assessment, result, subjects)


def risky_rows(assessment: Assessment, result: ModelResult, subjects: pd.Series) -> pd.DataFrame:
    """The records a model flags: id, quasi-identifiers as binned, the sensitive value, the measure; riskiest first.

    Ties stand in the order of their classes and then of their ids, whatever the order of the records was.
    """
    flagged = np.flatnonzero(result.risky)
    measure = result.measure[flagged]
    id_rank = pd.factorize(subjects.iloc[flagged], sort=True)[0]
    riskiest_first = -measure if result.model == "t_closeness" else measure
    rows = flagged[np.lexsort((id_rank, assessment.classes.class_of_record[flagged], riskiest_first))]
    names = list(assessment.config.quasi_identifiers)
    if result.sensitive:
        names.append(result.sensitive)
    listed = assessment.binned[names].iloc[rows].reset_index(drop=True)
    listed.insert(0, SUBJECT_COLUMN, subjects.iloc[rows].to_numpy())
    measure = result.measure[rows]
    listed[result.measure_name] = measure if result.model == "t_closeness" else measure.astype(np.int64)
    return listed
