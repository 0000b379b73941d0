"""The two doors as a user starts them, against a bare Python process that reads the same files with pandas."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from made_files import PILOT, made
from measuring import PROJECT, Side, measure, own_side, run_once
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

N_PEOPLE = 1_000_000
N_SUBJECTS = 50_000
N_PEOPLE_OF_OMOP = 2_000
DOOR_1, DOOR_2 = PROJECT / "Create_Combined_Pilot_Dataset.py", PROJECT / "Main_Anonymization.py"
RESULTS = "processed_for_anonym"
READ_ALL = "import sys, pandas; [pandas.read_csv(path) for path in sys.argv[1:]]"


def door_side(name: str, script: Path, pilot: str, data_folder: Path, config_folder: Path, *options: str) -> Side:
    folders = {"BIOSTREAMS_DATA_DIR": str(data_folder), "BIOSTREAMS_CONFIG_DIR": str(config_folder)}
    return own_side(name, script, pilot, *options, environment=folders)


def door_2(scale: float, repeats: int) -> BenchmarkOutcome:
    """(b) Combined dataset in, reports and risky rows out."""
    n_people = int(N_PEOPLE * scale)
    folder = made("combined_dataset", n_people)
    results = folder / "pilots" / PILOT / RESULTS
    sides = [
        door_side("door 2", DOOR_2, PILOT, folder / "pilots", folder / "config"),
        own_side("import pandas, read_csv", "-c", READ_ALL, results / "combined_dataset.csv"),
    ]
    ours, bare = measure(sides, repeats)
    n_bytes = sum(path.stat().st_size for path in results.glob("risky_rows_*.csv"))
    notes = [f"b: {n_people:,} people; the files of risky rows hold {n_bytes / 1e6:,.1f} MB"]
    return BenchmarkOutcome([TimedComparison("b. door 2", ours, bare, ComparisonBar(2))], notes)


def engines(scale: float, repeats: int) -> BenchmarkOutcome:
    """Door 2 from disk and in memory: the same files, so time and peak memory are all that differs."""
    n_people = int(N_PEOPLE * scale)
    folder = made("combined_dataset", n_people)
    sides = [
        door_side(f"door 2 --engine {name}", DOOR_2, PILOT, folder / "pilots", folder / "config", "--engine", name)
        for name in ("disk", "memory")
    ]
    from_disk, in_memory = measure(sides, repeats)
    return BenchmarkOutcome([TimedComparison("engines", from_disk, in_memory, None)], [f"engines: {n_people:,} people"])


def door_1(scale: float, repeats: int) -> BenchmarkOutcome:
    """(c) Domain files in, one row per subject out."""
    n_subjects = int(N_SUBJECTS * scale)
    folder = made("domain_files", n_subjects)
    files = sorted((folder / "pilots" / PILOT).glob("*.csv"))
    sides = [
        door_side("door 1", DOOR_1, PILOT, folder / "pilots", folder / "config"),
        own_side("import pandas, read_csv", "-c", READ_ALL, *files),
    ]
    ours, bare = measure(sides, repeats)
    sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:,.1f} MB" for path in files)
    return BenchmarkOutcome(
        [TimedComparison("c. door 1", ours, bare, ComparisonBar(2.5))], [f"c: {n_subjects:,} subjects; {sizes}"]
    )


def door_1_omop(scale: float, repeats: int) -> BenchmarkOutcome:
    """(e) Tables of an OMOP export in, one row per person out."""
    n_people = int(N_PEOPLE_OF_OMOP * scale)
    folder = made("omop", n_people)
    files = sorted((folder / "pilots" / PILOT).glob("*.csv"))
    sides = [
        door_side("door 1", DOOR_1, PILOT, folder / "pilots", folder / "config"),
        own_side("import pandas, read_csv", "-c", READ_ALL, *files),
    ]
    ours, bare = measure(sides, repeats)
    size = sum(path.stat().st_size for path in files) / 1e6
    notes = [f"e: {n_people:,} people, {size:,.1f} MB in {len(files)} files"]
    return BenchmarkOutcome([TimedComparison("e. door 1, OMOP", ours, bare, ComparisonBar(2, of_cpu=2))], notes)


def demo(scale: float, repeats: int) -> BenchmarkOutcome:
    """The shipped demo through both doors: how much of the time is importing pandas. ``scale`` changes nothing."""
    with tempfile.TemporaryDirectory() as place:
        data_folder, config_folder = Path(place), PROJECT / "config"
        (data_folder / "PENTELI").mkdir()
        for path in (PROJECT / "pilot_report" / "PENTELI").glob("*.csv"):
            shutil.copy(path, data_folder / "PENTELI")
        first = door_side("demo, door 1", DOOR_1, "PENTELI", data_folder, config_folder)
        second = door_side("demo, door 2", DOOR_2, "PENTELI", data_folder, config_folder)
        run_once(first)
        only_import = own_side("import pandas", "-c", "import pandas")
        through_1, through_2, importing = measure([first, second, only_import], repeats)
    comparisons = [
        TimedComparison("demo: share of\nimporting pandas", importing, through_2, ComparisonBar(0.5, at_least=True)),
        TimedComparison("demo, beside", importing, through_1, None),
    ]
    return BenchmarkOutcome(comparisons)
