"""Which answer each party has read: a signed receipt in the shared folder.

The party that sums signs one answer. One that is not honest could sign several, and give each party another one. So
each party says which one it has read, and refuses one that is not what the others name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.pooling.parties import NEW_ROUND, RoundMembers, SecretsAtHome, in_groups
from disclosure_control.pooling.signed_files import SUFFIX, SignedFile, read_signed, write_signed

RECEIPT = "receipt"
DO_NOT_RELEASE = "do not release by either, compare the check of the answer by telephone"


def check_of(sha512: str) -> str:
    """An answer by its hash, in digits that people compare by telephone: equal only where it is the same file."""
    return in_groups(sha512)


def same_answer(
    home: SecretsAtHome, members: RoundMembers, party: str, answer: SignedFile, shared: Path
) -> Mapping[str, bool]:
    """Leave this party's receipt of the answer; by party whether its receipt is there.

    Raises ``FaultyInputError`` where this party has read another answer before, or where a receipt names another one
    or is not its party's own. This party's receipt is there even then, so that the others learn of it as well.
    """
    number, own = members.invitation.number, answer.sha512
    before = (home.read(f"{number}_{RECEIPT}") or own.encode("ascii")).decode("ascii")
    if before != own:
        raise FaultyInputError(
            f"{answer.path.name}: not the answer that {party} has read before, whose check is {check_of(before)}; "
            f"this one has {check_of(own)}: {DO_NOT_RELEASE}, or {NEW_ROUND}"
        )
    home.keep(f"{number}_{RECEIPT}", own.encode("ascii"))
    header = {"kind": RECEIPT, "round": members.round_id.hex(), "party": party, "answer": own}
    write_signed(_path(shared, party), header, 0, [], home.signing_key)
    parties, faults = members.invitation.settings.parties, list[str]()
    is_there = {name: _path(shared, name).is_file() for name in parties}
    for name in parties:
        if is_there[name]:
            faults += _faults_of(members, name, _path(shared, name), own)
    stop_at(faults)
    return is_there


def _path(shared: Path, party: str) -> Path:
    return shared / f"{RECEIPT}_{party}{SUFFIX}"


def _faults_of(members: RoundMembers, name: str, path: Path, own: str) -> list[str]:
    try:
        header = read_signed(path, RECEIPT, lambda header: members.signing_key(name)).header
    except FaultyInputError as error:
        return list(error.faults)
    if header.get("party") != name or header.get("round") != members.round_id.hex():
        return [f"{path.name}: of another party or another round; ask {name} to run read again"]
    if header.get("answer") != own:
        sums = members.invitation.settings.sums
        return [f"{path.name}: {name} has read another answer of {sums} than this one: {DO_NOT_RELEASE}"]
    return []
