"""Local suppression against sdcMicro's counts, a referee by pairs of records, and the best of all ways in a group."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import run_k_anonymity
from config.model_settings import config_of_valid_keys, validate_config
from disclosure_control.basics.settings.fields import faults_of
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.remedy.treatments.algorithms import alike, suppression_search
from disclosure_control.remedy.treatments.algorithms.suppression_search import fewest_to_lose
from disclosure_control.remedy.treatments.methods.local_suppression import LocalSuppressionSettings
from disclosure_control.remedy.treatments.registry import TreatmentInput
from tests.examples import examples, some_of
from tests.places import SDCMICRO
from tests.remedy.treatments.treatment_frames import applying

apply_local_suppression = applying("local_suppression")

CASES = [
    f"localSuppression__{data}__K{k}__{importance}"
    for data in ("testdata__k5", "testdata__k7", "testdata2__k7", "francdat__k4", "testdata_na__k5")
    for k in (2, 3, 5)
    for importance in ("default", "asc", "desc")
]


@pytest.fixture(scope="module")
def cases():
    path = SDCMICRO / "cases.json"
    if not path.is_file():
        pytest.skip("shared/oracles/sdcmicro is not beside the clone")
    return {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}


def pilot(frame, quasi_identifiers, k=2, continuous=(), subjects=None, **literal):
    literal = {
        "categorical_qis": [name for name in quasi_identifiers if name not in continuous],
        "continuous_qis": list(continuous),
        "binning_config": {},
        "sensitive_feature": [],
        "K": k,
        **literal,
    }
    return TreatmentInput(frame, validate_config(literal), np.random.default_rng(1), subjects)


# ---------------------------------------------------------------- sdcMicro


def test_no_case_is_left_out(cases):
    found = {
        name for name, case in cases.items() if case["fn"] == "localSuppression" and "importance_arg" in case["params"]
    }
    assert found == set(CASES)


@pytest.mark.parametrize(
    ("name", "missing"),
    [*((name, "wildcard") for name in some_of(CASES)), *((name, "category") for name in some_of(CASES)[1::4])],
)
def test_nobody_is_left_below_k_and_no_more_cells_go_than_in_sdcmicro(cases, name, missing):
    case = cases[name]
    keys, k = case["params"]["keyVars"], case["params"]["k"]
    data = pd.read_csv(SDCMICRO / "data" / f"{case['data']}.csv")[keys]
    by_importance = sorted(zip(case["params"]["importance_used"], keys, strict=True))
    treated = apply_local_suppression(
        pilot(data, keys), k=k, missing=missing, importance=[key for _, key in by_importance]
    )
    assert run_k_anonymity(treated.frame, keys, k, missing).n_risky == 0
    n_new = int((treated.frame.isna() & data.notna()).sum().sum())
    assert n_new == sum(treated.changed.values())
    pd.testing.assert_frame_equal(treated.frame.where(treated.frame.notna(), data), data, check_dtype=False)
    if missing == "wildcard":
        assert n_new <= case["scalars"]["total_new"]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_default_importance_of_an_sdcmicro_object(cases, k):
    case = cases[f"kAnon__sdcObj__testdata2__K{k}"]
    keys = case["params"].get("keyVars") or list(case["scalars"]["supps"])
    data = pd.read_csv(SDCMICRO / "data" / "testdata2.csv")[keys]
    treated = apply_local_suppression(pilot(data, keys), k=k, missing="wildcard")
    assert run_k_anonymity(treated.frame, keys, k, "wildcard").n_risky == 0
    assert sum(treated.changed.values()) <= sum(case["scalars"]["supps"].values())


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
@pytest.mark.parametrize("missing", ["wildcard", "category"])
def test_strata(cases, missing):
    case = cases["kAnon__testdata2__strata_ageG"]
    keys = [key for key in case["scalars"]["supps"][0] if key not in ("stratum", "_row")]
    data = pd.read_csv(SDCMICRO / "data" / f"{case['data']}.csv")[[*keys, "ageG"]]
    treated = apply_local_suppression(pilot(data, keys), k=2, missing=missing, strata=["ageG"])
    for _, stratum in treated.frame.groupby("ageG"):
        assert run_k_anonymity(stratum, keys, 2, missing).n_risky == 0
    assert treated.frame["ageG"].equals(data["ageG"])
    if missing == "wildcard":
        assert sum(treated.changed.values()) <= case["scalars"]["total_new"]


# ---------------------------------------------------------------- the referee


def people_alike(rows, missing):
    """By pairs of records: how many are alike to each."""

    def are_alike(one, other):
        if missing == "category":
            return one == other
        return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))

    return [sum(are_alike(one, other) for other in rows) for one in rows]


tables = st.integers(1, 3).flatmap(
    lambda n_columns: st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "c", "d", None][:n]) for n in (4, 5, 2)[:n_columns]]),
        min_size=1,
        max_size=14,
    )
)


def treated_rows(rows, k, missing):
    names = [f"q{i}" for i in range(len(rows[0]))]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    subjects = pd.Series([f"S{i}" for i in range(len(rows))])
    treated = apply_local_suppression(pilot(frame, names, k, subjects=subjects), missing=missing)
    after = treated.frame.astype(object).where(treated.frame.notna(), None)
    return [tuple(row) for row in after.itertuples(index=False)], treated


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
@examples(75)
@given(tables, st.integers(2, 5), st.sampled_from(["wildcard", "category"]), st.booleans())
def test_k_holds_nothing_else_changes_and_no_cell_can_be_given_back(rows, k, missing, by_pairs):
    with pytest.MonkeyPatch.context() as patch:
        # Small tables would all be compared row by row; the way of large ones has to be tried too.
        patch.setattr(alike, "COMPARISONS_PER_PAIR_OF_PATTERNS", 30_000 if by_pairs else 0)
        after, treated = treated_rows(rows, k, missing)
    assert all(
        new in (old, None) for one, other in zip(rows, after, strict=True) for old, new in zip(one, other, strict=True)
    )
    if len(rows) < k:
        assert all(value is None for row in after for value in row)
        assert f"cannot be met for {len(rows)} pe" in treated.notes[-1]
        return
    assert min(people_alike(after, missing)) >= k
    for i, j in itertools.product(range(len(rows)), range(len(rows[0]))):
        if after[i][j] != rows[i][j]:
            back = [list(row) for row in after]
            back[i][j] = rows[i][j]
            assert min(people_alike([tuple(row) for row in back], missing)) < k
    if min(people_alike(rows, missing)) >= k:
        assert after == rows


@examples(90)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(2, 6))
def test_in_a_group_as_few_as_can_be_lose_their_cells(sizes, k):
    sizes = [size for size in sizes if size < k]
    if sum(sizes) < k:  # such a group cannot help itself
        return

    def is_safe(losing):
        total = sum(losing)
        return all(t == n or n + total - t >= k for t, n in zip(losing, sizes, strict=True))

    every = itertools.product(*(range(n + 1) for n in sizes))
    least = min(sum(losing) for losing in every if is_safe(losing))
    n = np.array(sizes)
    ours = fewest_to_lose(np.zeros(len(n), dtype=int), n, k - n, k)
    assert (ours <= n).all()
    assert is_safe(ours.tolist())
    assert ours.sum() == least


# ---------------------------------------------------------------- by hand


def test_one_cell_does_for_two_people_where_missing_matches_anything():
    frame = pd.DataFrame({"sex": ["F", "F", "M", "M"], "town": ["a", "b", "c", "c"]})
    treated = apply_local_suppression(pilot(frame, ["sex", "town"]), missing="wildcard")
    assert treated.changed == {"sex": 0, "town": 1}
    strict = apply_local_suppression(pilot(frame, ["sex", "town"]))
    assert strict.changed == {"sex": 0, "town": 2}
    assert strict.notes == ()


def test_of_columns_that_nobody_ranked_the_one_with_the_most_values_goes_first():
    """Either cell of the last person would do: as f she joins the first two, as one of town b the next two."""
    frame = pd.DataFrame({"sex": list("ffmmmmf"), "town": list("aabbccb")})
    for names in (["sex", "town"], ["town", "sex"]):
        treated = apply_local_suppression(pilot(frame, names), missing="wildcard")
        assert treated.changed == {"sex": 0, "town": 1}


def test_a_single_person_below_k_is_joined_by_donors():
    frame = pd.DataFrame({"sex": ["F"] + ["M"] * 6})
    treated = apply_local_suppression(pilot(frame, ["sex"], k=3))
    assert treated.changed == {"sex": 3}
    assert run_k_anonymity(treated.frame, ["sex"], 3).worst == 3


def test_only_as_many_as_are_needed_join_one_who_lost_everything():
    """Three of town b make a group when they lose the other column; one of them is enough to join the fourth."""
    after, treated = treated_rows([("b", "c"), ("b", "b"), ("b", "a"), ("c", "c")], 2, "category")
    assert min(people_alike(after, "category")) >= 2
    assert sum(treated.changed.values()) <= 6


def test_nobody_is_called_where_those_below_k_help_each_other():
    """Two people of place x, of either sex: alike without their sex. Without their place each needs one of place z."""
    frame = pd.DataFrame({"place": ["x"] * 2 + ["z"] * 10, "sex": ["F", "M"] * 6})
    treated = apply_local_suppression(pilot(frame, ["place", "sex"]), missing="category", importance=["sex", "place"])
    assert treated.changed == {"place": 0, "sex": 2}


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
def test_many_columns_do_not_try_every_set_of_them(monkeypatch):
    monkeypatch.setattr(suppression_search, "SETS_PER_SIZE", 3)
    values = np.random.default_rng(2).integers(0, 4, (40, 8)).astype(str)
    names = [f"q{i}" for i in range(8)]
    for missing in ("wildcard", "category"):
        treated = apply_local_suppression(pilot(pd.DataFrame(values, columns=names), names, k=3), missing=missing)
        assert run_k_anonymity(treated.frame, names, 3, missing).n_risky == 0


def test_faults_of_names():
    config = config_of_valid_keys({"categorical_qis": ["DM__SEX"], "continuous_qis": ["DM__AGE"]})
    place = Place("local_suppression", config)
    faults = faults_of(LocalSuppressionSettings, {"importance": ["DM_SEX"], "strata": ["DM__AGE"]}, place)
    assert "did you mean 'DM__SEX'" in faults[0]
    assert "is a quasi-identifier" in faults[1]
    assert faults_of(LocalSuppressionSettings, {"importance": ["DM__SEX"], "strata": ["SITE"]}, place) == []
