"""Who takes part in a round: each party's secrets, at home, and what it tells the others of its keys."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.pooling import keys
from disclosure_control.pooling.invitation import Invitation
from disclosure_control.pooling.signed_files import SUFFIX, canonical, is_key, read_signed, write_signed
from disclosure_control.run.beside import beside, put_beside

RESULTS = "pool_results"
JOINED, CONTRIBUTION, ANSWER = "joined", "contribution", "answer"
NEW_ROUND = "begin a new round in an empty folder"


@dataclass(frozen=True)
class SecretsAtHome:
    """What a party keeps beside its ``results`` and never sends, in mode 0600: private keys, and what it has sent."""

    results: Path

    def read(self, name: str) -> bytes | None:
        """What is kept under a name, None where nothing is."""
        path = beside(self.results) / name
        return path.read_bytes() if path.is_file() else None

    def keep(self, name: str, content: bytes) -> bytes:
        """Keep it, whole or not at all."""
        put_beside(self.results, name, content)
        return content

    def path(self, number: str, name: str) -> Path:
        """Where a file of a round is kept."""
        return beside(self.results) / f"{number}_{name}"

    @property
    def signing_key(self) -> bytes:
        """The key with which this party signs in all rounds."""
        return self.read("signing_key") or self.keep("signing_key", keys.new_key())

    def round_keys(self, number: str) -> tuple[bytes, bytes] | None:
        """Of a round the key for what is shared with others, and the one of this party alone; None before it joined."""
        both = self.read(f"{number}_keys")
        return None if both is None else (both[: keys.KEY_BYTES], both[keys.KEY_BYTES :])

    def join(self, number: str) -> tuple[bytes, bytes]:
        """The same keys, made where the party joins for the first time."""
        found = self.round_keys(number)
        if found is None:
            found = keys.new_key(), keys.new_key()
            self.keep(f"{number}_keys", b"".join(found))
        return found


def in_groups(digits: str) -> str:
    """The first 40 digits of a hash in ten groups, as people read them aloud."""
    return "-".join(digits[i : i + 4] for i in range(0, 40, 4))


@dataclass(frozen=True)
class RoundMembers:
    """All parties of a round with what each says of its keys, ``by_name``."""

    invitation: Invitation
    by_name: Mapping[str, Mapping[str, Any]]

    @cached_property
    def round_id(self) -> bytes:
        """What keys and files of the round are bound to: the invitation, and the public keys of all."""
        said = [canonical(self.by_name[name]) for name in sorted(self.by_name)]
        return hashlib.sha256(b"\n".join([self.invitation.sha256.encode("ascii"), *said])).digest()

    @property
    def check(self) -> str:
        """The round in digits that people compare by telephone: equal only where all have the same keys of all."""
        return in_groups(self.round_id.hex())

    def exchange_key(self, name: str) -> bytes:
        return bytes.fromhex(self.by_name[name]["exchanges"])

    def signing_key(self, name: str) -> bytes:
        return bytes.fromhex(self.by_name[name]["signs"])


def join(home: SecretsAtHome, invitation: Invitation, party: str, shared: Path) -> None:
    """Put the party's public keys into the shared folder. Raises ``FaultyInputError`` where others are there."""
    path = shared / f"{JOINED}_{party}{SUFFIX}"
    there = _read(path, invitation, party) if path.exists() else None
    if there is not None and home.round_keys(invitation.number) is None:
        raise FaultyInputError(
            f"{path.name}: {party} joined this round from another folder, and its keys are not here; use that folder, "
            f"or {NEW_ROUND}"
        )
    said = _said_by(home, invitation, party)
    if there is None:
        write_signed(path, said, 0, [], home.signing_key)
    elif there != said:
        raise FaultyInputError(f"{path.name}: not the keys with which {party} joined this round; {NEW_ROUND}")


def _said_by(home: SecretsAtHome, invitation: Invitation, party: str) -> dict[str, Any]:
    exchange, _ = home.join(invitation.number)
    return {
        "kind": JOINED,
        "invitation": invitation.sha256,
        "party": party,
        "signs": keys.signers_key(home.signing_key).hex(),
        "exchanges": keys.public_key(exchange).hex(),
    }


def _read(path: Path, invitation: Invitation, party: str) -> dict[str, Any]:
    found = read_signed(path, JOINED, lambda header: bytes.fromhex(header["signs"]))
    said = {name: found.header.get(name) for name in ("kind", "invitation", "party", "signs", "exchanges")}
    if not is_key(said["signs"]) or not is_key(said["exchanges"]):
        raise FaultyInputError(f"{path.name}: without the public keys of {party}; {NEW_ROUND}")
    if not keys.is_usable(bytes.fromhex(said["exchanges"])):
        raise FaultyInputError(
            f"{path.name}: a public key that keeps nothing secret; ask {party} what it runs, and {NEW_ROUND}"
        )
    if said["party"] != party:
        raise FaultyInputError(f"{path.name}: of another party than its name says; ask {party} for its own file")
    if said["invitation"] != invitation.sha256:
        raise FaultyInputError(
            f"{path.name}: {party} joined another round, or by another invitation; put away the files of other rounds, "
            f"and let {party} run invite for this one"
        )
    return said


def joined_so_far(invitation: Invitation, shared: Path) -> dict[str, Mapping[str, Any]]:
    """Who has joined, by name. Raises ``FaultyInputError`` with every file that is not what it should be."""
    found: dict[str, Mapping[str, Any]] = {}
    faults: list[str] = []
    for party in invitation.settings.parties:
        path = shared / f"{JOINED}_{party}{SUFFIX}"
        if path.is_file():
            try:
                found[party] = _read(path, invitation, party)
            except FaultyInputError as error:
                faults += error.faults
    for one, other in itertools.combinations(found, 2):
        if any(found[one][key] == found[other][key] for key in ("signs", "exchanges")):
            faults.append(
                f"{JOINED}_{other}{SUFFIX}: {other} has a key of {one}; each party makes its own, in a pilot's folder "
                f"that was not copied from another party; {NEW_ROUND}"
            )
    stop_at(faults)
    return found


def members_of(home: SecretsAtHome, invitation: Invitation, party: str, shared: Path) -> RoundMembers:
    """All parties, once they joined, this one with its own keys. Raises ``FaultyInputError``."""
    if home.round_keys(invitation.number) is None:
        raise FaultyInputError(f"{party} has not joined this round: run invite first, with this folder")
    found = joined_so_far(invitation, shared)
    stop_at(
        f"{party}: has not joined yet, or its file {JOINED}_{party}{SUFFIX} is not here"
        for party in invitation.settings.parties
        if party not in found
    )
    if found[party] != _said_by(home, invitation, party):
        raise FaultyInputError(f"{JOINED}_{party}{SUFFIX}: not the keys with which {party} joined; {NEW_ROUND}")
    return RoundMembers(invitation, found)
