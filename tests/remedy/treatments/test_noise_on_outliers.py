"""Noise on outliers alone, and rank swapping by Moore's two factors, against definitions and sdcMicro's figures."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from disclosure_control.remedy.treatments.algorithms.robust_distances import robust_distances
from disclosure_control.remedy.treatments.methods.noise import stand_out, window_of_correlation, window_of_means
from disclosure_control.remedy.treatments.treat import treat
from tests.remedy.treatments.test_microaggregation import sdcmicro_case
from tests.remedy.treatments.treatment_frames import config_for


def normal_with_outliers(n=300, n_outliers=60, n_columns=3):
    """Correlated normal data of which a fifth lies elsewhere, where the mean and covariance would hide it."""
    generator = np.random.default_rng(3)
    root = np.tril(np.ones((n_columns, n_columns)))
    numbers = generator.normal(size=(n, n_columns)) @ root
    numbers[:n_outliers] = generator.normal(scale=0.1, size=(n_outliers, n_columns)) + np.array([12.0, -12.0, 12.0])
    return numbers


def test_a_fifth_that_lies_elsewhere_is_found_and_few_others():
    numbers = normal_with_outliers()
    limit = np.sqrt(chi2.ppf(0.975, 3))
    centred = numbers - numbers.mean(axis=0)
    plain = np.sqrt(np.einsum("ij,ij->i", centred, np.linalg.solve(np.cov(numbers.T), centred.T).T))
    assert not (plain[:60] > limit).any()  # they hide each other
    far = robust_distances(numbers, np.random.default_rng(1)) > limit
    assert far[:60].all()
    assert far[60:].mean() < 0.08


@pytest.mark.thorough("0.4 s")
def test_distances_do_not_depend_on_units_and_are_those_of_chi_squared():
    numbers = np.random.default_rng(8).normal(size=(400, 2)) * [1.0, 1000.0] + [5.0, -3.0]
    distances = robust_distances(numbers, np.random.default_rng(1))
    assert np.mean(distances**2 <= chi2.ppf(0.5, 2)) == pytest.approx(0.5, abs=0.07)
    other = robust_distances(numbers / [100.0, 1000.0], np.random.default_rng(1))
    np.testing.assert_allclose(other, distances, rtol=1e-6)
    assert not robust_distances(numbers[:5], np.random.default_rng(1)).any()
    assert robust_distances(numbers[:6], np.random.default_rng(1)).all()
    assert np.isfinite(robust_distances(np.column_stack([numbers, np.ones(400)]), np.random.default_rng(1))).all()


def test_a_column_that_is_the_same_for_three_of_four_has_distances_whatever_its_unit():
    """Its quartiles are equal, so that they give no scale; nobody is infinitely far, and the few who differ are far."""
    generator = np.random.default_rng(4)
    rare = np.where(np.arange(200) % 5 == 0, generator.normal(50.0, 1.0, 200), 0.0)
    numbers = np.column_stack([generator.normal(size=200), rare])
    distances = robust_distances(numbers, np.random.default_rng(1))
    assert np.isfinite(distances).all()
    assert distances[rare > 0].min() > distances[rare == 0].max()
    in_other_units = robust_distances(numbers * [1.0, 1e6], np.random.default_rng(1))
    np.testing.assert_allclose(in_other_units, distances, rtol=1e-6)


def test_noise_falls_on_those_who_stand_out_alone():
    frame = pd.DataFrame(normal_with_outliers(), columns=list("xyz")).round(2)
    frame.loc[70, "x"] = np.nan
    steps = [{"method": "noise", "columns": list("xyz"), "share": 1.0, "kind": "outliers"}]
    treated = treat(frame, config_for([], list("xyz")), steps, 5)
    out = stand_out(frame.to_numpy(), np.random.default_rng(5))
    changed = (treated.frame.to_numpy() != frame.to_numpy()) & frame.notna().to_numpy()
    assert not changed[~out].any()
    assert changed[out].mean() > 0.95
    # One in a hundred of each column counts, however near it lies; a record with a gap is judged by its columns alone.
    assert out[(frame > frame.quantile(0.99)).any(axis=1)].all()
    assert not out[70]


@pytest.mark.thorough("2 s; planted outliers are found in the quick run")
@pytest.mark.parametrize("data", ["testdata", "Tarragona"])
def test_about_as_many_stand_out_as_in_sdcmicro(data):
    """How many it were there follows from the expected size of its noise; its search for the bulk is another one."""
    case, frame = sdcmicro_case(f"addNoise__{data}__outdect__50")
    numbers = frame[case["params"]["variables"]].to_numpy(float)
    share = 1.96 * 0.5 / np.sqrt(len(numbers))
    expected = case["scalars"]["IL1s"] / (numbers.shape[1] * share / np.sqrt(np.pi))
    assert stand_out(numbers, np.random.default_rng(1)).sum() == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize(
    ("name", "window", "factor"), [("R00.95", window_of_correlation, 0.95), ("K00.05", window_of_means, 0.05)]
)
def test_windows_are_as_wide_as_the_farthest_swap_of_sdcmicro(name, window, factor):
    case, frame = sdcmicro_case(f"rankSwap__testdata__{name}")  # few equal values, so ranks are what they are
    for column, farthest in zip(case["params"]["variables"], case["scalars"]["max_rank_diff_pct"], strict=True):
        assert 100 * window(frame[column].to_numpy(float), factor) == pytest.approx(farthest, abs=0.15)


def test_windows_by_hand():
    """0 to 4: variance 2, range 4, mean 2."""
    numbers = np.arange(5.0)
    assert window_of_correlation(numbers, 0.75) == pytest.approx(1 / 4)
    assert window_of_means(numbers, 0.3) == pytest.approx(np.sqrt(8 / 3) * 0.3 * 2 / 4)
    assert window_of_correlation(np.ones(3), 0.5) == window_of_means(np.array([]), 0.5) == 0


@pytest.mark.parametrize("kept", [0.8, 0.95])
def test_evenly_spread_values_keep_the_share_of_their_correlation(kept):
    generator = np.random.default_rng(2)
    numbers = generator.random(2000)
    frame = pd.DataFrame({"x": numbers, "y": numbers + generator.normal(0, 0.3, 2000)})
    steps = [{"method": "rank_swap", "columns": ["x"], "keep_correlation": kept}]
    treated = treat(frame, config_for([], ["x", "y"]), steps, 1)
    share = treated.frame.corr().loc["x", "y"] / frame.corr().loc["x", "y"]
    assert kept - 0.02 < share < 1  # blocks pair nearer ranks than the window allows
    assert sorted(treated.frame["x"]) == sorted(frame["x"])


@pytest.mark.parametrize("settings", [{}, {"percent": 5, "keep_means": 0.1}])
def test_one_width_of_the_window_is_needed(settings):
    frame = pd.DataFrame({"x": np.arange(9.0)})
    with pytest.raises(ValueError, match="allowed: exactly one of"):
        treat(frame, config_for([], ["x"]), [{"method": "rank_swap", "columns": ["x"], **settings}])
