"""The files that travel: a line of JSON, bytes, and the signature of who wrote them; whole or refused.

The first line says whose file it is, of which round, and how many bytes follow. It is written beside its place and then
renamed, so that a folder shared by several never shows half of one.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeGuard

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.pooling.keys import KEY_BYTES, PIECE_BYTES, SIGNATURE_BYTES, is_signed, signature
from disclosure_control.run.beside import write_whole

SUFFIX, SCHEMA, LONGEST_HEADER = ".pool", 1, 1 << 26
SHARED_MODE, HOME_MODE = 0o644, 0o600


def canonical(value: object) -> bytes:
    """A value as JSON in the one way in which it is hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


@dataclass(frozen=True)
class SignedFile:
    """A file that was checked: its ``header``, and where its body begins."""

    path: Path
    header: Mapping[str, Any]
    start: int
    sha512: str = field(repr=False)

    def pieces(self) -> Iterator[bytes]:
        """The body, piece by piece. Raises ``FaultyInputError`` if it is not the one that was checked.

        The folder is shared: somebody may change the file after the check and before it is read.
        """
        with self.path.open("rb") as file:
            content, left = hashlib.sha512(file.read(self.start)), self.header["bytes"]
            while left and (piece := file.read(min(left, PIECE_BYTES))):
                content.update(piece)
                left -= len(piece)
                yield piece
        if content.hexdigest() != self.sha512:
            raise FaultyInputError(f"{self.path.name}: changed while it was read; run the command again")

    def part(self, first: int, n_bytes: int) -> bytes:
        """Some bytes of the body, of one that is read whole, so that it is the one that was checked."""
        found, place = bytearray(), 0
        for piece in self.pieces():
            found += piece[max(first - place, 0) : max(first + n_bytes - place, 0)]
            place += len(piece)
        return bytes(found)


def write_signed(
    path: Path, header: Mapping[str, Any], n_bytes: int, body: Iterable[bytes], key: bytes, mode: int = SHARED_MODE
) -> None:
    """Write a file with ``n_bytes`` of body, signed with a private key, whole or not at all.

    Raises ``FaultyInputError`` where nobody could read its header.
    """
    content = hashlib.sha512()
    line = canonical({**header, "schema": SCHEMA, "bytes": n_bytes}) + b"\n"
    if len(line) > LONGEST_HEADER:
        raise FaultyInputError(
            f"{path.name}: the declared values are too long for one file, {len(line):,} bytes of {LONGEST_HEADER:,}; "
            "declare fewer or shorter ones, and begin a new round"
        )

    def pieces() -> Iterator[bytes]:
        for piece in itertools.chain([line], body):
            content.update(piece)
            yield piece
        yield signature(key, content.digest())

    write_whole(path, pieces(), mode)


def read_signed(path: Path, kind: str, key_of: Callable[[Mapping[str, Any]], bytes]) -> SignedFile:
    """A file of this kind, whole and signed by the owner of the key that its header leads to.

    Raises ``FaultyInputError`` for half a file, for another kind of file, and for a file that was changed.
    """
    with path.open("rb") as file:
        line = file.readline(LONGEST_HEADER)
        header = _header(path, kind, line)
        size = os.fstat(file.fileno()).st_size
        if size != len(line) + header["bytes"] + SIGNATURE_BYTES:
            raise FaultyInputError(_cut_off(path))
        digest, signed = _digest(file, line, header["bytes"])
    try:
        is_whole = is_signed(key_of(header), signed, digest)
    except (KeyError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise FaultyInputError(
            f"{path.name}: changed since it was signed, or signed by somebody else; ask its sender for it again"
        )
    return SignedFile(path, header, len(line), digest.hex())


def _header(path: Path, kind: str, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
        if not line.endswith(b"\n") or type(header["bytes"]) is not int or header["bytes"] < 0:
            raise ValueError
        found = header["kind"], header["schema"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FaultyInputError(
            f"{path.name}: no file of a pool, or only the beginning of one; ask for it again"
        ) from None
    if found != (kind, SCHEMA):
        raise FaultyInputError(f"{path.name}: found a file of kind {found[0]!r}, needed {kind!r} of schema {SCHEMA}")
    return dict(header)


def _digest(file: IO[bytes], line: bytes, n_bytes: int) -> tuple[bytes, bytes]:
    content, left = hashlib.sha512(line), n_bytes
    while left and (piece := file.read(min(left, PIECE_BYTES))):
        content.update(piece)
        left -= len(piece)
    return content.digest(), file.read(SIGNATURE_BYTES)


def is_key(text: object) -> TypeGuard[str]:
    """Whether a header's field can be a public key, in hexadecimal digits."""
    return isinstance(text, str) and re.fullmatch(rf"[0-9a-f]{{{2 * KEY_BYTES}}}", text) is not None


def _cut_off(path: Path) -> str:
    return f"{path.name}: not whole, its size is not what its first line says; copy it again, or ask its sender for it"
