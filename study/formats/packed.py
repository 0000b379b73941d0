"""Files that are packed: unpacked within bounds, so that a small file cannot fill the memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.messages import leave_out_setting
from study.formats.tables import GZIP_SUFFIX

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

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
            f"to {largest / 1e9:,.1f} GB. Write the columns and records that are needed as CSV, or {_left_out(path)}"
        )


def gunzipped(path: Path, content: bytes) -> bytes:
    """Return the content of a gzip file, all of its members. Raises FaultyInputError if it is damaged or too large."""
    file = io.BufferedReader(GunzippedFile(path, io.BytesIO(content), len(content)))
    return b"".join(iter(lambda: file.read(_PIECE), b""))


def inflated(path: Path, content: bytes) -> bytes:
    """Return the content of a zlib stream, or of a gzip file. Raises FaultyInputError if it is damaged or too large."""
    if content.startswith(_GZIP_BEGINNING):
        return gunzipped(path, content)
    unpacker, pieces, rest, n_bytes = zlib.decompressobj(), list[bytes](), content, 0
    try:
        while not unpacker.eof or rest:
            if unpacker.eof:  # a stream after the first one
                unpacker = zlib.decompressobj()
            pieces.append(unpacker.decompress(rest, _PIECE))
            n_bytes += len(pieces[-1])
            check_unfolded_size(path, len(content), n_bytes)
            if not pieces[-1] and not unpacker.eof:
                raise zlib.error
            rest = unpacker.unused_data.lstrip(b"\0") if unpacker.eof else unpacker.unconsumed_tail
    except zlib.error:
        raise FaultyInputError(
            f"{path.name}: a compressed file, cut off or damaged. Copy or export the file again, or {_left_out(path)}"
        ) from None
    return b"".join(pieces)


def beginning_unpacked(beginning: bytes) -> bytes:
    """The first bytes of a text from the first bytes of its gzip file; nothing of what is damaged."""
    try:
        return zlib.decompressobj(_GZIP).decompress(beginning, 4 * len(beginning))
    except zlib.error:
        return b""


class GunzippedFile(io.RawIOBase):
    """The content of a gzip file, of all its members, read piece by piece: of the file at the ``path``, or ``stored``.

    The bytes of the file itself are added to ``content_hash`` as they are read. Raises ``FaultyInputError`` as soon as
    it is damaged, or unfolds to more than is allowed.
    """

    def __init__(self, path: Path, stored: BinaryIO | None = None, n_stored: int = 0, content_hash: Hash | None = None):
        self._path, self._stored = path, stored or path.open("rb")
        self._n_bytes, self._n_stored = 0, n_stored or path.stat().st_size
        if self._stored.read(len(_GZIP_BEGINNING)) != _GZIP_BEGINNING:
            raise FaultyInputError(
                f"{path.name}: this is not a gzip archive. Pack the file again, or {_left_out(path)}"
            )
        self._stored.seek(0)
        listened = self._stored if content_hash is None else _Listened(self._stored, content_hash.update)
        self._unpacked = gzip.GzipFile(fileobj=listened)

    @property
    def n_stored_read(self) -> int:
        """How many bytes of the file itself were read so far."""
        return self._stored.tell()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            n = self._unpacked.readinto(buffer)
        except (zlib.error, EOFError, gzip.BadGzipFile):
            raise FaultyInputError(
                f"{self._path.name}: a gzip archive, cut off or damaged. Copy or export the file again, or "
                f"{_left_out(self._path)}"
            ) from None
        self._n_bytes += n
        check_unfolded_size(self._path, self._n_stored, self._n_bytes)
        return n

    def close(self) -> None:
        self._stored.close()
        super().close()


class _Listened:
    """A file whose bytes are also given to ``seen`` as they are read."""

    def __init__(self, file: BinaryIO, seen: Callable[[bytes], None]):
        self._file, self._seen = file, seen

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._seen(data)
        return data

    def seek(self, place: int) -> int:
        return self._file.seek(place)


def _left_out(path: Path) -> str:
    return f"leave the domain out by {leave_out_setting(path)}."


def opened(path: Path) -> io.BufferedReader:
    """The bytes of a file, unpacked if its name ends as one packed by gzip."""
    return io.BufferedReader(GunzippedFile(path)) if path.suffix.lower() == GZIP_SUFFIX else path.open("rb")


def bytes_unpacked(path: Path) -> int:
    """About how many bytes a gzip file unpacks to, by its beginning; its own size if it is damaged."""
    try:
        with GunzippedFile(path) as file, io.BufferedReader(file) as unpacked:
            n_bytes = len(unpacked.read(_PIECE))  # of as many members as that takes
            return n_bytes * path.stat().st_size // max(file.n_stored_read, 1)
    except FaultyInputError:
        return path.stat().st_size
