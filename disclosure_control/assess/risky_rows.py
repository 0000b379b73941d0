"""The files that name the records at risk; they contain people's data and are for the controller alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.binning import bin_values
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, number_text
from disclosure_control.run.tables import file_name_part


def risky_row_files(assessment: Assessment) -> Iterator[tuple[str, Iterator[pd.DataFrame]]]:
    """File name and rows, in pieces, for k, and for l and t of each sensitive feature; without rows, an empty piece."""
    yield f"risky_rows_k{assessment.config.K}_anonymity.csv", risky_rows(assessment, assessment.k_anonymity)
    taken = set()
    for sensitive, result in (*assessment.l_diversity.items(), *assessment.t_closeness.items()):
        name = f"risky_rows_{result.model[0]}{number_text(result.threshold)}_{file_name_part(sensitive)}"
        while name.lower() in taken:  # features whose names differ only in characters that no file name contains
            name += "_"
        taken.add(name.lower())
        yield f"{name}.csv", risky_rows(assessment, result)


def risky_rows(assessment: Assessment, result: ModelResult) -> Iterator[pd.DataFrame]:
    """The records a model flags: id, quasi-identifiers as binned, the sensitive value, the measure; riskiest first.

    They come in one piece or more. Ties are sorted by their classes and then by their ids, whatever the order of the
    records.
    """
    measure = result.of_class
    if result.model != "t_closeness":
        measure = measure.astype(np.int64)
    riskiest_first = np.argsort(-measure if result.model == "t_closeness" else measure, kind="stable")
    place = np.empty_like(riskiest_first)
    place[riskiest_first] = np.arange(len(place))
    for class_of_row, listed in assessment.people.flagged(result, place):
        if not _are_in_order(listed[SUBJECT_COLUMN], place[class_of_row]):
            id_rank = pd.factorize(listed[SUBJECT_COLUMN], sort=True)[0]
            rows = np.lexsort((id_rank, place[class_of_row]))
            class_of_row, listed = class_of_row[rows], listed.iloc[rows].reset_index(drop=True)
        yield listed.assign(**_as_l_counts(listed, assessment, result), **{result.measure_name: measure[class_of_row]})


def _as_l_counts(listed: pd.DataFrame, assessment: Assessment, result: ModelResult) -> dict[str, pd.Series]:
    """The sensitive value as l counts it, where it is binned for l, by the name of its column beside the raw one."""
    bins = assessment.config.sensitive_binning.get(result.sensitive or "")
    if result.model != "l_diversity" or bins is None:
        return {}
    binned, _ = bin_values(listed[result.sensitive], bins, assessment.config.out_of_range)
    return {f"{result.sensitive} (binned)": binned}


def _are_in_order(subjects: pd.Series, place: np.ndarray) -> bool:
    """Whether people are sorted by the position (n,) of their class and within it by their ids, as in a sorted file.

    Comparing neighbours is far quicker than sorting.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = pa.array(subjects.astype("str"))
    is_in_class = place[1:] == place[:-1]
    id_rises = pc.fill_null(pc.greater(ids[1:], ids[:-1]), False).to_numpy(zero_copy_only=False)
    return bool(((place[1:] > place[:-1]) | (is_in_class & id_rises)).all())
