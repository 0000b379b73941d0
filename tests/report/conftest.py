"""The pilots of few, each through both doors once for all tests of the report."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.run.doors import DONE, run_door
from Main_Anonymization import add_options, assess_pilot
from tests.report.figures_for_others import figures_for_others
from tests.report.pilots_of_few import KEY_NAME, PILOTS
from tests.run.fixtures import kept_screen


@dataclass(frozen=True)
class RunOfFew:
    """The results of a run, the figures of its evidence, and what door 2 showed."""

    results: Path
    figures: dict[str, Any]
    shown: str


@pytest.fixture(scope="session")
def run_of_few(tmp_path_factory):
    """A function from the name of a pilot of few to its run, which is made once."""

    @functools.cache
    def run(name: str) -> RunOfFew:
        folder = tmp_path_factory.mktemp(name) / "pilots" / "FEW"
        configs = folder.parent.parent / "configs"
        folder.mkdir(parents=True)
        configs.mkdir()
        literal = PILOTS[name](folder)
        (configs / "FEW.py").write_text(f"config = {literal!r}\n", encoding="utf-8")
        with kept_screen() as screen, pytest.MonkeyPatch.context() as patched, figures_for_others() as figures:
            patched.setenv("BIOSTREAMS_DATA_DIR", str(folder.parent))
            patched.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))
            patched.setenv(KEY_NAME, "a key of this test alone, 0123456789 abcdefghij")
            assert run_door("", combine_pilot, ["FEW"], add_merge_options) == DONE, screen.readouterr().err
            screen.readouterr()
            status = run_door("", assess_pilot, ["FEW", "--verbose", "--shareable"], add_options)
        shown = screen.readouterr()
        assert status == DONE, shown.err
        return RunOfFew(folder / "processed_for_anonym", figures, f"{shown.out}\n{shown.err}")

    return run
