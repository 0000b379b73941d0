"""Custody of results: written aside, flushed, published at once, readable by the controller alone.

A run writes its whole set into ``.staging``. One rename turns that folder into ``.commit``: from here on the set
counts as published. Then its files are moved to their places, the JSON summary last, and what an earlier run left
and this one does not produce is deleted. A process killed before the rename has changed nothing; one killed after
it is completed by ``recover`` at the next start, and until then the hashes in the summary tell.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

STAGING, COMMIT, MANIFEST = ".staging", ".commit", ".manifest.json"
LOCK = ".lock"


class PilotIsLockedError(Exception):
    """Another run holds this pilot."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the results folder of a pilot for one run; completes or undoes what a killed run left there.

    Raises ``PilotIsLockedError`` if another process holds it. The operating system frees the lock of a process
    that dies, so nothing has to be cleaned up by hand.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    try:
        with FileLock(folder / LOCK, timeout=0, mode=0o600):
            recover(folder)
            yield
    except Timeout:
        raise PilotIsLockedError from None


def recover(folder: Path) -> None:
    """Complete a set that was committed and not fully moved; drop one that was not committed."""
    if (folder / COMMIT / MANIFEST).is_file():
        _move_into_place(folder)
    for left_over in (folder / COMMIT, folder / STAGING):
        if left_over.is_dir():
            shutil.rmtree(left_over)


class ResultSet:
    """The results of one run, aside until ``publish``."""

    def __init__(self, folder: Path, owned: str):
        """``owned``: a regular expression of the file names that this kind of run produces, now or earlier."""
        self.folder, self.owned = folder, re.compile(owned)
        self.staging = folder / STAGING
        self.files: dict[str, dict] = {}
        self.staging.mkdir(mode=0o700)

    def write_text(self, name: str, text: str) -> None:
        self._write(name, text.encode("utf-8"))

    def write_table(self, name: str, frame: pd.DataFrame, for_people: bool) -> None:
        """A CSV file. ``for_people``: cells that a spreadsheet would run as a formula get a leading apostrophe."""
        self._write(name, csv_bytes(without_formulas(frame) if for_people else frame), rows=len(frame))

    def publish(self, summary_name: str, summary: dict) -> None:
        """Put the set in place of the last one; ``summary`` gets the SHA-256 of every file under ``files``."""
        files = dict(sorted(self.files.items()))
        text = json.dumps({**summary, "files": files}, indent=2, ensure_ascii=False, allow_nan=False)
        self.write_text(summary_name, text + "\n")
        order = [name for name in self.files if name != summary_name] + [summary_name]
        stale = [
            path.name
            for path in self.folder.iterdir()
            if path.is_file() and self.owned.fullmatch(path.name) and path.name not in order
        ]
        self.write_text(MANIFEST, json.dumps({"files": order, "stale": sorted(stale)}))
        _flush_folder(self.staging)
        self.staging.replace(self.folder / COMMIT)
        _flush_folder(self.folder)
        _move_into_place(self.folder)
        shutil.rmtree(self.folder / COMMIT)

    def _write(self, name: str, content: bytes, rows: int | None = None) -> None:
        path = self.staging / name
        path.touch(mode=0o600, exist_ok=False)
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self.files[name] = {"sha256": hashlib.sha256(content).hexdigest()}
        if rows is not None:
            self.files[name]["rows"] = rows


@contextlib.contextmanager
def staged(folder: Path, owned: str) -> Iterator[ResultSet]:
    """A result set that leaves nothing behind if the run fails before it is published."""
    results = ResultSet(folder, owned)
    try:
        yield results
    finally:
        shutil.rmtree(results.staging, ignore_errors=True)


def _move_into_place(folder: Path) -> None:
    commit = folder / COMMIT
    manifest = json.loads((commit / MANIFEST).read_text(encoding="utf-8"))
    for name in manifest["stale"]:
        (folder / name).unlink(missing_ok=True)
    for name in manifest["files"]:
        if (commit / name).is_file():  # else it was moved before the run was killed
            (commit / name).replace(folder / name)
    _flush_folder(folder)


def _flush_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """CSV in UTF-8: text in quotes, numbers without, an empty cell for missing, 38 and not 38.0."""
    import pyarrow as pa
    import pyarrow.csv

    plain = {name: column.astype("str") for name, column in frame.items() if column.dtype == "category"}
    table = pa.Table.from_pandas(frame.assign(**plain), preserve_index=False)
    buffer = io.BytesIO()
    pyarrow.csv.write_csv(table, buffer)
    return buffer.getvalue()


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before text that a spreadsheet would run as a formula; numbers stay numbers."""
    text = {name: column for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)}
    safe = frame.assign(**{name: _neutralised(column.astype("str")) for name, column in text.items()})
    return safe.set_axis(_neutralised(pd.Series(frame.columns, dtype="str")), axis="columns")


def _neutralised(text: pd.Series) -> pd.Series:
    import pyarrow as pa
    import pyarrow.compute as pc

    matches = pc.match_substring_regex(pa.array(text), r"^\s*[=+\-@|%]")
    suspect = pc.fill_null(matches, False).to_numpy(zero_copy_only=False)
    formula = pd.Series(suspect, index=text.index)
    formula[suspect] = pd.to_numeric(text[suspect], errors="coerce").isna()
    return text.where(~formula, "'" + text) if formula.any() else text


def file_name_part(name: str) -> str:
    """A column's name as part of a file's name: what Windows forbids becomes ``_``, at most 100 characters."""
    safe = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", name).strip(" .")
    return safe if len(safe) <= 100 else f"{safe[:91]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
