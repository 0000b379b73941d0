"""Public data beside the clone, for tests that compare with published figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.places import SHARED

SHARED_FOLDER = SHARED


@pytest.fixture(scope="session")
def shared_file() -> Callable[[str], Path]:
    """Path of a file below ``shared/``; the test skips where the folder is not beside the clone."""

    def find(name: str) -> Path:
        path = SHARED_FOLDER / name
        if not path.is_file():
            pytest.skip(f"shared/{name} is not beside the clone; it is public data that the project does not carry")
        return path

    return find
