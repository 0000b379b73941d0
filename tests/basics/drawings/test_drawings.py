"""Drawings of the page: what stands where, that letters have room, and that they need nothing beside them."""

import itertools
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.pieces import LETTER
from disclosure_control.basics.drawings.style import COLOURS, RULES, page_style
from tests.examples import examples

AWKWARD = 'a name <&> with $signs$ and "quotes" that goes on and on until nobody reads it any more'


def one_of_each():
    """Every kind of drawing, with names that are hard to draw."""
    points = [planes.Point(0.1, 0.2, AWKWARD, "1"), planes.Point(0.3, 0.1, "")]
    return [
        rows.row_chart("bars", "", [rows.Bar(AWKWARD, 3, "3", True), rows.Bar("b", 5, "5")], 1),
        rows.interval_chart("shares", "", [rows.RateWithInterval("NORMAL", 0.2, 0.1, 0.4, "20% of 10")], 0.3),
        planes.scatter_chart("points", "", points, "x", "y"),
        planes.line_chart("lines", "", [planes.Line("k", ((0, 0.3), (1, 0.1)))], ["a", AWKWARD], "x", "y"),
    ]


def test_a_drawing_is_xml_that_needs_nothing_beside_it():
    for drawing in one_of_each():
        root = ElementTree.fromstring(str(drawing.__html__()))
        assert root.get("aria-label") == drawing.words
        kinds = {kind for element in root.iter() for kind in element.get("class", "").split()}
        assert {f".{kind}" for kind in kinds} <= set(RULES)
        assert not re.search(r"var\(|url\(|href|<script|<image", str(drawing.__html__()))


def test_the_page_has_the_colours_in_light_and_in_dark():
    light, dark = page_style().split("@media (prefers-color-scheme: dark)")
    for name in {value for rule in RULES.values() for value in rule.values()} & set(COLOURS):
        assert COLOURS[name][0] in light
        assert COLOURS[name][1] in dark


# ---------------------------------------------------------------- marks


def names_of(drawing):
    return [words for part in drawing.parts for words in re.findall(r'text-anchor="middle">([\d, ]+)<', part)]


def test_marks_at_one_place_share_a_name():
    """Two names above each other at one place would not say whose ring it is."""
    points = [
        planes.Point(0.5, 0.5, "", "3"),
        planes.Point(0.502, 0.5, "", "5"),
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
