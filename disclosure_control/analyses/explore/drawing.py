"""Every figure of ``explore``: those of columns, of pairs, and here those of the equivalence classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disclosure_control.analyses.explore import figures_of_columns as of_columns
from disclosure_control.analyses.explore import figures_of_pairs as of_pairs
from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.drawings.figures import BLUE, INK, ORANGE, RED, NamedFigures, count_axis, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEWEST_FOR_A_BOX = 6  # distinct numbers: below this a bar for each is clearer than a histogram or a box
CLASS_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)


def draw_exploration(found: Exploration, assessment: Assessment) -> NamedFigures:
    """Every figure with its name; ``found.notes`` lists what is omitted for space."""
    varying = [column for column in found.numbers if column.n_distinct >= FEWEST_FOR_A_BOX]
    few = [one for one in found.categories if not (one.kind == "number" and one.n_distinct > of_columns.MOST_BARS)]
    for name, title, columns, draw, tall in (
        ("histograms", "Histograms: people per interval", varying, of_columns.histogram, of_columns.PANEL_TALL),
        ("boxes", "Boxes: median, quartiles, fences", varying, of_columns.box, of_columns.BOX_TALL),
        ("bars", "Bars: people per value", few, of_columns.bars, None),
    ):
        yield from of_columns.figures_of(f"explore_{name}", title, columns, draw, found, tall)
    yield from of_pairs.boxes_by_group(found, varying)
    yield from of_pairs.mosaic(found)
    yield from of_pairs.pair_plot(found, varying)
    yield from of_pairs.correlation_heatmap(found)
    yield "explore_class_sizes", class_sizes(assessment)
    yield "explore_individual_risk", individual_risk(assessment)


def class_sizes(assessment: Assessment) -> Figure:
    """People by the size of their equivalence class, under the policy in use."""
    classes, policy, threshold = assessment.classes, assessment.config.missing_qis, assessment.config.K
    evaluated = classes.evaluated(policy)
    size, frequency = classes.size[evaluated], classes.frequency(policy)[evaluated]
    begins = sorted({*CLASS_SIZES, threshold})
    lasts = [following - 1 for following in begins[1:]]
    names = [f"{low:,}" if low == last else f"{low:,}–{last:,}" for low, last in zip(begins, lasts, strict=False)]
    people = np.histogram(frequency, [*begins, np.inf], weights=size)[0].astype(int)
    note = f"{_evaluated(assessment)}, in {len(size):,} equivalence class{'' if len(size) == 1 else 'es'}."
    figure, (axes,) = panels("People by the size of their class", [3.5], note, wides=[7.0])
    drawn = axes.bar(range(len(begins)), people, color=BLUE)
    for bar in drawn[: begins.index(threshold)]:
        bar.set(facecolor=ORANGE, hatch="//", edgecolor=INK)
    if threshold > 1:
        at = begins.index(threshold) - 0.5
        axes.axvline(at, color=RED, linestyle="--")
        axes.text(at - 0.08, 1, _below(threshold), ha="right", color=RED, transform=axes.get_xaxis_transform())
    axes.bar_label(drawn, [f"{n:,}" for n in people])
    axes.set_xticks(range(len(begins)), [*names, f"{begins[-1]:,}+"])
    axes.set_xlabel("k: people that one may be, missing is any" if policy == "wildcard" else "k: people in the class")
    count_axis(axes)
    return figure


def individual_risk(assessment: Assessment) -> Figure:
    """How many people have at least each chance of re-identification, 1 / k under the policy in use."""
    classes, policy, threshold = assessment.classes, assessment.config.missing_qis, assessment.config.K
    evaluated = classes.evaluated(policy)
    frequency, people = classes.frequency(policy)[evaluated], classes.size[evaluated]
    sizes, place = np.unique(frequency, return_inverse=True)  # the smallest first: most exposed
    of_size = np.bincount(place, weights=people, minlength=len(sizes)).astype(int)
    n_above, n_all = int(of_size[sizes < threshold].sum()), int(of_size.sum())
    note = f"{_evaluated(assessment)}. {n_above:,} of {n_all:,} people have a chance above 1/{threshold}, that is "
    note += f"{_below(threshold)}: those above the line."
    figure, (axes,) = panels("Chance of re-identification of each person", [3.5], note, wides=[7.0])
    if n_all:
        until = np.concatenate([[0], np.cumsum(of_size)]) / n_all
        axes.stairs(1 / sizes, until, color=BLUE, baseline=None, linewidth=2)
    axes.axhline(1 / threshold, color=RED, linestyle="--")
    axes.text(1, 1 / threshold + 0.01, f"1/{threshold}", ha="right", color=RED)
    axes.set(xlim=(0, 1), ylim=(0, 1.05), xlabel="share of the people, most exposed first", ylabel="chance, 1 / k")
    axes.xaxis.set_major_formatter("{x:.0%}")
    return figure


def _below(threshold: int) -> str:
    return f"k\xa0<\xa0{threshold}"  # a non-breaking space


def _evaluated(assessment: Assessment) -> str:
    """How many people are evaluated and how many are not, and by which policy for missing values."""
    classes, policy = assessment.classes, assessment.config.missing_qis
    n, n_all = int(classes.size[classes.evaluated(policy)].sum()), classes.n_records
    return f"{n:,} of {n_all:,} people evaluated, {n_all - n:,} not (missing_qis: {policy})"
