"""Fixtures for tests that start the doors; imported by the conftest of each folder that needs them."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from _pytest.capture import CaptureResult

from tests.run.synthetic_pilot import DONE, Doors, SyntheticPilot, copy_of


@pytest.fixture(scope="session")
def finished_template(tmp_path_factory):
    """A valid pilot that went through both doors once: what later runs must not harm."""
    pilot = SyntheticPilot(tmp_path_factory.mktemp("template")).create()
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        doors = Doors(pilot.desk, monkeypatch, screen)
        for door in (1, 2):
            assert doors.start(door).status == DONE
    return pilot.root


@contextlib.contextmanager
def kept_screen() -> Iterator[KeptScreen]:
    """What is printed within the block, for fixtures of a module or session: these cannot have capsys."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        yield KeptScreen((out, err))


@dataclass
class KeptScreen:
    """Stands for capsys."""

    streams: tuple[io.StringIO, io.StringIO]

    def readouterr(self) -> CaptureResult:
        """What was printed since the last call."""
        texts = [stream.getvalue() for stream in self.streams]
        for stream in self.streams:
            stream.seek(0)
            stream.truncate()
        return CaptureResult(*texts)


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
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # waiting for the disk; two tests count the calls
    (tmp_path / "desk").mkdir(exist_ok=True)
    return Doors(tmp_path / "desk", monkeypatch, capsys)
