"""The entries of a privacy ledger, each with the SHA-256 of the one before, and what they add up to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

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
