"""Classes are compared with those who are kept, round after round: the answer is that of measuring all of them anew."""

from __future__ import annotations

import numpy as np
import pytest

from Anonymization_Models import CountTable
from disclosure_control.remedy.recodings.criteria import NORMS, Criterion
from disclosure_control.remedy.recodings.judging import AgainstKept

N_CLASSES, N_VALUES = 400, 12
DISTANCES = ("wasserstein_t", "total_variation_t", "mean_difference_t", "ordered_t")


def table_of(counts: np.ndarray) -> CountTable:
    class_of_cell, value_of_cell = np.nonzero(counts)
    people = counts[class_of_cell, value_of_cell]
    return CountTable(class_of_cell, value_of_cell, people, np.arange(N_VALUES) * 0.5, len(counts))


def anew(criterion: Criterion, counts: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """Who fails, every class measured against those who are kept."""
    return criterion.fails(criterion.measure(table_of(counts), counts[~gone].sum(axis=0)))


@pytest.mark.parametrize("model", DISTANCES)
@pytest.mark.parametrize("seed", range(4))
def test_every_round_is_that_of_measuring_anew(model, seed):
    chance = np.random.default_rng(seed)
    counts = chance.poisson(chance.gamma(0.4, 3, (N_CLASSES, 1)) * chance.dirichlet(np.ones(N_VALUES), N_CLASSES))
    table = table_of(counts)
    all_distances = Criterion(model, "S", 1.0, table).measure(table, table.people_of_value)
    criterion = Criterion(model, "S", float(np.nanquantile(all_distances, 0.7)), table)
    ours, gone, n_changed = AgainstKept(criterion, table), np.zeros(N_CLASSES, dtype=bool), 0
    first = anew(criterion, counts, gone)
    for n_more in (0, 1, 5, 60, 250):
        gone[chance.permutation(np.flatnonzero(~gone))[:n_more]] = True
        fails, expected = ours.fails(gone, gone)[~gone], anew(criterion, counts, gone)[~gone]
        assert (fails == expected).all(), n_more
        n_changed += int((expected != first[~gone]).sum())
    assert n_changed  # the reference moved so far that the answer is another one
    assert (ours.first is not None) == (model in NORMS)


def test_only_classes_near_the_threshold_are_measured_again(monkeypatch):
    counts = np.zeros((N_CLASSES, N_VALUES), dtype=np.int64)
    counts[:200, 5] = counts[200:399, 6] = 10  # near the middle, all of them
    counts[-1, 0] = 10  # far from it
    criterion = Criterion("wasserstein_t", "S", 1.0, table_of(counts))
    ours, nobody = AgainstKept(criterion, criterion.table), np.zeros(N_CLASSES, dtype=bool)
    assert np.flatnonzero(ours.fails(nobody, nobody)).tolist() == [N_CLASSES - 1]
    cells = []
    real = Criterion.measure
    monkeypatch.setattr(Criterion, "measure", lambda *given: cells.append(len(given[1].people)) or real(*given))
    gone = nobody.copy()
    gone[0] = True
    assert np.flatnonzero(ours.fails(gone, gone)).tolist() == [N_CLASSES - 1]
    assert cells == [3, 0]  # the distribution of those who are kept, then no class


def test_once_nobody_is_kept_nobody_fails():
    counts = np.ones((3, N_VALUES), dtype=np.int64) * [[1], [2], [3]]
    criterion = Criterion("wasserstein_t", "S", 0.1, table_of(counts))
    ours, everybody = AgainstKept(criterion, criterion.table), np.ones(3, dtype=bool)
    ours.fails(~everybody, ~everybody)
    assert not ours.fails(everybody, ~everybody).any()
