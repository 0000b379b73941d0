"""What must not change k, l and t, and what may change them in one direction only."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import Anonymization_Models as models
from tests.models.model_frames import BRIEF, columns, frames, numbers

policies = st.sampled_from(models.MISSING_POLICIES)
# Without a missing value of its own kind in an ordered category, so that columns can be rebuilt from plain values.
KINDS = ["text", "str", "int64", "float64", "Int64", "bool", "mixed", "category"]


def texts(n_records: int):
    return columns(n_records, ["text", "str", "category"])


people = frames(sensitive=numbers, kinds=KINDS)
people_with_text = frames(sensitive=texts, kinds=KINDS)


def evaluate(frame: pd.DataFrame, names: list[str], missing_qis: str) -> list[models.ModelResult]:
    results = [
        models.run_k_anonymity(frame, names, 3, missing_qis),
        models.run_l_diversity(frame, names, "s", 2, missing_qis=missing_qis),
    ]
    if pd.api.types.is_numeric_dtype(frame["s"]):
        results.append(models.run_l_diversity(frame, names, "s", 2, [-1, 0, 1], missing_qis=missing_qis))
        distances = sorted(models.DISTANCES)
    else:
        distances = ["total_variation"]
    return results + [models.run_t_closeness(frame, names, "s", 0.1, name, missing_qis) for name in distances]


def assert_same(before: list[models.ModelResult], after: list[models.ModelResult], position_before=slice(None)) -> None:
    """Measures and flags of each record; ``position_before`` says where each record of ``after`` stood before."""
    for old, new in zip(before, after, strict=True):
        name = (old.model, old.distance)
        np.testing.assert_array_equal(new.evaluated, old.evaluated[position_before], err_msg=str(name))
        np.testing.assert_array_equal(new.risky, old.risky[position_before], err_msg=str(name))
        np.testing.assert_array_equal(new.measure, old.measure[position_before], err_msg=str(name))
        assert (new.worst, new.n_risky, new.n_evaluated) == (old.worst, old.n_risky, old.n_evaluated)


@BRIEF
@given(people | people_with_text, policies, st.randoms(use_true_random=False))
def test_order_of_the_records(made, missing_qis, random):
    frame, names = made
    order = random.sample(range(len(frame)), len(frame))
    assert_same(evaluate(frame, names, missing_qis), evaluate(frame.iloc[order], names, missing_qis), order)


@BRIEF
@given(people, st.randoms(use_true_random=False))
def test_order_of_the_records_does_not_renumber_the_classes(made, random):
    frame, names = made
    order = random.sample(range(len(frame)), len(frame))
    before = models.form_equivalence_classes(frame, names)
    after = models.form_equivalence_classes(frame.iloc[order], names)
    assert after.size.tolist() == before.size.tolist()
    assert after.class_of_record.tolist() == before.class_of_record[order].tolist()


@pytest.mark.thorough("0.1 s")
@BRIEF
@given(people)
def test_the_frame_is_left_as_it_was(made):
    frame, names = made
    before = frame.copy(deep=True)
    evaluate(frame, names, "exclude")
    pd.testing.assert_frame_equal(frame, before)
