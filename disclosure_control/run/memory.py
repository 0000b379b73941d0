"""The memory settings of a door: freed memory is kept for reuse, as the process does nothing else."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from collections.abc import Sequence
from typing import Literal

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # as malloc.h has them
# Bytes: larger arrays go back to the system at once. GNU's C library before 2.35 refuses more than 32 MB.
LARGEST_REUSED = (1 << 28, 1 << 25)
MOST_KEPT = 1 << 30
LITTLE = 1 << 21
NEW_OBJECTS = 1_000_000  # Python's default is 700
# The same settings as environment variables of a worker, which works in another thread than the first: one heap for
# all, as freed memory of others is returned in any case. The lowest limit of all C libraries, as no second is tried.
OF_A_WORKER = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_MMAP_THRESHOLD_": min(LARGEST_REUSED),
    "MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


def keep_freed_memory(arrow_from: Literal["system", "jemalloc"]) -> None:
    """Let the C library keep freed memory, and Arrow use a suitable allocator: once, when a door starts.

    Otherwise every array of megabytes is mapped and unmapped again, and the system clears each page each time: a fifth
    of the time of door 2 for a million people. Call it before NumPy and Arrow are imported, so that all threads share
    one heap: with one for each, memory freed by one is not available to the others, a tenth of the memory of door 2.

    The best allocator of Arrow differs by door, as measured: "system" for door 2, so that Arrow and NumPy reuse the
    same freed memory; "jemalloc" for door 1, where most of the memory is Arrow's text: almost as fast, and the peak of
    a million laboratory records is a tenth lower in memory, a quarter lower from disk.

    If the C library is not GNU's, or Arrow was built without an allocator, nothing changes.
    """
    is_told = _tell(LARGEST_REUSED, MOST_KEPT)

    import pyarrow as pa  # whose threads would have a heap of their own by now

    if is_told and arrow_from == "system":
        pa.set_memory_pool(pa.system_memory_pool())
    if arrow_from == "jemalloc":
        with contextlib.suppress(NotImplementedError):
            pa.set_memory_pool(pa.jemalloc_memory_pool())


def look_for_cycles_rarely() -> None:
    """Let Python search for reference cycles only after very many new objects.

    The large objects of a door are arrays, which are freed at once. A twentieth of a short run was spent examining
    imported objects, which are never freed. The peak of a million people is the same.
    """
    gc.set_threshold(NEW_OBJECTS)


def give_freed_memory_back() -> None:
    """Let the C library keep little freed memory: for an engine that promises to stay below a bound.

    When it was measured, a hundred million people from disk took 1.7 GB at most with it, 2.3 GB without, and a tenth
    more CPU; by other savings they take half a gigabyte today. Door 1 kept 670 MB unused, of 1,330 MB for
    twenty million laboratory records.
    """
    _tell((LITTLE,), LITTLE)


def trim_freed_memory() -> None:
    """Return free memory between used blocks to the system once; free memory at the end of the heap is kept.

    Useful after many texts of a file were freed: few of the gaps are as large as the next arrays, so that without it
    the peak of a million people is 30 MB higher, of 500.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(MOST_KEPT)


def _tell(largest_reused: Sequence[int], most_kept: int) -> bool:
    """Whether the C library accepted the setting."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    any(set_option(M_MMAP_THRESHOLD, n_bytes) for n_bytes in largest_reused)  # the first that is taken
    set_option(M_TRIM_THRESHOLD, most_kept)
    set_option(M_ARENA_MAX, 1)
    return True
