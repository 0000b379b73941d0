"""Memory that is freed is kept for what comes next, in a process that does nothing else: a door."""

from __future__ import annotations

import contextlib

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # as malloc.h has them
LARGEST_REUSED = 1 << 28  # bytes; larger arrays go back to the system at once
MOST_KEPT = 1 << 30


def keep_freed_memory() -> None:
    """Let the C library keep freed memory, and Arrow take its own from there, too.

    Else every array of megabytes is mapped anew and unmapped again, and the system clears each page each time: a fifth
    of what door 2 took for a million people. The peak stays what it is. Where the C library cannot be told (it is not
    GNU's), nothing changes.
    """
    import ctypes

    import pyarrow as pa

    with contextlib.suppress(AttributeError, OSError, TypeError):
        set_option = ctypes.CDLL(None).mallopt
        set_option(M_MMAP_THRESHOLD, LARGEST_REUSED)
        set_option(M_TRIM_THRESHOLD, MOST_KEPT)
        pa.set_memory_pool(pa.system_memory_pool())
