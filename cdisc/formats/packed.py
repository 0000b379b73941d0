"""Files that are packed: unpacked within bounds, so that a small file cannot fill the memory."""

from __future__ import annotations

import zlib
from pathlib import Path

from cdisc.formats.messages import leave_out_setting
from disclosure_control.basics.faults import FaultyInputError

# A file repeats its values and packs them; fifty times its size is usual for clinical data, thousands are not.
LARGEST_UNFOLDED, LARGEST_RATIO = 2 << 30, 50
_GZIP, _EITHER = 16 + zlib.MAX_WBITS, 32 + zlib.MAX_WBITS
_GZIP_BEGINNING = b"\x1f\x8b"
_PIECE = 1 << 24


def check_unfolded_size(path: Path, n_stored: int, n_bytes: int) -> None:
    """Raise FaultyInputError where a file of ``n_stored`` bytes unfolds to more than is usual and can be held."""
    largest = max(LARGEST_UNFOLDED, LARGEST_RATIO * n_stored)
    if n_bytes > largest:
        raise FaultyInputError(
            f"{path.name}: the file of {n_stored / 1e6:,.0f} MB would unfold to {n_bytes / 1e9:,.1f} GB; allowed: up "
            f"to {largest / 1e9:,.1f} GB. Write the columns and records that are needed as CSV, or leave the domain "
            f"out by {leave_out_setting(path)}."
        )


def gunzipped(path: Path, content: bytes) -> bytes:
    """Return what a gzip file holds, all of its members. Raises FaultyInputError where it is damaged or too large."""
    if not content.startswith(_GZIP_BEGINNING):
        raise FaultyInputError(
            f"{path.name}: this is no gzip archive. Pack the file again, or leave the domain out by "
            f"{leave_out_setting(path)}."
        )
    return _unpacked(path, content, _GZIP, "a gzip archive")


def inflated(path: Path, content: bytes) -> bytes:
    """Return what a zlib stream holds, or a gzip file. Raises FaultyInputError where it is damaged or too large."""
    return _unpacked(path, content, _EITHER, "a compressed file")


def _unpacked(path: Path, content: bytes, bits: int, kind: str) -> bytes:
    pieces, n_bytes, rest = [], 0, content
    try:
        while rest:
            unpacker = zlib.decompressobj(bits)
            while not unpacker.eof:
                piece = unpacker.decompress(rest, _PIECE)
                rest = unpacker.unconsumed_tail
                if not piece and not unpacker.eof:
                    raise zlib.error
                pieces.append(piece)
                n_bytes += len(piece)
                check_unfolded_size(path, len(content), n_bytes)
            rest = unpacker.unused_data.lstrip(b"\0")  # what a gzip archive is filled up with
    except zlib.error:
        raise FaultyInputError(
            f"{path.name}: {kind} that is cut off or damaged. Copy or export the file again, or leave the domain out "
            f"by {leave_out_setting(path)}."
        ) from None
    return b"".join(pieces)
