"""Where the doors take their memory from."""

from __future__ import annotations

import ctypes

import pyarrow as pa
import pytest

from disclosure_control.run.memory import M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, keep_freed_memory
from tests.run.synthetic_pilot import DONE, PROJECT, SCRIPTS


class Library:
    """A C library that keeps arrays of at most so many bytes."""

    def __init__(self, most: int):
        self.most, self.options = most, {}

    def mallopt(self, option: int, value: int) -> int:
        if option == M_MMAP_THRESHOLD and value > self.most:
            return 0
        self.options[option] = value
        return 1

    def malloc_trim(self, n_bytes: int) -> int:
        return 1


@pytest.fixture
def pools(monkeypatch):
    """The allocators that Arrow was given."""
    chosen = []
    monkeypatch.setattr(pa, "set_memory_pool", lambda pool: chosen.append(pool.backend_name))
    return chosen


@pytest.mark.parametrize(("most", "kept"), [(1 << 40, 1 << 28), (1 << 25, 1 << 25)])
def test_the_c_library_keeps_as_much_as_its_version_allows(monkeypatch, pools, most, kept):
    library = Library(most)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    keep_freed_memory("system")
    assert library.options == {M_MMAP_THRESHOLD: kept, M_TRIM_THRESHOLD: 1 << 30, M_ARENA_MAX: 1}
    assert pools == ["system"]


@pytest.mark.thorough("1.1 s")
@pytest.mark.parametrize("door", SCRIPTS)
def test_from_disk_little_is_kept(monkeypatch, pools, pilot, doors, door):
    library = Library(1 << 40)
    monkeypatch.setattr(ctypes, "CDLL", lambda name, **options: library)
    for engine, (largest, most) in {"memory": (1 << 28, 1 << 30), "disk": (1 << 21, 1 << 21)}.items():
        assert doors.start(door, "--engine", engine).status == DONE
        assert library.options == {M_MMAP_THRESHOLD: largest, M_TRIM_THRESHOLD: most, M_ARENA_MAX: 1}


def test_arrow_is_given_one_allocator(monkeypatch, pools):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library(1 << 40))
    monkeypatch.setattr(pa, "jemalloc_memory_pool", lambda: type("Pool", (), {"backend_name": "jemalloc"}))
    keep_freed_memory("jemalloc")
    assert pools == ["jemalloc"]


def test_where_an_allocator_can_not_be_told_nothing_changes(monkeypatch, pools):
    def not_built():
        raise NotImplementedError

    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    monkeypatch.setattr(pa, "jemalloc_memory_pool", not_built)
    keep_freed_memory("system")
    keep_freed_memory("jemalloc")
    assert pools == []


@pytest.mark.parametrize("script", SCRIPTS.values())
def test_each_door_chooses_once_before_any_thread_has_a_heap(script):
    before, *chosen = (PROJECT / script).read_text(encoding="utf-8").split("begin(")
    imported = {line for line in before.splitlines() if line.startswith(("import ", "from "))}
    assert len(chosen) == 1
    assert not any("engines" in line or "run.doors" in line or "pandas" in line for line in imported)
