"""What tests of readers ask: the cells of a table, the faults of a file, and a file of the public data."""

from __future__ import annotations

from pathlib import Path

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from tests.places import SHARED_DATA


def cells(table: SourceTable) -> dict[str, list]:
    """The columns as lists, None where missing."""
    frame = table.frame.astype(object)
    return frame.where(frame.notna(), None).to_dict("list")


def faults_of(path: Path, **declared) -> tuple[str, ...]:
    """The faults of a file, each of which names it; none shows a value: subjects and values are called DOLLY."""
    with pytest.raises(FaultyInputError) as caught:
        read_domain_file(path, FileOptions(**declared))
    assert caught.value.__cause__ is None
    assert "DOLLY" not in str(caught.value)
    assert all(fault.startswith(path.name) for fault in caught.value.faults)
    return caught.value.faults


def shared(name: str) -> Path:
    """A file of the public data; the test is skipped where they are not there."""
    path = SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"shared data is not beside the repository: {name}")
    return path
