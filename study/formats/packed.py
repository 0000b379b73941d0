"""Files that are packed: unpacked within bounds, so that a small file cannot fill the memory."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.messages import leave_out_setting
from study.formats.tables import GZIP_SUFFIX

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

# A file repeats its values and packs them; fifty times its size is usual for clinical data, thousands are not.
LARGEST_UNFOLDED, LARGEST_RATIO = 2 << 30, 50
_GZIP, _EITHER = 16 + zlib.MAX_WBITS, 32 + zlib.MAX_WBITS
_GZIP_BEGINNING = b"\x1f\x8b"
_ARCHIVE = "a gzip archive"
_PIECE, _STORED_PIECE = 1 << 24, 1 << 16


def check_unfolded_size(path: Path, n_stored: int, n_bytes: int) -> None:
    """Raise FaultyInputError if a file of ``n_stored`` bytes unfolds to more than is allowed."""
    largest = max(LARGEST_UNFOLDED, LARGEST_RATIO * n_stored)
    if n_bytes > largest:
        raise FaultyInputError(
            f"{path.name}: the file of {n_stored / 1e6:,.0f} MB would unfold to {n_bytes / 1e9:,.1f} GB; allowed: up "
            f"to {largest / 1e9:,.1f} GB. Write the columns and records that are needed as CSV, or leave the domain "
            f"out by {leave_out_setting(path)}."
        )


def gunzipped(path: Path, content: bytes) -> bytes:
    """Return the content of a gzip file, all of its members. Raises FaultyInputError if it is damaged or too large."""
    _check_beginning(path, content)
    return b"".join(_unpacked(path, [content], len(content), _GZIP, _ARCHIVE))


def inflated(path: Path, content: bytes) -> bytes:
    """Return the content of a zlib stream, or of a gzip file. Raises FaultyInputError if it is damaged or too large."""
    return b"".join(_unpacked(path, [content], len(content), _EITHER, "a compressed file"))


def beginning_unpacked(beginning: bytes) -> bytes:
    """The first bytes of a text from the first bytes of its gzip file; nothing of what is damaged."""
    try:
        return zlib.decompressobj(_GZIP).decompress(beginning, 4 * len(beginning))
    except zlib.error:
        return b""


class GunzippedFile(io.RawIOBase):
    """The content of a gzip file, of all its members, read piece by piece; limited like ``gunzipped``.

    ``n_stored_read`` bytes of the file itself were read so far and added to ``content_hash``. Raises
    ``FaultyInputError`` like ``gunzipped``, as soon as the damage or the limit is met.
    """

    def __init__(self, path: Path, content_hash: Hash | None = None):
        self._file, self._hash, self.n_stored_read = path.open("rb"), content_hash, 0
        _check_beginning(path, self._file.read(len(_GZIP_BEGINNING)))
        self._file.seek(0)
        self._pieces = _unpacked(path, self._stored(), path.stat().st_size, _GZIP, _ARCHIVE)
        self._rest = memoryview(b"")

    def _stored(self) -> Iterator[bytes]:
        while data := self._file.read(_STORED_PIECE):
            self.n_stored_read += len(data)
            if self._hash is not None:
                self._hash.update(data)
            yield data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and (piece := next(self._pieces, None)) is not None:
            self._rest = memoryview(piece)
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


def opened(path: Path) -> io.BufferedReader:
    """The bytes of a file, unpacked if its name ends as one packed by gzip."""
    return io.BufferedReader(GunzippedFile(path)) if path.suffix.lower() == GZIP_SUFFIX else path.open("rb")


def bytes_unpacked(path: Path) -> int:
    """About how many bytes a gzip file unpacks to, by its beginning; its own size if it is damaged."""
    try:
        with GunzippedFile(path) as file:
            n_bytes = len(io.BufferedReader(file).read(_PIECE))  # of as many members as that takes
            return n_bytes * path.stat().st_size // max(file.n_stored_read, 1)
    except FaultyInputError:
        return path.stat().st_size


def _check_beginning(path: Path, content: bytes) -> None:
    if not content.startswith(_GZIP_BEGINNING):
        raise FaultyInputError(
            f"{path.name}: this is not a gzip archive. Pack the file again, or leave the domain out by "
            f"{leave_out_setting(path)}."
        )


def _unpacked(path: Path, stored: Iterable[bytes], n_stored: int, bits: int, kind: str) -> Iterator[bytes]:
    """The unpacked form of ``n_stored`` packed bytes, in pieces of at most ``_PIECE`` bytes."""
    n_bytes = 0
    try:
        for piece in _pieces(stored, bits):
            n_bytes += len(piece)
            check_unfolded_size(path, n_stored, n_bytes)
            yield piece
    except zlib.error:
        raise FaultyInputError(
            f"{path.name}: {kind}, cut off or damaged. Copy or export the file again, or leave the domain out "
            f"by {leave_out_setting(path)}."
        ) from None


def _pieces(stored: Iterable[bytes], bits: int) -> Iterator[bytes]:
    """All members, one after the other; raises ``zlib.error`` where one of them is damaged or does not end."""
    unpacker = None
    for rest in stored:
        while rest:
            if unpacker is None:
                unpacker = zlib.decompressobj(bits)
            elif unpacker.eof:
                rest = rest.lstrip(b"\0")  # what a gzip archive is filled up with
                unpacker = zlib.decompressobj(bits) if rest else unpacker
            else:
                yield unpacker.decompress(rest, _PIECE)
                rest = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    while unpacker is not None and not unpacker.eof:
        piece = unpacker.decompress(b"", _PIECE)
        if not piece and not unpacker.eof:
            raise zlib.error
        yield piece
