"""Drawings of the equivalence classes, and of the chance of re-identification of each person."""

from __future__ import annotations

import numpy as np

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.files import Panel

CLASS_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
SIZES, EXPOSURE = "People by the size of their class", "Chance of re-identification of each person"


def class_sizes(assessment: Assessment) -> Panel:
    """People by the size of their equivalence class, under the policy in use."""
    classes, policy, threshold = assessment.classes, assessment.config.missing_qis, assessment.config.K
    evaluated = classes.evaluated(policy)
    size, frequency = classes.size[evaluated], classes.frequency(policy)[evaluated]
    begins = sorted({*CLASS_SIZES, threshold})
    bars = []
    for low, following in zip(begins, [*begins[1:], None], strict=True):
        within = frequency >= low if following is None else (frequency >= low) & (frequency < following)
        one = following is not None and following == low + 1
        label = f"{low:,}+" if following is None else f"{low:,}" if one else f"{low:,}–{following - 1:,}"
        n = int(size[within].sum())
        bars.append(rows.Bar(label, n, f"{n:,}", low < threshold))
    alike = "people whom a person may be, missing matching any" if policy == "wildcard" else "people in the class"
    described = "; ".join(f"k = {bar.label}: {bar.text}" for bar in bars)
    classes_text = f"{len(size):,} equivalence class{'' if len(size) == 1 else 'es'}"
    note = f"{_evaluated(assessment)}, in {classes_text}. On the left k: {alike}. "
    note += f"Hatched, above the line: {_below(threshold)}." if threshold > 1 else "Nobody is below K = 1."
    return Panel(rows.row_chart(SIZES, described, bars, begins.index(threshold)), note)


def individual_risk(assessment: Assessment) -> Panel:
    """How many people have at least each chance of re-identification, 1 / k under the policy in use."""
    classes, policy, threshold = assessment.classes, assessment.config.missing_qis, assessment.config.K
    evaluated = classes.evaluated(policy)
    frequency, people = classes.frequency(policy)[evaluated], classes.size[evaluated]
    sizes, place = np.unique(frequency, return_inverse=True)  # the smallest first: most exposed
    of_size = np.bincount(place, weights=people, minlength=len(sizes)).astype(int)
    n_above, n_all = int(of_size[sizes < threshold].sum()), int(of_size.sum())
    described = f"{n_above:,} of {n_all:,} people have a chance above 1/{threshold}, that is {_below(threshold)}"
    drawn = planes.exposure_chart(EXPOSURE, described, 1 / sizes, of_size, threshold)
    return Panel(drawn, f"{_evaluated(assessment)}. {described}: those above the line.")


def _below(threshold: int) -> str:
    return f"k\xa0<\xa0{threshold}"  # a non-breaking space


def _evaluated(assessment: Assessment) -> str:
    """How many people are evaluated and how many are not, and by which policy for missing values."""
    classes, policy = assessment.classes, assessment.config.missing_qis
    n, n_all = int(classes.size[classes.evaluated(policy)].sum()), classes.n_records
    return f"{n:,} of {n_all:,} people evaluated, {n_all - n:,} not (missing_qis: {policy})"
