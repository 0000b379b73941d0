"""The cells of a pool: every declared value has a place, and people are counted as a slow referee counts them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.assess.opening import opened
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.pooling.cells import CellSpace
from disclosure_control.records.limits import Limits
from disclosure_control.records.people import PeopleInMemory
from disclosure_control.steps import READERS
from tests.cases import each
from tests.examples import examples
from tests.pool.nodes import FIVE, WHY

CONFIG = {
    "categorical_qis": ["SEX"],
    "continuous_qis": ["AGE", "VISIT"],
    "binning_config": {"AGE": [0, 20, 40]},
    "sensitive_feature": ["LAB", "DIAGNOSIS"],
    "K": 3,
    "L": 2,
    "T": 0.5,
    "pool": {
        **WHY,
        "nodes": list(FIVE),
        "sums": FIVE[0],
        "categories": {"SEX": ["F", "M"], "DIAGNOSIS": ["x", "y", "z"]},
        "values": {"VISIT": [1, 2], "LAB": {"from": 0, "to": 0.3, "step": 0.1}},
    },
}
SEX, VISIT, LAB, DIAGNOSIS = ["F", "M"], [1.0, 2.0], [0.0, 0.1, 0.2, 0.3], ["x", "y", "z"]
PERSON = st.fixed_dictionaries(
    {
        "SEX": st.sampled_from([*SEX, None]),
        "AGE": st.sampled_from([-1, 0, 19.9, 20, 40, 41, np.nan]),
        "VISIT": st.sampled_from([*VISIT, np.nan]),
        "LAB": st.sampled_from([*LAB, np.nan]),
        "DIAGNOSIS": st.sampled_from([*DIAGNOSIS, None]),
    }
)


def space_of(**changed) -> CellSpace:
    return CellSpace.of(validate_config({**CONFIG, **changed}, None, READERS))


def frame_of(people: list[dict]) -> pd.DataFrame:
    return pd.DataFrame(people, columns=[*PERSON_COLUMNS])


PERSON_COLUMNS = ("SEX", "AGE", "VISIT", "LAB", "DIAGNOSIS")


def place_of(value, values) -> int:
    """0 where it is missing, else its place from 1 on."""
    return 0 if value is None or value != value else 1 + values.index(value)


def bin_of(age: float) -> int:
    """Missing, below 0, 0--20, 20--40 with both ends, above 40."""
    if age != age:
        return 0
    return 1 if age < 0 else 2 if age < 20 else 3 if age <= 40 else 4


def slowly_counted(people: list[dict]) -> Counter:
    """By row and place in it how many people: values of LAB, then of DIAGNOSIS, then which of both are there."""
    found: Counter = Counter()
    for one in people:
        row = (place_of(one["SEX"], SEX) * 5 + bin_of(one["AGE"])) * 3 + place_of(one["VISIT"], VISIT)
        lab, diagnosis = place_of(one["LAB"], LAB), place_of(one["DIAGNOSIS"], DIAGNOSIS)
        if lab:
            found[row, lab - 1] += 1
        if diagnosis:
            found[row, 4 + diagnosis - 1] += 1
        found[row, 7 + (lab > 0) + 2 * (diagnosis > 0)] += 1
    return found


@given(st.lists(PERSON, min_size=1, max_size=40))
@examples(150)
def test_people_are_counted_where_the_referee_counts_them(people):
    space = space_of()
    config = validate_config(CONFIG, None, READERS)
    cells = space.count(PeopleInMemory(frame_of(people), config))
    assert cells.shape == (3 * 5 * 3, 4 + 3 + 4)
    assert {place: n for place, n in np.ndenumerate(cells) if n} == slowly_counted(people)


def test_places_and_codes_are_each_others_inverse():
    space = space_of()
    codes = space.codes_of(np.arange(space.n_classes))
    back = np.zeros(space.n_classes, dtype=np.int64)
    for column, one in zip(space.quasi_identifiers, codes, strict=True):
        assert set(one.tolist()) == set(range(-1, len(column.labels)))
        back = back * column.n_codes + one + 1
    assert (back == np.arange(space.n_classes)).all()


@each("engine", ["memory", "disk"])
def test_every_engine_counts_the_same_cells(engine, tmp_path):
    chance = np.random.default_rng(4)
    people = [
        {
            "SEX": chance.choice(["F", "M", ""]),
            "AGE": chance.choice([-1, 5, 25, 50]),
            "VISIT": chance.choice([1, 2]),
            "LAB": chance.choice(["0", "0.1", "0.30", ""]),
            "DIAGNOSIS": chance.choice(["x", "y", "", " z "]),
        }
        for _ in range(200)
    ]
    path = tmp_path / engine / "combined_dataset.csv"
    path.parent.mkdir()
    pd.DataFrame(people).assign(USUBJID=[f"P{i}" for i in range(200)]).to_csv(path, index=False)
    with opened(engine, path, CONFIG, READERS, limits=Limits()) as found:
        cells = space_of().count(found.people)
    typed = [
        {
            **one,
            "SEX": one["SEX"] or None,
            "LAB": float(one["LAB"] or "nan"),
            "DIAGNOSIS": one["DIAGNOSIS"].strip() or None,
        }
        for one in people
    ]
    assert {place: n for place, n in np.ndenumerate(cells) if n} == slowly_counted(typed)


@each(
    "given, labels",
    [
        ({"from": 0, "to": 0.3, "step": 0.1}, ("0", "0.1", "0.2", "0.3")),
        ({"from": 0, "to": 0.35, "step": 0.1}, ("0", "0.1", "0.2", "0.3")),
        ({"from": -1, "to": 1, "step": 1}, ("-1", "0", "1")),
        ({"from": 4.9134, "to": 4.97, "step": 0.02586, "decimals": 4}, ("4.9134", "4.9393", "4.9651")),
        ([3, 1.5, 2], ("3", "1.5", "2")),
    ],
)
def test_declared_numbers_are_spelt_as_the_dataset_spells_them(given, labels):
    values = {**CONFIG["pool"]["values"], "LAB": given}
    space = space_of(pool={**CONFIG["pool"], "values": values})
    assert space.sensitive[0].labels == labels


def test_values_out_of_range_that_are_made_missing_have_no_tails():
    space = space_of(out_of_range="missing")
    assert space.quasi_identifiers[1].labels == ("0--20", "20--40")


def test_all_undeclared_values_are_named_by_column_and_count_alone():
    config = validate_config(CONFIG, None, READERS)
    people = [{"SEX": "SECRET", "AGE": 1, "VISIT": 7.0, "LAB": 0.15, "DIAGNOSIS": "SECRET"}]
    with pytest.raises(FaultyInputError) as error:
        space_of().count(PeopleInMemory(frame_of(people), config))
    assert [fault.split(":")[0] for fault in error.value.faults] == [
        "column 'SEX'",
        "column 'VISIT'",
        "column 'LAB'",
        "column 'DIAGNOSIS'",
    ]
    assert "SECRET" not in str(error.value)
    assert "0.15" not in str(error.value)
