"""Making a data set fair to a group: labels changed where it matters least (massaging), or records weighed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.measures.group_fairness import TwoGroups


@dataclass(frozen=True)
class LabelChanges:
    """Whose label becomes favourable or unfavourable, (n_records,) of bool each, and the two groups before."""

    promoted: np.ndarray
    demoted: np.ndarray
    before: TwoGroups


def label_changes(
    favourable: np.ndarray, reference: np.ndarray, group: np.ndarray, score: np.ndarray, ties: np.ndarray
) -> LabelChanges:
    """The labels to change so that both groups have the same rate, as nearly as whole people allow.

    All arrays are (n_records,), of bool except the ``score``, by which a record deserves the favourable label: in the
    group with the lower rate the best without it get it, in the other the worst lose it, M of each.
    Records without a score come last on both sides. ``ties`` (n_records,) decides between equal scores.
    Source: Kamiran and Calders 2012, algorithm 1, doi:10.1007/s10115-011-0463-8.
    """
    counts = [int(who.sum()) for who in (reference, reference & favourable, group, group & favourable)]
    before = TwoGroups(*counts)
    higher, lower = (reference, group) if before.statistical_parity_difference >= 0 else (group, reference)
    n_changes = round(abs(before.massaging_label_changes))
    promoted = _first(lower & ~favourable, -score, ties, n_changes)
    demoted = _first(higher & favourable, score, ties, n_changes)
    return LabelChanges(promoted, demoted, before)


def _first(among: np.ndarray, order: np.ndarray, ties: np.ndarray, n: int) -> np.ndarray:
    """The ``n`` records ``among`` those allowed that come first in order; NaN comes last."""
    candidates = np.flatnonzero(among)
    chosen = candidates[np.lexsort((ties[candidates], order[candidates]))[:n]]
    first = np.zeros(len(among), dtype=bool)
    first[chosen] = True
    return first


def ties_by_content(frame: pd.DataFrame) -> np.ndarray:
    """A number for each record (n_records,) from its content, whatever its row; equal records have equal numbers."""
    return form_equivalence_classes(frame, list(frame.columns)).class_of_record


def score_by_logistic_regression(frame: pd.DataFrame, favourable: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The chance of the favourable label, predicted from the columns of ``frame``, (n_records,), in (0, 1).

    Numbers are standardised, categories are one column each, and missing is a level. Coefficients other than the
    intercept are penalised (ridge, penalty 1), so that a fit always exists. It is fitted to the records whose label is
    ``known``. Records with equal values are one row, weighted by their number and sorted by content: the order of the
    records does not matter, to the last bit.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    classes = form_equivalence_classes(frame, list(frame.columns))
    n = np.bincount(classes.class_of_record[known], minlength=classes.n_classes).astype(float)
    n_favourable = np.bincount(classes.class_of_record[known & favourable], minlength=classes.n_classes)
    columns = [
        part for i in range(len(classes.columns)) for part in _design(classes.columns[i], classes.class_codes[i], n)
    ]
    design = np.column_stack([np.ones(classes.n_classes), *columns])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logit = design @ weights
        slope = design.T @ (n * expit(logit) - n_favourable)
        slope[1:] += weights[1:]
        value = n @ np.logaddexp(0.0, logit) - n_favourable @ logit + 0.5 * weights[1:] @ weights[1:]
        return value, slope

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return expit(design @ found.x)[classes.class_of_record]


def _design(column: EncodedColumn, codes: np.ndarray, n: np.ndarray) -> list[np.ndarray]:
    """The columns of the design for one feature: its number, standardised, or one per category; and one for missing."""
    missing = codes < 0
    parts = [missing.astype(float)] if missing.any() else []
    if not column.is_numeric:
        return parts + [(codes == code).astype(float) for code in range(len(column.labels))]
    if not len(column.labels):
        return parts
    weight = np.where(missing, 0.0, n)
    values = column.labels[codes]
    total = max(weight.sum(), 1.0)
    mean = (weight * values).sum() / total
    deviation = np.sqrt((weight * (values - mean) ** 2).sum() / total)
    return [*parts, np.where(missing, 0.0, (values - mean) / (deviation or 1.0))]


@dataclass(frozen=True)
class Reweighing:
    """``weights`` (n_records,); ``n_incomplete`` people lack label or group and weigh 1.

    ``n_empty`` pairs of a label and a group have nobody to weigh, so that these stay dependent.
    """

    weights: np.ndarray
    n_incomplete: int
    n_empty: int


def reweigh(frame: pd.DataFrame, label: str, group: str) -> Reweighing:
    """Weights that make label and group independent: expected people of (group, label) over those there are.

    Above 1 for whom there are too few. Source: Kamiran and Calders 2012, algorithm 3, doi:10.1007/s10115-011-0463-8.
    """
    classes = form_equivalence_classes(frame, [label, group])
    complete = classes.complete
    (y, s), people = classes.class_codes[:, complete], classes.size[complete].astype(float)
    of_label, of_group = np.bincount(y, people), np.bincount(s, people)
    weight = np.ones(classes.n_classes)
    weight[complete] = of_group[s] * of_label[y] / max(people.sum(), 1.0) / people
    n_empty = int((of_label > 0).sum() * (of_group > 0).sum()) - len(people)
    return Reweighing(weight[classes.class_of_record], classes.n_records - int(people.sum()), n_empty)
