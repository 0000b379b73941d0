"""Presets: every one names its source and rule, verdicts on both sides of a threshold, HIPAA's checks on values."""

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.reidentification import prosecutor_risk
from disclosure_control.measures.risk_presets import (
    PRESETS,
    check_safe_harbour_ages,
    check_safe_harbour_zip_codes,
    judge_by_preset,
)

PEOPLE_OF_AREA = {"021": 700_000, "036": 20_000, "037": 20_001}


def risk_of_classes(*sizes: int):
    frame = pd.DataFrame({"x": np.repeat([f"class {i}" for i in range(len(sizes))], sizes)})
    return prosecutor_risk(form_equivalence_classes(frame, ["x"]))


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_says_what_it_is(name):
    preset = PRESETS[name]
    assert preset.name == name
    assert len(preset.source) > 20
    assert preset.sentence.endswith(".")
    assert preset.compared_with in ("highest", "average")
    assert 0 < preset.threshold < 1
    # One person fewer is above the limit, and the sentence says so.
    assert 1 / preset.smallest_class <= preset.class_limit < 1 / (preset.smallest_class - 1)
    assert f"1/{preset.smallest_class - 1} = " in preset.class_sentence
    assert judge_by_preset(name, risk_of_classes(preset.smallest_class, 10**4)).met
    assert not judge_by_preset(name, risk_of_classes(preset.smallest_class - 1, 10**4)).met


@pytest.mark.parametrize("name", ["ema_policy_0070", "health_canada_prci"])
def test_eleven_people_are_not_enough_for_nine_percent(name):
    preset = PRESETS[name]
    assert (preset.threshold, preset.compared_with, preset.smallest_class) == (0.09, "highest", 12)
    assert preset.class_sentence == "1/11 = 0.0909 is above 0.09, so every class must have at least 12 people."
    verdict = judge_by_preset(name, risk_of_classes(11, 50))
    assert (verdict.met, verdict.measured) == (False, 1 / 11)
    assert verdict.sentence == (
        f"{name}: the highest prosecutor risk is 0.09091, above 0.09: not met. {preset.class_sentence}"
    )
    assert judge_by_preset(name, risk_of_classes(12, 50)).met is True


@pytest.mark.parametrize(("level", "threshold", "k"), [("low", 0.1, 10), ("medium", 0.075, 14), ("high", 0.05, 20)])
def test_cells_of_the_ontario_guidelines(level, threshold, k):
    public, strict = PRESETS[f"ipc_ontario_public_{level}"], PRESETS[f"ipc_ontario_strict_average_{level}"]
    assert (public.threshold, public.compared_with, public.highest_cap) == (threshold, "highest", None)
    assert (strict.threshold, strict.compared_with, strict.highest_cap) == (threshold, "average", 0.33)
    assert (public.smallest_class, strict.smallest_class) == (k, 4)


def test_a_strict_average_fails_on_either_side():
    name = "ipc_ontario_strict_average_low"
    assert judge_by_preset(name, risk_of_classes(4, 100, 100)).met is True
    capped = judge_by_preset(name, risk_of_classes(3, 100, 100))  # a low average, but 1/3 is above 0.33
    assert (capped.met, capped.highest) == (False, 1 / 3)
    assert capped.measured == pytest.approx(3 / 203)
    assert "the highest is 0.3333, above the cap of 0.33: not met." in capped.sentence
    assert judge_by_preset(name, risk_of_classes(*[9] * 20)).met is False  # below the cap, but 1/9 on average
    assert judge_by_preset(name, risk_of_classes(*[10] * 20)).met is True  # at the threshold is not above it


def test_nothing_evaluated_is_no_verdict():
    frame = pd.DataFrame({"x": [None, None]}, dtype=object)
    verdict = judge_by_preset(
        "ema_policy_0070", prosecutor_risk(form_equivalence_classes(frame, ["x"]), 0.2, "exclude")
    )
    assert (verdict.met, verdict.measured) == (None, None)
    assert "no record is evaluated" in verdict.sentence


def test_unknown_preset():
    with pytest.raises(FaultyInputError, match="ema_policy_0070"):
        judge_by_preset("ema", risk_of_classes(5))


# ---------------------------------------------------------------- HIPAA's safe harbour


@pytest.mark.parametrize(
    ("ages", "top_code", "n_checked", "n_breaches"),
    [
        ([12, 89, 89.9, None], None, 3, 0),
        ([89, 90, 95, 101], None, 4, 3),
        ([89, 90, 90, 95], 90, 4, 1),
        (["90+", "89", " 91 ", "", None], None, 3, 1),
        (pd.Categorical([90, 30]), None, 2, 1),
        ([], None, 0, 0),
    ],
)
def test_ages_of_ninety_and_over(ages, top_code, n_checked, n_breaches):
    found = check_safe_harbour_ages(pd.Series(ages, name="AGE"), top_code)
    assert (found.column, found.n_checked, found.n_breaches) == ("AGE", n_checked, n_breaches)
    assert "164.514(b)(2)(i)(C)" in found.source


def test_a_top_code_below_ninety_is_refused():
    with pytest.raises(FaultyInputError, match="90 or more"):
        check_safe_harbour_ages(pd.Series([50]), 85)


@pytest.mark.parametrize(
    ("codes", "n_checked", "breaches"),
    [
        (["021", " 037", "000", "", None], 3, (0, 0, 0)),
        (["021", "036", "036", "999"], 4, (0, 2, 1)),
        (["02139", "02139-1234", "021"], 3, (2, 0, 0)),
        ([21, 37, 36, 0, None], 4, (0, 1, 0)),  # numbers lost their zeros: 021, 037, 036, 000
        ([2139, 213], 2, (2, 0, 0)),  # 02139 and 00213: a column of five digits
        ([], 0, (0, 0, 0)),
    ],
)
def test_three_digit_zip_codes(codes, n_checked, breaches):
    found = check_safe_harbour_zip_codes(pd.Series(codes, name="ZIP"), PEOPLE_OF_AREA)
    assert (found.n_checked, tuple(found.breaches.values())) == (n_checked, breaches)
    assert found.n_breaches == sum(breaches)
    assert "164.514(b)(2)(i)(B)" in found.source
