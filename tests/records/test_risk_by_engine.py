"""The sections of ``risk`` by every engine: the same figures and files, or it is said that they need records."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pandas as pd
import pytest

from disclosure_control.assess.assessment import evaluate
from disclosure_control.records.limits import Limits
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps.risk.sections import SECTIONS
from disclosure_control.steps.running import StepResult, run_steps
from tests.records.written_pilots import opened_with, refused, text_of

TINY = Limits(block_bytes=300, cells_per_part=3, flagged_per_part=3)
SEXES, AGES, VALUES = ["a", "b", "é", ""], ["1", "3", "", "7", "95"], ["0.1", "2.5", "7", "", "7.0", "-3"]
SITES = ["0.1", "36", "36.0", "72", "10555", "3.3", "0.7"]
PEOPLE = [[f"{i:02}", SEXES[i % 4], AGES[i % 5], VALUES[i % 6], SEXES[i % 3], SITES[i % 7]] for i in range(40)]
# What sections cannot do without.
NEEDED = {
    "sampling": {"weights": "SITE"},
    "population_uniqueness": {"sampling_fraction": 0.1},
}


def config(**risk) -> dict:
    return {
        "categorical_qis": ["SEX"], "continuous_qis": ["AGE"], "binning_config": {"AGE": [0, 2, 10]},
        "sensitive_feature": ["V", "W"], "sensitive_binning_config_for_L": {"V": [0, 2, 8]}, "K": 3, "L": 2, "T": 0.5,
        "risk": risk,
    }  # fmt: skip


def found_by(engine: str, tmp_path, settings: dict) -> StepResult:
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    with opened_with(engine, path, settings, TINY) as opened:
        assessment = evaluate(opened.people, opened.config)
        assert refused(opened.config) == []
        result = run_steps("P", tmp_path, opened.dataset, assessment)["risk"]
        return dataclasses.replace(result, tables={name: written(table) for name, table in result.tables.items()})


def written(table: pd.DataFrame | Iterator[pd.DataFrame]) -> bytes:
    """A table as it is written, of which some come in pieces."""
    pieces = [table] if isinstance(table, pd.DataFrame) else table
    return b"".join(csv_bytes(piece, has_header=number == 0) for number, piece in enumerate(pieces))


def assert_same(found: StepResult, expected: StepResult) -> None:
    assert found.figures == expected.figures
    for told in ("report", "on_screen", "first_lines"):
        assert getattr(found, told) == getattr(expected, told)
    assert found.tables == expected.tables


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
@pytest.mark.parametrize(
    "policy",
    [*(pytest.param(name, marks=pytest.mark.thorough("0.3 s")) for name in ("exclude", "wildcard")), "category"],
)
def test_all_sections_find_the_same(tmp_path, policy):
    needed = {key: value for name in SECTIONS for key, value in NEEDED.get(name, {}).items()}
    settings = config(sections=[*SECTIONS], groups=["SEX", "SITE", "W"], **needed) | {"missing_qis": policy}
    assert_same(found_by("disk", tmp_path, settings), found_by("memory", tmp_path, settings))


@pytest.mark.thorough("all together are above")
@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_finds_the_same(tmp_path, name):
    settings = config(sections=[name], **NEEDED.get(name, {}))
    assert_same(found_by("disk", tmp_path, settings), found_by("memory", tmp_path, settings))


def test_households_are_refused_before_the_run(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    with opened_with("memory", path, config(weights="SITE", household="W"), TINY) as opened:
        (fault,) = refused(opened.config)
    assert "risk['household']" in fault
    assert "--engine memory" in fault


@pytest.mark.thorough("0.3 s")
def test_without_records_there_is_no_list_of_them(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    for records in (True, False):
        with opened_with("memory", path, config(sections=["reidentification"], records=records), TINY) as opened:
            assessment = evaluate(opened.people, opened.config)
            tables = run_steps("P", tmp_path, opened.dataset, assessment)["risk"].tables
        assert ("record_risk.csv" in tables) == records
