"""Custody of results: written aside, flushed, published in one moment, readable by the controller alone.

A run writes its whole set into a folder beside the results, with the files that it keeps of the set before (those of
the other door). Then the two folders change places: a reader finds the earlier set or the new one, and in it nothing
that no run wrote. A run that fails or is killed before the exchange has changed nothing; one that is killed after it
has published. A name may lead into a folder of the set (``released/dm.xpt``).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from disclosure_control.basics.files import link_fault
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.words import counted, listed, with_controls_escaped
from disclosure_control.run import clock, fingerprints
from disclosure_control.run.beside import (
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
from disclosure_control.run.tables import csv_bytes, harmless, harmless_file

_PIECE_BYTES = 1 << 20  # of a file that is copied
RESTRICTED = "Restricted, for the data controller only: it contains values of people, or lets them be calculated."


class PilotIsLockedError(Exception):
    """Another run has locked this pilot."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the results folder of a pilot for one run; removes what a killed run left beside it.

    Raises ``PilotIsLockedError`` if another process has the lock. The operating system frees the lock of a process
    that dies, so nothing has to be cleaned up by hand. Raises ``FaultyInputError`` before anything is changed if
    the folder, or something in it, is a symbolic link that leads out of the pilot's folder, and if the results could
    not be exchanged at the end.
    """
    from filelock import FileLock, Timeout

    stop_at(_links_out_of_pilot(folder))
    stop_at(_in_the_way_of_an_exchange(folder))
    try:
        with FileLock(made_beside(folder) / LOCK, timeout=0, mode=0o600):
            recover(folder)
            yield
    except Timeout:
        raise PilotIsLockedError from None


def _links_out_of_pilot(results: Path) -> Iterator[str]:
    """Faults of links at or in the results folder: through them the modes and contents of other files would change."""
    pilot, work = results.parent, beside(results)
    if faults := [fault for folder in (results, work) if (fault := link_fault(folder, pilot))]:
        yield from faults
        return
    # A plain file in a plain folder is at its path; a folder may be a junction, which Python does not see as a link.
    paths = sorted([*results.rglob("*"), *work.glob("*")])
    may_lead = (path for path in paths if path.is_symlink() or path.is_dir())
    yield from (fault for path in may_lead if (fault := link_fault(path, pilot)))


def _in_the_way_of_an_exchange(results: Path) -> Iterator[str]:
    """Faults of surroundings in which no other folder can take the place of the results."""
    unchanged = "The results were not changed."
    if not os.access(results.parent, os.W_OK | os.X_OK):
        yield (
            f"The folder {results.parent.name} is read-only, but a run replaces the folder {results.name} in it. "
            f"{unchanged} {_OWN.format(results.parent.name)} The domain files may stay read-only."
        )
    elif results.is_dir() and not os.access(results, os.W_OK | os.X_OK):
        yield f"The folder {results.name} is read-only, but a run replaces it. {unchanged} {_OWN.format(results.name)}"
    elif others := [one.name for one in (results, beside(results)) if not _may_close(one)]:
        yield (
            f"{listed(others)} belongs to another user, and a run closes it to all but its owner. {unchanged} "
            f"{_OWN.format(others[0])}"
        )
    if os.path.ismount(results):
        yield (
            f"{results.name} is a mount of its own, which no other folder can replace. {unchanged} "
            f"Mount the folder {results.parent.name} instead."
        )


_OWN = "Make the user who runs the scripts the owner of {} (chown -R): its results are for the owner alone."


def _may_close(folder: Path) -> bool:
    """Whether this user may change the mode of a folder; of one that is not there yet, yes."""
    return os.name != "posix" or os.geteuid() == 0 or not folder.exists() or folder.stat().st_uid == os.geteuid()


def recover(folder: Path) -> None:
    """Remove what a killed run left unfinished; the set in the folder is whole, or is put back where it was.

    Raises ``FaultyInputError`` where something cannot be removed: it would be in the way of every later run.
    """
    work = beside(folder)
    put_back(folder.resolve(), work / EARLIER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(folder.stat().st_mode & 0o700)
    for left_over in (work / name for name in WORK_FOLDERS):
        if left_over.is_dir():
            _remove(left_over, folder)
    for unfinished in work.glob(f"*{UNFINISHED}"):
        unfinished.unlink()


def _remove(left_over: Path, results: Path) -> None:
    try:
        shutil.rmtree(left_over)
    except OSError as error:
        name = left_over.relative_to(results.parent).as_posix()
        raise FaultyInputError(
            f"{name} is left over from an earlier run and cannot be removed: {os.strerror(error.errno or 0)}. The "
            "results are whole and were not changed. Remove the folder, as a user who may, and run the script again."
        ) from error


class ResultSet:
    """The results of one run, kept aside until they are published under their JSON summary.

    A file is restricted unless declared otherwise; a restricted summary says so itself, and contains the plain SHA-256
    of each file instead of a keyed one. ``carried`` names the files of the previous set that stay, if they exist.
    ``notices`` are sentences for the controller after publishing.
    """

    def __init__(self, folder: Path, summary_name: str, is_restricted: bool = False, carried: Collection[str] = ()):
        self.folder, self.summary_name, self.is_restricted = folder, summary_name, is_restricted
        self.carried = carried
        self.notices: list[str] = []
        self.files: dict[str, dict] = {}
        self.staging = work_folder(folder, NEW)

    def write_text(self, name: str, text: str, hand_to_hand: bool = True) -> None:
        """A file of text, in which no name or value reaches a terminal as a command."""
        self._write(name, [harmless_file(name, text.encode("utf-8"))], hand_to_hand)

    def write_bytes(self, name: str, pieces: Iterable[bytes], hand_to_hand: bool = True) -> None:
        """A file that no terminal shows, as it is, of pieces one after the other."""
        self._write(name, pieces, hand_to_hand)

    def write_table(self, name: str, frame: pd.DataFrame | Iterable[pd.DataFrame], for_people: bool) -> None:
        """A CSV file of a table, or of its pieces one after the other, at least one.

        ``for_people``: no cell and no heading is run by a spreadsheet or obeyed by a terminal. A restricted summary
        has the number of rows.
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
            self._write(name, as_csv)
        if self.is_restricted:  # else the rows of a list of people or values are a count that the report masks
            self.files[name]["rows"] = n_rows

    def write_all(
        self,
        tables: Mapping[str, pd.DataFrame | Iterator[pd.DataFrame]],
        datasets: Mapping[str, pd.DataFrame | Iterator[pd.DataFrame]],
        files: Mapping[str, bytes | Path],
        hand_to_hand: Collection[str] = (),
    ) -> None:
        """Write the results of a step by file name: tables for people, datasets for programs, and any other files.

        ``hand_to_hand`` names those of the other files that may be handed on. A file that is already written is taken
        from its path.
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
                self._write(name, [harmless_file(name, content)], name in hand_to_hand)

    @property
    def who_may_read(self) -> str:
        """The files written so far that contain people's data, in a section of the report."""
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
        of_runs = {*self.carried, *files_of_set(self.folder / self.summary_name)}
        if strangers := files_below(self.folder) - of_runs:
            self._move_out(strangers)
        else:
            self._take_place()

    def _move_out(self, strangers: Collection[str]) -> None:
        """Publish, and move the files that no run wrote to a place of their own: the previous set moves as a whole."""
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


def summary_text(summary: Mapping[str, Any]) -> str:
    return with_controls_escaped(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def files_of_set(summary: Path) -> list[str]:
    """Names of the files that a run published under this summary, including itself; none if it does not list them."""
    try:
        names = list(json.loads(summary.read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [summary.name, *filter(_may_be_of_a_set, names)]


def files_below(folder: Path) -> set[str]:
    """The files in a folder and in folders of it, by their path from there."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _may_be_of_a_set(name: object) -> bool:
    """Whether a name stays within the results, at most one folder deep: nothing else is carried or removed."""
    if not isinstance(name, str) or "\\" in name:
        return False
    parts = name.split("/")
    return len(parts) <= 2 and all(Path(part).name == part != ".." and part[:1] != "." for part in parts)
