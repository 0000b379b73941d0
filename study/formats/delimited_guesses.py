"""Guesses about a file of delimited text: its delimiter, and whether it has a header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

USUAL_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
DELIMITER_NAMES = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}

_DATA_LIKE = re.compile(r"[+-]?[.,]*\d[\d.,]*([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)
_SAMPLE_RECORDS = 200
_HEADER_BYTES = 1 << 20
_PIECE_BYTES = 1 << 20

# What a program that quotes all of its text leaves without quotes: numbers, truth values, and missing values.
_BEGINS_NUMBER = np.isin(np.arange(256), list(b"0123456789+-."))
_WORDS_WITHOUT_QUOTES = (b"NA", b"Na", b"TR", b"FA", b"In")


def guess_delimiter(sample: str, is_whole: bool, usual: str) -> str:
    """Return the delimiter under which the first records have as many fields as the header, and most of them.

    ``sample`` is the beginning of the text; ``usual`` is the delimiter that belongs to the file's suffix and wins ties.
    """

    def merit(delimiter: str) -> tuple[bool, float, int, bool]:
        n_fields = _fields_per_record(sample, delimiter, is_whole)
        agreement = sum(n == n_fields[0] for n in n_fields) / len(n_fields)
        return n_fields[0] > 1, agreement, n_fields[0], delimiter == usual

    return max(DELIMITER_NAMES, key=merit)


def _fields_per_record(sample: str, delimiter: str, is_whole: bool) -> list[int]:
    n_fields: list[int] = []
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        for fields in reader:
            if fields:
                n_fields.append(len(fields))
            if len(n_fields) > _SAMPLE_RECORDS:
                return n_fields
    except csv.Error:
        # A field beyond csv's limit: the records so far are enough to choose by.
        return n_fields or [1]
    # The last record of a sample may be cut; of blank lines alone there is none.
    return (n_fields if is_whole or len(n_fields) == 1 else n_fields[:-1]) or [1]


def header_looks_like_data(header: list[str]) -> bool:
    """Whether most names of a header are numbers or dates: then it is more likely the first record."""
    names = [name for name in header if name]
    return 2 * sum(map(looks_like_data, names)) > len(names)


def looks_like_data(text: str) -> bool:
    """Whether a text is a number or a date."""
    return _DATA_LIKE.fullmatch(text) is not None


def looks_like_a_table(beginning: bytes) -> bool:
    """Whether the first bytes of a text are records under a header, rather than prose: several fields, all alike."""
    is_wide = beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    sample = beginning.decode("utf-16" if is_wide else "latin-1", errors="ignore").lstrip("\r\n")
    n_fields = _fields_per_record(sample, guess_delimiter(sample, is_whole=False, usual="\t"), is_whole=False)
    return n_fields[0] > 1 and 10 * sum(n == n_fields[0] for n in n_fields) >= 9 * len(n_fields)


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
    n_missing = 0
    for records in whole_records(text):
        n = _n_unquoted_missing(records, delimiter)
        if n is None:
            return 0
        n_missing += n
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


def _n_unquoted_missing(text: np.ndarray, delimiter: str) -> int | None:
    """The same of whole records; None where some text has no quotes."""
    is_end = np.isin(np.arange(256), [ord(delimiter), ord("\n"), ord("\r")]).take(text)
    outside = np.bitwise_xor.accumulate((text == ord('"')).view(np.uint8)) == 0
    starts = np.flatnonzero(is_end & outside) + 1
    padded = np.concatenate((text, np.frombuffer(b"\n\n\n", dtype=np.uint8)))
    pairs = padded[starts].astype(np.uint16) << 8 | padded[starts + 1]
    words = [word[0] << 8 | word[1] for word in _WORDS_WITHOUT_QUOTES]
    first = padded[starts]
    is_empty = (first == ord(delimiter)) | (first == ord("\n")) | (first == ord("\r"))
    if not (is_empty | (first == ord('"')) | _BEGINS_NUMBER.take(first) | np.isin(pairs, words)).all():
        return None
    after = padded[starts + 2]
    ends = (after == ord(delimiter)) | (after == ord("\n")) | (after == ord("\r"))
    return int(np.count_nonzero((pairs == words[0]) & ends))
