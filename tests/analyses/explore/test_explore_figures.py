"""What the figures of ``explore`` show: counts, thresholds, markers, names; and what they never show."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.analyses.explore import figures_of_pairs
from disclosure_control.analyses.explore.columns import explore_columns
from disclosure_control.analyses.explore.drawing import class_sizes, draw_exploration, individual_risk
from disclosure_control.analyses.explore.exploration import explore
from disclosure_control.analyses.explore.figures_of_columns import (
    bars,
    box,
    box_of,
    drawn_outliers,
    histogram,
)
from disclosure_control.analyses.explore.step import naming_columns, run_step
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.drawings.figures import styled
from disclosure_control.steps.identifiers.settings import IdentifierSettings
from disclosure_control.steps.identifiers.step import run_step as find_identifiers
from disclosure_control.steps.running import StepInput
from tests.analyses.explore.test_explore import awkward, step_of
from tests.basics.drawings.letters import cut_off_or_covered
from tests.config_keys import settings_of_key

Figure = pytest.importorskip("matplotlib.figure", reason="pip install -r requirements/figures.txt").Figure
Text = pytest.importorskip("matplotlib.text").Text

LITERAL = {"K": 5, "L": 2, "T": 1, "binning_config": {}, "continuous_qis": [], "sensitive_feature": []}


def config_of(frame, categorical, **more):
    return validate_config(LITERAL | {"categorical_qis": list(categorical)} | more, frame.columns, {})


def column_of(values):
    frame = pd.DataFrame({"x": values, "spare": "x"})
    return explore_columns(frame, config_of(frame, ["spare"]), ["x"], {})[0]


def drawn(draw, column):
    axes = Figure().subplots()
    draw(axes, column)
    return axes


def people_of(figure):
    return [int(bar.get_height()) for bar in figure.axes[0].patches]


def names_of_ticks(axes, which="x"):
    return [label.get_text() for label in getattr(axes, f"get_{which}ticklabels")()]


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
    figure = class_sizes(assess(frame, config_of(frame, ["sex", "place"], missing_qis=policy)))
    assert people_of(figure)[:2] == alone_and_pairs
    assert sum(people_of(figure)) == (2 if policy == "exclude" else 4)
    assert figure.get_supxlabel().replace("\n", " ") == f"{note}."


@pytest.mark.parametrize("k", [1, 4, 200])
def test_the_threshold_parts_what_is_below_k_from_what_is_not(k):
    """Classes of 1 to 12 people: hatched, and left of the line, are those with k < K; of K itself neither."""
    frame = pd.DataFrame({"place": [str(size) for size in range(1, 13) for _ in range(size)]})
    (axes,) = class_sizes(assess(frame, config_of(frame, ["place"], K=k))).axes
    names = names_of_ticks(axes)
    begins = [int(name.rstrip("+").split("–")[0]) for name in names]
    assert [bool(bar.get_hatch()) for bar in axes.patches] == [begin < k for begin in begins]
    assert k in begins  # a bar begins there, so that none is on both sides
    assert [line.get_xdata()[0] for line in axes.lines] == ([begins.index(k) - 0.5] if k > 1 else [])
    expected = [
        sum(n for n in range(1, 13) if low <= n < high) for low, high in zip(begins, [*begins[1:], 999], strict=True)
    ]
    assert [int(bar.get_height()) for bar in axes.patches] == expected
    assert [text.get_text() for text in axes.texts][-len(names) :] == list(map(str, expected))


@pytest.mark.parametrize(
    ("k", "labels"),
    [
        (99, "1 2 3–4 5–9 10–19 20–49 50–98 99 100+"),
        (200, "1 2 3–4 5–9 10–19 20–49 50–99 100–199 200+"),
    ],
)
def test_a_bar_of_one_size_is_named_by_it_and_one_of_several_by_the_first_and_the_last(k, labels):
    frame = pd.DataFrame({"place": ["x"] * 5 + ["y"] * max(k, 100)})
    figure = class_sizes(assess(frame, config_of(frame, ["place"], K=k)))
    assert names_of_ticks(figure.axes[0]) == labels.split()
    assert people_of(figure) == [
        5 if label.startswith("5–") else max(k, 100) if label.endswith("+") else 0 for label in labels.split()
    ]


def test_the_line_of_the_risk_is_at_one_in_k_and_the_note_says_who_is_above():
    frame = pd.DataFrame({"place": [str(size) for size in range(1, 7) for _ in range(size)]})
    figure = individual_risk(assess(frame, config_of(frame, ["place"], K=4)))
    assert "6 of 21 people have a chance above 1/4, that is k\xa0<\xa04" in figure.get_supxlabel().replace("\n", " ")
    (axes,) = figure.axes
    assert list(axes.lines[0].get_ydata()) == [0.25, 0.25]
    values, edges, _ = axes.patches[0].get_data()
    assert values == pytest.approx(1 / np.arange(1, 7))
    assert 21 * edges == pytest.approx([0, 1, 3, 6, 10, 15, 21])


def test_nobody_evaluated_is_an_empty_figure():
    frame = pd.DataFrame({"place": [None, None], "sex": ["F", "M"]})
    assessment = assess(frame, config_of(frame, ["place"], missing_qis="exclude"))
    assert sum(people_of(class_sizes(assessment))) == 0
    assert not individual_risk(assessment).axes[0].patches


# ---------------------------------------------------------------- single columns


def test_whiskers_end_at_the_last_people_inside_the_fences():
    """Quartiles 12.5 and 17.5, by position 2.5 and 7.5 of ten gaps: the fences are 5 and 25."""
    values = np.array([-90.0, 4.5, 12, 13, 14, 15, 16, 17, 18, 24, 25.5])
    found = box_of(values, np.ones(11, dtype=int), "label")
    assert [found[name] for name in ("label", "whislo", "q1", "med", "q3", "whishi")] == [
        "label",
        12,
        12.5,
        15,
        17.5,
        24,
    ]
    assert list(found["fliers"]) == [-90, 4.5, 25.5]


def test_of_very_many_outliers_some_are_drawn_the_ends_among_them():
    drawn_ones = drawn_outliers(np.arange(10_000.0))
    assert (len(drawn_ones), drawn_ones[0], drawn_ones[-1]) == (60, 0, 9999)


def intervals_of(axes):
    return [
        (bar.get_x(), bar.get_x() + bar.get_width(), int(bar.get_height())) for bar in axes.patches if bar.get_height()
    ]


def test_whole_numbers_are_in_whole_bins():
    assert intervals_of(drawn(histogram, column_of([3.0] * 4 + [4.0] * 2 + [6.0]))) == [
        (2.5, 3.5, 4),
        (3.5, 4.5, 2),
        (5.5, 6.5, 1),
    ]
    wide = drawn(histogram, column_of([18.0, 24.0, 25.0, 30.0, 60.0] * 4))
    assert intervals_of(wide)[:3] == [(14.5, 19.5, 4), (19.5, 24.5, 4), (24.5, 29.5, 4)]


def test_nobody_without_a_value_is_left_out_silently():
    values = pd.Series([1.0, 2.5, 3, 4, 5, 6, 7, None, None])
    assert drawn(histogram, column_of(values)).get_xlabel() == "2 people without a value"
    assert "2 people without a value" in drawn(box, column_of(values)).get_xlabel()
    axes = drawn(bars, column_of(values))
    assert names_of_ticks(axes, "y")[-1] == "(no value)"
    assert [bar.get_width() for bar in axes.patches] == [1] * 7 + [2]
    assert [text.get_text() for text in axes.texts][-1] == "2"


@pytest.mark.parametrize(("continuous", "kind"), [([], "category"), (["treat"], "number")])
def test_two_numbers_are_categories_and_have_no_outliers(continuous, kind):
    """532 of 2,139 people had arm 0, and were reported as outliers of the arm."""
    frame = pd.DataFrame({"treat": [0.0] * 9 + [1.0] * 31, "age": np.arange(40.0), "spare": "x"})
    config = config_of(frame, ["spare"], continuous_qis=continuous)
    found = explore(frame, config, settings_of_key("explore", "all"))
    treat = found.column("treat")
    assert treat.kind == kind
    assert (treat.statistics is None) == (kind == "category")
    assert (treat in found.numbers) == (kind == "number")
    assert [(one.one, one.other) for one in found.correlations] in ([("age", "treat")], [("treat", "age")])
    assert [round(one.rho, 3) for one in found.correlations] == [0.723]


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
    note = figures_of_pairs.mosaic_figure(found.column("when"), found.column("arm")).get_supxlabel()
    assert note == "10 people; 10 people without one of the two values left out. Areas are people."


def test_areas_of_the_mosaic_are_people():
    frame = pd.DataFrame({"sex": ["F"] * 6 + ["M"] * 2, "arm": list("xxxyyyxy")})
    found = explore(frame, config_of(frame, ["sex", "arm"]), settings_of_key("explore", "all"))
    figure = figures_of_pairs.mosaic_figure(found.column("sex"), found.column("arm"))
    (axes,) = figure.axes
    areas = [bar.get_width() * bar.get_height() for bar in axes.patches]
    assert [round(8 * area, 9) for area in areas] == [3, 1, 3, 1]  # x of F and of M, then y
    assert [bar.get_xy() for bar in axes.patches] == [(0, 0), (0, 0.75), (0.5, 0), (0.5, 0.75)]
    assert [text.get_text() for text in axes.texts] == ["3", "1", "3", "1"]
    assert names_of_ticks(axes, "y") == ["F\nn = 6", "M\nn = 2"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x: 4", "y: 4"]


def test_pairs_are_one_matrix_with_histograms_on_its_diagonal():
    generator = np.random.default_rng(5)
    frame = pd.DataFrame({"a": generator.normal(0, 1, 90), "b": generator.integers(0, 9, 90) * 1.0, "spare": "x"})
    frame.loc[:9, "b"] = np.nan
    found = explore(frame, config_of(frame, ["spare"]), settings_of_key("explore", "all"))
    ((name, figure),) = figures_of_pairs.pair_plot(found, found.numbers)
    assert name == "explore_pairs"
    matrix = np.array(figure.axes[:4]).reshape(2, 2)
    people, edges, _ = matrix[1, 1].patches[0].get_data()
    assert (people == np.histogram(frame.b.dropna(), edges)[0]).all()
    cells = matrix[1, 0].collections[0]
    expected = np.histogram2d(frame.b[10:], frame.a[10:], [edges, matrix[0, 0].patches[0].get_data()[1]])[0]
    assert (cells.get_array().filled(0) == expected).all()
    assert (matrix[0, 1].collections[0].get_array().filled(0) == expected.T).all()
    assert [axes.get_xlabel() for axes in matrix[1]] == [axes.get_ylabel() for axes in matrix[:, 0]] == ["a", "b"]


def test_no_correlation_of_fewer_than_ten_people_is_drawn():
    """Nine people have a and b, ten a and c: of the first nothing is said, and that it is not."""
    a = np.arange(20.0)
    frame = pd.DataFrame({"a": a, "b": np.where(a < 9, a, np.nan), "c": np.where(a < 10, a**2, np.nan), "spare": "x"})
    found = explore(frame, config_of(frame, ["spare"]), settings_of_key("explore", "all"))
    ((_, figure),) = figures_of_pairs.correlation_heatmap(found)
    rho = figure.axes[0].collections[0].get_array()
    assert rho.mask.tolist() == [[True, True], [False, True]]  # b and c, then a, then a and b
    assert rho[1, 0] == pytest.approx(1)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1.00"]
    assert (names_of_ticks(figure.axes[0], "y"), names_of_ticks(figure.axes[0])) == (["b", "c"], ["a", "b"])
    assert "1 of 3 pairs. 2 of fewer than ten people" in figure.get_supxlabel().replace("\n", " ")
    few = explore(frame[:9], config_of(frame, ["spare"]), settings_of_key("explore", "all"))
    assert list(figures_of_pairs.correlation_heatmap(few)) == []


@pytest.mark.thorough("4 s: 253 numbers are laid out; a heatmap of three columns is in the quick run")
def test_every_correlation_of_a_wide_study_is_in_the_heatmap():
    """Of 252 pairs 24 were drawn."""
    generator = np.random.default_rng(6)
    frame = pd.DataFrame(generator.normal(0, 1, (30, 23)), columns=[f"AIDS_ORIGINAL_DATA__c{i}" for i in range(23)])
    found = explore(
        frame.assign(spare="x"), config_of(frame.assign(spare="x"), ["spare"]), settings_of_key("explore", "all")
    )
    with styled():
        ((_, figure),) = figures_of_pairs.correlation_heatmap(found)
        assert cut_off_or_covered(figure) == []
    drawn_ones = figure.axes[0].collections[0].get_array().compressed()
    expected = frame.corr("spearman").to_numpy()[np.tril_indices(23, -1)]
    assert np.sort(drawn_ones) == pytest.approx(np.sort(expected))
    assert len(figure.axes[0].texts) == 23 * 22 / 2


@pytest.mark.thorough("10 s: every figure of a pilot with hard names and numbers is laid out")
def test_no_letters_lie_on_others(tmp_path):
    frame = awkward()
    step = step_of(
        frame, tmp_path, {"group": "long"}, categorical=["sex", "long"], continuous=["age"], sensitive=["huge"]
    )
    found = explore(step.dataset.everybody.typed_table, step.assessment.config, step.settings)
    with styled():
        faults = {name: cut_off_or_covered(figure) for name, figure in draw_exploration(found, step.assessment)}
    assert {name: fault for name, fault in faults.items() if fault} == {}
    assert len(faults) == 9


@pytest.mark.thorough("0.5 s")
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
    step = StepInput(
        "PILOT", tmp_path, settings_of_key("explore", {"figures": False}), dataset, assess(frame, config), {}
    )
    step.earlier["identifiers"] = find_identifiers(dataclasses.replace(step, settings=IdentifierSettings()))
    result = run_step(step)
    found = explore(table, config, step.settings, {}, naming_columns(step))
    figures = dict(draw_exploration(found, step.assessment))
    kinds = ("histograms_1", "boxes_1", "pairs", "spearman", "class_sizes", "individual_risk")
    assert list(figures) == [f"explore_{kind}" for kind in kinds]
    for figure in figures.values():
        names = {text.get_text() for text in figure.findobj(Text)}
        assert not names & {"DM__SUBJID", "DM__MRN"}
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
