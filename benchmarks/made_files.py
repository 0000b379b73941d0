"""The place of the made data, which a process of their own makes at first use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from measuring import PROJECT

HERE = Path(__file__).resolve().parent
GENERATOR = HERE / "made_data.py"
FOLDER = HERE / "data"
PILOT = "BENCHMARK"


def made(kind: str, n_people: int) -> Path:
    """The folder with data of a kind of ``made_data.KINDS``; made anew when the generator has changed since."""
    folder = FOLDER / f"{kind}_{n_people}"
    if folder.is_dir() and folder.stat().st_mtime >= GENERATOR.stat().st_mtime:
        return folder
    print(f"Making {kind.replace('_', ' ')}, {n_people:,} people ...", flush=True)
    unfinished = FOLDER / f".{folder.name}"
    for earlier in (folder, unfinished):
        shutil.rmtree(earlier, ignore_errors=True)
    unfinished.mkdir(parents=True)
    command = [sys.executable, GENERATOR, kind, str(n_people), unfinished]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(PROJECT)})
    return unfinished.replace(folder)
