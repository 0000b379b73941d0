"""The quotes of a delimited text: whether they pair up, piece by piece, and what has none where all text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

QUOTE = ord('"')
_IS_BREAK = np.isin(np.arange(256), list(b"\r\n"))
_HEADER_BYTES = _PIECE_BYTES = 1 << 20
# What a program that quotes all of its text leaves without quotes: numbers, truth values, and missing values.
_NEEDS_NO_QUOTES = rb'|["0-9+\-.]|NA|Na|TR|FA|In'
END = np.array([ord("\n")], dtype=np.uint8)


class QuoteCheck:
    """The quotes of a text that comes in pieces, ``END`` behind the last one: they open and close in turn.

    ``n_quotes`` are odd in the end if one is opened and never closed. ``have_breaks``: there is a line break between an
    opening and a closing quote; a doubled quote is a closing and an opening one.
    """

    def __init__(self, delimiter: str):
        self.n_quotes, self.have_breaks = 0, False
        self._is_edge = np.isin(np.arange(256), [ord(delimiter), *b'\r\n"'])
        self._last = END  # the beginning of the text is an edge

    def are_regular(self, piece: np.ndarray) -> bool:
        """Whether in one more piece (n_bytes,) every opening quote begins a field and every closing one ends it."""
        text = np.concatenate([self._last, piece])
        places = np.flatnonzero(text[1:-1] == QUOTE) + 1  # one at the very end waits for what comes after it
        is_open = self.n_quotes % 2
        before_opening, behind_closing = text[places[is_open::2] - 1], text[places[1 - is_open :: 2] + 1]
        if not self.have_breaks and (len(places) or is_open):
            breaks = np.flatnonzero(_IS_BREAK.take(text[1:-1])) + 1
            self.have_breaks = bool(((np.searchsorted(places, breaks) + is_open) % 2).any())
        self.n_quotes += len(places)
        self._last = text[-2:]
        return bool(self._is_edge.take(before_opening).all() and self._is_edge.take(behind_closing).all())


class BytesOfFile:
    """The bytes of an open file from its present position, by slices; none may begin before the last one requested."""

    def __init__(self, file: BinaryIO):
        self._file, self._place, self._held = file, 0, b""

    def __getitem__(self, places: slice) -> np.ndarray:
        start, stop = places.start or 0, places.stop
        self._held, self._place = self._held[start - self._place :], start
        self._held += self._file.read(max(stop - start - len(self._held), 0))
        return np.frombuffer(self._held[: stop - start], dtype=np.uint8)


def n_unquoted_missing(text: np.ndarray | BytesOfFile, delimiter: str) -> int:
    """Return how many fields of a text (n_bytes,) are NA without quotes where all text has quotes; else 0.

    R writes text and names in quotes, numbers without, and missing values as NA without: there "NA" is text and
    NA is none. The quotes of ``text`` pair up.
    """
    header = text[:_HEADER_BYTES].tobytes().split(b"\n", 1)[0].strip()
    quoted, mark = rb'"(?:[^"]|"")*"', re.escape(delimiter.encode())
    if not re.fullmatch(quoted + rb"(?:" + mark + quoted + rb")*", header):
        return 0
    if isinstance(text, np.ndarray) and not any(
        b"NA" in text[at : at + _PIECE_BYTES + 1].tobytes() for at in range(0, len(text), _PIECE_BYTES)
    ):
        return 0
    ends = rb"[\r\n" + mark + rb"]"
    without_quotes = re.compile(ends + rb"(?=(?s:.))(?!" + ends + _NEEDS_NO_QUOTES + rb")")
    missing = re.compile(ends + rb"NA(?=" + ends + rb"|\Z)")
    n_missing = 0
    for records in whole_records(text):
        outside = re.sub(rb'"[^"]*"', b'"', records.tobytes())  # what is within quotes begins and ends no field
        if without_quotes.search(outside):
            return 0
        n_missing += len(missing.findall(outside))
    return n_missing


def whole_records(text: np.ndarray | BytesOfFile) -> Iterator[np.ndarray]:
    """A text (n_bytes,) in pieces that begin with the line break before them and end with one outside quotes."""
    start, n_bytes = 0, _PIECE_BYTES
    while len(piece := text[start : start + n_bytes]):
        if len(piece) < n_bytes:
            yield piece
            return
        is_inside = np.bitwise_xor.accumulate((piece == ord('"')).view(np.uint8))
        breaks = np.flatnonzero((piece == ord("\n")) & (is_inside == 0))
        if len(breaks) and breaks[-1] > 0:
            yield piece[: breaks[-1] + 1]
            start, n_bytes = start + int(breaks[-1]), _PIECE_BYTES
        else:
            n_bytes *= 2
