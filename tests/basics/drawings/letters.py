"""What a browser is asked about the letters of drawings."""

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
