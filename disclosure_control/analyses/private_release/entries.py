"""The entries of a privacy ledger, each with the SHA-256 of the one before, and what they add up to."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from disclosure_control.analyses.private_release.questions import decimal_text
from disclosure_control.run.beside import flush_folder

BEGINNING = "0" * 64
RESERVED, ANSWERED = "reserved", "answered"


class BrokenChainError(ValueError):
    """An entry is not the one that was written after the entry before it."""


@dataclass(frozen=True)
class Entry:
    """One entry: its ``number`` from 0, the key of its question, the ``content`` as JSON, and the hash of that.

    ``kind``: a question is ``reserved`` with its cost, then ``answered``.
    """

    number: int
    kind: str
    key: str
    content: str
    hash: str

    @property
    def values(self) -> dict:
        """The content. Raises ``BrokenChainError`` where it was changed."""
        if self.hash != hash_of(self.content):
            raise BrokenChainError
        try:
            values = json.loads(self.content)
            is_itself = (values["entry"], values["kind"], values["key"]) == (self.number, self.kind, self.key)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BrokenChainError from None
        if not is_itself:
            raise BrokenChainError
        return values


@dataclass(frozen=True)
class LedgerState:
    """The totals of a ledger's entries: the epsilon ``spent``, and how many questions have no answer.

    ``lowest_budget`` is the least under which a question was paid for; None where none was.
    """

    n_entries: int = 0
    last_hash: str = BEGINNING
    spent: Decimal = Decimal(0)
    n_unanswered: int = 0
    lowest_budget: Decimal | None = None

    def next_entry(self, kind: str, key: str, values: Mapping) -> Entry:
        """The entry that continues the chain. Its time is for readers and decides nothing."""
        place = {"entry": self.n_entries, "previous": self.last_hash, "at": datetime.now(UTC).isoformat()}
        content = canonical({**values, "kind": kind, "key": key, **place})
        return Entry(self.n_entries, kind, key, content, hash_of(content))

    def after(self, entry: Entry) -> LedgerState:
        """The state after one entry more. Raises ``BrokenChainError`` where it does not continue the chain."""
        values = entry.values
        if entry.number != self.n_entries or values.get("previous") != self.last_hash:
            raise BrokenChainError
        spent, n_unanswered, lowest = self.spent, self.n_unanswered - 1, self.lowest_budget
        try:
            if entry.kind == RESERVED:
                charged = Decimal(values["charged"])
                if not charged.is_finite() or charged <= 0:
                    raise BrokenChainError
                spent, n_unanswered = spent + charged, self.n_unanswered + 1
                budgets = [Decimal(values["budget"])] if "budget" in values else []  # early ledgers lack it
                lowest = min([*budgets, *([] if lowest is None else [lowest])], default=None)
        except (KeyError, TypeError, ValueError, InvalidOperation):
            raise BrokenChainError from None
        return LedgerState(self.n_entries + 1, entry.hash, spent, n_unanswered, lowest)


def key_of(question: Mapping, dataset: str) -> str:
    """The key of a question on a dataset (its SHA-256): a hash of their canonical JSON, equal for equal questions."""
    return hash_of(canonical({"question": question, "dataset": dataset}))


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def decimal_or_none(value: object) -> Decimal | None:
    """A finite decimal from its text; None for anything else."""
    try:
        number = Decimal(value) if isinstance(value, str | int) else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


SETTING = "BIOSTREAMS_STATE_DIR"
NO_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT)


class UnreadableMarkError(Exception):
    """A mark exists and cannot be read."""


@dataclass(frozen=True)
class HighWater:
    """The number of entries, the hash of the last, and the epsilon spent by then; None where a head lacks it."""

    n_entries: int
    last_hash: str
    spent: Decimal | None = None


def mark_path(folder: Path, state_folder: Path | None) -> Path:
    """The mark of the pilot in ``folder``; without a state folder it is beside the folder of all pilots."""
    pilot = folder.resolve()
    return (state_folder or Path(f"{pilot.parent}.state")) / f"{pilot.name}.mark"


def has_a_place(path: Path) -> bool:
    """Whether a mark can be kept here, judged without writing."""
    nearest = next(parent for parent in path.parents if parent.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK)


def read_mark(path: Path) -> HighWater | None:
    """The mark; None where there is none. Raises ``UnreadableMarkError``."""
    try:
        mark = json.loads(path.read_bytes())
        n_entries, last_hash, spent = mark["entries"], mark["hash"], decimal_or_none(mark.get("spent"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnreadableMarkError from None
    if type(n_entries) is not int or n_entries < 0 or not isinstance(last_hash, str):
        raise UnreadableMarkError
    return HighWater(n_entries, last_hash, spent)


def write_mark(path: Path, state: LedgerState) -> None:
    """Replace the mark in one step, readable by its owner alone. Raises ``OSError``."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = {"entries": state.n_entries, "hash": state.last_hash, "spent": decimal_text(state.spent)}
    aside = path.with_name(f"{path.name}.new")
    write_new(aside, canonical(mark).encode("ascii"))
    aside.replace(path)
    flush_folder(path.parent)


def write_new(path: Path, content: bytes) -> None:
    """A file readable by its owner alone, on the disk before this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if os.write(descriptor, content) != len(content):  # a disk that fills up writes a part
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path.name)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
