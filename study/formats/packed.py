"""Files that are packed: unpacked within bounds, so that a small file cannot fill the memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.messages import damaged_fault, in_our_words, leave_out_setting
from study.formats.tables import GZIP_SUFFIX

# A file repeats its values and packs them; fifty times its size is usual for clinical data, thousands are not.
LARGEST_UNFOLDED, LARGEST_RATIO = 2 << 30, 50
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_BEGINNING = b"\x1f\x8b"
_PIECE = 1 << 24


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
    stored = io.BufferedReader(io.BytesIO(content))
    file = io.BufferedReader(GunzippedFile(path, stored, len(content)))
    return b"".join(iter(lambda: file.read(_PIECE), b""))


def inflated(path: Path, content: bytes) -> bytes:
    """Return the content of a zlib stream, or of a gzip file. Raises FaultyInputError if it is damaged or too large."""
    if content.startswith(_GZIP_BEGINNING):
        return gunzipped(path, content)
    unpacker, pieces, rest, n_bytes = zlib.decompressobj(), list[bytes](), content, 0
    with in_our_words(damaged_fault(path, "a compressed file, cut off or damaged"), zlib.error):
        while not unpacker.eof or rest:
            if unpacker.eof:  # a stream after the first one
                unpacker = zlib.decompressobj()
            pieces.append(unpacker.decompress(rest, _PIECE))
            n_bytes += len(pieces[-1])
            check_unfolded_size(path, len(content), n_bytes)
            if not pieces[-1] and not unpacker.eof:
                raise zlib.error
            rest = unpacker.unused_data.lstrip(b"\0") if unpacker.eof else unpacker.unconsumed_tail
    return b"".join(pieces)


def beginning_unpacked(beginning: bytes) -> bytes:
    """The first bytes of a text from the first bytes of its gzip file; nothing of what is damaged."""
    try:
        return zlib.decompressobj(_GZIP).decompress(beginning, 4 * len(beginning))
    except zlib.error:
        return b""


class GunzippedFile(io.RawIOBase):
    """The content of a gzip file, of all its members, read piece by piece: of an open file of ``n_stored`` bytes.

    Raises ``FaultyInputError`` as soon as it is damaged, or unfolds to more than is allowed.
    """

    def __init__(self, path: Path, stored: io.BufferedReader[Any], n_stored: int):
        self._path, self._stored, self._n_stored, self._n_bytes = path, stored, n_stored, 0
        if not stored.peek(len(_GZIP_BEGINNING)).startswith(_GZIP_BEGINNING):
            raise FaultyInputError(
                f"{path.name}: this is not a gzip archive. Pack the file again, or leave the domain out by "
                f"{leave_out_setting(path)}."
            )
        self._unpacked = gzip.GzipFile(fileobj=stored)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        damaged = damaged_fault(self._path, "a gzip archive, cut off or damaged")
        with in_our_words(damaged, zlib.error, EOFError, gzip.BadGzipFile):
            n = self._unpacked.readinto(buffer)
        self._n_bytes += n
        check_unfolded_size(self._path, self._n_stored, self._n_bytes)
        return n

    def close(self) -> None:
        self._stored.close()
        super().close()


class _ListenedFile(io.FileIO):
    """The file at a path, whose bytes are also given to ``seen`` as they are read."""

    def __init__(self, path: Path, seen: Callable[[memoryview], None]):
        super().__init__(path)
        self._seen = seen

    def readinto(self, buffer: Any) -> int:
        n = super().readinto(buffer) or 0
        self._seen(memoryview(buffer)[:n])
        return n


def opened(path: Path, seen: Callable[[memoryview], None] = lambda data: None) -> io.BufferedReader[Any]:
    """The bytes of a file, unpacked if its name ends as one packed by gzip; ``seen`` gets those of the file itself."""
    stored = io.BufferedReader(_ListenedFile(path, seen))
    is_packed = path.suffix.lower() == GZIP_SUFFIX
    return io.BufferedReader(GunzippedFile(path, stored, path.stat().st_size)) if is_packed else stored


def bytes_unpacked(path: Path) -> int:
    """About how many bytes a gzip file unpacks to, by its beginning; its own size if it is damaged."""
    n_stored = path.stat().st_size
    try:
        with path.open("rb") as stored:
            unpacked = io.BufferedReader(GunzippedFile(path, stored, n_stored))
            n_bytes = len(unpacked.read(_PIECE))  # of as many members as that takes
            return n_bytes * n_stored // max(stored.tell(), 1)
    except FaultyInputError:
        return n_stored
