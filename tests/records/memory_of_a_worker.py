"""A task that asks how memory is had where it is done; in a module of its own, which a worker imports."""

from __future__ import annotations

import resource

import numpy as np


def pages_cleared_again() -> int:
    """How many pages the system clears for twenty arrays of 16 MB, once three like them are freed."""
    for _ in range(3):
        np.ones(1 << 21)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(1 << 21)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
