"""Ledgers of earlier versions, one entry per line: their entries are taken over unchanged, with their hashes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from disclosure_control.analyses.private_release.entries import BrokenChainError, Entry, LedgerState, canonical
from disclosure_control.analyses.private_release.high_water import HighWater
from disclosure_control.analyses.private_release.store import hash_after, journal_of, new_store, opened
from disclosure_control.run.beside import flush_folder

LINES = "privacy_ledger.jsonl"
ASIDE = ".privacy_ledger.taking_over"


def take_over(folder: Path, path: Path, head: HighWater, fault: Callable[[str, str], Exception]) -> None:
    """Make the ledger at ``path`` from the lines in ``folder``, and then remove them; the caller holds the lock.

    The new file is in place before the lines are removed; if a killed run left both, the new one must contain them all.
    ``fault(found, hint)`` makes the error that is raised where the lines are not whole.
    """
    lines = folder / LINES
    if not lines.exists():
        return
    entries, state = _read(lines, head, fault)
    if path.exists():
        with opened(path) as store:
            if hash_after(store, state.n_entries) != state.last_hash:
                raise fault(f"lies beside {LINES} and does not contain it", "an earlier version has spent since")
    else:
        new_store(folder / ASIDE, entries)
        (folder / ASIDE).replace(path)
        journal_of(folder / ASIDE).unlink(missing_ok=True)
        flush_folder(folder)
    lines.unlink()
    flush_folder(folder)


def _read(path: Path, head: HighWater, fault: Callable[[str, str], Exception]) -> tuple[list[Entry], LedgerState]:
    """The whole chain, verified against its head."""
    lines = path.read_bytes().split(b"\n")
    if lines.pop():
        harmless = len(lines) >= head.n_entries
        hint = "nothing was answered on it; take that line out by hand" if harmless else "lines are missing"
        raise fault(f"cannot take over {LINES}: it ends in the middle of a line", hint)
    entries, state, hashes = [], LedgerState(), [LedgerState().last_hash]
    for line in lines:
        try:
            values = json.loads(line)
            stated = values.pop("hash")
            entry = Entry(values["entry"], values["kind"], values["key"], canonical(values), stated)
            state = state.after(entry)
        except (BrokenChainError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            found = f"cannot take over {LINES}: it is damaged"
            raise fault(found, f"line {state.n_entries + 1} does not continue the chain") from None
        entries.append(entry)
        hashes.append(state.last_hash)
    if len(hashes) <= head.n_entries or hashes[head.n_entries] != head.last_hash:
        hint = f"{len(lines)} entries, and the head counts {head.n_entries}"
        raise fault(f"cannot take over {LINES}: it does not reach its head", hint)
    return entries, state
