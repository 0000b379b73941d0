"""Bounds on levels, time and the size of the lattice; faults; nobody at all."""

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import count_sensitive_values, form_equivalence_classes
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.recodings import search as search_module
from disclosure_control.remedy.recodings.criteria import Criterion
from disclosure_control.remedy.recodings.descent import descend, levels_around
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.remedy.recodings.requirements import Requirements
from disclosure_control.remedy.recodings.search import evaluate, search
from tests.remedy.recodings.arx_data import arx_lattice
from tests.remedy.recodings.test_search import as_lattice


def test_a_level_held_fixed():
    lattice = arx_lattice("synth_10000", ("sex", "country", "district", "agebin", "bmibin"))
    found = search(lattice, Requirements(5, (), 0.05), lowest={"bmibin": 2}, highest={"bmibin": 2, "agebin": 1})
    assert found.is_optimal
    assert found.lattice_size == 2 * 3 * 3 * 2
    assert found.best.levels[4] == 2
    assert found.best.levels[3] <= 1
    every = [evaluate(lattice, (*rest, 2), Requirements(5, (), 0.05)) for rest in np.ndindex(2, 3, 3, 2)]
    assert found.best.loss == min(one.loss for one in every if one.is_allowed)


def test_time_that_is_over_proves_nothing():
    lattice = arx_lattice("adult5", ("sex", "age", "race", "marital-status", "education"))
    ticks = iter(range(1000))
    found = search(lattice, Requirements(5, (), 0.0), time_limit=3, clock=lambda: next(ticks))
    assert not found.is_optimal
    assert found.n_checked <= 3
    at_once = search(lattice, Requirements(5, (), 0.0), time_limit=0, clock=lambda: 0)
    assert (at_once.best, at_once.is_optimal, at_once.n_checked) == (None, False, 0)


def test_of_a_lattice_that_is_too_large_a_part_is_searched(monkeypatch):
    lattice = arx_lattice("adult5", ("sex", "age", "race", "marital-status", "education"))
    whole = search(lattice, Requirements(5, (), 0.05), "precision")
    monkeypatch.setattr(search_module, "LARGEST_LATTICE", 100)
    tried: list[int] = []

    def counted_descent(*given):
        levels, n_tried = descend(*given)
        tried.append(n_tried)
        return levels, n_tried

    monkeypatch.setattr(search_module, "descend", counted_descent)
    part = search(lattice, Requirements(5, (), 0.05), "precision")
    assert 0 < tried[0] < part.n_checked <= tried[0] + 100
    assert whole.is_optimal
    assert not part.is_optimal
    assert part.lattice_size == whole.lattice_size == 240
    assert part.best.is_allowed
    assert part.best.loss >= whole.best.loss
    assert part.best.loss == evaluate(lattice, part.best.levels, Requirements(5, (), 0.05), "precision").loss


def binary_lattice(n_attributes, n_people=60):
    """So many attributes with two values and two levels, as they are and not released."""
    draw = np.random.default_rng(7)
    records = [tuple(row) for row in draw.choice(["a", "b"], (n_people, n_attributes), p=[0.9, 0.1])]
    return as_lattice(records, [[["a", "*"], ["b", "*"]]] * n_attributes)[0]


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
@pytest.mark.parametrize("metric", ["loss", "discernibility"])
def test_more_attributes_than_an_array_has_axes(metric):
    """Seventy, of which all but three stand as they are not released: the answer is that of the three alone."""
    lattice, requirements = binary_lattice(70), Requirements(5, (), 0.05)
    fixed = {attribute.name: 1 for attribute in lattice.attributes[3:]}
    found = search(lattice, requirements, metric, lowest=fixed)
    every = [evaluate(lattice, (*levels, *[1] * 67), requirements, metric) for levels in np.ndindex(2, 2, 2)]
    assert found.is_optimal
    assert found.lattice_size == 8
    assert found.best.loss == pytest.approx(min(one.loss for one in every if one.is_allowed))


@pytest.mark.thorough("0.5 s")
def test_a_choice_for_each_of_thirty_attributes_has_an_answer_without_a_proof():
    lattice, requirements = binary_lattice(30), Requirements(5, (), 0.05)
    ticks = iter(range(10**9))
    found = search(lattice, requirements, time_limit=200, clock=lambda: next(ticks))
    assert found.lattice_size == 2**30
    assert not found.is_optimal
    assert found.best.is_allowed
    assert len(found.best.levels) == 30


def test_faults_are_named_together():
    lattice = arx_lattice("adult5", ("sex", "age", "race", "marital-status", "education"))
    with pytest.raises(FaultyInputError) as error:
        search(lattice, Requirements(5), "los", {"sx": 1}, {"age": 9}, {"race": -1})
    assert len(error.value.faults) == 4
    with pytest.raises(FaultyInputError, match="above 0"):
        search(
            lattice, Requirements(5), weights=dict.fromkeys(("sex", "age", "race", "marital-status", "education"), 0)
        )
    with pytest.raises(FaultyInputError) as error:
        Requirements(5, (), 1.5, "nobody")
    assert len(error.value.faults) == 2


def test_a_lattice_that_is_too_large_is_descended_first():
    """The descent alone: nothing one level below it is both allowed and better, and no search has to follow."""
    lattice = arx_lattice("adult5", ("sex", "age", "race", "marital-status", "education"))
    requirements, loss = Requirements(5, (), 0.05), METRICS["loss"].on(lattice, [1.0] * 5)
    every = [range(n_levels) for n_levels in lattice.shape]
    levels, n_tried = descend(lattice, requirements, loss, every, lambda: False)
    here = evaluate(lattice, levels, requirements)
    assert here.is_allowed
    assert n_tried > 5
    for i in np.flatnonzero(levels):
        below = evaluate(lattice, [level - (at == i) for at, level in enumerate(levels)], requirements)
        assert not below.is_allowed or below.loss >= here.loss
    assert descend(lattice, requirements, loss, every, lambda: True) == (lattice.top, 0)
    around = levels_around(levels, every, 20)
    assert np.prod([len(one) for one in around]) <= 20
    assert all(level in one for level, one in zip(levels, around, strict=True))


def test_a_distance_in_units_is_above_its_threshold_by_more_than_rounding_in_these_units():
    """A sum over a range of a million is not exact to the thirteenth digit after the point."""
    frame = pd.DataFrame({"q": list("aabb"), "s": [0.0, 1.0, 2.0, 1e6]})
    table = count_sensitive_values(form_equivalence_classes(frame, ["q"]), frame["s"]).table
    above = np.array([1 + 1e-7, 1 + 1e-5])
    for model, fails in {
        "wasserstein_t": [False, True],
        "mean_difference_t": [False, True],
        "ordered_t": [True, True],
        "total_variation_t": [True, True],
    }.items():
        assert Criterion(model, "s", 1.0, table).fails(above).tolist() == fails, model
