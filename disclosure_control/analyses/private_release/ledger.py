"""The privacy budget of a pilot: questions, costs and answers, kept permanently.

``<pilot>/privacy/privacy_ledger.sqlite`` contains the entries, each with the SHA-256 of the one before, so that a
change anywhere breaks the chain; a mark outside of the pilot's folder has its last known length, so that lost entries
are noticed. A question is reserved before it is answered, and the answer is recorded before it is given: if anything
fails in between, the budget is spent and nobody has seen an answer. Nothing depends on the clock, and nothing is ever
reset: a contradiction is a fault, and the controller decides.

Each entry is one transaction of SQLite, on the disk before the next step, and one lock of SQLite is held from the
question to the mark of its answer. The file comes into being whole, in a folder of its own: a folder without it has
lost it.

This guards against accidents, and against two runs at once. Anybody who may write to all these places could delete all.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from disclosure_control.analyses.private_release.questions import decimal_text
from disclosure_control.basics.files import link_fault
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import flush_folder, write_whole

FOLDER, LEDGER = "privacy", "privacy_ledger.sqlite"
ANSWERS_FILE = "private_release.json"
SETTING = "BIOSTREAMS_STATE_DIR"
RESERVED, ANSWERED = "reserved", "answered"
BEGINNING = "0" * 64
SCHEMA = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, "
    "hash TEXT NOT NULL)",
    "CREATE INDEX entries_of_a_question ON entries (key, kind)",
)
# A rollback journal that goes with each entry: between two of them the ledger is this one file, and a copy a backup.
PRAGMAS = ("journal_mode=DELETE", "synchronous=EXTRA", "cell_size_check=ON", "trusted_schema=OFF")
SECONDS_TO_WAIT = 120.0
FULL = {sqlite3.SQLITE_FULL: errno.ENOSPC, sqlite3.SQLITE_IOERR: errno.EIO}
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
FORBIDDEN = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
NO_PLACE = (*NOT_ALLOWED, errno.ENOTDIR, errno.EEXIST, errno.ENOENT)


class LedgerFaultError(FaultyInputError):
    """The ledger cannot be trusted or written; no question is answered."""


class BudgetExhaustedError(FaultyInputError):
    """The budget does not cover the question; ``left`` is what remains of it."""

    def __init__(self, asked: Decimal, left: Decimal):
        self.asked, self.left = asked, left
        super().__init__(
            f"privacy budget: epsilon {decimal_text(asked)} is asked and {decimal_text(left)} is left; nothing was "
            "spent and nothing answered; ask with a smaller epsilon, or ask what was asked before, at no cost"
        )


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


@dataclass(frozen=True)
class LedgerState:
    """The totals of a ledger: the epsilon ``spent``, how many questions have no answer, and the hash of each entry.

    ``lowest_budget`` is the least under which a question was paid for; None where none was.
    """

    hashes: tuple[str, ...] = (BEGINNING,)
    spent: Decimal = Decimal(0)
    n_unanswered: int = 0
    lowest_budget: Decimal | None = None

    @property
    def n_entries(self) -> int:
        """Entries, of questions and of answers."""
        return len(self.hashes) - 1


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
        self.path, pilot = self.folder / LEDGER, folder.resolve()
        self.mark = (state_folder or Path(f"{pilot.parent}.state")) / f"{pilot.name}.mark"
        self._notices: dict[str, None] = {}

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(self._notices)

    def ask(
        self, question: Mapping, dataset: str, epsilon: Decimal, answer: Callable[[], dict], epsilon_of_map: float
    ) -> Recorded:
        """The recorded answer to a question on a dataset (its SHA-256), or a new one, paid for before it is computed.

        Raises ``BudgetExhaustedError`` with what is left, ``LedgerFaultError``, and ``OSError`` where the disk
        refuses an entry; after any error no answer was given. An error of ``answer`` itself is raised as it came.
        """
        key, failure = key_of(question, dataset), None
        with self._entries(is_asked=True) as store:
            state = self._read(store)
            if recorded := self._recorded(store, key):
                return recorded
            left = self.budget - state.spent
            if epsilon > left:
                raise BudgetExhaustedError(epsilon, max(left, Decimal(0)))
            paid = {"charged": decimal_text(epsilon), "budget": decimal_text(self.budget)}
            state = self._append(store, state, RESERVED, key, {"question": dict(question), "dataset": dataset, **paid})
            try:
                given = {"epsilon": epsilon_of_map, "answer": answer()}
            except Exception as error:
                failure = error  # is raised when the ledger is closed, or it would be told as one of the ledger
            else:
                self._append(store, state, ANSWERED, key, given)
        if failure is not None:
            raise failure
        return Recorded(json.loads(canonical(given))["answer"], epsilon_of_map, epsilon)

    def recorded(self, question: Mapping, dataset: str) -> Recorded | None:
        """The recorded answer to a question, at no cost; None where there is none. Raises as ``look``."""
        if self._was_never_asked():
            return None
        with self._entries() as store:
            self._read(store)
            return self._recorded(store, key_of(question, dataset))

    def look(self) -> LedgerState:
        """The spending so far; if nothing was asked, nothing is written. Raises ``LedgerFaultError``."""
        if self._was_never_asked():
            return LedgerState()
        with self._entries() as store:
            return self._read(store)

    # ------------------------------------------------------------ the file

    def _was_never_asked(self) -> bool:
        """Whether there is no folder, and no sign that there was one."""
        if os.path.lexists(self.folder):
            return False
        self._compare(LedgerState())
        return True

    def _begin(self) -> None:
        """Create the folder with an empty ledger in one step; another process may be first."""
        if not self.folder.parent.is_dir():
            raise self._fault("cannot be begun", "the pilot's folder is not there")
        aside = Path(tempfile.mkdtemp(prefix=f".{FOLDER}-", dir=self.folder.parent))
        try:
            os.close(os.open(aside / LEDGER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # its journal likewise
            with contextlib.closing(_held(aside / LEDGER)) as store:
                for statement in SCHEMA:
                    store.execute(statement)
            aside.replace(self.folder)
            flush_folder(self.folder.parent)
        except OSError:
            if not self.path.exists():
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    @contextlib.contextmanager
    def _entries(self, is_asked: bool = False) -> Iterator[sqlite3.Connection]:
        """The ledger, closed to all other processes until this ends; begun where one ``is_asked`` for the first time.

        What is refused here is told as ``LedgerFaultError``, and a disk that takes no more as ``OSError``.
        """
        try:
            if is_asked and self._was_never_asked():
                self._begin()
            self._check_folder()
            with contextlib.closing(_held(self.path)) as store:
                yield store
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite quotes the bytes that it cannot read
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in FULL:
                raise OSError(FULL[code], os.strerror(FULL[code])) from None
            if code in HELD:
                raise LedgerFaultError(
                    f"{FOLDER}/{LEDGER}: held by another process for {SECONDS_TO_WAIT:g} seconds; nothing was asked"
                ) from None
            raise self._not_allowed() if code in FORBIDDEN else self._damaged() from None
        except OSError as error:
            raise self._not_allowed() if error.errno in NOT_ALLOWED else error from None

    def _check_folder(self) -> None:
        """The folder is the pilot's own, closed to others, and has the ledger."""
        faults = [link_fault(path, self.folder.parent) for path in (self.folder, self.path)]
        if found := [fault for fault in faults if fault]:  # a link's target would be changed, or believed
            raise LedgerFaultError("; ".join(found))
        if not self.folder.is_dir():
            raise self._fault("cannot be reached", f"{FOLDER} is no folder")
        if (mode := self.folder.stat().st_mode & 0o777) & 0o077:
            self.folder.chmod(mode & 0o700)
        if not self.path.exists():
            hint = (
                "privacy_ledger.jsonl, the ledger of an early version, is converted by one run with version 3; if "
                f"nothing was ever asked of this pilot, remove the folder {FOLDER}"
            )
            raise self._fault("is not there", hint)

    def _read(self, store: sqlite3.Connection) -> LedgerState:
        """The state of the ledger, every entry checked. Raises ``LedgerFaultError`` where one is missing or changed."""
        pages, size = (store.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        schema = tuple(sql for (sql,) in store.execute("SELECT sql FROM sqlite_schema ORDER BY rowid"))
        is_whole = schema == SCHEMA and store.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
        if not is_whole or pages * size != self.path.stat().st_size:
            raise self._damaged()
        state = LedgerState()
        try:
            for row in store.execute("SELECT number, kind, key, content, hash FROM entries ORDER BY number"):
                state = _after(state, *row)
        except (KeyError, TypeError, ValueError, InvalidOperation, RecursionError):
            raise self._fault("is damaged", f"entry {state.n_entries + 1} does not continue the chain") from None
        if not self._compare(state):
            self._write_mark(state)
        return state

    def _recorded(self, store: sqlite3.Connection, key: str) -> Recorded | None:
        """The answer from the ledger, once it was read whole."""
        query = "SELECT content FROM entries WHERE key = ? AND kind = ? ORDER BY number"
        row = store.execute(query, (key, ANSWERED)).fetchone()
        values = json.loads(row[0]) if row else None
        return Recorded(values["answer"], values["epsilon"], Decimal(0)) if values else None

    def _append(
        self, store: sqlite3.Connection, state: LedgerState, kind: str, key: str, values: Mapping
    ) -> LedgerState:
        """The state after one entry more, on the disk with its mark. Its time is for readers and decides nothing."""
        number = state.n_entries
        place = {"entry": number, "previous": state.hashes[-1], "at": datetime.now(UTC).isoformat()}
        content = canonical({**values, "kind": kind, "key": key, **place})
        entry = (number, kind, key, content, hash_of(content))
        state = _after(state, *entry)
        store.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", entry)
        self._write_mark(state)
        return state

    def _damaged(self) -> LedgerFaultError:
        return self._fault("is damaged", "the file is not as it was written")

    def _not_allowed(self) -> LedgerFaultError:
        return LedgerFaultError(
            f"{FOLDER}/{LEDGER}: may not be written; no question is answered; let the user who runs this program write "
            f"to the pilot's folder, and own the folder {FOLDER} and the files in it"
        )

    def _fault(self, found: str, hint: str) -> LedgerFaultError:
        return LedgerFaultError(
            f"{FOLDER}/{LEDGER}: {found} ({hint}); nothing is answered until the ledger is whole: put it back from a "
            "backup. It is never reset by this program, as a spent budget cannot be unspent"
        )

    # ------------------------------------------------------------ the mark outside of the pilot's folder

    @property
    def _mark_name(self) -> str:
        return f"{self.mark.parent.name}/{self.mark.name}"

    def _read_mark(self) -> tuple[int, str, str] | None:
        """Entries, the hash of the last one and the epsilon spent; None where there is no mark."""
        try:
            mark = json.loads(self.mark.read_bytes())
            n_entries, last_hash, spent = mark["entries"], mark["hash"], str(mark.get("spent"))
            if type(n_entries) is not int or n_entries < 0 or not isinstance(last_hash, str):
                raise ValueError
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise LedgerFaultError(
                f"{self._mark_name}: cannot be read. It records how much {FOLDER}/{LEDGER} has spent, so nothing is "
                "answered. Let the user who runs this program read and write it. If it is damaged and you know that "
                "the ledger is complete, remove it"
            ) from None
        return n_entries, last_hash, spent

    def _compare(self, state: LedgerState) -> bool:
        """Whether the mark is as high as the state. Raises a fault if the ledger lacks entries known from elsewhere."""
        mark, spent = self._read_mark(), decimal_text(state.spent)
        if mark is not None and state.hashes[mark[0] : mark[0] + 1] != (mark[1],):
            found = f"{state.n_entries} entries and epsilon {spent} in it"
            known = f"its mark {self._mark_name} counts {mark[0]} and epsilon {mark[2]} spent"
            raise self._fault("has lost entries", f"{found}; {known}")
        if state.spent < self.published:
            published = decimal_text(self.published)
            found = f"epsilon {spent} in it, and the results of the last run say that {published} was spent"
            raise self._fault("has lost entries", found)
        if mark is None and state.n_entries:
            self._notices[
                f"of the private answers of this pilot, epsilon {spent} spent, no mark was found; {self._mark_name} "
                f"begins now. If you did not move it here, make sure that {FOLDER}/{LEDGER} is not an older copy"
            ] = None
        return mark is not None and mark[0] == state.n_entries

    def _write_mark(self, state: LedgerState) -> None:
        """Set the mark to the state; a place where none can be kept is a notice, not a fault."""
        mark = {"entries": state.n_entries, "hash": state.hashes[-1], "spent": decimal_text(state.spent)}
        try:
            self.mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self.mark, [canonical(mark).encode("ascii")])
        except OSError as error:
            if error.errno not in NO_PLACE:
                raise
            self._notices = {
                f"no mark of the private answers can be kept outside of the pilot's folder ({self._mark_name} may not "
                f"be written): an older copy of {FOLDER}/{LEDGER} would not be noticed. Set {SETTING} to a folder that "
                "lasts and may be written": None
            }


# ---------------------------------------------------------------- entries


def _held(path: Path) -> sqlite3.Connection:
    """The file, locked until it is closed; each statement is a transaction of its own, on the disk when it ends."""
    store = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", SECONDS_TO_WAIT, isolation_level=None, uri=True)
    try:
        for pragma in PRAGMAS:
            store.execute(f"PRAGMA {pragma}")
        store.execute("BEGIN EXCLUSIVE")
        store.execute("PRAGMA locking_mode=EXCLUSIVE")  # not before: two that wait would keep each other out
        store.execute("COMMIT")
    except BaseException:
        store.close()
        raise
    return store


def _after(state: LedgerState, number: int, kind: str, key: str, content: str, found_hash: str) -> LedgerState:
    """The state after one entry more. Raises ``ValueError`` and its like where it does not continue the chain."""
    values = json.loads(content)
    place = (values["entry"], values["kind"], values["key"], values["previous"], hash_of(content))
    if (number, kind, key, state.hashes[-1], found_hash) != place or number != state.n_entries:
        raise ValueError
    hashes = (*state.hashes, found_hash)
    if kind != RESERVED:
        return LedgerState(hashes, state.spent, state.n_unanswered - 1, state.lowest_budget)
    charged = Decimal(values["charged"])
    if not charged.is_finite() or charged <= 0:
        raise ValueError
    budgets = [Decimal(values["budget"])] if "budget" in values else []  # early ledgers lack it
    lowest = min([*budgets, *([] if state.lowest_budget is None else [state.lowest_budget])], default=None)
    return LedgerState(hashes, state.spent + charged, state.n_unanswered + 1, lowest)


def key_of(question: Mapping, dataset: str) -> str:
    """The key of a question on a dataset (its SHA-256): a hash of their canonical JSON, equal for equal questions."""
    return hash_of(canonical({"question": question, "dataset": dataset}))


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def published_spending(results: Path, pilot: str) -> Decimal:
    """The epsilon spent according to the files of door 2's last run; 0 if they have none."""
    places = {ANSWERS_FILE: ("epsilon_spent",), f"{pilot}_privacy_summary.json": ("private_release", "spent")}
    found = [Decimal(0)]
    for name, keys in places.items():
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError, InvalidOperation):
            value = json.loads((results / name).read_bytes())
            for key in keys:
                value = value[key]
            spent = Decimal(value)
            found += [spent] if spent.is_finite() else []
    return max(found)
