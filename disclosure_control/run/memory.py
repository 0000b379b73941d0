"""Where a door takes its memory from: what is freed is kept for what comes next, as the process does nothing else."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from typing import Literal

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # as malloc.h has them
# Bytes: larger arrays go back to the system at once. GNU's C library before 2.35 refuses more than 32 MB.
LARGEST_REUSED = (1 << 28, 1 << 25)
MOST_KEPT = 1 << 30
LITTLE = 1 << 21
# What tells a process the same before it starts, for one that works in another thread than the first: one heap for all,
# as theirs is given back whatever is said. The least of what C libraries take, as no second is tried.
OF_A_WORKER = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_MMAP_THRESHOLD_": min(LARGEST_REUSED),
    "MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


def keep_freed_memory(arrow_from: Literal["system", "jemalloc"]) -> None:
    """Let the C library keep memory that is freed, and Arrow take its own from an allocator: once, when a door starts.

    Else every array of megabytes is mapped anew and unmapped again, and the system clears each page each time: a fifth
    of what door 2 took for a million people. What Arrow is best given differs by door, as measured:

    - "system", for door 2: the C library's own, so that Arrow and NumPy use the same freed memory again.
    - "jemalloc", for door 1, where most of the memory is Arrow's text: nearly as fast, and the peak of a million
      laboratory records is a tenth lower in memory, a quarter lower from disk.

    Where the C library cannot be told (it is not GNU's), or Arrow was built without an allocator, nothing changes.
    """
    import pyarrow as pa

    if _tell(LARGEST_REUSED, MOST_KEPT) and arrow_from == "system":
        pa.set_memory_pool(pa.system_memory_pool())
    if arrow_from == "jemalloc":
        with contextlib.suppress(NotImplementedError):
            pa.set_memory_pool(pa.jemalloc_memory_pool())


def give_freed_memory_back() -> None:
    """Let the C library keep little of what is freed: for an engine that promises to stay below a bound.

    A hundred million people from disk take 1.7 GB at most with it, 2.3 GB without, and a tenth more CPU. Door
    1 kept 670 MB that nothing was in, of 1,330 MB for twenty million laboratory records.
    """
    _tell((LITTLE,), LITTLE)


def _tell(largest_reused: Sequence[int], most_kept: int) -> bool:
    """Whether the C library could be told."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    any(set_option(M_MMAP_THRESHOLD, n_bytes) for n_bytes in largest_reused)  # the first that is taken
    set_option(M_TRIM_THRESHOLD, most_kept)
    return True
