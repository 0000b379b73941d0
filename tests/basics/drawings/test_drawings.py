"""Drawings of the page: what stands where, that letters have room, and that they need nothing beside them."""

import re
from xml.etree import ElementTree

from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.style import COLOURS, RULES, page_style
from tests.kept import changed_since_kept

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


def test_every_mark_is_where_it_was_when_somebody_looked_at_the_drawing():
    """Whoever moves one looks at all of them in a browser, and keeps them anew."""
    points = [
        planes.Point(0, 0, "a"), planes.Point(0.2, 0.4, "b", "1"), planes.Point(0.21, 0.39, "c", "2"),
        planes.Point(0.05, 0.1, "d", "3"),
    ]  # fmt: skip
    lines = [
        planes.Line(name, ((0, 0.3), (0.4, y), (1, y)))
        for name, y in (("k", 0.1), ("l", 0.12), ("m", 0.4), ("n", 0), ("o", 0.2))
    ]
    shares = [rows.RateWithInterval(name, 0.2, 0.1, 0.4, "20%") for name in ("A", "ab", "東")]
    drawings = [
        *one_of_each(),
        rows.row_chart("beside", "d", [rows.Bar("k", 3, "3"), rows.Bar("kl", 0, "0"), rows.Bar("m", 0.001, "1")], 2),
        rows.row_chart("no line", "d", [rows.Bar("k", 0, "0")], 1),
        rows.row_chart("nothing", "d", [], 0),
        rows.interval_chart("narrow", "d", shares, 0.5),
        rows.interval_chart("above", "d", [rows.RateWithInterval("Region of North", 0.01, 0, 0.03, "1% of 9")], 0.06),
        planes.scatter_chart("marks", "d", points, "x", "y"),
        planes.scatter_chart("no points", "d", [planes.Point(0, 0, "")], "x", "y"),
        planes.line_chart("ends", "d", lines, [f"label {i}" for i in range(9)], "x", "y"),
        planes.line_chart("one place", "d", [planes.Line("name of many letters", ((0, 0.5),))], ["a"]),
    ]
    assert changed_since_kept("drawings", {one.title: one for one in drawings}) == {}


def test_the_page_has_the_colours_in_light_and_in_dark():
    light, dark = page_style().split("@media (prefers-color-scheme: dark)")
    for name in {value for rule in RULES.values() for value in rule.values()} & set(COLOURS):
        assert COLOURS[name][0] in light
        assert COLOURS[name][1] in dark


# ---------------------------------------------------------------- marks
