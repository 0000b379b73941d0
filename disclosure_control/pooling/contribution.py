"""What a node sends: its counts under masks, and one-time pads under which only its own classes' flags can be read.

The masks of two nodes cancel out in the sum of all. The file is sealed for the party that sums, so that nobody else
can add the contributions. A pad is a few bits for each class: where the node has people, it can make its pad again;
where it has nobody, the pad is chance that it forgets at once, together with the key under which it was sealed. The
party that sums sees chance in both cases, and so does not learn in which classes a node has people.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.pooling import keys
from disclosure_control.pooling.cells import COUNT, CellSpace
from disclosure_control.pooling.parties import ANSWER, CONTRIBUTION, NEW_ROUND, RoundMembers, SecretsAtHome
from disclosure_control.pooling.signed_files import (
    HOME_MODE,
    SHARED_MODE,
    SUFFIX,
    SignedFile,
    is_key,
    read_signed,
    write_signed,
)
from disclosure_control.run.beside import write_whole


def bytes_per_class(space: CellSpace) -> int:
    """How many bytes the flags of a class take: k, l and t of each sensitive feature, and the advice's."""
    return -(-(2 + 2 * len(space.sensitive)) // 8)


def pads_of(space: CellSpace, own_key: bytes, round_id: bytes) -> np.ndarray:
    """The pads that a node can make again, (n_classes, n_bytes); it sends those of the classes where it has people."""
    n_bytes = bytes_per_class(space)
    pads = keys.random_bytes(keys.own_key(own_key, round_id, "pads"), space.n_classes * n_bytes)
    return pads.reshape(space.n_classes, n_bytes)


def contribute(home: SecretsAtHome, members: RoundMembers, party: str, cells: np.ndarray, shared: Path) -> bool:
    """Send cells (n_classes, width), masked; whether that is the first time. ``cells`` are masked in place.

    A node that contributed sends the same file again. Raises ``FaultyInputError`` where its counts are others now, or
    the round has ended.
    """
    number, target = members.invitation.number, shared / f"{CONTRIBUTION}_{party}{SUFFIX}"
    kept, own_key = home.path(number, CONTRIBUTION), _round_keys(home, number)[1]
    check_keys_are_as_sent(home, members)
    mark, sent = _mark(own_key, cells), _sent(home, number)
    if sent is not None and sent["counts"] != mark:
        raise FaultyInputError(
            f"{party} has contributed to this round, and the counts changed since then. Two contributions under the "
            f"same masks would give away the difference; {NEW_ROUND}"
        )
    if sent is None:
        _stop_at_strangers(shared, party, target)
        write_signed(kept, *_masked(home, members, party, cells), home.signing_key, HOME_MODE)
        home.keep(f"{number}_sent", json.dumps({"round": members.round_id.hex(), "counts": mark}).encode("ascii"))
    with kept.open("rb") as file:
        write_whole(target, iter(lambda: file.read(keys.PIECE_BYTES), b""), SHARED_MODE)
    return sent is None


def check_keys_are_as_sent(home: SecretsAtHome, members: RoundMembers) -> None:
    """Raise ``FaultyInputError`` where this party contributed under the keys of others than ``members`` says.

    People compared those keys by telephone. Whoever exchanges them later could sign an answer of their own.
    """
    sent = _sent(home, members.invitation.number)
    if sent is not None and sent["round"] != members.round_id.hex():
        raise FaultyInputError(
            "joined_*.pool: the keys of the round changed since this hospital contributed; somebody may have "
            f"exchanged them on the way: ask each party for its own file again, or {NEW_ROUND}"
        )


def check_counts_are_as_sent(home: SecretsAtHome, number: str, cells: np.ndarray) -> None:
    """Raise ``FaultyInputError`` unless cells (n_classes, width) are those of the contribution.

    Of a class that is new since then the node would read chance, and take it for flags.
    """
    sent = _sent(home, number)
    if sent is None or sent["counts"] != _mark(_round_keys(home, number)[1], cells):
        raise FaultyInputError(
            "the data are not those of the contribution, and the flags of the answer are of these; put back the "
            f"combined dataset of that time, or {NEW_ROUND}"
        )


def _sent(home: SecretsAtHome, number: str) -> dict[str, str] | None:
    """What a party noted when it contributed to a round: its ``round``, ``counts`` as a keyed hash. None before."""
    noted = home.read(f"{number}_sent")
    return None if noted is None else dict(json.loads(noted))


def _stop_at_strangers(shared: Path, party: str, target: Path) -> None:
    if (shared / f"{ANSWER}{SUFFIX}").exists():
        raise FaultyInputError(f"the round has ended: {ANSWER}{SUFFIX} is there, without {party}; {NEW_ROUND}")
    if target.exists():
        raise FaultyInputError(
            f"{target.name}: there already, but not sent from this folder; use the one it was sent from, or {NEW_ROUND}"
        )


def _round_keys(home: SecretsAtHome, number: str) -> tuple[bytes, bytes]:
    found = home.round_keys(number)
    assert found is not None  # members are known to those who joined
    return found


def _mark(own_key: bytes, cells: np.ndarray) -> str:
    """Counts as a keyed hash: whoever reads it without the key cannot try counts."""
    return hmac.new(own_key, cells.reshape(-1).view(np.uint8).data, hashlib.sha256).hexdigest()


def _masked(
    home: SecretsAtHome, members: RoundMembers, party: str, cells: np.ndarray
) -> tuple[dict[str, object], int, Iterable[bytes]]:
    """Header, size and body of the file; the key that seals it is used once and forgotten."""
    invitation, round_id = members.invitation, members.round_id
    exchange, own_key = _round_keys(home, invitation.number)
    pads = pads_of(invitation.space, own_key, round_id).copy()
    has_nobody = ~invitation.space.patterns(cells).any(axis=1)
    pads[has_nobody] = keys.random_bytes(keys.new_key(), int(has_nobody.sum()) * pads.shape[1]).reshape(
        -1, pads.shape[1]
    )
    numbers = cells.reshape(-1)
    for other in invitation.settings.nodes:
        if other != party:
            low, high = sorted((party, other))
            key = keys.shared_key(exchange, members.exchange_key(other), round_id, "mask", low, high)
            keys.add_mask(numbers, key, is_added=party == low)
    once = keys.new_key()
    key = keys.shared_key(once, members.exchange_key(invitation.settings.sums), round_id, "seal", party)
    header = {
        "kind": CONTRIBUTION,
        "round": round_id.hex(),
        "party": party,
        "cells": len(numbers),
        "opens_with": keys.public_key(once).hex(),
    }
    return header, numbers.nbytes + pads.nbytes, keys.sealed(key, numbers, pads)


# ---------------------------------------------------------------- the party that sums


def contributions_of(members: RoundMembers, shared: Path) -> dict[str, SignedFile]:
    """The contributions of all nodes, checked. Raises ``FaultyInputError`` with every one that is missing or faulty."""
    found: dict[str, SignedFile] = {}
    faults: list[str] = []
    for node in members.invitation.settings.nodes:
        path = shared / f"{CONTRIBUTION}_{node}{SUFFIX}"
        try:
            found[node] = _checked(members, node, path)
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    return found


def _checked(members: RoundMembers, node: str, path: Path) -> SignedFile:
    if not path.is_file():
        raise FaultyInputError(f"{node}: has not contributed yet, or its file {path.name} is not here")
    found = read_signed(path, CONTRIBUTION, lambda header: members.signing_key(node))
    space = members.invitation.space
    if found.header.get("party") != node:
        raise FaultyInputError(f"{path.name}: of another node than its name says; ask {node} for its own file")
    if found.header.get("round") != members.round_id.hex():
        raise FaultyInputError(f"{path.name}: made for another round; ask {node} for the one of this round")
    size = space.n_cells * COUNT.itemsize + space.n_classes * bytes_per_class(space)
    if (found.header.get("cells"), found.header["bytes"]) != (space.n_cells, size):
        raise FaultyInputError(f"{path.name}: not the cells of the invitation; {NEW_ROUND}")
    opens_with = found.header.get("opens_with")
    if not is_key(opens_with) or not keys.is_usable(bytes.fromhex(opens_with)):
        raise FaultyInputError(f"{path.name}: without a key that opens it; ask {node} what it runs, and {NEW_ROUND}")
    return found


def opened_contribution(
    home: SecretsAtHome, members: RoundMembers, node: str, file: SignedFile
) -> Iterator[np.ndarray]:
    """The bytes (n,) that a node sealed, piece by piece: the masked counts, then the pads."""
    exchange, _ = _round_keys(home, members.invitation.number)
    once = bytes.fromhex(file.header["opens_with"])
    source = keys.stream(keys.shared_key(exchange, once, members.round_id, "seal", node))
    for piece in file.pieces():
        yield np.frombuffer(source.update(piece), dtype=np.uint8)


def summed(
    home: SecretsAtHome, members: RoundMembers, files: dict[str, SignedFile]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The sum of the nodes' cells, (n_classes, width), modulo 2**64; and each node's pads (n_classes, n_bytes)."""
    space = members.invitation.space
    total = np.zeros(space.n_cells, dtype=COUNT)
    pads = {node: np.zeros((space.n_classes, bytes_per_class(space)), dtype=np.uint8) for node in files}
    for node, file in files.items():
        place, of_pads = 0, pads[node].reshape(-1)
        for piece in opened_contribution(home, members, node, file):
            n_counts = min(max(total.nbytes - place, 0), len(piece))
            total[place // 8 : (place + n_counts) // 8] += piece[:n_counts].view(COUNT)
            first = place + n_counts - total.nbytes
            if n_counts < len(piece):
                of_pads[first : first + len(piece) - n_counts] = piece[n_counts:]
            place += len(piece)
    return total.reshape(space.n_classes, space.width), pads
