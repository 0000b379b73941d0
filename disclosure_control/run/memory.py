"""The memory of a door: freed memory is kept for reuse, as the process does nothing else; and how much there is."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Literal

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # as malloc.h has them
# Bytes: larger arrays go back to the system at once. GNU's C library before 2.35 refuses more than 32 MB.
LARGEST_REUSED = (1 << 28, 1 << 25)
MOST_KEPT = 1 << 30
LITTLE = 1 << 21


def keep_freed_memory(arrow_from: Literal["system", "jemalloc"]) -> None:
    """Let the C library keep freed memory, and Arrow use a suitable allocator: once, when a door starts.

    Otherwise every array of megabytes is mapped and unmapped again, and the system clears each page each time: a fifth
    of the time of door 2 for a million people. Call it before NumPy and Arrow are imported, so that all threads share
    one heap: with one for each, memory freed by one is not available to the others, a tenth of the memory of door 2.

    The best allocator of Arrow differs by door, as measured: "system" for door 2, so that Arrow and NumPy reuse the
    same freed memory; "jemalloc" for door 1, where most of the memory is Arrow's text: almost as fast, and the peak of
    a million laboratory records is a tenth lower in memory, a quarter lower from disk.

    If the C library is not GNU's, or Arrow was built without an allocator, nothing changes.

    Matrices of a few hundred columns are solved in one thread: two wait for each other, which cost twenty times as much
    on a machine that had other work.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    is_told = _tell(LARGEST_REUSED, MOST_KEPT)

    import pyarrow as pa  # whose threads would have a heap of their own by now

    if is_told and arrow_from == "system":
        pa.set_memory_pool(pa.system_memory_pool())
    if arrow_from == "jemalloc":
        with contextlib.suppress(NotImplementedError):
            pa.set_memory_pool(pa.jemalloc_memory_pool())


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


# ---------------------------------------------------------------- how much there is, and how much a run needs

MEMORY_PER_BYTE, MEMORY_OF_PROGRAM = 6.0, 3e8  # of a run: per byte of its text, and beside that
CGROUPS = Path("/sys/fs/cgroup")
OF_THIS_PROCESS = Path("/proc/self/cgroup")


def free_memory() -> int | None:
    """Bytes of memory that this process may still take; None if nobody knows.

    Within what the machine has, the limits of its control groups (version 2), which containers and systemd set, and
    that of ``ulimit -v``.
    """
    try:
        import psutil
    except ImportError:
        return None
    return min([int(psutil.virtual_memory().available), *_left_by_groups(), *_left_of_addresses(psutil)])


def _left_by_groups() -> Iterator[int]:
    """What each control group that this process is in still leaves: its own, and those above it."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        lines = OF_THIS_PROCESS.read_text(encoding="utf-8").splitlines()
        own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), "")
        for group in (CGROUPS / own, *(CGROUPS / above for above in Path(own).parents)):
            limits = [_number_in(group / name) for name in ("memory.max", "memory.high")]
            used = _number_in(group / "memory.current") or 0
            yield from (max(limit - used, 0) for limit in limits if limit is not None)


def _left_of_addresses(psutil: ModuleType) -> Iterator[int]:
    with contextlib.suppress(ImportError, OSError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            yield max(limit - int(psutil.Process().memory_info().vms), 0)


def _number_in(path: Path) -> int | None:
    """The number in a system file; None if there is no such file, or no number in it."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def is_out_of_memory(error: BaseException) -> bool:
    """Whether something could not get memory: Python, NumPy and Arrow, the system, or DuckDB by a class of its own."""
    is_of_system = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or is_of_system or type(error).__name__ == "OutOfMemoryException"


def out_of_memory(folder: Path) -> str:
    """The fault of a run that could not get memory, with the size needed for the files in a ``folder``."""
    sizes = (path.stat().st_size for path in folder.iterdir() if path.is_file())
    needed, free = MEMORY_OF_PROGRAM + MEMORY_PER_BYTE * sum(sizes), free_memory()
    left = "" if free is None else f", and {free / 1e9:.1f} GB are free now"
    return (
        f"Out of memory: with all records in memory, this pilot needs up to {needed / 1e9:.1f} GB, from disk (--engine "
        f"disk) about one{left}. Give the run more (--memory of the container, MemoryMax= of the systemd unit, "
        "ulimit -v), or work from disk, unless this run did. The results were not changed."
    )
