"""The shipped pilots are what their script makes: what they contain, and why, is said there."""

import runpy
from pathlib import Path

from tests.places import PROJECT

PILOTS, RESULTS = PROJECT / "pilot_report", "processed_for_anonym"


def shipped_files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for pilot in ("PENTELI", "SDTM_DEMO")
        for path in (folder / pilot).rglob("*")
        if path.is_file() and RESULTS not in path.parts
    }


def test_the_script_reproduces_the_shipped_files_byte_for_byte(tmp_path):
    runpy.run_path(str(PROJECT / "benchmarks" / "makers" / "make_synthetic_pilots.py"))["write_pilots"](tmp_path)
    written, shipped = shipped_files(tmp_path), shipped_files(PILOTS)
    assert sorted(written) == sorted(shipped)
    assert [name for name in written if written[name] != shipped[name]] == []
