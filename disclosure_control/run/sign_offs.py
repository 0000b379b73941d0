"""Who signed which set of results: a line per sign-off, over the hash of the set's manifest, kept beside the set.

A sign-off is a person's word with name, role and moment. With a private key (Ed25519, RFC 8032) it is also a signature
that nobody else can make; who checks it compares the fingerprint of the key with the one that the person gave them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from disclosure_control.basics.files import read_file
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import beside, put_beside

SIGN_OFFS = "sign_offs.jsonl"
NEEDS_CRYPTOGRAPHY = "--key: needs the package cryptography; pip install cryptography"


@dataclass(frozen=True)
class SignOff:
    """One sign-off: ``manifest`` is the SHA-256 of the signed set's manifest, as hex.

    ``signature`` and ``public_key`` are in base64, "" for a sign-off without a key.
    """

    pilot: str
    manifest: str
    by: str
    role: str
    when: str
    says: str
    signature: str = ""
    public_key: str = ""

    @property
    def signed_bytes(self) -> bytes:
        """What the signature is over: every field but the signature and its key, spelt in one way."""
        fields = {name: value for name, value in asdict(self).items() if name not in ("signature", "public_key")}
        return json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")

    @property
    def key_fingerprint(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the public key; "" without one."""
        return hashlib.sha256(base64.b64decode(self.public_key)).hexdigest()[:16] if self.public_key else ""

    @property
    def holds(self) -> bool:
        """Whether the signature is that of its key over these words; a sign-off without a key is never false."""
        if not self.signature:
            return True
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            key = Ed25519PublicKey.from_public_bytes(base64.b64decode(self.public_key))
            key.verify(base64.b64decode(self.signature), self.signed_bytes)
        except (InvalidSignature, ValueError):
            return False
        return True

    @property
    def text(self) -> str:
        """Who signed, when, and by which key."""
        key = f", key {self.key_fingerprint}" if self.public_key else ", without a key"
        return f"{self.by} ({self.role}) on {self.when[:10]}{key}"


def manifest_hash(manifest: Path) -> str:
    """The SHA-256 of a manifest, as hex. Raises ``FaultyInputError`` where there is none."""
    if not manifest.is_file():
        raise FaultyInputError(f"{manifest.name}: not there; name a folder that Main_Anonymization.py wrote")
    return hashlib.sha256(read_file(manifest).content).hexdigest()


def read_sign_offs(results: Path) -> list[SignOff]:
    """Every sign-off of a pilot, oldest first. Raises ``FaultyInputError`` where the file is not as it was written."""
    path = beside(results) / SIGN_OFFS
    if not path.is_file():
        return []
    try:
        return [SignOff(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (ValueError, TypeError):
        raise FaultyInputError(f"{SIGN_OFFS}: not as a sign-off writes it; restore it from a backup") from None


def add_sign_off(results: Path, signed: SignOff) -> None:
    """Keep a sign-off, after the earlier ones."""
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in (*read_sign_offs(results), signed)]
    put_beside(results, SIGN_OFFS, "".join(f"{line}\n" for line in lines).encode("utf-8"))


def with_key(signed: SignOff, pem: bytes) -> SignOff:
    """The sign-off with a signature. Raises ``FaultyInputError`` where the key is none of Ed25519 or is protected."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise FaultyInputError(NEEDS_CRYPTOGRAPHY) from None
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise FaultyInputError(
            "--key: found no private key of Ed25519; allowed: one in PEM without a password, as openssl genpkey "
            "-algorithm ed25519 makes it"
        )
    raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    made: dict[str, Any] = {
        "signature": base64.b64encode(key.sign(signed.signed_bytes)).decode(),
        "public_key": base64.b64encode(raw).decode(),
    }
    return SignOff(**{**asdict(signed), **made})


def sign_offs_in_words(sign_offs: Sequence[SignOff], manifest: str) -> Iterator[str]:
    """Who signed the set with this manifest; else that nobody did, and who signed the last one before."""
    of_set = [one for one in sign_offs if one.manifest == manifest]
    for one in of_set:
        yield (f"Signed off by {one.text}." if one.holds else f"Not signed off: no valid signature of {one.text}.")
    if not of_set and sign_offs:
        yield f"Not signed off: changed or run again since {sign_offs[-1].text}."
    elif not of_set:
        yield "Not signed off."
