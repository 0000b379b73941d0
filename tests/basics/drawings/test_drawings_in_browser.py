"""Drawings of the page in Chromium, as wide as a telephone and as a screen."""

import shutil

import pytest

from disclosure_control.basics.drawings.style import page_style
from tests.basics.drawings.letters import CUT_OFF_OR_COVERED, SIZES_OF_LETTERS
from tests.basics.drawings.test_drawings import one_of_each

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
    pytest.mark.thorough("a browser starts, 5 s; the quick run reads the drawings without one"),
]


@pytest.mark.parametrize("width", [360, 1280])
def test_letters_can_be_read_and_nothing_scrolls_sideways(width):
    shown = "".join(f"<div style='max-width: 40rem'>{drawing.__html__()}</div>" for drawing in one_of_each())
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.set_content(f"<style>{page_style()} body {{ margin: 0 }}</style>{shown}")
        smallest = min(page.evaluate(SIZES_OF_LETTERS))
        is_wider = page.evaluate("document.documentElement.scrollWidth") > width
        faults = page.evaluate(CUT_OFF_OR_COVERED)
        browser.close()
    assert (faults, is_wider) == ([], False)
    assert smallest >= 11
