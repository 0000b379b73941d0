"""Drawings: what stands where, that letters have room, and that files need nothing beside them."""

import io
import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.files import FIGURES, Panel, figure_files, formats_of, sheet
from disclosure_control.basics.drawings.pieces import LETTER, cut_in_the_middle, number_axis, wrapped
from disclosure_control.basics.drawings.style import COLOURS, RULES, file_style
from tests.examples import examples

AWKWARD = 'a name <&> with $signs$ and "quotes" that goes on and on until nobody reads it any more'


def one_of_each():
    """Every kind of drawing, with names that are hard to draw."""
    edges, people = np.arange(6.0), np.array([1, 0, 3, 20, 12345])
    cells = np.arange(25).reshape(5, 5)
    return [
        rows.row_chart("bars", "", [rows.Bar(AWKWARD, 3, "3", True), rows.Bar("b", 5, "5")], 1),
        rows.interval_chart("shares", "", [rows.RateWithInterval("NORMAL", 0.2, 0.1, 0.4, "20% of 10")], 0.3),
        rows.signed_chart("signed", "", [rows.Bar(f"{AWKWARD}\n{AWKWARD}", -0.4, "−0.40"), rows.Bar("x", 1.0, "1")]),
        rows.box_chart(
            "boxes", "", [rows.Box(AWKWARD, 1, 2, 3, 4, 5, "n = 3", (9.0, -3.0)), rows.Box("b", *[7.0] * 5)]
        ),
        rows.stack_chart("stack", "", [rows.Stack(AWKWARD, (3, 0, 1), "4"), rows.Stack("b", (0, 2, 9), "11")], "xyz"),
        planes.scatter_chart("points", "", [planes.Point(0.1, 0.2, AWKWARD, "1", True)], "x", "y"),
        planes.lettered_lines("lines", "", [planes.Line(AWKWARD, ((0, 0.3), (1, 0.1)))], ["a", AWKWARD], "x", "y"),
        planes.histogram("histogram", "", edges, people),
        planes.cell_chart("cells", "", (edges, edges), cells, (AWKWARD, AWKWARD)),
        planes.exposure_chart("exposure", "", np.array([1.0, 0.5, 0.1]), np.array([1, 2, 10]), 5),
    ]


# ---------------------------------------------------------------- files


def test_a_file_is_xml_that_needs_nothing_beside_it():
    drawn = sheet(AWKWARD, [Panel(one, AWKWARD) for one in one_of_each()])
    root = ElementTree.fromstring(drawn)
    described = [group.get("aria-label") for group in root if group.tag.endswith("}g")]
    assert described == [one.words for one in one_of_each()]
    assert not re.search(r"var\(|url\(|href|<script|<image", drawn)
    kinds = {kind for element in root.iter() for kind in element.get("class", "").split()}
    assert {f".{kind}" for kind in kinds} <= set(RULES)


def test_a_file_is_light_or_dark_as_the_reader_has_it():
    light, dark = file_style().split("@media (prefers-color-scheme: dark)")
    for name in {value for rule in RULES.values() for value in rule.values()} & set(COLOURS):
        assert COLOURS[name][0] in light
        assert COLOURS[name][1] in dark


def test_the_setting_of_forms():
    is_valid = FIGURES.is_valid
    assert [value for value in (True, ["svg"], ["pdf", "png"], [], ["gif"], "svg", 1) if is_valid(value)] == [
        *(True, ["svg"], ["pdf", "png"])
    ]
    assert (formats_of(True), formats_of(False), formats_of(["png", "png"])) == (("svg",), (), ("png",))


@pytest.mark.thorough("2 s of Matplotlib")
def test_every_shape_is_printed_and_equal_drawings_give_equal_bytes():
    pytest.importorskip("matplotlib", reason="Matplotlib is missing: pip install -r requirements/figures.txt")
    panels = [Panel(one) for one in one_of_each()]
    files = figure_files("all", "All", panels, ("svg", "png", "pdf"))
    assert files["all.svg"].startswith(b"<svg")
    assert files["all.png"].startswith(b"\x89PNG")
    assert files["all.pdf"].startswith(b"%PDF")
    assert figure_files("all", "All", panels, ("pdf",))["all.pdf"] == files["all.pdf"]


@pytest.mark.thorough("0.7 s for Matplotlib; the quick run looks at the drawing itself")
def test_what_is_printed_has_the_colours_of_the_drawing():
    image = pytest.importorskip("matplotlib.image")
    chart = rows.row_chart("bars", "", [rows.Bar("a", 3, "3", True), rows.Bar("b", 5, "5")], 1)
    png = figure_files("x", "x", [Panel(chart)], ("png",))["x.png"]
    pixels = (image.imread(io.BytesIO(png))[..., :3] * 255).round().astype(int).reshape(-1, 3)
    found = {f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in np.unique(pixels, axis=0)}
    assert {COLOURS[name][0] for name in ("paper", "blue", "orange", "red")} <= found


# ---------------------------------------------------------------- axes and letters


@examples(150)
@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.booleans())
def test_labels_of_an_axis_are_true_differ_and_have_room(one, other, is_across):
    low, high = sorted([one, other])
    if low == high:
        return
    axis = number_axis(low, high, 14, 386, is_across)
    assert len(set(axis.labels)) == len(axis.labels) == len(axis.ticks) > 1
    places = [float(axis.place(tick)) for tick in axis.ticks]
    assert all(13 <= place <= 387 for place in places)
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        assert abs(float(label) / 2 - tick / 2) <= 0.005 * (high / 2 - low / 2)
    if is_across and max(map(len, axis.labels)) < 12:
        assert all((b - a) > 8 * max(map(len, axis.labels)) - 1 for a, b in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("low", "high"), [(1e9, 1e9 + 5), (-1e12 - 40, -1e12), (0, 19e299), (1e-9, 2e-9), (0.1, np.nextafter(0.1, 1))]
)
def test_awkward_numbers_have_labels_that_differ(low, high):
    labels = number_axis(low, high, 14, 386).labels
    assert len(set(labels)) == len(labels) > 1


def test_ages_and_years_are_written_as_people_do():
    assert number_axis(17.5, 90.5, 14, 386).labels == ("20", "40", "60", "80")
    assert number_axis(1949, 2004, 14, 386).labels == ("1960", "1980", "2000")


def test_long_names_keep_their_ends():
    assert cut_in_the_middle("abcdefghijklmnopqrstuvwxyz", 15) == "abcdefg … vwxyz"
    assert wrapped("one\ntwo", 10) == ["one", "two"]


# ---------------------------------------------------------------- marks


def names_of(drawing):
    return [words for part in drawing.parts for words in re.findall(r'text-anchor="middle">([\d, ]+)<', part)]


def test_marks_at_one_place_share_a_name():
    """Two names above each other at one place would not say whose ring it is."""
    points = [
        planes.Point(0.5, 0.5, "", "3"),
        planes.Point(0.502, 0.5, "", "5", True),
        planes.Point(0.5, 0.56, "", "4"),
    ]
    drawing = planes.scatter_chart("points", "", points, "x", "y")
    assert [name for name in names_of(drawing) if name in ("3, 5", "4", "3", "5")] == ["3, 5", "4"]


def boxes_of_marks(drawing):
    """Where diamonds and their names are, (left, top, right, bottom), by the drawing's own numbers."""
    boxes = []
    for part in drawing.parts:
        if found := re.match(r'<path class="diamond" d="M([\d.]+) ([\d.]+)', part):
            x, top = map(float, found.groups())
            boxes.append((x - 9, top, x + 9, top + 18))
        elif found := re.match(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle">(m[\d, m]+)<', part):
            x, base, half = float(found[1]), float(found[2]), 4 * len(found[3])
            boxes.append((x - half, base - 13, x + half, base + 2))
    return boxes


@examples(100)
@given(st.lists(st.tuples(st.floats(0, 0.4), st.floats(0, 0.4)), min_size=1, max_size=6))
def test_a_name_covers_no_mark_and_no_other_name(places):
    points = [planes.Point(x, y, "", f"m{i}") for i, (x, y) in enumerate(places)]
    drawing = planes.scatter_chart("points", "", [*points, planes.Point(1.0, 1.0, "")], "x", "y")
    names = [box for box in boxes_of_marks(drawing) if box[3] - box[1] == 15]
    for name, other in itertools.product(names, boxes_of_marks(drawing)):
        if name != other:
            assert (
                name[0] >= other[2] - 0.2
                or other[0] >= name[2] - 0.2
                or name[1] >= other[3] - 0.2
                or (other[1] >= name[3] - 0.2)
            )


@examples(100)
@given(st.integers(1, 2_000_000))
def test_shades_count_everybody_once_and_from_one(most):
    limits = planes.shade_limits(most)
    assert limits[0] == 1
    assert len(limits) <= 5
    assert all(before < after for before, after in itertools.pairwise(limits))
    assert limits[-1] <= most


def numbers_of(part, *names):
    return [float(re.search(rf' {name}="([-0-9.]+)"', part)[1]) for name in names]


def test_a_line_of_a_threshold_crosses_no_name_above_its_row():
    """Names of regions stand above their rows, where the line of everybody's share ran through them."""
    named = [rows.RateWithInterval(f"Region {i:02d}", 0.01 * i, 0.0, 0.2, f"{i}.0% of 200") for i in range(5)]
    parts = rows.interval_chart("t", "d", named, 0.02).parts
    baselines = [numbers_of(part, "y")[0] for part in parts if "Region" in part]
    lines = [numbers_of(part, "y1", "y2") for part in parts if 'class="threshold"' in part]
    assert len(baselines) == len(lines) == 5
    assert not [1 for top, bottom in lines for y in baselines if top < y and bottom > y - 11]


def test_somebody_is_seen_beside_a_million_and_nobody_is_not():
    bars = [rows.Bar("k = 1", 87, "87"), rows.Bar("k = 2", 0, "0"), rows.Bar("k > 2", 999_913, "999,913")]
    parts = rows.row_chart("t", "d", bars).parts
    few, nobody, most = (numbers_of(part, "width")[0] for part in parts if part.startswith("<rect"))
    assert few >= 2
    assert nobody == 0
    assert most > 100


def test_a_mark_in_the_corner_keeps_off_the_title_of_the_axis():
    title = "people expected to be found"
    parts = planes.scatter_chart("t", "d", [planes.Point(0.0, 1.0, "", "1")], "x", title).parts
    (name,) = [numbers_of(part, "x", "y") for part in parts if ">1</text>" in part and "middle" in part]
    (written,) = [numbers_of(part, "x", "y") for part in parts if title in part]
    is_right_of_it = name[0] > written[0] + LETTER * len(title)
    assert is_right_of_it or abs(name[1] - written[1]) > 12
