"""The lists of tests by engine name tests that exist; that their reasons hold is found out by running them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.models.by_engine import QUICK
from tests.models.need_a_frame import NEED_A_FRAME
from tests.places import PROJECT


def test_whoever_is_listed_exists_once():
    files = [path for room in ("models", "assess") for path in Path(PROJECT / "tests" / room).glob("test_*.py")]
    tests = [name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)]
    assert {name: tests.count(name) for name in [*NEED_A_FRAME, *QUICK]} == dict.fromkeys([*NEED_A_FRAME, *QUICK], 1)
