"""Who signed which set of results: a line per sign-off, over the hash of the set's manifest, kept beside the set.

A sign-off is a person's word with name, role and moment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from disclosure_control.basics.files import read_file
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import add_line, read_lines

SIGN_OFFS = "sign_offs.jsonl"


@dataclass(frozen=True)
class SignOff:
    """One sign-off: ``manifest`` is the SHA-256 of the signed set's manifest, as hex.

    ``signature``: of a line that an earlier version signed with a key; nothing checks it any more, so it does not
    count.
    """

    pilot: str
    manifest: str
    by: str
    role: str
    when: str
    says: str
    signature: str = ""

    @property
    def text(self) -> str:
        """Who signed, and when."""
        return f"{self.by} ({self.role}) on {self.when[:10]}"


def manifest_hash(manifest: Path) -> str:
    """The SHA-256 of a manifest, as hex. Raises ``FaultyInputError`` where there is none."""
    if not manifest.is_file():
        raise FaultyInputError(f"{manifest.name}: not there; name a folder that Main_Anonymization.py wrote")
    return hashlib.sha256(read_file(manifest).content).hexdigest()


def read_sign_offs(results: Path) -> list[SignOff]:
    """Every sign-off of a pilot, oldest first. Raises ``FaultyInputError`` where the file is not as it was written."""
    return read_lines(results, SIGN_OFFS, SignOff, gone=("public_key",))


def add_sign_off(results: Path, signed: SignOff) -> None:
    """Keep a sign-off, after the earlier ones; where these cannot be read, it is a fault."""
    read_sign_offs(results)
    add_line(results, SIGN_OFFS, signed)


def sign_offs_in_words(sign_offs: Sequence[SignOff], manifest: str) -> Iterator[str]:
    """Who signed the set with this manifest; else that nobody did, and who signed the last one before."""
    of_set = [one for one in sign_offs if one.manifest == manifest]
    for one in of_set:
        unchecked = " with a key, which this version does not check: sign again" if one.signature else ""
        yield f"Signed off by {one.text}{unchecked}."
    if not of_set and sign_offs:
        yield f"Not signed off: changed or run again since {sign_offs[-1].text}."
    elif not of_set:
        yield "Not signed off."
