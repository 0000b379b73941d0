"""What the drawings of ``explore`` show: counts, thresholds, markers, names; and what they never show."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.analyses.explore import figures_of_pairs
from disclosure_control.analyses.explore.columns import explore_columns
from disclosure_control.analyses.explore.exploration import explore
from disclosure_control.analyses.explore.figures_of_columns import (
    bars,
    box,
    box_of,
    drawn_outliers,
    histogram,
    histogram_edges,
)
from disclosure_control.analyses.explore.figures_of_risk import class_sizes, individual_risk
from disclosure_control.analyses.explore.step import run_step
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.steps.identifiers.settings import IdentifierSettings
from disclosure_control.steps.identifiers.step import run_step as find_identifiers
from disclosure_control.steps.running import StepInput
from tests.config_keys import settings_of_key

LITERAL = {"K": 5, "L": 2, "T": 1, "binning_config": {}, "continuous_qis": [], "sensitive_feature": []}


def config_of(frame, categorical, **more):
    return validate_config(LITERAL | {"categorical_qis": list(categorical)} | more, frame.columns, {})


def column_of(values):
    frame = pd.DataFrame({"x": values, "spare": "x"})
    return explore_columns(frame, config_of(frame, ["spare"]), ["x"], {})[0]


def texts_of(panel):
    return [words for part in panel.drawing.parts for words in re.findall(r"<text[^>]*>([^<]*)", part)]


# ---------------------------------------------------------------- risk


@pytest.mark.parametrize(
    ("policy", "alone_and_pairs", "note"),
    [
        ("category", [2, 2], "4 of 4 people evaluated, 0 not (missing_qis: category), in 3 equivalence classes"),
        ("exclude", [0, 2], "2 of 4 people evaluated, 2 not (missing_qis: exclude), in 1 equivalence class"),
        ("wildcard", [0, 0], "4 of 4 people evaluated, 0 not (missing_qis: wildcard), in 3 equivalence classes"),
    ],
)
def test_sizes_of_classes_follow_the_policy_for_missing_values(policy, alone_and_pairs, note):
    """Two people (F, x), one (F, missing), one (missing, x): by wildcard each may be any of the four."""
    frame = pd.DataFrame({"sex": ["F", "F", "F", None], "place": ["x", "x", None, "x"]})
    panel = class_sizes(assess(frame, config_of(frame, ["sex", "place"], missing_qis=policy)))
    counts = [int(n) for n in re.findall(r": ([\d,]+)", panel.drawing.described)]
    assert counts[:2] == alone_and_pairs
    assert panel.note.startswith(f"{note}. On the left k")
    assert sum(counts) == (2 if policy == "exclude" else 4)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 7, 10, 200])
def test_the_threshold_parts_what_is_below_k_from_what_is_not(k):
    """Classes of 1 to 12 people: hatched, and above the line, are those with k < K; of K itself neither."""
    frame = pd.DataFrame({"place": [str(size) for size in range(1, 13) for _ in range(size)]})
    drawing = class_sizes(assess(frame, config_of(frame, ["place"], K=k))).drawing
    (line,) = [part for part in drawing.parts if 'class="threshold"' in part]
    y = float(re.search(r'y1="([\d.]+)"', line)[1])
    rects = [re.search(r'class="bar( marked)?".* y="([\d.]+)"', part) for part in drawing.parts if "<rect" in part]
    assert all(bool(found[1]) == (float(found[2]) < y) for found in rects)
    names = re.findall(r"k = ([\d,]+)", drawing.described)
    assert [int(name) < k for name in names] == [bool(found[1]) for found in rects]
    assert str(k) in names  # a bar begins there, so that none is on both sides


@pytest.mark.parametrize(
    ("k", "labels"),
    [
        (3, "1 2 3–4 5–9 10–19 20–49 50–99 100+"),
        (4, "1 2 3 4 5–9 10–19 20–49 50–99 100+"),
        (99, "1 2 3–4 5–9 10–19 20–49 50–98 99 100+"),
        (200, "1 2 3–4 5–9 10–19 20–49 50–99 100–199 200+"),
    ],
)
def test_a_bar_of_one_size_is_named_by_it_and_one_of_several_by_the_first_and_the_last(k, labels):
    frame = pd.DataFrame({"place": ["x"] * 5 + ["y"] * max(k, 100)})
    drawing = class_sizes(assess(frame, config_of(frame, ["place"], K=k))).drawing
    assert re.findall(r"k = ([^:]+): (\d+)", drawing.described) == [
        (label, "5" if label.startswith("5–") else str(max(k, 100)) if label.endswith("+") else "0")
        for label in labels.split()
    ]


def test_the_line_of_the_risk_stands_at_one_in_k_and_says_who_is_above():
    frame = pd.DataFrame({"place": [str(size) for size in range(1, 7) for _ in range(size)]})
    panel = individual_risk(assess(frame, config_of(frame, ["place"], K=4)))
    assert panel.drawing.described == "6 of 21 people have a chance above 1/4, that is k\xa0<\xa04"
    (line,) = [part for part in panel.drawing.parts if 'class="threshold"' in part]
    (curve,) = [part for part in panel.drawing.parts if 'class="line"' in part]
    places = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", curve)]
    assert float(re.search(r'y1="([\d.]+)"', line)[1]) == sorted(set(places))[3]  # that of the classes of four


# ---------------------------------------------------------------- single columns


def test_a_single_outlier_is_a_marker_and_one_person():
    panel = box(column_of(np.array([*range(10), 500.0])))
    assert sum('class="diamond"' in part for part in panel.drawing.parts) == 1
    assert panel.note == "Median 5. Diamonds: 1 person outside of the fences."


def test_whiskers_end_at_the_last_people_inside_the_fences():
    """Quartiles 12.5 and 17.5, by position 2.5 and 7.5 of ten gaps: the fences are 5 and 25."""
    values = np.array([-90.0, 4.5, 12, 13, 14, 15, 16, 17, 18, 24, 25.5])
    drawn = box_of(values, np.ones(11, dtype=int), "label", "text")
    assert (drawn.label, drawn.text) == ("label", "text")
    assert (drawn.first_quartile, drawn.median, drawn.third_quartile) == (12.5, 15, 17.5)
    assert (drawn.low_whisker, drawn.high_whisker) == (12, 24)
    assert drawn.outliers == (-90, 4.5, 25.5)


def test_of_very_many_outliers_some_are_drawn_the_ends_among_them():
    drawn_ones = drawn_outliers(np.arange(10_000.0))
    assert (len(drawn_ones), drawn_ones[0], drawn_ones[-1]) == (60, 0, 9999)


def test_whole_numbers_stand_in_whole_bins_with_their_counts_on_them():
    panel = histogram(column_of([3.0] * 4 + [4.0] * 2 + [6.0]))
    assert panel.drawing.described == "3: 4; 4: 2; 6: 1"
    assert texts_of(panel)[:3] == ["4", "2", "1"]
    wide = histogram(column_of([18.0, 24.0, 25.0, 30.0, 44.0] * 4))
    assert wide.drawing.described == "15 to 19: 4; 20 to 24: 4; 25 to 29: 4; 30 to 34: 4; 40 to 44: 4"


def test_there_is_room_for_every_count():
    generator = np.random.default_rng(3)
    for n in (30, 3_000, 300_000):
        edges = histogram_edges(column_of(generator.normal(100, 15, n)))
        widest = len(f"{n}") if n < 10_000 else 4
        assert 372 / (len(edges) - 1) > 7 * widest


def test_nobody_without_a_value_is_left_out_silently():
    values = pd.Series([1.0, 2.5, 3, 4, 5, 6, 7, None, None])
    assert histogram(column_of(values)).note == "2 people without a value."
    assert "2 people without a value." in box(column_of(values)).note
    assert bars(column_of(values)).drawing.described.endswith("(no value): 2")


def test_names_that_differ_in_their_middle_are_told_apart():
    panel = bars(column_of([f"a very long name that goes on and on, {i}, and on and on to its end" for i in range(3)]))
    names = re.findall(r"([^;]+): 1", panel.drawing.described)
    assert len(set(names)) == 3


# ---------------------------------------------------------------- several columns


def test_the_mosaic_says_how_many_people_it_shows_and_takes_a_pair_that_varies():
    """Whoever has the answer "no" has no date: of the first two columns nothing varies among those who have both."""
    frame = pd.DataFrame(
        {
            "answer": ["yes", "yes", "no", "no"] * 5,
            "when": ["am", "pm", None, None] * 5,
            "arm": ["x", "y", "y", "x"] * 5,
        }
    )
    found = explore(frame, config_of(frame, list(frame.columns)), settings_of_key("explore", "all"))
    pair = figures_of_pairs._pair_that_varies(found)
    assert [one.name for one in pair] == ["answer", "arm"]
    panel = figures_of_pairs.mosaic_panel(found.column("when"), found.column("arm"))
    assert panel.note == "10 people; 10 people without one of the two values left out. Areas are people."


def test_areas_of_the_mosaic_are_people():
    frame = pd.DataFrame({"sex": ["F"] * 6 + ["M"] * 2, "arm": list("xxxyyyxy")})
    found = explore(frame, config_of(frame, ["sex", "arm"]), settings_of_key("explore", "all"))
    drawing = figures_of_pairs.mosaic_panel(found.column("sex"), found.column("arm")).drawing
    sizes = [re.search(r'width="([\d.]+)" height="([\d.]+)"', part) for part in drawing.parts if "part" in part]
    areas = [float(size[1]) * float(size[2]) for size in sizes if size][:4]
    assert [round(8 * area / sum(areas), 2) for area in areas] == [3, 3, 1, 1]


def test_no_correlation_of_fewer_than_ten_people_is_drawn():
    """Nine people have a and b, ten a and c: of the first nothing is said, and that it is not."""
    a = np.arange(20.0)
    frame = pd.DataFrame({"a": a, "b": np.where(a < 9, a, np.nan), "c": np.where(a < 10, a**2, np.nan), "spare": "x"})
    found = explore(frame, config_of(frame, ["spare"]), settings_of_key("explore", "all"))
    drawn = figures_of_pairs.correlation_chart(found)["explore_spearman.svg"].decode()
    assert "a and c: 1.00" in drawn
    assert "a and b" not in drawn
    assert "2 more of fewer than ten people" in drawn
    few = explore(frame[:9], config_of(frame, ["spare"]), settings_of_key("explore", "all"))
    assert figures_of_pairs.correlation_chart(few) == {}


def test_ids_and_running_numbers_are_no_measurements(tmp_path):
    """What the scan takes for numbers of people stands in no histogram, no box, no pair and no correlation."""
    generator = np.random.default_rng(4)
    n = 80
    table = pd.DataFrame(
        {
            "USUBJID": [f"S{i:04d}" for i in range(n)],
            "DM__SUBJID": generator.permutation(n) + 1001,
            "DM__MRN": generator.choice(900_000, n, replace=False) + 100_000,
            "DM__AGE": generator.integers(20, 60, n),
            "LB__GLUC": generator.normal(5, 1, n).round(1),
        }
    ).astype(str)
    config = config_of(table, [], continuous_qis=["DM__AGE"], sensitive_feature=["LB__GLUC"])
    frame = table[["DM__AGE", "LB__GLUC"]].astype(float)
    dataset = CombinedDataset.of(frame, table["USUBJID"], table)
    step = StepInput("PILOT", tmp_path, settings_of_key("explore", "all"), dataset, assess(frame, config), {})
    step.earlier["identifiers"] = find_identifiers(dataclasses.replace(step, settings=IdentifierSettings()))
    result = run_step(step)
    for name, content in result.files.items():
        assert b"DM__SUBJID" not in content, name
        assert b"DM__MRN" not in content, name
    kinds = result.tables["explore_columns.csv"].set_index("column")["kind"]
    assert kinds.to_dict() == {
        "DM__AGE": "number",
        "LB__GLUC": "number",
        "DM__SUBJID": "identifier",
        "DM__MRN": "identifier",
    }
    correlated = result.tables["explore_spearman.csv"]
    assert set(correlated.column) | set(correlated.other) == {"DM__AGE", "LB__GLUC"}
    assert "as good as a name: DM__SUBJID, DM__MRN" in result.report
