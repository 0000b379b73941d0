"""The sections of ``risk`` by every engine: the same figures and files, or it is said that they need records."""

from __future__ import annotations

import pytest

from disclosure_control.assess.assessment import evaluate
from disclosure_control.engines.choice import ENGINES
from disclosure_control.engines.disk import Limits
from disclosure_control.engines.people import RecordsNotInMemoryError
from disclosure_control.run.results import csv_bytes
from disclosure_control.steps.risk.sections import SECTIONS
from disclosure_control.steps.running import StepResult, faults_without_records, run_steps
from tests.engines.written_pilots import by_engine, opened_with, text_of

TINY = Limits(block_bytes=300, range_bytes=100, people_per_part=3, flagged_per_part=3)
SEXES, AGES, VALUES = ["a", "b", "é", ""], ["1", "3", "", "7", "50"], ["0.1", "2.5", "7", "", "7.0", "-3"]
PEOPLE = [[f"{i:02}", SEXES[i % 4], AGES[i % 5], VALUES[i % 6], SEXES[i % 3], f"x{i % 7}"] for i in range(40)]
# What sections cannot do without.
NEEDED = {
    "sampling": {"weights": "V"},
    "safe_harbour": {"safe_harbour": {"ages": "AGE"}},
    "population_uniqueness": {"sampling_fraction": 0.1},
}
NO_RECORDS = [name for name in ENGINES if not ENGINES[name].holds_records]


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
        assert bool(faults_without_records(opened.config)) == any(
            SECTIONS[name].needs_records for name in settings["risk"]["sections"]
        )
        return run_steps("P", tmp_path, opened.dataset, assessment)["risk"]


def assert_same(found: StepResult, expected: StepResult) -> None:
    assert found.figures == expected.figures
    assert (found.report, found.screen, found.first_lines) == (expected.report, expected.screen, expected.first_lines)
    tables = [{name: csv_bytes(table) for name, table in one.tables.items()} for one in (found, expected)]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("engine", by_engine(NO_RECORDS))
def test_all_sections_that_need_no_records_find_the_same(tmp_path, engine):
    names = [name for name, section in SECTIONS.items() if not section.needs_records]
    needed = {key: value for name in names for key, value in NEEDED.get(name, {}).items()}
    settings = config(sections=names, records=False, **needed)
    assert_same(found_by(engine, tmp_path, settings), found_by("memory", tmp_path, settings))


@pytest.mark.parametrize("engine", by_engine(NO_RECORDS))
@pytest.mark.parametrize(
    "name",
    [
        name if section.needs_records else pytest.param(name, marks=pytest.mark.thorough("all together are above"))
        for name, section in SECTIONS.items()
    ],
)
def test_a_section_finds_the_same_or_needs_records_and_says_so(tmp_path, name, engine):
    settings = config(sections=[name], records=False, **NEEDED.get(name, {}))
    if SECTIONS[name].needs_records:
        with pytest.raises(RecordsNotInMemoryError):
            found_by(engine, tmp_path, settings)
    else:
        assert_same(found_by(engine, tmp_path, settings), found_by("memory", tmp_path, settings))


def test_the_list_of_every_record_and_groups_beside_the_quasi_identifiers_are_refused_before_the_run(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    for risk, words in ({}, "risk['records']"), ({"records": False, "groups": ["SITE"]}, "risk['groups']"):
        with opened_with("memory", path, config(**risk), TINY) as opened:
            (fault,) = faults_without_records(opened.config)
        assert words in fault
        assert "--engine memory" in fault


def test_without_records_there_is_no_list_of_them(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    for records in (True, False):
        with opened_with("memory", path, config(sections=["reidentification"], records=records), TINY) as opened:
            assessment = evaluate(opened.people, opened.config)
            tables = run_steps("P", tmp_path, opened.dataset, assessment)["risk"].tables
        assert ("record_risk.csv" in tables) == records
