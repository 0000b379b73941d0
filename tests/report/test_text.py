"""full_privacy_report: its sections in order, its numbers those of the results, and nobody's values in it."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import Anonymization_Models as models
from disclosure_control.assess.assessment import Assessment, assess
from disclosure_control.basics.encoding.binning import OUT_OF_RANGE_POLICIES
from disclosure_control.report.run_texts import full_privacy_report

MARKER = "ZZMARKERZZ"
# Numbers that occur nowhere else: a quasi-identifier in a tail, one in a bin, a sensitive value within the range.
NUMBERS_OF_PEOPLE = ("98765", "4321", "61.83", "31.27", "777")
CONFIG = {
    "categorical_qis": ["DM__SEX", "DM__CITY"],
    "continuous_qis": ["DM__AGE", "VS__BMI"],
    "binning_config": {"DM__AGE": [0, 50, 100]},
    "sensitive_feature": ["LB__Cholesterol", "MH__Disease"],
    "sensitive_binning_config_for_L": {"LB__Cholesterol": [20, 40, 60]},
    "K": 3,
    "L": 2,
    "T": {"LB__Cholesterol": 10, "MH__Disease": 0.5},
}


def people() -> pd.DataFrame:
    """Twelve invented people: two missing cities, ages below and above the edges, a missing sensitive value."""
    return pd.DataFrame(
        {
            "USUBJID": [f"{MARKER}-{i}" for i in range(12)],
            "DM__SEX": ["F"] * 6 + ["M"] * 6,
            "DM__CITY": [f"{MARKER} city", *["Athens"] * 9, "", None],
            "DM__AGE": [98765.4321, 20, 20, 20, 20, 61.83, 70, 70, 70, -5, -5, None],
            "VS__BMI": [777, *[20] * 11],
            "LB__Cholesterol": [10, 31.27, 35, 35, 45, 45, 50, 70, 70, 70, 90, None],
            "MH__Disease": [f"{MARKER} disease", *["asthma"] * 5, *["none"] * 6],
            "DM__NAME": [MARKER] * 12,
        },
        index=[f"{MARKER} index"] * 12,
    )


def assessed(frame: pd.DataFrame, without=(), **changes) -> Assessment:
    config = {key: value for key, value in {**CONFIG, **changes}.items() if key not in without}
    return assess(frame, models.validate_config(config, frame.columns))


def tables(report: str) -> list[tuple[str, list[dict[str, str]]]]:
    """Every table of the report: the line above it, and its rows by their headers."""
    found, lines = [], report.splitlines()
    is_table = [line[:1] in tuple("┌│├└") for line in lines]
    for inside, group in itertools.groupby(range(len(lines)), key=is_table.__getitem__):
        numbers = list(group)
        if inside:
            rows = [[cell.strip() for cell in lines[i].strip("│").split("│")] for i in numbers if lines[i][0] == "│"]
            found.append((lines[numbers[0] - 1], [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]))
    return found


# ---------------------------------------------------------------- sections


def ten_times(frame: pd.DataFrame) -> pd.DataFrame:
    """Everybody ten times, so that no count of people is small."""
    return pd.concat([frame] * 10)


def test_thresholds_that_can_be_met_are_not_mentioned():
    assert "cannot be met" not in full_privacy_report("PILOT", assessed(people()))


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("out_of_range", OUT_OF_RANGE_POLICIES)
def test_few_people_out_of_range_are_masked_and_said_to_be(out_of_range):
    report = full_privacy_report("PILOT", assessed(people(), out_of_range=out_of_range))
    age, _ = dict(tables(report))["Binning of quasi-identifiers"]
    assert (age["Below"][:6], age["Above"][:6], age["Missing"]) == ("masked",) * 3
    assert "Counts from 1 to 9" in report


def test_extremes_are_told_where_they_are_of_many_people():
    """The farthest of 120 are the ten of a class, at 77.1 in three digits; the range is between ten and ten people."""
    report = full_privacy_report("PILOT", assessed(ten_times(people())))
    cholesterol = report.split("t-closeness of LB__Cholesterol")[1].split("\n\n")[0]
    assert "10 is 12.5% of the range of the values, 80." in cholesterol
    (largest,) = re.findall(r"Largest t of an evaluated record: ([\d.]+)\.\n", cholesterol)
    exact = assessed(people()).t_closeness["LB__Cholesterol"].worst
    assert (float(largest), len(largest.replace(".", ""))) == (pytest.approx(exact, rel=0.005), 3)


def test_a_lone_persons_distance_cannot_be_solved_for_a_value():
    """As the issue has it: t of a child alone in its class, in the digits that are told, fits one whole mg/dL."""
    others = [150 + i % 60 for i in range(100)]
    frame = pd.DataFrame({"DM__SEX": ["F"] * 100 + ["M"], "LB__X": [*others, 233]})
    config = {"categorical_qis": ["DM__SEX"], "continuous_qis": [], "sensitive_feature": "LB__X"}
    config |= {"K": 2, "L": 1, "T": 30}
    found = assess(frame, models.validate_config(config, frame.columns))
    line = re.search(r"Largest t of an evaluated record: .*", full_privacy_report("P", found))[0]
    low, high = map(float, re.findall(r"\d+(?:\.\d+)?", line)[:2])
    fitting = [v for v in range(0, 500) if low <= abs(np.mean(np.abs(np.array([*others, v]) - v))) <= high]
    assert 233 in fitting
    assert len(fitting) > 20


def test_thresholds_that_cannot_be_met_are_said_in_the_report():
    found = assessed(people(), K=13, L={"LB__Cholesterol": 5, "MH__Disease": 4})
    said = found.notices
    assert len(said) == 3
    assert "K = 13" in said[0]
    assert "12" in said[0]
    assert "L = 5" in said[1]
    assert "LB__Cholesterol" in said[1]
    assert "L = 4" in said[2]
    assert "MH__Disease" in said[2]
    assert (found.k_anonymity.n_risky, found.l_diversity["LB__Cholesterol"].n_risky) == (12, 12)
    report = full_privacy_report("PILOT", found)
    assert all(sentence in report for sentence in said)


# ---------------------------------------------------------------- limits, and people


@pytest.mark.parametrize("missing_qis", models.MISSING_POLICIES)
@pytest.mark.parametrize("out_of_range", OUT_OF_RANGE_POLICIES)
def test_nobody_is_in_the_report(missing_qis, out_of_range):
    found = assessed(people(), K=50, L=40, missing_qis=missing_qis, out_of_range=out_of_range)
    text = "\n".join([full_privacy_report("PILOT", found), *found.notices])
    assert MARKER not in text
    assert "Athens" not in text
    assert "asthma" not in text
    assert not [number for number in NUMBERS_OF_PEOPLE if number in text]
