"""The page as people open it: in Chromium, as wide as a telephone and as a screen, in light, dark and print."""

import importlib.util
import json
import re
import shutil

import pytest

from tests.basics.drawings.letters import CUT_OFF_OR_COVERED
from tests.report.test_page import made

# Looked for, not imported: the quick run, which leaves all of this out, imports this file too.
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("playwright") is None, reason="playwright is missing: pip install playwright"
    ),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
    pytest.mark.thorough("a browser starts, 3 s; the quick run reads the page without one"),
]
WIDTHS = (360, 1280)
__all__ = ["made"]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(made, tmp_path_factory):
    file = tmp_path_factory.mktemp("browser") / "page.html"
    file.write_text(made[2], encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def opened(browser, address):
    """Opens the page and all of its sections, with the options of a context, and keeps what the console said and what
    was asked for.
    """
    contexts = []

    def open_page(width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.said, page.asked_for = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked_for.append(request.url))
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_said_on_the_console_nothing_is_fetched_and_nothing_scrolls_sideways(opened, width, scheme, address):
    page = opened(width, color_scheme=scheme)
    assert page.said == []
    assert page.asked_for == [address]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_letters_are_large_enough(opened, width):
    """In drawings, too, as they are shown: eleven pixels and more."""
    sizes = opened(width).evaluate(
        """[...document.querySelectorAll("p, td, th, dd, dt, li, label, figcaption, svg text")].map((one) =>
            parseFloat(getComputedStyle(one).fontSize) *
            (one.ownerSVGElement ? one.ownerSVGElement.getScreenCTM().a : 1))"""
    )
    assert len(sizes) > 100
    assert min(sizes) >= 11


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_of_a_drawing_is_cut_off_or_lies_on_another(opened, width):
    faults = opened(width).evaluate(CUT_OFF_OR_COVERED)
    assert faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_text_stands_out_from_its_ground(opened, scheme):
    """WCAG 2.2 AA, 1.4.3: at least 4.5 to 1."""
    page = opened(color_scheme=scheme)
    ratios = page.evaluate(
        """(() => {
            const light = (colour) => {
                const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
                    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
                return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
            };
            const ground = (one) => {
                for (; one; one = one.parentElement) {
                    const colour = getComputedStyle(one).backgroundColor;
                    if (!/, 0\\)$/.test(colour)) { return colour; }
                }
                return "rgb(255, 255, 255)";
            };
            const kinds = "p, td, th, dd, dt, li, label, h1, h2, h3, a, span, code, output, figcaption";
            return [...document.querySelectorAll(kinds)].map((one) => {
                    const pair = [light(getComputedStyle(one).color), light(ground(one))].sort((a, b) => b - a);
                    return (pair[0] + 0.05) / (pair[1] + 0.05);
                });
        })()"""
    )
    assert min(ratios) >= 4.5


def test_no_short_word_of_a_table_is_broken_on_a_telephone(opened):
    """Columns of words are as wide as these; a table that has no room then moves within its frame."""
    broken = opened(360).evaluate(
        """[...document.querySelectorAll('tbody td:not(.n)')].flatMap(function (cell) {
            const letters = cell.firstChild, found = [];
            if (!letters || letters.nodeType !== Node.TEXT_NODE) { return found; }
            for (const word of letters.data.matchAll(/[A-Za-z]{1,14}/g)) {
                const range = document.createRange();
                range.setStart(letters, word.index);
                range.setEnd(letters, word.index + word[0].length);
                if (range.getClientRects().length > 1) { found.push(word[0]); }
            }
            return found;
        })"""
    )
    assert broken == []


def test_sections_but_the_first_two_are_closed_and_a_link_opens_its_own(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    closed = page.locator("details.place:not([open]) > section")
    assert page.locator("details.place[open]").count() == 2
    last = closed.last.get_attribute("id")
    assert not page.locator(f"#{last}").is_visible()
    page.locator(f'nav a[href="#{last}"]').click()
    assert page.locator(f"#{last}").is_visible()
    page.close()


def test_a_slider_moves_by_keyboard_to_what_the_run_found_there(opened, made):
    page, curve = opened(), made[1][0]
    slider, said = page.locator("#threshold-0"), page.locator("output").first
    assert said.inner_text().startswith(f"{curve.risky[curve.thresholds.index(curve.in_use)]} of")
    slider.focus()
    for steps in (1, 7):
        slider.press("Home")
        for _ in range(steps):
            slider.press("ArrowRight")
        n = curve.risky[steps]
        assert said.inner_text().startswith("masked" if n is None else f"{n} of {curve.evaluated}")
        assert slider.get_attribute("aria-valuetext").endswith(said.inner_text())


def test_levels_give_risk_and_loss_of_whatever_was_counted_out(opened, made):
    page, landscape = opened(), made[0]["recommend"]["landscape"]
    for levels, loss, n in landscape["places"][:: max(1, len(landscape["places"]) // 5)]:
        for column, level in enumerate(levels):
            page.locator(f"#level-{column}").select_option(str(level))
        said = page.locator("#levels .outcome").inner_text()
        if loss is None or n is None:
            assert said.startswith("Loss and people at risk are masked: ")
        else:
            assert said.startswith(f"Loss {json.dumps(loss)}; {n} of 80 people")


def test_a_button_copies_the_line_beside_it(opened):
    page = opened()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    lines = page.locator("pre.copy").first
    page.locator("button.copy").first.click()
    assert page.locator("button.copy").first.inner_text() in ("Copied", "Selected")
    assert page.evaluate("window.getSelection().toString().trim()") == lines.inner_text().strip()


def test_without_scripts_nothing_is_missing_but_the_sliders(opened):
    page = opened(java_script_enabled=False)
    words = page.locator("main").inner_text()
    assert "What if" not in words
    assert page.locator("pre.copy").count()
    assert not page.locator("button.copy").count()


def test_everything_is_printed_and_no_drawing_is_cut(opened):
    page = opened()
    page.emulate_media(media="print")
    assert not page.locator(".what-if").first.is_visible()
    assert all(
        page.evaluate(
            "[...document.querySelectorAll('figure, tr')].map((x) => getComputedStyle(x).breakInside)"
            ".map((x) => x === 'avoid')"
        )
    )
    pdf = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3
