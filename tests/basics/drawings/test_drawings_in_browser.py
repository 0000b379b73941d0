"""Files of drawings as people open them: in Chromium, as wide as a telephone and as a screen, in light and in dark."""

import shutil

import pytest

from disclosure_control.basics.drawings.files import Panel, sheet
from tests.analyses.explore.test_explore import explored_once
from tests.analyses.sweep.test_sweep import figure_rows, front_and_mildest, sweep_figures
from tests.basics.drawings.letters import CUT_OFF_OR_COVERED, SIZES_OF_LETTERS
from tests.basics.drawings.test_drawings import AWKWARD, one_of_each

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
    pytest.mark.thorough("a browser starts, 5 s; the quick run reads the drawings without one"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Drawings of a pilot with hard names and numbers, of sweeps, and one of each kind."""
    folder = tmp_path_factory.mktemp("drawings")
    drawn = explored_once(folder, {})[3].files
    for name, rows in (("many", figure_rows(4, 7)), ("ring", front_and_mildest())):
        drawn |= {f"{name}_{file}": content for file, content in sweep_figures(rows).items()}
    drawn["each.svg"] = sheet(AWKWARD, [Panel(one, AWKWARD) for one in one_of_each()]).encode()
    for name, content in drawn.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in sorted(drawn)]


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_letters_can_be_read_and_nothing_scrolls_sideways(files, width, scheme):
    faults = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
        for file in files:
            page.goto(file.as_uri())
            assert min(page.evaluate(SIZES_OF_LETTERS)) >= 11, file.name
            assert page.evaluate("document.documentElement.scrollWidth") <= width, file.name
            faults += [(file.name, fault) for fault in page.evaluate(CUT_OFF_OR_COVERED)]
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        browser.close()
    assert not faults, "\n".join(map(str, faults))
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 28)"}[scheme]
