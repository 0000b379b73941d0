"""A registry for door 1, as large as asked for: DM and LB in long form, rows of subjects in any order, made in pieces.

    python benchmarks/made_registry.py FOLDER --subjects 5000000                  LB of 100,000,000 rows, 14 GB
    BIOSTREAMS_DATA_DIR=FOLDER/pilots BIOSTREAMS_CONFIG_DIR=FOLDER/config \\
        /usr/bin/time -v python Create_Combined_Pilot_Dataset.py BENCHMARK --engine disk

Only one piece is in memory. The people are those of ``made_data.make_domain_files``. Rows of a piece come in random
order, and the visits of a subject in pieces far from each other: no reader can wait for a subject to be complete.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from made_data import DOOR_1_CONFIG, SEED, _laboratory, _subject_ids, _write_config, demographics_of
from made_files import PILOT

SUBJECTS_PER_PIECE = 50_000


def make_registry(n_subjects: int, folder: Path) -> None:
    """DM of ``n_subjects`` and LB with twenty rows for each, and a config, as ``made_files.made`` lays them out."""
    pilot = folder / "pilots" / PILOT
    pilot.mkdir(parents=True)
    (folder / "config").mkdir()
    _write_config(DOOR_1_CONFIG, folder / "config" / f"{PILOT}.py")
    subjects = _subject_ids(n_subjects)
    starts = range(0, n_subjects, SUBJECTS_PER_PIECE)
    with _RegistryText(pilot / "DM.csv") as file:
        for start in starts:
            file.write(_people(subjects, start)[0])
    with _RegistryText(pilot / "LB.csv") as file:
        for half in (0, 1):  # the first two visits of all subjects, then the others
            for start in starts:
                of_piece, began, random = subjects[start : start + SUBJECTS_PER_PIECE], *_people(subjects, start)[1:]
                rows = _laboratory(random, of_piece, began)
                rows = rows[(rows["VISITNUM"] > 2) == bool(half)]
                file.write(rows.iloc[random.permutation(len(rows))])
                print(f"\rLB: {half * n_subjects + start:,} of {2 * n_subjects:,}", end="", file=sys.stderr)


def _people(subjects, start):
    """DM of a piece, when each subject began, and the generator for what follows: the same at every call."""
    random = np.random.default_rng([SEED, len(subjects), start])
    demographics, began = demographics_of(random, subjects[start : start + SUBJECTS_PER_PIECE])
    return demographics, began, random


class _RegistryText:
    """A CSV file that is written table by table."""

    def __init__(self, path: Path):
        self._file, self._has_header = path.open("wb"), True

    def __enter__(self) -> _RegistryText:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, frame) -> None:
        options = pyarrow.csv.WriteOptions(include_header=self._has_header, quoting_style="none")
        pyarrow.csv.write_csv(pa.Table.from_pandas(frame, preserve_index=False), self._file, options)
        self._has_header = False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--subjects", type=int, default=5_000_000)
    arguments = parser.parse_args()
    make_registry(arguments.subjects, arguments.folder)
