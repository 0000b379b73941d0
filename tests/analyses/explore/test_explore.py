"""The step ``explore``: published tables, statistics against numpy, pandas and SciPy, figures of awkward columns."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association

from config.model_settings import validate_config
from disclosure_control.analyses.explore.columns import (
    cross_table,
    explore_columns,
    number_statistics,
    spearman_correlations,
)
from disclosure_control.analyses.explore.figures_of_columns import histogram_edges
from disclosure_control.analyses.explore.step import run_step, units_of
from disclosure_control.analyses.explore.tables import association_table, outlier_table, small_level_table
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.steps.running import StepInput
from tests.config_keys import faults_of_key, settings_of_key
from tests.examples import examples
from tests.kept import changed_since_kept
from tests.ninety_people import outcome_of
from tests.places import SHARED

LITERAL = {"K": 5, "L": 2, "T": 1, "binning_config": {}}


def config_of(frame, categorical=(), continuous=(), sensitive=()):
    literal = LITERAL | {"categorical_qis": list(categorical), "continuous_qis": list(continuous)}
    return validate_config(literal | {"sensitive_feature": list(sensitive)}, frame.columns, {})


def columns_of(frame, names=None, categorical=()):
    spare = frame.assign(spare="x")
    config = config_of(spare, categorical or ["spare"])
    return {one.name: one for one in explore_columns(spare, config, names or list(frame.columns), {})}


def step_of(frame, tmp_path, value, **roles):
    subjects = pd.Series([f"ZZ{i:06d}" for i in range(len(frame))])
    config = config_of(frame, **roles)
    typed = frame[[*config.quasi_identifiers, *config.sensitive_features]]
    dataset = CombinedDataset.of(typed, subjects, frame.assign(USUBJID=subjects))
    return StepInput("PILOT", tmp_path, settings_of_key("explore", value), dataset, assess(typed, config), {})


# ---------------------------------------------------------------- published tables


@pytest.fixture(scope="module")
def actg175():
    if not SHARED.is_dir():
        pytest.skip("the folder shared/ with public data is not beside the project")
    published = json.loads((SHARED / "oracles" / "published.json").read_text())["actg175"]
    frame = pd.read_csv(SHARED / "data" / "actg175" / "aids_original_data.csv", sep=";", dtype="str")
    return published, frame, columns_of(frame)


def test_actg175_spearman_to_the_last_digit(actg175):
    published, _, columns = actg175
    numeric = [one for one in columns.values() if one.kind == "number"]
    found = {frozenset([one.one, one.other]): one.rho for one in spearman_correlations(numeric)}
    pairs = {name: rho for name, rho in published["spearman"].items() if "~" in name}
    assert len(pairs) == 3
    for name, rho in pairs.items():
        assert found[frozenset(name.split("~"))] == rho


def test_actg175_small_levels_of_age(actg175):
    published, _, columns = actg175
    table, n_left_out = small_level_table([columns["age"]], 5)
    assert dict(zip(table.value, table.people, strict=True)) == published["small_count_levels_age_le_5"]
    assert n_left_out == 0


def test_actg175_arms_determine_treat(actg175):
    published, _, columns = actg175
    row = published["deterministic_inference"]
    table = association_table([cross_table(columns[row["from"]], columns[row["to"]])])
    assert table.column_determines_other.tolist() == [True]
    assert table.other_determines_column.tolist() == [False]


def test_actg175_has_one_constant_and_no_names(actg175):
    columns = actg175[2]
    assert [name for name, one in columns.items() if one.is_constant] == ["zprior"]
    assert columns["cd496"].n_missing == 797
    two = [name for name, one in columns.items() if one.kind == "category"]
    assert " ".join(sorted(two)) == "cens drugs gender hemo homo offtrt oprior r race str2 symptom treat z30"
    assert {one.kind for name, one in columns.items() if name not in two} == {"number"}


# ---------------------------------------------------------------- statistics against other implementations

numbers = st.lists(st.one_of(st.none(), st.integers(-50, 50).map(lambda n: n / 4)), min_size=1, max_size=40)


@examples(45)
@given(numbers)
def test_statistics_are_those_of_numpy(values):
    present = np.array([value for value in values if value is not None])
    column = columns_of(pd.DataFrame({"x": pd.Series(values, dtype=float)}))["x"]
    assert column.n_missing == len(values) - len(present)
    if not len(present):
        assert column.kind == "empty" or column.statistics is None
        return
    assert (column.kind, column.statistics) in [("number", column.statistics), ("category", None)]
    assert (column.kind == "category") == (len(set(present)) == 2)
    found = number_statistics(column.encoded.labels, column.people)
    quartiles = np.quantile(present, [0.25, 0.5, 0.75])
    assert [found.first_quartile, found.median, found.third_quartile] == pytest.approx(quartiles.tolist())
    assert found.mean == pytest.approx(present.mean(), abs=1e-12)
    assert (found.minimum, found.maximum) == (present.min(), present.max())
    if len(present) > 1:
        assert found.standard_deviation == pytest.approx(present.std(ddof=1), abs=1e-12)
    width = 1.5 * (quartiles[2] - quartiles[0])
    assert found.n_below == (present < quartiles[0] - width).sum()
    assert found.n_above == (present > quartiles[2] + width).sum()


@examples(45)
@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 6).map(float))] * 3), min_size=2, max_size=30))
def test_spearman_is_that_of_pandas_pair_by_pair(rows):
    frame = pd.DataFrame(rows, columns=list("abc"), dtype=float)
    columns = columns_of(frame)
    numeric = [columns[name] for name in "abc" if columns[name].kind == "number"]
    for found in spearman_correlations(numeric):
        both = frame[[found.one, found.other]].dropna()
        assert found.n_people == len(both)
        if len(both) < 2 or (both.nunique() < 2).any():
            assert found.rho is None
        else:
            assert found.rho == pytest.approx(both.rank().corr().iloc[0, 1], abs=1e-12)


@examples(45)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=4, max_size=30))
def test_cramers_v_is_that_of_scipy(rows):
    frame = pd.DataFrame(rows, columns=["one", "other"])
    columns = columns_of(frame)
    table = cross_table(columns["one"], columns["other"])
    expected = pd.crosstab(frame.one, frame.other)
    assert table.people.tolist() == expected.to_numpy().tolist()
    if min(expected.shape) > 1:
        assert table.cramers_v == pytest.approx(association(expected, method="cramer"), abs=1e-12)
    else:
        assert table.cramers_v is None


def test_a_value_that_nobody_with_the_other_column_has_is_no_degree_of_freedom():
    frame = pd.DataFrame({"one": [*"aaabbbccc", None], "other": [*"xxyxyyxyx", "z"]})
    columns = columns_of(frame)
    told = frame.dropna()
    expected = association(pd.crosstab(told.one, told.other), method="cramer")
    assert cross_table(columns["one"], columns["other"]).cramers_v == pytest.approx(expected, abs=1e-12)
    assert cross_table(columns["other"], columns["one"]).cramers_v == pytest.approx(expected, abs=1e-12)


def test_huge_numbers_have_finite_statistics():
    found = number_statistics(np.array([-1e300, 1e300]), np.array([1, 1]))
    assert (found.mean, found.median) == (0.0, 0.0)
    assert found.standard_deviation == pytest.approx(np.sqrt(2) * 1e300)


# ---------------------------------------------------------------- kinds, roles, units


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "3", None], "number"),
        (["1", "2", None], "category"),
        (["01", "02", "10"], "text"),
        (["0.1", "0", "1"], "number"),
        (["1", "two"], "text"),
        (["1"] * 1500 + ["two"], "text"),
        (["2020", "2021-03", "2021-03-04", "2021-03-04T10:00"], "date"),
        (["2020-01-01", "unknown"], "text"),
        ([None, None], "empty"),
        (["1", "inf"], "text"),
    ],
)
def test_the_kind_of_a_column(values, kind):
    assert columns_of(pd.DataFrame({"x": pd.Series(values, dtype="str")}))["x"].kind == kind


def test_a_flag_that_only_some_people_have_is_not_constant():
    columns = columns_of(pd.DataFrame({"died": ["Y", None, None], "unit": ["YEARS"] * 3}))
    assert (columns["died"].is_constant, columns["unit"].is_constant) == (False, True)


def test_units_come_from_the_merge_report_and_an_absent_one_is_no_fault(tmp_path):
    assert units_of(tmp_path) == {}
    (tmp_path / "processed_for_anonym").mkdir()
    (tmp_path / "processed_for_anonym" / "merge_report.json").write_text('{"units": {"VS__Height": "cm"}}')
    assert units_of(tmp_path) == {"VS__Height": "cm"}


def test_outliers_are_listed_the_farthest_first():
    values = [1.0] * 5 + [2.0] * 5 + [3.0] * 5 + [50.0, -40.0, 90.0]
    table, n_left_out = outlier_table(columns_of(pd.DataFrame({"x": values})).values(), pd.Series(map(str, range(18))))
    assert table.value.tolist() == [90.0, 50.0, -40.0]
    assert table.USUBJID.tolist() == ["17", "15", "16"]
    assert table.fence.tolist() == ["above", "above", "below"]
    assert n_left_out == 0


# ---------------------------------------------------------------- the step and its figures


def awkward(n=60, n_columns=0):
    generator = np.random.default_rng(1)
    frame = {
        "sex": generator.choice(["F", "M"], n),
        "age": generator.integers(20, 90, n).astype(float),
        "long": generator.choice(["a very long name of a category " * 4 + f"{i} $x_1$ <&>" for i in range(9)], n),
        "one": ["the only one"] * n,
        "none": pd.Series([None] * n, dtype="str"),
        "huge": generator.normal(0, 1, n) * 1e299,
        "tiny": -generator.random(n) * 1e-12,
        "negative": -generator.integers(0, 50, n).astype(float),
        "one person": pd.Series([f"NAME{i}" for i in range(n)]),
    }
    frame |= {f"c{i}": generator.normal(i, 1, n) for i in range(n_columns)}
    return pd.DataFrame(frame)


def explored_once(folder, settings):
    frame = awkward()
    roles = {"categorical": ["sex", "long"], "continuous": ["age"], "sensitive": ["huge"]}
    step = step_of(frame, folder, {"group": "sex", **settings}, **roles)
    return frame, roles, step, run_step(step)


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    return explored_once(tmp_path_factory.mktemp("step"), {"figures": False})


def test_no_value_of_a_person_is_on_the_screen_or_in_the_summary(explored):
    result = explored[3]
    for text in (result.on_screen, result.report, json.dumps(result.figures, allow_nan=False)):
        for marker in ("ZZ0", "NAME", "very long name", "the only one", "e+299", "e+29"):
            assert marker not in text
    assert "one person" in result.report  # the column's own name: as good as a name
    assert [name for name in result.tables if name not in result.on_screen] == []


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
@pytest.mark.parametrize(
    ("more", "drawn", "correlated", "among"),
    [(8, 1, 4, 12), (200, 3, 40, 204)],
)
def test_of_wide_data_some_columns_are_drawn_and_the_others_counted_aloud(
    more, drawn, correlated, among, tmp_path, monkeypatch
):
    monkeypatch.setattr("disclosure_control.analyses.explore.figures_of_pairs.MOST_IN_PAIR_PLOT", drawn)
    monkeypatch.setattr("disclosure_control.analyses.explore.exploration.MOST_CORRELATED", correlated)
    frame = awkward(40, more)
    step = step_of(frame, tmp_path, {"max_drawn": drawn}, categorical=["sex"], continuous=["age"])
    result = run_step(step)
    assert f"explore_histograms: the first {drawn} of {among} columns are drawn" in result.report
    assert f"Correlations of the first {correlated} of {among} columns" in result.report
    assert len(result.files) <= 20
    assert len(result.tables["explore_columns.csv"]) == len(frame.columns)


@pytest.mark.thorough("1.1 s")
def test_a_pilot_of_one_person_can_be_explored(tmp_path):
    frame = awkward(1)
    result = run_step(step_of(frame, tmp_path, "all", categorical=["sex"], continuous=["age"]))
    assert result.tables["explore_columns.csv"].people.tolist() == [1] * len(frame.columns)


@examples(45)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_every_value_lies_in_a_bin_of_the_histogram(values):
    pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install -r requirements/figures.txt")
    column = columns_of(pd.DataFrame({"x": values}))["x"]
    if column.is_constant or column.kind == "category":
        return
    edges = histogram_edges(column)
    assert (np.diff(edges) > 0).all()
    assert 2 <= len(edges) <= 42
    count, _ = np.histogram(column.encoded.labels, edges, weights=column.people)
    assert count.sum() == len(values)


def test_bins_of_whole_numbers_hold_equally_many_of_them():
    """Ages from 18 to 90: no bin holds two ages where its neighbours hold three, but for both ends."""
    pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install -r requirements/figures.txt")
    column = columns_of(pd.DataFrame({"age": [*range(18, 91)] * 3}))["age"]
    edges = histogram_edges(column)
    assert len({np.arange(low, high)[0] % 1 for low, high in itertools.pairwise(edges)}) == 1
    assert set(np.diff(edges)) == {np.round(np.diff(edges)[0])}
    count, _ = np.histogram(column.encoded.labels, edges, weights=column.people)
    assert len(set(count[1:-1])) == 1
    assert (edges[0] + 0.5) % 10 == 0  # a round number


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "found list"),
        ({"grup": "sex"}, "did you mean 'group'"),
        ({"group": "sexx"}, "did you mean 'sex'"),
        ({"pairs": ["sex"]}, "two to six columns"),
        ({"mosaic": ["sex", "sex"]}, "explore['mosaic']"),
        ({"max_levels": 0}, "explore['max_levels']"),
        ({"cross_tables": [["sex", "age"]]}, "explore['cross_tables']: gone since version 4.0.0; mosaic counts"),
        ({"columns": ["USUBJID"]}, "names the subject"),
        ({"group": "USUBJID"}, "names the subject"),
    ],
)
def test_faults_of_the_key(value, words):
    assert words in "\n".join(faults_of_key("explore", value, {}, ["USUBJID", "sex"]))


def test_every_pair_of_columns_with_few_values_is_compared(explored):
    found = explored[3].tables["explore_associations.csv"]
    names = ["sex", "long", "one"]
    pairs = {frozenset(pair) for pair in itertools.combinations(names, 2)}
    assert pairs <= {frozenset(pair) for pair in zip(found.column, found.other, strict=True)}


OF_NINETY = {
    "plain": {"figures": False},
    "asked": {"figures": False, "group": "DM__SEX", "columns": ["DM__AGE", "LB__X", "SC__STATE"], "max_levels": 3},
}


@pytest.mark.parametrize("way", OF_NINETY)
def test_all_tables_of_ninety_people(way):
    """Every column, or those that are asked for, with gaps and rare values."""
    assert changed_since_kept(f"explore_{way}", outcome_of("explore", OF_NINETY[way])) == {}
