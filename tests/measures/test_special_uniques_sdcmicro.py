"""SUDA2 as sdcMicro 5.8.1 returns it: scores, contributions, DIS scores of every record, and totals."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import form_equivalence_classes
from disclosure_control.measures.special_uniques import dis_exponent, dis_scores
from tests.examples import some_of
from tests.measures.test_special_uniques import of_records
from tests.places import SDCMICRO

CASES_FILE = SDCMICRO / "cases.json"
CASES = (
    [case for case in json.loads(CASES_FILE.read_text())["cases"] if case["fn"] == "suda2"]
    if CASES_FILE.is_file()
    else []
)
EXACT = {"rtol": 1e-9, "atol": 1e-15}
# sdcMicro computes the match probability of the file, the odds and the exponent in single precision (``float`` in its
# Suda2.h), so its DIS scores are off by up to 2e-7 of themselves. Ours are the definition in double precision.
SINGLE_PRECISION = 5e-7

pytestmark = pytest.mark.skipif(
    not CASES, reason="shared/oracles is not beside the clone; it is public data that the project does not carry"
)
every_case = pytest.mark.parametrize("case", some_of(CASES), ids=lambda case: case["id"])


@cache
def _classes(data: str, variables: tuple[str, ...]):
    return form_equivalence_classes(pd.read_csv(SDCMICRO / "data" / f"{data}.csv"), variables)


def result_of(case: dict):
    parameters = case["params"]
    weighting = "elliot" if parameters["original_scores"] else "ihsn"
    classes = _classes(case["data"], tuple(parameters["variables"]))
    return of_records(classes, weighting=weighting, dis_fraction=parameters["DisFraction"])


def rows_of(case: dict) -> pd.DataFrame:
    rows = pd.read_csv(SDCMICRO / case["rows"])
    assert rows["row"].tolist() == list(range(1, len(rows) + 1))
    return rows


def test_all_cases_of_the_oracle_are_here():
    assert len(CASES) == 28
    assert all("rows" in case for case in CASES)
    assert {case["params"]["original_scores"] for case in CASES} == {True, False}
    assert any(case["data"].endswith("_na") for case in CASES)


@every_case
def test_scores_and_contributions_of_every_record_and_totals(case):
    result, rows = result_of(case), rows_of(case)
    np.testing.assert_allclose(result.scores, rows["score"], **EXACT)
    contribution = rows[[f"{name}_contribution" for name in case["params"]["variables"]]]
    np.testing.assert_allclose(result.contribution, contribution, **EXACT)
    scalars = case["scalars"]
    assert result.of_all.n_special_uniques == scalars["n_score_gt0"]
    assert result.of_all.total_score == pytest.approx(scalars["sum_score"], rel=1e-9)
    assert result.scores.max() == pytest.approx(scalars["max_score"], rel=1e-9)
    percent = {entry["variable"]: entry["contribution"] for entry in scalars["attribute_contributions"]}
    rates = {name: 100 * rate for name, rate in result.of_all.contribution_rates.items()}
    assert rates == pytest.approx(percent, rel=1e-9, abs=1e-12)


@every_case
def test_dis_scores_up_to_the_single_precision_of_sdcmicro(case):
    """With sdcMicro's rounded exponent, and the odds that one record of it gives away, all records agree to 1e-9."""
    result, rows, scalars = result_of(case), rows_of(case), case["scalars"]
    np.testing.assert_allclose(result.dis_scores, rows["dis"], rtol=SINGLE_PRECISION, atol=0)
    assert result.dis_scores.max() == pytest.approx(scalars["max_dis"], rel=SINGLE_PRECISION)
    assert result.dis_scores.mean() == pytest.approx(scalars["mean_dis"], rel=SINGLE_PRECISION)
    assert (result.dis_scores > 0.1).sum() == scalars["n_dis_gt_01"]

    classes = _classes(case["data"], tuple(case["params"]["variables"]))
    n_unique, n_in_pairs = int((classes.size == 1).sum()), 2 * int((classes.size == 2).sum())
    exponent = float(np.float32(dis_exponent(len(classes.columns))))
    scored = result.scores > 0
    power = result.scores[scored] ** exponent
    odds = ((1 / rows["dis"][scored] - 1) * power * (1 / power).sum()).iloc[0]

    fraction = case["params"]["DisFraction"]
    assert odds == pytest.approx(n_in_pairs * (1 - fraction) / fraction, rel=SINGLE_PRECISION, abs=1e-12)
    rounded = dis_scores(result.scores, n_unique, n_unique / (n_unique + odds), exponent)
    np.testing.assert_allclose(rounded, rows["dis"], **EXACT)
