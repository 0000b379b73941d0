"""What the figures of ``explore`` show: counts, markers, labels and names, as Matplotlib was told to draw them."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.steps.explore import figures_of_pairs
from disclosure_control.steps.explore.columns import explore_columns
from disclosure_control.steps.explore.exploration import explore
from disclosure_control.steps.explore.figures_of_columns import bars, box, drawn_outliers, histogram
from disclosure_control.steps.explore.figures_of_risk import class_sizes
from tests.config_keys import settings_of_key

LITERAL = {"K": 5, "L": 2, "T": 1, "binning_config": {}, "continuous_qis": [], "sensitive_feature": []}


def config_of(frame, categorical, **more):
    return validate_config(LITERAL | {"categorical_qis": list(categorical)} | more, frame.columns, {})


def column_of(values):
    frame = pd.DataFrame({"x": values, "spare": "x"})
    return explore_columns(frame, config_of(frame, ["spare"]), ["x"], {})[0]


def drawn(draw, *given):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure, *given)
    figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize(
    ("policy", "bars", "title"),
    [
        ("category", [2, 2], "4 of 4 people evaluated, 0 not (missing_qis: category), in 3 equivalence classes"),
        ("exclude", [0, 2], "2 of 4 people evaluated, 2 not (missing_qis: exclude), in 1 equivalence class"),
        ("wildcard", [0, 0], "4 of 4 people evaluated, 0 not (missing_qis: wildcard), in 3 equivalence classes"),
    ],
)
def test_sizes_of_classes_follow_the_policy_for_missing_values(policy, bars, title):
    """Two people (F, x), one (F, missing), one (missing, x): by wildcard each may be any of the four."""
    frame = pd.DataFrame({"sex": ["F", "F", "F", None], "place": ["x", "x", None, "x"]})
    config = config_of(frame, ["sex", "place"], missing_qis=policy)
    panel = drawn(class_sizes, assess(frame, config)).axes[0]
    heights = [bar.get_height() for bar in panel.patches]
    assert heights[:2] == bars
    assert panel.get_title() == title
    assert sum(heights) == (2 if policy == "exclude" else 4)


def boxed(values):
    column = column_of(np.asarray(values, dtype=float))
    return drawn(lambda figure: box(figure.subplots(), column)).axes[0]


def test_a_single_outlier_is_a_marker_and_one_person():
    panel = boxed([*range(10), 500])
    assert [line.get_xdata().tolist() for line in panel.lines if line.get_marker() == "d"] == [[], [500.0]]
    assert panel.get_xlabel() == "diamonds: 1 person outside of the fences"


def test_of_very_many_outliers_some_are_drawn_the_ends_among_them():
    drawn_ones = drawn_outliers(np.arange(10_000.0))
    assert (len(drawn_ones), drawn_ones[0], drawn_ones[-1]) == (60, 0, 9999)


@pytest.mark.parametrize(
    "values", [1e9 + np.arange(50) / 10, -1e12 - np.arange(40), np.arange(20) * 1e299, [1e-9, 2e-9]]
)
def test_no_two_labels_of_an_axis_are_alike(values):
    column = column_of(np.asarray(values, dtype=float))
    panel = drawn(lambda figure: histogram(figure.subplots(), column)).axes[0]
    labels = [label.get_text() for label in panel.get_xticklabels()]
    assert len(set(labels)) == len(labels) > 1


@pytest.mark.parametrize("n", [3, 7, 13, 20])
def test_names_of_bars_do_not_cover_each_other(n):
    found = column_of([f"a very long name of a category that goes on and on, the {i}th" for i in range(n)] * 2)

    def draw(figure):
        figure.set_size_inches(4.2, 2.9)
        bars(figure.subplots(), found)

    figure = drawn(draw)
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    boxes.sort(key=lambda one: one.y0)
    assert all(below.y1 <= above.y0 + 1 for below, above in itertools.pairwise(boxes))
    assert figure.axes[0].get_window_extent().width > 80


def test_the_mosaic_says_how_many_people_it_shows_and_takes_a_pair_that_varies():
    """Whoever has the answer "no" has no date: of the first two columns nothing varies among those who have both."""
    frame = pd.DataFrame(
        {
            "answer": ["yes", "yes", "no", "no"] * 5,
            "when": ["am", "pm", None, None] * 5,
            "arm": ["x", "y", "y", "x"] * 5,
        }
    )
    config = config_of(frame, list(frame.columns))
    found = explore(frame, config, settings_of_key("explore", "all"))
    pair = figures_of_pairs._pair_that_varies(found)
    assert [one.name for one in pair] == ["answer", "arm"]
    texts = mosaic_texts(found, ("when", "arm"))
    assert "10 people; 10 people without one of the two values left out" in texts


def mosaic_texts(found, pair):
    chosen = dataclasses.replace(found, settings=dataclasses.replace(found.settings, mosaic=pair))
    texts = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            figures_of_pairs,
            "figure_files",
            lambda name, draw, *size_and_formats: texts.append(drawn(draw).axes[0].get_title()) or {},
        )
        figures_of_pairs.mosaic(chosen)
    return texts
