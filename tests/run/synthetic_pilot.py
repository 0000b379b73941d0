"""A small invented pilot whose every id and value is a marker, and the doors started on it as the user does.

Whatever the doors print must hold none of these markers: ids and values belong in the result files alone.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import json
import os
import re
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import pytest

import disclosure_control.run.doors  # noqa: F401 - before the project folder is replaced
from disclosure_control.run.attempts import LAST_ATTEMPT
from disclosure_control.run.beside import beside
from tests.places import PROJECT

SCRIPTS = {1: "Create_Combined_Pilot_Dataset.py", 2: "Main_Anonymization.py"}
DONE, RISK_TOO_HIGH, INPUT_AT_FAULT, OUR_FAULT, LOCKED = range(5)
RESULTS = "processed_for_anonym"
SETTINGS = (
    "BIOSTREAMS_PILOT",
    "BIOSTREAMS_DATA_DIR",
    "BIOSTREAMS_CONFIG_DIR",
    "BIOSTREAMS_STATE_DIR",
    "BIOSTREAMS_KEEP_RUNS",
    "BIOSTREAMS_SCHEDULER",
    "BIOSTREAMS_WORKERS",
)
NOW = "2026-01-31T12:00:00.000000Z"  # the moment of every run that a test starts
# What tells of runs and not of the data alone: it changes with every run.
OF_RUNS = {"history.jsonl", "quasi_identifier_groups.csv"}
EVIDENCE = {f"evidence/{name}" for name in ("manifest.json", "anonymisation_report.md", "anonymisation_report.html")}
EVIDENCE |= {f"evidence/{name}" for name in ("rules.md", "rules.html")}
NORTH, SOUTH = "MARKERDISTRICT NORTH", "MARKERDISTRICT SOUTH"
DISTRICT = "District of Permanent Address"

# id, age, sex, district, body mass index, cholesterol: six classes of 3, 3, 2, 2, 1 and 1
PEOPLE = (
    ("ZZSUBJ-48151", "31.0417", "FMARKER", NORTH, "21.4837", "187.6543"),
    ("ZZSUBJ-48152", "32.0529", "FMARKER", NORTH, "22.5948", "243.1717"),
    ("ZZSUBJ-48153", "33.0631", "FMARKER", NORTH, "23.6059", "158.2828"),
    ("ZZSUBJ-48154", "41.0743", "MMARKER", NORTH, "26.7161", "164.3939"),
    ("ZZSUBJ-48155", "42.0857", "MMARKER", NORTH, "27.8272", "171.4646"),
    ("ZZSUBJ-48156", "43.0961", "MMARKER", NORTH, "28.9383", "252.5757"),
    ("ZZSUBJ-48157", "34.1073", "FMARKER", SOUTH, "24.0494", "196.6868"),
    ("ZZSUBJ-48158", "35.1187", "FMARKER", SOUTH, "20.1505", "207.7979"),
    ("ZZSUBJ-48159", "44.1291", "MMARKER", SOUTH, "31.2616", "218.8181"),
    ("ZZSUBJ-48160", "45.1303", "MMARKER", SOUTH, "32.3727", "229.9292"),
    ("ZZSUBJ-48161", "36.1417", "MMARKER", SOUTH, "25.4838", "987.654"),
    ("ZZSUBJ-48162", "46.1529", "FMARKER", NORTH, "33.5949", "138.0303"),
)
CONFIG = {
    "categorical_qis": ["DM__SEX", f"SC__{DISTRICT}"],
    "continuous_qis": ["DM__AGE", "VS__BMI"],
    "binning_config": {"DM__AGE": [30, 40, 50], "VS__BMI": [20, 30, 40]},
    "sensitive_feature": "LB__Cholesterol",
    "sensitive_binning_config_for_L": {"LB__Cholesterol": [100, 150, 200, 250]},
    "K": 3,
    "L": 2,
    "T": 30,
}
# Ids in any spelling, texts, and numbers as they would look after some rounding.
# Digits that chance hands out, which are nobody's: of hashes, of ports, of identifiers that a library draws for itself,
# of the fractions of seconds and the folder by which a scheduler calls its own events and workers, of the moments at
# which lines were printed.
_OF_CHANCE = re.compile(
    r"\b[0-9a-f]{64}\b|(?<=127\.0\.0\.1:)\d{1,5}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z"
    r"|(?<=stimulus_id='handle-worker-cleanup-)\d{10}\.\d+(?=')|(?<=dask-scratch-space/worker-)[a-z0-9_]{8}\b"
)
_MARKERS = re.compile(
    r"zzsubj|marker|987[.,]?6|"
    + "|".join(person[0][-5:] for person in PEOPLE)
    + "|"
    + "|".join(re.escape(number[:-2]) for person in PEOPLE for number in (person[1], person[4], person[5][:8])),
    re.IGNORECASE,
)


class Literal:
    """A piece of a config as it is to be typed, such as ``1e999``."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class SyntheticRun:
    """What a run of a door came to."""

    status: int
    out: str
    err: str

    @property
    def fault_lines(self) -> list[str]:
        return self.err.splitlines()

    @property
    def outcomes(self) -> dict[str, tuple[int, str]]:
        """Pilot -> status and words, from the table that the last lines of the screen are."""
        lines = self.out.rstrip("\n").splitlines()
        start = len(lines) - 1 - lines[::-1].index(next(line for line in reversed(lines) if line.startswith("┌")))
        cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines[start + 3 : -1]]
        return {pilot: (int(status), words) for pilot, status, words in cells}


class SyntheticPilot:
    """A folder with pilots, one with configs, and a desk with ``.env``, where the doors are started."""

    def __init__(self, root: Path, name: str = "CLINIC"):
        self.root, self.name = root, name
        self.data_folder, self.config_folder, self.desk = root / "pilots", root / "configs", root / "desk"
        self.folder = self.data_folder / name
        self.results = self.folder / RESULTS
        self.env_file = self.desk / ".env"
        self.config = {key: dict(value) if isinstance(value, dict) else value for key, value in CONFIG.items()}

    @property
    def config_file(self) -> Path:
        return self.config_folder / f"{self.name}.py"

    @property
    def beside(self) -> Path:
        """What outlives a set of results: key, lock, memory; and where a run works."""
        return beside(self.results)

    @property
    def combined(self) -> Path:
        return self.results / "combined_dataset.csv"

    def create(self) -> SyntheticPilot:
        for folder in (self.folder, self.config_folder, self.desk):
            folder.mkdir(parents=True, exist_ok=True)
        for domain in ("DM", "VS", "LB", "SC"):
            self.write_rows(f"{domain}.csv", rows_of(domain))
        self.write_env(f"BIOSTREAMS_PILOT={self.name}")
        self.configure()
        return self

    def sibling(self, name: str) -> SyntheticPilot:
        """Another pilot beside this one, whole and with the same people."""
        other = SyntheticPilot(self.root, name)
        env = self.env_file.read_bytes()
        other.create()
        self.env_file.write_bytes(env)
        return other

    def write_env(self, *lines: str) -> None:
        folders = ["BIOSTREAMS_DATA_DIR=../pilots", "BIOSTREAMS_CONFIG_DIR=../configs"]
        self.env_file.write_text("\n".join([*lines, *folders]) + "\n", encoding="utf-8")

    def configure(self, **changes: object) -> None:
        self.config |= changes
        lines = "".join(f"    {key!r}: {value!r},\n" for key, value in self.config.items())
        self.write_config(f"config = {{\n{lines}}}\n")

    def unconfigure(self, *keys: str) -> None:
        for key in keys:
            del self.config[key]
        self.configure()

    def write_config(self, text: str | bytes) -> None:
        self.config_file.write_bytes(text.encode() if isinstance(text, str) else text)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def write_rows(self, name: str, rows: list[dict], **format_options: str) -> Path:
        return self.write(name, csv_text(rows, **format_options))

    def remove(self, *names: str) -> None:
        for name in names:
            (self.folder / name).unlink()

    def combined_rows(self) -> list[dict]:
        with self.combined.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write_combined(self, content: list[dict] | str | bytes) -> None:
        self.write(f"{RESULTS}/combined_dataset.csv", csv_text(content) if isinstance(content, list) else content)

    def summary(self) -> dict:
        return json.loads((self.results / f"{self.name}_privacy_summary.json").read_text(encoding="utf-8"))

    def merge_report(self) -> dict:
        return json.loads((self.results / "merge_report.json").read_text(encoding="utf-8"))

    def result_rows(self, name: str) -> list[dict]:
        with (self.results / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@functools.cache
def code_of(door: int) -> CodeType:
    """The script, compiled once for the hundreds of times that the tests start it."""
    path = PROJECT / SCRIPTS[door]
    return compile(path.read_bytes(), str(path), "exec", dont_inherit=True)


class Doors:
    """Starts the two scripts in this process, as ``python <script> <arguments>`` would in the desk."""

    def __init__(self, desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
        self.monkeypatch, self.capsys = monkeypatch, capsys
        for key in SETTINGS:
            monkeypatch.delenv(key, raising=False)
        # The developer's own .env beside the scripts must have no say here.
        monkeypatch.setattr("config.PROJECT_FOLDER", desk.parent / "scripts")
        monkeypatch.setattr("disclosure_control.run.clock.utc_now", lambda: NOW)
        # The process of the tests is not the doors' own.
        monkeypatch.setattr("disclosure_control.run.starting.end_at_once_by_signals", lambda: None)
        # On a busy machine a step takes longer than the silence after which its progress is told.
        monkeypatch.setattr("disclosure_control.basics.telling.progress.SECONDS_BETWEEN_LINES", 3600.0)
        monkeypatch.chdir(desk)

    def start(self, door: int, *arguments: str) -> SyntheticRun:
        self.monkeypatch.setattr(sys, "argv", [SCRIPTS[door], *arguments])
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            exec(code_of(door), {"__name__": "__main__"})
        captured = self.capsys.readouterr()
        return SyntheticRun(ended.value.code, captured.out, captured.err)

    def start_both(self) -> tuple[SyntheticRun, SyntheticRun]:
        return self.start(1), self.start(2)


def rows_of(domain: str) -> list[dict]:
    """The rows of one of the pilot's wide domains; of a fresh list, to be changed at will."""
    columns = {"DM": ("AGE", "SEX"), "SC": (DISTRICT,), "VS": ("BMI",), "LB": ("Cholesterol",)}[domain]
    position = {"AGE": 1, "SEX": 2, DISTRICT: 3, "BMI": 4, "Cholesterol": 5}
    return [{"USUBJID": person[0], **{name: person[position[name]] for name in columns}} for person in PEOPLE]


def csv_text(rows: list[dict], delimiter: str = ",") -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def snapshot(folder: Path) -> dict[str, tuple]:
    """Everything under a folder: kind, mode and hash by relative path; of a lock file, only that it is empty.

    What came of the last attempt is left out: that is known of a run that changed nothing, too.
    """
    found: dict[str, tuple] = {}
    below = [("", str(folder))]
    while below:
        prefix, here = below.pop()
        for entry in os.scandir(here):
            name, status = prefix + entry.name, entry.stat(follow_symlinks=False)
            if entry.name.startswith(".lock"):
                assert status.st_size == 0, f"{name} holds something"
            elif entry.name == LAST_ATTEMPT:
                continue
            elif entry.is_symlink():
                found[name] = ("link", str(Path(entry.path).readlink()))
            elif entry.is_dir():
                found[name] = ("folder", stat.S_IMODE(status.st_mode))
                below.append((f"{name}/", entry.path))
            else:
                content = Path(entry.path).read_bytes()
                found[name] = ("file", stat.S_IMODE(status.st_mode), hashlib.sha256(content).hexdigest())
    return found


def files_below(folder: Path) -> dict[str, bytes]:
    """The files of a folder and its folders that a user sees, by relative path."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(".")}


def of_the_data(files: dict[str, bytes]) -> dict[str, object]:
    """Results without what a second run of the same data changes: what remembers runs, and the hashes of that."""
    kept: dict[str, object] = {name: files[name] for name in files if name not in OF_RUNS | EVIDENCE}
    for name in [name for name in kept if name.endswith(".html")]:
        kept[name] = re.sub(rb'<section id="over_time".*?</section>', b"", files[name], flags=re.S)
    for name in [name for name in kept if name.endswith("_privacy_summary.json")]:
        summary = json.loads(files[name])
        unchanged = [one for one in kept if not one.endswith(".html")]
        summary["files"] = {one: entry for one, entry in summary["files"].items() if one in unchanged}
        kept[name] = summary
    return kept


def leaks(*texts: str) -> list[str]:
    """The markers of people in what was printed; empty if all is well. Digits of chance are nobody's."""
    return sorted({match[0] for text in texts for match in _MARKERS.finditer(_OF_CHANCE.sub("", text))})


def unprintable(*texts: str) -> list[str]:
    """The lines that would do something else to a terminal than show letters."""
    return [line for text in texts for line in text.split("\n") if not line.isprintable()]


def copy_of(template: Path, root: Path) -> SyntheticPilot:
    shutil.copytree(template, root, dirs_exist_ok=True, copy_function=shutil.copy)
    return SyntheticPilot(root)
