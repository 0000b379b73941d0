"""Keys of a round: who signs, masks that two nodes share and that cancel out, and bytes that only one party can read.

Only functions of the library ``cryptography`` are put together here: X25519 (RFC 7748), Ed25519 (RFC 8032), HKDF with
SHA-256 (RFC 5869), ChaCha20 as a stream (RFC 8439). Masks that cancel out in pairs: Bonawitz et al. 2017,
doi:10.1145/3133956.3133982, without their recovery of parties that drop out: such a round ends.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
    from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
except ImportError:
    raise FaultyInputError(
        "the package cryptography is not installed, and a pool needs it; install requirements/pool.txt"
    ) from None

KEY_BYTES, SIGNATURE_BYTES, PIECE_BYTES = 32, 64, 1 << 20
_DOMAIN = b"disclosure_control pool 1"


def new_key() -> bytes:
    """A private key, for either purpose: 32 bytes from the system."""
    return X25519PrivateKey.generate().private_bytes_raw()


def public_key(private: bytes) -> bytes:
    """What others need for a key that they share with its owner."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def signers_key(private: bytes) -> bytes:
    """What others need to check the owner's signature."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def signature(private: bytes, digest: bytes) -> bytes:
    """The signature of a file by the digest of its content."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(_DOMAIN + digest)


def is_signed(public: bytes, signed: bytes, digest: bytes) -> bool:
    """Whether the owner of the key signed this digest."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signed, _DOMAIN + digest)
    except (InvalidSignature, ValueError):
        return False
    return True


def shared_key(private: bytes, public: bytes, round_id: bytes, *purpose: str) -> bytes:
    """The key that the owners of two keys share for one purpose of one round; the public one ``is_usable``."""
    secret = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    return own_key(secret, round_id, *purpose)


def is_usable(public: bytes) -> bool:
    """Whether a key can be shared with the owner of a public one: not with a point of low order (RFC 7748, 6.1)."""
    try:
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        return False
    return True


def own_key(secret: bytes, round_id: bytes, *purpose: str) -> bytes:
    """A key for one purpose of one round, from a secret."""
    info = b"\0".join([_DOMAIN, *(word.encode("utf-8") for word in purpose)])
    return HKDF(SHA256(), KEY_BYTES, salt=round_id, info=info).derive(secret)


def stream(key: bytes) -> CipherContext:
    """The key's stream of bytes, which is added by exclusive or to what is put in; a key is used for one stream."""
    return Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor()


def random_bytes(key: bytes, n_bytes: int) -> np.ndarray:
    """The first bytes (n_bytes,) of a key's stream."""
    return np.frombuffer(stream(key).update(bytes(n_bytes)), dtype=np.uint8)


def add_mask(numbers: np.ndarray, key: bytes, is_added: bool) -> None:
    """Add the key's stream to numbers (n,) modulo 2**64, or take it away; in place, a piece at a time."""
    source, zeros = stream(key), bytes(PIECE_BYTES)
    for start in range(0, len(numbers), PIECE_BYTES // numbers.itemsize):
        piece = numbers[start : start + PIECE_BYTES // numbers.itemsize]
        mask = np.frombuffer(source.update(zeros[: piece.nbytes]), dtype=numbers.dtype)
        if is_added:
            piece += mask
        else:
            piece -= mask


def sealed(key: bytes, *parts: np.ndarray) -> Iterator[bytes]:
    """The bytes of several arrays, one after the other, readable with the key alone; to open them, seal them again."""
    source = stream(key)
    for part in parts:
        flat = part.reshape(-1).view(np.uint8).data
        for start in range(0, len(flat), PIECE_BYTES):
            yield source.update(flat[start : start + PIECE_BYTES])


def new_round() -> str:
    """The random number of a round, 32 hexadecimal digits."""
    return secrets.token_hex(16)
