"""A whole study out of door 2, de-identified and verified, beside what pandas takes to read and write its files."""

from __future__ import annotations

import json
from pathlib import Path

from doors import DOOR_1, DOOR_2, N_SUBJECTS, RESULTS, door_side
from made_files import PILOT, made
from measuring import Side, measure, own_side, run_once
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

KEY = {"RELEASE_KEY": "a key of the benchmark alone, 0123456789 0123456789"}
CONFIG = {
    "release": {"key_from": {"environment": "RELEASE_KEY"}},
    "treatment": [{"method": "band", "column": "DM__AGE", "width": 20}],
    "merge": {"text_results": "missing"},
}
READ_AND_WRITE = (
    "import sys, pandas, tempfile, pathlib\n"
    "to = pathlib.Path(tempfile.mkdtemp())\n"
    "for path in sys.argv[1:]: pandas.read_csv(path).to_csv(to / pathlib.Path(path).name, index=False)"
)


def release(scale: float, repeats: int) -> BenchmarkOutcome:
    """The step ``release`` of a study of 50,000 subjects with 1,000,000 LB rows, from start to verdict."""
    folder = made("domain_files", int(N_SUBJECTS * scale))
    config = _with_release(folder)
    files = sorted((folder / "pilots" / PILOT).glob("*.csv"))
    run_once(door_side("door 1", DOOR_1, PILOT, folder / "pilots", config))
    doors = door_side("door 2, release", DOOR_2, PILOT, folder / "pilots", config)
    sides = [
        Side(doors.name, doors.command, {**doors.environment, **KEY}),
        own_side("pandas, read and write", "-c", READ_AND_WRITE, *files),
    ]
    ours, bare = measure(sides, repeats)
    written = (folder / "pilots" / PILOT / RESULTS / "released").iterdir()
    notes = [f"release: released/ holds {sum(path.stat().st_size for path in written) / 1e6:,.1f} MB"]
    return BenchmarkOutcome([TimedComparison("release", ours, bare, ComparisonBar(4))], notes)


def _with_release(folder: Path) -> Path:
    """A folder beside the benchmark's config with the same config and a release."""
    literal = json.loads((folder / "config" / f"{PILOT}.py").read_text(encoding="utf-8").removeprefix("config = "))
    to = folder / "config_release"
    to.mkdir(exist_ok=True)
    (to / f"{PILOT}.py").write_text(f"config = {json.dumps(literal | CONFIG)}\n", encoding="utf-8")
    return to
