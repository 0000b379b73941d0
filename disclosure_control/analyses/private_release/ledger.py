"""The privacy budget of a pilot: questions, costs and answers, kept permanently.

``<pilot>/privacy/privacy_ledger.sqlite`` contains the entries, each with the SHA-256 of the one before, so that a
change anywhere breaks the chain; ``privacy_ledger.head`` and a mark outside of the pilot's folder have its last known
length, so that lost entries are noticed. A question is reserved before it is answered, and the answer is recorded
before it is given: if anything fails in between, the budget is spent and nobody has seen an answer. Nothing depends on
the clock, and nothing is ever reset: a contradiction is a fault, and the controller decides.

The folder is created whole, with an empty ledger and its head, so that a folder without them has lost them. The loss of
the folder itself is noticed by the mark, and by the results of door 2's last run.

This guards against accidents, and against two runs at once. Anybody who may write to all these places could delete all.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from disclosure_control.analyses.private_release.entries import (
    ANSWERED,
    NO_PLACE,
    RESERVED,
    SETTING,
    BrokenChainError,
    HighWater,
    LedgerState,
    UnreadableMarkError,
    decimal_or_none,
    has_a_place,
    key_of,
    mark_path,
    read_mark,
    write_mark,
)
from disclosure_control.analyses.private_release.questions import decimal_text
from disclosure_control.analyses.private_release.store import (
    DamagedStoreError,
    answered_entry,
    append,
    check_file,
    entries_of,
    last_hash,
    new_store,
    opened,
)
from disclosure_control.basics.files import link_fault
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import flush_folder

FOLDER, LEDGER, HEAD, LOCK = "privacy", "privacy_ledger.sqlite", "privacy_ledger.head", ".privacy_ledger.lock"
EARLY_LEDGER = "privacy_ledger.jsonl"  # of versions before 3
ANSWERS_FILE = "private_release.json"
SECONDS_TO_WAIT = 120.0


class BudgetExhaustedError(FaultyInputError):
    """The budget does not cover the question; ``left`` is what remains of it."""

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
    """An answer from the ledger, and what this request cost: nothing if it had been answered before."""

    answer: dict
    epsilon: float
    charged: Decimal

    @property
    def is_new(self) -> bool:
        """Whether it was answered now; an earlier answer is free."""
        return self.charged > 0


class Ledger:
    """The ledger in a pilot's ``folder`` under a ``budget`` of epsilon, both exact decimals.

    ``published`` is the spending known from elsewhere: a ledger with less has lost entries. So has one that is shorter
    than the mark in the ``state_folder`` says; by default that is beside the folder of all pilots. ``notices`` are what
    the controller should know of the mark.
    """

    def __init__(
        self, folder: Path, budget: Decimal, published: Decimal = Decimal(0), state_folder: Path | None = None
    ):
        self.folder, self.budget, self.published = folder / FOLDER, budget, published
        self.path, self.head = self.folder / LEDGER, self.folder / HEAD
        self.mark = mark_path(folder, state_folder)
        self._seen: LedgerState | None = None
        self._notices: dict[str, None] = {}

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(self._notices)

    def ask(
        self, question: Mapping, dataset: str, epsilon: Decimal, answer: Callable[[], dict], epsilon_of_map: float
    ) -> Recorded:
        """The recorded answer to a question on a dataset (its SHA-256), or a new one, paid for before it is computed.

        Raises ``BudgetExhaustedError`` with what is left, ``LedgerFaultError``, and ``OSError`` where the disk
        refuses an entry; after any error no answer was given.
        """
        key = key_of(question, dataset)
        with self._held() as store:
            state = self._read(store)
            if recorded := self._recorded(store, key, Decimal(0)):
                return recorded
            left = self.budget - state.spent
            if epsilon > left:
                raise BudgetExhaustedError(epsilon, max(left, Decimal(0)))
            charge = {"charged": decimal_text(epsilon), "budget": decimal_text(self.budget)}
            state = self._append(
                store, state, RESERVED, key, {"question": dict(question), "dataset": dataset, **charge}
            )
            state = self._append(store, state, ANSWERED, key, {"epsilon": epsilon_of_map, "answer": answer()})
            self._write_marks(state)
            paid_for = self._recorded(store, key, epsilon)
            assert paid_for is not None  # it was appended two lines above
            return paid_for

    def recorded(self, question: Mapping, dataset: str) -> Recorded | None:
        """The recorded answer to a question, at no cost; None where there is none. Raises as ``look``."""
        if self._was_never_asked():
            return None
        with self._held() as store:
            self._read(store)
            return self._recorded(store, key_of(question, dataset), Decimal(0))

    def look(self) -> LedgerState:
        """The spending so far; if nothing was asked, nothing is written. Raises ``LedgerFaultError``."""
        if self._was_never_asked():
            return LedgerState()
        with self._held() as store:
            return self._read(store)

    # ------------------------------------------------------------ the files

    def _was_never_asked(self) -> bool:
        """Whether there is no folder, and no sign that there was one."""
        if os.path.lexists(self.folder):
            return False
        self._compare(LedgerState(), [LedgerState().last_hash])
        return True

    @contextlib.contextmanager
    def _held(self) -> Iterator[sqlite3.Connection]:
        """The ledger, locked against all other processes."""
        from filelock import FileLock, Timeout

        try:
            self._enter()
            with FileLock(self.folder / LOCK, SECONDS_TO_WAIT, mode=0o600, poll_interval=0.01):
                head = self._read_head()
                if (self.folder / EARLY_LEDGER).exists():
                    raise LedgerFaultError(
                        f"{FOLDER}/{EARLY_LEDGER}: the ledger of an earlier version, not read since version 4.0.0; "
                        "nothing is answered; run this pilot once with version 3, which converts it"
                    )
                if not self.path.exists():
                    raise self._fault("is not there", f"its head counts {head.n_entries} entries")
                with opened(self.path) as store:
                    yield store
        except Timeout:
            raise LedgerFaultError(
                f"{FOLDER}/{LEDGER}: held by another process for {SECONDS_TO_WAIT:g} seconds; nothing was asked"
            ) from None
        except DamagedStoreError:
            raise self._fault("is damaged", "the file is not as it was written") from None
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            raise LedgerFaultError(
                f"{FOLDER}/{LEDGER}: may not be written ({os.strerror(error.errno)}); no question is answered; let the "
                f"user who runs this program write to the folder {FOLDER} and the files in it"
            ) from None

    def _enter(self) -> None:
        """Make sure that the folder exists and only the controller can read it; read-only files stay so."""
        if self._was_never_asked():
            self._begin()
        faults = [link_fault(path, self.folder.parent) for path in (self.folder, *self._files())]
        if found := [fault for fault in faults if fault]:  # a link's target would be changed, or believed
            raise LedgerFaultError("; ".join(found))
        if not self.folder.is_dir():
            raise self._fault("cannot be reached", f"{FOLDER} is no folder, or a link that leads nowhere")
        mode = self.folder.stat().st_mode & 0o777
        if mode & 0o077:
            self.folder.chmod(mode & 0o700)

    def _files(self) -> list[Path]:
        return sorted(self.folder.iterdir()) if self.folder.is_dir() else []

    def _begin(self) -> None:
        """Create the folder with an empty ledger and its head in one step; another process may be first."""
        try:
            aside = Path(tempfile.mkdtemp(prefix=f".{FOLDER}-", dir=self.folder.parent))
        except FileNotFoundError:
            raise self._fault("cannot be begun", "the pilot's folder is not there") from None
        try:
            new_store(aside / LEDGER)
            write_mark(aside / HEAD, LedgerState())
            aside.replace(self.folder)
            flush_folder(self.folder.parent)
        except OSError:
            if not self.head.exists():
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _read(self, store: sqlite3.Connection) -> LedgerState:
        """The state of the ledger, verified whole unless it is the one that this object has verified or written."""
        if self._seen is not None and last_hash(store) == self._seen.last_hash:
            return self._seen
        check_file(store)
        state, hashes = LedgerState(), [LedgerState().last_hash]
        try:
            for entry in entries_of(store):
                state = state.after(entry)
                hashes.append(state.last_hash)
        except BrokenChainError:
            raise self._fault("is damaged", f"entry {state.n_entries + 1} does not continue the chain") from None
        head = self._read_head()
        if not _reaches(hashes, head):
            raise self._fault(
                "does not reach its head", f"{state.n_entries} entries, and the head counts {head.n_entries}"
            )
        is_marked = self._compare(state, hashes)
        self._seen = state
        if head.n_entries < state.n_entries or not is_marked:
            self._write_marks(state)
        return state

    def _compare(self, state: LedgerState, hashes: Sequence[str]) -> bool:
        """Whether the mark is as high as the state. Raises a fault if the ledger lacks entries known from elsewhere.

        ``hashes`` (n_entries + 1,): that of the chain before its first entry, and after each.
        """
        mark = self._read_mark()
        if mark is not None and not _reaches(hashes, mark):
            spent = "" if mark.spent is None else f" and epsilon {decimal_text(mark.spent)} spent"
            found = f"{state.n_entries} entries and epsilon {decimal_text(state.spent)} in it"
            raise self._fault("has lost entries", f"{found}; its mark {self._mark_name} counts {mark.n_entries}{spent}")
        if state.spent < self.published:
            spent, published = decimal_text(state.spent), decimal_text(self.published)
            found = f"epsilon {spent} in it, and the results of the last run say that {published} was spent"
            raise self._fault("has lost entries", found)
        if mark is None and not has_a_place(self.mark):
            self._say_no_mark()
        elif mark is None and state.n_entries:
            self._notices[
                f"of the private answers of this pilot, epsilon {decimal_text(state.spent)} spent, no mark was found; "
                f"{self._mark_name} begins now. If you did not move it here, make sure that {FOLDER}/{LEDGER} is not "
                "an older copy"
            ] = None
        return mark is not None and mark.n_entries == state.n_entries

    @property
    def _mark_name(self) -> str:
        return f"{self.mark.parent.name}/{self.mark.name}"

    def _read_mark(self) -> HighWater | None:
        try:
            return read_mark(self.mark)
        except UnreadableMarkError:
            raise LedgerFaultError(
                f"{self._mark_name}: cannot be read. It records how much {FOLDER}/{LEDGER} has spent, so nothing is "
                "answered. Let the user who runs this program read and write it. If it is damaged and you know that "
                "the ledger is complete, remove it"
            ) from None

    def _read_head(self) -> HighWater:
        try:
            head = read_mark(self.head)
        except UnreadableMarkError:
            raise self._fault("has a damaged head", f"{HEAD} cannot be read") from None
        if head is None:
            both = f"; where nothing was ever asked of this pilot, take the folder {FOLDER} away"
            raise self._fault("has no head", f"{HEAD} was taken away{'' if self.path.exists() else both}")
        return head

    def _write_marks(self, state: LedgerState) -> None:
        """Set head and mark to the state; a place where no mark can be kept is a notice, not a fault."""
        write_mark(self.head, state)
        try:
            write_mark(self.mark, state)
        except OSError as error:
            if error.errno not in NO_PLACE:
                raise
            self._say_no_mark()

    def _say_no_mark(self) -> None:
        self._notices[
            f"no mark of the private answers can be kept outside of the pilot's folder ({self._mark_name} may not be "
            f"written): an older copy of {FOLDER}/{LEDGER} would not be noticed. Set {SETTING} to a folder "
            "that lasts and may be written"
        ] = None

    def _recorded(self, store: sqlite3.Connection, key: str, charged: Decimal) -> Recorded | None:
        """The answer from the ledger, so that the first time and every later one are the same."""
        entry = answered_entry(store, key)
        if entry is None:
            return None
        try:
            return Recorded(entry.values["answer"], entry.values["epsilon"], charged)
        except (BrokenChainError, KeyError):
            raise self._fault("is damaged", f"entry {entry.number + 1} is not as it was written") from None

    def _append(
        self, store: sqlite3.Connection, state: LedgerState, kind: str, key: str, values: Mapping
    ) -> LedgerState:
        entry = state.next_entry(kind, key, values)
        append(store, entry)
        self._seen = state.after(entry)
        return self._seen

    def _fault(self, found: str, hint: str) -> LedgerFaultError:
        return LedgerFaultError(
            f"{FOLDER}/{LEDGER}: {found} ({hint}); nothing is answered until the ledger is whole: put it back from a "
            "backup. It is never reset by this program, as a spent budget cannot be unspent"
        )


def _reaches(hashes: Sequence[str], known: HighWater) -> bool:
    """Whether a chain with these hashes contains the one that is known from elsewhere."""
    return known.n_entries < len(hashes) and hashes[known.n_entries] == known.last_hash


def published_spending(results: Path, pilot: str) -> Decimal:
    """The epsilon spent according to the files of door 2's last run; 0 if they have none."""
    places = {ANSWERS_FILE: ("epsilon_spent",), f"{pilot}_privacy_summary.json": ("private_release", "spent")}
    found = [Decimal(0)]
    for name, keys in places.items():
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
            value = json.loads((results / name).read_bytes())
            for key in keys:
                value = value[key]
            spent = decimal_or_none(value)
            found += [] if spent is None else [spent]
    return max(found)
