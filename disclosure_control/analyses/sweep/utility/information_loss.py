"""How much was changed, value by value and class by class: IL1, Loss, precision, entropy, discernibility.

IL1 and IL1s measure every kind of change. Loss, precision and non-uniform entropy count the original values that a
released one may represent: they measure generalisation and suppression, and are blind to perturbation. They start from
the exact values of the original; ``generalisation.losses`` measures the loss from a config's bins.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disclosure_control.analyses.sweep.utility.comparison import ComparedColumn, Comparison
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.measures import class_sizes

# ---------------------------------------------------------------- IL1


def il1_of_column(column: ComparedColumn) -> float:
    """Mean change of one column's values over the records that had a value or have one now; see ``il1_numeric``."""
    return float((column.table[2] * column.distances).sum() / column.n_valued) if column.n_valued else 0.0


def _mean_over_changed(columns: Sequence[ComparedColumn]) -> float | None:
    shares = [il1_of_column(column) for column in columns if column.n_changed]
    return float(np.mean(shares)) if shares else None


def il1_numeric(comparison: Comparison) -> float:
    """How far numbers moved: mean |x' - x| / (max - min of the original), averaged over the columns that changed.

    From 0, nothing changed; 1 is a move by the whole range in every record, and noise may exceed it. A lost number
    (suppressed, its record removed, its column dropped, only an open end left) counts 1, so that suppression is never
    free. Larger is less useful. Source: the published sweep of ACTG175, for numbers still there.
    """
    return _mean_over_changed(comparison.numeric) or 0.0


def il1_categorical(comparison: Comparison) -> float:
    """Share of changed values, averaged over the categorical columns that changed; in [0, 1], larger is less useful.

    A lost value counts as changed. Source: the published sweep of ACTG175.
    """
    return _mean_over_changed(comparison.categorical) or 0.0


def il1_overall(comparison: Comparison) -> float:
    """The mean of ``il1_numeric`` and ``il1_categorical``; if columns of one kind alone changed, that one; else 0."""
    means = [_mean_over_changed(columns) for columns in (comparison.numeric, comparison.categorical)]
    parts = [mean for mean in means if mean is not None]
    return float(np.mean(parts)) if parts else 0.0


def il1_mean(comparison: Comparison) -> float:
    """How much was changed per column: the sum of all columns' IL1, divided by the number of columns with a role.

    From 0; larger is less useful. Columns with a role are the quasi-identifiers and the sensitive ones; other changed
    columns add to the sum. ``il1_overall`` averages over the columns that changed, so it falls when one more column is
    changed a little; this one only grows, as a comparison of treatments needs.
    """
    changes = sum(il1_of_column(column) for column in comparison.columns.values())
    return float(changes / max(comparison.n_with_role, 1))


def il1s(comparison: Comparison) -> float:
    """Sum over records and numeric columns of |x' - x| / (sqrt(2) standard deviation of x).

    From 0, grows with the number of records; larger is less useful. A lost number counts as one moved by the whole
    range. Source: Yancey, Winkler and Creecy 2002; sdcMicro ``dUtility``, IL1.
    """
    total = 0.0
    for column in comparison.numeric:
        deviation = _standard_deviation(column)
        if deviation:
            total += (column.table[2] * column.distances).sum() * column.value_range / (np.sqrt(2) * deviation)
    return float(total)


def _standard_deviation(column: ComparedColumn) -> float:
    people, values = column.original_people, column.original.labels
    n = people.sum()
    if n < 2:
        return 0.0
    mean = (people * values).sum() / n
    return float(np.sqrt((people * (values - mean) ** 2).sum() / (n - 1)))


# ---------------------------------------------------------------- what a released value may represent


def _cover(column: ComparedColumn, of_value: np.ndarray) -> np.ndarray:
    """Per cell of the column's table the sum of ``of_value`` (n_values,) over the original values it may represent.

    A released value represents every original value that became it. Where one original value became several released
    ones (perturbation, local recoding), a released value that is itself an original one represents itself alone:
    the others that became it were swapped, not generalised. A suppressed value represents all values.
    """
    original, released, _ = column.table
    both = (original >= 0) & (released >= 0)
    sums = np.bincount(released[both], of_value[original[both]], len(column.released_labels))
    if (np.bincount(original[both], minlength=len(of_value)) > 1).any():
        own = dict(zip(column.original_labels, range(len(of_value)), strict=True))
        exact = np.array([own.get(label, -1) for label in column.released_labels], dtype=np.int64)
        sums = np.where(exact >= 0, np.append(of_value, 0)[exact], sums)
    return np.append(sums, of_value.sum())[released]


def _leaves_and_levels(column: ComparedColumn, hierarchy: ValueHierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Per released label the number of leaves under it and its lowest level; an unknown label is the top."""
    found: dict[str, tuple[int, int]] = {}
    for level in range(hierarchy.n_levels):
        for label, n in zip(*np.unique(hierarchy.labels[:, level], return_counts=True), strict=True):
            found.setdefault(label, (int(n), level))
    top = (len(hierarchy.labels), hierarchy.height)
    pairs = np.array([found.get(label, top) for label in (*column.released_labels, None)])
    return pairs[:, 0], pairs[:, 1]


def _had_value(column: ComparedColumn) -> tuple[np.ndarray, np.ndarray]:
    """Cells of the table where there was a value to lose, and their people."""
    original, _, people = column.table
    return original >= 0, people[original >= 0]


def loss_of_column(column: ComparedColumn, hierarchy: ValueHierarchy | None = None) -> float:
    """Loss of one attribute, in [0, 1]; see ``loss_from_exact_values``."""
    had, people = _had_value(column)
    if hierarchy is None:
        n_leaves = len(column.original.labels)
        under = _cover(column, np.ones(n_leaves))[had]
    else:
        n_leaves = len(hierarchy.labels)
        under = _leaves_and_levels(column, hierarchy)[0][column.table[1]][had]
    n = people.sum()
    if n_leaves < 2 or not n:
        return 0.0
    return float(((people * under).sum() - n) / (n * (n_leaves - 1)))


def loss_from_exact_values(comparison: Comparison) -> float:
    """How much of its domain a released quasi-identifier may represent, over all of them: in [0, 1].

    Per attribute (sum of shares - n/D) / (n - n/D), D values in the domain, the share of a value being how many of
    them it covers, 1 where nothing is released; together the geometric mean of 1 + loss, less 1. The domain is the
    distinct original values, or the leaves of a given hierarchy. Larger is less useful. Source: Iyengar 2002,
    doi:10.1145/775047.775089; ARX, metric Loss.
    """
    losses = [
        loss_of_column(column, comparison.hierarchies.get(column.name)) for column in comparison.quasi_identifiers
    ]
    return float(np.prod([1 + value for value in losses]) ** (1 / len(losses)) - 1)


def precision_of_column(column: ComparedColumn, hierarchy: ValueHierarchy | None = None) -> float:
    """Mean height of one attribute's released values, in [0, 1]; see ``precision_from_exact_values``."""
    had, people = _had_value(column)
    if not people.sum():
        return 0.0
    if hierarchy is not None:
        height = _leaves_and_levels(column, hierarchy)[1][column.table[1]] / hierarchy.height
    else:
        n_values = len(column.original.labels)
        cover = np.maximum(_cover(column, np.ones(n_values)), 1)
        height = np.log(cover) / np.log(n_values) if n_values > 1 else (column.table[1] < 0).astype(float)
    return float((people * height[had]).sum() / people.sum())


def precision_from_exact_values(comparison: Comparison) -> float:
    """1 less the mean height of the released quasi-identifiers in their hierarchies: 1 untouched, 0 all suppressed.

    Height is the level of a value divided by that of the top. Without a hierarchy it is log(values covered) / log(D),
    which is the same wherever each node of a hierarchy has equally many below it. Smaller is less useful. Source:
    Sweeney 2002, doi:10.1142/S021848850200165X, section 4 (Prec).
    """
    heights = [
        precision_of_column(column, comparison.hierarchies.get(column.name)) for column in comparison.quasi_identifiers
    ]
    return 1.0 - float(np.mean(heights))


def entropy_of_column(column: ComparedColumn) -> tuple[float, float]:
    """Bits that one attribute lost, and the bits that suppressing all of it would lose."""
    had, people = _had_value(column)
    everybody = column.original_people.astype(float)
    of_value = everybody[column.table[0][had]]
    cover = np.maximum(_cover(column, everybody)[had], of_value)  # a perturbed value may cover fewer than its own
    # A value swapped for an exact other one loses none of these bits: IL1 measures perturbation.
    exact = _cover(column, np.ones(len(everybody)))[had] <= 1
    lost = np.where(exact, 0.0, np.log2(cover / of_value))
    return float((people * lost).sum()), float((people * np.log2(everybody.sum() / of_value)).sum())


def non_uniform_entropy(comparison: Comparison) -> float:
    """Bits lost: sum over records and quasi-identifiers of log2(people with a value covered / people with the value).

    From 0; the people are those of the original, a suppressed value covers everyone. Larger is less useful. Source:
    De Waal and Willenborg 1999; Gionis and Tassa 2009, doi:10.1109/TKDE.2008.129. As ARX, metric Entropy, where nothing
    is suppressed; for suppressed values ARX adds two steps, through the coarse value that is not released.
    """
    return sum(entropy_of_column(column)[0] for column in comparison.quasi_identifiers)


def entropy_lost_percent(comparison: Comparison) -> float:
    """``non_uniform_entropy`` as a percentage of the original bits: 0 untouched, 100 all suppressed."""
    pairs = [entropy_of_column(column) for column in comparison.quasi_identifiers]
    there = sum(total for _, total in pairs)
    return 100 * sum(lost for lost, _ in pairs) / there if there else 0.0


# ---------------------------------------------------------------- classes


def _class_sizes(comparison: Comparison) -> tuple[np.ndarray, int]:
    """People per class of the released records that are not suppressed, and the suppressed ones."""
    suppressed = comparison.suppressed
    in_class = comparison.classes.class_of_record[~suppressed[comparison.positions]]
    size = np.bincount(in_class, minlength=1)
    return size[size > 0], int(suppressed.sum())


def discernibility(comparison: Comparison) -> float:
    """``class_sizes.discernibility`` of the classes as released; larger is less useful."""
    return class_sizes.discernibility(*_class_sizes(comparison))


def average_class_size(comparison: Comparison) -> float:
    """``class_sizes.average_class_size`` of the classes as released; larger is less useful."""
    return class_sizes.average_class_size(*_class_sizes(comparison))
