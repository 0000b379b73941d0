"""Work on several columns at once."""

from __future__ import annotations

import threading

import pytest

from disclosure_control.basics.telling.side_by_side import meanwhile, side_by_side
from tests.places import PROJECT


def test_the_first_error_is_raised():
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda number: 1 // number, [2, 0, 1])


def test_nobody_else_starts_threads_of_their_own_number():
    with_pools = [
        path.relative_to(PROJECT).as_posix()
        for room in ("disclosure_control", "study", "config")
        for path in sorted((PROJECT / room).rglob("*.py"))
        if "ThreadPoolExecutor(" in path.read_text(encoding="utf-8")
    ]
    assert with_pools == ["disclosure_control/basics/telling/side_by_side.py"]


def test_work_beside_a_block_is_done_when_the_block_ends_whatever_ends_it():
    done = []
    with meanwhile(lambda: done.append(threading.get_ident())):
        pass
    with pytest.raises(KeyError), meanwhile(lambda: done.append(threading.get_ident())):
        raise KeyError
    assert len(done) == 2
    assert threading.get_ident() not in done
