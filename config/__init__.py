"""Settings of the service and the pilots' configs: where they are looked for, and how they are read.

A pilot's config, ``config/<PILOT>.py``, contains one literal, ``config = {...}``. It is parsed and never executed:
opening a config file runs nothing, whatever it contains.
"""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from disclosure_control.basics.files import SourceFile, read_file
from disclosure_control.basics.telling.faults import FaultyInputError

PROJECT_FOLDER = Path(__file__).resolve().parent.parent
PILOT_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
NO_PILOTS = ("__init__", "model_settings")  # the program's own files in the default folder of configs
RESULTS_FOLDER = "processed_for_anonym"
COMBINED_DATASET = "combined_dataset.csv"
TYPED_DATASET = "combined_dataset.typed.parquet"  # the same rows
MERGE_REPORT = "merge_report.json"
FILES_OF_MERGE = (COMBINED_DATASET, TYPED_DATASET, MERGE_REPORT)
LARGEST_CONFIG = 2_000_000  # bytes: a literal of this size is read and checked in a few seconds
KEEP_RUNS = 400  # runs in a pilot's history, by default
LEAST_RUNS = 2  # the last one, and the one with which it was compared: without that it could not be verified
REVIEW = "review:"  # begins each comment of a drafted config that a controller has to decide on


@dataclass(frozen=True)
class ClusterSettings:
    """Who works for ``--engine cluster``: the address of a Dask scheduler, or None and processes of this machine."""

    scheduler: str | None = None
    n_workers: int = 2


@dataclass(frozen=True)
class Settings:
    """Folders of pilots and configs, and the pilot that ``.env`` or the environment names (None: none).

    ``state_folder``: the records of pilots outside of their folders; None: beside the data folder.
    ``keep_runs``: how many of a pilot's last runs the history contains. ``cluster``: the workers of that engine.
    """

    data_folder: Path
    config_folder: Path
    pilot: str | None
    env_file: Path | None
    state_folder: Path | None = None
    keep_runs: int = KEEP_RUNS
    cluster: ClusterSettings = ClusterSettings()


def read_settings(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """Process environment over ``.env`` over defaults.

    ``.env`` is looked for in the current ``folder``, then beside the scripts. A relative path in the environment
    starts from the current folder, one in ``.env`` from the folder of that file, a default beside the scripts or
    beside the ``.env`` in use.
    """
    from dotenv import dotenv_values

    environment = os.environ if environment is None else environment
    folder = Path.cwd() if folder is None else folder
    env_file = next((path for path in (folder / ".env", PROJECT_FOLDER / ".env") if path.is_file()), None)
    try:
        in_file = dotenv_values(env_file, encoding="utf-8-sig") if env_file else {}
    except (OSError, UnicodeDecodeError):
        raise FaultyInputError(f"{env_file}: cannot be read as UTF-8 text; write it again from .env.example") from None
    base = env_file.parent if env_file else PROJECT_FOLDER

    def given(key: str) -> str | None:
        return environment.get(key) or in_file.get(key) or None

    def given_path(key: str) -> Path | None:
        if environment.get(key):
            return folder / environment[key]
        written = in_file.get(key)
        return base / written if written else None

    return Settings(
        data_folder=given_path("BIOSTREAMS_DATA_DIR") or base / "pilot_report",
        config_folder=given_path("BIOSTREAMS_CONFIG_DIR") or base / "config",
        pilot=given("BIOSTREAMS_PILOT"),
        env_file=env_file,
        state_folder=given_path("BIOSTREAMS_STATE_DIR"),
        keep_runs=_whole_number("BIOSTREAMS_KEEP_RUNS", given("BIOSTREAMS_KEEP_RUNS"), KEEP_RUNS, 999_999, LEAST_RUNS),
        cluster=ClusterSettings(
            given("BIOSTREAMS_SCHEDULER"),
            _whole_number("BIOSTREAMS_WORKERS", given("BIOSTREAMS_WORKERS"), ClusterSettings.n_workers, 999),
        ),
    )


def _whole_number(key: str, written: str | None, default: int, most: int, least: int = 1) -> int:
    if not written:
        return default
    if not re.fullmatch(r"[0-9]{1,6}", written.strip()) or not least <= int(written) <= most:
        raise FaultyInputError(f"{key}: found {written[:20]!r}; allowed: a whole number, {least} to {most}")
    return int(written)


def list_pilots(settings: Settings) -> list[str]:
    """Names of all pilots that have a config, in alphabetical order."""
    names = (path.stem for path in settings.config_folder.glob("*.py"))
    return sorted(name for name in names if PILOT_NAME.fullmatch(name) and name not in NO_PILOTS)


def check_pilot_name(name: str) -> None:
    """Raise ``FaultyInputError`` unless the name can be a pilot's; this also keeps paths out of it."""
    if not PILOT_NAME.fullmatch(name) or name in NO_PILOTS:
        raise FaultyInputError(
            f"BIOSTREAMS_PILOT: {name[:80]!r} is not a pilot's name; allowed: letters, digits, _ and -, up to 64"
        )


def load_pilot_config(settings: Settings, pilot: str) -> dict:
    """The literal of ``config/<PILOT>.py``, not yet validated. Raises ``FaultyInputError``."""
    return parse_config_file(read_config_file(settings, pilot))


def read_config_file(settings: Settings, pilot: str) -> SourceFile:
    """``config/<PILOT>.py`` unchanged. Raises ``FaultyInputError`` where there is none, or one of no sensible size."""
    path = config_file_of(settings, pilot)
    if not path.is_file():
        folder = settings.data_folder / pilot
        remedy = (
            f"put its files into {folder} and run Create_Combined_Pilot_Dataset.py, which drafts one"
            if settings.config_folder.is_dir()
            else "there is no such folder of configs: make it, or correct BIOSTREAMS_CONFIG_DIR"
        )
        raise FaultyInputError(
            f"{path}: there is no config for the pilot {pilot}; known pilots: "
            f"{', '.join(list_pilots(settings)) or 'none'}; {remedy}"
        )
    n_bytes = path.stat().st_size
    if n_bytes > LARGEST_CONFIG:
        raise FaultyInputError(
            f"{path.name}: found {n_bytes:,} bytes; allowed: up to {LARGEST_CONFIG:,}; name only the columns that have "
            "a role, and put hierarchies into files of their own"
        )
    return read_file(path)


def parse_config_file(file: SourceFile) -> dict:
    """The literal of a config as it was read, not yet validated. Raises ``FaultyInputError``."""
    return parse_config(text_of_config(file), file.name)


def text_of_config(file: SourceFile) -> str:
    """The text of a config as it was read. Raises ``FaultyInputError`` where it is not UTF-8."""
    try:
        return file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FaultyInputError(f"{file.name}: not UTF-8 text; save the config as UTF-8") from None


def config_file_of(settings: Settings, pilot: str) -> Path:
    """Where the config of a pilot is, or would be. Raises ``FaultyInputError`` where the name is none of a pilot."""
    check_pilot_name(pilot)
    return settings.config_folder / f"{pilot}.py"


def sheet_of(config_file: Path) -> Path:
    """Where the sheet of columns of a config is, or would be: beside it, under its name."""
    return config_file.with_suffix(".columns.csv")


def lines_to_review(text: str) -> int:
    """How many comments of a config begin with the mark by which a draft asks for a decision."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT and token.string.startswith(f"# {REVIEW}") for token in tokens)


def parse_config(text: str, name: str) -> dict:
    """The dictionary in a text of the form ``config = {...}``, without running anything."""
    only = f"{name}: allowed is one literal, config = {{...}}, and nothing else; it is never run as code"
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise FaultyInputError(f"{only}; found a text that Python cannot read{line}") from None
    if statements and isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
        statements = statements[1:]  # a docstring
    faults = [
        f"{only}; found {type(statement).__name__} in line {statement.lineno}"
        for statement in statements
        if not _assigns_config(statement)
    ]
    if not faults and len(statements) != 1:
        faults.append(f"{only}; found {len(statements)} assignments to config")
    if faults:
        raise FaultyInputError(faults)
    (statement,) = statements
    assert isinstance(statement, ast.Assign)  # anything else was a fault
    value = statement.value
    repeated = _repeated_keys(value)
    if repeated:
        raise FaultyInputError(f"{name}: keys that stand twice: {', '.join(map(repr, repeated))}; keep one of each")
    try:
        literal = ast.literal_eval(value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise FaultyInputError(f"{only}; found a call, a name or a calculation inside the braces") from None
    if not isinstance(literal, dict):
        raise FaultyInputError(f"{only}; found {type(literal).__name__}")
    return literal


def _assigns_config(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id == "config"
    )


def _repeated_keys(node: ast.AST) -> list[object]:
    """Keys of a dictionary that Python would silently let the later one win."""
    repeated: list[object] = []
    for part in ast.walk(node):
        if isinstance(part, ast.Dict):
            keys = [key.value for key in part.keys if isinstance(key, ast.Constant)]
            repeated += [key for position, key in enumerate(keys) if key in keys[:position]]
    return repeated
