"""Tables of studies without arms: plain tables, rows in time and public cohorts, against pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.study_tables.comparison import State, compared_tables
from disclosure_control.study_tables.registry import study_tables
from tests.places import SHARED_DATA
from tests.study_tables.sides import model_of, row, side_of


@pytest.fixture(scope="module")
def heart():
    path = SHARED_DATA / "heart" / "heart.csv"
    if not path.is_file():
        pytest.skip("the public cohort is not at hand")
    frame = pd.read_csv(path).astype("str").rename_axis("ID").reset_index()
    frame["ID"] = "P" + frame["ID"].astype("str")
    return {"HEART": frame}, list(frame["ID"])


def test_a_cohort_has_means_shares_and_correlations(heart):
    frames, ids = heart
    found = study_tables(side_of(frames, ids, model_of(frames, "ID")))
    numbers = frames["HEART"].apply(pd.to_numeric, errors="coerce")
    means, shares, pairs = (found[f"{name}.HEART"] for name in ("demographics_means", "demographics", "associations"))
    for name in means.rows:
        assert means.value[row(means, name), 0] == pytest.approx(numbers[name].mean())
        assert means.error[row(means, name), 0] == pytest.approx(numbers[name].sem())
    assert len(means.rows) > 3
    for place, (group, label) in enumerate(zip(shares.groups, shares.rows, strict=True)):
        assert shares.n[place, 0] == (frames["HEART"][group] == label).sum()
    one, other = means.rows[:2]
    assert pairs.value[row(pairs, f"{one} and {other}"), 0] == pytest.approx(numbers[one].corr(numbers[other]))


def test_a_correlation_that_is_lost_in_noise_moved(heart):
    frames, ids = heart
    model = model_of(frames, "ID")
    before = side_of(frames, ids, model)
    name = study_tables(before)["demographics_means.HEART"].rows[0]
    shuffled = frames["HEART"].assign(**{name: frames["HEART"][name].sample(frac=1, random_state=1).to_numpy()})
    tables = compared_tables(study_tables(before), study_tables(side_of({"HEART": shuffled}, ids, model, before)))
    assert (tables["associations.HEART"].states == State.MOVED).any()
    assert (tables["demographics_means.HEART"].states == State.HELD).all()


def test_rows_in_time_count_by_person():
    """Visits with a weight each: a person counts once, by the mean of the rows."""
    weights = {"a": [60.0, 62.0], "b": [80.0], "c": [70.0, 71.0, 72.0], "d": [90.5], "e": [55.25]}
    rows = [
        {"ID": person, "visit_no": i, "weight": kg} for person, all_kg in weights.items() for i, kg in enumerate(all_kg)
    ]
    frame = pd.DataFrame(rows).astype({"ID": "str", "visit_no": "float"})
    found = study_tables(side_of({"V": frame}, list(weights), model_of({"V": frame}, "ID")))
    means = found["demographics_means.V"]
    expected = np.mean([np.mean(kg) for kg in weights.values()])
    assert means.value[row(means, "weight"), 0] == pytest.approx(expected)
    assert means.n[row(means, "weight"), 0] == len(weights)
