"""Every attack on releases of which the true rate is known, for every treatment that is registered.

A key that no treatment touches stands beside what the treatment changes, and the attacker knows both. Some people have
a key of their own: whatever became of the rest of their record, they are found. The others are alike in all that is
known of them: no attack can tell them apart, whatever chance did to their records.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.analyses.linkage_attack.step import run_step
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.remedy.treatments.registry import Reading, methods
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.running import StepInput, StepResult
from tests.config_keys import settings_of_key
from tests.examples import some_of
from tests.remedy.treatments.treatment_examples import CONFIG, EXAMPLES, RECOMMENDED
from tests.remedy.treatments.treatment_frames import KEY

N_PEOPLE = 40
METHODS = sorted(methods())
KEYS, SECRET = ["SC__SITE", "SC__DOOR"], "SC__SECRET"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("PILOT_KEY", KEY)


def pilot_of(share: float, seed: int) -> pd.DataFrame:
    """People of whom this share has a key of its own; the others share one, and every other value but the secret."""
    generator, n = np.random.default_rng(seed), N_PEOPLE
    alone = np.arange(n) < round(share * n)
    days = pd.Timestamp("2011-01-01") + pd.to_timedelta(generator.integers(0, 900, n), unit="D")
    columns = {
        "DM__SEX": generator.choice(["F", "M"], n),
        "DM__ZIP": generator.choice(["11527", "11528", "45110", "45221"], n),
        "DM__AGE": generator.integers(15, 85, n).astype(float),
        "LB__X": generator.integers(0, 90, n) / 10,
        "VS__W": generator.integers(40, 99, n).astype(str),
        "DM__RFSTDTC": days.strftime("%Y-%m-%d").to_numpy(dtype=object),
        "DM__SUBJID": generator.integers(1, 9, n).astype(str),
        "SC__STATE": generator.choice(["a", "b", "c"], n),
    }
    columns = {name: np.where(alone, values, values[-1:]) for name, values in columns.items()}
    number = np.where(alone, np.arange(n), n)
    columns |= {"SC__SITE": [f"site {i}" for i in number], "SC__DOOR": [f"door {i}" for i in number]}
    columns |= {SECRET: [f"secret {i}" for i in range(n)], "USUBJID": [f"S-{i:03d}" for i in range(n)]}
    frame = pd.DataFrame({name: pd.Series(list(values)) for name, values in columns.items()})
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def step_of(method: str) -> dict:
    # By their values keys and secret are as good as names here: who has to release them says so.
    kept = {"keep": [*KEYS, SECRET]} if method == "drop_identifiers" else {}
    return {"method": method, **EXAMPLES[method].settings, **kept}


def attacked(method: str, share: float, seed: int, folder, how: dict | None = None) -> tuple[dict, pd.Series]:
    """What the attacks find in the treated release, and of its people, who has a key of their own."""
    pilot = pilot_of(share, seed)
    treated = treat(pilot, CONFIG, [step_of(method)], seed, recommended=RECOMMENDED)
    touched = [name for name in EXAMPLES[method].touches if name != "USUBJID"]
    known = [KEYS[0], *touched]
    pilot.assign(name=[f"name {i}" for i in range(len(pilot))]).to_csv(folder / "register.csv", index=False)
    literal = {
        "identified": "register.csv",
        "id": "name",
        "known": known,
        **(how or {}),
    }
    settings = settings_of_key("linkage_attack", literal, {**CONFIG.literal, "treatment": {"steps": []}})
    dataset = CombinedDataset.of(pilot, pilot["USUBJID"], pilot)
    earlier = {"treatment": StepResult({}, outcome=treated)}
    result = run_step(StepInput("P", folder, settings, dataset, assess(pilot, CONFIG), earlier))
    alone = pilot[KEYS[0]].map(pilot[KEYS[0]].value_counts()) == 1
    return result.figures["releases"]["treated"], alone.iloc[treated.kept]


def rates_and_truths(found: dict, alone: pd.Series) -> dict[str, tuple[dict, float]]:
    """The rates that were found, by attack, with the true ones.

    Whoever has a key of their own and was released is found. Of the others one guess, or one in each pair of guesses,
    is right for one person in all, where any of them was released.
    """
    n_found, one = int(alone.sum()), float((~alone).any())
    linkage = found["methods"]["generalised"]
    return {
        "pairs": (linkage["pairs"], n_found / N_PEOPLE),
        "guesses": (linkage["guesses"], (n_found + one) / N_PEOPLE),
    }


def is_calibrated(rates: dict, truth: float) -> bool:
    """Whether the interval covers the true rate, or nothing is claimed."""
    attack = rates["attack"]
    return rates["beats_baseline"] is None or attack["low"] <= truth <= attack["high"]


@pytest.mark.parametrize("method", some_of(METHODS))
def test_the_interval_covers_the_true_rate_of_a_release_of_which_half_can_be_told(method, tmp_path):
    for name, (rates, truth) in rates_and_truths(*attacked(method, 0.5, 0, tmp_path)).items():
        assert is_calibrated(rates, truth), name


READ = [name for name in METHODS if methods()[name].reading == Reading.BY_VALUE]


TREATED = [name for name in METHODS if set(EXAMPLES[name].touches) - {"USUBJID"}]


@pytest.mark.parametrize("method", some_of(TREATED))
def test_by_what_was_treated_alone_nobody_is_found_but_who_is_alone_in_what_was_released(method, tmp_path):
    """The attacker knows nothing but the columns that were treated: an independent count of the file bounds them.

    Where the value alone decides, it is exact: whoever is alone with what their values became is found.
    """
    touched = [name for name in EXAMPLES[method].touches if name != "USUBJID"]
    found, _ = attacked(method, 1.0, 3, tmp_path, {"known": touched})
    pilot = pilot_of(1.0, 3)
    treated = treat(pilot, CONFIG, [step_of(method)], 3, recommended=RECOMMENDED)
    is_read = {name: treated.readings.get(name) != Reading.PERTURBED for name in touched}
    left = [name for name in touched if name in treated.frame and is_read[name]]
    if not left:
        assert found["methods"] == {}  # nothing is left to attack
        return
    n_alone = int((treated.frame.groupby(left, dropna=False, observed=True)[left[0]].transform(len) == 1).sum())
    pairs = found["methods"]["generalised"]["pairs"]["attack"]
    assert pairs["hits"] <= n_alone
    if method in READ:
        assert pairs["hits"] == n_alone
