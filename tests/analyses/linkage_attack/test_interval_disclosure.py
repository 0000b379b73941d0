"""Interval disclosure: sdcMicro's risk of numeric keys, a case by hand, and what the attack does with gaps."""

import numpy as np
import pandas as pd
import pytest

from disclosure_control.analyses.linkage_attack.codebook import AttackedRelease
from disclosure_control.analyses.linkage_attack.interval_disclosure import (
    IntervalSettings,
    attack_intervals,
    disclose_intervals,
)
from tests.examples import some_of
from tests.places import SDCMICRO
from tests.remedy.treatments.test_microaggregation import CASES, sdcmicro_case


@pytest.mark.parametrize("name", some_of(CASES))
def test_the_rate_is_the_disclosure_risk_of_sdcmicro(name):
    case, frame = sdcmicro_case(name)
    columns = case["params"]["variables"]
    released = pd.read_csv(SDCMICRO / case["rows"])[columns].to_numpy(float)
    for share, expected in ((0.05, "dRisk_005"), (0.01, "dRisk_001")):
        rates = disclose_intervals(released, frame[columns].to_numpy(float), share, np.random.default_rng(1))
        assert rates.attack.rate == pytest.approx(case["scalars"][expected], abs=1e-12)


def test_by_hand_with_gaps():
    """Released 0, 10, 20, 30: their deviation is 12.9, a tenth of it 1.29; the last number is not known of anybody."""
    released = np.array([[0.0], [10.0], [20.0], [30.0]])
    original = np.array([[1.0], [12.0], [20.0], [np.nan]])
    rates = disclose_intervals(released, original, 0.1, np.random.default_rng(1), n_removed=2)
    assert (rates.attack.n_hits, rates.attack.n) == (2, 5)
    suppressed = np.array([[0.0], [np.nan], [20.0], [30.0]])
    assert disclose_intervals(suppressed, original, 1, np.random.default_rng(1)).attack.n_hits == 2


def test_exact_numbers_beat_a_record_at_random_and_shuffled_ones_do_not():
    numbers = np.random.default_rng(2).normal(size=(400, 2))
    exact = disclose_intervals(numbers, numbers, 0.05, np.random.default_rng(1))
    assert (exact.attack.rate, exact.beats_baseline) == (1.0, True)
    assert exact.baseline.rate < 0.05
    others = np.random.default_rng(3).permutation(numbers)
    shuffled = disclose_intervals(others, numbers, 0.05, np.random.default_rng(1))
    assert not shuffled.beats_baseline


def test_the_order_of_records_changes_nothing():
    generator = np.random.default_rng(2)
    numbers = generator.normal(size=(50, 2)).round(1)
    noisy, order = numbers + generator.normal(0, 0.2, size=(50, 2)), generator.permutation(50)
    one, other = (
        disclose_intervals(noisy[rows], numbers[rows], 0.3, np.random.default_rng(1)) for rows in (np.arange(50), order)
    )
    assert (one.attack, one.baseline) == (other.attack, other.baseline)


def test_the_step_counts_who_was_removed_and_names_columns_of_labels():
    pilot = pd.DataFrame({"age": np.arange(20.0), "weight": np.arange(20.0) * 2, "sex": ["F", "M"] * 10})
    kept = np.arange(15)
    frame = pilot.iloc[kept].assign(age="0--99").reset_index(drop=True)
    release = AttackedRelease("treated", frame, kept)
    figures, notes = attack_intervals(release, pilot, IntervalSettings(("age", "weight", "gone")), 1)
    assert len(notes) == 2
    attack = figures["weight"].rates.attack
    assert (attack.n_hits, attack.n) == (15, 20)
