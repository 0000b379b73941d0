"""Sums over compatible classes: each way of doing them against pairs of classes, and their speed."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.encoding import keys, wildcards
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from tests.examples import examples

WAYS = {
    "full table": {"DENSE_CELLS": 1 << 18},
    "by pattern, counted": {"_sums_in_a_full_table": wildcards._sums_by_pattern},
    "by pairs of classes": {"_sums_in_a_full_table": wildcards._sums_by_pairs},
    "by pattern, hashed": {"DENSE_CELLS": -(10**9), "CLASSES_PER_PATTERN": 0, "LOOKUPS_AT_ONCE": 3},
    "by pattern, keys beyond 62 bits": {"DENSE_CELLS": -(10**9), "CLASSES_PER_PATTERN": 0, "KEY_LIMIT": 5},
    "by pattern, counted, keys beyond 62 bits": {
        "_sums_in_a_full_table": wildcards._sums_by_pattern,
        "KEY_LIMIT": 5,
    },
}


def sums_by_pairs(rows: list[tuple], amounts: list[float], alpha: float) -> list[float]:
    """For each record what the records hold that it might be; equal records are one class."""
    sums = []
    for mine in rows:
        total = 0.0
        for other, amount in zip(rows, amounts, strict=True):
            pairs = zip(mine, other, strict=True)
            if mine == other:
                total += amount
            elif all(a is None or b is None or a == b for a, b in pairs):
                total += amount * (alpha if None in other else 1.0)
        sums.append(total)
    return sums


@st.composite
def tables(draw):
    n_columns = draw(st.integers(1, 6))
    values = st.sampled_from([*"abc", None, None])
    rows = draw(st.lists(st.tuples(*[values] * n_columns), max_size=40))
    amounts = draw(st.lists(st.integers(0, 50), min_size=len(rows), max_size=len(rows)))
    return rows, amounts


@pytest.mark.parametrize("way", WAYS)
@examples(60)
@given(tables(), st.sampled_from([0.0, 0.5, 1.0]))
def test_every_way_against_pairs(way, table, alpha):
    rows, amounts = table
    names = [f"q{i}" for i in range(len(rows[0]) if rows else 1)]
    classes = form_equivalence_classes(pd.DataFrame(rows, columns=names, dtype=object), names)
    of_class = np.bincount(classes.class_of_record, amounts, classes.n_classes)
    limits = {name: value for name, value in WAYS[way].items() if name != "KEY_LIMIT"}
    key_limit = WAYS[way].get("KEY_LIMIT", keys.KEY_LIMIT)
    with patch.multiple(wildcards, **limits), patch.object(keys, "KEY_LIMIT", key_limit):
        found = sum_over_compatible(classes, [of_class, classes.size], alpha)
    assert found.shape == (2, classes.n_classes)
    for row, expected in zip(found, [amounts, [1] * len(rows)], strict=True):
        assert row[classes.class_of_record].tolist() == sums_by_pairs(rows, expected, alpha)


def test_many_columns_with_many_values():
    """Thirty columns of forty values each are far more keys than a whole number can hold."""
    rng = np.random.default_rng(5)
    codes = np.repeat(rng.integers(0, 40, (30, 30)), 4, axis=0)
    frame = pd.DataFrame(np.where(rng.random(codes.shape) < 0.1, None, codes.astype(object)))
    frame.columns = [f"q{i}" for i in range(30)]
    classes = form_equivalence_classes(frame, list(frame))
    rows = list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))
    found = sum_over_compatible(classes, classes.size)[classes.class_of_record]
    assert found.tolist() == sums_by_pairs(rows, [1] * len(rows), 1.0)
    assert found.max() > 1
