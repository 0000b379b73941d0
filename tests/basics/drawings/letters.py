"""What is asked about the letters of drawings, in a browser, and of those of figures, by their artists."""

import itertools
from unittest import mock


def cut_off_or_covered(figure):
    """Texts of a figure of matplotlib that are cut off by its edge, or lie on one another."""
    from matplotlib.text import Text

    drawn, draw = [], Text.draw
    figure.draw_without_rendering()  # places everything
    with mock.patch.object(Text, "draw", lambda self, *args, **more: (drawn.append(self), draw(self, *args, **more))):
        figure.draw_without_rendering()
    boxes = [
        (text.get_text(), Text.get_window_extent(text))
        for text in drawn
        if text.get_visible() and text.get_text().strip()
    ]
    # The extent of an annotation would have its arrow as well.
    whole = figure.bbox.padded(2)
    cut = [
        f"cut: {words}"
        for words, box in boxes
        if not (whole.x0 < box.x0 and box.x1 < whole.x1 and whole.y0 < box.y0 and box.y1 < whole.y1)
    ]
    over = [
        f"{words} on {other}"
        for (words, a), (other, b) in itertools.combinations(boxes, 2)
        if a is not b and a.padded(-1).overlaps(b.padded(-1))
    ]
    return [*cut, *over]


# Texts of drawings that are cut off by their edge, or lie on one another.
CUT_OFF_OR_COVERED = """[...document.querySelectorAll("svg")].flatMap((svg) => {
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    const cut = boxes.filter(([, box]) => box.left < edge.left - 1 || box.right > edge.right + 1 ||
        box.top < edge.top - 2 || box.bottom > edge.bottom + 2).map(([text]) => "cut: " + text);
    const over = boxes.flatMap(([text, a], i) => boxes.slice(i + 1).filter(([, b]) =>
        a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3
    ).map(([other]) => text + " on " + other));
    return [...cut, ...over];
})"""
# How large the letters of drawings are on the screen, in pixels.
SIZES_OF_LETTERS = """[...document.querySelectorAll("svg text")].map((one) =>
    parseFloat(getComputedStyle(one).fontSize) * one.ownerSVGElement.getScreenCTM().a)"""
