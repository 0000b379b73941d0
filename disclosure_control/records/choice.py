"""Which engine a run takes: the one that was named, or the one that the file and the free memory call for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from disclosure_control.run.memory import MEMORY_PER_BYTE, free_memory
from study.formats.blocks import bytes_as_text


@dataclass(frozen=True)
class Engine:
    """An engine by its name: what it is for, and whether it has all records in memory at once."""

    words: str
    has_all: bool = False


ENGINES: dict[str, Engine] = {
    "memory": Engine("all records in memory: the fastest if they fit; every step runs", has_all=True),
    "disk": Engine("records on disk, counted by DuckDB in about a gigabyte; k, l, t and most steps, up to the release"),
    "cluster": Engine("as disk, with the people counted by the workers of a Dask cluster; runs the same steps"),
}
AUTO = "auto"
MERGING = ("memory", "disk")  # the engines of door 1


def engine_of_merge(name: str) -> str:
    """The ``--engine`` of door 1. Raises ``ArgumentTypeError`` for one that only door 2 has, with the one to take."""
    if name in ENGINES and name not in MERGING:
        raise argparse.ArgumentTypeError(
            f"found {name}; allowed: {', '.join((AUTO, *MERGING))}. A merge runs on one machine: merge with --engine "
            f"disk, and give --engine {name} to Main_Anonymization.py"
        )
    return name


SHARE_OF_FREE = 0.6  # of free memory, that a run may use
MEMORY_FROM_DISK = 1e9  # bytes: about what a run from disk takes


@dataclass(frozen=True)
class Choice:
    """The engine of a run, and why in a sentence where that was not asked for."""

    name: str
    reason: str = ""

    @property
    def engine(self) -> Engine:
        return ENGINES[self.name]


def choose_engine(asked: str, path: Path) -> Choice:
    """The engine ``asked`` for; for ``auto``, memory unless the file needs more than a share of the free memory.

    Memory also if the free memory is unknown, or there is no file.
    """
    if asked != AUTO:
        return Choice(asked)
    size = path.stat().st_size if path.is_file() else 0
    return by_free_memory(f"{path.name} has {size / 1e9:.1f} GB", _needed(path))


def by_free_memory(what: str, needed: float) -> Choice:
    """Memory, unless more than a share of the free is ``needed``, in bytes; ``what`` says for what in that case."""
    free = free_memory()
    if free is None or needed <= SHARE_OF_FREE * free:
        return Choice("memory")
    return Choice(
        "disk",
        f"{what} and would need about {needed / 1e9:.1f} GB of memory, where {free / 1e9:.1f} GB are free: working "
        "from disk (--engine disk).",
    )


def fits_in_memory(path: Path) -> bool:
    """Whether a file needs no more than a share of free memory, by the text in it; where that is not known, it does."""
    return by_free_memory(path.name, _needed(path)).name == "memory"


def fits_from_disk(path: Path) -> bool:
    """Whether a file that is read whole needs no more than a run from disk takes altogether."""
    return _needed(path) <= MEMORY_FROM_DISK


def _needed(path: Path) -> float:
    return MEMORY_PER_BYTE * bytes_as_text(path) if path.is_file() else 0.0
