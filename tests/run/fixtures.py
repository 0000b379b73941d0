"""Fixtures for tests that start the doors; imported by the conftest of each folder that needs them."""

from __future__ import annotations

import pytest

from tests.run.synthetic_pilot import DONE, Doors, SyntheticPilot, copy_of


@pytest.fixture(scope="session")
def finished_template(tmp_path_factory):
    """A valid pilot that went through both doors once: what later runs must not harm."""
    pilot = SyntheticPilot(tmp_path_factory.mktemp("template")).create()
    with pytest.MonkeyPatch.context() as monkeypatch:
        doors = Doors(pilot.desk, monkeypatch, _NoCapture())
        for door in (1, 2):
            assert doors.start(door).status == DONE
    return pilot.root


class _NoCapture:
    """Stands for capsys where there is none: pytest shows the output of a fixture that failed."""

    out, err = "", ""

    def readouterr(self):
        return self


@pytest.fixture
def fresh(tmp_path):
    """A valid pilot without results."""
    return SyntheticPilot(tmp_path).create()


@pytest.fixture
def pilot(tmp_path, finished_template):
    """A valid pilot with the results of an earlier run of both doors."""
    return copy_of(finished_template, tmp_path)


@pytest.fixture
def doors(tmp_path, monkeypatch, capsys):
    (tmp_path / "desk").mkdir(exist_ok=True)
    return Doors(tmp_path / "desk", monkeypatch, capsys)
