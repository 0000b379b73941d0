"""Population uniques: ARX's figures where they are right, the definitions, and data drawn from the models."""

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import form_equivalence_classes
from disclosure_control.measures.population_uniqueness import (
    SizeHistogram,
    UniquesEstimate,
    choose_by_dankar,
    pitman,
    population_uniques,
    size_histogram,
    slide_negative_binomial,
    zayatz,
)
from tests.examples import examples
from tests.places import ARX

needs_arx = pytest.mark.skipif(not ARX.is_dir(), reason="shared/ is not beside the clone; it is public data")

histograms = st.dictionaries(st.integers(1, 12), st.integers(1, 20), min_size=1, max_size=6)


def histogram_of(classes_by_size: dict[int, int]) -> SizeHistogram:
    sizes = sorted(classes_by_size)
    return SizeHistogram(np.array(sizes), np.array([classes_by_size[size] for size in sizes]))


def histogram_of_sizes(sizes: np.ndarray) -> SizeHistogram:
    return SizeHistogram(*np.unique(sizes[sizes > 0], return_counts=True))


# ---------------------------------------------------------------- ARX


def read_arx(name: str) -> tuple[SizeHistogram, list[dict]]:
    oracle = json.loads((ARX / f"risk_{name}.json").read_text())
    pairs = np.array(oracle["histogram"]).reshape(-1, 2)
    return SizeHistogram(pairs[:, 0], pairs[:, 1]), oracle["population"]


@needs_arx
@pytest.mark.parametrize("name", ["adult5", "synth_10000"])
def test_zayatz_and_pitman_of_arx(name):
    histogram, populations = read_arx(name)
    assert len(populations) == 8
    for expected in populations:
        found = population_uniques(histogram, histogram.n_people / expected["populationSize"])
        for estimator, letter in (("zayatz", "nZayatz"), ("pitman", "nPitman")):
            assert found[estimator].n_uniques == pytest.approx(expected[letter], rel=1e-9)
            assert found[estimator].rate == pytest.approx(expected[estimator], rel=1e-9)


@needs_arx
@pytest.mark.parametrize("name", ["adult5", "synth_10000"])
def test_dankars_rule_of_arx(name):
    """Where ARX's choice is Pitman or Zayatz, it is ours; above a fraction of 0.5 ARX takes its SNB, which is wrong.

    ARX has 0 for SNB where it finds no solution. The equations have one in all these cases, and it is above Zayatz,
    so that Zayatz is the right choice there, and also at 0.9.
    """
    histogram, populations = read_arx(name)
    for expected in populations:
        fraction = histogram.n_people / expected["populationSize"]
        found = population_uniques(histogram, fraction)
        if expected["dankarModel"] == "SNB":
            assert fraction > 0.8
            assert found["dankar"].rate == min(found["snb"].rate, found["zayatz"].rate) > expected["dankar"]
        else:
            assert found["dankar"].estimator == expected["dankarModel"].lower()
            assert found["dankar"].rate == pytest.approx(expected["dankar"], rel=1e-9)
        if fraction > 0.1:
            assert found["snb"].rate > found["zayatz"].rate


# ---------------------------------------------------------------- Zayatz


@examples(60)
@given(histograms, st.integers(1, 400))
def test_zayatz_by_definition(classes_by_size, n_more):
    histogram = histogram_of(classes_by_size)
    n, u, s1 = histogram.n_people, histogram.n_all_classes, histogram.n_uniques
    population = n + n_more

    def drawn_once(size: int) -> Fraction:  # hypergeometric: one of the class, the others of the sample from the rest
        return Fraction(size * math.comb(population - size, n - 1), math.comb(population, n))

    if s1 == 0:
        assert zayatz(histogram, population).n_uniques == 0.0
        return
    of_any = sum(Fraction(count, u) * drawn_once(size) for size, count in classes_by_size.items())
    conditional = Fraction(s1, u) * drawn_once(1) / of_any
    expected = s1 * conditional * Fraction(population, n)
    assert zayatz(histogram, population).n_uniques == pytest.approx(float(expected), rel=1e-11)


# ---------------------------------------------------------------- Pitman


def log_likelihood(theta: float, alpha: float, histogram: SizeHistogram) -> float:
    """Of Pitman's sampling formula, factor by factor, without what does not depend on the parameters."""
    n, u = histogram.n_people, histogram.n_all_classes
    classes_part = sum(math.log(theta + i * alpha) for i in range(1, u))
    people_part = sum(math.log(theta + i) for i in range(1, n))
    sizes_part = sum(
        count * sum(math.log(j - alpha) for j in range(1, size))
        for size, count in zip(histogram.sizes.tolist(), histogram.n_classes.tolist(), strict=True)
    )
    return classes_part - people_part + sizes_part


@pytest.mark.parametrize(
    "classes_by_size",
    [{1: 50, 2: 20, 3: 10, 7: 5, 40: 2}, {1: 300, 2: 30, 3: 9, 4: 4, 5: 2, 9: 1}, {1: 5, 90: 2}, {1: 10, 2: 3, 100: 1}],
)
def test_pitman_is_the_maximum_of_the_likelihood(classes_by_size):
    histogram = histogram_of(classes_by_size)
    found = pitman(histogram, 10 * histogram.n_people)
    theta, alpha = found.parameters["theta"], found.parameters["alpha"]
    top = log_likelihood(theta, alpha, histogram)
    for step in (1e-3, 1e-1):
        for angle in np.linspace(0, 2 * np.pi, 24, endpoint=False):
            other = (theta + alpha) * math.exp(step * math.sin(angle)), alpha + step * (1 - alpha) * math.cos(angle)
            if 0 < other[1] < 1:
                assert log_likelihood(other[0] - other[1], other[1], histogram) < top
    log_expected = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(10 * histogram.n_people)
    assert found.n_uniques == pytest.approx(math.exp(log_expected), rel=1e-9)


# ---------------------------------------------------------------- slide negative binomial


@needs_arx
@pytest.mark.parametrize("name", ["adult5", "synth_10000"])
def test_snb_gives_back_what_it_was_fitted_to(name):
    """People, classes and uniques expected of the fitted population, summed up size by size from the distribution.

    ARX's SNB is none of the targets: it is 0 where there is a solution, and elsewhere not one of these equations.
    """
    histogram, populations = read_arx(name)
    for expected in populations[2:]:
        population, fraction = expected["populationSize"], histogram.n_people / expected["populationSize"]
        found = slide_negative_binomial(histogram, population)
        n_classes, alpha, p = (found.parameters[key] for key in ("n_classes", "alpha", "p"))
        extra = np.arange(int(60 / p))  # negative binomial, by its recurrence
        share = p**alpha * np.cumprod(np.append(1.0, (extra[:-1] + alpha) * (1 - p) / (extra[:-1] + 1)))
        size = extra + 1
        assert n_classes * share @ size == pytest.approx(population, rel=1e-6)
        assert n_classes * share @ (1 - (1 - fraction) ** size) == pytest.approx(histogram.n_all_classes, rel=1e-6)
        alone = size * fraction * (1 - fraction) ** (size - 1)
        assert n_classes * share @ alone == pytest.approx(histogram.n_uniques, rel=1e-6)
        assert found.n_uniques == pytest.approx(n_classes * share[0], rel=1e-9)
        if expected["nSNB"]:
            assert abs(found.n_uniques / expected["nSNB"] - 1) > 0.01


# ---------------------------------------------------------------- all of them


def estimates(**rates: float | None) -> dict[str, UniquesEstimate]:
    return {
        name: UniquesEstimate(name, None if rate is None else 100 * rate, rate, None if rate else "No solution.")
        for name, rate in rates.items()
    }


@pytest.mark.parametrize(
    ("fraction", "rates", "chosen"),
    [
        (0.01, (0.3, 0.1, 0.2), "pitman"),
        (0.1, (0.01, 0.1, 0.02), "pitman"),
        (0.1, (0.3, None, 0.2), "zayatz"),
        (0.11, (0.3, 0.1, 0.2), "snb"),
        (0.5, (0.2, 0.1, 0.3), "zayatz"),
        (0.5, (0.2, 0.1, None), "zayatz"),
        (0.5, (None, 0.1, 0.2), "snb"),
        (0.5, (None, 0.1, None), "pitman"),
    ],
)
def test_dankars_rule(fraction, rates, chosen):
    found = choose_by_dankar(estimates(**dict(zip(("zayatz", "pitman", "snb"), rates, strict=True))), fraction)
    assert found.estimator == chosen


@examples(60)
@given(histograms | st.just({1: 10**6}) | st.just({2: 3, 10**6: 1}), st.sampled_from([1e-9, 0.001, 0.1, 0.5, 0.999, 1]))
def test_every_estimate_has_a_figure_or_a_reason(classes_by_size, fraction):
    histogram = histogram_of(classes_by_size)
    population = round(histogram.n_people / fraction)
    found = population_uniques(histogram, fraction)
    assert list(found) == ["zayatz", "pitman", "snb", "dankar"]
    for estimate in found.values():
        assert (estimate.rate is None) == (estimate.n_uniques is None) == (estimate.reason is not None)
        if estimate.rate is None:
            assert estimate.reason.endswith(".")
        else:
            assert 0 <= estimate.n_uniques <= population
            assert estimate.rate == pytest.approx(estimate.n_uniques / population, rel=1e-12)
    if fraction == 1:
        assert {estimate.n_uniques for estimate in found.values()} == {histogram.n_uniques}


def test_reasons_where_an_estimator_does_not_apply():
    assert "unique" in pitman(histogram_of({1: 10}), 100).reason
    assert "one class" in pitman(histogram_of({10: 1}), 100).reason
    assert slide_negative_binomial(histogram_of({1: 10}), 100).reason is not None
    empty = SizeHistogram(np.array([], dtype=int), np.array([], dtype=int))
    assert {estimate.reason for estimate in population_uniques(empty, 0.5).values()} == {"No record is evaluated."}


def test_histogram_of_classes():
    frame = pd.DataFrame({"x": ["a", "a", "b", "c", None, None], "y": ["1", "1", "1", "1", "1", "2"]}, dtype=object)
    classes = form_equivalence_classes(frame, ["x", "y"])
    for policy, expected in {"category": {1: 4, 2: 1}, "exclude": {1: 2, 2: 1}, "wildcard": {1: 4, 2: 1}}.items():
        found = size_histogram(classes, policy)
        assert dict(zip(found.sizes.tolist(), found.n_classes.tolist(), strict=True)) == expected
    assert (found.n_people, found.n_all_classes, found.n_uniques) == (6, 5, 4)
