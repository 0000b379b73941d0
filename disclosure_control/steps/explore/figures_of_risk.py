"""Figures of the equivalence classes, and of the chance of re-identification of each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.drawings import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASS_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)


def class_sizes(figure: Figure, assessment: Assessment) -> None:
    """People by the size of the group they cannot be told apart from, under the policy in use."""
    classes, policy, threshold = assessment.classes, assessment.config.missing_qis, assessment.config.K
    evaluated = classes.evaluated(policy)
    size, frequency = classes.size[evaluated], classes.frequency(policy)[evaluated]
    begins = sorted({*CLASS_SIZES, threshold})
    labels, people = [], []
    for low, following in zip(begins, [*begins[1:], None], strict=True):
        within = frequency >= low if following is None else (frequency >= low) & (frequency < following)
        one = following is not None and following == low + 1
        labels.append(f"{low:,} or more" if following is None else f"{low:,}" if one else f"{low:,}–{following - 1:,}")
        people.append(int(size[within].sum()))
    colours = [COLOURS[1] if low < threshold else COLOURS[0] for low in begins]
    hatches = ["///" if low < threshold else "" for low in begins]
    panel = figure.subplots()
    bars = panel.bar(range(len(labels)), people, color=colours, hatch=hatches, edgecolor="white")
    panel.bar_label(bars, [f"{n:,}" for n in people], fontsize=8, padding=2)
    panel.set_xticks(range(len(labels)), labels)
    alike = "whom the person may be, missing values matching any" if policy == "wildcard" else "in the same class"
    panel.set_xlabel(f"people {alike}; hatched: below K = {threshold}")
    panel.set_ylabel("people")
    panel.margins(y=0.12)
    panel.grid(visible=False, axis="x")
    panel.set_title(f"{_evaluated(assessment)}, in {len(size):,} equivalence class{'' if len(size) == 1 else 'es'}")


def individual_risk(figure: Figure, assessment: Assessment) -> None:
    """How many people have at most which chance of re-identification, 1 / k under the policy in use."""
    classes, policy = assessment.classes, assessment.config.missing_qis
    evaluated = classes.evaluated(policy)
    risk = 1 / classes.frequency(policy)[evaluated]
    people = classes.size[evaluated]
    order = np.argsort(-risk)
    n = int(people.sum())
    panel = figure.subplots()
    share = np.concatenate([[0.0], np.cumsum(people[order])]) / max(n, 1)
    panel.step(
        100 * share, 100 * np.append(risk[order], risk.min(initial=1)), where="post", color=COLOURS[0], linewidth=2
    )
    limit = 100 / assessment.config.K
    panel.axhline(limit, color=COLOURS[1], linestyle="--", linewidth=1.2)
    panel.annotate(
        f"1 / K = {limit:.3g} %", (99, limit), xytext=(0, 3), textcoords="offset points", ha="right", fontsize=9
    )
    panel.set_xlim(0, 100)
    panel.set_ylim(0, 104)
    panel.set_xlabel("share of the evaluated people, the most exposed first [%]")
    panel.set_ylabel("chance of re-identification, 1 / k [%]")
    panel.set_title(_evaluated(assessment))


def _evaluated(assessment: Assessment) -> str:
    """How many people are evaluated and how many are not, and by which policy for missing values."""
    classes, policy = assessment.classes, assessment.config.missing_qis
    n, n_all = int(classes.size[classes.evaluated(policy)].sum()), classes.n_records
    return f"{n:,} of {n_all:,} people evaluated, {n_all - n:,} not (missing_qis: {policy})"
