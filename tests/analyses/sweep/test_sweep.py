"""The step ``sweep``: the published report on ACTG175 by the config in the docs, the grid, the front, the files."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.analyses.sweep import step, trial
from disclosure_control.analyses.sweep.drawing import (
    RISKS,
    draw_measures,
    map_figure,
    sweep_figures,
)
from disclosure_control.analyses.sweep.grid import points_of
from disclosure_control.analyses.sweep.report import FIRST_COLUMNS
from disclosure_control.analyses.sweep.trial import SweepRow, pareto_front, shown_value
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.drawings.figures import styled
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps import READERS
from disclosure_control.steps.running import StepInput
from tests.basics.drawings.letters import cut_off_or_covered
from tests.cases import each, quick
from tests.config_keys import faults_of_key
from tests.examples import examples
from tests.kept import changed_since_kept
from tests.ninety_people import outcome_of
from tests.places import PROJECT

SHARED = PROJECT.parent / "shared"
NO_MATPLOTLIB = "matplotlib is missing: pip install -r requirements/figures.txt"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared oracles are not beside this clone")


def step_of(table: pd.DataFrame, literal: dict) -> StepInput:
    """What door 2 would hand to the step for a combined dataset of text."""
    config = validate_config(literal, table.columns, READERS)
    numeric = {*config.continuous_qis, *config.sensitive_binning}
    names = config.quasi_identifiers + config.sensitive_features
    frame = pd.DataFrame({name: table[name].astype(float) if name in numeric else table[name] for name in names})
    dataset = CombinedDataset.of(frame, table["USUBJID"], table)
    return StepInput("PILOT", Path(), config.settings["sweep"], dataset, assess(frame, config), {})


# ---------------------------------------------------------------- ACTG175

A = "AIDS_ORIGINAL_DATA__"


@pytest.fixture(scope="module")
def actg(tmp_path_factory):
    """The results of both doors, run on the public data by the config that ships in the docs."""
    folder = tmp_path_factory.mktemp("actg")
    (folder / "data" / "ACTG175").mkdir(parents=True)
    shutil.copy(SHARED / "data" / "actg175" / "aids_original_data.csv", folder / "data" / "ACTG175")
    (folder / "config").mkdir()
    shutil.copy(PROJECT / "docs" / "ACTG175.py", folder / "config")
    names = {"BIOSTREAMS_DATA_DIR": "data", "BIOSTREAMS_CONFIG_DIR": "config", "BIOSTREAMS_STATE_DIR": "state"}
    places = {name: str(folder / place) for name, place in names.items()}
    for door in ("Create_Combined_Pilot_Dataset.py", "Main_Anonymization.py"):
        subprocess.run([sys.executable, PROJECT / door, "ACTG175"], env=os.environ | places, check=True, cwd=folder)
    return folder / "data" / "ACTG175" / "processed_for_anonym"


@pytest.fixture(scope="module")
def published():
    return json.loads((SHARED / "oracles" / "published.json").read_text())["actg175"]


@pytest.mark.thorough("20 s of both doors over 2139 people; the quick run has small sweeps")
@needs_shared
def test_the_published_sweep_comes_out_of_the_config_in_the_docs(actg, published):
    """Every figure of every row to 1e-12, but one that contradicts its own row.

    age_banding_10 prints an average linkage risk of 1.188770..., and 25 expected re-identifications of 2139 people. The
    average is the expectation divided by the people, as it is in every other row: 25 / 2139 = 1.168770...%.
    """
    found = published["sweep"]
    names = [name for name in found if name not in ("columns", "notes")]
    assert found["age_banding_10"][2] == pytest.approx(1.188770, abs=1e-6)
    found["age_banding_10"][2] = 100 * 25 / 2139
    table = pd.read_csv(actg / "risk_utility_summary.csv")
    assert len(table) == len(names) == 10
    assert table["n_keys_evaluated"].tolist() == [2139] * 10
    for i, name in enumerate(names):
        for column, expected in zip(found["columns"], found[name], strict=True):
            if expected is not None:
                assert table[column][i] == pytest.approx(expected, abs=1e-12), (name, column)
    # The PRAM rows give no expectation; it hangs together with the average they do give.
    assert table["expected_reids"].tolist() == pytest.approx(table["avg_linkage_risk_percent"] * 2139 / 100)


@pytest.mark.thorough("as above")
@needs_shared
def test_everything_else_that_the_report_prints_comes_out_of_the_same_config(actg, published):
    told = json.loads((actg / "ACTG175_privacy_summary.json").read_text())
    summary, risk = published["risk_summary"], told["risk"]
    assert risk["three_questions"]["singling_out"]["figures"]["unique"] == summary["n_unique"]
    assert round(100 * risk["unique_rate"], 2) == summary["percent_unique"]
    assert round(100 * risk["global_risk"], 2) == summary["global_risk_percent"]
    assert risk["expected_reidentifications"] == summary["expected_reidentifications"]
    assert round(100 * risk["k_at_most_rate"]["5"], 2) == summary["percent_k_le_5"]
    assert round(2139 * risk["k_at_most_rate"]["5"]) == summary["n_k_le_5"]
    sets = {
        frozenset(name.removeprefix(A) for name in one["quasi_identifiers"]): [
            round(100 * one["unique_rate"], 2),
            one["median_k"],
            round(100 * one["k_at_most_rate"]["5"], 2),
        ]
        for one in risk["key_sets"]
    }
    snapshots = {
        frozenset(name.split("+")): row for name, row in published["key_set_snapshots"].items() if name != "columns"
    }
    assert sets == snapshots
    small = pd.read_csv(actg / "explore_small_levels.csv", dtype={"value": "str"})
    small = small[small["column"] == f"{A}age"]
    assert dict(zip(small["value"], small["people"], strict=True)) == published["small_count_levels_age_le_5"]
    pairs = pd.read_csv(actg / "explore_spearman.csv").set_index(["column", "other"])["spearman"]
    for name, rho in published["spearman"].items():
        if "~" in name:
            assert pairs[tuple(A + one for one in name.split("~"))] == pytest.approx(rho, abs=1e-12)
    inferred = published["deterministic_inference"]
    text = (actg / "ACTG175_privacy_details.txt").read_text()
    assert f"each of these columns alone discloses everyone's {A}{inferred['to']}: {A}{inferred['from']}." in text


@pytest.mark.thorough("as above")
@needs_shared
def test_the_columns_first_and_the_untreated_row_first(actg):
    header, first, second = (actg / "risk_utility_summary.csv").read_text().splitlines()[:3]
    assert first.startswith('"baseline","",,1.3557737260402')
    assert second.startswith(f'"band {A}age","width",5,0.0935016362786')
    assert header.startswith(",".join(f'"{name}"' for name in FIRST_COLUMNS))
    for name in ("percent_k_risky", "smallest_k", "IL1s"):
        assert f'"{name}"' in header


@pytest.mark.thorough("as above")
@needs_shared
def test_the_front_of_the_published_sweep(actg):
    """By the published figures: the bands, the untreated, and race flipped for 1%, which came out a little safer."""
    found = json.loads((actg / "ACTG175_privacy_summary.json").read_text())["sweep"]
    bands = [f"band {A}age, width {width}" for width in (5, 10, 15)]
    assert found["pareto_front"] == ["untreated", *bands, f"flip {A}race, share 0.01"]
    assert found["mildest_that_meets_k"] is None


# ---------------------------------------------------------------- heart


@pytest.mark.thorough("2 s: seven treatments of 918 people; a case by hand is in the quick run")
@needs_shared
def test_the_published_shares_of_suppressed_records_come_out_of_a_config():
    """Each record is a person: the share is of records and of people. Some shares are published with two decimals."""
    table = pd.read_csv(SHARED / "data" / "heart" / "heart.csv", dtype="str")[["Age", "Cholesterol"]]
    table["USUBJID"] = [f"S{i}" for i in range(len(table))]
    config = {
        "continuous_qis": ["Age", "Cholesterol"],
        "categorical_qis": [],
        "binning_config": {},
        "sensitive_feature": [],
        "K": 5,
    }
    ages, both = {"method": "band", "column": "Age", "width": 15}, {"method": "band", "column": "Age", "width": 10}
    cells = {"method": "suppress_cells"}
    grid = [
        {**cells, "k": 3},
        {"steps": [ages, {**cells, "k": [3, 5, 10, 15, 20]}]},
        {"steps": [both, {"method": "band", "column": "Cholesterol", "width": 50}, {**cells, "k": 10}]},
    ]
    result = step.run_step(step_of(table, config | {"sweep": {"grid": grid, "figures": False}}))
    cases = json.loads((SHARED / "oracles" / "published.json").read_text())["heart"]["cases"]
    published = [cases[i]["percent"] for i in (0, 1, 2, 3, 4, 5, 8)]
    shares = result.tables["risk_utility_summary.csv"]["percent_records_touched"].tolist()
    assert [round(share, 2) for share in shares] == [0.0, *(round(percent, 2) for percent in published)]
    assert "83.2%" in result.report


# ---------------------------------------------------------------- a small pilot

SMALL = pd.DataFrame(
    {
        "USUBJID": [f"S{i}" for i in range(12)],
        "sex": list("FFFFFFMMMMMM"),
        "age": ["20", "21", "22", "23", "40", "41", "20", "21", "22", "40", "42", "95"],
        "lab": ["5", "6", "7", "8", "5", "6", "7", "8", "5", "6", "7", "8"],
    }
)


def small_config(grid, **more):
    return {
        "categorical_qis": ["sex"],
        "continuous_qis": ["age"],
        "binning_config": {"age": [0, 30, 60]},
        "sensitive_feature": "lab",
        "sensitive_binning_config_for_L": {"lab": [0, 6, 10]},
        "K": 2,
        "L": 2,
        "T": 2,
        "sweep": {"grid": grid, **more},
    }


GRID = [
    {"method": "band", "column": "age", "width": [5, 20, 100]},
    {
        "name": "twenty years, rare ones out",
        "steps": [{"method": "band", "column": "age", "width": 20}, {"method": "suppress_records"}],
    },
    {"method": "flip", "column": "sex", "share": [0.2, 0.4]},
]


def run(grid=GRID, table=SMALL, **more):
    if grid is GRID and table is SMALL and not more:
        return whole_grid()
    return step.run_step(step_of(table, small_config(grid, **{"figures": False, **more})))


@cache
def whole_grid():
    return step.run_step(step_of(SMALL, small_config(GRID, figures=False)))


def rows_of(result):
    return {(row["method"], str(row["param_value"])): row for row in result.figures["rows"]}


def test_risk_is_of_the_values_as_released_and_the_bins_stand_beside():
    """Exact ages leave nearly everybody alone, whatever the config's bins make of them."""
    rows = rows_of(run())
    untreated = rows["baseline", "None"]
    assert untreated["percent_unique"] == 100.0
    assert untreated["percent_k_risky_in_the_bins_of_the_config"] == pytest.approx(100 / 12)  # the one above 60
    assert rows["band age", "20"]["percent_unique"] == pytest.approx(100 / 12)
    assert rows["band age", "100"]["meets_k"]
    assert rows["band age", "100"]["smallest_k"] == 6


def test_figures_for_others_have_no_small_counts_and_no_digits(monkeypatch):
    drawn = []
    monkeypatch.setattr("disclosure_control.analyses.sweep.step.sweep_figures", lambda rows: drawn.extend(rows) or ())
    inside = run([GRID[1]], figures=True).for_reader(EXACT)
    (row,) = drawn[1:]
    assert (row.n_records_touched, row.percent_records_touched) == (None, None)
    assert inside.figures["rows"][1]["n_records_touched"] == 1
    assert "8.3%" in inside.report


@pytest.mark.thorough("0.5 s")
def test_removed_records_and_unread_values_are_counted():
    grid = [GRID[1], {"method": "bins", "column": "age", "edges": [[0, 30, 60], [0, 50, 100]]}]
    result = run(grid)
    removed = rows_of(result)["twenty years, rare ones out", "None"]
    assert (removed["n_records_removed"], removed["n_records_compared"]) == (1, 11)
    assert removed["percent_records_removed"] == pytest.approx(100 / 12)
    assert (removed["n_records_touched"], removed["percent_records_touched"]) == (None, None)  # one is few
    touched = result.tables["risk_utility_summary.csv"]["n_records_touched"]
    assert touched.tolist() == [0, 1, 0, 0]
    binned = result.figures["rows"]
    assert [row["n_values_unread"] for row in binned] == [0, 0, None, 0]  # 95 became >60: one is few
    assert "Fewer than 10 released values stand for no known number" in result.report
    assert "Up to 1 released values" in result.for_reader(EXACT).report


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
def test_the_mildest_that_meets_k_is_the_one_that_changed_least():
    """By hand. A band of 100 years moves all ages to 50. Bands of 20 move them to 30 and 50, and lose one person.

    Both are shares of the range 75, over the three columns with a role: sex, age and lab.
    """
    rows = rows_of(run())
    wide = sum(abs(int(age) - 50) for age in SMALL["age"]) / 75 / 12 / 3
    narrow = (sum([10, 9, 8, 7, 10, 9, 10, 9, 8, 10, 8]) / 75 + 3) / 12 / 3
    assert rows["band age", "100"]["IL1_mean"] == pytest.approx(wide, rel=1e-4)
    assert rows["twenty years, rare ones out", "None"]["IL1_mean"] == pytest.approx(narrow, rel=1e-4)
    assert [name for name, row in rows.items() if row["meets_k"]] == [
        ("band age", "100"),
        ("twenty years, rare ones out", "None"),
    ]
    assert wide < narrow
    assert "Mildest that meets k = 2: band age, width 100." in run().report
    assert run(GRID[1:]).figures["mildest_that_meets_k"] == "twenty years, rare ones out"


def test_one_generator_runs_through_all_points():
    config = validate_config({key: value for key, value in small_config([]).items() if key != "sweep"})
    frame = step_of(SMALL, small_config(GRID)).dataset.everybody.typed_table
    flip = {"method": "flip", "column": "sex", "share": 0.5}
    generator = np.random.default_rng(7)
    running = [treat(frame, config, [flip], generator).frame["sex"] for _ in range(3)]
    found = trial.sweep(frame, config, points_of([{**flip, "share": [0.5, 0.5, 0.5]}]), 7)
    changed = [row.utility["IL1_categorical"] for row in found.rows[1:]]
    assert changed == [(after.to_numpy() != frame["sex"]).mean() for after in running]
    assert len({tuple(after) for after in running}) == 3


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
def test_row_order_and_index_change_nothing_and_the_same_seed_gives_the_same_bytes():
    first = run()
    turned = run(table=SMALL.sample(frac=1, random_state=3))
    assert turned.figures == first.figures
    assert turned.report == first.report
    for name, table in first.tables.items():
        assert csv_bytes(turned.tables[name]) == csv_bytes(table)
    assert run(seed=1).figures != first.figures
    assert "777001" not in run(seed=777001).report  # who knows the seed draws again what chance changed


def test_no_id_and_no_value_of_a_person_is_said():
    table = SMALL.assign(sex=["Xanthippe" if i == 0 else sex for i, sex in enumerate(SMALL["sex"])])
    result = run([GRID[0], {"method": "suppress_cells", "k": [2, 3]}], table)
    everything = (
        json.dumps(result.figures) + result.report + csv_bytes(result.tables["risk_utility_summary.csv"]).decode()
    )
    assert "Xanthippe" not in everything
    assert not any(subject in everything for subject in ("S10", "S11"))
    for content in result.files.values():
        assert b"Xanthippe" not in content


# ---------------------------------------------------------------- the grid and its faults


def test_a_list_of_lists_is_what_to_try_of_a_setting_that_is_a_list():
    entry = {"method": "drop_column", "columns": [["age"], ["age", "lab"]]}
    assert [point.param_value for point in points_of([entry])] == [["age"], ["age", "lab"]]


def faults(value, columns=("USUBJID", "sex", "age", "lab")):
    config = {**small_config([]), "sweep": value}
    return faults_of_key("sweep", value, config, columns)


def test_a_sound_grid_has_no_fault():
    assert faults({"grid": GRID, "seed": 1, "eigenvalue_columns": ["age", "lab"]}) == []
    assert faults({"grid": GRID}, columns=None) == []


BAND = {"method": "band", "column": "age", "width": [5, 10]}


@each(
    ("value", "words"),
    [
        ([BAND], "sweep: found list; allowed: a dictionary of grid"),
        ({"grid": []}, "sweep['grid']: found []"),
        ({"grid": ["band"]}, "sweep['grid'][0]: allowed: {\"method\": ..., settings}"),
        ({"grid": [{"steps": [BAND], "method": "band"}]}, "sweep['grid'][0]: allowed"),
        ({"grid": [{"steps": []}]}, "sweep['grid'][0][\"steps\"]: empty"),
        ({"grid": [{"steps": [BAND], "sede": 1}]}, "unknown key 'sede'"),
        ({"grid": [{**BAND, "name": 3}]}, "sweep['grid'][0]['name']: found int; allowed: a text"),
        ({"grid": [{**BAND, "method": "bnd"}]}, "unknown method 'bnd'; did you mean 'band'?"),
        ({"grid": [{**BAND, "column": "aeg"}]}, "column 'aeg' is not in the dataset at this step; did you mean 'age'?"),
        ({"grid": [{**BAND, "width": [5, -1]}]}, "band['width']: found -1"),
        ({"grid": [{**BAND, "label": ["interval", "midpoint"]}]}, "found 'width', 'label'; allowed: one setting"),
        ({"grid": [{**BAND, "parameter": "width"}]}, "sweep['parameter']: gone since version 4.0.0; take it out"),
        ({"grid": [BAND], "eigenvalue_columns": ["age"]}, "sweep['eigenvalue_columns']: found ['age']"),
        (
            {"grid": [BAND], "utility": {}},
            "sweep['utility']: gone since version 4.0.0",
        ),
        ({"grid": [BAND], "one_generator": False}, "sweep['one_generator']: gone since version 4.0.0"),
    ],
)
def test_faults_are_named(value, words):
    found = faults(value)
    assert any(words in fault for fault in found), found


def test_all_faults_come_at_once_and_none_twice():
    found = faults({"grid": [{**BAND, "column": "aeg"}, {**BAND, "method": "bnd"}], "seed": "x"})
    assert len(found) == 3


# ---------------------------------------------------------------- the front


@examples(90)
@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, None]), st.sampled_from([0.0, 1.0, 2.0, 3.0])), max_size=12))
def test_the_front_against_a_slow_referee(figures):
    def beats(a, b):
        return a[0] <= b[0] and a[1] <= b[1] and a != b

    known = [pair for pair in figures if pair[0] is not None]
    slow = [
        i for i, pair in enumerate(figures) if pair[0] is not None and not any(beats(other, pair) for other in known)
    ]
    assert pareto_front(figures) == slow


# ---------------------------------------------------------------- figures


UNTREATED = SweepRow(
    method="baseline",
    param_name="",
    param_value=None,
    percent_unique=40.0,
    percent_k_le_5=80.0,
    avg_linkage_risk_percent=55.0,
    expected_reids=None,
    n_keys_evaluated=100,
    n_not_evaluated=0,
    n_records_compared=100,
    n_records_removed=0,
    percent_records_removed=0.0,
    n_records_touched=0,
    percent_records_touched=0.0,
    n_values_lost=0,
    n_values_unread=0,
    smallest_k=1,
    by_model={"percent_k_risky": None},
    percent_k_risky_in_the_bins_of_the_config=None,
    meets_k=False,
    meets_all=False,
    utility={"IL1_numeric": 0.0, "IL1_categorical": 0.0, "eigenvalue_similarity_percent": 100.0, "IL1_mean": 0.0},
    used_chance=False,
    pareto_front=True,
)


def changed_by(loss, row=UNTREATED, **more):
    return replace(row, utility={**row.utility, "IL1_mean": loss}, **more)


def figure_rows(n_methods=2, n_points=3, row=UNTREATED, **more):
    rows = [row]
    for i in range(n_methods):
        for j in range(n_points):
            point = {"method": f"method $ {i}", "param_name": "width", "param_value": 5 * j}
            point["avg_linkage_risk_percent"] = 50.0 / (1 + i + j)
            rows.append(changed_by(0.1 * (i + j), row, **{**point, **more}))
    return rows


NAMES = ["sweep_risk", "sweep_utility", "risk_utility_map"]


PERCENTS = ("avg_linkage_risk_percent", "percent_unique", "percent_k_le_5")
NOBODY = replace(
    UNTREATED,
    avg_linkage_risk_percent=None,
    utility={**UNTREATED.utility, "eigenvalue_similarity_percent": None},
)


@pytest.mark.thorough("0.7 s")
@pytest.mark.parametrize(
    ("rows", "names"),
    quick(
        2,
        [
            (
                figure_rows(1, 2, param_value=[0, 65, "a very long $ list <&> of things"], mildest_that_meets_k=True),
                NAMES,
            ),
            (figure_rows(0), NAMES[2:]),
            (figure_rows(12, 1), NAMES),
            (figure_rows(1, 80), NAMES),
            (figure_rows(1, 3, NOBODY, **dict.fromkeys(PERCENTS)), NAMES[:2]),
        ],
        "1 to 4 s: figures are laid out",
    ),
    ids=["lists", "none", "many methods", "many points", "nothing evaluated"],
)
def test_figures_are_drawn_whatever_was_found_and_no_letters_lie_on_others(rows, names, monkeypatch):
    pytest.importorskip("matplotlib", reason=NO_MATPLOTLIB)
    monkeypatch.setattr("disclosure_control.analyses.sweep.drawing.MOST_PANELS", 2)
    with styled():
        drawn = dict(sweep_figures(rows))
        assert {name: cut_off_or_covered(figure) for name, figure in drawn.items()} == {name: [] for name in names}
    if "sweep_risk" in drawn:
        is_cut = "(first 2 of 12 methods)" in drawn["sweep_risk"].get_suptitle().replace("\n", " ")
        assert is_cut == (rows[-1].method == "method $ 11")


def test_parameters_are_where_they_are_on_the_axis_and_the_untreated_apart():
    figure = pytest.importorskip("matplotlib.figure", reason=NO_MATPLOTLIB)
    rows = [replace(UNTREATED, param_value=share, percent_unique=100 * share) for share in (0.1, 0.01, 0.05)]
    axes = figure.Figure().subplots()
    draw_measures(axes, UNTREATED, rows, RISKS)
    first, untreated = axes.lines[:2]
    assert first.get_xydata().tolist() == [[0.01, 1.0], [0.05, 5.0], [0.1, 10.0]]
    assert first.get_label() == "alone in their class"
    assert untreated.get_ydata()[0] == 40.0
    assert untreated.get_xdata()[0] < axes.lines[-1].get_xdata()[0] < 0.01  # beyond the line that sets it apart
    labels = dict(zip([label.get_text() for label in axes.get_xticklabels()], axes.get_xticks(), strict=True))
    assert labels == {"untreated": untreated.get_xdata()[0], "0.01": 0.01, "0.05": 0.05, "0.1": 0.1}


def test_parameters_that_are_no_numbers_are_side_by_side_and_not_joined():
    figure = pytest.importorskip("matplotlib.figure", reason=NO_MATPLOTLIB)
    axes = figure.Figure().subplots()
    draw_measures(axes, UNTREATED, [replace(UNTREATED, param_value=value) for value in ("upper", "lower")], RISKS)
    assert axes.lines[0].get_xdata().tolist() == [0, 1]
    assert axes.lines[0].get_linestyle() == "None"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["untreated", "upper", "lower"]


def test_the_map_names_every_point():
    pytest.importorskip("matplotlib", reason=NO_MATPLOTLIB)
    first = front_and_mildest()[1]
    rows = [*front_and_mildest(), changed_by(0.1, first, pareto_front=False)]  # where the first is
    axes, names = map_figure(rows).axes
    assert names.texts[0].get_text().split("\n") == [
        "0  untreated",
        "1  method $ 0, width 3",
        "2  method $ 0, width 5",
        "3  method $ 0, width 10",
        "4  method $ 0, width 3",
    ]
    assert sorted(text.get_text() for text in axes.texts) == ["0", "1, 4", "2", "3"]
    others, front, ring = (line.get_xydata().tolist() for line in axes.lines)
    assert front == [[0.0, 55.0], [0.1, 20.0]]
    assert ring == [[0.11, 20.5]]
    assert len(others) == 3
    (named,) = [text for text in axes.texts if text.get_text() == "0"]
    assert named.xy == pytest.approx((0.0, 55.0), abs=0.5)


def front_and_mildest():
    """The untreated and the first are on the front; the second is beaten by the first, and the mildest that meets k."""
    rows = figure_rows(1, 3, pareto_front=False)
    first = changed_by(0.1, rows[1], pareto_front=True, avg_linkage_risk_percent=20.0, param_value=3)
    second = changed_by(0.11, rows[2], mildest_that_meets_k=True, avg_linkage_risk_percent=20.5, param_value=5)
    return [rows[0], first, second, rows[3]]


@pytest.mark.thorough("0.8 s")
def test_hierarchies_that_a_sweep_reads_are_inputs(tmp_path):
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "sex.csv").write_text("F;*\nM;*\n", encoding="utf-8")
    entry = {"method": "hierarchy", "column": "sex", "level": [0, 1], "file": "hierarchies/sex.csv"}
    given = step_of(SMALL, small_config([entry]))
    result = step.run_step(replace(given, folder=tmp_path))
    assert list(result.inputs) == ["hierarchies/sex.csv"]


# ---------------------------------------------------------------- the report


def test_all_digits_stand_in_the_table_alone():
    """From digits enough, the value of one person who was removed could be calculated."""
    for row in run().figures["rows"]:
        assert "percent_t_risky: lab" in row
        assert row["IL1_mean"] == float(f"{row['IL1_mean']:.5g}")


def test_parameters_are_shown_short():
    assert shown_value(10.0) == "10"
    assert shown_value("midpoint") == "midpoint"
    assert shown_value([0, 18]) == "[0, 18]"
    assert shown_value(["DM__AGE", "VS__BMI"]) == "DM__AGE, VS__BMI"
    assert shown_value(list(range(100))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"


def test_nothing_left_of_anybody_is_no_success():
    """Where every record is removed nothing is evaluated: that meets no k and stands on no front."""
    table = SMALL.assign(age=[str(i) for i in range(12)])
    alone = {"method": "band", "column": "age", "width": 1}  # as text, so that no bins hide that all are alone
    result = run([{"steps": [alone, {"method": "suppress_records"}]}], table)
    row = result.figures["rows"][1]
    assert (row["n_records_compared"], row["n_keys_evaluated"], row["percent_unique"]) == (0, 0, None)
    assert (row["meets_k"], row["pareto_front"]) == (False, False)
    assert row["IL1_overall"] == 1.0
    assert "none of them" in result.report


OF_NINETY = {
    "bands": {"figures": False, "grid": [{"method": "band", "column": "DM__AGE", "width": [5, 10, 40]}]},
    "cells": {"figures": False, "grid": [{"method": "suppress_cells", "k": [2, 3, 6]}]},
}


@pytest.mark.parametrize("way", OF_NINETY)
def test_all_figures_of_ninety_people(way):
    """Risk and utility at each point of a grid."""
    assert changed_since_kept(f"sweep_{way}", outcome_of("sweep", OF_NINETY[way])) == {}
