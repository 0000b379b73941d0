"""Tests of what a step finds, over every registered engine: the same tests, the same pilot written as a file.

A module of tests takes ``engine`` and ``pytest_generate_tests`` from here, and runs its step by ``run_by_engine``.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from disclosure_control.assess.assessment import evaluate
from disclosure_control.basics.telling.faults import RecordsNotAtHandError
from disclosure_control.records.choice import ENGINES
from disclosure_control.records.limits import Limits
from disclosure_control.records.needs import AtOnce, faults_of_needs
from disclosure_control.steps import settings_module
from disclosure_control.steps.running import StepInput, StepResult
from tests.records.written_pilots import LARGEST_RECORD, by_engine, opened_with

N_PARTS = 7  # at most, so that a larger table takes no longer than its size does
_chosen = {"engine": "memory"}


@pytest.fixture(autouse=True)
def engine(request) -> Iterator[str]:
    """The engine of this test; in memory where it does not run a step."""
    _chosen["engine"] = getattr(request, "param", "memory")
    yield _chosen["engine"]
    _chosen["engine"] = "memory"


def over_engines(cost: str = "") -> Callable[[pytest.Metafunc], None]:
    """The hook of a module whose tests ``run`` or ``run_step``; with a ``cost``, others than memory are thorough."""
    marks = [pytest.mark.thorough(cost)] if cost else []
    engines = (
        by_engine(ENGINES)
        if not cost
        else [pytest.param(name, marks=[] if name == "memory" else marks) for name in ENGINES]
    )

    def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
        function = getattr(getattr(metafunc.function, "hypothesis", None), "inner_test", metafunc.function)
        if {"run", "run_step"} & set(function.__code__.co_names):
            metafunc.parametrize("engine", engines, indirect=True)

    return pytest_generate_tests


def run_by_engine(run_step: Callable[[StepInput], StepResult]) -> Callable[[StepInput], StepResult]:
    """The step on the same pilot as the engine of the test opens it; tables that come in pieces are lists of these."""

    def run(step: StepInput) -> StepResult:
        with contextlib.ExitStack() as until_found:
            if _chosen["engine"] != "memory":
                step = until_found.enter_context(_opened(step, _chosen["engine"]))
                _skip_what_is_refused(run_step, step)
            found = run_step(step)
            pieces = {name: list(table) for name, table in found.tables.items() if isinstance(table, Iterator)}
            return dataclasses.replace(found, tables={**found.tables, **pieces})

    return run


def _skip_what_is_refused(run_step: Callable[[StepInput], StepResult], step: StepInput) -> None:
    """What door 2 refuses before the run does need records."""
    name = run_step.__module__.split(".")[-2]
    needed = settings_module(name).records_needed(step.settings, step.assessment.config) if step.settings else []
    if faults_of_needs(needed, AtOnce.PERSONS):
        with pytest.raises(RecordsNotAtHandError):
            run_step(step)
        pytest.skip("needs records, and says so")


@contextlib.contextmanager
def _opened(step: StepInput, engine: str) -> Iterator[StepInput]:
    table = step.dataset.text.assign(USUBJID=step.dataset.subjects.to_numpy())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "combined_dataset.csv"
        table.to_csv(path, index=False, quoting=csv.QUOTE_ALL, lineterminator="\n")
        block, people = max(path.stat().st_size // N_PARTS, 3 * LARGEST_RECORD), max(len(table) // N_PARTS, 7)
        parts = Limits(block_bytes=block, people_per_part=people, flagged_per_part=people)
        with opened_with(engine, path, step.assessment.config.literal, parts) as opened:
            assessment = evaluate(opened.people, opened.config)
            yield dataclasses.replace(step, dataset=opened.dataset, assessment=assessment)
