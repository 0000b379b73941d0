"""Where a door takes its memory from: what is freed is kept for what comes next, as the process does nothing else."""

from __future__ import annotations

import contextlib
from typing import Literal

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # as malloc.h has them
# Bytes: larger arrays go back to the system at once. GNU's C library before 2.35 refuses more than 32 MB.
LARGEST_REUSED = (1 << 28, 1 << 25)
MOST_KEPT = 1 << 30


def keep_freed_memory(arrow_from: Literal["system", "jemalloc"]) -> None:
    """Let the C library keep memory that is freed, and Arrow take its own from an allocator: once, when a door starts.

    Else every array of megabytes is mapped anew and unmapped again, and the system clears each page each time: a fifth
    of what door 2 took for a million people. What Arrow is best given differs by door, as measured:

    - "system", for door 2: the C library's own, so that Arrow and NumPy use the same freed memory again.
    - "jemalloc", for door 1, where most of the memory is Arrow's text: as fast, and the peak of a million laboratory
      records is a tenth lower in memory, a quarter lower from disk.

    Where the C library cannot be told (it is not GNU's), or Arrow was built without an allocator, nothing changes.
    """
    import ctypes

    import pyarrow as pa

    with contextlib.suppress(AttributeError, OSError, TypeError):
        set_option = ctypes.CDLL(None).mallopt
        any(set_option(M_MMAP_THRESHOLD, n_bytes) for n_bytes in LARGEST_REUSED)  # the first that is taken
        set_option(M_TRIM_THRESHOLD, MOST_KEPT)
        if arrow_from == "system":
            pa.set_memory_pool(pa.system_memory_pool())
    if arrow_from == "jemalloc":
        with contextlib.suppress(NotImplementedError):
            pa.set_memory_pool(pa.jemalloc_memory_pool())
