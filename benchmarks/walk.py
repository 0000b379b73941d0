"""How far a newcomer has to walk: functions that the demo's two doors enter, and functions that hold somebody's age.

    python benchmarks/walk.py

Runs both doors over a copy of the demo pilot, in this process, and counts the project's functions by door: how many are
entered, and in how many a value of DM.AGE is held, by an argument or a variable, when the function is left. The ages of
the copy have a fraction that nothing else has, so that a number or a text that equals one is one. Few of either is
better: whoever changes how ages are treated has to read those that hold one.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

PROJECT = Path(__file__).resolve().parents[1]
DOORS = ("Create_Combined_Pilot_Dataset.py", "Main_Anonymization.py")
DEMO, FIRST_FRACTION, DEPTH = "PENTELI", 1_371, 2
sys.path.insert(0, str(PROJECT))


def copy_with_marked_ages(data: Path) -> set[str]:
    """A copy of the demo pilot whose ages no other number equals; the ages, as they are written."""
    folder = shutil.copytree(PROJECT / "pilot_report" / DEMO, data / DEMO, ignore=shutil.ignore_patterns("*processed*"))
    people = folder / "DM.csv"
    with people.open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    for number, row in enumerate(rows):
        if row["AGE"]:
            row["AGE"] = f"{row['AGE']}.{FIRST_FRACTION + number:06}"
    with people.open("w", newline="", encoding="utf-8") as copy:
        writer = csv.DictWriter(copy, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return {row["AGE"] for row in rows if row["AGE"]}


class Walk:
    """What is entered, and what holds a marked value, as a function of ``sys.setprofile``."""

    def __init__(self, marked: Iterable[str]) -> None:
        self.texts = set(marked)
        self.numbers = np.array(sorted(map(float, self.texts)))
        self.entered: set[CodeType] = set()
        self.holding: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and is_ours(code):
            self.entered.add(code)
        elif event == "return" and code in self.entered and code not in self.holding:
            sys.setprofile(None)
            if any(self.is_marked(value, DEPTH) for value in [*frame.f_locals.values(), argument]):
                self.holding.add(code)
            sys.setprofile(self)

    def is_marked(self, value: Any, depth: int) -> bool:
        """Whether a value is a marked one or holds one, ``depth`` containers further down."""
        if isinstance(value, str):
            return value in self.texts
        if isinstance(value, int | float | np.number):
            return bool(np.isin(float(value), self.numbers))
        if isinstance(value, pa.Array | pa.ChunkedArray):
            with contextlib.suppress(pa.ArrowException):  # bytes that are looked at as UTF-8, and are none
                return self.is_marked(value.to_pandas(), depth)
            return False
        if isinstance(value, pd.Categorical):
            return self.is_marked(value.categories, depth)
        if isinstance(value, pd.Series | pd.Index):
            return self.is_marked(value.cat.categories if hasattr(value, "cat") else np.asarray(value), depth)
        if isinstance(value, np.ndarray):
            if value.dtype.kind in "OUT":
                return not self.texts.isdisjoint(one for one in value.ravel().tolist() if isinstance(one, str))
            return value.dtype.kind == "f" and bool(np.isin(value, self.numbers).any())
        if depth == 0:
            return False
        if isinstance(value, pd.DataFrame):
            return any(self.is_marked(value.iloc[:, place], depth) for place in range(value.shape[1]))
        if isinstance(value, pa.Table):
            return any(self.is_marked(column, depth) for column in value.columns)
        if isinstance(value, dict):
            return any(self.is_marked(one, depth - 1) for one in [*value.values(), *value.keys()])
        if isinstance(value, list | tuple | set | frozenset):
            return any(self.is_marked(one, depth - 1) for one in value)
        return any(self.is_marked(one, depth - 1) for one in getattr(value, "__dict__", {}).values())


def is_ours(code: CodeType) -> bool:
    is_function = not code.co_name.startswith("<")  # no module, class body, comprehension or lambda
    return is_function and code.co_filename.startswith(str(PROJECT)) and "/.venv" not in code.co_filename


def walked(door: str, marked: set[str]) -> Walk:
    """The walk of a door, started as a controller starts it, on the demo pilot."""
    walk, sys.argv = Walk(marked), [door, DEMO]
    with contextlib.redirect_stdout(io.StringIO()):
        sys.setprofile(walk)
        try:
            runpy.run_path(str(PROJECT / door), run_name="__main__")
        except SystemExit as ended:
            if ended.code:
                raise
        finally:
            sys.setprofile(None)
    return walk


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ages = copy_with_marked_ages(Path(folder))
        os.environ |= {"BIOSTREAMS_DATA_DIR": folder, "BIOSTREAMS_CONFIG_DIR": str(PROJECT / "config")}
        for door in DOORS:
            walk = walked(door, ages)
            files = {code.co_filename for code in walk.entered}, {code.co_filename for code in walk.holding}
            print(f"{door}: {len(walk.entered)} functions entered, in {len(files[0])} files")
            print(f"  {len(walk.holding)} of them, in {len(files[1])} files, hold a value of DM.AGE")


if __name__ == "__main__":
    main()
