"""The privacy budget of a pilot: what was asked, what it cost, what was answered; kept for good.

``<pilot>/privacy/privacy_ledger.jsonl`` holds one entry a line, each with the SHA-256 of the one before, so that a
change anywhere breaks the chain; ``privacy_ledger.head`` says how far the chain went when somebody last acted on it, so
that lines cut off at the end are missed. A question is reserved before it is answered, and the answer is recorded
before it is given: whatever fails in between, the budget is spent and nobody has seen an answer. Nothing depends on the
clock, and nothing is ever reset: what does not fit is a fault, and the controller decides.

The folder comes into being whole, with an empty ledger and its head, so that one without them has lost them. That the
folder itself is gone is seen by who has read it before, and by what the last run of door 2 has published.

This guards against accidents, and against two runs at once. Whoever may write to the pilot's folder could delete all.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.run.results import flush_folder
from disclosure_control.steps.private_release.query import decimal_text

FOLDER, LEDGER, HEAD, LOCK = "privacy", "privacy_ledger.jsonl", "privacy_ledger.head", ".privacy_ledger.lock"
ANSWERS_FILE = "private_release.json"
BEGINNING = "0" * 64
SECONDS_TO_WAIT = 120.0
_THREADS = threading.Lock()  # of this process; the file's lock keeps other processes out


class BudgetExhaustedError(FaultyInputError):
    """The budget does not hold a question any more; ``left`` is what it still holds."""

    def __init__(self, asked: Decimal, left: Decimal):
        self.asked, self.left = asked, left
        super().__init__(
            f"privacy budget: epsilon {decimal_text(asked)} is asked and {decimal_text(left)} is left; nothing was "
            "spent and nothing answered; ask with a smaller epsilon, or ask what was asked before, at no cost"
        )


class LedgerFaultError(FaultyInputError):
    """The ledger cannot be trusted or written; no question is answered."""


@dataclass(frozen=True)
class Recorded:
    """An answer as the ledger holds it, and what this asking of it cost: nothing if it had been asked before."""

    answer: dict
    epsilon: float
    charged: Decimal

    @property
    def is_new(self) -> bool:
        """Whether it was answered now; what was answered before is free."""
        return self.charged > 0


@dataclass(frozen=True)
class LedgerState:
    """The ledger as read and verified: the epsilon ``spent``, and the recorded answers by key of the question.

    ``lowest_budget`` is the least under which a question was paid for; None where none was.
    """

    n_entries: int = 0
    last_hash: str = BEGINNING
    spent: Decimal = Decimal(0)
    answers: dict[str, dict] = field(default_factory=dict)
    n_unanswered: int = 0
    lowest_budget: Decimal | None = None


class Ledger:
    """The ledger in a pilot's ``folder`` under a ``budget`` of epsilon, both exact decimals.

    ``published`` is what is known from elsewhere to be spent: a ledger that holds less has lost entries. So has one
    that is shorter than this object has seen it.
    """

    def __init__(self, folder: Path, budget: Decimal, published: Decimal = Decimal(0)):
        self.folder, self.budget, self.published = folder / FOLDER, budget, published
        self.path, self.head = self.folder / LEDGER, self.folder / HEAD
        self._seen = (0, BEGINNING)

    def ask(
        self, question: Mapping, dataset: str, epsilon: Decimal, answer: Callable[[], dict], epsilon_of_map: float
    ) -> Recorded:
        """The recorded answer to a question on a dataset (its SHA-256), or a new one, paid for before it is computed.

        Raises ``BudgetExhaustedError`` with what is left, ``LedgerFaultError``, and ``OSError`` where the disk does
        not take an entry; whatever is raised, no answer was given. A new answer costs six flushes to the disk.
        """
        key = key_of(question, dataset)
        with self._held():
            state = self._read()
            if key in state.answers:
                return _recorded(state, key, Decimal(0))
            left = self.budget - state.spent
            if epsilon > left:
                raise BudgetExhaustedError(epsilon, max(left, Decimal(0)))
            charge = {"charged": decimal_text(epsilon), "budget": decimal_text(self.budget)}
            asked = {"key": key, "question": dict(question), "dataset": dataset}
            state = self._append(state, {"kind": "reserved", **asked, **charge})
            found = {"epsilon": epsilon_of_map, "answer": answer()}
            state = self._append(state, {"kind": "answered", "key": key, **found})
            return _recorded(state, key, epsilon)

    def look(self) -> LedgerState:
        """What was spent and answered so far; where nothing was, nothing is written. Raises ``LedgerFaultError``."""
        if not os.path.lexists(self.folder):
            return self._compared(LedgerState(), [BEGINNING])
        with self._held():
            return self._read()

    # ------------------------------------------------------------ the files

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            self._enter()
            with _THREADS, FileLock(self.folder / LOCK, SECONDS_TO_WAIT, mode=0o600, poll_interval=0.01):
                yield
        except Timeout:
            raise LedgerFaultError(
                f"{FOLDER}/{LEDGER}: held by another process for {SECONDS_TO_WAIT:g} seconds; nothing was asked"
            ) from None
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            raise LedgerFaultError(
                f"{FOLDER}/{LEDGER}: may not be written ({os.strerror(error.errno)}); no question is answered; let the "
                f"user who runs this program write to the folder {FOLDER} and the files in it"
            ) from None

    def _enter(self) -> None:
        """The folder is there and the controller's alone; what the controller may not write stays so."""
        if not os.path.lexists(self.folder):
            self._compared(LedgerState(), [BEGINNING])
            self._begin()
        if not self.folder.is_dir():
            raise self._fault("cannot be reached", f"{FOLDER} is no folder, or a link that leads nowhere")
        mode = self.folder.stat().st_mode & 0o777
        if mode & 0o077:
            self.folder.chmod(mode & 0o700)

    def _begin(self) -> None:
        """The folder with an empty ledger and its head, put in place at once; another process may be the first."""
        try:
            aside = Path(tempfile.mkdtemp(prefix=f".{FOLDER}-", dir=self.folder.parent))
        except FileNotFoundError:
            raise self._fault("cannot be begun", "the pilot's folder is not there") from None
        try:
            _write_new(aside / LEDGER, b"")
            _write_new(aside / HEAD, _head_of(LedgerState()))
            aside.replace(self.folder)
            flush_folder(self.folder.parent)
        except OSError:
            if not self.path.exists():
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _read(self) -> LedgerState:
        """The whole chain, verified: every asking pays for the reading, and no change goes unseen."""
        n_acted_on, hash_acted_on = self._read_head()
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            raise self._fault("is not there", f"its head counts {n_acted_on} entries") from None
        if lines.pop():
            harmless = len(lines) >= n_acted_on
            hint = "nothing was answered on it; take that line out by hand" if harmless else "lines are missing"
            raise self._fault("ends in the middle of a line", hint)
        state, hashes = LedgerState(), [BEGINNING]
        for line in lines:
            state = _after(state, _entry_of(line, state), self._fault)
            hashes.append(state.last_hash)
        if len(hashes) <= n_acted_on or hashes[n_acted_on] != hash_acted_on:
            raise self._fault("does not reach its head", f"{len(lines)} entries, and the head counts {n_acted_on}")
        return self._compared(state, hashes)

    def _compared(self, state: LedgerState, hashes: list[str]) -> LedgerState:
        """The state, where it holds all that is known of it. ``hashes`` (n_entries + 1,): after each entry."""
        n_seen, hash_seen = self._seen
        if len(hashes) <= n_seen or hashes[n_seen] != hash_seen:
            raise self._fault("has lost entries", f"{state.n_entries} entries, and this program has read {n_seen}")
        if state.spent < self.published:
            spent, published = decimal_text(state.spent), decimal_text(self.published)
            found = f"epsilon {spent} in it, and the results of the last run say that {published} was spent"
            raise self._fault("has lost entries", found)
        self._seen = (state.n_entries, state.last_hash)
        return state

    def _read_head(self) -> tuple[int, str]:
        try:
            head = json.loads(self.head.read_bytes())
            n_entries, last_hash = head["entries"], head["hash"]
        except FileNotFoundError:
            both = f"; where nothing was ever asked of this pilot, take the folder {FOLDER} away"
            raise self._fault("has no head", f"{HEAD} was taken away{'' if self.path.exists() else both}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._fault("has a damaged head", f"{HEAD} cannot be read") from None
        if type(n_entries) is not int or n_entries < 0 or not isinstance(last_hash, str):
            raise self._fault("has a damaged head", f"{HEAD} cannot be read")
        return n_entries, last_hash

    def _append(self, state: LedgerState, entry: Mapping) -> LedgerState:
        """One entry more, on the disk before this returns. A line that the disk takes in part is taken back."""
        # The time is for people to read and decides nothing: a clock may go backwards.
        entry = {**entry, "entry": state.n_entries, "previous": state.last_hash, "at": datetime.now(UTC).isoformat()}
        line = _canonical({**entry, "hash": _hash_of(entry)}) + b"\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            n_before = os.fstat(descriptor).st_size
            try:
                _write_and_flush(descriptor, line)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, n_before)
                raise
        finally:
            os.close(descriptor)
        after = _after(state, json.loads(line), self._fault)
        aside = self.head.with_suffix(".new")
        _write_new(aside, _head_of(after))
        aside.replace(self.head)
        flush_folder(self.folder)
        self._seen = (after.n_entries, after.last_hash)
        return after

    def _fault(self, found: str, hint: str) -> LedgerFaultError:
        return LedgerFaultError(
            f"{FOLDER}/{LEDGER}: {found} ({hint}); nothing is answered until the ledger is whole: put it back from a "
            "backup. It is never reset by this program, as a spent budget cannot be unspent"
        )


def published_spending(results: Path, pilot: str) -> Decimal:
    """The epsilon that the files of the last run of door 2 say was spent; 0 where they say nothing."""
    places = {ANSWERS_FILE: ("epsilon_spent",), f"{pilot}_privacy_summary.json": ("private_release", "spent")}
    found = [Decimal(0)]
    for name, keys in places.items():
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, InvalidOperation, RecursionError):
            value = json.loads((results / name).read_bytes())
            for key in keys:
                value = value[key]
            spent = Decimal(value)
            found += [spent] if spent.is_finite() else []
    return max(found)


def _head_of(state: LedgerState) -> bytes:
    return _canonical({"entries": state.n_entries, "hash": state.last_hash})


def _write_new(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        _write_and_flush(descriptor, content)
    finally:
        os.close(descriptor)


def _write_and_flush(descriptor: int, content: bytes) -> None:
    if os.write(descriptor, content) != len(content):  # a disk that fills up takes a part
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), LEDGER)
    os.fsync(descriptor)


# ---------------------------------------------------------------- entries


def key_of(question: Mapping, dataset: str) -> str:
    """What makes two questions the same: their canonical JSON, and the SHA-256 of the dataset."""
    return hashlib.sha256(_canonical({"question": question, "dataset": dataset})).hexdigest()


def _recorded(state: LedgerState, key: str, charged: Decimal) -> Recorded:
    """The answer as it stands in the ledger, so that the first time and every later one are the same."""
    return Recorded(state.answers[key]["answer"], state.answers[key]["epsilon"], charged)


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def _hash_of(entry: Mapping) -> str:
    return hashlib.sha256(_canonical({name: value for name, value in entry.items() if name != "hash"})).hexdigest()


def _entry_of(line: bytes, state: LedgerState) -> dict | None:
    """The entry of a line where it continues the chain, else None."""
    try:
        entry = json.loads(line)
        fits = entry["entry"] == state.n_entries and entry["previous"] == state.last_hash
        return entry if fits and entry["hash"] == _hash_of(entry) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _after(state: LedgerState, entry: dict | None, fault: Callable[[str, str], LedgerFaultError]) -> LedgerState:
    """The state after one entry more; the answers are handed on, not copied, as a ledger may be long."""
    try:
        answers, spent, n_unanswered, lowest = state.answers, state.spent, state.n_unanswered, state.lowest_budget
        if entry["kind"] == "reserved":
            charged = Decimal(entry["charged"])
            if not charged.is_finite() or charged <= 0:
                raise ValueError
            spent, n_unanswered = spent + charged, n_unanswered + 1
            budgets = [Decimal(entry["budget"])] if "budget" in entry else []  # early ledgers do not tell it
            lowest = min([*budgets, *([] if lowest is None else [lowest])], default=None)
        else:
            answers[entry["key"]] = {"answer": entry["answer"], "epsilon": entry["epsilon"]}
            n_unanswered -= 1
    except (KeyError, TypeError, ValueError, InvalidOperation):
        raise fault("is damaged", f"line {state.n_entries + 1} does not continue the chain") from None
    return LedgerState(state.n_entries + 1, entry["hash"], spent, answers, n_unanswered, lowest)
