"""Takes the picture of the README: the first screen of the demo pilot's report, as a browser shows it.

    python benchmarks/makers/first_picture.py

Runs both doors over a copy of the demo pilot and opens the page in Chromium (``requirements/test.txt`` has playwright).
The picture holds, as a comment, which report it is of: ``tests/test_readme.py`` says when the README shows another one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).resolve().parents[2]
DEMO, SIZE = "PENTELI", {"width": 900, "height": 1060}
DOORS = ("Create_Combined_Pilot_Dataset.py", "Main_Anonymization.py")
SIGNATURE_AND_HEADER = 8 + 12 + 13  # of a PNG file; further chunks may follow them


def report_in(readme: str) -> str:
    """The part of the demo's report that the README shows."""
    return readme.split("```text\n", 1)[1].split("```", 1)[0]


def with_comment(picture: bytes, comment: str) -> bytes:
    chunk = b"tEXtComment\0" + comment.encode("latin-1")
    whole = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return picture[:SIGNATURE_AND_HEADER] + whole + picture[SIGNATURE_AND_HEADER:]


def page_of_demo(folder: Path) -> Path:
    ignored = shutil.ignore_patterns("*processed_for_anonym")
    pilot = shutil.copytree(PROJECT / "pilot_report" / DEMO, folder / DEMO, ignore=ignored)
    places = {"BIOSTREAMS_DATA_DIR": str(folder), "BIOSTREAMS_CONFIG_DIR": str(PROJECT / "config")}
    for door in DOORS:
        command = [sys.executable, str(PROJECT / door), DEMO]
        subprocess.run(command, env=os.environ | places, stdout=subprocess.DEVNULL, check=True)
    return pilot / "processed_for_anonym" / f"{DEMO}_privacy_report.html"


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(page_of_demo(Path(folder)).as_uri())
        picture = page.screenshot()
        browser.close()
    shown = report_in((PROJECT / "README.md").read_text(encoding="utf-8"))
    comment = hashlib.sha256(shown.encode()).hexdigest()
    (PROJECT / "docs" / "first_report.png").write_bytes(with_comment(picture, comment))


if __name__ == "__main__":
    main()
