"""Work on several columns at once, while Arrow and numpy release the interpreter."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

# More threads than cores wait for each other whenever one needs memory: six on two cores took half as much again.
WORKERS = min(os.cpu_count() or 1, 4)


@contextlib.contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """A block beside which another thread does some work that cannot fail; it is done when the block ends."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work)
        yield


def side_by_side(work: Callable[..., Result], *arguments: Iterable) -> list[Result]:
    """What ``work`` gives back for each of the arguments, in their order; the first error is raised."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(work, *arguments))
