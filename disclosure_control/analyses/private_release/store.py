"""The file of a privacy ledger: one SQLite table of entries, each entry on the disk before the next step.

A rollback journal that is removed with each entry, and the folder flushed after it (``synchronous=EXTRA``): between
two entries the ledger is this one file, whole, and a copy of it is a backup. A write-ahead log would leave the last
entries in a second file, and needs memory that is shared by all who write, which network drives do not have.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from disclosure_control.analyses.private_release.entries import ANSWERED, BEGINNING, Entry

SCHEMA = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, "
    "hash TEXT NOT NULL)",
    "CREATE INDEX entries_of_a_question ON entries (key, kind)",
)
PRAGMAS = ("journal_mode=DELETE", "synchronous=EXTRA", "cell_size_check=ON", "trusted_schema=OFF")
SECONDS_TO_WAIT = 10.0  # our own lock keeps our processes apart; somebody may have opened the file by hand
# What SQLite reports, by its primary code, as the system error that it means.
ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_LOCKED: errno.EBUSY,
}


class DamagedStoreError(Exception):
    """The file is not the ledger that was written."""


def new_store(path: Path) -> None:
    """A new file without entries, readable by its owner alone."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # its journal gets the same mode
    with opened(path) as store, _transaction(store):
        for statement in SCHEMA:
            store.execute(statement)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, opened for one request, so that a moved folder is noticed at the next one.

    A write that a killed process left unfinished is rolled back here. Raises ``DamagedStoreError``, and ``OSError``
    where the disk is full or the file may not be written.
    """
    with _translated():
        store = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=SECONDS_TO_WAIT
        )
    try:
        with _translated():
            for pragma in PRAGMAS:
                store.execute(f"PRAGMA {pragma}")
            pages, size = (store.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            if pages * size != path.stat().st_size:  # cut off in a part that is not read now
                raise DamagedStoreError
        yield store
    finally:
        with contextlib.suppress(sqlite3.Error):
            store.close()


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in ERRORS:
            raise OSError(ERRORS[code], os.strerror(ERRORS[code])) from None
        raise DamagedStoreError from None
    except UnicodeDecodeError:  # SQLite quotes the bytes it cannot read
        raise DamagedStoreError from None


@contextlib.contextmanager
def _transaction(store: sqlite3.Connection) -> Iterator[None]:
    """All changes are on the disk when this ends, or none."""
    with _translated():
        store.execute("BEGIN IMMEDIATE")
        try:
            yield
            store.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # SQLite may have rolled back itself, then there is none
                store.execute("ROLLBACK")
            raise


def append(store: sqlite3.Connection, entry: Entry) -> None:
    """Add one entry, on the disk before this returns; a partial write is rolled back."""
    values = (entry.number, entry.kind, entry.key, entry.content, entry.hash)
    with _transaction(store):
        store.execute("INSERT INTO entries (number, kind, key, content, hash) VALUES (?, ?, ?, ?, ?)", values)


def check_file(store: sqlite3.Connection) -> None:
    """Read the whole file. Raises ``DamagedStoreError`` where its pages or its index are damaged."""
    with _translated():
        schema = tuple(sql for (sql,) in store.execute("SELECT sql FROM sqlite_schema ORDER BY rowid"))
        if schema != SCHEMA or store.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
            raise DamagedStoreError


def entries_of(store: sqlite3.Connection) -> Iterator[Entry]:
    """The entries in order. Raises ``DamagedStoreError``."""
    with _translated():
        yield from map(_entry, store.execute("SELECT number, kind, key, content, hash FROM entries ORDER BY number"))


def last_hash(store: sqlite3.Connection) -> str:
    """The hash of the last entry."""
    with _translated():
        found = store.execute("SELECT hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
    return found[0] if found else BEGINNING


def answered_entry(store: sqlite3.Connection, key: str) -> Entry | None:
    """The entry with the answer to a question; None where it has none."""
    with _translated():
        row = store.execute(
            "SELECT number, kind, key, content, hash FROM entries WHERE key = ? AND kind = ? ORDER BY number",
            (key, ANSWERED),
        ).fetchone()
    return _entry(row) if row else None


def _entry(row: tuple) -> Entry:
    if not isinstance(row[0], int) or not all(isinstance(value, str) for value in row[1:]):
        raise DamagedStoreError
    return Entry(*row)
