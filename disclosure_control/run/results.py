"""Custody of results: written aside, flushed, published at once, readable by the controller alone.

A run writes its whole set into ``.staging``. One rename turns that folder into ``.commit``: from here on the set
counts as published. Then each earlier file moves to ``.previous`` and the new one to its place, the JSON summary last;
files of the earlier set that the new one lacks only move away. A name may lead into a folder of the set
(``released/dm.xpt``); a folder that holds nothing any more goes. A run that fails meanwhile moves everything back. A
process killed before the rename has changed nothing; one killed after it is completed by ``recover`` at the next
start, and until then the hashes in the summary tell.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from disclosure_control.basics.files import link_fault
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.words import CONTROL_CHARACTERS, with_controls_escaped, without_controls
from disclosure_control.run import fingerprints
from study.formats.parquet_blocks import parquet_bytes

if TYPE_CHECKING:
    import pyarrow as pa

STAGING, COMMIT, PREVIOUS, MANIFEST = ".staging", ".commit", ".previous", ".manifest.json"
ASIDE = ".aside"
VERIFIED = ".verify"  # where a run is made again, to be compared
SPILL = ".spill"  # what an engine that works from disk puts aside; it is never part of a set
LOCK = ".lock"
_PIECE_BYTES = 1 << 20  # of a file that is copied


BLANKS, RUNS = r"[\s\p{Z}\p{Cf}]*", r"[=+\-@|%＝＋－＠]"  # what a spreadsheet passes over, and what it runs
FIRST_PLAIN, LAST_PLAIN = 32, 126  # of ASCII, what can be printed
RUNS_FIRST = np.isin(np.arange(256), list(b" =+-@|%"))
FORMULA_WITHIN = rf"(;{BLANKS}|[^\s\p{{Z}}\p{{Cf}}]{BLANKS}\t{BLANKS})({RUNS})"
TEXT_FOR_PEOPLE = (".txt", ".svg", ".html", ".md")
RESTRICTED = "Restricted, for the data controller alone: values of people stand in it, or can be calculated from it."


class PilotIsLockedError(Exception):
    """Another run holds this pilot."""


class PublishingInterruptedError(Exception):
    """A set could neither be moved to its place nor back; the next start completes it."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the results folder of a pilot for one run; completes or undoes what a killed run left there.

    Raises ``PilotIsLockedError`` if another process holds it. The operating system frees the lock of a process
    that dies, so nothing has to be cleaned up by hand. Raises ``FaultyInputError`` before anything is touched where
    the folder, or something in it, is a symbolic link that leads out of the pilot's folder.
    """
    from filelock import FileLock, Timeout

    stop_at(_links_out_of_pilot(folder))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(folder.stat().st_mode & 0o700)
    try:
        with FileLock(folder / LOCK, timeout=0, mode=0o600):
            recover(folder)
            yield
    except Timeout:
        raise PilotIsLockedError from None


def _links_out_of_pilot(results: Path) -> Iterator[str]:
    """Faults of links at or in the results folder: through them the modes and contents of other files would change."""
    if fault := link_fault(results, results.parent):
        yield fault
    elif results.is_dir():
        paths = sorted(results.iterdir())
        # Folders of a set, and not those in which another run may be working just now.
        inner = [folder for folder in paths if folder.is_dir() and not folder.name.startswith(".")]
        paths += [path for folder in inner for path in sorted(folder.iterdir())]
        # A plain file in a plain folder is where it stands; a folder may be a junction, which is no link to Python.
        may_lead = (path for path in paths if path.is_symlink() or path.is_dir())
        faults = (link_fault(path, results.parent) for path in may_lead)
        yield from (fault for fault in faults if fault)


def recover(folder: Path) -> None:
    """Complete a set that was committed and not fully moved; drop one that was not committed."""
    if (folder / COMMIT / MANIFEST).is_file():
        _move_into_place(folder)
    left_over = (COMMIT, PREVIOUS, STAGING, ASIDE, VERIFIED, SPILL)
    for aside in (folder / name for name in left_over):
        if aside.is_dir():
            shutil.rmtree(aside)


class ResultSet:
    """The results of one run, aside until they are published under their JSON summary.

    A file is restricted unless it is said to go from hand to hand; a summary that is restricted says so itself, and
    holds the plain SHA-256 of each file, which else it holds keyed.
    """

    def __init__(self, folder: Path, summary_name: str, is_restricted: bool = False):
        self.folder, self.summary_name, self.is_restricted = folder, summary_name, is_restricted
        self.staging = folder / STAGING
        self.files: dict[str, dict] = {}
        self.staging.mkdir(mode=0o700)

    def write_text(self, name: str, text: str, hand_to_hand: bool = True) -> None:
        """A file of text, in which no name or value reaches a terminal as a command."""
        self._write(name, [_harmless_file(name, text.encode("utf-8"))], hand_to_hand)

    def write_table(self, name: str, frame: pd.DataFrame | Iterable[pd.DataFrame], for_people: bool) -> None:
        """A file of a table, or of its pieces one after the other, at least one: CSV, or Parquet where it is named so.

        ``for_people``: no cell and no heading is run by a spreadsheet or obeyed by a terminal.
        """
        n_rows = 0

        def pieces() -> Iterator[pd.DataFrame]:
            nonlocal n_rows
            for piece in [frame] if isinstance(frame, pd.DataFrame) else frame:
                n_rows += len(piece)
                yield harmless(piece) if for_people else piece
                advance(len(piece))

        with progress(f"Writing {name}", unit="rows") as advance:
            as_csv = (csv_bytes(piece, has_header=number == 0) for number, piece in enumerate(pieces()))
            self._write(name, parquet_bytes(pieces()) if name.endswith(".parquet") else as_csv)
        self.files[name]["rows"] = n_rows

    def write_all(
        self,
        tables: Mapping[str, pd.DataFrame | Iterator[pd.DataFrame]],
        datasets: Mapping[str, pd.DataFrame | Iterator[pd.DataFrame]],
        files: Mapping[str, bytes | Path],
        hand_to_hand: Collection[str] = (),
    ) -> None:
        """What a step gave back, by file name: tables for people, datasets for programs, and any other files.

        ``hand_to_hand`` names those of the other files that hold nobody. One that was written already is taken from
        its path, as it is.
        """
        for name, table in tables.items():
            self.write_table(name, table, for_people=True)
        for name, dataset in datasets.items():
            self.write_table(name, dataset, for_people=False)
        for name, content in files.items():
            if isinstance(content, Path):
                with content.open("rb") as file:
                    self._write(name, iter(lambda: file.read(_PIECE_BYTES), b""), name in hand_to_hand)
                content.unlink()
            else:
                self._write(name, [_harmless_file(name, content)], name in hand_to_hand)

    @property
    def who_may_read(self) -> str:
        """The files written so far that hold people, in a section of the report."""
        restricted = sorted(name for name, entry in self.files.items() if entry["restricted"])
        if not restricted:
            return ""
        return "\n".join(["Restricted files", f"  {RESTRICTED}", *(f"    {name}" for name in restricted)]) + "\n"

    def publish(self, summary: dict) -> None:
        """Put the set in place of the last one; ``summary`` gets the hash of every file under ``files``."""
        earlier = _files_of_summary(self.folder / self.summary_name)
        files = dict(sorted(self.files.items()))
        summary = {**summary, "files": files}
        if self.is_restricted:
            summary = {"restricted": RESTRICTED, **summary}
        else:
            key = fingerprints.key_of(self.folder)
            hashed = {name: fingerprints.with_fingerprints(summary.get(name, {}), key) for name in ("inputs", "files")}
            summary = {**summary, "hashes": fingerprints.MEANING, **hashed}
        self.write_text(self.summary_name, summary_text(summary))
        order = [*files, self.summary_name]
        stale = [name for name in earlier if name not in order]
        self.write_text(MANIFEST, json.dumps({"files": order, "stale": stale}))
        for folder in {self.staging, *((self.staging / name).parent for name in order)}:
            flush_folder(folder)
        self.staging.replace(self.folder / COMMIT)
        try:
            flush_folder(self.folder)
            _move_into_place(self.folder)
        except OSError:
            _move_back(self.folder)
            raise
        for left_over in (COMMIT, PREVIOUS):
            shutil.rmtree(self.folder / left_over, ignore_errors=True)

    def _write(self, name: str, pieces: Iterable[bytes], hand_to_hand: bool = False) -> None:
        path, content_hash = self.staging / name, hashlib.sha256()
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        with path.open("wb") as file:
            for piece in pieces:
                file.write(piece)
                content_hash.update(piece)
            file.flush()
            os.fsync(file.fileno())
        self.files[name] = {"sha256": content_hash.hexdigest(), "restricted": not hand_to_hand}


@contextlib.contextmanager
def staged(folder: Path, summary_name: str, is_restricted: bool = False) -> Iterator[ResultSet]:
    """A result set that leaves nothing behind if the run fails before it is published."""
    results = ResultSet(folder, summary_name, is_restricted)
    try:
        yield results
    finally:
        shutil.rmtree(results.staging, ignore_errors=True)


@contextlib.contextmanager
def written_aside(folder: Path, files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder with these files, so that a step can open them from disk before they are published; gone afterwards."""
    aside = folder / ASIDE
    aside.mkdir(mode=0o700, parents=True)
    try:
        for name, content in files.items():
            (aside / name).touch(mode=0o600)
            (aside / name).write_bytes(content)
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def summary_text(summary: Mapping[str, Any]) -> str:
    """A JSON summary as its file holds it."""
    return with_controls_escaped(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _files_of_summary(path: Path) -> list[str]:
    """Names of the files that an earlier run of this kind left, by its own summary; a file of no run is never ours."""
    try:
        names = list(json.loads(path.read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if isinstance(name, str) and _may_be_of_a_set(name)]


def _may_be_of_a_set(name: str) -> bool:
    """Whether a name is one that a set may have, and none of the work folders here."""
    return _is_ours(name) and not any(part.startswith(".") for part in name.split("/"))


def _is_ours(name: object) -> bool:
    """Whether a name stays within the results, at most one folder deep: nothing elsewhere is moved or removed."""
    if not isinstance(name, str) or "\\" in name:
        return False
    parts = name.split("/")
    return len(parts) <= 2 and all(Path(part).name == part != ".." for part in parts)


def _manifest(folder: Path) -> tuple[list[str], list[str]]:
    manifest = json.loads((folder / COMMIT / MANIFEST).read_text(encoding="utf-8"))
    files, stale = ([name for name in manifest[part] if _is_ours(name)] for part in ("files", "stale"))
    return files, stale


def _move_into_place(folder: Path) -> None:
    commit, previous = folder / COMMIT, folder / PREVIOUS
    files, stale = _manifest(folder)
    previous.mkdir(mode=0o700, exist_ok=True)
    for name in stale + files:
        # A file that is no longer in the commit folder was placed before a run was killed here.
        waits = name in stale or (commit / name).is_file()
        if waits and name == files[-1] and (folder / name).is_file():
            shutil.copy(folder / name, previous / name)  # the summary is there at every moment
        elif waits and (folder / name).is_file():
            _move(folder / name, previous / name)
        if (commit / name).is_file():
            _move(commit / name, folder / name)
    _tidy_folders(stale + files, folder)
    flush_folder(folder)


def _tidy_folders(names: list[str], folder: Path) -> None:
    """Folders in ``folder`` that the names lead into: closed to others and flushed, or gone where they are empty."""
    for inner in {(folder / name).parent for name in names} - {folder}:
        if inner.is_dir() and any(inner.iterdir()):
            inner.chmod(inner.stat().st_mode & 0o700)
            flush_folder(inner)
        elif inner.is_dir():
            inner.rmdir()


def _move(source: Path, target: Path) -> None:
    """Rename a file, into a folder that may not be there yet."""
    target.parent.mkdir(mode=0o700, exist_ok=True)
    source.replace(target)


def _move_back(folder: Path) -> None:
    """Undo a move that failed: the earlier set stands again, the new one is no longer committed."""
    commit, previous = folder / COMMIT, folder / PREVIOUS
    try:
        files, stale = _manifest(folder)
        for name in reversed(stale + files):
            if name in files and not (commit / name).is_file():
                _move(folder / name, commit / name)
            if (previous / name).is_file() and not (folder / name).is_file():
                _move(previous / name, folder / name)
        _tidy_folders(stale + files, folder)
        commit.replace(folder / STAGING)
        shutil.rmtree(previous, ignore_errors=True)
        flush_folder(folder)
    except OSError:
        raise PublishingInterruptedError from None


def flush_folder(folder: Path) -> None:
    """Make the renames within a folder survive a loss of power, where the system lets a folder be flushed."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def csv_bytes(frame: pd.DataFrame, has_header: bool = True) -> bytes:
    """CSV in UTF-8: text in quotes, numbers without, an empty cell for missing, 38 and not 38.0."""
    import pyarrow as pa
    import pyarrow.csv

    plain = {name: _as_text(column) for name, column in frame.items() if column.dtype == "category"}
    # Arrow writes whatever is in its memory where a column begins with an empty chunk and there is no header.
    table = pa.Table.from_pandas(frame.assign(**plain), preserve_index=False).combine_chunks()
    buffer = io.BytesIO()
    pyarrow.csv.write_csv(table, buffer, pyarrow.csv.WriteOptions(include_header=has_header))
    return buffer.getvalue()


def _as_text(categories: pd.Series) -> pd.Series:
    """A column of categories as text; where they are text each is taken by its number, many times faster."""
    import pyarrow as pa

    if categories.cat.categories.dtype != "str":
        return categories.astype("str")
    codes = categories.cat.codes.to_numpy()
    texts = pa.array(categories.cat.categories, pa.large_string()).take(pa.array(codes, mask=codes < 0))
    return pd.Series(pd.array(texts, dtype="str"), categories.index, name=categories.name, copy=False)


def harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without control characters, and with an apostrophe before text that a spreadsheet would run.

    That holds for cells and for the names of columns; numbers stay numbers.
    """
    text = {name: column for name, column in frame.items() if not _is_harmless(column)}
    safe = frame.assign(**{name: _harmless_text(column.astype("str")) for name, column in text.items()})
    return safe.set_axis(_harmless_text(pd.Series(frame.columns, dtype="str")), axis="columns")


def _is_harmless(column: pd.Series) -> bool:
    """Whether a column is of numbers, or of categories that are plain text."""
    import pyarrow as pa

    if not isinstance(column.dtype, pd.CategoricalDtype):
        return bool(pd.api.types.is_numeric_dtype(column))
    return _are_plain(pa.array(column.cat.categories.astype("str"), pa.large_string()))


def _harmless_text(text: pd.Series) -> pd.Series:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.array(text)
    if _are_plain(values):
        return text
    if pc.any(pc.match_substring_regex(values, CONTROL_CHARACTERS)).as_py():
        text = text.map(without_controls, na_action="ignore")
        values = pa.array(text)
    # Where lists are parted by semicolons or tabs a spreadsheet takes what follows one for a cell of its own.
    if pc.any(pc.match_substring_regex(values, FORMULA_WITHIN)).as_py():
        values = pc.replace_substring_regex(values, FORMULA_WITHIN, r"\1'\2")
        text = pd.Series(values.to_pylist(), text.index, dtype="str", name=text.name)
    matches = pc.match_substring_regex(values, rf"^({BLANKS}{RUNS}|[\t\r\n])")
    suspect = pc.fill_null(matches, False).to_numpy(zero_copy_only=False)
    if not suspect.any():
        return text
    formula = pd.Series(suspect, index=text.index)
    formula[suspect] = pd.to_numeric(text[suspect], errors="coerce").isna()
    return text.where(~formula, "'" + text)


def _are_plain(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Whether all are printable ASCII without a semicolon, and none begins with a blank or what a spreadsheet runs.

    Then no pattern of ``_harmless_text`` finds anything, which is told many times faster this way.
    """
    import pyarrow as pa

    for chunk in texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]:
        whole = chunk.cast(pa.large_string())
        if not len(whole) or whole.buffers()[2] is None:
            continue
        offsets = np.frombuffer(whole.buffers()[1], dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1]
        letters = np.frombuffer(whole.buffers()[2], dtype=np.uint8)[: offsets[-1]]
        first = letters.take(offsets[:-1][np.diff(offsets) > 0])
        letters = letters[offsets[0] :]
        if letters.min(initial=FIRST_PLAIN) < FIRST_PLAIN or letters.max(initial=0) > LAST_PLAIN:
            return False
        if (letters == ord(";")).any() or RUNS_FIRST.take(first).any():
            return False
    return True


def _harmless_file(name: str, content: bytes) -> bytes:
    """A file of text without control characters; JSON keeps them in its own spelling, and an image its bytes."""
    if name.endswith(TEXT_FOR_PEOPLE):
        return without_controls(content.decode("utf-8")).encode("utf-8")
    if name.endswith(".json"):
        return with_controls_escaped(content.decode("utf-8")).encode("utf-8")
    return content


def file_name_part(name: str) -> str:
    """A column's name as part of a file's name: what Windows forbids becomes ``_``, at most 100 characters."""
    safe = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", name).strip(" .")
    return safe if len(safe) <= 100 else f"{safe[:91]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
