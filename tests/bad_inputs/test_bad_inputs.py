"""Every broken pilot of the corpus: the message, the exit status, no change on disk, nobody on the screen."""

from __future__ import annotations

import pytest

from tests.bad_inputs import (
    faults_of_combined,  # noqa: F401 - each of these registers its cases
    faults_of_configs,  # noqa: F401
    faults_of_csv_files,  # noqa: F401
    faults_of_door_settings,  # noqa: F401
    faults_of_other_formats,  # noqa: F401
    faults_of_settings,  # noqa: F401
    faults_of_subjects,  # noqa: F401
)
from tests.bad_inputs.registry import CASES
from tests.cases import quick
from tests.run.synthetic_pilot import leaks, snapshot, unprintable


def test_the_corpus_is_large():
    assert len({case.name for case in CASES.values()}) >= 60


IN_TURN = [*CASES.values()]
IN_TURN = IN_TURN[::3] + IN_TURN[1::3] + IN_TURN[2::3]  # of every kind some in the quick run


@pytest.mark.thorough("1.3 s")
@pytest.mark.parametrize("case", quick(len(IN_TURN) // 3, IN_TURN, "10 s for all"), ids=str)
def test_bad_input(case, pilot, doors):
    case.build(pilot)
    before = snapshot(pilot.root)

    run = doors.start(case.door, *case.arguments)

    assert "Traceback" not in run.err
    assert [text for text in case.says if text not in run.err] == [], run.err
    assert run.status == case.status, run.err
    assert unprintable(run.out, run.err) == []
    assert len(run.out + run.err) < 10_000
    assert len(run.fault_lines) == case.n_faults, run.err
    if case.names_pilot:
        assert [line for line in run.fault_lines if not line.startswith(f"{pilot.name}: ")] == []
        assert run.outcomes[pilot.name][0] == case.status
    assert leaks(run.out, run.err) == [], run.err
    assert snapshot(pilot.root) == before
