"""Custody of results: written aside, flushed, published in one moment, readable by the controller alone.

A run writes its whole set into a folder beside the results, together with what it keeps of the set before (the files of
the other door). Then the two folders change places: who looks at the results finds the earlier set or the new one, and
in it nothing that no run wrote. A run that fails or is killed before has changed nothing; one that is killed after has
published. A name may lead into a folder of the set (``released/dm.xpt``).
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
from disclosure_control.basics.telling.words import CONTROL_CHARACTERS, counted, with_controls_escaped, without_controls
from disclosure_control.run import clock, fingerprints
from disclosure_control.run.beside import (
    ASIDE,
    EARLIER,
    LOCK,
    MOVED_OUT,
    NEW,
    UNFINISHED,
    WORK_FOLDERS,
    beside,
    carry,
    flush_folder,
    made_beside,
    work_folder,
)
from disclosure_control.run.exchange import exchange, put_back
from disclosure_control.run.fingerprints import KEY_FILE
from study.formats.parquet_blocks import parquet_bytes

if TYPE_CHECKING:
    import pyarrow as pa

_PIECE_BYTES = 1 << 20  # of a file that is copied


BLANKS, RUNS = r"[\s\p{Z}\p{Cf}]*", r"[=+\-@|%＝＋－＠]"  # what a spreadsheet passes over, and what it runs
FIRST_PLAIN, LAST_PLAIN = 32, 126  # of ASCII, what can be printed
RUNS_FIRST = np.isin(np.arange(256), list(b" =+-@|%"))
FORMULA_WITHIN = rf"(;{BLANKS}|[^\s\p{{Z}}\p{{Cf}}]{BLANKS}\t{BLANKS})({RUNS})"
TEXT_FOR_PEOPLE = (".txt", ".svg", ".html", ".md")
RESTRICTED = "Restricted, for the data controller alone: values of people stand in it, or can be calculated from it."


class PilotIsLockedError(Exception):
    """Another run holds this pilot."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the results folder of a pilot for one run; removes what a killed run left beside it.

    Raises ``PilotIsLockedError`` if another process holds it. The operating system frees the lock of a process
    that dies, so nothing has to be cleaned up by hand. Raises ``FaultyInputError`` before anything is touched where
    the folder, or something in it, is a symbolic link that leads out of the pilot's folder.
    """
    from filelock import FileLock, Timeout

    stop_at(_links_out_of_pilot(folder))
    try:
        with FileLock(made_beside(folder) / LOCK, timeout=0, mode=0o600):
            recover(folder)
            yield
    except Timeout:
        raise PilotIsLockedError from None


def _links_out_of_pilot(results: Path) -> Iterator[str]:
    """Faults of links at or in the results folder: through them the modes and contents of other files would change."""
    pilot, folders = results.parent, [results, beside(results)]
    if faults := [fault for folder in folders if (fault := link_fault(folder, pilot))]:
        yield from faults
        return
    inner = [folder for folder in results.glob("[!.]*") if folder.is_dir()]
    paths = [path for folder in (*folders, *inner) if folder.is_dir() for path in sorted(folder.iterdir())]
    # A plain file in a plain folder is where it stands; a folder may be a junction, which is no link to Python.
    may_lead = (path for path in paths if path.is_symlink() or path.is_dir())
    yield from (fault for path in may_lead if (fault := link_fault(path, pilot)))


def recover(folder: Path) -> None:
    """Remove what a killed run left unfinished; the set in the folder is whole, or is put back where it was."""
    work = beside(folder)
    put_back(folder.resolve(), work / EARLIER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(folder.stat().st_mode & 0o700)
    for left_over in (work / name for name in WORK_FOLDERS):
        if left_over.is_dir():
            shutil.rmtree(left_over)
    for unfinished in work.glob(f"*{UNFINISHED}"):
        unfinished.unlink()
    # Where earlier versions kept both.
    if (folder / KEY_FILE).is_file() and not (work / KEY_FILE).exists():
        (folder / KEY_FILE).replace(work / KEY_FILE)
    (folder / LOCK).unlink(missing_ok=True)


class ResultSet:
    """The results of one run, aside until they are published under their JSON summary.

    A file is restricted unless it is said to go from hand to hand; a summary that is restricted says so itself, and
    holds the plain SHA-256 of each file, which else it holds keyed. ``carried`` names the files of the set before that
    stay, where they are there. ``notices`` says after publishing what the controller should know.
    """

    def __init__(
        self, folder: Path, summary_name: str, is_restricted: bool = False, carried: Collection[str] = ()
    ):
        self.folder, self.summary_name, self.is_restricted = folder, summary_name, is_restricted
        self.carried = carried
        self.notices: list[str] = []
        self.files: dict[str, dict] = {}
        self.staging = work_folder(folder, NEW)

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
        """Put the set in place of the last one; ``summary`` gets the hash of every file under ``files``.

        Raises ``OSError``, and then the last set is where it was.
        """
        summary = {**summary, "files": dict(sorted(self.files.items()))}
        if self.is_restricted:
            summary = {"restricted": RESTRICTED, **summary}
        else:
            key = fingerprints.key_of(self.folder)
            hashed = {name: fingerprints.with_fingerprints(summary.get(name, {}), key) for name in ("inputs", "files")}
            summary = {**summary, "hashes": fingerprints.MEANING, **hashed}
        self.write_text(self.summary_name, summary_text(summary))
        for name in self.carried:
            if name not in self.files and (self.folder / name).is_file():
                carry(self.folder / name, self.staging / name)
        for folder in {path.parent for path in self.staging.rglob("*")}:
            flush_folder(folder)
        if strangers := strangers_in(self.folder) - set(self.carried):
            self._move_out(strangers)
        else:
            self._take_place()

    def _move_out(self, strangers: Collection[str]) -> None:
        """Publish, and give the files that no run wrote a place of their own: the set before goes as a whole."""
        place = beside(self.folder) / MOVED_OUT / clock.utc_now().replace(":", "")
        try:
            for name in strangers:
                carry(self.folder / name, place / name)
            self._take_place()
        except OSError:
            shutil.rmtree(place, ignore_errors=True)
            raise
        where = place.relative_to(self.folder.parent).as_posix()
        were = "was" if len(strangers) == 1 else "were"
        files = f"{counted(len(strangers), 'file')} in {self.folder.name} that no run wrote"
        self.notices.append(f"{files} {were} moved to {where}.")

    def _take_place(self) -> None:
        """Exchange the new set and the one before; where that cannot be made to last, exchange them back."""
        place, work = self.folder.resolve(), beside(self.folder)
        exchange(self.staging, place, work / EARLIER)
        try:
            for folder in (place.parent, work):
                flush_folder(folder)
        except OSError:
            exchange(self.staging, place, work / EARLIER)
            raise

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
def staged(
    folder: Path, summary_name: str, is_restricted: bool = False, carried: Collection[str] = ()
) -> Iterator[ResultSet]:
    """A result set that leaves nothing unfinished behind: neither its own files nor those that it replaced."""
    results = ResultSet(folder, summary_name, is_restricted, carried)
    try:
        yield results
    finally:
        shutil.rmtree(results.staging, ignore_errors=True)


@contextlib.contextmanager
def written_aside(folder: Path, files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder with these files, so that a step can open them from disk before they are published; gone afterwards.

    ``folder``: the results of the pilot, beside which it is made.
    """
    aside = work_folder(folder, ASIDE)
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


def files_of_set(summary: Path) -> list[str]:
    """Names of the files that a run published under this summary, itself among them; none where it does not tell."""
    try:
        names = list(json.loads(summary.read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [summary.name, *filter(_may_be_of_a_set, names)]


def strangers_in(folder: Path) -> set[str]:
    """The files in a folder of results, and in folders of it, that no summary there names."""
    named = {name for summary in folder.glob("*.json") for name in files_of_set(summary)}
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - named


def _may_be_of_a_set(name: object) -> bool:
    """Whether a name stays within the results, at most one folder deep: nothing else is carried or removed."""
    if not isinstance(name, str) or "\\" in name:
        return False
    parts = name.split("/")
    return len(parts) <= 2 and all(Path(part).name == part != ".." and part[:1] != "." for part in parts)


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
